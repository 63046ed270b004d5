"""Tables from any frame, array or sparse matrix."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from supersparse.errors import InvalidDataError
from supersparse.problem.problem import Problem
from supersparse.table.numeric import read_numeric_table

VALUES = {"age": [30, 41, 0, 7], "bmi": [0.1, 22.5, -3.25, 0.3]}
LABELS = [0, 1, 1, 0]
MATRIX = np.column_stack([VALUES["age"], VALUES["bmi"]])

SAME_TABLE = {
    "pandas": pd.DataFrame(VALUES),
    "pandas nullable": pd.DataFrame(VALUES).convert_dtypes(),
    "pandas pyarrow": pd.DataFrame(VALUES).convert_dtypes(dtype_backend="pyarrow"),
    "pandas sparse": pd.DataFrame({k: pd.arrays.SparseArray(v) for k, v in VALUES.items()}),
    "pandas objects": pd.DataFrame(VALUES).astype(object),
    "polars": pl.DataFrame(VALUES),
    "pyarrow": pa.table(VALUES),
    "numpy": MATRIX,
    "numpy objects": MATRIX.astype(object),
    "fortran order": np.asfortranarray(MATRIX),
    "lists": MATRIX.tolist(),
    "csr matrix": sp.csr_matrix(MATRIX),
    "csc array": sp.csc_array(MATRIX),
    "coo array": sp.coo_array(MATRIX),
}


@pytest.mark.parametrize("kind", SAME_TABLE)
def test_every_kind_of_table_gives_the_same_problem(kind):
    rows = Problem.of(SAME_TABLE[kind], LABELS, feature_names=["age", "bmi"]).rows
    assert rows.names == ("age", "bmi")
    assert [c.tolist() for c in rows.columns] == [[30, 41, 0, 7], [2, 450, -65, 6]]
    assert rows.scales == (1, 20)


def test_single_precision_columns_of_a_frame_keep_their_own_decimals():
    frame = pd.DataFrame({"a": np.array([0.1, 0.7], dtype=np.float32), "b": [2**60 + 1, 1]})
    rows = Problem.of(frame, [0, 1]).rows
    assert rows.columns[0].tolist() == [1, 7]
    assert rows.columns[1].tolist() == [2**60 + 1, 1]


def test_names_come_from_the_frame_and_arrays_are_numbered():
    assert read_numeric_table(SAME_TABLE["polars"])[0] == ["age", "bmi"]
    assert read_numeric_table(MATRIX)[0] == ["x0", "x1"]
    assert read_numeric_table(MATRIX, ["a", "b"])[0] == ["a", "b"]


def test_columns_called_by_numbers_are_read_by_position():
    names, columns = read_numeric_table(pd.DataFrame([[1, 2], [3, 4]], columns=[1, 0]))
    assert names == ["1", "0"]
    assert [c.tolist() for c in columns] == [[1, 3], [2, 4]]


def test_booleans_are_zero_and_one():
    frame = pl.DataFrame({"smoker": [True, False]})
    assert Problem.of(frame, [1, 0]).rows.columns[0].tolist() == [1, 0]


@pytest.mark.parametrize(
    "objects", [[Fraction(1, 3), 1], [Decimal("0.12345678901234567891"), 2], [2**70 + 1, 0.5]], ids=str
)
def test_python_numbers_are_never_rounded(objects):
    rows = Problem.of(np.array([objects], dtype=object).T, [0, 1]).rows
    assert [Fraction(int(v), rows.scales[0]) for v in rows.columns[0]] == [Fraction(v) for v in objects]


def test_decimal_columns_of_a_frame_are_never_rounded():
    table = pa.table({"a": pa.array([Decimal("0.12345678901234567891"), Decimal(1)])})
    rows = Problem.of(table, [0, 1]).rows
    assert Fraction(int(rows.columns[0][0]), rows.scales[0]) == Fraction("0.12345678901234567891")


MISSING = r"column 'age' has 1 missing value\(s\) \(NaN\); fill them in, drop the rows"


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"age": [1, np.nan]}), MISSING),
        (pd.DataFrame({"age": pd.array([1, None], dtype="Int64")}), MISSING),
        (pd.DataFrame({"age": pd.array([Decimal(1), None], dtype=object)}), MISSING),
        (pl.DataFrame({"age": [1, None]}), MISSING),
        (pl.DataFrame({"age": [1.0, float("nan")]}), MISSING),
        (pa.table({"age": [1, None]}), MISSING),
        (sp.csr_array([[np.nan], [1.0]]), r"column 'x0' has 1 missing value"),
        ([[np.inf], [1]], r"column 'x0' has 1 infinite value\(s\) \(inf\); replace them"),
        (np.array([[Decimal("Infinity")], [1]], dtype=object), "column 'x0' holds an infinite value"),
        (pd.DataFrame({"age": ["old", "young"]}), "column 'age' holds String, not numbers; turn it into 0/1"),
        (pd.DataFrame({"age": ["old", 3]}, dtype=object), "column 'age' holds 'old', not numbers; turn it into"),
        (pl.DataFrame({"age": ["1", "2"]}), "column 'age' holds String, not numbers"),
        (np.array([["a"], ["b"]]), "column 'x0' holds 'a', not numbers"),
        (np.array([[1j], [2]]), "column 'x0' holds 1j, not numbers"),
        (pd.DataFrame({"age": pd.to_datetime(["2020-01-01", "2021-01-01"])}), "'age' holds Datetime"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["age", "age"]), "two columns are named 'age'; .* rename one"),
        (pa.table([[1, 2], [3, 4]], names=["age", "age"]), "two columns are named 'age'"),
        (pa.RecordBatch.from_arrays([[1, 2], [3, 4]], names=["age", "age"]), "two columns are named 'age'"),
        (pl.LazyFrame({"age": [1, 2]}), r"lazy frame, .* give X.collect\(\)"),
        ([[1, 2], [3]], "rows of X differ in length"),
        ([1, 2], r"X has 1 dimension\(s\); give a table"),
        (np.zeros((0, 3)), "there are 0 rows or 0 columns"),
        (np.zeros((3, 0)), "there are 0 rows or 0 columns"),
        (pd.DataFrame({"age": []}), "there are 0 rows or 0 columns"),
    ],
)
def test_what_cannot_be_used_is_refused_by_column_with_what_to_do(X, message):
    with pytest.raises(InvalidDataError, match=message):
        Problem.of(X, [0, 1])


def test_given_names_must_differ_and_be_as_many_as_the_columns():
    with pytest.raises(InvalidDataError, match="two columns are named 'a'"):
        read_numeric_table(MATRIX, ["a", "a"])
    with pytest.raises(InvalidDataError, match="feature_names has 1 names for 2 columns; give one each"):
        read_numeric_table(MATRIX, ["a"])
