"""What must hold now that the threshold lies anywhere, of every solver."""

from fractions import Fraction
from math import gcd

import numpy as np
import pytest

from supersparse import Problem, solve

pytestmark = [
    pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning"),
    pytest.mark.usefixtures("no_incumbent_search"),
]


def rows_of(seed, n=18, p=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, p))
    y = (X @ np.array([1, -2, 1])[:p] + rng.normal(0, 1.2, n) > 0).astype(int)
    y[:2] = [0, 1]
    return X, y


@pytest.mark.parametrize(("needed", "of"), [(2, 3), (1, 3), (3, 3), (2, 4), (3, 4)])
def test_m_of_n_rules_need_points_of_one_only(name, needed, of):
    X = np.array(np.meshgrid(*[[0, 1]] * of)).reshape(of, -1).T
    found = solve(Problem.of(X, X.sum(axis=1) >= needed, C0=0.001, max_points=1), name)
    assert found.evaluation.training_errors == 0
    assert found.points.coefficients == (1,) * of
    assert found.points.intercept_value == Fraction(1, 2) - needed
    assert found.proven_smallest


@pytest.mark.parametrize("seed", range(4))
def test_a_proven_optimum_over_symmetric_full_sets_has_no_common_factor(name, seed):
    X, y = rows_of(seed)
    found = solve(Problem.of(X, y, C0=0.02, max_points=4), name)
    assert found.proven_smallest
    assert gcd(*found.points.coefficients) == 1


@pytest.mark.parametrize("seed", range(3))
def test_doubling_all_columns_changes_neither_f_nor_the_points(name, seed):
    X, y = rows_of(seed)
    once, twice = (solve(Problem.of(k * X, y, C0=0.02, max_points=3), name) for k in (1, 2))
    assert once.objective == twice.objective
    assert once.evaluation.l1 == twice.evaluation.l1
    assert once.proven_smallest
    assert twice.proven_smallest
    if name in ("exact", "exhaustive"):  # ties between equally small models are broken alike
        assert once.points.coefficients == twice.points.coefficients


@pytest.mark.parametrize("seed", range(4))
def test_f_is_never_larger_than_with_a_whole_b(name, seed):
    X, y = rows_of(seed)
    anywhere, whole = (solve(Problem.of(X, y, C0=0.02, max_points=2, intercept=b), name) for b in ("free", (-100, 100)))
    assert anywhere.objective <= whole.objective


@pytest.mark.parametrize("seed", range(3))
def test_no_training_row_has_a_total_equal_to_the_threshold(name, seed):
    X, y = rows_of(seed)
    found = solve(Problem.of(X / 4, y, C0=0.02, max_points=2), name)
    assert found.evaluation.zero_negative == 0
    assert found.evaluation.training_errors == found.evaluation.predicted_errors
