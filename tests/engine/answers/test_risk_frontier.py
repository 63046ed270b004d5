"""The frontier of the log loss against solves of each size alone."""

import numpy as np
import pytest

from supersparse import Problem, frontier, solve


def made(costs=None):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (150, 5))
    y = (rng.random(150) < 1 / (1 + np.exp(1.5 - 2 * X[:, 0] - X[:, 1] + X[:, 2]))).astype(int)
    return Problem.of(X, y, goal="risk", max_points=3, C0=0.01 if costs is None else costs)


@pytest.mark.parametrize("costs", [None, [0.01, 0.02, 0.03, 0.01, 0.01]], ids=["alike", "by feature"])
def test_every_size_is_the_best_of_at_most_so_many_features(costs):
    problem = made(costs)
    found = frontier(problem, 3)
    assert found.proven
    assert "log loss" in str(found)
    losses = []
    for size, row in enumerate(found.rows):
        alone = solve(Problem.of(*rows_of(problem), goal="risk", max_points=3, C0=0, max_features=size))
        assert float(row.solution.objective) == pytest.approx(float(alone.objective), abs=3e-9)
        losses.append(row.solution.objective)
    assert losses == sorted(losses, reverse=True)


def rows_of(problem):
    return np.column_stack(problem.rows.columns), problem.rows.positive.astype(int)


def test_a_limit_leaves_sizes_unproven_with_honest_bounds():
    found = frontier(made(), 3, node_limit=0)
    full = frontier(made(), 3)
    for cut, row in zip(found.rows, full.rows, strict=True):
        assert cut.lower_bound <= row.solution.objective
