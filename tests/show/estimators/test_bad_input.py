"""What cannot be used is refused before any solving, by name, with what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from supersparse import SLIMClassifier, SLIMClassifierCV
from supersparse.constraints import must_use
from supersparse.errors import InfeasibleError, InvalidInputError, InvalidOptionError, PenaltyRangeWarning
from supersparse.learn import recipe

X = np.array([[0, 1], [1, 0], [2, 1], [3, 0]], dtype=float)
Y = np.array([0, 0, 1, 1])
FRAME = pd.DataFrame(X, columns=["age", "bmi"])


@pytest.fixture(params=[SLIMClassifier, SLIMClassifierCV])
def classifier(request, monkeypatch):
    def no_solving(*args, **options):
        raise AssertionError("solving began")

    monkeypatch.setattr(recipe, "solve", no_solving)
    return request.param


def with_nan(frame):
    changed = frame.copy()
    changed.iloc[0, 0] = np.nan
    return changed


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.where(X == 3, np.nan, X), Y, "contains NaN"),
        (np.where(X == 3, np.inf, X), Y, "contains infinity"),
        (with_nan(FRAME), Y, r"column 'age' has 1 missing value\(s\)"),
        (FRAME.replace(3, np.inf), Y, r"column 'age' has 1 infinite value\(s\)"),
        (pl.DataFrame({"age": [1, 2, None, 3]}), Y, r"column 'age' has 1 missing value\(s\)"),
        (FRAME.assign(bmi=list("abcd")), Y, "column 'bmi' holds String, not numbers; turn it into 0/1 columns"),
        (FRAME.set_axis(["age", "age"], axis=1), Y, "two columns are named 'age'; .* rename one"),
        (FRAME.iloc[:0], Y[:0], "0 rows or 0 columns|0 sample"),
        (FRAME, [1, 1, 1, 1], r"y has 1 class\(es\): 1; .* exactly two"),
        (X, [1, 1, 1, 1], r"y has 1 class\(es\): 1; .* exactly two"),
        (X, [0, 1, 2, 2], r"Only binary .* y has 3 classes \(0, 1, 2\); merge them"),
        (FRAME, ["a", "b", "c", "a"], r"Only binary .* y has 3 classes \('a', 'b', 'c'\)"),
        (X, [0.5, 1.5, 2.5, 3.25], "Unknown label type: continuous"),
        (FRAME, [0, 1, 0], "X has 4 rows and y has 3 labels"),
        (X, np.array([0, 1, "a", "b"], dtype=object), "y mixes labels of different types"),
        (X, np.array([0, 1, "a", None], dtype=object), "y contains 1 missing label, the first in row 3"),
        (FRAME, pd.Series(["a", np.nan, "b", "a"]), "y contains 1 missing label, the first in row 1"),
        (X, pd.Series(["a", pd.NA, "b", pd.NA], dtype="string"), "y contains 2 missing labels, the first in"),
        (X, None, "requires y to be passed"),
        (pl.DataFrame({"age": [1, 2, 3, 4]}).lazy(), Y, r"give X.collect\(\)"),
    ],
)
def test_data_that_cannot_be_used_are_refused(classifier, X, y, message):
    with pytest.raises(ValueError, match=message):
        classifier().fit(X, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -1, 1], "sample_weight contains -1, which is negative; give weights of 0 or more"),
        ([0, 0, 0, 0], "all sample weights are zero"),
        ([0, 0, 1, 1], "only one class is left after dropping the rows of weight 0"),
        ([1, np.nan, 1, 1], "sample_weight contains NaN"),
        ([1, 1], r"sample_weight has shape \(2,\) for 4 rows"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(classifier, weights, message):
    with pytest.raises(InvalidInputError, match=message):
        classifier().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"points": []}, "points is an empty list; give a range such as"),
        ({"points": {"agee": [0, 1]}}, "there is no feature 'agee'; did you mean 'age'"),
        ({"points": [0, np.nan]}, "points, entry 2 is nan; give a number"),
        ({"intercept": (2, 1)}, "intercept ends at 1, below its start 2; swap them"),
        ({"intercept": (1, 2, 3)}, "intercept is a list of 3; give a pair such as"),
        ({"class_weight": {5: 1}}, "class_weight: no row has the label '5'; known: 0, 1"),
        ({"class_weight": {1: -1}}, "class_weight of '1' is -1; give a number of at least 0"),
        ({"max_points": 0}, "max_points is 0; give a whole number of at least 1"),
        ({"max_features": -1}, "max_features is -1; give a whole number of at least 0"),
        ({"C1": -1}, "C1 is -1; give a number of at least 0"),
        ({"time_limit": -1}, "time_limit is -1; give a finite number of at least 0"),
        ({"gap": np.nan}, "gap is nan; give a finite number of at least 0"),
        ({"class_weight": np.array([1, 2])}, "class_weight is a list of 2; give 'auto' or 'balanced'"),
        ({"max_points": np.array([1, 2])}, "max_points is a list of 2; give 'auto'"),
        ({"prepare": np.array([1, 2])}, r"prepare is array\(\[1, 2\]\); give None"),
        ({"intercept": "fee"}, "intercept is 'fee'; did you mean 'free'"),
    ],
)
def test_settings_that_cannot_be_are_refused(classifier, settings, message):
    with pytest.raises(ValueError, match=message):
        classifier(**settings).fit(FRAME, Y)


@pytest.mark.parametrize(
    ("C0", "message"),
    [
        (-0.1, "C0 is -0.1; give a number of at least 0"),
        (np.nan, "C0 is nan; give a number"),
        (np.inf, "C0 is inf; give a number"),
        ([0.1, -1], "C0 is -1, which is negative"),
        ([0.1], "C0 has 1 entries for 2 features"),
        ({"age": 0.1}, "C0 has no entry for feature 'bmi'; add it, or a key"),
    ],
)
def test_a_size_penalty_that_cannot_be_is_refused(C0, message):
    with pytest.raises(ValueError, match=message):
        SLIMClassifier(C0=C0).fit(FRAME, Y)


@pytest.mark.parametrize(
    ("Cs", "message"),
    [
        ([], "Cs is empty; give at least one value"),
        ([0.1, -1], "a value of Cs is -1, which is negative"),
        ([0.1, np.inf], "a value of Cs is inf; give a finite number"),
        (["a"], "a value of Cs is 'a', which is not a number"),
        (0, "Cs is 0; give at least one value of C0, or how many to try"),
    ],
)
def test_values_to_try_that_cannot_be_are_refused(Cs, message):
    with pytest.raises(ValueError, match=message):
        SLIMClassifierCV(Cs=Cs, cv=2).fit(FRAME, Y)


def test_what_no_model_can_obey_is_refused(classifier):
    with pytest.raises(InfeasibleError, match=r"satisfies 'at most 1 feature' and '.* used' together"):
        classifier(constraints=must_use("*"), max_features=1).fit(FRAME, Y)


def test_an_unknown_solver_is_refused_with_the_nearest_known():
    with pytest.raises(InvalidOptionError, match="unknown solver 'higs'; did you mean 'highs'"):
        SLIMClassifier(solver="higs", C0=0.25).fit(FRAME, Y)
    with pytest.raises(InvalidOptionError, match="unknown solver 'higs'; did you mean 'highs'"):
        SLIMClassifierCV(solver="higs", cv=2).fit(FRAME, Y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C0": 0.2}, r"C0 = 0.2 is below the loss of a single row.* between 0.25 .* and 0.5"),
        ({"C0": 0.6}, r"C0 = 0.6 exceeds what features can save.* between 0.25 .* and 0.5"),
        ({"C0": 0.25, "C1": 0.1}, "C1 = 0.1 can change errors or size.* below .*'auto'"),
    ],
)
def test_a_penalty_outside_its_useful_range_warns_and_names_the_range(settings, message):
    with pytest.warns(PenaltyRangeWarning, match=message) as caught:
        SLIMClassifier(**settings, max_points=2, solver="exhaustive").fit(FRAME, Y)
    assert caught[0].filename == __file__  # the user's own line


def test_new_data_are_checked_like_the_training_data():
    model = SLIMClassifier(C0=0.25, max_points=2, solver="exhaustive").fit(FRAME, Y)
    with pytest.raises(ValueError, match="column 'age' has 1 missing value"):
        model.predict(with_nan(FRAME))
    with pytest.raises(ValueError, match=r"yet now missing:\n- bmi"):
        model.predict(FRAME[["age"]])
    with pytest.raises(ValueError, match="same order"):
        model.predict(FRAME[["bmi", "age"]])


@pytest.mark.parametrize("prepare", [None, "auto"])
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (lambda y: y.astype(str), "label '0' in row 0 .*classes are 0 and 1; give labels like those of fit"),
        (lambda y: y + 5, "label 5 in row 0"),
        (lambda y: np.where(np.arange(len(y)) == 3, 2, y), "label 2 in row 3"),
        (lambda y: np.where(y == 1, 1.0, np.nan), "missing label"),
        (lambda y: pd.Series(y, dtype="Int64").where(y == 1), "missing label"),
    ],
    ids=["text", "other numbers", "one of a third class", "NaN", "NA"],
)
def test_labels_that_are_none_of_the_classes_are_not_just_wrong(prepare, labels, message):
    X = np.arange(12).reshape(-1, 1)
    y = (X[:, 0] > 5).astype(int)
    model = SLIMClassifier(C0=0.1, max_points=2, prepare=prepare, solver="exhaustive").fit(X, y)
    with pytest.raises(InvalidInputError, match=message):
        model.score(X, labels(y))
    for same in (y.astype(bool), y.astype(float), pl.Series(y), list(y), pd.Series(y, dtype="Int64")):
        assert model.score(X, same) == 1
