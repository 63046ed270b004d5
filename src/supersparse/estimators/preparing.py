"""Raw tables in a classifier: prepared inside fit, so that nothing of other rows reaches the features."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import column_or_1d

from supersparse.card.scoring import score_table
from supersparse.card.tables import column_names
from supersparse.data.frames import check_names
from supersparse.errors import InvalidDataError
from supersparse.estimators.reading import as_array, take_rows, two_classes
from supersparse.exact import quotients
from supersparse.faces import ScoringSystem
from supersparse.prepare import Prepare
from supersparse.prepare.raw import is_array
from supersparse.problem.rows import group_columns
from supersparse.problem.sets import read_bounds

Bounds = tuple[Any, Any] | None  # least and largest points, None where open


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingRows:
    """What a fit learns from; with a preparation X holds raw columns."""

    X: Any
    y: NDArray[Any]
    sample_weight: Any
    rate_groups: Any
    splitter_groups: Any = None
    notes: tuple[str, ...] = ()  # on rows that were left out

    def take(self, rows: NDArray[np.intp], note: str) -> "TrainingRows":
        """The same for some rows, with a note that says why."""
        return TrainingRows(
            X=take_rows(self.X, rows),
            y=self.y[rows],
            sample_weight=None if self.sample_weight is None else as_array(self.sample_weight)[rows],
            rate_groups={n: labels[rows] for n, labels in group_columns(self.rate_groups).items()} or None,
            splitter_groups=None if self.splitter_groups is None else as_array(self.splitter_groups)[rows],
            notes=(*self.notes, note),
        )


def new_preparation(prepare: Any) -> Prepare:
    """Return what the parameter `prepare` asks for, not fitted."""
    return Prepare() if isinstance(prepare, str) else clone(prepare)


def within_directions(bounds: Any, directions: Sequence[Bounds], names: Sequence[str]) -> list[Bounds]:
    """Narrow what the user allows for each prepared feature to the direction that its column has."""
    if bounds is None:
        return list(directions)
    return [
        own if direction is None else _both(own or (None, None), direction)
        for own, direction in zip(read_bounds(bounds, names), directions, strict=True)
    ]


def _both(own: tuple[Any, Any], direction: tuple[Any, Any]) -> tuple[Any, Any]:
    low = [end for end in (own[0], direction[0]) if end is not None]
    high = [end for end in (own[1], direction[1]) if end is not None]
    return max(low, default=None), min(high, default=None)


def read_raw_training(estimator: BaseEstimator, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return a raw table as a frame, a mapping of columns or an array, and y; set what fit must set."""
    X = _as_table(X)
    names = [] if is_array(X) else column_names(X)
    check_names(names)
    if hasattr(estimator, "feature_names_in_"):
        delattr(estimator, "feature_names_in_")
    if names:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.n_features_in_ = len(names) or X.shape[1]
    return X, two_classes(column_or_1d(as_array(y), warn=True))


def _as_table(X: Any) -> Any:
    """Return lists of rows and sparse matrices as arrays, other tables as they are."""
    if not is_array(X):
        return X
    array = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=getattr(X, "dtype", object))
    if array.ndim != 2:
        raise InvalidDataError(f"X has {array.ndim} dimension(s); give a table of rows and columns")
    return array


def complete_only(prepare: Any, given: TrainingRows) -> TrainingRows:
    """Leave out the rows that ``missing="drop"`` does not learn from."""
    preparation = new_preparation(prepare)
    if preparation.missing != "drop":
        return given
    complete = preparation.complete_rows(given.X)
    if complete.all():
        return given
    if not complete.any():
        raise InvalidDataError(
            "every row has a missing value and missing='drop' leaves none; use missing='item'"
        )
    dropped = f"{int((~complete).sum())} of {len(complete)} rows dropped for missing values"
    return given.take(np.flatnonzero(complete), dropped)


def raw_scores(system: ScoringSystem, X: Any) -> NDArray[np.float64]:
    """Score raw rows with the card over raw columns."""
    scores = score_table(system.card, _as_table(X))
    return quotients(scores.numerators, scores.denominator)
