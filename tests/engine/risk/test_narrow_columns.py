"""Columns are kept in as few bits as hold them: differences of their values need more."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import Problem, solve
from supersparse.engine.exhaustive import _all_points
from supersparse.problem.log_loss import centred_column
from supersparse.problem.objective import completed, evaluate

LARGEST = {np.int8: 127, np.int16: 2**15 - 1, np.int32: 2**31 - 1, np.int64: 2**63 - 1}


@pytest.mark.parametrize("dtype", [*LARGEST, object])
def test_a_column_is_centred_without_overflow(dtype):
    largest = LARGEST.get(dtype, 2**70)
    column = np.array([largest, -largest, 0, largest, 1 - largest], dtype=dtype)
    x, shift, deviation = centred_column(column, np.ones(5))
    exact = [int(v) - shift for v in column]
    mean = Fraction(sum(exact), 5)
    assert x.tolist() == pytest.approx([float(v) for v in exact], rel=1e-12)
    assert deviation**2 == pytest.approx(float(sum((v - mean) ** 2 for v in exact) / 5), rel=1e-9)


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([127, 12000, 2**15 - 1]), st.sampled_from(["free", 1]))
def test_the_least_loss_is_that_of_all_cards(seed, largest, slope):
    rng = np.random.default_rng(seed)
    X = rng.integers(-largest, largest + 1, (24, 2)) / (1 if slope == "free" else largest // 2)
    X = X.round(2) if slope == 1 and largest == 127 else X
    X[0], X[1] = X.max(), X.min()  # the whole range, in both signs
    y = (X[:, 0] + rng.normal(0, np.ptp(X) / 3, 24) > 0).astype(int)
    y[2:4] = 0, 1
    problem = Problem.of(X, y, goal="risk", C0=0.001, max_points=2, slope=slope)
    best = min(evaluate(problem, completed(problem, points.coefficients)).objective for points in _all_points(problem))
    solution = solve(problem)
    assert solution.proven_optimal
    assert float(solution.objective) == pytest.approx(float(best), abs=2e-9)
