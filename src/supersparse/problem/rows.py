"""Rows: the training data, read once and stored exactly, and their groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted
from supersparse.base.integer_arrays import (
    Flags,
    Floats,
    IntArray,
    Lazily,
    fits_int64,
    gcd_of,
    integer_column,
    largest_magnitude,
)
from supersparse.table.numeric import PositiveClass, checked_weights, positive_of, read_numeric_table
from supersparse.table.small_table import SmallTable, Tabular, facts, listed
from supersparse.table.sources import as_array, as_frame, as_series
from supersparse.table.values import is_missing, objects

LARGE = 2**21
"""With more values than this, floats are made exact column by column, when they are used."""

LABEL_UNIT = 2**20
"""Soft labels are whole multiples of 1 / LABEL_UNIT."""

ONLY_GROUPING = "group"
"""The name of a grouping that is passed as a plain array."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Grouping(Tabular):
    """One way to divide the rows: row i belongs to the group ``labels[codes[i]]``."""

    name: str
    labels: tuple[object, ...]
    codes: NDArray[np.intp]

    def of(self, label: object) -> Flags:
        """The rows of a group, as a mask."""
        members: Flags = self.codes == self.labels.index(label)
        return members


def read_groups(rate_groups: object, n_rows: int, keep: Flags) -> tuple[Grouping, ...]:
    """Read ``{name: one label per row}``, a data frame, or an array, which is called "group".

    Labels that occur only in dropped rows are not groups.
    """
    return tuple(_read_grouping(name, labels, n_rows, keep) for name, labels in group_columns(rate_groups).items())


def group_columns(rate_groups: object) -> dict[str, NDArray[Any]]:
    """Return the labels of each grouping as an array, unchecked."""
    if rate_groups is None:
        return {}
    if isinstance(rate_groups, Mapping):
        for name in rate_groups:
            if not isinstance(name, str):
                raise InvalidDataError(f"rate_groups: the key {name!r} is not a name", "use text")
        return {name: _labels(labels) for name, labels in rate_groups.items()}
    frame = as_frame(rate_groups)
    if frame is not None:
        return {str(name): _labels(frame[name].to_list()) for name in frame.columns}
    return {ONLY_GROUPING: _labels(rate_groups)}


def _labels(labels: object) -> NDArray[Any]:
    series = as_series(labels)
    plain: Any = labels if series is None else series.to_list()
    if isinstance(plain, np.ndarray):
        plain = plain.tolist()
    if isinstance(plain, str) or not hasattr(plain, "__len__") or not hasattr(plain, "__iter__"):
        raise InvalidDataError(f"rate_groups: {labels!r} is not a list of labels", "give one label per row")
    return objects(v.item() if isinstance(v, np.generic) else v for v in plain)  # distinguishes 1 from "1"


