"""Labels and weights."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from supersparse.errors import InvalidDataError
from supersparse.problem.rows import read_rows

X = [[1], [2], [3]]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([0, 1, 1], (0, 1)),
        ([-1, 1, 1], (-1, 1)),
        ([2.5, 7.0, 7.0], (2.5, 7.0)),
        ([False, True, True], (False, True)),
        (["benign", "malignant", "malignant"], ("benign", "malignant")),
        (pd.Series(["no", "yes", "yes"], dtype="category"), ("no", "yes")),
        (pd.Series([1, 2, 2], dtype="Int64"), (1, 2)),
        (pl.Series(["control", "case", "case"]), ("control", "case")),
    ],
)
def test_labels_may_be_any_two_values_and_the_positive_one_is_known_by_size_or_name(y, classes):
    rows = read_rows(X, y)
    assert rows.classes == classes
    assert rows.positive.tolist() == [False, True, True]


def test_the_positive_class_may_be_named():
    rows = read_rows(X, ["yes", "no", "no"], positive="no")
    assert rows.classes == ("yes", "no")
    assert rows.positive.tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 1, 1], r"y has 1 class\(es\): 1; a scoring system separates exactly two"),
        ([0, 1, 2], r"y has 3 class\(es\): 0, 1, 2; a scoring system separates exactly two"),
        ([0, 1], "y has 2 labels for 3 rows; give one label per row"),
        ([[0], [1], [1]], "y has 2 dimensions; give one label per row"),
        (None, "y has 0 dimensions; give one label per row"),
        ([0, 1, np.nan], r"y contains 1 missing label, the first in row 2 \(counted from 0\); drop those rows"),
        ([0, 1, np.inf], "y contains infinite labels"),
        (["a", "b", None], "y contains 1 missing label, the first in row 2"),
        (pd.Series(["a", pd.NA, "b", pd.NA], dtype="string"), "y contains 2 missing labels, the first in row 1"),
        (pd.Series([0, 1, None], dtype="Int64"), "y contains 1 missing label"),
        ([0, 1, "1"], "y mixes text with other labels; give two values of one type"),
        (np.array([0, 1, "1"], dtype=object), "y mixes labels of different types"),
    ],
)
def test_labels_that_are_not_two_classes_are_refused(y, message):
    with pytest.raises(InvalidDataError, match=message):
        read_rows(X, y)


def test_an_unknown_positive_class_is_refused():
    with pytest.raises(InvalidDataError, match="positive class 7 is not among the labels 0 and 1; name one"):
        read_rows(X, [0, 1, 1], positive=7)


def test_weights_become_integers_over_one_unit():
    rows = read_rows(X, [0, 1, 1], sample_weight=[0.5, 1.5, 1])
    assert rows.weights.tolist() == [1, 3, 2]
    assert rows.weight_unit == Fraction(1, 2)


def test_a_row_of_weight_zero_is_a_row_that_is_not_there():
    rows = read_rows([[1], [0.001], [3]], [0, 1, 1], sample_weight=pd.Series([2, 0, 4]))
    assert rows.columns[0].tolist() == [1, 3]
    assert rows.weights.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2, 1], "sample_weight contains -2, which is negative; give weights of 0 or more"),
        ([0, 0, 0], "all sample weights are zero"),
        ([1, np.nan, 1], "sample_weight contains NaN or infinite values; give finite"),
        ([1, np.inf, 1], "sample_weight contains NaN or infinite values"),
        ([1, 1], r"sample_weight has shape \(2,\) for 3 rows; give one weight per row"),
        (1, r"sample_weight has shape \(\) for 3 rows"),
        (["a", "b", "c"], "sample_weight contains .*, not numbers"),
        ([0, 1, 1], "only one class is left after dropping the rows of weight 0.* of class \\S+ a weight"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(weights, message):
    with pytest.raises(InvalidDataError, match=message):
        read_rows(X, [0, 1, 1], sample_weight=weights)
