"""Reading X and y the way scikit-learn does, without losing what frames know.

Arrays and sparse matrices pass through scikit-learn's own checks. A data frame keeps its columns separate: joined into
one array, a single-precision column would lose its decimals and a long integer its last digits.
"""

from collections.abc import Iterator, Mapping
from numbers import Number
from os import PathLike
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, validate_data

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted
from supersparse.learn.rows import two_classes
from supersparse.problem.rows import check_labelled
from supersparse.table.sources import as_array, as_frame, as_table, check_names, check_unmasked, is_array, source_of

_READS_ANY_FRAME = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 9)


def check_training(estimator: BaseEstimator, X: Any, y: Any, *, mappings: bool) -> None:
    """Refuse anything but a table with a label for each row, without printing any of it.

    `mappings` says whether X may be a mapping of columns.
    """
    if y is None:
        raise InvalidDataError(
            f"This {type(estimator).__name__} requires y to be passed, but the target y is None",
            (
                "call fit(X, y) with a table X of features and one label for each of its rows in y. If a "
                "column of X holds the labels, take it out: y = X.pop(name)"
            ),
        )
    if _dimensions(X) == 1 and (_is_mapping(y) or _width(y) > 1):
        raise InvalidDataError(
            "X has one dimension and y is a table: they look swapped",
            "call fit(X, y) with the table first, then the labels",
        )
    check_table(X, mappings=mappings)
    if (
        isinstance(y, str)
        or _is_mapping(y)
        or _dimensions(y) == 0
        or not (hasattr(y, "__len__") or hasattr(y, "__array__"))
    ):
        column = f", such as X[{y!r}], and X without that column" if isinstance(y, str) else ""
        raise InvalidDataError(f"y is {_described(y)}", f"give one label for each row of X{column:.200}")
    if _width(y) > 1:
        raise InvalidDataError(
            f"y is {_described(y)}", "give one label for each row of X, in one dimension or one column"
        )
    rows, labels = _length(next(iter(X.values())) if _is_mapping(X) else X), _length(y)
    if rows is not None and labels is not None and rows != labels:
        raise InvalidDataError(f"X has {rows} rows and y has {labels} labels", "give one label for each row")


def check_table(X: Any, *, mappings: bool) -> None:
    """Refuse anything but a table of rows and columns, without printing any of it."""
    if isinstance(X, str | PathLike):
        raise InvalidDataError(
            f"X is {_described(X)}", "read the table first, for example with pandas.read_csv, and give that"
        )
    if _is_mapping(X):
        sized = [name for name, column in X.items() if not hasattr(column, "__len__") or isinstance(column, str)]
        if mappings and X and not sized:
            return
        if mappings and X:
            remedy = f"{sized[0]!r:.60} has one value only; give each column a value for each row"
        elif mappings:
            remedy = "give it columns"
        else:
            remedy = 'give pandas.DataFrame(X), or use prepare="auto", which reads a dict of columns'
        raise InvalidDataError(f"X is {_described(X)}", remedy, subject="X")
    if isinstance(X, list | tuple) and X:
        if isinstance(X[0], Mapping):
            raise InvalidDataError(f"X is {_described(X)}, each a dict", "give pandas.DataFrame(X)")
        widths = {len(row) for row in X if isinstance(row, list | tuple)}
        if len(widths) > 1:
            raise InvalidDataError(
                f"X has rows of {min(widths)} to {max(widths)} values", "give every row the same number"
            )
    dimensions = _dimensions(X)
    if dimensions == 1:
        raise InvalidDataError(
            f"X is {_described(X)}, in one dimension. Reshape your data: X.reshape(-1, 1) if an array is one "
            "feature, X.reshape(1, -1) if it is one row",
            "or give a table of rows and columns",
        )
    if dimensions == 0 or (dimensions is None and not hasattr(X, "__array__") and as_frame(X) is None):
        raise InvalidDataError(
            f"X is {_described(X)}",
            "give a data frame or an array with a row for each case and a column for each feature",
        )


def _is_mapping(data: Any) -> bool:
    """Whether data are a mapping, and no sparse array that behaves like one."""
    return isinstance(data, Mapping) and not hasattr(data, "shape")


