"""Documentation that runs: README and docs blocks, docstring examples, the import table."""

import doctest
import importlib
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import supersparse
from supersparse import Problem, solve
from supersparse.datasets import load_breast_cancer
from supersparse.problem.file.files import read_settings, write_settings
from supersparse.problem.file.forms.constraints import KINDS
from supersparse.problem.file.vocabulary import SETTINGS, SOLVE
from test_architecture import MAY_IMPORT

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONAL = {"pyscipopt", "ortools", "gurobipy", "cplex", "matplotlib"}


def page_id(path):
    return path.relative_to(ROOT).as_posix()


def without_times(text):
    """Leave out what differs from run to run and from release to release."""
    text = re.sub(r"supersparse [\w.]+, (\w+),\s+in [\d.]+ s;\s+", r"supersparse ?, \1, in ? s; ", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def run_python(code, folder):
    """Run the blocks of one page together; return what each of them printed."""
    marker = "--- end of block ---"
    script = f"\nprint({marker!r})\n".join(code)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(marker + "\n")


@pytest.fixture(scope="session")
def compiled():
    """Compile the solver outside of the time limits that the pages state; the result is cached on disk."""
    data = load_breast_cancer()
    assert solve(Problem.of(data.X, data.y, max_coef=10), "exact").proven_optimal


@pytest.mark.parametrize("page", PAGES, ids=page_id)
@pytest.mark.usefixtures("compiled")
def test_python_blocks_run_and_print_what_the_page_says(page, tmp_path):
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    code = [text for kind, text in blocks if kind == "python"]
    if not code:
        return
    printed = iter(run_python(code, tmp_path))
    for (kind, _), (next_kind, next_text) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "python":
            output = next(printed)
            if next_kind == "text":
                assert without_times(output) == without_times(next_text)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_console_blocks_run(page, run):
    for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in text.splitlines() if kind == "console" else []:
            if line.startswith("$ supersparse "):
                run(*shlex.split(line, comments=True)[2:], check=True)


def test_the_yaml_blocks_are_settings_and_show_the_whole_language():
    page = (ROOT / "docs" / "problem-file.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    shown = [read_settings(block) for block in blocks]
    assert [read_settings(write_settings(settings)) for settings in shown] == shown
    words = set(re.findall(r"\w+", "".join(blocks)))
    assert {*SETTINGS.fields, *SOLVE.fields, *KINDS} <= words


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_make_targets_named_in_the_docs_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_between_pages_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert link.startswith("https://") or (page.parent / link).exists(), link


def test_the_card_at_the_top_of_the_readme_is_the_one_below():
    first, second, *_ = (
        text for kind, text in BLOCK.findall(PAGES[0].read_text(encoding="utf-8")) if kind == "text"
    )
    assert first.rstrip() in second


def test_the_import_table_is_the_one_that_is_checked():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = {
        layer: set(allowed.split(", ")) - {"-"}
        for layer, allowed in re.findall(r"^\| (\w+) \| ([\w, -]+) \|$", page, re.MULTILINE)
    }
    del table["layer"]  # the heading
    assert table == MAY_IMPORT


def test_the_changelog_has_a_place_for_what_is_new():
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def modules():
    return sorted(m.name for m in pkgutil.walk_packages(supersparse.__path__, "supersparse."))


@pytest.mark.parametrize("name", ["supersparse", *modules()])
def test_docstring_examples_run(name, tmp_path, monkeypatch):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name in OPTIONAL:
            pytest.skip(f"{error.name} is not installed")
        raise
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(module).failed == 0


def test_the_data_are_in_the_wheel_by_the_build_settings():
    # hatchling ships every file below a package folder that git does not ignore
    ignored = subprocess.run(
        ["git", "check-ignore", "src/supersparse/datasets/data/breast_cancer.csv"],
        cwd=ROOT,
        capture_output=True,
    )
    if ignored.returncode == 128:
        pytest.skip("not a git checkout")
    assert ignored.returncode == 1
    assert os.path.getsize(ROOT / "src/supersparse/datasets/data/breast_cancer.csv") > 10_000
