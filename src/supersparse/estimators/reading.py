"""Reading X and y the way scikit-learn does, without losing what frames know.

Arrays and sparse matrices pass through scikit-learn's own checks. A data frame keeps its
columns apart: joined into one array, a single-precision column would lose its decimals and
a long integer its last digits.
"""

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from supersparse.data.frames import as_frame
from supersparse.errors import InvalidDataError

_READS_ANY_FRAME = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 9)


def read_training(estimator: BaseEstimator, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return X, checked, and y as one dimension of at most two classes; sets what fit must set."""
    frame = as_frame(X)
    if frame is None:
        X, y = validate_data(estimator, X, y, accept_sparse="csc")
    else:
        validate_data(estimator, _with_names(X, frame), y, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
    return X, two_classes(y)


def read_features(estimator: BaseEstimator, X: Any) -> Any:
    """Return X, checked against what fit has seen."""
    frame = as_frame(X)
    if frame is None:
        return validate_data(estimator, X, reset=False, accept_sparse="csc")
    validate_data(estimator, _with_names(X, frame), reset=False, skip_check_array=True)
    return X


class _Names:
    """The names and the shape of a frame, as scikit-learn before 1.9 asks for them."""

    def __init__(self, frame: "nw.DataFrame[Any]") -> None:
        self.shape, self._names = frame.shape, frame.columns

    def __dataframe__(self) -> "_Names":
        return self

    def column_names(self) -> list[str]:
        """The names in their order."""
        return self._names


def _with_names(X: Any, frame: "nw.DataFrame[Any]") -> Any:
    """Return X, or what an older scikit-learn needs to see its names.

    It reads them by a protocol that polars 2 no longer has. Without names, columns that come in
    another order than in fit would not be noticed.
    """
    return X if _READS_ANY_FRAME or hasattr(X, "__dataframe__") else _Names(frame)


def two_classes(y: NDArray[Any]) -> NDArray[Any]:
    """Return y; raise when it has more than two classes."""
    try:
        classes = np.unique(y)
    except TypeError:
        raise InvalidDataError("y mixes labels of different types; give two values of one type") from None
    if len(classes) > 2:
        check_classification_targets(y)
        shown = ", ".join(repr(c) for c in classes[:5].tolist()) + (", ..." if len(classes) > 5 else "")
        raise InvalidDataError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {len(classes)} classes ({shown}); merge them into two, or drop the rows of the others"
        )
    return y


def as_array(values: Any) -> NDArray[Any]:
    """Return a list, an array or a series of any library as an array."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    return np.asarray(series.to_numpy() if isinstance(series, nw.Series) else values)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a frame, a mapping of columns, an array or a sparse matrix, in the same kind."""
    if isinstance(X, Mapping):
        return {name: _take_values(column, rows) for name, column in X.items()}
    frame = as_frame(X)
    if frame is not None:
        return frame[rows].to_native()
    return _safe_indexing(X.tocsr() if hasattr(X, "tocsr") else X, rows)


def _take_values(column: Any, rows: NDArray[np.intp]) -> Any:
    """Return some values of one column, in the type they came in."""
    series = nw.from_native(column, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return series[rows].to_native()
    if isinstance(column, np.ndarray):
        return column[rows]
    held = np.empty(len(column), dtype=object)  # of objects: numpy would turn numbers beside text into text
    held[:] = column
    return held[rows]
