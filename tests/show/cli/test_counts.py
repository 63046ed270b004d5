"""`counts`, and `fit` on the counts of several sites."""

import json
import re

import numpy as np
import pytest

from supersparse import ScoringSystem
from supersparse.learn.counts import pooled
from supersparse.learn.prepare.questions import Questions
from supersparse.table.reading import Reading

QUICK = ["--C0", "0.02", "--max-points", "5", "--no-validate"]
ASK = ["--target", "state", "--candidates", "5"]


@pytest.fixture
def hospitals(tmp_path):
    """Two files of one clinic each, the second as Europeans write them; and all rows in one."""
    draw = np.random.default_rng(1)
    age, bmi = draw.integers(20, 90, 500), draw.normal(27, 4, 500).round(1)
    smoker = draw.choice(["yes", "no", ""], 500, p=[0.3, 0.6, 0.1])
    ill = draw.random(500) < 0.05 + 0.6 * (age >= 60) + 0.3 * (smoker == "yes")
    rows = [f"{a},{b},{s},{'ill' if y else 'well'}" for a, b, s, y in zip(age, bmi, smoker, ill, strict=True)]
    head = "age,bmi,smoker,state"
    (tmp_path / "all.csv").write_text("\n".join([head, *rows]) + "\n")
    (tmp_path / "one.csv").write_text("\n".join([head, *rows[:300]]) + "\n")
    theirs = [row.replace(",", ";").replace(".", ",") for row in [head, *rows[300:]]]
    (tmp_path / "two.csv").write_text("\n".join(theirs) + "\n")
    return tmp_path


def counted(run, *more):
    run("counts", "one.csv", *ASK, *more, "--out", "1.csv", "--save-questions", "q.json", check=True)
    return run("counts", "two.csv", "--target", "state", "--questions", "q.json", *more, "--out", "2.csv", check=True)


def test_two_hospitals_learn_the_card_of_the_pooled_rows(run, hospitals):
    counted(run, "--at-least", "1")
    done = run("fit", "1.csv", "--goal", "errors", "2.csv", *QUICK, "--out", "card.json", check=True)
    assert "2 sites, 500 people, " in done.stderr
    assert "left out" not in done.stdout

    ask = ["--target", "state", "--questions", "q.json", "--at-least", "1"]
    run("counts", "all.csv", *ask, "--out", "3.csv", check=True)
    run("fit", "3.csv", "--goal", "errors", *QUICK, "--out", "pooled.json", check=True)
    card, expected = (ScoringSystem.load(hospitals / name).card for name in ("card.json", "pooled.json"))
    assert card.items
    assert card.items == expected.items
    assert card.provenance.objective == expected.provenance.objective == card.provenance.lower_bound
    assert card.performance == expected.performance

    # the errors that the card counts are those that it makes on the pooled rows
    found = json.loads(run("evaluate", "card.json", "all.csv", "--target", "state", "--json", check=True).stdout)
    wrong = card.performance[0].false_positives + card.performance[0].false_negatives
    assert found["evaluation"]["predicted_errors"] == wrong


def test_small_cells_are_said(run, hospitals):
    done = counted(run)
    assert "Cells of fewer than 5 people are left out: at most " in done.stdout
    assert done.stdout.strip() in (hospitals / "2.csv").read_text()
    table = pooled([hospitals / "1.csv", hospitals / "2.csv"])
    done = run("fit", "1.csv", "--goal", "errors", "2.csv", "--C0", "0.02", "--json", check=True)
    document = json.loads(done.stdout)
    assert document["left_out_at_most"] == table.left_out > 0
    assert document["cost_of_suppression"].startswith(f"At most {table.left_out} of at most ")
    assert {item["column"] for item in document["card"]["items"]} <= {"age", "bmi", "smoker"}


def test_a_card_from_whole_counts_is_judged_and_has_risks(run, hospitals):
    counted(run, "--at-least", "1")
    document = json.loads(run("fit", "1.csv", "--goal", "errors", "2.csv", "--C0", "0.02", "--json", check=True).stdout)
    assert document["cross_validation"]["folds"] == 10
    assert [one["on"] for one in document["card"]["performance"]] == ["training", "cross-validation"]
    assert "risk" in document["card"]
    assert "suppressed" not in document["card"]["provenance"]
    assert document["no_risks"] is None


