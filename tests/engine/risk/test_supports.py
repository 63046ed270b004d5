"""The tree over supports of binary columns, against the enumeration of the other tree and in pieces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import Problem, solve
from supersparse.engine.core import choose_loops
from supersparse.engine.risk import worker


def drawn(seed: int) -> Problem:
    """Binary columns, some equal, complementary, nearly pure or a combination of others."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(12, 150)), int(rng.integers(3, 11))
    X = (rng.random((n, p)) < rng.choice([0.05, 0.3, 0.5, 0.8], p)).astype(float)
    for j in range(1, p):
        kind, other = rng.integers(0, 10), X[:, rng.integers(0, j)]
        if kind < 3:
            X[:, j] = [other, 1 - other, np.maximum(other, X[:, j])][kind]
    X[0], X[1] = 0, 1
    effects = np.where(rng.random(p) < 0.5, rng.normal(0, 2, p), 0)
    y = (rng.random(n) < 1 / (1 + np.exp(0.5 - (X - 0.4) @ effects))).astype(int)
    y[:2] = 0, 1
    return Problem.of(
        X,
        y,
        feature_names=[f"x{j}" for j in range(p)],
        goal="risk",
        C0=0,
        max_points=int(rng.integers(1, 4)),
        max_features=int(rng.integers(1, min(p, 6) + 1)),
        class_weight={0: 1, 1: int(rng.integers(1, 3))},
        positive=1,
    )


def solved(problem: Problem, **options):
    found = solve(problem, **options)
    assert found.proven_optimal
    return float(found.objective)


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, derandomize=True, max_examples=examples(25))
def test_the_tree_over_supports_proves_what_the_enumeration_proves(seed):
    problem = drawn(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "_MOST_SCREENED", 0)
        expected = solved(problem)
    assert solved(problem) == pytest.approx(expected, abs=2e-9)


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, derandomize=True, max_examples=examples(10))
def test_the_tree_proves_the_same_in_pieces_without_a_first_card(seed):
    problem = drawn(seed)
    expected = solved(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "SLICE", 2_000)
        patch.setattr(worker, "_SHARED_AFTER", 2_000)
        patch.setattr(worker.Worker, "find_cards", lambda *_: False)
        assert solved(problem) == pytest.approx(expected, abs=2e-9)


def test_every_version_of_the_loops_proves_the_same_with_the_same_nodes():
    found = set()
    for version in ("baseline", "avx2", "avx512"):
        try:
            choose_loops(version)
        except ValueError:
            continue  # this machine lacks it
        solution = solve(drawn(5))
        found.add((float(solution.objective), float(solution.lower_bound), solution.nodes))
    choose_loops("best")
    assert len(found) == 1
