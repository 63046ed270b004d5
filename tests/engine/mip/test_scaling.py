from fractions import Fraction

import pytest

from supersparse.engine.mip.precision import FLOATS, WRITTEN
from supersparse.engine.mip.program import ExactCost, SolverCost


def test_the_unit_is_the_largest_that_makes_all_costs_integers():
    cost = ExactCost.of([Fraction(1, 683), Fraction(1, 100)], Fraction(2, 683))
    assert cost == ExactCost(unit=Fraction(1, 68300), weights=(100, 683), offset=200)
    assert cost.at([3, 2]) == Fraction(5, 683) + Fraction(2, 100)


@pytest.mark.parametrize("precision", [FLOATS, WRITTEN])
def test_small_integers_are_passed_as_they_are(precision):
    cost = SolverCost.of(ExactCost(unit=Fraction(1, 7), weights=(3, 5), offset=2), [0, 0], [1, 4], precision)
    assert cost.weights.tolist() == [3, 5]
    assert (cost.offset, cost.divisor, cost.error) == (2, 1, 0)


@pytest.mark.parametrize("precision", [FLOATS, WRITTEN])
def test_rounded_costs_come_with_a_rigorous_account_of_the_rounding(precision):
    exact = ExactCost(unit=Fraction(1, 3), weights=(10**17 + 1, 3 * 10**15 + 7, 12345), offset=10**16 + 3)
    lower, upper = [0, -2, 0], [1, 5, 1]
    cost = SolverCost.of(exact, lower, upper, precision)
    for x in ([1, 5, 1], [0, -2, 0], [1, -2, 0], [0, 3, 1]):
        rounded = sum(Fraction(w) * v for w, v in zip(cost.weights.tolist(), x, strict=True)) + Fraction(cost.offset)
        assert abs(exact.at(x) / exact.unit - cost.divisor * rounded) <= cost.error
        assert cost.believable(float(rounded)) <= exact.at(x)


def test_a_float_bound_is_lowered_by_the_tolerances():
    cost = SolverCost.of(ExactCost(unit=Fraction(1), weights=(1,), offset=0), [0], [1000], FLOATS)
    believed = cost.believable(7.0)
    assert 7 - Fraction(1, 10**4) < believed < 7


def test_an_infinite_bound_says_nothing():
    cost = SolverCost.of(ExactCost(unit=Fraction(1), weights=(1,), offset=0), [0], [1], FLOATS)
    assert cost.believable(float("-inf")) is None
    assert cost.believable(float("nan")) is None
