"""A settings file that holds the whole way gives the card that the options give; options override it."""

import inspect
import json

import pytest

from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.settings import settings as sections
from supersparse.show.cli.options import ColumnOptions, FeatureOptions, TableOptions, ValidationOptions


def row(k):
    age, value = 20 + 7 * k % 60, k % 9
    dose, ill = "-1,5" if k % 11 == 0 else f"{k % 5},5", "ja" if age >= 40 and value >= 3 else "nein"
    return f"{age};{value};{dose};{ill};{k}\n"


OPTIONS = [
    *("--target", "krank", "--positive", "ja", "--drop", "nummer", "--decimal", ",", "--direction", "alter=+"),
    *("--cut-points", "alter=40,61;wert=3", "--per-variable", "all", "--units", "alter=Jahre"),
    *("--max-cuts", "3", "--max-features", "2", "--C0", "0.02", "--max-points", "3", "--no-validate"),
]
FILE = """
positive: ja
C0: 0.02
max_features: 2
max_points: 3
table: {target: krank, drop: nummer, na: "-1,5", decimal: ","}
prepare:
  cut_points: {alter: [40, 61], wert: [3]}
  per_variable: null
  direction: {alter: +}
  units: {alter: Jahre}
  max_cuts: 3
validate: false
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(map(row, range(90)))
    path.write_text("alter;wert;dosis;krank;nummer\n" + rows, encoding="utf-8")
    return path


def learned(run, tmp_path, table, *words):
    run("fit", str(table), "--goal", "errors", *words, "--out", str(tmp_path / "card.json"), check=True)
    return json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))


def test_a_section_says_the_same_as_options(run, tmp_path, table):
    (tmp_path / "s.yaml").write_text(FILE, encoding="utf-8")
    by_file = learned(run, tmp_path, table, "--settings", str(tmp_path / "s.yaml"))
    # a word with a comma cannot be said on the command line
    (tmp_path / "na.yaml").write_text('table: {na: "-1,5"}', encoding="utf-8")
    by_options = learned(run, tmp_path, table, *OPTIONS, "--settings", str(tmp_path / "na.yaml"))
    assert by_file["items"] == by_options["items"]
    assert by_file["threshold"] == by_options["threshold"]
    assert "Jahre" in json.dumps(by_file)


def test_options_override_the_file_and_say_so(run, tmp_path, table):
    (tmp_path / "s.yaml").write_text(FILE, encoding="utf-8")
    words = ("--cut-points", "alter=50", "--target", "krank", "--time-limit", "5", "--max-features", "1")
    done = run("fit", str(table), "--goal", "errors", "--settings", str(tmp_path / "s.yaml"), *words, check=True)
    for name in ("cut_points", "target", "max_features"):
        assert f"--{name.replace('_', '-')} overrides {name} in" in done.stderr
    assert "50" in done.stdout


def test_an_option_that_turns_something_off_overrides_the_file(run, tmp_path, table):
    (tmp_path / "s.yaml").write_text("C0: 0.1\nprepare: {intervals: true}\nvalidate: false\n")
    words = (
        "fit",
        str(table),
        "--goal",
        "errors",
        "--settings",
        "s.yaml",
        "--target",
        "krank",
        "--drop",
        "nummer",
        "--json",
    )
    both, less = (run(*words, *more, check=True) for more in ((), ("--no-intervals",)))
    assert "note: --no-intervals overrides intervals in s.yaml" in less.stderr
    offered = [json.loads(done.stdout)["card"]["provenance"]["features"] for done in (both, less)]
    assert [any(name.count("<") > 1 for name in names) for names in offered] == [True, False]


def test_edits_of_a_file_change_the_card_and_are_kept_with_it(run, tmp_path, table):
    (tmp_path / "s.yaml").write_text(FILE, encoding="utf-8")
    card = learned(run, tmp_path, table, "--settings", str(tmp_path / "s.yaml"))
    assert [item["points"] for item in card["items"]] == [1, 1]
    edits = """
