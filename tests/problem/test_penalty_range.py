"""Warnings about penalties that do not do what their names say (section 3.2)."""

import warnings
from fractions import Fraction

import pytest

from supersparse import constraints
from supersparse.errors import PenaltyRangeWarning
from supersparse.problem.problem import Problem
from supersparse.problem.variants import (
    constant_model_loss,
    largest_l1,
    loss_of_one_row,
    objective_step,
    smallest_loss_step,
    warn_about_penalties,
)

X = [[0], [1], [2], [3], [4]]
Y = [0, 0, 0, 1, 1]


def test_the_useful_range_runs_from_one_row_to_the_best_constant_model():
    problem = Problem.of(X, Y)
    assert smallest_loss_step(problem) == Fraction(1, 5)
    assert constant_model_loss(problem) == Fraction(2, 5)


def test_weights_move_the_range():
    problem = Problem.of(X, Y, sample_weight=[1, 1, 1, 2, 5], class_weight={1: 0.1})
    assert smallest_loss_step(problem) == Fraction(2, 100)
    assert constant_model_loss(problem) == Fraction(7, 100)


def test_without_an_intercept_the_constant_model_is_wrong_everywhere():
    assert constant_model_loss(Problem.of(X, Y, intercept="none")) == 1


@pytest.mark.parametrize(
    ("C0", "message"),
    [
        (0.19, r"C0 = 0.19 is below the loss of a single row.* between 0.2 \(one row\) and 0.4"),
        (0.41, r"C0 = 0.41 exceeds what features can save.* between 0.2 .* and 0.4"),
    ],
)
def test_a_size_penalty_outside_the_range_warns_and_names_it(C0, message):
    with pytest.warns(PenaltyRangeWarning, match=message):
        warn_about_penalties(Problem.of(X, Y, C0=C0))


def test_a_counted_cell_is_not_one_row():
    # 20 people in 4 cells of 3 or more: one of them is 1/20, whatever the cells hold
    counts = {"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "n": [9, 3, 4, 4]}
    with pytest.warns(PenaltyRangeWarning, match=r"C0 = 0.04 is below .* between 0.05 \(one row\) and 0.35"):
        warn_about_penalties(Problem.of_counts(counts, target="y", C0=0.04))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_penalties(Problem.of_counts(counts, target="y", C0=0.05))
    equal = {"x": [0, 1], "y": [0, 1], "n": [4, 4]}  # one weight for all: still eight people
    assert loss_of_one_row(Problem.of_counts(equal, target="y")) == Fraction(1, 8)


@pytest.mark.parametrize("C0", [0.2, 0.3, 0.4])
def test_a_size_penalty_inside_the_range_does_not_warn(C0):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_penalties(Problem.of(X, Y, C0=C0))


def test_the_ends_of_the_range_written_as_floats_do_not_warn():
    # 1/3 as a float is a little less than a third, 2/3 as well
    problem = Problem.of([[0], [1], [2]], [0, 0, 1], C0=1 / 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_penalties(problem)


def test_a_numeric_l1_penalty_that_can_change_errors_or_size_warns():
    # F moves in steps of 1/10 (gcd of 1/5 and 3/10), ‖λ‖1 reaches 10: C1 must stay below 1/100
    problem = Problem.of(X, Y, C0=0.3, C1=0.01, max_points=10)
    assert (objective_step(problem), largest_l1(problem)) == (Fraction(1, 10), 10)
    with pytest.warns(PenaltyRangeWarning, match=r"C1 = 0.01 can change errors or size.* below 0.01, .*'auto'"):
        warn_about_penalties(problem)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_penalties(Problem.of(X, Y, C0=0.3, C1=0.009, max_points=10))


def test_the_size_limit_and_the_papers_intercept_enter_the_largest_l1():
    two = [[0, 1], [1, 0]]
    assert largest_l1(Problem.of(two, [0, 1], max_points=10, max_features=1)) == 10
    assert largest_l1(Problem.of(two, [0, 1], max_points=10, intercept="paper")) == 30


def test_a_penalty_too_high_for_any_feature_is_no_mistake_where_a_limit_may_need_one():
    asked = {"C0": 0.9, "max_points": 2, "constraints": constraints.min_sensitivity(1)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_penalties(Problem.of([[0], [1], [1]], [0, 1, 1], **asked))
        warn_about_penalties(Problem.of([[0], [1], [1]], [0, 1, 1], levels=[([1], 0.001)]))


def test_the_best_constant_model_leaves_limits_aside():
    problem = Problem.of([[0], [1], [1]], [0, 1, 1], constraints=constraints.max_error(0), min_features=1)
    assert constant_model_loss(problem) == Fraction(1, 3)


def test_the_penalties_of_levels_are_steps_of_the_objective():
    problem = Problem.of([[0], [1], [1], [0]], [0, 1, 1, 1], levels=[([1], 0.125), ([2], 0.3)])
    assert objective_step(problem) == Fraction(1, 40)
