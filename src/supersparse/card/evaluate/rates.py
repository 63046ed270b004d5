"""Totals, classes and weights of rows, all exact; rates with intervals, and the area under the ROC curve."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from math import lcm, sqrt
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError, InvalidOptionError
from supersparse.base.exact import counted
from supersparse.base.integer_arrays import IntArray, fits_int64, summed, whole_numbers
from supersparse.card.card import Card, Cutoff
from supersparse.card.cases import class_of
from supersparse.card.scoring import score_table
from supersparse.table.small_table import Tabular, number
from supersparse.table.values import is_missing


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Tally(Tabular):
    """The distinct totals, ascending, and the weight of each class at each total."""

    totals: tuple[Fraction, ...]  # without the threshold
    negatives: tuple[Fraction, ...]
    positives: tuple[Fraction, ...]
    cutoff: Cutoff  # of the card

    _facts = "rows=n positive=n_positive totals"

    @property
    def threshold(self) -> Fraction:
        """Totals from this one on are positive, see `Cutoff`."""
        return self.cutoff.threshold

    @property
    def n_negative(self) -> Fraction:
        return fraction_sum(self.negatives)

    @property
    def n_positive(self) -> Fraction:
        return fraction_sum(self.positives)

    @property
    def n(self) -> Fraction:
        """Weight of all rows; their number if there are no sample weights."""
        return self.n_negative + self.n_positive

    @property
    def auc(self) -> Fraction | None:
        """The exact area under the ROC curve; None if a class has no rows.

        This is the probability that a positive row has more points than a negative one; ties count half.
        """
        pairs = self.n_negative * self.n_positive
        if pairs == 0:
            return None
        unit = lcm(*{value.denominator for value in [*self.negatives, *self.positives]})
        below, twice_won = 0, 0
        for negative, positive in zip(self.negatives, self.positives, strict=True):
            n = negative.numerator * (unit // negative.denominator)
            twice_won += positive.numerator * (unit // positive.denominator) * (2 * below + n)
            below += n
        return Fraction(twice_won, 2 * unit**2) / pairs

    @property
    def ks(self) -> Fraction | None:
        """The Kolmogorov-Smirnov distance of the classes, exactly; None when a class has no rows.

        The most by which the share of negative rows up to some total exceeds, or falls short of, that of positive rows.
        """
        if self.n_negative * self.n_positive == 0:
            return None
        n_negative, n_positive = self.n_negative, self.n_positive
        below = zip(accumulate(self.negatives), accumulate(self.positives), strict=True)
        return max(abs(n / n_negative - p / n_positive) for n, p in below)

    def _brief(self) -> str:
        rows = f"{number(self.n)} rows, {number(self.n_positive)} positive"
        ends = f"{number(self.totals[0])} to {number(self.totals[-1])}"
        return f"{rows}; {counted(len(self.totals), 'total')} from {ends}"


def fraction_sum(values: Iterable[Fraction]) -> Fraction:
    """Add up fractions of few denominators, which are added as whole numbers.

    >>> fraction_sum([Fraction(1, 2), Fraction(1, 3), Fraction(1, 2)])
    Fraction(4, 3)
    """
    by_denominator: dict[int, int] = {}
    for value in values:
        below = value.denominator
        by_denominator[below] = by_denominator.get(below, 0) + value.numerator
    return sum((Fraction(above, below) for below, above in by_denominator.items()), Fraction(0))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Outcomes(Tabular):
    """Rows of weight above 0: row i has ``totals[i] / unit`` points and ``weights[i] / weight_unit``."""

    totals: IntArray  # without the threshold
    unit: int
    positive: NDArray[np.bool_]
    weights: IntArray
    weight_unit: int
    cutoff: Cutoff
    kept: NDArray[np.bool_]  # positions of these rows in the input

    def __len__(self) -> int:
        return len(self.totals)

    def where(self, rows: NDArray[Any]) -> "Outcomes":
        return replace(self, totals=self.totals[rows], positive=self.positive[rows], weights=self.weights[rows])

    def by(self, values: NDArray[Any]) -> tuple[list[Any], tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Return the distinct values of the rows, ascending, and the weights of negatives and positives at each."""
        distinct, groups = np.unique(values, return_inverse=True)
        negatives, positives = (
            tuple(Fraction(int(w), self.weight_unit) for w in added_up(self.weights, groups, len(distinct), mask))
            for mask in (~self.positive, self.positive)
        )
        return distinct.tolist(), negatives, positives

    def tally(self) -> Tally:
        distinct, negatives, positives = self.by(self.totals)
        totals = tuple(Fraction(total, self.unit) for total in distinct)
        return Tally(totals=totals, negatives=negatives, positives=positives, cutoff=self.cutoff)

    def _brief(self) -> str:
        return f"{counted(len(self), 'row')}, {int(self.positive.sum())} positive"


