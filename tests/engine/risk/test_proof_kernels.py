"""What the kernels of a proof refuse, and that every version of their loops leaves the same bits."""

import numpy as np
import pytest

from engine.risk.regressions import sparse_instance
from supersparse import Problem
from supersparse.engine.core import choose_loops, loops
from supersparse.engine.proving.proof import Proof
from supersparse.engine.risk.instance import risk_instance
from supersparse.engine.risk.kernels import relax, relax_open, run_completions
from supersparse.engine.risk.tree import RiskTree
from supersparse.engine.risk.worker import Worker


def _box(**other):
    """A box of all columns, and room for what its relaxation finds."""
    data = sparse_instance().data
    m, n = data.x.shape
    own = {
        "columns": np.arange(m), "low": -5 * data.scale, "high": 5 * data.scale, "optional": np.ones(m, np.int64),
        "cost": np.zeros(m), "room": 3, "slope_high": float(data.cap.max()), "threshold": 0.3,
        "point": np.zeros(2 + m), "dual": np.empty(1 + m), "work": np.empty((8, n)),
        "gram": np.zeros((m + 1, m + 1)), "found": np.empty(2),
    }  # fmt: skip
    return data, own | other


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"columns": np.array([0, 99, *range(2, 12)])}, "a column is out of range"),
        ({"columns": np.array([-1, *range(1, 12)])}, "a column is out of range"),
        ({"low": np.zeros(3)}, "a range for each column"),
        ({"room": -1}, "a range for each column"),
        ({"point": np.zeros(3)}, "no room for what"),
        ({"gram": np.zeros((2, 2))}, "no room for what"),
        ({"work": np.zeros((2, 600))}, "no room for the rows"),
    ],
)
def test_a_relaxation_of_arrays_that_do_not_fit_is_refused(part, message):
    data, own = _box(**part)
    with pytest.raises(ValueError, match=message):
        relax_open(data, *own.values())
    slope = own.pop("slope_high")
    box, (threshold, *found) = list(own.values())[:6], list(own.values())[6:]
    with pytest.raises(ValueError, match=message):
        relax(data, *box, 0.0, slope, threshold, 0.0, *found)


@pytest.mark.parametrize("part", [{"used": np.array([12])}, {"low": np.full(12, -1)}, {"high": np.full(12, 999)}])
def test_completions_of_columns_or_values_that_are_not_there_are_refused(part):
    worker = Worker(sparse_instance())
    instance, m = worker.instance, 12
    own = {
        "used": np.array([0]), "candidates": np.arange(1, m), "room": 2, "low": instance.low, "high": instance.high,
        "start": np.zeros(2 + m), "loss_floor": 0.0, "least_cost": instance.least_cost, "budget": 1000,
    } | part  # fmt: skip
    with pytest.raises(ValueError, match="out of range"):
        run_completions(*worker._held, *own.values())


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("slope_is_free", [True, False])
def test_every_version_of_the_loops_leaves_the_same_bits(binary, slope_is_free):
    best, left, rng = loops(), [], np.random.default_rng(3)
    X = rng.integers(0, 2 if binary else 9, (203, 7))
    y = (rng.random(203) < 1 / (1 + np.exp(2 - X[:, 0] - X[:, 1]))).astype(int)
    slope = "free" if slope_is_free else 1
    problem = Problem.of(X, y, goal="risk", C0=0.004, max_points=3, max_features=3, slope=slope)
    versions = ["baseline", "avx2", "avx512"]
    try:
        for version in versions[: versions.index(best) + 1]:
            choose_loops(version)
            tree = RiskTree(risk_instance(problem, slope_is_free=slope_is_free))
            tree.best.value[0] = 1.0
            proof = Proof(tree)
            proof.begin()
            while proof.is_open:
                proof.step()
            left.append([*tree.best, np.array(tree.nodes)])
    finally:
        choose_loops("best")
    assert 0 < left[0][0][0] < 0.7
    for arrays in left[1:]:
        assert all(a.tobytes() == b.tobytes() for a, b in zip(left[0], arrays, strict=True))
