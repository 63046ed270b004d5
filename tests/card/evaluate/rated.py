"""Rows for the tests: a card that multiplies one column, so that totals are what the test says."""

import numpy as np
from hypothesis import strategies as st

from supersparse import ScoringSystem, item

SYSTEM = ScoringSystem.of([item("x", points=1)], above=0, classes=("no", "yes"))


def labels(positive):
    return np.where(np.asarray(positive, dtype=bool), "yes", "no")


def table(totals):
    return {"x": list(totals)}


@st.composite
def weighted_rows(draw, least=1, both_classes=False, most_weight=3):
    """Totals with ties, classes, and small whole weights, some of them 0."""
    n = draw(st.integers(max(least, 2 if both_classes else 1), 14))
    totals = draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    positive = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(0, most_weight), min_size=n, max_size=n))
    weights[0] = max(1, weights[0])
    if both_classes:
        positive[0], positive[1] = True, False
        weights[1] = max(1, weights[1])
    return totals, positive, weights


def copied(totals, positive, weights):
    """The same rows with copies in place of weights."""
    rows = np.repeat(np.arange(len(totals)), weights)
    return [totals[i] for i in rows], [positive[i] for i in rows], rows
