"""Penalties chosen by meaning, against exhaustive search."""

import warnings
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from strategies import Case, cases
from supersparse import Problem, solve
from supersparse.engine.answers.frontier import frontier
from supersparse.engine.answers.penalties import C0_for, useful_range
from supersparse.errors import InvalidProblemError, PenaltyRangeWarning
from supersparse.problem.variants import errors_only, loss_step, with_size_penalty

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
slowly = settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))


def without_l1(case: Case) -> Problem:
    problem = case.problem
    return Problem.of(
        [list(row) for row in case.X],
        list(case.y),
        points=list(problem.sets),
        intercept=case.intercept if case.intercept != "paper" else "free",
        sample_weight=None if case.sample_weight is None else list(case.sample_weight),
    )


@slowly
@given(cases(), st.sampled_from([1, 2, 3, 0.5, 1.25, Fraction(1, 3)]))
def test_features_are_used_if_and_only_if_they_save_enough_cases(case: Case, saved):
    problem = without_l1(case)
    C0 = C0_for(problem, cases=saved)
    chosen = solve(with_size_penalty(problem, C0), "exhaustive").evaluation
    for row in frontier(problem, solver="exhaustive").rows:
        if row.solution is None or row.solution.evaluation.size != row.size:
            continue
        other = row.solution.evaluation
        more = chosen.size - other.size
        gained = other.training_errors - chosen.training_errors
        if more > 0:
            assert gained >= more * Fraction(str(saved) if isinstance(saved, float) else saved)
        elif more < 0:
            assert -gained < -more * Fraction(str(saved) if isinstance(saved, float) else saved)


def test_a_feature_that_saves_exactly_enough_is_used_and_one_that_saves_less_is_not():
    # x0 saves two of the four errors of the constant model
    X, y = [[0], [0], [0], [0], [1], [1], [0], [0], [0]], [0, 0, 0, 0, 1, 1, 1, 1, 0]
    for saved, size in [(2, 1), (Fraction(21, 10), 0), (3, 0), (1, 1)]:
        problem = Problem.of(X, y, C0=C0_for(Problem.of(X, y), cases=saved), max_points=2)
        assert solve(problem, "exhaustive").evaluation.size == size


def test_for_a_number_of_rows_it_holds_for_so_many_features_at_a_time():
    assert C0_for(1000, cases=5) == Fraction(9, 2) / 1000
    assert C0_for(1000, cases=5, features=10) == (5 - Fraction(1, 20)) / 1000
    for wrong in [{"cases": 0}, {"cases": -1}]:
        with pytest.raises(InvalidProblemError, match="give a number above 0"):
            C0_for(1000, **wrong)
    with pytest.raises(InvalidProblemError, match="number of rows is 0"):
        C0_for(0, cases=1)


@slowly
@given(cases())
def test_below_the_range_of_ties_the_penalty_costs_no_errors(case: Case):
    problem = without_l1(case)
    below = useful_range(problem).C0_ties_below * Fraction(99, 100)
    found = solve(with_size_penalty(problem, below), "exhaustive").evaluation
    assert found.loss == solve(errors_only(problem), "exhaustive").objective


@slowly
@given(cases(), st.sampled_from([Fraction(1, 100), Fraction(99, 100)]))
def test_a_safe_l1_penalty_changes_neither_errors_nor_size(case: Case, part):
    auto = Problem.of(
        [list(row) for row in case.X], list(case.y), points=list(case.problem.sets), C0=0.03,
        sample_weight=None if case.sample_weight is None else list(case.sample_weight),
    )  # fmt: skip
    exact = solve(auto, "exhaustive").evaluation
    numeric = Problem.of(
        [list(row) for row in case.X], list(case.y), points=list(case.problem.sets), C0=0.03,
        C1=part * useful_range(auto).C1_safe_below,
        sample_weight=None if case.sample_weight is None else list(case.sample_weight),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="C1 = .* can change errors or size")
        found = solve(numeric, "exhaustive").evaluation
    assert found.loss + Fraction(3, 100) * found.size == exact.loss + Fraction(3, 100) * exact.size
    assert found.l1 == exact.l1


def test_the_papers_range_for_the_l1_penalty_promises_too_much():
    # F moves in steps of 1/300 here, far below both 1/N and C0
    X, y = [[0], [1], [2]], [0, 1, 1]
    ranges = useful_range(Problem.of(X, y, C0=0.35, max_points=10))
    assert ranges.C1_paper == Fraction(1, 30)
    assert ranges.C1_safe_below == Fraction(1, 600)
    inside = Problem.of(X, y, C0=0.35, C1=0.01, max_points=10)
    assert ranges.C1_paper > inside.C1
    with pytest.warns(PenaltyRangeWarning, match="C1 = 0.01 can change errors or size"):
        solve(inside, "exhaustive")


def test_ranges_follow_the_weights():
    problem = Problem.of([[0], [1], [2]], [0, 1, 1], sample_weight=[2, 1, 3], class_weight={1: 0.5})
    ranges = useful_range(problem)
    assert loss_step(problem) == Fraction(1, 12)
    assert ranges.C0_one_case == Fraction(1, 12)
    assert ranges.C0_nothing_above == Fraction(1, 3)
    assert "C0 above 0.3333: no feature is used" in str(ranges)