def _read_grouping(name: str, labels: NDArray[Any], n_rows: int, keep: Flags) -> Grouping:
    if len(labels) != n_rows:
        raise InvalidDataError(
            f"rate_groups: {name!r} has {len(labels)} labels for {n_rows} rows", "give one label per row"
        )
    for i, label in enumerate(labels):
        if is_missing(label) and not isinstance(label, str):
            raise InvalidDataError(
                f"rate_groups: {name!r} has no label for row {i} (counted from 0)",
                "give it one, such as 'unknown', or drop the row",
            )
        if isinstance(label, list | tuple | dict | set):
            raise InvalidDataError(
                f"rate_groups: {name!r} has {label!r} for row {i} (counted from 0)", "give one label per row"
            )
    labelled = labels[keep].tolist()
    distinct = sorted(set(labelled), key=lambda v: (str(type(v)), v) if isinstance(v, str) else ("", repr(v)))
    position = {label: k for k, label in enumerate(distinct)}
    return Grouping(name=name, labels=tuple(distinct), codes=np.array([position[v] for v in labelled], dtype=np.intp))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Rows(Tabular):
    """The rows of a two-class problem in exact integers.

    The value of feature j in row i is ``columns[j][i] / scales[j]``; the sample weight of
    row i is ``weights[i] * weight_unit``. Rows of weight 0 are not kept.
    """

    names: tuple[str, ...]
    columns: Sequence[IntArray]
    scales: Sequence[int]
    positive: Flags
    weights: IntArray
    weight_unit: Fraction
    classes: tuple[object, object]  # (negative, positive)
    groupings: tuple[Grouping, ...] = ()  # for rate constraints; merged rows have none
    raw: tuple[NDArray[Any], ...] | None = None  # large tables: the columns as they came, made exact when used
    soft_labels: IntArray | None = None  # multiples of 2^-20 that the loss counts in place of the classes
    of_classes: "Rows | None" = None  # with the rows' own classes, where soft labels favour others

    @property
    def n_rows(self) -> int:
        return len(self.positive)

    @property
    def n_features(self) -> int:
        return len(self.names)

    @property
    def is_favoured(self) -> bool:
        """Whether the classes are those that soft labels favour, not the rows' own."""
        return self.of_classes is not None

    @cached_property
    def labels(self) -> Floats:
        """The share of each row that the loss counts as positive: its soft label, else 1 or 0."""
        return np.asarray(self.positive, float) if self.soft_labels is None else self.soft_labels / LABEL_UNIT

    @property
    def halves(self) -> tuple[IntArray, IntArray, int]:
        """The weight of each row as negative and as positive in the loss, and their common divisor."""
        if self.soft_labels is None:
            none = np.zeros_like(self.weights)
            return np.where(self.positive, none, self.weights), np.where(self.positive, self.weights, none), 1
        weights = self.weights.astype(object)
        return weights * (LABEL_UNIT - self.soft_labels), weights * self.soft_labels, LABEL_UNIT

    @cached_property
    def constant(self) -> tuple[bool, ...]:
        return tuple(bool((c == c[0]).all()) for c in (self.raw or self.columns))

    @cached_property
    def magnitudes(self) -> Sequence[int]:
        """The largest absolute integer of each column."""
        return Lazily(self.n_features, self._magnitude)

    def _magnitude(self, j: int) -> int:
        return largest_magnitude(self.columns[j])

    def with_columns(self, places: Sequence[int]) -> "Rows":
        """Return the same rows with only some columns, in this order."""
        names = tuple(self.names[j] for j in places)
        whole = None if self.of_classes is None else self.of_classes.with_columns(places)
        if self.raw is None:
            columns, scales = tuple(self.columns[j] for j in places), tuple(self.scales[j] for j in places)
            return replace(self, names=names, columns=columns, scales=scales, of_classes=whole)
        return replace(
            self,
            names=names,
            of_classes=whole,
            raw=tuple(self.raw[j] for j in places),
            columns=Lazily(len(places), partial(_chosen, self.columns, tuple(places))),
            scales=Lazily(len(places), partial(_chosen, self.scales, tuple(places))),
        )

    def is_whole(self, j: int) -> bool:
        """Whether all values of a column are whole."""
        if self.raw is not None and self.raw[j].dtype.kind == "f":
            return bool((self.raw[j] == np.rint(self.raw[j])).all())
        return self.scales[j] == 1

    def with_rows(self, places: NDArray[np.intp], weights: IntArray) -> "Rows":
        """Return some of the rows, with other weights."""
        if self.raw is None:
            columns, scales = tuple(c[places] for c in self.columns), self.scales
        else:
            made = [integer_column(c[places]) for c in self.raw]
            columns, scales = tuple(c for c, _ in made), tuple(s for _, s in made)
        return replace(
            self,
            columns=columns,
            scales=scales,
            raw=None,
            positive=self.positive[places],
            weights=weights,
            groupings=(),
            soft_labels=None if self.soft_labels is None else self.soft_labels[places],
            of_classes=None,
        )

    def _brief(self) -> str:
        positives = f"{int(self.positive.sum())} of class {self.classes[1]}"
        return f"{counted(self.n_rows, 'row')}, {positives}; {counted(self.n_features, 'feature')}"

    def _small_table(self) -> SmallTable:
        negative, positive = self.classes
        return facts(
            rows=self.n_rows,
            negative=f"{negative}: {int((~self.positive).sum())}",
            positive=f"{positive}: {int(self.positive.sum())}",
            features=self.n_features,
            names=listed(self.names),
        )


