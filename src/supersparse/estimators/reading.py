"""Reading X and y the way scikit-learn does, without losing what frames know.

Arrays and sparse matrices pass through scikit-learn's own checks. A data frame keeps its
columns apart: joined into one array, a single-precision column would lose its decimals and
a long integer its last digits.
"""

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, validate_data

from supersparse.data.sources import (
    as_array,
    as_frame,
    as_table,
    check_names,
    check_unmasked,
    is_array,
    source_of,
)
from supersparse.errors import InvalidDataError
from supersparse.learning.rows import two_classes
from supersparse.problem.rows import check_labelled

_READS_ANY_FRAME = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 9)


def read_numeric_training(estimator: BaseEstimator, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return X, checked, and y as one dimension of at most two classes; sets what fit must set."""
    frame = as_frame(X)
    check_unmasked(X)
    check_unmasked(y)
    if y is not None:
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
            f"y has the label {labels.tolist()[row]!r} in row {row} (counted from 0), but the classes are "
            f"{shown}; give labels like those of fit, and drop rows of other classes"
        )
    return labels


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


def read_raw_training(estimator: BaseEstimator, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return a raw table as a frame, a mapping of columns or an array, and y; set what fit must set."""
    X = as_table(X)
    names = [] if is_array(X) else source_of(X).names
    check_names(names)
    if hasattr(estimator, "feature_names_in_"):
        delattr(estimator, "feature_names_in_")
    if names:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.n_features_in_ = len(names) or X.shape[1]
    return X, two_classes(column_or_1d(as_array(y), warn=True))
