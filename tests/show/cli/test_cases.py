"""Commands that use a saved card: predict, evaluate, explain, export."""

import csv
import json
from dataclasses import replace
from math import exp

import pytest

from card.export.people import drawn, finite, reference
from supersparse import ScoringSystem, item
from supersparse.card.cases import read_cases
from supersparse.card.risk import LogisticRisk
from supersparse.card.scoring import score_table
from supersparse.table.reading import Reading


@pytest.fixture
def system(tmp_path):
    made = ScoringSystem.of(
        [
            item("age", at_least=60, points=3, missing=1),
            item("smoker", equals="yes", points=2, missing=0),
            item("grade", equals=2, points=1),
            item("treated", equals=True, points=-1, missing=0),
        ],
        above=3,
        classes=("well", "ill"),
        domains={"smoker": ["yes", "no"]},
    )
    made.save(tmp_path / "card.json")
    return made


def test_any_card_scores_a_file_as_it_scores_people(tmp_path):
    for number, (card, _, group) in enumerate(drawn()):
        kept = [person for person in finite(group) if reference(card, person) is not None]
        if not kept:
            continue
        path = tmp_path / f"{number}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=",;\t|"[number % 4], lineterminator="\r\n"[number % 2 :])
            writer.writerow([*card.columns, "beside"])
            for person in kept:
                values = [person[name] for name in card.columns]
                writer.writerow([*("" if v is None or v != v else v for v in values), "anything"])
        cases = read_cases(path, Reading(missing=frozenset(), strips=False), card)
        scores = score_table(card, cases.columns)
        totals = [scores[row] + card.zero_total for row in range(len(kept))]
        assert totals == [reference(card, person) for person in kept]


def test_texts_that_a_card_names_are_not_missing(run, tmp_path):
    system = ScoringSystem.of(
        [item("country", equals="NA", points=1, missing=0), item("unit", equals=" kg", points=2, missing=0)], above=0
    )
    system.save(tmp_path / "card.json")
    (tmp_path / "data.csv").write_text("country,unit\nNA, kg\nNaN,kg\n,\n")
    done = run("predict", "card.json", "data.csv", check=True)
    assert done.stdout == "total,prediction\n3,yes\n0,no\n0,no\n"
    assert run("predict", "card.json", "data.csv", "--na", "NA", check=True).stdout == done.stdout


TABLE = (
    "\ufeffid;age;smoker;grade;treated;outcome;sex\r\n1;71;yes;2;true;ill;f\r\n2;;no;1;false;well;m\r\n"
    "3;40;yes;2;;well;f\r\n4;65;?;2;false;ill;m\r\n"
)
PEOPLE = [
    {"age": 71, "smoker": "yes", "grade": 2, "treated": True},
    {"age": None, "smoker": "no", "grade": 1, "treated": False},
    {"age": 40, "smoker": "yes", "grade": 2, "treated": None},
    {"age": 65, "smoker": None, "grade": 2, "treated": False},
]
CLASSES = ["ill", "well", "well", "ill"]


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(TABLE.encode())
    return path


def test_predict_scores_text_categories_and_gaps_by_the_rules_of_the_card(run, system, people):
    done = run("predict", "card.json", people, "--na", "?", "--with", "id", check=True)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["id"] for row in rows] == ["1", "2", "3", "4"]
    assert [int(row["total"]) for row in rows] == [system.total(person) for person in PEOPLE]
    assert [row["prediction"] for row in rows] == [system.predict(person) for person in PEOPLE]
    assert "cells are separated by semicolons" in done.stderr
    document = json.loads(run("predict", "card.json", people, "--na", "?", "--with", "id", "--json").stdout)
    assert document == [row | {"total": int(row["total"])} for row in rows]
    assert run("predict", "card.json", "-", "--na", "?", "--with", "id", stdin=TABLE.encode()).stdout == done.stdout


def test_predict_says_what_the_card_has_not_seen(run, system, people):
    done = run("predict", "card.json", people, check=True)
    assert "note: column 'smoker': '?' (1 row) is outside the training data" in done.stderr


