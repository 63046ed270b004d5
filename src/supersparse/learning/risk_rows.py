"""The rows of a risk table: which totals are listed, and how many training rows have each of them.

Doctors read a row of totals above a row of risks. So a smooth risk becomes a table where totals are few.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from supersparse.card.card import Card
from supersparse.card.possible import possible_totals
from supersparse.card.risk import Floats, LogisticRisk, Risk, TableRisk
from supersparse.evaluate.outcomes import added_up
from supersparse.integer_arrays import IntArray, fits_int64, largest_magnitude

MOST_TOTALS = 40  # of a table that a smooth risk becomes


def cases_by_total(card: Card, scores: Floats, weights: IntArray, unit: int) -> dict[Fraction, Fraction]:
    """Return the weight of the rows, over `unit`, at each total that occurs, in rising order."""
    distinct, groups = np.unique(scores, return_inverse=True)
    fits = fits_int64(largest_magnitude(weights) * len(weights))
    whole = weights.astype(np.int64 if fits else object)
    sums = added_up(whole, groups.reshape(-1), len(distinct), np.ones(len(weights), dtype=bool))
    found: dict[Fraction, Fraction] = {}
    for score, weight in zip(distinct.tolist(), sums.tolist(), strict=True):
        cases = Fraction(int(weight), unit)
        total = Fraction(str(score)) + card.threshold
        if card.totals_are_whole:  # the score was rounded to a float
            total = Fraction(round(total))
        found[total] = found.get(total, Fraction(0)) + cases
    return found


def rising(risk: Risk, share: float) -> Risk:
    """Return a risk that does not fall with the total: one that does says that points tell nothing."""
    if isinstance(risk, LogisticRisk) and risk.slope < 0:
        return LogisticRisk(slope=0.0, offset=math.log(share / (1 - share)))
    return risk


def stated_at(risk: Risk, totals: Sequence[Fraction], cases: Mapping[Fraction, Fraction]) -> TableRisk:
    """State a risk at these totals, with the cases behind each; 0 where there are none."""
    risks = risk.of(np.array([float(total) for total in totals])).tolist()
    return TableRisk(
        totals=tuple(totals),
        risks=tuple(risks),
        cases=tuple(cases.get(total, Fraction(0)) for total in totals),
    )


def tabulated(risk: Risk, card: Card, cases: Mapping[Fraction, Fraction]) -> Risk:
    """Make a table of a smooth risk: at all totals that can occur, or at those that did, if these are few.

    The values stay those of the smooth risk, so a total that few rows have borrows from its neighbours, and
    one that no row has says so by its 0 cases.
    """
    if isinstance(risk, TableRisk) or not card.totals_are_whole:
        return risk
    totals = possible_totals(card, MOST_TOTALS) or tuple(cases)
    # a total outside of what is possible comes from values outside of the domains
    listed = sorted({*totals, *cases})
    return stated_at(risk, listed, cases) if len(listed) <= MOST_TOTALS else risk
