"""`supersparse report` as a user meets it: files, defaults, refusals, and Ctrl-C."""

import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from contextlib import chdir
from fractions import Fraction

import numpy as np
import pytest
from typer.testing import CliRunner

from programs import needs
from show.report.small import read_page
from supersparse import Problem, ScoringSystem, item, solve
from supersparse.card.rules import Domain
from supersparse.datasets import load_breast_cancer
from supersparse.errors import InvalidInputError, PackageNotInstalledError
from supersparse.show.cli import report
from supersparse.show.cli.app import app
from supersparse.show.cli.progress import steps
from supersparse.show.report.plan import Step

COMMAND = [sys.executable, "-c", "from supersparse.show.cli.app import main; main()"]
QUICK = ["--cv", 2, "--n-ratios", 1, "--bootstrap", 2, "--larger", 1]


def run(*arguments, cwd):
    """Run the command in this process, which has loaded everything already."""
    with chdir(cwd):
        return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A third of the breast cancer data as a file, with a column of groups and one of weights, and a card."""
    place = tmp_path_factory.mktemp("report")
    data = load_breast_cancer()
    lines = [",".join([*data.feature_names, "diagnosis", "site", "weight"])]
    X, labels = data.X[::3], data.labels[::3]
    for i, (row, label) in enumerate(zip(X.tolist(), labels.tolist(), strict=True)):
        lines.append(",".join(map(str, [*row, label, "north" if i % 2 else "south", 1 + i % 2])))
    (place / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    problem = Problem.of(X, labels, feature_names=data.feature_names, C0=0.02, max_points=4)
    ScoringSystem.from_solution(solve(problem), title="diagnosis").save(place / "card.json")
    return place


def test_a_page_is_written_and_its_numbers_are_those_of_the_card(folder):
    done = run("report", "card.json", "rows.csv", "--by", "site", *QUICK, cwd=folder)
    assert (done.exit_code, done.stdout) == (0, "Saved to card-report.html\n")
    assert "cross-validation: fold 1 of 4" in done.stderr
    page = read_page((folder / "card-report.html").read_text(encoding="utf-8"))
    made = ScoringSystem.load(folder / "card.json").card.provenance
    (claims,) = [rows for caption, rows in page.tables.items() if caption.startswith("The card's claims")]
    assert claims[1] == ["objective", str(made.objective), str(made.objective), "yes"]
    assert [row[0] for row in page.tables["By site"]] == ["group", "north", "south", "all rows"]


@pytest.mark.long
def test_the_report_lies_beside_the_card_wherever_one_stands(folder, tmp_path, monkeypatch):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "card.json").write_bytes((folder / "card.json").read_bytes())
        done = run("report", f"{name}/card.json", folder / "rows.csv", "--no-refits", cwd=tmp_path)
        assert done.stdout.splitlines()[0] == f"Saved to {name}/card-report.html".replace("/", os.sep)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]
    assert (tmp_path / "one" / "card-report.html").exists()


def test_the_report_says_how_to_repeat_it(folder):
    asked = ["--by", "site", "--seed", "3", "--time-limit", "inf", "--no-refits"]
    done = run("report", "card.json", "rows.csv", *asked, "--out", "again.html", cwd=folder)
    assert done.exit_code == 0, done.output
    page = read_page((folder / "again.html").read_text(encoding="utf-8"))
    made_from = {row[0]: row[1] for row in page.tables["What this report was made from"][1:]}
    again = shlex.split(made_from["command"])
    assert again[:2] == ["supersparse", "report"]
    assert sorted(again[2:]) == sorted(["card.json", "rows.csv", *asked])
    digest = hashlib.sha256((folder / "card.json").read_bytes()).hexdigest()
    assert made_from["card"] == f"sha256:{digest}"
    assert (made_from["seed"], made_from["time limit"]) == ("3", "none")
    before = (folder / "again.html").read_bytes()
    run(*again[1:], "--out", "again.html", cwd=folder)
    assert (folder / "again.html").read_bytes() == before


def test_a_live_line_shows_the_share_of_the_time_and_what_is_left(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with steps() as live:
        assert "reading" in live._line()
        live(Step(text="bootstrap: sample 5 of 10", seconds=1000.0, left=3000.0))
        assert live._line().startswith("[#####---------------] bootstrap: sample 5 of 10 (16 min 4")
        assert live._line().endswith(" left)")


def test_without_a_browser_a_pdf_is_refused_before_any_work(folder, monkeypatch):
    monkeypatch.setattr(report, "browser", lambda: None)
    for asked in (["--pdf"], ["--out", "a.pdf"]):
        done = run("report", "card.json", "rows.csv", "--no-refits", *asked, cwd=folder)
        assert isinstance(done.exception, PackageNotInstalledError)
        assert f"{' '.join(asked)}: a PDF is printed by a browser" in str(done.exception)


@needs("Chromium")
def test_a_browser_prints_the_page(folder):
    done = run("report", "card.json", "rows.csv", "--no-refits", "--pdf", cwd=folder)
    assert (done.exit_code, done.stdout) == (0, "Saved to card-report.html\nSaved to card-report.pdf\n")
    assert (folder / "card-report.pdf").read_bytes().startswith(b"%PDF")


def test_json_names_the_files_and_what_is_missing(folder):
    done = run(
        "report", "card.json", "rows.csv", "--no-refits", "--weights", "weight", "--out", "a.html", "--json",
        cwd=folder,
    )  # fmt: skip
    said = json.loads(done.stdout)
    assert said["saved"] == ["a.html"]
    assert [reason.split(":")[0] for reason in said["missing"]] == [
        "the frontier of sizes", "cross-validation", "trade-offs", "stability", "theoretical bounds",
    ]  # fmt: skip
    assert "Rows are weighted" in (folder / "a.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "diagnose"], "no target column 'diagnose'; did you mean 'diagnosis'?"),
        (["--by", "Site"], "no column 'Site'; did you mean 'site'?"),
        (["--out", "report.doc"], "reports are .html or .pdf"),
        (["--out", "nowhere/r.html"], "the folder 'nowhere' does not exist"),
        (["--cv", "1"], "--cv is 1; give 2 or more folds"),
        (["--paper", "a5"], "paper is 'a5'"),
        (["--target", "UniformityOfCellSize"], "so it cannot be the target"),
    ],
)
def test_what_cannot_be_is_said(folder, arguments, message):
    done = run("report", "card.json", "rows.csv", "--no-refits", *arguments, cwd=folder)
    assert isinstance(done.exception, InvalidInputError)
    assert message in str(done.exception)


def test_a_refused_value_is_named_with_its_line(tmp_path):
    known = {"age": Domain(column="age", low=Fraction(18), high=Fraction(99), outside="refuse")}
    asks = [item("age", at_least=50, points=1)]
    strict = ScoringSystem.of(asks, threshold=1, classes=(0, 1), title="ill", domains=known)
    strict.save(tmp_path / "card.json")
    lines = [
        f"{'140' if k == 4 else age},{'' if k == 7 else 'a'},{int(age > 50)}" for k, age in enumerate(range(30, 70))
    ]
    (tmp_path / "outside.csv").write_text("\n".join(["age,group,ill", *lines]) + "\n")
    (tmp_path / "blank.csv").write_text("\n".join(["age,group,ill", *lines]).replace("140", "34") + "\n")
    asked = ("--target", "ill", "--no-refits", "--out", "r.html")
    done = run("report", "card.json", "outside.csv", *asked, cwd=tmp_path)
    assert "outside.csv: column 'age' is 140 in line 6, which is outside" in str(done.exception)
    done = run("report", "card.json", "blank.csv", "--cv-groups", "group", *asked, cwd=tmp_path)
    assert "blank.csv: the group column 'group' is blank in line 9; fill it in, or use" in str(done.exception)


def test_a_card_without_a_title_needs_a_target(folder):
    system = ScoringSystem.load(folder / "card.json")
    content = json.loads(system.to_json()) | {"title": None}
    content.pop("digest")  # of the card with its title
    (folder / "untitled.json").write_text(json.dumps(content), encoding="utf-8")
    done = run("report", "untitled.json", "rows.csv", cwd=folder)
    assert "name it with --target" in str(done.exception)


@pytest.mark.long
def test_text_that_looks_like_numbers_stays_text_when_learned_again(tmp_path):
    random = np.random.default_rng(0)
    codes, y = random.integers(1, 4, 120), []
    lines = ["code,outcome"]
    for code in codes.tolist():
        y.append("yes" if (code == 2) ^ (random.random() < 0.1) else "no")
        lines.append(f"{code},{y[-1]}")
    (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    fitted = run(
        "fit",
        "rows.csv",
        "--goal",
        "errors",
        "--target",
        "outcome",
        "--category",
        "code",
        "--out",
        "card.json",
        cwd=tmp_path,
    )
    assert fitted.exit_code == 0, fitted.output
    done = run("report", "card.json", "rows.csv", *QUICK, "--out", "r.html", cwd=tmp_path)
    assert done.exit_code == 0, done.output
    page = read_page((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert any(text.startswith("Confirmed: ") for text in page.texts)


@pytest.mark.long
def test_help_fits_80_columns_and_its_examples_run(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run("report", "--help", cwd=tmp_path).output
    assert max(map(len, text.splitlines())) <= 80
    examples = re.findall(r"^ +supersparse (.*)$", text.split("Example:")[1], re.MULTILINE)
    assert len(examples) == 3
    for example in examples:
        more = ["--cv", "2", "--n-ratios", "0", "--larger", "0", "--out", "r.html"] if "--by" in example else []
        done = run(*shlex.split(example), *more, cwd=tmp_path)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "quick.html").exists()


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_writes_the_report_with_what_is_there(folder):
    asked = ["--cv", "0", "--larger", "0", "--bootstrap", "100000", "--out", "stopped.html"]
    process = subprocess.Popen(
        [*COMMAND, "report", "card.json", "rows.csv", *asked],
        cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    for line in process.stderr:
        if line.startswith("bootstrap"):
            break
    time.sleep(0.5)  # Python loses an interrupt that comes while it frees the lock of an import
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert output == "Saved to stopped.html\n"
    assert "stopped by the user" in errors
    assert "stopped by the user" in (folder / "stopped.html").read_text(encoding="utf-8")