def test_predict_gives_risks_where_the_card_has_them(run, system, people, tmp_path):
    rows = {name: [person[name] for person in PEOPLE] for name in PEOPLE[0]}
    system.recalibrate(rows, CLASSES).save(tmp_path / "card.json")
    run("predict", "card.json", people, "--na", "?", "--out", "scores.csv", check=True)
    with (tmp_path / "scores.csv").open(newline="") as file:
        risks = [float(row["risk"]) for row in csv.DictReader(file)]
    assert risks == ScoringSystem.load(tmp_path / "card.json").predict_risk(rows).tolist()


def test_predict_adds_reason_codes(run, system, people):
    done = run("predict", "card.json", people, "--na", "?", "--reasons", "2", "--json", check=True)
    rows = {name: [person[name] for person in PEOPLE] for name in PEOPLE[0]}
    expected = system.reasons(rows, most=2).table()
    names = ("reason_1", "cost_1", "reason_2", "cost_2")
    assert [{name: row[name] for name in names} for row in json.loads(done.stdout)] == expected
    assert expected[0]["cost_1"] >= expected[0]["cost_2"] > 0


def test_a_card_without_items_predicts_for_every_row(run, people, tmp_path):
    ScoringSystem.of([], above=0).save(tmp_path / "card.json")
    assert run("predict", "card.json", people, check=True).stdout.splitlines()[1:] == ["0,no"] * 4


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("age", "Age", "no column 'age', which the scoring system needs; did you mean 'Age'?"),
        ("71", "old", "column 'age' has 1 non-numeric value: 'old' (1), the first in line 2; treat as missing with"),
        (";2;true", ";;true", "column 'grade'"),
    ],
)
@pytest.mark.usefixtures("system")
def test_what_cannot_be_scored_is_named(run, people, old, new, message):
    people.write_text(TABLE.replace(old, new))
    done = run("predict", "card.json", people)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.usefixtures("system")
def test_predict_does_not_overwrite_its_inputs(run, people):
    done = run("predict", "card.json", people, "--out", people)
    assert done.returncode == 2
    assert "would overwrite" in done.stderr


def test_evaluate_says_what_the_library_finds(run, system, people):
    rows = {name: [person[name] for person in PEOPLE] for name in PEOPLE[0]}
    arguments = ["evaluate", "card.json", people, "--target", "outcome", "--na", "?", "--by", "sex"]
    document = json.loads(run(*arguments, "--json", check=True).stdout)
    found = system.evaluate(rows, CLASSES)
    assert document["evaluation"] == found.cells()
    assert document["risk"] == system.risk(rows, CLASSES).table()
    assert document["thresholds"] == found.thresholds.table()
    assert document["by"]["sex"] == system.by_subgroup(rows, CLASSES, ["f", "m", "f", "m"]).table() or [
        row["sex"] for row in document["by"]["sex"]
    ] == ["f", "m", "all"]
    text = run(*arguments, check=True).stdout
    assert text.startswith(found.in_words())
    assert "By sex:" in text


def test_evaluate_weighs_rows(run, system, people):
    weighted = TABLE.replace("sex", "w").replace(";f\r", ";2\r")
    people.write_text(weighted.replace(";m\r", ";0.5\r"))
    rows = {name: [person[name] for person in PEOPLE] for name in PEOPLE[0]}
    arguments = ["evaluate", "card.json", people, "--target", "outcome", "--na", "?", "--weights", "w", "--json"]
    expected = system.evaluate(rows, CLASSES, sample_weight=[2, 0.5, 2, 0.5])
    assert json.loads(run(*arguments, check=True).stdout)["evaluation"] == expected.cells()
    people.write_text(weighted.replace(";m\r", ";\r"))
    said = "the weight column 'w' has 2 missing value(s), the first in line 3; give every row a weight"
    assert said in run(*arguments).stderr
    people.write_text(weighted.replace(";m\r", ";-2\r"))
    assert "the weight column 'w' is -2 in line 3; give every row a weight of 0" in run(*arguments).stderr
    people.write_text(weighted.replace(";m\r", ";heavy\r"))
    assert "weights are numbers of 0 or more; name another column" in run(*arguments).stderr


