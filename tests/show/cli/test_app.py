"""What all commands have in common: help with examples that run, exit codes, one line for an error."""

import json
import re
import shlex
from pathlib import Path

import pytest

from show.cli.tiny import FIT
from supersparse import ScoringSystem, __version__, item
from supersparse.errors import InfeasibleError, PackageNotInstalledError, SolverFailedError

EXAMPLES = re.compile(r"^ +(supersparse .*)$", re.MULTILINE)
COMMANDS = [
    "fit",
    "counts",
    "predict",
    "evaluate",
    "explain",
    "certify",
    "export",
    "names",
    "frontier",
    "pool",
    "program",
    "check",
    "solvers",
    "demo",
    "doctor",
]


def test_version(run):
    assert run("--version").stdout == f"supersparse {__version__}\n"


@pytest.mark.parametrize("command", ["", *COMMANDS, "studio"])
def test_help_fits_80_columns_and_has_an_example(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    done = run(*command.split(), "--help", check=True)
    assert EXAMPLES.search(done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_in_help_run(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "200")
    text = run(command, "--help").stdout
    for example in EXAMPLES.findall(text.split("Example:")[1].split("Options:")[0]):
        words = shlex.split(example)[1:]
        if words[0] in ("fit", "demo", "frontier", "pool"):
            words += ["--time-limit", "1"]
        if words[0] == "fit":
            words += ["--cv", "2"]
        run(*words, check=True)


def test_every_command_is_tried_here(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    listed = run("--help").stdout.split("Commands:")[1]
    assert not [line for line in listed.splitlines() if line.endswith("...")]  # cut short
    names = set(re.findall(r"^  (\w+) ", listed, re.MULTILINE))
    assert names - {"datasets", "report", "studio"} == set(COMMANDS)  # these have tests of their own


@pytest.mark.parametrize("command", ["fit", "counts", "trade-off", "report", "evaluate", "pool"])
def test_help_says_defaults_in_one_way_and_names_the_words_of_an_option(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "200")
    text = run(command, "--help", check=True).stdout
    assert "default: " in text
    assert "[default" not in text
    words = {
        "fit": ["--goal errors|risk", "--tie-break points|log_loss", "--objective errors|net_benefit"],
        "counts": ["--cuts optimal|quantile|tree|none", "--missing item|median|mode|drop"],
        "report": ["--paper a4|letter"],
        "evaluate": ["--calibrate isotonic|logistic|none"],
    }
    assert all(option in text for option in words.get(command, []))


@pytest.mark.parametrize(
    ("command", "option"), [("counts", "--weights"), ("counts", "--no-prepare"), ("trade-off", "--no-validate")]
)
def test_what_a_command_cannot_do_is_not_offered(run, tiny, command, option):
    assert option not in run(command, "--help", check=True).stdout
    assert f"No such option: {option}" in run(command, tiny, "--target", "ill", option).stderr


@pytest.mark.parametrize(
    "arguments",
    [["fit", "tiny.csv", "--max-feature", "3"], ["certify", "none.json", "tiny.csv"], ["evaluate", "tiny.csv"]],
)
def test_what_the_command_line_cannot_read_ends_with_an_error_line_and_exit_code_2(run, tiny, arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("Error: ")


def test_the_page_names_every_command_and_every_option(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    page = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--[\w-]+", page))
    groups = [("datasets", name) for name in ("list", "path", "fetch", "export")]
    for words in [*((name,) for name in [*COMMANDS, "report", "studio", "trade-off"]), *groups]:
        assert f"`{words[0]}`" in page
        options = run(*words, "--help").stdout.split("Options:")[1].replace("-h, --help", "")
        for line in re.findall(r"^  (?:-\w, )?(--.*)$", options, re.MULTILINE):
            spellings = set(re.findall(r"--[\w-]+", line.split("  ")[0]))
            assert spellings & named, f"docs/command-line.md does not name {line} of {' '.join(words)}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "tiny.csv", "--target", "il"], "no target column 'il'; did you mean 'ill'?"),
        (["fit", "tiny.csv", *FIT, "--C0", "-1"], "--C0 is -1; give a number of at least 0"),
        (["fit", "tiny.csv", *FIT, "--max-points", "0"], "--max-points is 0"),
        (["fit", "tiny.csv", *FIT, "--solver", "hihgs"], "--solver is 'hihgs'; did you mean 'highs'?"),
        (["fit", "tiny.csv", *FIT, "--time-limit", "-3"], "--time-limit is -3; give a number"),
        (["fit", "tiny.csv", *FIT, "--time-limit", "nan"], "--time-limit is nan; give a number"),
        (["fit", "not-read.csv", *FIT, "--seed", "-1"], "--seed is -1; give a"),
        (["fit", "not-read.csv", *FIT, "--n-jobs", "0"], "--n-jobs is 0; give a whole number"),
        (["pool", "not-read.csv", *FIT, "--time-limit", "nan"], "--time-limit is nan; give a number"),
        (["frontier", "not-read.csv", *FIT, "--time-limit", "nan"], "--time-limit is nan; give a number"),
        (["trade-off", "not-read.csv", *FIT, "--time-limit", "nan"], "--time-limit is nan; give a number"),
        (["trade-off", "not-read.csv", *FIT, "--class-weight", "1,2"], "tries class weights itself; remove"),
        (["trade-off", "not-read.csv", *FIT, "--objective", "errors"], "itself; remove it, or use --ratios"),
        (["trade-off", "not-read.csv", *FIT, "--risk-threshold", "0.2"], "remove it, or use --thresholds"),
        (["demo", "--time-limit", "nan"], "--time-limit is nan; give a number"),
        (["fit", "tiny.csv", *FIT, "--out", "nowhere/card.json"], "the folder 'nowhere' does not exist"),
        (["fit", "tiny.csv", *FIT, "--out-dir", "tiny.csv/x"], "'tiny.csv' is a file; name a folder"),
        (["fit", "tiny.csv", *FIT, "--class-weight", "even"], "--class-weight is 'even'; known: bal"),
        (["fit", "tiny.csv", *FIT, "--class-weight", "1.2;0.8"], "--class-weight is '1.2;0.8'; use balanced"),
        (["fit", "tiny.csv", *FIT, "--class-weight", "1,2,3"], "two numbers NEGATIVE,POSITIVE"),
        (["fit", "tiny.csv", *FIT, "--class-weight", "1,x"], "'x' is not a number"),
        (["fit", "tiny.csv", *FIT, "--class-weight", "1,-2"], "-2 is negative; give 0 or more"),
        (["fit", "tiny.csv", *FIT, "--class-weight", "0,0"], "both class weights are 0"),
        (["fit", "tiny.csv", *FIT, "--class-weight", "yess=2"], "no row has the label 'yess'; did you"),
        (["fit", "tiny.csv", *FIT, "--class-weight", "no=2,no=1"], "names a class twice"),
        (["fit", "tiny.csv", "--target", "ill", "--missing", "mean"], "--missing is 'mean'; did you mean"),
        (["fit", "tiny.csv", "--target", "ill", "--cut-points", "age"], "is neither a file nor cut points"),
        (["fit", "tiny.csv", "--target", "ill", "--cut-points", "agee=3"], "agee"),
        (["fit", "tiny.csv", "--target", "ill", "--cuts", "some"], "some"),
        (["fit", "tiny.csv", "--target", "ill", "--max-cuts", "0"], "--max-cuts is 0; give a whole number"),
        (["fit", "tiny.csv", *FIT, "--decimal", ";"], "--decimal is ';'; give '.' or ','"),
        (["fit", "tiny.csv", *FIT, "--drop", "agee"], "no column 'agee'; did you mean 'age'?"),
        (["fit", "tiny.csv", *FIT, "--keep", "ill"], "--keep: 'ill' is the target, so it cannot"),
        (["fit", "tiny.csv", *FIT, "--drop", "*e*"], "no usable column besides the target"),
        (["fit", "tiny.csv", *FIT, "--cv", "1"], "--cv is 1; give a whole number"),
        (["fit", "tiny.csv", *FIT, "--cv", "9"], "9 folds are too many for a class with 3 rows"),
        (["fit", "tiny.csv", *FIT, "--cv-groups", "who"], "tiny.csv has no column 'who'"),
        (["predict", "tiny.csv", "tiny.csv"], "tiny.csv is not a scoring system"),
        (["export", "card.json", "--to", "jason"], "unknown format 'jason'; did you mean 'json'?"),
        (["export", "card.json", "--to", "sheet", "--out", "s.png"], "name it s.html, or use --to png"),
        (["export", "card.json", "--to", "sql", "--set", "dialect"], "write it as NAME=VALUE"),
        (["export", "card.json", "--to", "sql", "--set", "dialec=x"], "did you mean 'dialect'"),
        (["export", "card.json", "--to", "sql", "--set", "dialect=3"], "dialect is '3'; known: bigquery"),
        (["export", "card.json", "--to", "sql", "--set", "decimals=x"], "decimals is 'x'; give a whole"),
        (["export", "card.json", "--to", "sql", "--set", "decimals=16"], "decimals is 16; give a whole"),
        (["export", "card.json", "--to", "sql", "--set", "quoted=maybe"], "quoted is 'maybe'; give true or"),
        (["export", "card.json", "--to", "xlsx", "--set", "rows=x"], "rows is 'x'; give a whole number"),
        (["export", "card.json", "--to", "xlsx", "--set", "rows=-5"], "rows is -5; give a whole number"),
        (["export", "card.json", "--to", "xlsx", "--set", "rows=2000000"], "from 0 to 1048575, which is"),
        (["export", "card.json", "--to", "xlsx", "--set", "people=3"], "only Python can give; remove it"),
        (["export", "card.json", "--to", "text", "--set", "style=3"], "style"),
        (["export", "card.json", "--to", "sheet", "--set", "paper=3"], "paper"),
        (["export", "card.json", "--to", "png", "--json"], "png is a binary format; name a file: --out"),
        (["explain", "card.json", "tiny.csv", "--row", "7"], "--row is 7; tiny.csv has rows 1 to 6"),
        (["explain", "card.json", "63"], "'63' is neither a file nor a value; write values as"),
        (["explain", "card.json", "age=old"], "column 'age' is 'old'; enter a number"),
        (["evaluate", "card.json", "tiny.csv", "--target", "age"], "uses 'age', so it cannot be the target"),
        (["evaluate", "card.json", "tiny.csv", "--target", "fever"], "the target 'fever' is '0'; the"),
        (["evaluate", "card.json", "tiny.csv", "--target", "ill", "--calibrate", "x"], "--calibrate is 'x'"),
        (["evaluate", "card.json", "tiny.csv", "--target", "ill", "--by", "sex"], "no column 'sex'"),
        (["check"], "name a settings file, or use --schema"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_2(run, tiny, tmp_path, arguments, message):
    ScoringSystem.of([item("age", points=1)], above=3).save(tmp_path / "card.json")
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    complaints = [line for line in done.stderr.splitlines() if line.startswith("supersparse: ")]
    assert len(complaints) == 1
    assert message in complaints[0]


@pytest.mark.parametrize(
    "arguments", [["fit", "nofile.csv", "--target", "y"], ["fit", "tiny.csv"], ["nonsense"], ["fit", "--nonsense"]]
)
@pytest.mark.usefixtures("tiny")
def test_wrong_use_is_exit_code_2(run, arguments):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SolverFailedError("it\nbroke"), 1),
        (OSError("it\nbroke"), 1),
        (PackageNotInstalledError("it\nbroke"), 3),
        (InfeasibleError("it\nbroke"), 4),
    ],
)
def test_a_failure_is_one_line_and_an_exit_code_of_its_own(run, tiny, monkeypatch, error, code):
    def solve(*_, **__):
        raise error

    monkeypatch.setattr("supersparse.learn.recipe.solve", solve)
    done = run("fit", tiny, *FIT)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.endswith("supersparse: it\\nbroke\n")


def test_a_settings_file_without_folds_is_refused_by_trade_off_before_the_table_is_read(run, tmp_path):
    (tmp_path / "wishes.yaml").write_text("validate: false\n")
    done = run("trade-off", "not-read.csv", *FIT, "--settings", "wishes.yaml")
    assert done.returncode == 2
    assert "wishes.yaml: validate is false, but trade-off needs folds; remove it" in done.stderr


def test_what_nothing_obeys_is_exit_code_4(run, tiny, tmp_path):
    (tmp_path / "settings.yaml").write_text("constraints: [must_use: age, must_not_use: age]\n")
    done = run("fit", tiny, *FIT, "--settings", "settings.yaml")
    assert (done.returncode, done.stdout) == (4, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "tiny.csv", *FIT],
        ["fit", "tiny.csv", *FIT, "--cv", "3", "--frontier", "1"],
        ["predict", "card.json", "tiny.csv"],
        ["evaluate", "card.json", "tiny.csv", "--target", "ill"],
        ["explain", "card.json", "age=3"],
        ["export", "card.json", "--to", "python"],
        ["frontier", "tiny.csv", *FIT],
        ["pool", "tiny.csv", *FIT],
        ["check", "settings.yaml"],
        ["solvers"],
        ["doctor"],
        ["demo", "--time-limit", "2"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.usefixtures("tiny")
def test_json_is_one_document_and_quiet_says_nothing_else(run, tmp_path, arguments):
    ScoringSystem.of([item("age", points=1)], above=3).save(tmp_path / "card.json")
    (tmp_path / "settings.yaml").write_text("C0: 0.1\n")
    done = run(*arguments, "--json", check=True)
    assert json.loads(done.stdout)
    quiet = run(*arguments, "--json", "--quiet", check=True)
    assert json.loads(quiet.stdout)
    assert quiet.stderr == ""
    assert run(*arguments, "--quiet", check=True).stderr == ""


def test_solvers_lists_what_is_installed(run):
    done = run("solvers", check=True)
    listed = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()[1:]}
    assert listed["exhaustive"] == "yes"
    assert listed["highs"] == "yes"
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert {s["name"] for s in json.loads(run("solvers", "--json").stdout)} == set(listed)
