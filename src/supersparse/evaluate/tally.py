"""Tally: how much weight of each class has each total. All rates follow from it."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from supersparse.card.cutoff import Cutoff


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The distinct totals of points in rising order, and the weight of each class that has them."""

    totals: tuple[Fraction, ...]  # without the threshold
    negatives: tuple[Fraction, ...]
    positives: tuple[Fraction, ...]
    cutoff: Cutoff  # of the card

    @property
    def threshold(self) -> Fraction:
        """The points that must be exceeded for the positive class."""
        return self.cutoff.threshold

    @property
    def n_negative(self) -> Fraction:
        """The weight of the negative class."""
        return sum(self.negatives, Fraction(0))

    @property
    def n_positive(self) -> Fraction:
        """The weight of the positive class."""
        return sum(self.positives, Fraction(0))

    @property
    def n(self) -> Fraction:
        """The weight of all rows: their number, without sample weights."""
        return self.n_negative + self.n_positive

    @property
    def auc(self) -> Fraction | None:
        """The area under the ROC curve, exactly; None when a class has no rows.

        The probability that a positive row has more points than a negative one, a tie counting half.
        """
        pairs = self.n_negative * self.n_positive
        if pairs == 0:
            return None
        below = _before(self.negatives)
        won = sum(
            (p * (b + n / 2) for p, b, n in zip(self.positives, below, self.negatives, strict=True)),
            Fraction(0),
        )
        return won / pairs


def _before(weights: tuple[Fraction, ...]) -> list[Fraction]:
    return list(accumulate(weights, initial=Fraction(0)))[:-1]