edits:
  - points: {question: "alter >= 40", to: 3}
    reason: three is easier
    at: "2026-01-01T00:00:00Z"
  - threshold: 3
"""
    (tmp_path / "s.yaml").write_text(FILE + edits, encoding="utf-8")
    changed = learned(run, tmp_path, table, "--settings", str(tmp_path / "s.yaml"))
    kept = changed["provenance"]["edits"]
    assert [edit["reason"] for edit in kept] == ["three is easier", ""]
    assert kept[0]["at"] == "2026-01-01T00:00:00Z"
    assert sorted(item["points"] for item in changed["items"]) == [1, 3]
    assert changed["threshold"] == 3


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ('{drop: "nothing"}', "edits, entry 1: question: 'nothing' is not among those of the table; known: "),
        ('{drop: "alter >= 4"}', "is not among those of the table; did you mean 'alter >= 40'?"),
        ('{points: {question: "alter >= 40", to: 0.5}}', "points: '1/2' are not allowed; give a whole number"),
        ('{swap: {question: "alter >= 40", for: "alter >= 40"}}', "'alter >= 40' is on the card already"),
        ('{cut: {question: "nothing", to: 4}}', "question: 'nothing' is not among those of the table"),
        ('{drop: "a", threshold: 2}', "has 2 changes; give one of points, drop"),
        ("{reason: why}", "has 0 changes; give one of points, drop"),
    ],
)
def test_an_edit_that_makes_no_sense_is_refused_before_learning(run, tmp_path, table, edit, told, monkeypatch):
    monkeypatch.setattr("supersparse.show.cli.training.fit_with_progress", None)
    (tmp_path / "s.yaml").write_text(FILE + f"edits:\n  - {edit}\n", encoding="utf-8")
    done = run("fit", str(table), "--goal", "errors", "--settings", str(tmp_path / "s.yaml"))
    assert done.returncode == 2
    assert told in done.stderr


@pytest.mark.parametrize("others", ["", '  - points: {question: "alter >= 40", to: 3}\n'])
def test_an_edit_that_does_not_fit_the_card_leaves_it_as_learned(run, tmp_path, table, others):
    (tmp_path / "s.yaml").write_text(FILE, encoding="utf-8")
    plain = learned(run, tmp_path, table, "--settings", str(tmp_path / "s.yaml"))
    (tmp_path / "s.yaml").write_text(f'{FILE}edits:\n{others}  - drop: "alter >= 61"\n', encoding="utf-8")
    done = run(
        "fit",
        str(table),
        "--goal",
        "errors",
        "--settings",
        str(tmp_path / "s.yaml"),
        "--out",
        str(tmp_path / "new.json"),
    )
    assert done.returncode == 2
    assert "Predict ja if the total is" in done.stdout
    assert json.loads((tmp_path / "new.json").read_text(encoding="utf-8"))["items"] == plain["items"]
    assert done.stderr.splitlines()[-1] == (
        "supersparse: the card above is as it was learned, without edits: edits, entry "
        f"{2 if others else 1}: question: 'alter >= 61' is not on the card; its questions are "
        "'alter >= 40', 'wert >= 3'"
    )


def test_an_edit_may_name_what_an_earlier_one_put_on_the_card(run, tmp_path, table):
    edits = """
edits:
  - swap: {question: "alter >= 40", for: "alter >= 61"}
  - cut: {question: "alter >= 61", to: 50}
  - points: {question: "alter >= 50", to: 2}
  - drop: "wert >= 3"
  - add: {question: "wert >= 3", points: 1}