@pytest.mark.usefixtures("system")
def test_evaluate_leaves_out_rows_without_a_class(run, people):
    people.write_text(TABLE.replace(";well;m", ";;m"))
    done = run("evaluate", "card.json", people, "--target", "outcome", "--na", "?", "--json", check=True)
    assert json.loads(done.stdout)["evaluation"]["n"] == 3
    assert "1 row skipped: the target 'outcome' is blank" in done.stderr


def test_explain_gives_points_and_flips(run, system, people):
    from_values = run("explain", "card.json", "age=71", "smoker=yes", "grade=2", "treated=TRUE", "--json", check=True)
    from_row = run("explain", "card.json", people, "--row", "1", "--json", check=True)
    assert from_values.stdout == from_row.stdout
    document = json.loads(from_row.stdout)
    explained = system.explain(PEOPLE[0])
    assert [reason["points"] for reason in document["reasons"]] == [r.points for r in explained.reasons]
    assert (document["total"], document["threshold"], document["prediction"]) == (5, 4, "ill")
    flips = system.flips(PEOPLE[0], most=3)
    assert [set(flip["changes"]) for flip in document["flips"]] == [{c.column for c in f.changes} for f in flips]
    text = run("explain", "card.json", people, check=True).stdout
    assert "Predicted: ill (the total is 5; ill needs 4 or more)" in text
    assert "The smallest changes that lead to well:" in text


@pytest.mark.parametrize("asks", ["known", "high"])
def test_explain_shows_a_value_with_a_limit_as_it_is_written(run, tmp_path, asks):
    lines = []
    for k in range(90):
        value = "<3,0" if k % 9 == 0 else f"{4 + k % 7},5"
        ill = value != "<3,0" and k % 7 > 3
        if asks == "known":
            value, ill = "" if k % 3 == 1 else value, k % 3 == 1 and k % 4 > 0
        lines.append(f"{value};{int(ill)}")
    (tmp_path / "rows.csv").write_text("HbA1c;ill\n" + "\n".join(lines) + "\n")
    learned = ["--C0", "0.05", "--max-features", "1", "--no-validate", "--out", "hba1c.json"]
    run("fit", "rows.csv", "--goal", "errors", "--target", "ill", *learned, check=True)
    typed = run("explain", "hba1c.json", "HbA1c=<3,0", check=True)
    from_file = run("explain", "hba1c.json", "rows.csv", "--row", "1", check=True)
    piped = run("explain", "hba1c.json", "-", "--row", "1", stdin=(tmp_path / "rows.csv").read_bytes(), check=True)
    assert typed.stdout == from_file.stdout == piped.stdout
    assert "<3,0  0\n" in typed.stdout
    assert "outside the training data" not in typed.stderr
    assert "outside the training data" in run("explain", "hba1c.json", "HbA1c=14", check=True).stderr
    assert "outside the training data" not in run("explain", "hba1c.json", "HbA1c=5,5", check=True).stderr


def test_explain_gives_the_risk_of_a_card_with_risks_before_and_after_a_change(run, system, people, tmp_path):
    risk = LogisticRisk(slope=1, offset=-4)
    ScoringSystem(replace(system.card, risk=risk)).save(tmp_path / "card.json")
    document = json.loads(run("explain", "card.json", people, "--json", check=True).stdout)
    assert document["risk"] == pytest.approx(1 / (1 + exp(-1)))  # a total of 5
    after = [1 / (1 + exp(-(flip["total"] - 4))) for flip in document["flips"]]
    assert [flip["risk"] for flip in document["flips"]] == pytest.approx(after)
    text = run("explain", "card.json", people, check=True).stdout
    assert "Risk of ill: 73 %" in text
    assert f"(risk {100 * after[0]:.0f} %)" in text


def test_explain_keeps_fixed_columns_and_takes_blanks_for_missing(run, system):
    words = ["age=", "smoker=no", "grade=2", "treated="]
    done = run("explain", "card.json", *words, "--fixed", "age", "--json", check=True)
    assert all("age" not in flip["changes"] for flip in json.loads(done.stdout)["flips"])
    assert json.loads(done.stdout)["reasons"][0]["missing"]
    assert "age: missing -> 60" in run("explain", "card.json", *words, check=True).stdout