def read_rows(
    X: object,
    y: object,
    *,
    sample_weight: object = None,
    feature_names: Sequence[str] | None = None,
    positive: object = None,
    rate_groups: object = None,
    soft_labels: object = None,
) -> Rows:
    """Read rows from a data frame, an array or a sparse matrix.

    Labels may be any two values; `positive` names the positive class, else `positive_of` chooses it. `soft_labels` are
    numbers from 0 to 1, rounded to multiples of 2^-20. `rate_groups` divide the rows: ``{name: one label per row}``.
    """
    names, raw = read_numeric_table(X, feature_names)
    n_rows = len(raw[0]) if raw else 0
    if n_rows == 0:
        raise InvalidDataError("there are 0 rows or 0 columns", "a scoring system needs data from both classes")
    is_positive, classes = read_labels(y, positive)
    if len(is_positive) != n_rows:
        raise InvalidDataError(f"y has {len(is_positive)} labels for {n_rows} rows", "give one label per row")
    weights, unit = read_weights(sample_weight, n_rows)
    soft = None if soft_labels is None else read_soft_labels(soft_labels, n_rows)

    keep = np.asarray(weights > 0, dtype=bool)
    if not keep.all():
        raw = [c[keep] for c in raw]
        is_positive, weights = is_positive[keep], weights[keep]
        if is_positive.all() or not is_positive.any():
            lost = classes[0] if is_positive.all() else classes[1]
            raise InvalidDataError(
                "only one class is left after dropping the rows of weight 0",
                f"two classes are needed: give rows of class {lost!r} a weight above 0",
            )
    groupings = read_groups(rate_groups, n_rows, keep)
    is_large = n_rows * len(raw) > LARGE and any(c.dtype.kind == "f" for c in raw)
    if is_large and all(c.dtype == np.float64 for c in raw):
        raw = list(np.array(raw))  # each column in one piece: those of a table by rows are slow to read
    exact: Sequence[tuple[IntArray, int]] = Lazily(len(raw), partial(_exact_column, raw))
    exact = exact if is_large else tuple(exact)
    columns: Sequence[IntArray] = Lazily(len(raw), partial(_integers_of, exact))
    scales: Sequence[int] = Lazily(len(raw), partial(_scale_of, exact))
    return Rows(
        names=tuple(names),
        columns=columns if is_large else tuple(columns),
        scales=scales if is_large else tuple(scales),
        raw=tuple(raw) if is_large else None,
        positive=is_positive,
        weights=weights,
        weight_unit=unit,
        classes=classes,
        groupings=groupings,
        soft_labels=None if soft is None else soft[keep],
    )


def read_soft_labels(soft_labels: object, n_rows: int) -> IntArray:
    """Numbers from 0 to 1 as multiples of 2^-20; none between 0 and 1 becomes 0 or 1.

    >>> read_soft_labels([0.25, 1, 1e-9], 3).tolist()
    [262144, 1048576, 1]
    """
    try:
        labels = as_array(soft_labels).astype(float)
    except (TypeError, ValueError):
        raise InvalidDataError("soft_labels are not numbers", "give one from 0 to 1 per row") from None
    if labels.shape != (n_rows,):
        raise InvalidDataError(f"soft_labels has {labels.size} entries for {n_rows} rows", "give one per row")
    wrong = ~((labels >= 0) & (labels <= 1))
    if wrong.any():
        raise InvalidDataError(
            f"soft_labels: row {int(wrong.argmax())} (counted from 0) has {labels[wrong.argmax()]:g}",
            "give a number from 0 to 1",
        )
    hard = (labels == 0) | (labels == 1)
    multiples: IntArray = np.rint(labels * LABEL_UNIT).astype(np.int64)
    return np.where(hard, multiples, multiples.clip(1, LABEL_UNIT - 1))


