"""Choose C0 and C1 by their meaning.

>>> from supersparse.penalties import C0_for
>>> C0_for(100, cases=2)
Fraction(3, 200)
"""

from supersparse.results.penalties import C0_for, PenaltyRanges, useful_range

__all__ = ["C0_for", "PenaltyRanges", "useful_range"]
