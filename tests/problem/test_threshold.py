"""The free threshold: where it may lie, which place is best, and which number is printed."""

from fractions import Fraction
from itertools import pairwise
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import Problem
from supersparse.problem.intercept import best_gap, gaps_of, threshold_between
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.points import Points

ends = st.fractions(-2000, 2000, max_denominator=10**6)


@given(ends, ends)
def test_the_threshold_lies_strictly_between_the_two_totals(a, b):
    low, high = sorted((a, b + 1 if a == b else b))
    assert low < threshold_between(low, high, whole=False) < high
    assert threshold_between(None, high, whole=False) < high
    assert threshold_between(low, None, whole=False) > low


def digits(value):
    """Decimals first, then digits before trailing zeros: what makes a number less round."""
    decimals = next(d for d in range(20) if (value * 10**d).denominator == 1)
    return decimals, len(str(abs(int(value * 10**decimals))).rstrip("0")) if decimals == 0 else 0


@given(st.fractions(-300, 300, max_denominator=40), st.fractions("1/40", 40, max_denominator=40))
def test_no_number_of_the_interval_is_rounder(low, width):
    high = low + width
    chosen = threshold_between(low, high, whole=False)
    middle = low + width / 2
    for decimals in range(3):
        first = floor(low * 10**decimals) - 1
        for numerator in range(first, first + int(width * 10**decimals) + 4):
            other = Fraction(numerator, 10**decimals)
            if low < other < high:
                rank = (max(1, digits(other)[1]), abs(other - middle)) if decimals == 0 else (0, abs(other - middle))
                own = (max(1, digits(chosen)[1]), abs(chosen - middle)) if decimals == 0 else (0, abs(chosen - middle))
                assert digits(chosen)[0] <= decimals
                if digits(chosen)[0] == decimals == digits(other)[0]:
                    assert own <= rank


@given(st.integers(-300, 300), st.integers(1, 200))
def test_with_whole_totals_it_is_half_a_point_below_the_first_total_that_reaches_it(low, width):
    threshold = threshold_between(Fraction(low), Fraction(low + width), whole=True)
    reaches = threshold + Fraction(1, 2)
    assert reaches.denominator == 1
    assert low < reaches <= low + width


@pytest.mark.parametrize(
    ("low", "high", "reaches"),
    [(3, 4, 4), (3, 6, 5), (8, 13, 10), (94, 107, 100), (-3, -2, -2), (None, 7, 7), (7, None, 8), (0, 1, 1)],
)
def test_whole_totals_are_told_from_a_round_number_on(low, high, reaches):
    low, high = (None if end is None else Fraction(end) for end in (low, high))
    assert threshold_between(low, high, whole=True) == reaches - Fraction(1, 2)


@given(st.data())
def test_every_place_for_a_threshold_is_weighed_as_counting_does(draws):
    n = draws.draw(st.integers(1, 8))
    totals = draws.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    up, down = (draws.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)) for _ in range(2))
    gaps = gaps_of(np.array(totals), np.array(up), np.array(down))
    assert gaps.totals.tolist() == sorted(set(totals))
    for gap, loss in enumerate(gaps.losses.tolist()):
        low, high = gaps.ends(gap)
        t = threshold_between(
            None if low is None else Fraction(low), None if high is None else Fraction(high), whole=False
        )
        rows = list(zip(totals, up, down, strict=True))
        assert loss == sum(p for s, p, _ in rows if s < t) + sum(q for s, _, q in rows if s > t)
    assert gaps.losses[best_gap(gaps)] == gaps.losses.min()


def test_of_equally_good_places_the_widest_is_taken_whatever_the_order_of_the_rows():
    totals, up, down = np.array([0, 1, 5, 6]), np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0])
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        gaps = gaps_of(totals[order], up[order], down[order])
        assert gaps.losses.tolist() == [2, 1, 2, 1, 2]
        assert gaps.ends(best_gap(gaps)) == (0, 1)  # as wide as from 5 to 6, and nearer 0


@given(
    st.lists(st.tuples(st.decimals(-5, 5, places=2), st.booleans()), min_size=2, max_size=8).filter(
        lambda rows: len({positive for _, positive in rows}) == 2
    ),
    st.sampled_from([1, -2, 3]),
)
def test_no_row_has_the_score_zero_and_no_intercept_is_better(rows, coefficient):
    X, y = [[float(x)] for x, _ in rows], [positive for _, positive in rows]
    problem = Problem.of(X, y, C0=0.1, max_points=3)
    chosen = with_best_intercept(problem, [coefficient])
    found = evaluate(problem, chosen)
    assert found.zero_negative == 0
    assert found.training_errors == found.predicted_errors
    totals = sorted({Fraction(str(x)) * coefficient for x, _ in rows})
    tried = [(a + b) / 2 for a, b in pairwise(totals)] + [totals[0] - 1, totals[-1] + 1]
    for t in [*tried, *totals]:
        assert found.objective <= evaluate(problem, Points((coefficient,), -t)).objective
