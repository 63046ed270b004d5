"""Outcomes: the totals, true classes and weights of rows, all exact."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted
from supersparse.base.integer_arrays import IntArray, fits_int64, summed, whole_numbers
from supersparse.card.card import Card, Cutoff
from supersparse.card.cases import class_of
from supersparse.card.scoring import Scores, score_table
from supersparse.table.small_table import SmallTable, Tabular, facts, number
from supersparse.table.values import is_missing


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Tally(Tabular):
    """The distinct totals, ascending, and the weight of each class at each total."""

    totals: tuple[Fraction, ...]  # without the threshold
    negatives: tuple[Fraction, ...]
    positives: tuple[Fraction, ...]
    cutoff: Cutoff  # of the card

    @property
    def threshold(self) -> Fraction:
        """Totals from this one on are positive, see `Cutoff`."""
        return self.cutoff.threshold

    @property
    def n_negative(self) -> Fraction:
        """Weight of the negative class."""
        return fraction_sum(self.negatives)

    @property
    def n_positive(self) -> Fraction:
        """The weight of the positive class."""
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
        unit = _common_unit([*self.negatives, *self.positives])
        below, twice_won = 0, 0
        for negative, positive in zip(self.negatives, self.positives, strict=True):
            n = negative.numerator * (unit // negative.denominator)
            twice_won += positive.numerator * (unit // positive.denominator) * (2 * below + n)
            below += n
        return Fraction(twice_won, 2 * unit**2) / pairs

    @property
    def ks(self) -> Fraction | None:
        """The Kolmogorov-Smirnov distance of the classes, exactly; None when a class has no rows.

        The most by which the share of negative rows up to some total exceeds, or falls short of, that of
        positive rows.
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

    def _small_table(self) -> SmallTable:
        rows = zip(self.totals, self.negatives, self.positives, strict=True)
        return SmallTable(("total", "negative", "positive"), [tuple(map(number, row)) for row in rows])


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


def _common_unit(values: Iterable[Fraction]) -> int:
    """The least number that turns all of them into whole numbers."""
    return lcm(*{value.denominator for value in values})


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
        """Select some of these rows by mask or positions."""
        return Outcomes(
            totals=self.totals[rows],
            unit=self.unit,
            positive=self.positive[rows],
            weights=self.weights[rows],
            weight_unit=self.weight_unit,
            cutoff=self.cutoff,
            kept=self.kept,
        )

    @property
    def total_floats(self) -> NDArray[np.float64]:
        """The totals as the nearest floats."""
        return Scores(self.totals, self.unit).floats

    def tally(self) -> Tally:
        """Add up the weights of each total and class."""
        distinct, groups = np.unique(self.totals, return_inverse=True)
        negatives, positives = (
            added_up(self.weights, groups, len(distinct), mask) for mask in (~self.positive, self.positive)
        )
        totals = tuple(Fraction(int(t), self.unit) for t in distinct)
        return Tally(
            totals=totals,
            negatives=tuple(Fraction(int(w), self.weight_unit) for w in negatives),
            positives=tuple(Fraction(int(w), self.weight_unit) for w in positives),
            cutoff=self.cutoff,
        )

    def _brief(self) -> str:
        return f"{counted(len(self), 'row')}, {int(self.positive.sum())} positive"

    def _small_table(self) -> SmallTable:
        return facts(rows=len(self), positive=int(self.positive.sum()), cutoff=self.cutoff)


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
    kept = np.asarray(weights > 0, dtype=bool)
    if not kept.any():
        raise InvalidDataError("there is nothing to evaluate: no row has a weight above 0")
    # the threshold is part of the scores, so it is a multiple of 1 / denominator too
    totals = scores.numerators + int(card.zero_total * scores.denominator)
    return Outcomes(
        totals=totals[kept],
        unit=scores.denominator,
        positive=positive[kept],
        weights=weights[kept],
        weight_unit=weight_unit,
        cutoff=card.cutoff,
        kept=kept,
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
    for positive, own in ((False, card.negative), (True, card.positive)):
        if label == own:
            return positive
    meant = None if isinstance(label, str) else class_of(card, str(label))  # True of a card with 'True'
    if meant is not None:
        return meant == card.positive
    raise InvalidDataError(
        f"y contains {label!r}", f"the classes of this card are {card.negative!r} and {card.positive!r}"
    )


def read_row_weights(sample_weight: object, n_rows: int) -> tuple[IntArray, int]:
    """Return exact weights as integers over a common unit."""
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
