"""A raw table as people have them, from the file to a card and back: each step works or says what to do."""

import csv
import gzip
import io
import json

import numpy as np
import pytest

from supersparse import ScoringSystem

N = 240


def awkward(*, with_junk=False):
    """100 columns: blanks, categories with commas, decimals, dates, identifiers, a BOM, Windows line ends."""
    random = np.random.default_rng(5)
    age, bmi = random.integers(18, 95, N), random.normal(27, 5, N).round(1)
    drug = random.choice(["none", "aspirin, low dose", 'the "new" one'], N)
    ill = (age >= 65).astype(int) + (bmi >= 30) + 2 * (drug == "aspirin, low dose") + random.normal(0, 0.4, N) > 1.2
    columns = {
        "": np.arange(N),
        "patient id": [f"P{i:04d}" for i in range(N)],
        "age, years": age,
        "bmi": [("" if i % 10 == 0 else "?" if with_junk and i % 50 == 1 else b) for i, b in enumerate(bmi)],
        "drug": drug,
        "visit": [f"{i % 28 + 1:02d}/03/2024" for i in range(N)],
        "consent": ["TRUE" if i % 3 else "FALSE" for i in range(N)],
        "empty": [""] * N,
        "same": ["x"] * N,
    }
    for k in range(100 - len(columns) - 1):
        columns[f"lab {k}"] = random.normal(k, 1, N).round(2) if k % 2 else random.choice(["low", "high", "NA"], N)
    columns["outcome"] = np.where(ill, "ill", "well")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(zip(*(list(column) for column in columns.values()), strict=True))
    return b"\xef\xbb\xbf" + text.getvalue().encode(), columns


ASK = ["--target", "outcome", "--positive", "ill", "--max-features", "3", "--time-limit", "20"]


@pytest.fixture
def table(tmp_path):
    content, columns = awkward()
    (tmp_path / "patients.csv").write_bytes(content)
    (tmp_path / "patients.csv.gz").write_bytes(gzip.compress(content))
    assert len(columns) == 100
    return columns


def test_from_a_raw_table_to_a_card_and_its_use(run, table, tmp_path):
    done = run("fit", "patients.csv", "--goal", "errors", *ASK, "--cv", "2", "--out", "card.json", check=True)
    for said in (
        "note: 'column 1' is left out: it numbers the rows",
        "note: 'patient id' is left out: all texts differ, like identifiers",
        "note: 'visit' is left out: it holds dates",
        "note: 'empty' is left out: all cells are blank or missing",
        "  same: ",
    ):
        assert said in done.stderr
    system = ScoringSystem.load(tmp_path / "card.json")
    assert {"drug"} <= set(system.card.columns) <= {"age, years", "bmi", "drug"}  # the others are noise
    assert int(system.card.provenance.predicted_errors) < N * 0.2

    raw = {
        "age, years": [int(v) for v in table["age, years"]],
        "bmi": [None if v == "" else float(v) for v in table["bmi"]],
        "drug": list(table["drug"]),
        "consent": [v == "TRUE" for v in table["consent"]],
    } | {
        name: [None if v == "NA" else v.item() if hasattr(v, "item") else v for v in column]
        for name, column in table.items()
        if name.startswith("lab")
    }
    expected = system.predict(raw).tolist()
    for source in ("patients.csv", "patients.csv.gz"):
        rows = list(csv.DictReader(run("predict", "card.json", source, check=True).stdout.splitlines()))
        assert [row["prediction"] for row in rows] == expected

    document = json.loads(
        run("evaluate", "card.json", "patients.csv", "--target", "outcome", "--by", "consent", "--json").stdout
    )
    wrong = sum(a != b for a, b in zip(expected, table["outcome"], strict=True))
    assert document["evaluation"]["predicted_errors"] == wrong
    explained = json.loads(run("explain", "card.json", "patients.csv", "--row", "7", "--json", check=True).stdout)
    assert explained["prediction"] == expected[6]


def test_cells_in_the_way_come_with_the_option_that_helps(run, tmp_path):
    content, _ = awkward(with_junk=True)
    (tmp_path / "patients.csv").write_bytes(content)
    done = run("fit", "patients.csv", "--goal", "errors", *ASK)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "supersparse: patients.csv: column 'bmi' has 5 non-numeric values: '?' (5), the first in line 3; "
        "treat as missing with --na '?', as categories with --category bmi, or leave the column out with "
        "--drop bmi\n"
    )
    for remedy in (["--na", "?"], ["--drop", "bmi"], ["--category", "bmi"]):
        run("fit", "patients.csv", "--goal", "errors", *ASK, "--no-validate", "--drop", "lab*", *remedy, check=True)


def test_a_question_mark_among_categories_is_pointed_at(run, tmp_path):
    rows = [f"{'?' if i % 7 == 0 else 'ab'[i % 2]},{i % 2}" for i in range(40)]
    (tmp_path / "data.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    done = run("fit", "data.csv", "--goal", "errors", "--target", "y", "--no-validate", check=True)
    assert "note: 'x': '?' (6) is read as a category; use --na '?' to treat it as missing" in done.stderr
    assert (
        "'?'"
        not in run(
            "fit", "data.csv", "--goal", "errors", "--target", "y", "--no-validate", "--na", "?", check=True
        ).stderr
    )


def test_dates_cannot_be_kept_and_identifiers_can(run, table):
    done = run("fit", "patients.csv", "--goal", "errors", *ASK, "--keep", "visit", "--keep", "bmi")
    assert done.returncode == 2
    assert "--keep: column 'visit' cannot be a feature: it holds dates" in done.stderr


def test_one_of_three_outcomes_is_told_from_the_others(run, tmp_path):
    rows = [f"{i // 2},{'abc'[i // 20]}" for i in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    done = run("fit", "data.csv", "--goal", "errors", "--target", "y")
    assert "use --positive to choose one" in done.stderr
    run("fit", "data.csv", "--goal", "errors", "--target", "y", "--positive", "c", "--out", "card.json", check=True)
    found = run("evaluate", "card.json", "data.csv", "--target", "y", "--json", check=True)
    assert json.loads(found.stdout)["evaluation"]["predicted_errors"] == 0


def test_a_table_comes_through_a_pipe_or_as_parquet(run, table, tmp_path):
    small = ["--target", "outcome", "--keep", "age, years", "--keep", "drug", "--keep", "bmi", "--no-validate"]
    content = (tmp_path / "patients.csv").read_bytes()
    expected = run("fit", "patients.csv", "--goal", "errors", *small, "--json", check=True)
    assert items(run("fit", "-", "--goal", "errors", *small, "--json", stdin=content, check=True)) == items(expected)
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {
        "age, years": table["age, years"],
        "bmi": [None if v == "" else float(v) for v in table["bmi"]],
        "drug": list(table["drug"]),
        "outcome": list(table["outcome"]),
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "patients.parquet")
    assert items(run("fit", "patients.parquet", "--goal", "errors", *small, "--json", check=True)) == items(expected)


def items(done):
    return json.loads(done.stdout)["card"]["items"]
