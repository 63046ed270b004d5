"""Messy exports: the first command gives a sound card or says all there is to decide, the second the card.

After that, `predict` and `evaluate` read the same raw file without options.
"""

import csv
import gzip
import io
import json

import pytest

from messy import german_export, registry, us_export
from supersparse import ScoringSystem

UNJUDGED = ("--max-features", "3", "--settings", "quick.yaml", "--out", "card.json")
QUICK = (*UNJUDGED, "--cv", "2", "--C0", "0.02")


@pytest.fixture
def quick(tmp_path):
    (tmp_path / "quick.yaml").write_text("solve:\n  node_limit: 100\n")


def scores(text):
    return list(csv.DictReader(io.StringIO(text)))


def reading_of(tmp_path):
    return json.loads((tmp_path / "card.json").read_text())["reading"]


def check_use(run, file, target, n_rows):
    """The card's file is read again as it was, so that errors are those that the card states."""
    predicted = run("predict", "card.json", file, check=True)
    assert predicted.stderr == "" or "outside" in predicted.stderr
    assert len(scores(predicted.stdout)) == n_rows
    done = run("evaluate", "card.json", file, "--target", target, "--json", check=True)
    card = ScoringSystem.load("card.json").card
    assert card.provenance is not None
    evaluated = json.loads(done.stdout)["evaluation"]
    wrong = evaluated["false_positives"] + evaluated["false_negatives"]
    assert wrong == card.provenance.predicted_errors
    return scores(predicted.stdout)


def test_a_german_export_gives_a_card_at_once(run, tmp_path, quick):
    german_export(tmp_path / "raw.csv")
    done = run("fit", "raw.csv", "--goal", "errors", "--target", "verstorben", *QUICK, check=True)
    for said in (
        "read as cp1252",
        "decimal commas, such as",
        "thousands separators: ",
        "'Alter': -99 (14 rows) stands apart",
        "'CRP': '< 5,0' (",
        "'Ja', 'JA' read as 'ja'",
        "'verstorben': 'Ja' read as 'ja'",
        'Predicting "ja" (the usual name of an event)',
    ):
        assert said in done.stderr
    reading = reading_of(tmp_path)
    assert reading["found"]["encoding"] == "cp1252"
    assert reading["columns"]["Alter"] == {"missing": ["-99"]}
    first = check_use(run, "raw.csv", "verstorben", 240)
    # other spellings, signs and encodings of the same people change nothing
    text = (tmp_path / "raw.csv").read_text("cp1252")
    (tmp_path / "again.csv").write_text(text.replace(";ja;", ";jA ;").replace(";nein;", "; NEIN;"), "utf-8")
    assert scores(run("predict", "card.json", "again.csv", check=True).stdout) == first
    assert "Alter" in run("explain", "card.json", "raw.csv", "--row", "4", check=True).stdout


def test_an_american_export_says_what_to_decide_and_then_gives_a_card(run, tmp_path, quick):
    us_export(tmp_path / "raw.csv")
    ask = ("fit", "raw.csv", "--goal", "errors", "--target", "Readmitted", "--positive", "yess", *QUICK)
    done = run(*ask)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "2 things to decide" in done.stderr
    assert "'Heart Rate' has 10 non-numeric values: 'n/a' (10), the first in line 9" in done.stderr
    assert "--na n/a" in done.stderr
    assert "--positive 'yess' is not a value" in done.stderr
    done = run("fit", "raw.csv", "--goal", "errors", "--target", "Readmitted", "--na", "n/a", *QUICK, check=True)
    assert "'Troponin': '<0.01' (33 rows) counts as lower than any measured value" in done.stderr
    assert "'Heart Rate': 999 (13 rows) stands apart" in done.stderr
    assert "in 'Charges' is" in done.stderr
    check_use(run, "raw.csv", "Readmitted", 240)
    assert "-inf" not in (tmp_path / "card.json").read_text()
    explained = run("explain", "card.json", "raw.csv", "--row", "1", check=True).stdout
    assert "inf" not in explained
    kept = run(
        "fit",
        "raw.csv",
        "--goal",
        "errors",
        "--target",
        "Readmitted",
        "--na",
        "n/a",
        "--as-written",
        "*",
        "--no-validate",
        *UNJUDGED,
        check=True,
    )
    assert "999 (13 rows)" not in kept.stderr
    assert "999 stands apart like a code for missing, and counts as a number" in kept.stderr


