"""What the paper says of every optimum (section 3.1 and its footnotes), held against every solver."""

from fractions import Fraction
from itertools import product
from math import gcd

import numpy as np
import pytest

from counts import examples
from supersparse.engine.solve import solve, solve_all_within
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.problem import Problem

pytestmark = [
    pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning"),
    pytest.mark.usefixtures("no_incumbent_search"),
]


def two_points(C0):
    return Problem.of([[-1, 1], [1, -1]], [1, 0], C0=C0, max_points=5, intercept="none")


def random_problem(seed, **options):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (16, 3))
    y = X @ [1, -2, 0] + rng.normal(0, 1.5, 16) > 0
    y[:2] = [False, True]
    return Problem.of(X, y.astype(int), **options)


def test_the_two_points_of_the_footnote_have_exactly_two_optima():
    problem = two_points(C0=0.5)
    equally_good = solve_all_within(problem, solver="exhaustive").models
    least = min(m.evaluation.l1 for m in equally_good)
    smallest = {m.points.coefficients for m in equally_good if m.evaluation.l1 == least}
    assert smallest == {(-1, 0), (0, 1)}


@pytest.mark.parametrize("C0", [0.1, 0.5, 0.99])
def test_a_solver_finds_one_of_the_two_optima_of_the_footnote(name, C0):
    found = solve(two_points(C0), name)
    assert found.points.coefficients in {(-1, 0), (0, 1)}
    assert found.proven_smallest


@pytest.mark.parametrize("seed", range(4))
def test_no_dropped_features_would_have_gained_more_than_their_penalty(name, seed):
    problem = random_problem(seed, C0=0.05, max_points=2)
    found = solve(problem, name)
    used = set(found.points.support)
    for coefficients in product(range(-2, 3), repeat=3):
        other = with_best_intercept(problem, coefficients)
        added = set(other.support) - used
        if used <= set(other.support):
            gain = found.evaluation.loss - evaluate(problem, other).loss
            assert gain <= len(added) * Fraction(5, 100)


@pytest.mark.parametrize("intercept", ["free", "paper", "none", (-4, 4)], ids=str)
@pytest.mark.parametrize("seed", range(examples(3)))
def test_points_and_intercept_of_an_optimum_are_coprime(name, seed, intercept):
    """Dividing all of them by a common divisor would predict the same with a smaller l1."""
    found = solve(random_problem(seed, C0=0.02, max_points=4, intercept=intercept), name)
    numbers = found.points.coefficients
    assert any(numbers)
    if intercept != "free":  # a free threshold divides along, so the points alone are in lowest terms
        numbers = (*numbers, found.points.intercept)
    assert gcd(*numbers) == 1
