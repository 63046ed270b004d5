"""Points that cannot all be right in a box, against a linear program solved by another solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from counts import examples
from supersparse.engine.core import kernel
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.ratio_data import Floats, Separation, point_pairs, stack_for
from supersparse.engine.integer_form import integer_form
from supersparse.engine.presolve import MergeRows
from supersparse.problem.problem import Problem


@kernel
def probe_separation(s: Separation, n_positive: int, low: Floats, high: Floats, gap: float) -> int: ...


def widest_gap(up, down, low, high):
    """By how much ratios of a box can leave all positive points above all negative ones, at most."""
    k = len(up)
    rows = [np.append(-x, [1.0, 0.0]) for x in up.T] + [np.append(x, [0.0, -1.0]) for x in down.T]
    bounds = [*zip(low, high, strict=True), (None, None), (None, None)]
    solved = linprog(np.append(np.zeros(k), [-1.0, 1.0]), np.array(rows), np.zeros(len(rows)), bounds=bounds)
    return -solved.fun


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 2**32), st.integers(6, 40), st.integers(1, 6), st.booleans())
def test_it_finds_such_points_where_there_are_any(seed, n, p, is_binary):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, p)) if is_binary else rng.integers(-20, 20, (n, p))
    y = (X @ rng.integers(-5, 6, p) + rng.normal(0, rng.choice([0.0, 3.0]), n) > 0).astype(int)
    y[:2] = 0, 1
    (case,) = instances(integer_form(MergeRows.apply(Problem.of(X, y, C0=0.01, max_points=3))))
    pairs = point_pairs(case)
    s, features = stack_for(pairs).separation, len(pairs.exact)
    ends = np.sort(rng.choice([-1.0, -0.5, 0.0, 0.25, 1.0], (2, features)), axis=0).astype(np.float32)
    s.is_taken[:] = rng.random(len(s.is_taken)) < 0.8
    up, down = (pairs.exact[:, a:b] for a, b in ((0, pairs.n_positive), (pairs.n_positive, None)))
    taken = s.is_taken.astype(bool)
    up, down = up[:, taken[: pairs.n_positive]], down[:, taken[pairs.n_positive :]]
    steps = probe_separation(s, pairs.n_positive, *ends, 0.1)
    if up.shape[1] == 0 or down.shape[1] == 0:
        assert steps < 0
        return
    widest = widest_gap(up, down, *ends)
    assert widest < 0.1 + 1e-6 if steps > 0 else widest >= 0.1 - 1e-6
    if steps > 0:
        first, second = s.weight[: pairs.n_positive], s.weight[pairs.n_positive :]
        assert (s.weight >= 0).all()
        assert not s.weight[~taken].any()
        assert [first.sum(), second.sum()] == pytest.approx([1, 1])
        assert np.count_nonzero(s.weight) <= features + 2
        d = pairs.exact[:, : pairs.n_positive] @ first - pairs.exact[:, pairs.n_positive :] @ second
        assert np.maximum(ends[0] * d, ends[1] * d).sum() < 0.1 + 1e-9