def _dimensions(data: Any) -> int | None:
    """How many dimensions there are; None where that cannot be told from outside."""
    if hasattr(data, "shape"):
        try:
            return len(data.shape)
        except TypeError:
            return None
    if isinstance(data, list | tuple):
        return 1 if not data or isinstance(data[0], str | Mapping) or np.ndim(data[0]) == 0 else 2
    return 0 if data is None or isinstance(data, Number | set | frozenset | Iterator) else None


def _width(data: Any) -> int:
    """How many columns labels have; 1 where they have one dimension, or where nobody can tell."""
    shape = getattr(data, "shape", None)
    if isinstance(shape, tuple) and len(shape) > 1:
        return int(shape[1]) if len(shape) == 2 else 2
    is_nested = isinstance(data, list | tuple) and data and isinstance(data[0], list | tuple)
    return len(data[0]) if is_nested else 1


def _length(data: Any) -> int | None:
    shape = getattr(data, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    return len(data) if isinstance(data, list | tuple) else None


def _described(data: Any) -> str:
    """Some data in a few words, whatever it holds."""
    kind = type(data).__name__
    if data is None or isinstance(data, Number):
        return f"{data!r:.40}"
    if isinstance(data, str | PathLike):
        return f"the text {str(data)!r:.60}"
    if _is_mapping(data):
        return f"of type {kind} with {counted(len(data), 'key')}"
    shape = getattr(data, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        return f"of type {kind} and shape {shape}"
    size = f" and length {len(data)}" if hasattr(data, "__len__") else ""
    return f"of type {kind}{size}"


def read_numeric_training(estimator: BaseEstimator, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return X, checked, and y as one dimension of at most two classes; sets what fit must set."""
    check_training(estimator, X, y, mappings=False)
    frame = as_frame(X)
    check_unmasked(X)
    check_unmasked(y)
    check_labelled(as_array(y))
    if frame is None:
        X, y = validate_data(estimator, X, y, accept_sparse="csc")
    else:
        X = frame.to_native()
        validate_data(estimator, _with_names(X, frame), y, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
    return X, two_classes(y)


def read_features(estimator: BaseEstimator, X: Any) -> Any:
    """Return X, checked against what fit has seen."""
    check_table(X, mappings=False)
    frame = as_frame(X)
    check_unmasked(X)
    if frame is None:
        return validate_data(estimator, X, reset=False, accept_sparse="csc")
    X = frame.to_native()
    validate_data(estimator, _with_names(X, frame), reset=False, skip_check_array=True)
    return X


def read_known_labels(y: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels as one dimension; raise for those that are missing or of no class that fit has seen."""
    labels: NDArray[Any] = column_or_1d(as_array(y))
    check_labelled(labels)
    known = np.zeros(len(labels), dtype=bool)
    for one in classes:
        known |= labels == one
    if not known.all():
        row = int(known.argmin())
        shown = " and ".join(repr(one) for one in classes.tolist())
        raise InvalidDataError(
            f"y has the label {labels.tolist()[row]!r} in row {row} (counted from 0), but the classes are {shown}",
            "give labels like those of fit, and drop rows of other classes",
        )
    return labels


class _Names:
    """The names and the shape of a frame, as scikit-learn before 1.9 asks for them."""

    def __init__(self, frame: "nw.DataFrame[Any]") -> None:
        self.shape, self._names = frame.shape, frame.columns

    def __dataframe__(self) -> "_Names":
        return self

    def column_names(self) -> list[str]:
        return self._names


def _with_names(X: Any, frame: "nw.DataFrame[Any]") -> Any:
    """Return X, or what an older scikit-learn needs to see its names.

    It reads them by a protocol that polars 2 no longer has. Without names, columns that come in
    another order than in fit would not be noticed.
    """
    return X if _READS_ANY_FRAME or hasattr(X, "__dataframe__") else _Names(frame)


def read_raw_training(estimator: BaseEstimator, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return a raw table as a frame, a mapping of columns or an array, and y; set what fit must set."""
    check_training(estimator, X, y, mappings=True)
    X = as_table(X)
    names = [] if is_array(X) else source_of(X).names
    check_names(names)
    if hasattr(estimator, "feature_names_in_"):
        delattr(estimator, "feature_names_in_")
    if names:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.n_features_in_ = len(names) or X.shape[1]
    return X, two_classes(column_or_1d(as_array(y), warn=True))
