"""The paper's applications: no worse than its printed models on the same rows, honest about the proof."""

import importlib.util
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import breast_cancer
import criminology
import mammography
import numpy as np
import paper_application
import pytest
from paper_application import DATA_IS_MISSING, MissingDataError, Options, compare, proof, split

from shared_data import marked_where_missing
from supersparse.datasets import load_breast_cancer
from supersparse.problem.objective import PointsEvaluation

ROOT = Path(__file__).parents[2]
SHORT = {"time_limit": None, "node_limit": 300}  # of work, not of time: the same on every machine
FEW_RATIOS = (Fraction(1), Fraction(4))
MODULES = {"breast_cancer": breast_cancer, "mammography": mammography, "criminology": criminology}


@pytest.fixture(scope="module", autouse=True)
def _no_picture_in_the_checkout(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(criminology, "PICTURE", tmp_path_factory.mktemp("pictures") / "curve.png")
        yield


BUNDLED = ["breast_cancer"]  # the data of the others must be fetched, or stand in ../shared


def require(name):
    try:
        MODULES[name].application()
    except MissingDataError as error:
        pytest.skip(str(error).splitlines()[0])


@cache
def short_comparison(name, seed=0):
    return compare(MODULES[name].application(), Options(seed=seed, **SHORT))


@cache
def short_report(name):
    with pytest.MonkeyPatch.context() as patch:  # a solve of criminology takes seconds, whatever its limit
        patch.setattr(criminology, "RATIOS", FEW_RATIOS)
        patch.setattr(criminology, "FOLDS", 2)
        patch.setattr(criminology, "WORK_IN_A_FOLD", 20)
        return "\n".join(MODULES[name].report(Options(**SHORT)))


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(s, marks=pytest.mark.long) for s in range(2, 5))])
@pytest.mark.parametrize("name", [*BUNDLED, pytest.param("mammography", marks=pytest.mark.shared_data)])
def test_the_objective_is_never_worse_than_that_of_the_printed_models(name, seed):
    require(name)
    found = short_comparison(name, seed)
    same_set = [model for model in found.printed if model.allowed]
    assert len(same_set) == {"breast_cancer": 2, "mammography": 1}[name]
    for model in same_set:
        assert found.solution.objective <= model.train.objective
    assert found.never_worse
    assert found.solution.lower_bound <= found.solution.objective


# what the printed models do on all rows, by data that the paper's own figures fit
@pytest.mark.parametrize(
    ("name", "which", "errors"),
    [
        ("breast_cancer", 0, 23),
        ("breast_cancer", 1, 35),
        ("breast_cancer", 2, 25),
        pytest.param("mammography", 0, 200, marks=pytest.mark.shared_data),
    ],
)
def test_the_printed_models_make_their_known_errors(name, which, errors):
    require(name)
    model = short_comparison(name).printed[which]
    assert model.train.training_errors + model.test.training_errors == errors


def test_the_report_shows_the_printed_lasso_beside_the_cards():
    text = short_report("breast_cancer")
    assert re.search(r"^paper, lasso +[\d.]+ +7 +20 \(3.7 %\) +5 \(3.6 %\)$", text, re.MULTILINE)
    assert re.search(r"^paper, lasso +7 +25 \(3.7 %\)$", text, re.MULTILINE)  # on all rows


@pytest.mark.shared_data
def test_the_printed_mammography_model_is_a_proven_optimum():
    require("mammography")
    said = mammography.where_the_printed_model_is_optimal(mammography.application(), Options(time_limit=None))
    text = "\n".join(said)
    assert re.findall(r"^(?:supersparse|paper, equation) +([\d.]+) +3 +(\d+) ", text, re.MULTILINE) == [
        ("0.253117", "200"),
        ("0.253117", "200"),
    ]
    assert "Proof     proven: no allowed model has F below 0.253117" in text
    assert "and none with this F has smaller points" in text
    assert text.endswith("the printed model, point for point")


@pytest.mark.parametrize("name", marked_where_missing(MODULES, lambda name: name not in BUNDLED))
def test_the_intercept_is_penalised_as_in_the_paper(name):
    require(name)
    found = short_comparison(name)
    assert found.train.intercept.is_penalised
    assert found.train.intercept_C0 == found.train.C0[0]
    for model in found.printed:
        assert model.train.size == model.train.features + 1


@pytest.mark.parametrize(
    "name",
    [
        *BUNDLED,
        pytest.param("mammography", marks=pytest.mark.shared_data),
        pytest.param("criminology", marks=pytest.mark.long),
    ],
)
def test_the_report_says_what_is_proven_or_the_gap(name):
    require(name)
    text = short_report(name)
    assert "seed 0: " in text
    assert re.search(r"^Proof     (proven: no allowed|not proven: .* \(gap [\d.]+%\))", text, re.MULTILINE)
    assert re.search(r"^Predict \w+ if (the total|Total C) is ", text, re.MULTILINE)
    if name != "criminology":
        assert "F of ours is no worse than that of the printed SLIM models" in text


def test_a_run_stopped_early_claims_no_proof():
    found = compare(breast_cancer.application(), Options(time_limit=None, node_limit=20))
    assert not found.solution.proven_optimal
    assert proof(found.solution).startswith("not proven")