def favoured_rows(rows: Rows, *, with_classes: bool) -> tuple[Rows, NDArray[np.intp], Flags]:
    """Rows whose class is the one that their soft label p favours, weighted by |2p - 1|.

    Rows of p = 1/2 favour none and go. `with_classes` keeps a row's own class for limits on rates: where it
    differs from the favoured one, the row comes once more with it, and weight 0. Returned with the rows are
    where each came from, and whether it has its own class.
    """
    assert rows.soft_labels is not None
    lean = 2 * rows.soft_labels - LABEL_UNIT
    favoured = lean > 0
    weights = rows.weights.astype(object) * np.abs(lean)
    leaning = np.flatnonzero(lean)
    agrees = (favoured == rows.positive) & (lean != 0)
    again = np.flatnonzero(~agrees) if with_classes else np.empty(0, dtype=np.intp)
    for is_positive in (False, True):
        if not (favoured[leaning] == is_positive).any():
            raise InvalidDataError(
                f"soft_labels favour class {rows.classes[is_positive]!r} in no row",
                "two classes are needed: give labels on both sides of 1/2",
            )
    common = gcd_of(weights)
    weights, index = np.r_[weights[leaning] // common, np.zeros(len(again), object)], np.r_[leaning, again]
    weights = weights.astype(np.int64 if fits_int64(weights.sum()) else object)
    if len(leaning) == rows.n_rows and not len(again):
        changed = replace(rows, weights=weights, groupings=())
    else:
        changed = rows.with_rows(index, weights)
    changed = replace(
        changed,
        positive=np.r_[favoured[leaning], rows.positive[again]],
        weight_unit=rows.weight_unit * Fraction(common, LABEL_UNIT),
        soft_labels=None,
        of_classes=replace(rows, soft_labels=None),
    )
    return changed, index, np.r_[agrees[leaning], np.ones(len(again), dtype=bool)]


# what a sequence is made by has a name, so that it can be pickled
def _exact_column(raw: Sequence[NDArray[Any]], j: int) -> tuple[IntArray, int]:
    return integer_column(raw[j])


def _integers_of(exact: Sequence[tuple[IntArray, int]], j: int) -> IntArray:
    return exact[j][0]


def _scale_of(exact: Sequence[tuple[IntArray, int]], j: int) -> int:
    return exact[j][1]


def _chosen(entries: Sequence[Any], places: Sequence[int], k: int) -> Any:
    return entries[places[k]]


def read_labels(y: object, positive: object) -> tuple[Flags, tuple[object, object]]:
    """Return which rows are positive, and the two classes, negative first."""
    labels, both = two_labels(y)
    if positive is None:
        positive = chosen_positive(labels).label
    elif positive not in both:
        raise InvalidDataError(
            f"the positive class {positive!r} is not among the labels {both[0]!r} and {both[1]!r}", "name one of them"
        )
    negative_label, positive_label = both if positive == both[1] else both[::-1]
    return labels == positive_label, (negative_label, positive_label)


def chosen_positive(labels: NDArray[Any]) -> PositiveClass:
    """Choose the positive class of labels of two values, as docs/conventions.md says."""
    distinct, counts = np.unique(labels, return_counts=True)
    return positive_of(dict(zip(distinct.tolist(), counts.tolist(), strict=True)))


def check_labelled(labels: NDArray[Any]) -> None:
    """Raise if labels are missing."""
    if labels.dtype.kind not in "fO":
        return
    gone = (
        np.isnan(labels)
        if labels.dtype.kind == "f"
        else np.array([not isinstance(label, str) and is_missing(label) for label in labels.tolist()], bool)
    )
    if gone.any():
        raise InvalidDataError(
            f"y contains {counted(int(gone.sum()), 'missing label')}, the first in row {int(gone.argmax())} "
            "(counted from 0)",
            "drop those rows from X and y",
        )


def two_labels(y: object) -> tuple[NDArray[Any], tuple[object, object]]:
    """Return the labels as an array, and their two values in sorted order."""
    labels = as_array(y)
    if isinstance(y, list | tuple) and labels.dtype.kind in "US" and not all(isinstance(v, str | bytes) for v in y):
        raise InvalidDataError("y mixes text with other labels", "give two values of one type")
    if labels.ndim != 1:
        raise InvalidDataError(f"y has {labels.ndim} dimensions", "give one label per row")
    check_labelled(labels)
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise InvalidDataError("y contains infinite labels (inf)", "give two values, or drop those rows")
    try:
        distinct = np.unique(labels)
    except TypeError:
        raise InvalidDataError("y mixes labels of different types", "give two values of one type") from None
    if len(distinct) != 2:
        shown = ", ".join(repr(v) for v in distinct[:5].tolist()) + (", ..." if len(distinct) > 5 else "")
        raise InvalidDataError(
            f"y has {len(distinct)} class(es): {shown}", "a scoring system separates exactly two classes"
        )
    first, last = distinct.tolist()
    return labels, (first, last)


def read_weights(sample_weight: object, n_rows: int) -> tuple[IntArray, Fraction]:
    """Return the row weights as integers, and their unit."""
    if sample_weight is None:
        return np.ones(n_rows, dtype=np.int8), Fraction(1)
    weights = checked_weights(as_array(sample_weight), n_rows)
    if not (weights > 0).any():
        raise InvalidDataError("all sample weights are zero", "at least one row of each class needs a positive weight")
    integers, scale = integer_column(weights)
    common = gcd_of(integers)
    return integer_column(integers // common)[0] if common > 1 else integers, Fraction(common, scale)
