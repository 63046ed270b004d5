"""TrainingRows: what is learned from, whatever kind of table it came in."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from supersparse.base.errors import InvalidDataError
from supersparse.learn.horizon import FollowUp
from supersparse.problem.rows import check_labelled, group_columns
from supersparse.table.reading import Reading
from supersparse.table.sources import as_array, as_frame, as_series
from supersparse.table.training import TrainingTable
from supersparse.table.values import objects


def two_classes(y: NDArray[Any]) -> NDArray[Any]:
    """Return y; raise when labels are missing or there are more than two classes."""
    check_labelled(y)
    try:
        classes = np.unique(y)
    except TypeError:
        raise InvalidDataError("y mixes labels of different types", "give two values of one type") from None
    if len(classes) > 2:
        check_classification_targets(y)
        shown = ", ".join(repr(c) for c in classes[:5].tolist()) + (", ..." if len(classes) > 5 else "")
        raise InvalidDataError(
            "Only binary classification is supported. The type of the target is multiclass: y has "
            f"{len(classes)} classes ({shown})",
            "merge them into two, or drop the rows of the others",
        )
    return y


def name_of(y: Any) -> str | None:
    """Return the name of a series, None where there is none."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a frame, a mapping of columns, an array or a sparse matrix, in the same kind."""
    if isinstance(X, Mapping):
        return {name: _take_values(column, rows) for name, column in X.items()}
    frame = as_frame(X)
    if frame is not None:
        return frame[rows].to_native()
    return (X.tocsr() if hasattr(X, "tocsr") else np.asarray(X))[rows]


def without_column(X: Any, name: str) -> tuple[Any, NDArray[Any]]:
    """Return a mapping or frame without one of its columns, and that column."""
    if isinstance(X, Mapping):
        return {other: values for other, values in X.items() if other != name}, as_array(X[name])
    frame = as_frame(X)
    assert frame is not None, "only columns with names can be left out by name"
    return frame.drop(name).to_native(), as_array(frame[name].to_native())


def _take_values(column: Any, rows: NDArray[np.intp]) -> Any:
    """Return some values of one column, in the type they came in."""
    series = as_series(column)
    if series is not None:
        return series[rows].to_native()
    if isinstance(column, np.ndarray):
        return column[rows]
    return objects(column)[rows]  # of objects: numpy would turn numbers among text into text


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingRows:
    """The rows that a fit learns from; with a preparation X holds raw columns."""

    X: Any
    y: NDArray[Any]
    sample_weight: Any
    rate_groups: Any
    groups: Any = None  # which folds keep together
    times: Any = None  # in whose order folds divide the rows
    names: tuple[str, ...] | None = None  # of the columns, where X is an array with names
    title: str | None = None  # what is predicted: the name of y
    notes: tuple[str, ...] = ()  # on rows that were left out
    reading: Reading | None = None  # how the file was read that they came from
    is_counted: bool = False  # whether each stands for as many as its weight says
    risks: NDArray[np.float64] | None = None  # of a teacher, one a row
    follow_up: FollowUp | None = None  # of a risk within a horizon; it gives the rows their weights

    @property
    def n_columns(self) -> int:
        """How many columns X has."""
        return len(self.X) if isinstance(self.X, Mapping) else int(self.X.shape[1])

    @property
    def column_names(self) -> list[str]:
        """The names of the columns of a mapping or frame; none for an array."""
        if isinstance(self.X, Mapping):
            return list(self.X)
        frame = as_frame(self.X)
        return [] if frame is None else list(frame.columns)

    @property
    def copies(self) -> NDArray[Any] | None:
        """How many rows each stands for; None for one."""
        return self.sample_weight if self.is_counted else None

    @classmethod
    def of_table(cls, table: TrainingTable, *, prepared: bool) -> "TrainingRows":
        """Return the rows of a file: raw columns where they will be prepared, else a numeric matrix."""
        raw = {name: column.values for name, column in table.columns.items()}
        return cls(
            X=raw if prepared else table.matrix(),
            y=table.y,
            sample_weight=table.weights,
            rate_groups=dict(table.rate_groups) or None,
            groups=table.groups,
            times=table.times,
            names=None if prepared else tuple(table.columns),
            title=table.target,
            reading=table.reading,
        )

    def take(self, rows: NDArray[np.intp], note: str | None = None) -> "TrainingRows":
        """Return some of the rows, with a note that says why."""
        by_row = {name: getattr(self, name) for name in ("sample_weight", "groups", "times", "risks")}
        taken: dict[str, Any] = {n: None if of is None else as_array(of)[rows] for n, of in by_row.items()}
        return replace(
            self,
            X=take_rows(self.X, rows),
            y=self.y[rows],
            rate_groups={n: labels[rows] for n, labels in group_columns(self.rate_groups).items()} or None,
            notes=self.notes if note is None else (*self.notes, note),
            follow_up=None if self.follow_up is None else self.follow_up.take(rows),
            **taken,
        )

    def part(self, rows: NDArray[np.intp]) -> "TrainingRows":
        """Return some of the rows, to learn or to judge by themselves: their follow-up weighs them anew."""
        taken = self.take(rows)
        return taken if taken.follow_up is None else replace(taken, sample_weight=taken.follow_up.row_weights())

    def within(self, follow_up: FollowUp, event: object, lost: object) -> "TrainingRows":
        """Return the same rows with the classes and weights of a risk within a horizon."""
        if self.sample_weight is not None:
            raise InvalidDataError("rows of a follow-up have weights by it, and cannot have others", "remove weights")
        y = np.where(follow_up.cases, np.array(event), np.array(lost))
        return replace(self, y=y, sample_weight=follow_up.row_weights(), follow_up=follow_up)
