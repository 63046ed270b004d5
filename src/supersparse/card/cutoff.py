"""Cutoff: which totals give the positive class, and how every face words it.

A card whose totals are always whole says "4 or more": nobody needs to be told that the threshold is 3.5, or
3, and that it must be exceeded. Any other card says "more than 3.5".
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from supersparse.decimals import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoff:
    """The threshold of a card, which must be exceeded, and what is known of the totals.

    >>> whole = Cutoff(threshold=Fraction(7, 2), whole=True)
    >>> whole.positive, whole.negative, whole.comparison
    ('4 or more', '3 or less', '>= 4')
    >>> any_total = Cutoff(threshold=Fraction(7, 2))
    >>> any_total.positive, any_total.negative, any_total.comparison
    ('more than 3.5', '3.5 or less', '> 3.5')
    """

    threshold: Fraction
    whole: bool = False  # every total is a whole number
    tie_is_wrong: bool = False  # while learning, a total equal to the threshold was wrong for both classes

    @property
    def positive(self) -> str:
        """The totals of the positive class."""
        return f"{self._least} or more" if self.whole else f"more than {shown(self.threshold)}"

    @property
    def negative(self) -> str:
        """The totals of the negative class."""
        return f"{self._least - 1 if self.whole else shown(self.threshold)} or less"

    @property
    def comparison(self) -> str:
        """The totals of the positive class, for code and formulas."""
        return f">= {self._least}" if self.whole else f"> {shown(self.threshold)}"

    @property
    def _least(self) -> int:
        return floor(self.threshold) + 1

    def at(self, threshold: Fraction) -> "Cutoff":
        """Return the cutoff of the same card with another threshold."""
        return replace(self, threshold=threshold)
