"""Calls that a newcomer gets wrong: a short message with a remedy, and never the data."""

from collections import namedtuple

import numpy as np
import pandas as pd
import polars as pl
import pytest

from supersparse import RiskScoreClassifier, RiskScoreClassifierCV, SLIMClassifier, SLIMClassifierCV

SECRET = 31415926
N = 300
Y = np.arange(N) % 2
X = np.column_stack([Y * 3 + np.arange(N) % 5, np.full(N, SECRET), np.arange(N)])
FRAME = pd.DataFrame(X, columns=["age", "secret", "row"])
COLUMNS = FRAME.to_dict("list")
RECORDS = FRAME.to_dict("records")
Bunch = namedtuple("Bunch", "data target")


class Dataset:
    def __repr__(self):
        return str(X.tolist())


NO_LABELS = r"requires y to be passed.*call fit\(X, y\).*y = X.pop\(name\)"
SWAPPED = "X has one dimension and y is a table: they look swapped"
WRONG = {
    "a dict alone": ((COLUMNS,), NO_LABELS),
    "a frame alone": ((FRAME,), NO_LABELS),
    "an array alone": ((X,), NO_LABELS),
    "both in a tuple": (((X, Y),), NO_LABELS),
    "a data set alone": ((Bunch(X, Y),), NO_LABELS),
    "labels first": ((Y, X), SWAPPED),
    "labels first, then a frame": ((pd.Series(Y), FRAME), SWAPPED),
    "labels first, then columns": ((Y.tolist(), COLUMNS), SWAPPED),
    "labels first, then lists": ((Y.tolist(), X.tolist()), SWAPPED),
    "an object": ((Dataset(), Y), "X is of type Dataset; give a data frame or an array"),
    "a generator": (((row for row in X), Y), "X is of type generator; give a data frame"),
    "nothing": ((None, Y), "X is None; give a data frame"),
    "a set": (({SECRET, 2}, Y), "X is of type set and length 2; give a data frame"),
    "a file name": (("table.csv", "ill"), "X is the text 'table.csv'; read the table first"),
    "one column": ((X[:, 1], Y), r"X is of type ndarray and length 300, in one .* X.reshape\(-1, 1\)"),
    "one column of a frame": ((FRAME["secret"], Y), "X is of type Series and length 300, in one dimension"),
    "records": ((RECORDS, Y), r"X is of type list and length 300, each a dict; give pandas.DataFrame\(X\)"),
    "ragged rows": (([*X.tolist()[:-1], [SECRET]], Y), "X has rows of 1 to 3 values; give every row the same"),
    "a column's name": ((FRAME, "age"), r"y is the text 'age'; give one label .* such as X\['age'\]"),
    "a frame as labels": ((X, FRAME), r"y is of type DataFrame and shape \(300, 3\); give one label"),
    "a dict as labels": ((X, COLUMNS), "y is of type dict with 3 keys; give one label"),
    "a generator as labels": ((X, (label for label in Y)), "y is of type generator; give one label"),
    "a number as labels": ((X, SECRET % 2), "y is 0; give one label"),
    "too few labels": ((X, Y[:7]), "X has 300 rows and y has 7 labels; give one label for each row"),
    "too many labels": ((pl.DataFrame(FRAME), [0, 1] * N), "X has 300 rows and y has 600 labels"),
}
CLASSIFIERS = {
    "errors": lambda: SLIMClassifier(time_limit=5),
    "risk": lambda: RiskScoreClassifier(time_limit=5),
    "prepared": lambda: SLIMClassifier(prepare="auto", time_limit=5),
    "chosen": lambda: SLIMClassifierCV(time_limit=5),
    "chosen risk": lambda: RiskScoreClassifierCV(prepare="auto", time_limit=5),
}


def refused(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    told = str(error.value)
    assert len(told) < 330
    assert str(SECRET) not in told


@pytest.mark.parametrize("made", CLASSIFIERS.values(), ids=CLASSIFIERS)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_fit_names_the_remedy_and_prints_no_data(made, name):
    given, message = WRONG[name]
    refused(lambda: made().fit(*given), message)


def test_columns_without_a_preparation_are_told_how_to_become_a_table():
    message = r'X is of type dict with 3 keys; give pandas.DataFrame\(X\), or use prepare="auto"'
    refused(lambda: SLIMClassifier(prepare=None).fit(COLUMNS, Y), message)


def test_columns_with_a_preparation_are_a_table_unless_they_hold_one_value():
    message = "X is of type dict with 2 keys; 'age' has one value only; give each column a value for each row"
    refused(lambda: SLIMClassifier(prepare="auto").fit({"age": SECRET, "b": 2}, Y), message)
    refused(lambda: SLIMClassifier(prepare="auto").fit({}, Y), "X is of type dict with 0 keys; give it columns")
    refused(lambda: SLIMClassifier(prepare="auto").fit(COLUMNS, Y[:5]), "X has 300 rows and y has 5 labels")


@pytest.mark.parametrize("prepare", [None, "auto"])
def test_a_wrong_predict_prints_no_data_either(prepare):
    model = SLIMClassifier(prepare=prepare, C0=0.1, max_points=2, time_limit=20).fit(FRAME[["age"]], Y)
    for wrong, message in (
        (FRAME["age"], "in one dimension"),
        (X[0], "Reshape your data"),
        ("table.csv", "read the table first"),
        (None, "X is None"),
        (RECORDS, "each a dict"),
        (Dataset(), "of type Dataset"),
    ):
        refused(lambda wrong=wrong: model.predict(wrong), message)


@pytest.mark.parametrize(
    ("classifier", "other"), [(SLIMClassifier, "RiskScoreClassifier"), (SLIMClassifierCV, "RiskScoreClassifierCV")]
)
def test_risks_of_a_model_without_them_name_both_ways_to_get_some(classifier, other):
    message = rf'fit it with calibrate="isotonic" or calibrate="logistic", or use {other}$'
    for model in (classifier(), classifier(C0=0.1, max_points=2) if classifier is SLIMClassifier else classifier()):
        with pytest.raises(AttributeError, match=message):
            _ = model.predict_proba
        assert not hasattr(model, "predict_proba")
    assert hasattr(classifier(calibrate="isotonic"), "predict_proba")


def test_risks_of_a_fitted_model_without_them_name_both_ways_too():
    model = SLIMClassifier(C0=0.1, max_points=2, time_limit=20).fit(X, Y)
    with pytest.raises(AttributeError, match=r"calibrate=.* or use RiskScoreClassifier$"):
        model.predict_proba(X)
    assert "probability" in SLIMClassifier.predict_proba.__doc__