def test_explain_says_which_values_are_outside_the_training_data(run, system):
    done = run("explain", "card.json", "age=71", "smoker=perhaps", "grade=2", "treated=", check=True)
    assert system.outside({"age": [71], "smoker": ["perhaps"], "grade": [2], "treated": [None]})
    assert "note: column 'smoker': 'perhaps' (1 row) is outside the training data" in done.stderr


def test_explain_takes_and_gives_the_words_of_the_card(run, system, tmp_path):
    answers = {"yes": "smokes", "no": "yes"}  # the value yes is meant by yes, whatever words it is
    words = {"smoker": {"label": "Habit", "answers": answers}, "treated": {"answers": {True: "healed"}}}
    system.worded({"columns": words}).save(tmp_path / "card.json")
    rest = ("age=71", "grade=2", "--json")
    totals = {
        said: json.loads(run("explain", "card.json", *said, *rest, check=True).stdout)["total"]
        for said in (
            ("smoker=yes", "treated=true"),
            ("smoker=smokes", "treated=healed"),
            ("smoker=no", "treated=false"),
        )
    }
    assert list(totals.values()) == [5, 5, 4]
    text = run("explain", "card.json", "smoker=smokes", "treated=healed", *rest[:2], check=True).stdout
    assert "  Habit: smokes?    smokes   2\n" in text
    assert "Habit: smokes -> yes" in text


def test_a_name_may_hold_the_sign(run, tmp_path):
    ScoringSystem.of([item("a=b", points=1)], above=1).save(tmp_path / "card.json")
    assert json.loads(run("explain", "card.json", "a=b=3", "--json", check=True).stdout)["total"] == 3


@pytest.mark.parametrize(
    "target",
    ["python", "sql", "javascript", "pmml", "text", "markdown", "html", "latex", "svg", "json", "sheet", "calculator"],
)
def test_exports_are_those_of_the_library(run, system, tmp_path, target):
    done = run("export", "card.json", "--to", target, check=True)
    run("export", "card.json", "--to", target, "--out", "made", check=True)
    written = (tmp_path / "made").read_text(encoding="utf-8")
    assert done.stdout == written.removesuffix("\n") + "\n"
    if target in ("python", "sql", "javascript", "pmml"):
        assert written == system.export(target)


@pytest.mark.parametrize(
    ("target", "start"), [("xlsx", b"PK"), ("onnx", b""), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("sheet-pdf", b"%PDF")]
)
@pytest.mark.usefixtures("system")
def test_exports_of_bytes_need_a_file(run, tmp_path, target, start):
    pytest.importorskip(
        "matplotlib" if target in ("png", "pdf", "sheet-pdf") else {"xlsx": "xlsxwriter"}.get(target, "onnx")
    )
    run("export", "card.json", "--to", target, "--out", "made", check=True)
    assert (tmp_path / "made").read_bytes().startswith(start)


@pytest.mark.usefixtures("system")
def test_options_of_an_export_are_passed_on(run):
    assert "duckdb" not in run("export", "card.json", "--to", "sql").stdout
    text = run("export", "card.json", "--to", "sql", "--set", "dialect=duckdb", "--set", "gives=total").stdout
    assert text == ScoringSystem.load("card.json").export("sql", dialect="duckdb", gives="total") + "\n"
    plain = run("export", "card.json", "--to", "sql", "--set", "quoted=False", "--set", "table=3").stdout
    assert plain == ScoringSystem.load("card.json").export("sql", quoted=False, table="3") + "\n"
    query = ["--set", "table=3", "--set", "gives=all", "--set", "keep=3"]
    text = run("export", "card.json", "--to", "sql", *query).stdout
    assert text == ScoringSystem.load("card.json").export("sql", table="3", gives="all", keep=["3"]) + "\n"
    done = run("export", "card.json", "--to", "html", "--set", "size=3")
    assert "'html' has no option 'size'" in done.stderr