@pytest.mark.long
def test_criminology_shows_its_rates_beside_the_papers_and_the_curve():
    require("criminology")
    found = short_comparison("criminology")
    negative, positive = found.train.class_weights
    assert (float(positive), float(negative)) == (1.2, 0.8)
    text = short_report("criminology")
    for rows, rates in [("training", found.ours.train), ("test", found.ours.test)]:
        shown = [f"{float(rate):.1%}".replace("%", " %") for rate in (rates.sensitivity, rates.specificity)]
        assert re.search(rf"^{rows} +{shown[0]} +{shown[1]}$", text, re.MULTILINE)
    assert re.search(r"^the paper, on its own data +69 % +44 %$", text, re.MULTILINE)
    assert "no comparison is claimed" in text
    one_split, _, folds = text.partition("cross-validation of all rows")
    for part in (one_split, folds):
        ratios = re.findall(r"^([\d., ]+?)  +[\d.]+ %", part, re.MULTILINE)
        assert sorted(float(r) for line in ratios for r in line.split(",")) == [float(r) for r in FEW_RATIOS]
    assert "No picture" in text or criminology.PICTURE.is_file()


def test_every_row_is_tested_once_and_each_fold_has_its_share_of_positives():
    data = load_breast_cancer()
    parts = criminology.folds(data, 3, 5)
    tested = np.vstack([test.X for _, test in parts])
    assert sorted(map(tuple, tested)) == sorted(map(tuple, np.asarray(data.X)))
    for train, test in parts:
        assert len(train.y) + len(test.y) == len(data.y)
        assert abs(int(test.y.sum()) - data.y.sum() / 5) < 1
    assert not np.array_equal(criminology.folds(data, 4, 5)[0][1].X, parts[0][1].X)


def test_pooled_rates_count_the_rows_of_all_folds_together():
    def fold(wrong_positive, positive, wrong_negative, negative):
        counts = {"objective": 0, "loss": 0, "zero_negative": 0, "size": 1, "features": 1, "l1": 1}
        return PointsEvaluation(
            **{name: Fraction(value) for name, value in counts.items()},
            wrong_positive=Fraction(wrong_positive), positive=Fraction(positive),
            wrong_negative=Fraction(wrong_negative), negative=Fraction(negative),
        )  # fmt: skip

    pooled = criminology.Pooled.rates([fold(1, 2, 0, 4), fold(0, 6, 3, 8)])
    assert pooled == (Fraction(7, 8), Fraction(9, 12))


def test_the_split_has_80_percent_and_every_row_once():
    data = load_breast_cancer()
    train, test = split(data, 7)
    assert (len(train.y), len(test.y)) == (546, 137)
    both = np.vstack([np.column_stack([part.X, part.y]) for part in (train, test)])
    whole = np.column_stack([data.X, data.y])
    assert sorted(map(tuple, both)) == sorted(map(tuple, whole))
    assert np.array_equal(split(data, 7)[0].X, train.X)
    assert not np.array_equal(split(data, 8)[0].X, train.X)


@pytest.mark.parametrize(
    ("name", "file"), [("mammography", "raw/mammo_raw.csv"), ("criminology", "recidivism_violent_558.csv")]
)
def test_missing_data_are_named_with_where_to_get_them(name, file, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SUPERSPARSE_DATA", str(tmp_path))
    assert MODULES[name].main([]) == DATA_IS_MISSING
    said = capsys.readouterr().err
    assert said.startswith(f"{file} is ")
    assert "SUPERSPARSE_DATA" in said
    assert "https://" in said or "supersparse datasets fetch" in said


def test_an_application_runs_as_a_script_from_anywhere(tmp_path):
    script = ROOT / "examples" / "applications" / "breast_cancer.py"
    done = subprocess.run(
        [sys.executable, script, "--node-limit", "100", "--seed", "2"],
        capture_output=True, text=True, cwd=tmp_path, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "seed 2: 546 rows (80 %)" in done.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", MODULES)
def test_the_page_shows_what_the_command_prints(name):
    require(name)
    page = applications_page()
    assert page.shown(name, page.PAGE.read_text(encoding="utf-8")) == page.findings(name)


def test_what_an_application_printed_goes_between_its_marks():
    page, whole = applications_page(), applications_page().PAGE.read_text(encoding="utf-8")
    for name in MODULES:
        changed = page.with_findings(name, "new\nlines", whole)
        assert page.shown(name, changed) == "new\nlines"
        assert page.with_findings(name, page.shown(name, whole), changed) == whole
    with pytest.raises(ValueError, match="no place for breast_cancer"):
        page.with_findings("breast_cancer", "new", "a page without marks")


def applications_page():
    path = ROOT / "docs" / "scripts" / "applications_page.py"
    spec = importlib.util.spec_from_file_location("applications_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_shared_set_is_the_papers():
    assert [int(v) for v in paper_application.FEW_VALUES.values if v >= 0] == [0, 1, 5, 10, 50, 100, 500]
    assert paper_application.FEW_VALUES.is_symmetric