def added_up(weights: IntArray, groups: NDArray[np.intp], n_groups: int, mask: NDArray[np.bool_]) -> IntArray:
    """Return the exact sum of integer weights in each group, over the rows of a mask."""
    if weights.dtype == object:
        sums = np.zeros(n_groups, dtype=object)
        np.add.at(sums, groups[mask], weights[mask])
        return sums
    return summed(weights[mask], groups[mask], n_groups)


def read_outcomes(
    card: Card, X: object, y: object, sample_weight: object = None, names: Sequence[str] | None = None
) -> Outcomes:
    """Score the rows of a table and read their classes and weights; rows of weight 0 are dropped."""
    scores = score_table(card, X, names)
    positive = read_classes(card, y)
    if len(positive) != len(scores.numerators):
        raise InvalidDataError(f"y has {len(positive)} labels for {len(scores.numerators)} rows", "give one per row")
    weights, weight_unit = read_row_weights(sample_weight, len(positive))
    weighted = np.asarray(weights > 0, dtype=bool)
    if not weighted.any():
        raise InvalidDataError("there is nothing to evaluate: no row has a weight above 0")
    # the threshold is part of the scores, so it is a multiple of 1 / denominator too
    totals = scores.numerators + int(card.zero_total * scores.denominator)
    return Outcomes(
        totals=totals[weighted],
        unit=scores.denominator,
        positive=positive[weighted],
        weights=weights[weighted],
        weight_unit=weight_unit,
        cutoff=card.cutoff,
        kept=weighted,
    )


def read_classes(card: Card, y: object) -> NDArray[np.bool_]:
    """Return which labels are positive; unknown and missing labels raise an error."""
    labels = as_list(y, "y")
    gone = [row for row, label in enumerate(labels) if not isinstance(label, str) and is_missing(label)]
    if gone:
        raise InvalidDataError(
            f"y contains {counted(len(gone), 'missing label')}, the first in row {gone[0]} (counted from 0)",
            "drop those rows from X and y",
        )
    known: dict[object, bool] = {}
    for label in labels:
        if label not in known:
            known[label] = _is_positive(card, label)
    return np.array([known[label] for label in labels], dtype=bool)


def _is_positive(card: Card, label: object) -> bool:
    for positive, known in ((False, card.negative), (True, card.positive)):
        if label == known:
            return positive
    meant = None if isinstance(label, str) else class_of(card, str(label))  # True of a card with 'True'
    if meant is not None:
        return meant == card.positive
    raise InvalidDataError(
        f"y contains {label!r}", f"the classes of this card are {card.negative!r} and {card.positive!r}"
    )


def read_row_weights(sample_weight: object, n_rows: int) -> tuple[IntArray, int]:
    if sample_weight is None:
        return np.ones(n_rows, dtype=np.int64), 1
    from supersparse.table.numeric import checked_weights  # loads narwhals, which showing a card does without

    values = checked_weights(np.asarray(as_list(sample_weight, "sample_weight")), n_rows)
    weights, scale = whole_numbers(values, "sample_weight")
    if weights.dtype != object and not fits_int64(sum(map(int, weights))):
        weights = weights.astype(object)
    return weights, scale