"""
    (tmp_path / "s.yaml").write_text(FILE + edits, encoding="utf-8")
    card = learned(run, tmp_path, table, "--settings", str(tmp_path / "s.yaml"))
    assert len(card["provenance"]["edits"]) == 5


OF_QUESTIONS = """
goal: risk
max_questions: 2
teacher: none
constraints: [{must_use: alter}]
edits:
"""


def test_edits_of_a_card_of_questions_say_what_each_costs(run, tmp_path, table):
    edits = """
  - points: {question: alter, to: [0, 7]}
    reason: seven is lucky
  - cut: {question: alter, to: 50}
  - points: {question: alter, answer: 2, to: 9}
"""
    (tmp_path / "s.yaml").write_text(OF_QUESTIONS + edits + "prepare: {cut_points: {alter: [40]}}\n", encoding="utf-8")
    words = ("fit", str(table), "--settings", "s.yaml", "--target", "krank", "--drop", "nummer", "--no-validate")
    done = run(*words, "--out", "card.json", check=True)
    card = json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))
    assert [edit["change"] for edit in card["provenance"]["edits"]] == [
        next(line for line in done.stderr.splitlines() if "points of 'alter' from" in line).split(": ")[1],
        "cut of 'alter' moved from 40 to 50",
        "points of 'alter' from 0/7 to 0/9",
    ]
    assert "cut of 'alter' moved from 40 to 50: log loss " in done.stderr
    assert [item["points"] for item in card["items"] if item["column"] == "alter"] == [9]
    (tmp_path / "s.yaml").write_text(OF_QUESTIONS + "  - threshold: 3\n", encoding="utf-8")
    done = run(*words)
    assert done.returncode == 2
    assert "edits, entry 1: threshold: '3' cannot be set on a card of risks; set risk_threshold instead" in done.stderr


def test_a_thing_has_one_name_in_python_in_the_file_and_on_the_command_line():
    groups = (ColumnOptions, TableOptions, FeatureOptions, ValidationOptions)
    options = {name for group in groups for name in group.SETTINGS}
    in_files_only = {"rare"}
    for section in (sections.TABLE, sections.PREPARE, sections.VALIDATE):
        assert set(section.fields) - in_files_only <= options
    assert set(sections.PREPARE.fields) <= set(inspect.signature(Prepare).parameters)
    # --no-prepare switches the whole section off
    assert set(FeatureOptions.SETTINGS) == (set(sections.PREPARE.fields) | {"prepare"}) - in_files_only


def test_levels_in_order_are_listed_in_the_file_or_on_the_command_line(run, tmp_path):
    rows = "".join(f"{k % 4},{'no' if k % 4 < 2 else 'yes'}\n" for k in range(80))
    (tmp_path / "t.csv").write_text(f"grade,ill\n{rows}")
    words = ["fit", "t.csv", "--goal", "errors", "--target", "ill", "--no-validate", "--C0", "0.1"]
    refused = run(*words, "--category", "grade", "--direction", "grade=+")
    assert "ordered={'grade': [lowest, ..., highest]}, or --order grade=lowest,...,highest" in refused.stderr
    (tmp_path / "s.yaml").write_text("prepare: {ordered: {grade: [0, 1, 2, 3]}, rare: 0.05}\n")
    done = run(*words, "--settings", "s.yaml", "--direction", "grade=+", "--out", "card.json", check=True)
    assert "grade: 4 levels in order" in done.stderr
    (item,) = json.loads((tmp_path / "card.json").read_text())["items"]
    assert sorted(item["values"]) == ["2", "3"]
    (tmp_path / "s.yaml").write_text("prepare: {rare: 0.05}\n")
    more = ("--settings", "s.yaml", "--order", "grade=0, 1,2,3", "--direction", "grade=+", "--out", "same.json")
    run(*words, *more, check=True)
    assert json.loads((tmp_path / "same.json").read_text())["items"] == [item]
    assert "--order of 'grade' is" in run(*words, "--order", "grade=0").stderr
    assert run("predict", "card.json", "t.csv", check=True).stdout.startswith("total,prediction\n0,no\n0,no\n1,")
