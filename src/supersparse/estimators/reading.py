"""Reading X and y the way scikit-learn does, without losing what frames know.

Arrays and sparse matrices pass through scikit-learn's own checks. A data frame keeps its
columns apart: joined into one array, a single-precision column would lose its decimals and
a long integer its last digits.
"""

from typing import Any

import narwhals.stable.v1 as nw
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, validate_data

from supersparse.data.frames import as_frame
from supersparse.learning.rows import two_classes

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
