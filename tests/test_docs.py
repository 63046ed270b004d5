"""Documentation that runs: README and docs blocks, docstring examples, the import table."""

import ast
import doctest
import importlib
import importlib.util
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

import supersparse
from seen import assert_same_picture
from supersparse.card.names_file import read_names
from supersparse.learn.settings.settings import PREPARE, SETTINGS, SOLVE, TABLE, VALIDATE, read_settings, write_settings
from supersparse.problem.asked import MAX_POINTS
from supersparse.problem.constraints.forms import KINDS
from supersparse.problem.problem import RISK_MAX_POINTS
from supersparse.show.cli.app import COMMANDS

ROOT = Path(__file__).parent.parent
SOURCE = Path(supersparse.__file__).parent
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*TOP, *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONAL = {
    "pyscipopt", "ortools", "gurobipy", "cplex", "matplotlib", "starlette", "uvicorn", "anywidget",
}  # fmt: skip

COUNTS_ROWS = {"docs/rows.md", "supersparse.learn.row_counts"}  # with the `rows` extra


def page_id(path):
    return path.relative_to(ROOT).as_posix()


def without_times(text):
    """Leave out what differs from run to run and from release to release."""
    text = re.sub(r"supersparse [\w.]+, (\w+),\s+in [\d.]+ s;\s+", r"supersparse ?, \1, in ? s; ", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def python_blocks(page):
    """Return each block of code with the text below it, or None where no text follows at once."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [
        (text, below if next_kind == "text" else None)
        for (kind, text), (next_kind, below) in pairwise([*blocks, ("", "")])
        if kind == "python"
    ]


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """Work in an empty folder, as a reader would: modules written there can be imported while it lasts."""
    known = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


# among the long tests
SLOW = {"report.md", "choosing-c0.md", "comparing-cards.md"}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.long] if page.name in SLOW else [])
        for page in PAGES
        if python_blocks(page)
    ],
    ids=page_id,
)
def test_python_blocks_run_and_print_what_the_page_says(page, own_folder, capsys):
    if page_id(page) in COUNTS_ROWS:
        pytest.importorskip("narwhals", minversion="2.14")
    names = {"__name__": "__main__"}  # the blocks of a page follow on each other
    for code, below in python_blocks(page):
        exec(compile(code, page.name, "exec"), names)
        printed = capsys.readouterr().out
        if below is not None:
            assert without_times(printed) == without_times(below)
    if page.stem == "faces":
        made = sorted(path.name for path in own_folder.iterdir())
        assert made == ["criminology-paper.svg", "criminology-sheet.svg", "mammography-tree.svg"]
        for name in made:
            stored = (ROOT / "docs" / "pictures" / name).read_text(encoding="utf-8")
            assert_same_picture((own_folder / name).read_text(encoding="utf-8"), stored)


@pytest.mark.parametrize("page", [pytest.param(p, marks=pytest.mark.long) for p in PAGES], ids=page_id)
def test_console_blocks_run(page, run):
    for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in text.splitlines() if kind == "console" else []:
            if line.startswith("$ supersparse "):
                run(*shlex.split(line, comments=True)[2:], check=True)


SECTIONS = (SOLVE, TABLE, PREPARE, VALIDATE)


def test_the_yaml_blocks_are_settings_and_show_the_whole_language():
    page = (ROOT / "docs" / "settings-file.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    shown = [read_settings(block) for block in blocks]
    assert [read_settings(write_settings(settings)) for settings in shown] == shown
    words = set(re.findall(r"\w+", "".join(blocks)))
    assert {*SETTINGS.fields, *(name for part in SECTIONS for name in part.fields), *KINDS} <= words


def test_the_pages_tell_the_default_points_of_both_goals():
    errors, risk = f"-{MAX_POINTS} to {MAX_POINTS}", f"-{RISK_MAX_POINTS} to {RISK_MAX_POINTS}"
    for name in ("conventions.md", "command-line.md", "errors-or-risk.md"):
        page = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert errors in page, name
        assert risk in page, name


@pytest.mark.parametrize("name", ["conventions.md", "cluster.md", "report.md"])
def test_a_page_that_promises_the_same_on_every_machine_names_the_exception(name):
    page = (ROOT / "docs" / name).read_text(encoding="utf-8").replace("\n", " ")
    promise = re.search(r"on every machine\b[^.]*", page)
    assert promise is not None
    assert "[partition bound](engine" in promise[0]


def test_the_page_of_the_command_line_shows_every_key_of_a_file_of_names(tmp_path):
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "names.yaml").write_text(block, encoding="utf-8")
    names = read_names(tmp_path / "names.yaml")
    assert names.check({"age": None, "smoker": ["Y", "N"]}, ["died", "lived"]) == []
    assert all(names.places.get((key,)) for key in ("title", "classes", "columns"))
    assert {key for words in names.columns.values() for key in words} == {"label", "unit", "question", "answers"}


def test_make_targets_named_in_the_docs_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {
        (page_id(page), target)
        for page in PAGES
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {target for _, target in named} & targets
    assert [each for each in named if each[1] not in targets] == []


def test_make_help_lists_every_target_by_purpose_and_measurements_apart():
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    listed = {
        group.splitlines()[0]: re.findall(r"^  ([a-z-]+)", group, re.MULTILINE) for group in shown.strip().split("\n\n")
    }
    targets = re.findall(r"^([a-z-]+):(?! export)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    targets = [name for name in targets if name != "dist"]  # a folder, which `wheels` and `test-arm` fill
    assert sorted(name for names in listed.values() for name in names) == sorted(targets)
    start, tests, documentation, measurements = listed.values()
    assert {"demo", "dev", "help"} <= {*start}
    assert {"test", "golden"} <= {*tests}
    assert "docs" in documentation
    assert {name for name in targets if name.startswith(("bench", "study"))} <= {*measurements}


def prose(page):
    """A page without its blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


BENCHMARKS = ROOT / "benchmarks" / "README.md"
FOLDERS = [ROOT, *(ROOT / name for name in ("src", "docs", "tests", "benchmarks")), SOURCE, SOURCE / "engine"]
# what a command makes, what a reader has, what is not in a clone (benchmarks/README.md says so), and words of tables
ELSEWHERE = re.compile(
    r"(build|rows|raw|shared)/.*|data/mammo_processed\.csv|results/(SUITE|before)\.jsonl|problems/NAME\.npz|\d+/\d+|n/d"
)


@pytest.mark.parametrize("page", [*PAGES, BENCHMARKS], ids=page_id)
def test_paths_named_in_the_docs_exist(page):
    named = re.findall(r"`([\w.-]+/[\w./-]*)`", prose(page))
    missing = [
        name
        for name in named
        if not ELSEWHERE.fullmatch(name) and not any((folder / name).exists() for folder in FOLDERS)
    ]
    assert missing == []


@pytest.mark.parametrize("page", [*PAGES, BENCHMARKS], ids=page_id)
def test_programs_and_commands_named_in_the_docs_exist(page):
    text = page.read_text(encoding="utf-8")
    modules = re.findall(r"python -m ((?:benchmarks|study)[.a-z_]*)\b", text.replace("benchmarks.NAME", ""))
    files = [each.replace(".", "/") + ("/__main__.py" if each == "study" else ".py") for each in modules]
    scripts = re.findall(r"python ([\w/]+/[\w/.]+\.py)", text)
    assert [each for each in files + scripts if not (ROOT / each).exists()] == []
    known = {run.__name__.replace("_", "-") for run in COMMANDS} | {"datasets"}
    commands = re.findall(r"(?:`|^\$ )supersparse ([a-z][\w-]*)", text, re.MULTILINE)
    assert set(commands) <= known


@pytest.mark.parametrize("name", ["glossary.md", "comparison.md", "scoring-systems.md", "index.md"])
def test_the_words_of_the_literature_are_where_people_look_for_them(name):
    page = (ROOT / "docs" / name).read_text(encoding="utf-8").lower()
    words = ("riskslim", "pilm", "m-of-n", "rule table", "threshold rule")
    assert [word for word in words if word not in page] == []


def test_links_between_pages_lead_somewhere():
    links = [
        (page, link)
        for page in PAGES
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
        if not link.startswith("https://")
    ]
    assert len(links) > 50
    assert [f"{page}: {link}" for page, link in links if not leads_somewhere(page, link)] == []


def leads_somewhere(page, link):
    """Whether the file of a link exists, and has the heading behind a #, as GitHub spells it."""
    name, _, heading = link.partition("#")
    target = page.parent / name if name else page
    if not heading:
        return target.exists()
    headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
    return heading in {re.sub(r"[^\w -]", "", each).strip().lower().replace(" ", "-") for each in headings}


def test_the_readme_leads_to_the_main_pages():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    more = readme.partition("## Documentation")[2]
    main = ("install", "first-card", "command-line", "settings-file", "comparison", "api")
    assert re.findall(r"\]\(docs/([\w-]+)\.md\)", more) == [*main]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_row_of_a_table_has_the_cells_of_its_head(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for table in re.findall(r"^\|.*\n(?:\|.*\n)+", text, re.MULTILINE):
        rows = [re.sub(r"`[^`]*`|\\\|", "", line).count("|") for line in table.splitlines()]
        assert len(rows) > 2, table
        assert set(rows) == {rows[0]}, table


def test_the_page_on_installing_says_what_each_extra_installs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    told = {
        tuple(re.findall(r"`([\w-]+)`", row)): text for row, text in re.findall(r"^\| (`.*?) \| (.*?) \|", page, re.M)
    }
    for names, text in told.items():
        if not {"docs", "test-solvers", "all"} & {*names}:
            installed = {re.split(r"[\[<>=]", each)[0] for name in names for each in extras[name]}
            assert set(text.split(", ")) == installed, names
    free = {name for names in told for name in names} - {"gurobi", "cplex", "all"}
    left_out = set(re.findall(r"`([\w-]+)`", told["all",]))
    assert free - left_out == set(re.findall(r"[\w-]+", extras["all"][0])) - {"supersparse"}


def test_the_changelog_has_a_place_for_what_is_new():
    first = re.search(r"^## .*$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert first[0] in ("## [Unreleased]", f"## [{supersparse.__version__}] - not yet released")


MODULES = {
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(SOURCE.rglob("*.py"))
}


def test_every_module_can_be_imported():
    missing = set()
    for name in MODULES:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            missing.add(error.name)
    assert missing <= OPTIONAL


@pytest.mark.parametrize("name", [n for n, path in MODULES.items() if ">>> " in path.read_text("utf-8")])
def test_docstring_examples_run(name, tmp_path, monkeypatch):
    if name in COUNTS_ROWS:
        pytest.importorskip("narwhals", minversion="2.14")
    module = importlib.import_module(name)
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner()
    finder = doctest.DocTestFinder()
    # a public class says that it is of `supersparse`, so the finder takes it for an imported one
    public = [node.name for node in ast.parse(MODULES[name].read_text("utf-8")).body if isinstance(node, ast.ClassDef)]
    hidden = [getattr(module, one) for one in public if getattr(module, one).__module__ != name]
    found = [finder.find(one, module=False, globs=dict(vars(module))) for one in hidden]
    for test in [*finder.find(module), *itertools.chain(*found)]:
        if test.examples:  # a runner looks at every file that was read so far, examples or not
            runner.run(test)
    assert runner.failures == 0


def test_the_data_are_in_the_wheel_by_the_build_settings():
    # scikit-build-core ships every file below a package folder that git does not ignore
    ignored = subprocess.run(
        ["git", "check-ignore", "src/supersparse/table/datasets/data/breast_cancer.csv"], cwd=ROOT, capture_output=True
    )
    if ignored.returncode == 128:
        pytest.skip("not a git checkout")
    assert ignored.returncode == 1
    assert os.path.getsize(ROOT / "src/supersparse/table/datasets/data/breast_cancer.csv") > 10_000


def wrap_script():
    path = ROOT / "docs" / "scripts" / "wrap.py"
    spec = importlib.util.spec_from_file_location("wrap", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_paragraphs_are_wrapped(page):
    text = page.read_text(encoding="utf-8")
    assert wrap_script().wrapped(text) == text, "run make format"


def test_wrapping_leaves_tables_code_and_made_blocks_alone_and_breaks_no_code():
    wrapped, long = wrap_script().wrapped, "word " * 30 + "end"
    for kept in (
        f"# {long}\n",
        f"| {long} |\n|---|\n",
        f"```text\n{long}\n```\n",
        f"<!-- results: begin -->\n{long}\n<!-- results: end -->\n",
        "short\nlines stay\n",
    ):
        assert wrapped(kept) == kept
    code = f"`{'x ' * 30}x`"
    lines = wrapped(f"1. {long} {code} - {code}\n2. next\n").splitlines()
    assert [line[:3] for line in lines] == ["1. ", "   ", "   ", "2. "]
    assert max(map(len, lines)) <= 120
    assert lines[1].endswith(f"{code} -")
    assert lines[2].strip() == code
