"""Rounding bounds to values that F can take, against a list of all of them."""

from fractions import Fraction
from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from problem.reference import small_problems
from strategies import constrained_problems
from supersparse.problem.objective import evaluate, intercept_choice, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import next_attainable, previous_attainable


def all_objectives(problem):
    """F of every model; scores lie within 8, so an intercept of 9 units of 1 is as good as any beyond."""
    if problem.intercept.mode == "free":
        intercepts = [Fraction(b, 2) for b in range(-18 * problem.unit, 18 * problem.unit + 1)]
    else:
        choice = intercept_choice(problem, features=0)
        intercepts = range(choice.low, choice.high + 1) if choice.allowed is None else choice.allowed.tolist()
    sets = [[int(v * problem.unit) for v in s.values] for s in problem.sets]
    return {
        evaluate(problem, Points(coefficients, b, problem.unit)).objective
        for coefficients in product(*sets)
        for b in intercepts
    }


@given(small_problems(), st.fractions(0, 2, max_denominator=200))
def test_no_objective_lies_between_a_bound_and_its_rounding(problem, bound):
    found = all_objectives(problem)
    rounded = next_attainable(problem, bound)
    assert rounded >= bound
    assert not [v for v in found if bound <= v < rounded]
    for value in found:
        assert next_attainable(problem, value) == value


@given(small_problems(), st.fractions(0, 2, max_denominator=200))
def test_no_objective_lies_between_a_value_and_the_one_before(problem, value):
    found = all_objectives(problem)
    for v in [value, *found]:
        before = previous_attainable(problem, v)
        if before is None:
            assert not [f for f in found if f < v]
        else:
            assert before < v
            assert not [f for f in found if before < f < v]


def too_large(problem, points):
    counted = len(points.support) + bool(problem.intercept.is_penalised and points.intercept)
    return problem.max_features is not None and counted > problem.max_features


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(st.data(), constrained_problems())
def test_under_levels_and_constraints_every_objective_is_attainable(data, case):
    problem = case.problem
    found = []
    for _ in range(2):
        values = [data.draw(st.sampled_from(s.values)) for s in problem.sets]
        points = with_best_intercept(problem, [int(v * problem.unit) for v in values])
        if points is not None and not too_large(problem, points):
            found.append(evaluate(problem, points).objective)
    for value in found:
        assert next_attainable(problem, value) == value
        before = previous_attainable(problem, value)
        assert all(before is not None and other <= before for other in found if other < value)


def test_a_bound_is_raised_to_the_next_number_of_errors_and_features():
    problem = Problem.of([[0], [1], [2], [3]], [0, 1, 0, 1], C0=0.1)
    assert next_attainable(problem, Fraction(1, 100)) == Fraction(1, 10)  # no error, one feature
    assert next_attainable(problem, Fraction(11, 100)) == Fraction(1, 4)  # one error, no feature
    assert previous_attainable(problem, Fraction(1, 4)) == Fraction(1, 10)
    assert previous_attainable(problem, Fraction(0)) is None
