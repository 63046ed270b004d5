"""New rows are read as the training rows were: codes in every column, and values far from those seen."""

import pytest

from supersparse import ScoringSystem


@pytest.fixture
def card(run, tmp_path):
    """A card on age and dose, learned from rows in which -99 is missing in the dose alone."""
    ages = [20 + 5 * (i % 13) for i in range(104)]
    rows = [f"{age},{-99 if i % 9 == 0 else i % 7},{'yes' if age > 50 else 'no'}" for i, age in enumerate(ages)]
    (tmp_path / "train.csv").write_text("\n".join(["age,dose,ill", *rows]) + "\n")
    words = ["--target", "ill", "--no-validate", "--C0", "0.001", "--out", "card.json", "--time-limit", "20"]
    run("fit", "train.csv", "--goal", "errors", *words, check=True)
    return tmp_path / "card.json"


def test_a_value_further_away_than_the_range_is_wide_is_refused(run, card, tmp_path):
    (tmp_path / "new.csv").write_text("age,dose\n45,3\n850,3\n")
    done = run("predict", "card.json", "new.csv")
    assert done.returncode == 2
    assert "column 'age' is 850" in done.stderr
    assert "line 3" in done.stderr
    assert "20 to 80" in done.stderr
    assert run("predict", "card.json", "new.csv", "--unknown", "allow").returncode == 0
    explained = run("explain", "card.json", "age=850", "dose=3")
    assert (explained.returncode, "column 'age' is 850" in explained.stderr) == (2, True)
    (tmp_path / "near.csv").write_text("age,dose\n140,3\n")  # 80 and the width of 60
    assert run("predict", "card.json", "near.csv").returncode == 0


@pytest.fixture
def grades(run, tmp_path):
    """A card on grades, learned from rows with I to IV."""
    rows = [f"{grade},{'yes' if grade in ('III', 'IV') else 'no'}" for grade in ("I", "II", "III", "IV")] * 26
    (tmp_path / "train.csv").write_text("\n".join(["grade,ill", *rows]) + "\n")
    words = ["--target", "ill", "--no-validate", "--C0", "0.02", "--out", "grades.json", "--time-limit", "20"]
    run("fit", "train.csv", "--goal", "errors", *words, check=True)
    (tmp_path / "new.csv").write_text("grade,ill\nIV,yes\nV,yes\nV,no\nI,no\n")


@pytest.mark.parametrize("command", [["predict"], ["evaluate", "--target", "ill"], ["explain", "--row", "2"]])
def test_a_category_that_no_training_row_had_is_refused_and_the_nearest_named(run, grades, command):
    done = run(command[0], "grades.json", "new.csv", *command[1:])
    assert (done.returncode, done.stdout) == (2, "")
    assert "column 'grade' is 'V' in " in done.stderr
    assert "line 3" in done.stderr
    assert "a category that no training row had; the nearest is IV; correct it, or use --unknown allow" in (done.stderr)
    assert run(command[0], "grades.json", "new.csv", *command[1:], "--unknown", "allow").returncode == 0


def test_a_person_of_a_table_without_a_needed_value_is_refused_by_line(run, grades, tmp_path):
    (tmp_path / "gap.csv").write_text("grade,ill\nIV,yes\n,no\n")
    done = run("explain", "grades.json", "gap.csv", "--row", "2")
    assert (done.returncode, "'grade' has no value in line 3 of gap.csv" in done.stderr) == (2, True)


def test_one_person_is_told_the_same(run, grades):
    done = run("explain", "grades.json", "grade=V")
    assert (done.returncode, "the nearest is IV" in done.stderr) == (2, True)
    assert run("explain", "grades.json", "grade=V", "--unknown", "allow").returncode == 0
    assert run("explain", "grades.json", "grade=IV").returncode == 0
    assert run("explain", "grades.json", "grade=V", "--unknown", "alow").returncode == 2


def test_a_code_of_another_column_is_missing_where_it_is_no_value():
    from dataclasses import replace

    from supersparse import Domain, ScoringSystem, item
    from supersparse.card.raw_values import reading_for
    from supersparse.table.reading import ColumnReading, Reading

    items = [item("age", at_least=60, points=1, missing=0), item("dose", at_least=3, points=1, missing=0)]
    domains = {"age": Domain(column="age", low=20, high=100), "dose": Domain(column="dose", low=0, high=6)}
    made = ScoringSystem.of(items, threshold=1, domains=domains).card
    reading = Reading(columns={"dose": ColumnReading(missing=("-99", "99"))}, settled=True)
    found = reading_for(replace(made, reading=reading), Reading())
    assert found.of_column("age").missing == ("-99",)  # 99 is an age
    assert found.of_column("dose").missing == ("-99", "99")


def test_a_column_that_is_taken_as_written_stays_so(run, tmp_path):
    rows = [f"{-99 if i % 9 == 0 else i % 7},{'yes' if i % 7 > 3 else 'no'}" for i in range(104)]
    (tmp_path / "train.csv").write_text("\n".join(["dose,ill", *rows]) + "\n")
    words = ["--target", "ill", "--no-validate", "--C0", "0.02", "--out", "card.json", "--time-limit", "20"]
    run("fit", "train.csv", "--goal", "errors", *words, check=True)
    (tmp_path / "new.csv").write_text("dose\n-99\n5\n")
    assert run("predict", "card.json", "new.csv").returncode == 0
    done = run("predict", "card.json", "new.csv", "--as-written", "dose")
    assert (done.returncode, "'dose' is -99" in done.stderr) == (2, True)
    assert run("predict", "card.json", "new.csv", "--as-written", "dose", "--unknown", "allow").returncode == 0
    again = ScoringSystem.load(tmp_path / "card.json")
    assert again.explain({"dose": -99}).reasons[0].missing  # in memory, too
