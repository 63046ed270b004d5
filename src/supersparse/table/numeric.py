"""Features as tables of finite numbers, each column in the type it came in; and which label is positive."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import exact
from supersparse.table.cells import is_number
from supersparse.table.sources import (
    ArraySource,
    FrameSource,
    as_frame,
    as_series,
    check_names,
    check_unmasked,
    is_column,
)
from supersparse.table.values import is_missing

Values = NDArray[Any]


def read_numeric_table(X: object, feature_names: Sequence[str] | None = None) -> tuple[list[str], list[Values]]:
    """Return the names and the columns: finite numbers in the type they came in.

    Columns of Python objects become fractions, so nothing is rounded on the way in. An array's columns are called x0,
    x1, ... unless `feature_names` says otherwise. A mapping names its columns.
    """
    names, columns = _read_columns(X)
    if feature_names is not None:
        names = [str(n) for n in feature_names]
        if len(names) != len(columns):
            raise InvalidDataError(f"feature_names has {len(names)} names for {len(columns)} columns", "give one each")
    check_names(names)
    return names, [_finite(numeric_column(c, name), name) for c, name in zip(columns, names, strict=True)]


def _read_columns(X: object) -> tuple[list[str], list[Values]]:
    if isinstance(X, Mapping):
        return [str(name) for name in X], _mapped(X)
    frame = as_frame(X)
    if frame is not None:
        source = FrameSource(frame)
        return source.names, [_frame_column(c, n) for c, n in zip(source.series, source.names, strict=True)]
    matrix: Any = X if hasattr(X, "tocsc") else _matrix(X)
    array = ArraySource(matrix, {f"x{j}": j for j in range(matrix.shape[1])})
    return array.names, [array.values(j) for j in range(len(array.names))]


def _mapped(X: Mapping[Any, object]) -> list[Values]:
    columns: list[Values] = []
    for name, values in X.items():
        if not is_column(values):
            raise InvalidDataError(f"column {name!r} is {values!r}", "give a value for each row")
        series = as_series(values)
        column = np.asarray(values) if series is None else _frame_column(series, str(name))
        if column.ndim != 1:
            raise InvalidDataError(f"column {name!r} has shape {column.shape}", "give one value for each row")
        if columns and len(column) != len(columns[0]):
            first = next(iter(X))
            raise InvalidDataError(
                f"column {name!r} has {len(column)} values and {first!r} has {len(columns[0])}",
                "give one value for each row",
            )
        columns.append(column)
    return columns


def _matrix(X: object) -> Values:
    check_unmasked(X)
    try:
        matrix = np.asarray(X)
    except ValueError:
        raise InvalidDataError("the rows of X differ in length", "give every row the same number of values") from None
    if matrix.ndim != 2:
        raise InvalidDataError(f"X has {matrix.ndim} dimension(s)", "give a table of rows and columns")
    return matrix


def _frame_column(series: Any, name: str) -> Values:
    dtype = series.dtype
    missing = int(series.null_count())
    if missing:
        raise _missing(name, missing)
    if dtype.is_decimal():
        return np.array([Fraction(v) for v in series.to_list()], dtype=object)
    if dtype.is_numeric() or dtype in (nw.Boolean, nw.Object, nw.Unknown):
        return np.asarray(series.to_numpy())
    raise _not_numbers(name, str(dtype))


def numeric_column(column: Values, name: str) -> Values:
    """Return the column if it holds numbers; Python objects become fractions."""
    if column.dtype.kind in "buif":
        return column
    if column.dtype != object:
        raise _not_numbers(name, repr(column[0].item()) if len(column) else str(column.dtype))
    missing = sum(is_missing(v) and not isinstance(v, str) for v in column)
    if missing:
        raise _missing(name, missing)
    if all(type(v) is float for v in column):
        return column.astype(np.float64)
    for value in column:
        if isinstance(value, float | np.floating | Decimal) and abs(value) == float("inf"):
            raise InvalidDataError(f"column {name!r} holds an infinite value ({value})", "replace it or drop the row")
        if isinstance(value, str | bytes) or not hasattr(value, "__abs__") or isinstance(value, complex):
            raise _not_numbers(name, repr(value))
    return np.array([exact(v, f"a value of column {name!r}", InvalidDataError) for v in column], dtype=object)


def checked_weights(weights: Values, n_rows: int) -> Values:
    """Return the weights of rows if each is finite and at least 0; Python objects become fractions."""
    if weights.dtype.kind not in "buifO":
        raise InvalidDataError(f"sample_weight contains {weights.dtype}, not numbers", "give one number per row")
    if weights.shape != (n_rows,):
        raise InvalidDataError(f"sample_weight has shape {weights.shape} for {n_rows} rows", "give one weight per row")
    if weights.dtype.kind == "f" and not np.isfinite(weights).all():
        raise InvalidDataError("sample_weight contains NaN or infinite values", "give finite weights")
    weights = numeric_column(weights, "sample_weight")
    if (weights < 0).any():
        raise InvalidDataError(
            f"sample_weight contains {weights.min()}, which is negative", "give weights of 0 or more"
        )
    return weights


def _finite(column: Values, name: str) -> Values:
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        missing = int(np.isnan(column).sum())
        if missing:
            raise _missing(name, missing)
        count = int(np.isinf(column).sum())
        raise InvalidDataError(f"column {name!r} has {count} infinite value(s) (inf)", "replace them or drop the rows")
    return column


def _missing(name: str, count: int) -> InvalidDataError:
    return InvalidDataError(
        f"column {name!r} has {count} missing value(s) (NaN)",
        "fill them in, drop the rows, or add a 0/1 column that says 'missing'",
    )


def _not_numbers(name: str, content: str) -> InvalidDataError:
    return InvalidDataError(
        f"column {name!r} holds {content}, not numbers", "turn it into 0/1 columns, one for each category, or drop it"
    )


_POSITIVE = {
    "yes", "y", "ja", "oui", "si", "sí", "sì", "sim", "true", "t", "case", "cases", "event", "died", "dead",
    "death", "deceased", "positive", "pos", "malignant", "cancer", "ill", "sick", "disease", "diseased",
    "abnormal", "relapse", "recurrence", "failure", "failed", "default", "defaulted", "fraud",
}  # fmt: skip
_NEGATED = {
    "no", "not", "non", "none", "without", "free", "never", "nein", "kein", "keine", "nicht", "pas", "sin",
}  # fmt: skip
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PositiveClass:
    """The label, and why it was taken, after the words "it was chosen"."""

    label: object
    why: str


def positive_of(counts: Mapping[object, int]) -> PositiveClass:
    """Choose between two labels, given in sorted order with their numbers of rows.

    Of two numbers, and of true and false, it is the larger. Of texts it is the one with a usual name for a
    positive class ("yes", "died", "malignant"), unless that is negated ("not ill"). If that does not decide,
    it is the rarer one; of two equally frequent ones, the last in sorted order.

    >>> positive_of({"case": 60, "control": 40}).label, positive_of({0: 3, 1: 9}).label
    ('case', 1)
    >>> positive_of({"blue": 1, "red": 2})
    PositiveClass(label='blue', why='the rarer class')
    """
    first, last = counts
    texts = [label if isinstance(label, str) else None for label in (first, last)]
    if all(text is None for text in texts):
        return PositiveClass(label=last, why="the larger value")
    if all(text is not None and is_number(text.strip()) for text in texts):
        larger = max((first, last), key=lambda label: float(str(label)))
        return PositiveClass(label=larger, why="the larger value")
    named = [label for label, text in zip((first, last), texts, strict=True) if text and _is_named(text)]
    if len(named) == 1:
        return PositiveClass(label=named[0], why="the usual name of an event")
    if counts[first] < counts[last]:
        return PositiveClass(label=first, why="the rarer class")
    if counts[first] > counts[last]:
        return PositiveClass(label=last, why="the rarer class")
    return PositiveClass(label=last, why="the last in alphabetical order, both being equally frequent")


def _is_named(text: str) -> bool:
    words = set(_WORD.findall(text.casefold()))
    return bool(words & _POSITIVE) and not words & _NEGATED