def test_a_registry_keeps_patients_together(run, tmp_path, quick):
    registry(tmp_path / "raw.tsv")
    done = run("fit", "raw.tsv", "--goal", "errors", "--target", "relapse", *QUICK, check=True)
    assert "'patient_id' repeats (80 different in 244 rows), so all rows of one are kept" in done.stderr
    assert "'diabetes': 9 (10 rows) stands apart" in done.stderr
    assert "'stage': 'iii' read as 'III'" in done.stderr
    check_use(run, "raw.tsv", "relapse", 244)
    by_time = (
        "fit",
        "raw.tsv",
        "--goal",
        "errors",
        "--target",
        "relapse",
        "--cv",
        "2",
        "--C0",
        "0.01",
        "--cv-time",
        "date",
        *QUICK,
    )
    done = run(*by_time)
    assert done.returncode == 2
    assert "could have the day or the month first; say which with --dates dmy or --dates mdy" in done.stderr
    done = run(*by_time, "--dates", "mdy", check=True)
    assert reading_of(tmp_path)["dates"] == "mdy"
    apart = run(
        "fit",
        "raw.tsv",
        "--goal",
        "errors",
        "--target",
        "relapse",
        "--cv-groups",
        "none",
        "--no-validate",
        *UNJUDGED,
        check=True,
    )
    assert "kept in the same fold" not in apart.stderr


@pytest.fixture
def named_patients(tmp_path):
    """Every patient comes twice, the second time in capitals; age decides, and the ward does not."""
    lines = ["patient_id,file,age,ward,ill"]
    for k in range(80):
        age = 40 + 25 * (k % 2) + k % 5
        name = f"Meier{k // 2:02}"
        ward = ("North", "north", "South", "North")[k % 4]
        wrong = k % 17 == 0
        ill = "yes" if (age >= 60) != wrong else "no"
        lines.append(f'{name if k % 3 else name.upper()},"{k + 1},{k + 203}",{age},{ward},{ill}')
    (tmp_path / "raw.csv").write_text("\n".join(lines) + "\n")


def test_a_card_keeps_no_value_of_a_column_that_it_does_not_use(run, tmp_path, quick, named_patients):
    fitted = run("fit", "raw.csv", "--goal", "errors", "--target", "ill", "--drop", "file", *QUICK, check=True)
    assert "'patient_id' repeats (40 different" in fitted.stderr
    text = (tmp_path / "card.json").read_text()
    assert ScoringSystem.load(tmp_path / "card.json").card.columns == ("age",)
    for value in ("meier", "north"):
        assert value not in json.dumps(json.loads(text)["reading"]).lower()
    assert "meier" not in text.lower()
    # what the card does not keep is found again where it is needed
    by_ward = run("evaluate", "card.json", "raw.csv", "--target", "ill", "--by", "ward", check=True)
    assert "\nnorth" not in by_ward.stdout
    assert "'ward': 'north' read as 'North'; use --as-written ward if that is wrong" in by_ward.stderr
    certified = run("certify", "card.json", "raw.csv", "--target", "ill", check=True)
    assert "Checked by supersparse-check" in certified.stdout
    proof = gzip.decompress((tmp_path / "card.vipr.gz").read_bytes()).decode()
    assert "meier" not in proof.lower()
    copied = run("predict", "card.json", "raw.csv", "--with", "patient_id", check=True)
    assert scores(copied.stdout)[3]["patient_id"] == "MEIER01"  # as it is written


def test_thousands_are_told_by_their_sign_and_not_by_a_number(run, tmp_path, quick, named_patients):
    run(
        "fit",
        "raw.csv",
        "--goal",
        "errors",
        "--goal",
        "errors",
        "--target",
        "ill",
        "--decimal",
        ".",
        "--no-validate",
        *UNJUDGED,
        check=True,
    )
    assert reading_of(tmp_path)["found"]["thousands"] == ","


def test_questions_hold_no_value_of_a_column_that_they_do_not_ask_about(run, tmp_path, named_patients):
    ask = ("--target", "ill", "--drop", "file", "--candidates", "2", "--save-questions", "q.json")
    run("counts", "raw.csv", *ask, "--out", "counts.csv", check=True)
    assert "meier" not in (tmp_path / "q.json").read_text().lower()
