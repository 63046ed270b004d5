"""The trade-off between sensitivity and specificity, against solving each weight alone."""

from fractions import Fraction
from itertools import product
from operator import mul

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problem.reference import data
from supersparse import Problem, solve
from supersparse import constraints as c
from supersparse.engine.answers.trade_off import default_ratios, trade_off
from supersparse.errors import InvalidDataError, InvalidOptionError, PenaltyRangeWarning, UnsupportedProblemError

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


# Limits on the false positive rate


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
@settings(max_examples=15)
@given(data(value=st.integers(-2, 2), most_rows=6, most_features=2))
def test_within_a_limit_no_card_misses_fewer_and_none_of_these_alarms_less(case):
    X, y = case
    problem = Problem.of(X, y, C0=0, points=2)
    limits = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)]
    found = trade_off(problem, solver="exhaustive", max_false_positive_rates=limits)
    assert found.proven
    by_limit = {limit: point for point in found.points for limit in point.limits}
    assert list(by_limit) == limits
    for limit, point in by_limit.items():
        rates = []
        for values in product(range(-2, 3), repeat=len(X[0])):
            totals = [sum(map(mul, values, row)) for row in X]
            for threshold in {*totals, max(totals) + 1}:
                wrong = [(total >= threshold) != label for total, label in zip(totals, y, strict=True)]
                missed = sum(w for w, label in zip(wrong, y, strict=True) if label)
                alarms = sum(w for w, label in zip(wrong, y, strict=True) if not label)
                if alarms <= limit * (len(y) - sum(y)):
                    rates.append((missed, alarms))
        evaluation = point.solution.evaluation
        assert (evaluation.wrong_positive, evaluation.wrong_negative) == min(rates)


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
def test_the_sweep_of_limits_rises_and_names_them():
    found = trade_off(Problem.of(X, Y, C0=0.01, max_points=2), max_false_positive_rates=[0.5, 0, 0.25])
    sensitivities = [p.sensitivity for p in found.points]
    assert sensitivities == sorted(sensitivities)
    assert found.points[0].limits[0] == 0
    assert not any(p.ratios for p in found.points)
    row = found.table()[0]
    assert (row["limit_from"], "ratio_from" in row) == (0.0, False)
    assert str(found).startswith("FPR at most ")
    assert found.points[0]._brief().startswith("FPR at most 0")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ([], "max_false_positive_rates is empty; give at least one share"),
        ([0.1, 1.5], "is 0.1, 1.5; give at least one share, each from 0 to 1"),
        ("0.1", "is '0.1'; give a list of shares"),
        (0.1, "is 0.1; give a list of shares"),
    ],
)
def test_limits_that_are_none_are_refused(limits, message):
    with pytest.raises(InvalidOptionError, match=message):
        trade_off(Problem.of(X, Y), max_false_positive_rates=limits)


def test_two_sweeps_at_once_and_limits_for_a_log_loss_are_refused():
    with pytest.raises(InvalidOptionError, match="two sweeps; give one of them"):
        trade_off(Problem.of(X, Y), [1, 2], max_false_positive_rates=[0.1])
    with pytest.raises(UnsupportedProblemError, match=r"goal 'risk' minimises the log loss.*use goal 'errors'"):
        trade_off(Problem.of(X, Y, goal="risk"), max_false_positive_rates=[0.1])


# Rows that were held out


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
def test_held_out_rows_are_counted_and_change_nothing():
    names = ["age", "dose"]
    problem = Problem.of(X, Y, C0=0.13, max_points=2, feature_names=names)
    test_X, test_y, weight = [[0, 5], [6, 0], [2, 2], [3, 1]], [0, 1, 1, 0], [1, 2, 0.5, 3]
    alone = trade_off(problem, solver="exhaustive")
    frame = pd.DataFrame(test_X, columns=names)[["dose", "age"]]  # in another order
    as_problem = Problem.of(test_X, test_y, feature_names=names, sample_weight=weight)
    for test in ((test_X, test_y, weight), (frame, test_y, weight), as_problem):
        found = trade_off(problem, solver="exhaustive", test=test)
        assert [p.solution.points for p in found.points] == [p.solution.points for p in alone.points]
        assert all(p.test is None for p in alone.points)
        for point in found.points:
            values, b = point.solution.points.values, point.solution.points.intercept_value
            right = [
                (sum(map(mul, values, row)) + b > 0) == bool(label) for row, label in zip(test_X, test_y, strict=True)
            ]
            assert point.test_sensitivity == Fraction(4 * right[1] + right[2], 5)
            assert point.test_specificity == Fraction(right[0] + 3 * right[3], 4)
        row = found.table()[-1]
        assert row["test_sensitivity"] == float(found.points[-1].test_sensitivity)
        assert "sens., test  spec., test" in str(found)


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
def test_limits_hold_on_the_training_rows_alone():
    problem = Problem.of(X, Y, C0=0.01, max_points=2)
    others = [[6, 0]] * 3 + [[0, 0]], [0, 0, 0, 1]
    for point in trade_off(problem, max_false_positive_rates=[0.25], test=others).points:
        assert point.specificity >= Fraction(3, 4)
        assert point.test_specificity == 0


@pytest.mark.parametrize(
    ("test", "error", "message"),
    [
        ([[1, 2]], InvalidOptionError, "test is list; give the rows that were held out as"),
        (7, InvalidOptionError, "test is int; give the rows that were held out as"),
        (([[1, 2], [2, 1]], ["a", "b"]), InvalidDataError, "test: the positive class 1 is not among"),
        (([[1, 2], [2, 1]], [1, 2]), InvalidDataError, "test has the classes 2 and 1, and the problem 0 and 1"),
        (({"x0": [1, 2]}, [0, 1]), InvalidDataError, "test has no feature 'x1'; give it the features"),
        (([[1, 2], [2, 1]], [1, 1]), InvalidDataError, "test: y has 1 class"),
    ],
)
def test_held_out_rows_of_another_table_are_refused(test, error, message):
    with pytest.raises(error, match=message):
        trade_off(Problem.of(X, Y), [1], test=test)