@pytest.mark.parametrize("how", [(), ("--merge",)])
def test_where_people_are_hidden_no_risk_and_no_rate_is_told(run, hospitals, how):
    counted(run, *how)
    table = pooled([hospitals / "1.csv", hospitals / "2.csv"])
    gone = "merged" if how else "left_out"
    assert getattr(table, gone) > 0
    done = run("fit", "1.csv", "--goal", "errors", "2.csv", "--C0", "0.02", "--out", "card.json", check=True)
    for wrong in ("Risk (", "AUC   ", "Sensitivity", "Cross-validated"):
        assert wrong not in done.stdout
    assert "fold" not in done.stderr
    assert "The card has no risks, AUC or rates: small cells" in done.stdout
    assert f"at most {getattr(table, gone)} of them" in " ".join(done.stdout.split())
    system = ScoringSystem.load(hospitals / "card.json")
    assert system.card.risk is None
    assert system.card.performance == ()
    assert system.card.provenance.suppressed == table.suppressed
    sheet = system.sheet()
    for face in (system.to_html(), system.to_markdown(), system.to_svg(), sheet.to_html(), sheet.to_svg()):
        assert "learned from counts of people" in " ".join(re.sub("<[^>]*>", " ", face).split())

    # the remedies that are named: risks from rows, or no risk model
    rows = np.genfromtxt(hospitals / "all.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    with_risks = system.recalibrate({name: rows[name] for name in rows.dtype.names[:-1]}, rows["state"])
    assert with_risks.card.risk is not None
    refused = run("fit", "1.csv", "2.csv", "--goal", "risk")
    assert refused.returncode == 2
    assert f"goal is 'risk', but at most {getattr(table, gone)} of" in refused.stderr
    assert "count with --at-least 1" in refused.stderr


def test_folds_of_the_people_counted_are_labelled(run, hospitals):
    counted(run)
    done = run("fit", "1.csv", "--goal", "errors", "2.csv", "--max-points", "5", check=True)
    assert "Of the people counted, so these figures are optimistic: Cross-validation" in done.stdout
    assert "note: folds divide the people counted, so these figures are optimistic" in done.stderr
    asked = json.loads(
        run("fit", "1.csv", "--goal", "errors", "2.csv", "--C0", "0.02", "--cv", "3", "--json", check=True).stdout
    )
    assert asked["cross_validation"]["of_people_counted_only"]
    assert "performance" not in asked["card"]


def test_the_exact_number_of_people_left_out_is_not_told(run, hospitals):
    done = counted(run)
    table = pooled([hospitals / "2.csv"])
    assert 0 < 200 - table.people < table.left_out
    assert f"note: at most {table.left_out} people are in cells of fewer than 5;" in done.stderr
    assert str(200 - table.people) not in done.stderr.split()


def test_a_file_without_a_digest_is_noted(run, hospitals):
    counted(run)
    assert "no digest" not in run("fit", "1.csv", "--goal", "errors", "2.csv", *QUICK, check=True).stderr
    text = (hospitals / "2.csv").read_text()
    (hospitals / "2.csv").write_text(text.replace('"digest": "sha256:', '"old": "', 1))
    done = run("fit", "1.csv", "--goal", "errors", "2.csv", *QUICK, check=True)
    assert "note: a file of counts has no digest" in done.stderr


def test_questions_can_be_agreed_in_advance(run, hospitals):
    cuts = ["--target", "state", "--keep", "age", "--keep", "bmi", "--cut-points", "age=40,60;bmi=25,30"]
    for name in ("one", "two"):
        run("counts", f"{name}.csv", *cuts, "--out", f"{name}.counts.csv", check=True)
    done = run("fit", "one.counts.csv", "--goal", "errors", "two.counts.csv", *QUICK, check=True)
    assert "4 questions" in done.stderr


def test_names_and_titles_are_given(run, hospitals):
    counted(run, "--at-least", "1")
    (hospitals / "names.yaml").write_text("columns:\n  age: {label: Age at admission}\n")
    done = run(
        "fit", "1.csv", "--goal", "errors", "2.csv", *QUICK, "--names", "names.yaml", "--title", "Illness", check=True
    )
    assert done.stdout.startswith("Illness")
    assert "Age at admission" in done.stdout


def test_counts_that_are_given_twice_are_noted(run, hospitals):
    counted(run, "--at-least", "1")
    done = run("fit", "1.csv", "--goal", "errors", "2.csv", "1.csv", *QUICK, check=True)
    assert "note: 1.csv holds the same counts as 1.csv, so the same people may count twice" in done.stderr
    assert "the same counts" not in run("fit", "1.csv", "--goal", "errors", "2.csv", *QUICK, check=True).stderr


WRONG = [
    ("counts one.csv --out 1.csv", "Missing option '--target'"),
    ("counts one.csv --target state --out 1.csv --at-least 0", "--at-least is 0; give 1 to keep all cells"),
    ("counts one.csv --target state --out 1.csv --cuts none", "make no yes/no questions"),
    ("counts one.csv --target state --out one.csv", "would overwrite an input"),
    ("counts one.csv --target state --out 9.csv --questions one.csv", "one.csv holds no questions"),
    ("counts one.csv --target state --out 9.csv --questions q.json --cuts tree", "--cuts: q.json holds the"),
    ("counts one.csv --target state --out 9.csv --questions q.json --positive well", "--positive: q.json"),
    ("counts odd.csv --target state --out 9.csv --questions q.json", "'age'"),
    ("fit 1.csv one.csv", "one.csv cannot be read as a table of counts"),
    ("fit 1.csv none.csv", "there is no file 'none.csv'"),
    ("fit 1.csv --engine duckdb", "--engine duckdb counts rows, and count tables have none; remove it"),
    ("fit one.csv two.csv --target state", "two.csv: only count tables can be combined"),
    ("fit 1.csv 2.csv --target age", "--target is 'age', but the counts are of 'state'"),
    ("fit 1.csv 2.csv --cuts tree", "--cuts: the counts hold the questions"),
    ("fit 1.csv 2.csv --cv-time age", "--cv-time: counts have no such column"),
    ("fit one.csv", "'--target': name the column to predict; the table has age, bmi, smoker, state"),
    (
        "fit wide.csv",
        "has c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19 and 5 more",
    ),
]


def test_what_is_wrong_is_said(run, hospitals):
    counted(run)
    (hospitals / "odd.csv").write_text("bmi,smoker,state\n20,yes,ill\n21,no,well\n")
    (hospitals / "wide.csv").write_text(",".join(f"c{i}" for i in range(25)) + "\n" + "1," * 24 + "1\n")
    for command, message in WRONG:
        done = run(*command.split())
        assert done.returncode == 2, command
        assert message in done.stderr, command


def test_codes_and_spellings_are_those_of_the_first_site(run, hospitals):
    text = (hospitals / "one.csv").read_text().replace(",yes,", ",Yes,", 3)
    (hospitals / "one.csv").write_text(text)
    counted(run)
    asked = Questions.load(hospitals / "q.json")
    assert asked.card.reading is not None
    assert asked.card.reading.of_column("smoker").spellings == {"Yes": "yes"}
    assert asked.card.reading.over(Reading()).separator is None


def recoded(hospitals, name, column, change):
    """Write the second hospital's rows with another coding of one column."""
    head, *rows = (line.split(",") for line in (hospitals / "all.csv").read_text().split("\n")[:-1])
    at = head.index(column)
    lines = [[*row[:at], change(n, row[at]), *row[at + 1 :]] for n, row in enumerate(rows)]
    (hospitals / name).write_text("\n".join(map(",".join, [head, *lines])) + "\n")
    return ["counts", name, "--target", "state", "--questions", "q.json", "--out", "9.csv"]


def test_a_column_of_which_no_value_is_known_is_refused(run, hospitals):
    counted(run)
    ask = recoded(hospitals, "b.csv", "smoker", lambda n, word: {"yes": "1", "no": "0"}.get(word, ""))
    done = run(*ask)
    assert done.returncode == 2
    assert "b.csv: column 'smoker' holds '0', '1', and the questions know 'no', 'yes' only" in done.stderr
    assert not (hospitals / "9.csv").exists()


def test_values_that_the_questions_do_not_know_are_noted(run, hospitals):
    counted(run)
    done = run(*recoded(hospitals, "b.csv", "smoker", lambda n, word: "rarely" if n < 7 else word), check=True)
    assert "note: column 'smoker': 'rarely' (7 rows) is outside what the questions know. It was counted" in done.stderr


def test_of_many_categories_none_that_is_asked_about_is_noted(run, hospitals):
    def wards(n, word):
        return "abc"[n % 3] if word != "yes" else "d"

    ask = recoded(hospitals, "a.csv", "smoker", wards)
    run(*ask[:4], "--save-questions", "q.json", "--keep", "smoker", "--out", "8.csv", check=True)
    done = run(*recoded(hospitals, "b.csv", "smoker", lambda n, word: "45"[n % 2]), check=True)
    assert re.search(r"note: column 'smoker' holds '4', '5', and the questions ask about 'd'", done.stderr)


def test_codes_of_another_site_are_recognised_as_in_fit(run, hospitals):
    counted(run)
    ask = recoded(hospitals, "b.csv", "age", lambda n, age: "-99" if n < 5 else age)
    done = run(*ask)
    assert "'age': -99 (5 rows) stands apart from the other numbers" in done.stderr
    assert "column 'age' has 5 missing value(s)" in done.stderr
    done = run(*ask, "--as-written", "age", check=True)
    assert "-99" not in done.stderr
