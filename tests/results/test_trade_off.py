"""The trade-off between sensitivity and specificity, against solving each weight alone."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problem.reference import data
from supersparse import Problem, solve
from supersparse import constraints as c
from supersparse.errors import InvalidOptionError, PenaltyRangeWarning
from supersparse.results.trade_off import default_ratios, trade_off

X = [[0, 1], [1, 0], [2, 1], [3, 0], [4, 1], [5, 1], [1, 1], [6, 0]]
Y = [0, 0, 1, 0, 1, 1, 0, 1]


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
@settings(max_examples=15)
@given(data(value=st.integers(-2, 2), most_rows=6, most_features=2))
def test_every_point_is_that_of_its_weights(case):
    X, y = case
    problem = Problem.of(X, y, C0=0.05, points=2)
    found = trade_off(problem, solver="exhaustive")
    assert found.proven
    assert sorted(r for p in found.points for r in p.ratios) == default_ratios(problem)
    for point in found.points:
        for ratio in point.ratios:
            weights = {False: 2 / (1 + ratio), True: 2 * ratio / (1 + ratio)}
            alone = solve(Problem.of(X, y, C0=0.05, points=2, class_weight=weights), "exhaustive")
            loss = (
                weights[True] * point.solution.evaluation.wrong_positive
                + weights[False] * point.solution.evaluation.wrong_negative
            ) / len(y)
            assert loss + Fraction(1, 20) * point.solution.evaluation.size == alone.objective
    rates = [(p.sensitivity, p.specificity) for p in found.points]
    assert len(set(rates)) == len(rates)
    assert [r[0] for r in rates] == sorted(r[0] for r in rates)


def test_the_default_ratios_hold_the_balanced_one_and_1():
    ratios = default_ratios(Problem.of(X, Y, sample_weight=[3, 1, 1, 1, 1, 1, 1, 1]))
    assert Fraction(6, 4) in ratios  # weight 6 of negatives, 4 of positives
    assert 1 in ratios
    assert len(ratios) == 10
    assert ratios == sorted(ratios)


def test_a_larger_weight_of_the_positives_gains_sensitivity():
    found = trade_off(Problem.of(X, Y, C0=0.13, max_points=2), [0.1, 1, 10], "exhaustive")
    first, last = found.points[0], found.points[-1]
    assert first.sensitivity < last.sensitivity
    assert first.specificity > last.specificity
    assert min(first.ratios) == Fraction(1, 10)
    assert max(last.ratios) == 10
    frame = found.to_frame()
    assert frame["sensitivity"].is_monotonic_increasing
    assert str(found).count("\n") == len(found.points)


def test_constraints_hold_at_every_weight():
    asked = Problem.of(X, Y, C0=0.13, max_points=2, constraints=[c.min_specificity(0.75)])
    assert all(p.specificity >= Fraction(3, 4) for p in trade_off(asked, solver="exhaustive").points)


def test_a_penalty_out_of_range_is_said_once_for_the_problem_as_given():
    with pytest.warns(PenaltyRangeWarning, match="C0 = 0.001 is below") as caught:
        trade_off(Problem.of(X, Y, C0=0.001, max_points=1), solver="exhaustive")
    assert len(caught) == 1


@pytest.mark.parametrize("ratios", [[], [0], [1, -2]])
def test_ratios_that_are_no_ratios_are_refused(ratios):
    with pytest.raises(InvalidOptionError, match="each above 0"):
        trade_off(Problem.of(X, Y), ratios, "exhaustive")
