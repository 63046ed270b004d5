"""Wilson's interval by its formula and by what defines it; the AUC's interval by its equation."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card.evaluate.rated import SYSTEM, labels, table
from supersparse.card.evaluate.rates import Rate, normal_quantile, wilson
from supersparse.errors import InvalidOptionError

Z95 = 1.959963984540054


def test_the_normal_quantile_is_the_known_one():
    assert normal_quantile(0.95) == pytest.approx(Z95, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_wilson_is_its_formula_for_every_count(n):
    for k in range(n + 1):
        p = k / n
        centre = (k + Z95**2 / 2) / (n + Z95**2)
        half = Z95 / (n + Z95**2) * sqrt(n * p * (1 - p) + Z95**2 / 4)
        expected = (max(0, centre - half), min(1, centre + half))
        assert wilson(Fraction(k), Fraction(n), 0.95) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 10**6), st.data(), st.floats(0.5, 0.999))
def test_the_ends_of_wilson_lie_z_standard_errors_from_the_rate(n, data, level):
    k = data.draw(st.integers(0, n))
    z = normal_quantile(level)
    low, high = wilson(Fraction(k), Fraction(n), level)
    assert 0 <= low <= k / n <= high <= 1
    for end in (low, high):
        if 0 < end < 1:
            assert abs(k / n - end) == pytest.approx(z * sqrt(end * (1 - end) / n), rel=1e-6, abs=1e-9)


def test_wilson_is_symmetric_and_narrows_with_rows():
    low, high = wilson(Fraction(3), Fraction(10), 0.95)
    assert wilson(Fraction(7), Fraction(10), 0.95) == pytest.approx((1 - high, 1 - low))
    narrow = wilson(Fraction(30), Fraction(100), 0.95)
    assert low < narrow[0] < narrow[1] < high


def test_a_rate_of_nothing_has_no_value():
    rate = Rate(events=Fraction(0), of=Fraction(0))
    assert (rate.value, rate.interval, str(rate)) == (None, None, "-")


@pytest.mark.parametrize("level", [0, 1, 95, -0.5])
def test_a_level_that_is_none_is_refused(level):
    with pytest.raises(InvalidOptionError, match="between 0 and 1"):
        Rate(events=Fraction(1), of=Fraction(2), level=level)


def test_the_interval_of_the_auc_solves_its_equation():
    rng = np.random.default_rng(0)
    positive = np.arange(60) < 25
    totals = rng.integers(0, 5, 60) + 2 * positive
    auc = SYSTEM.evaluate(table(totals.tolist()), labels(positive)).auc
    m, n = 35, 25
    for end in auc.interval:
        # Hanley and McNeil's variance at the end itself, with the mean class size
        q1, q2 = end / (2 - end), 2 * end**2 / (1 + end)
        mean = (m + n) / 2
        variance = (end * (1 - end) + (mean - 1) * (q1 - end**2 + q2 - end**2)) / (m * n)
        assert abs(auc.value - end) == pytest.approx(Z95 * sqrt(variance), rel=1e-6)


def test_a_perfect_auc_of_few_rows_is_not_certain():
    auc = SYSTEM.evaluate(table([-1, -2, 1, 2]), labels([0, 0, 1, 1])).auc
    assert auc.value == auc.interval[1] == 1
    assert 0 < auc.interval[0] < 0.7