def as_list(values: object, what: str) -> list[Any]:
    """Convert a list, an array or a series of any library to a list of plain values."""
    if hasattr(values, "to_pylist"):  # pyarrow's, whose to_numpy refuses truth values, text and blanks
        values = values.to_pylist()
    if not isinstance(values, np.ndarray) and hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1:
            raise InvalidDataError(f"{what} has shape {values.shape}", "give one value per row", subject=what)
        return list(values.tolist())
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidDataError(subject=what, value=values, remedy="give one value per row")
    return [v.item() if isinstance(v, np.generic) else v for v in values]


def normal_quantile(level: float) -> float:
    """Return z such that a share `level` of the normal distribution lies between -z and z."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise InvalidOptionError(
            subject="level", value=level, remedy="the confidence level must be between 0 and 1, such as 0.95"
        )
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(events: Fraction, of: Fraction, level: float) -> tuple[float, float]:
    """Return Wilson's score interval: the rates p with ``|events/of - p| <= z·sqrt(p(1-p)/of)``.

    >>> tuple(round(end, 4) for end in wilson(Fraction(0), Fraction(10), 0.95))
    (0.0, 0.2775)
    """
    z2 = normal_quantile(level) ** 2
    n, rate = float(of), float(events / of)
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2) / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    # exact in theory, but rounding could miss the ends
    low = 0.0 if events == 0 else max(0.0, centre - half)
    high = 1.0 if events == of else min(1.0, centre + half)
    return low, high


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rate(Tabular):
    """Events among rows, by weight: a row of weight k counts as k rows.

    `value` and `interval` are None if there are no rows.
    """

    events: Fraction
    of: Fraction
    level: float = 0.95

    def __post_init__(self) -> None:
        normal_quantile(self.level)
        if not 0 <= self.events <= self.of:
            raise InvalidOptionError(f"{self.events} events among {self.of} rows are not a rate")

    @property
    def value(self) -> float | None:
        """Events over rows."""
        return None if self.of == 0 else float(self.events / self.of)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's interval; valid if weights are numbers of rows."""
        return None if self.of == 0 else wilson(self.events, self.of, self.level)

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "-"
        low, high = self.interval
        return f"{self.value:.3f} ({low:.3f}-{high:.3f})"

    def _brief(self) -> str:
        return f"{self}, {number(self.events)} of {number(self.of)}"


_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Auc(Tabular):
    """The area, and Newcombe's score interval (Stat Med 2006;25:559, method 5).

    Like Wilson's, it never degenerates: an area of 1 from few rows has a wide interval. Both are None if a
    class has no rows.
    """

    value: float | None
    interval: tuple[float, float] | None

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "-"
        return f"{self.value:.3f} ({self.interval[0]:.3f}-{self.interval[1]:.3f})"

    def _brief(self) -> str:
        return str(self)


def auc_of(tally: Tally, level: float) -> Auc:
    """Return the area under the ROC curve of a tally."""
    return auc_with_interval(tally.auc, tally.n_negative, tally.n_positive, level)


def auc_with_interval(exact: Fraction | None, negatives: Fraction, positives: Fraction, level: float) -> Auc:
    """Return an area under the ROC curve with its interval, given the weights of both classes."""
    if exact is None:
        return Auc(value=None, interval=None)
    value, z = float(exact), normal_quantile(level)
    m, n = float(negatives), float(positives)

    def too_far(area: float) -> bool:
        return abs(value - area) > z * sqrt(_variance(area, m, n))

    return Auc(value=value, interval=(_edge(value, 0.0, too_far), _edge(value, 1.0, too_far)))


def _variance(area: float, m: float, n: float) -> float:
    """Hanley and McNeil's variance, with both class sizes replaced by their mean in the correction."""
    inside = (1 - area) / (2 - area) + area / (1 + area)
    return area * (1 - area) * max(0.0, 1 + ((m + n) / 2 - 1) * inside) / (m * n)


def _edge(value: float, end: float, too_far: Callable[[float], bool]) -> float:
    near, far = value, end
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        if too_far(middle):
            far = middle
        else:
            near = middle
    return near


def rate_columns(name: str, rate: Rate) -> dict[str, float | None]:
    low, high = rate.interval or (None, None)
    return {name: rate.value, f"{name}_low": low, f"{name}_high": high}
