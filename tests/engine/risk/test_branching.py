"""Which column a node of the risk tree is split on."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from supersparse import Problem, solve
from supersparse.engine.presolve import presolve
from supersparse.engine.risk import worker
from supersparse.engine.risk.branching import Branching, Relaxation
from supersparse.engine.risk.instance import risk_instance


def columns_of(scales, *, slope="free"):
    """A table of three columns of these scales, and how they are compared."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 3)), 2) * scales
    y = (X[:, 0] / scales[0] + rng.normal(size=60) > 0).astype(int)
    problem = Problem.of(X, y, goal="risk", C0=0, max_points=5, max_features=2, slope=slope)
    instance = risk_instance(presolve(problem).problem, slope_is_free=slope == "free")
    return Branching(instance), instance


def relaxed_at(beta, curvature, loss=0.4):
    """A relaxation that ends at these weights, with this curvature of each column."""
    gram, m = np.diag([0.2, *curvature]), len(beta)
    point = np.array([1.0, 0.0, *beta])
    return Relaxation(False, loss, loss, np.arange(m), np.ones(m, int), np.zeros(m), point, np.zeros(1 + m), gram)


def promises(compare, relaxed, left=0.01):
    missing = compare.missing(relaxed)
    return compare.promises(relaxed, relaxed.spread(), missing, left)


def test_of_equal_effects_the_one_without_which_the_loss_rises_more_comes_first():
    for scales in ([1, 1, 1], [1, 1, 1000]):
        compare, _ = columns_of(scales)
        found = promises(compare, relaxed_at([0.5, -0.5, 0.5], [0.1, 0.2, 0.1]))
        assert found[1] > found[0]


def test_of_equal_rises_the_larger_effect_comes_first():
    for scales in ([1, 1, 1], [1, 1, 1000]):
        compare, _ = columns_of(scales)
        found = promises(compare, relaxed_at([1.0, 0.5, 0.5], [0.1, 0.4, 0.4]))
        assert found[0] > found[1]


def test_points_that_are_too_many_for_a_column_promise_more():
    compare, instance = columns_of([1, 1, 1000])
    wide = instance.data.scale.argmax()
    relaxed = relaxed_at([0.3, 0.3, 0.3], [0.1, 0.1, 0.1])
    missing = compare.missing(relaxed)
    assert missing[wide] > 1
    assert not missing[np.arange(3) != wide].any()
    found = promises(compare, relaxed)
    assert found.argmax() == wide
    assert found[wide] == pytest.approx(3 * found[wide - 1])  # once, and at most twice what is left


def test_without_a_curvature_the_effect_decides():
    compare, _ = columns_of([1, 1, 1])
    relaxed = relaxed_at([0.5, -0.7, 0.1], [0.0, 0.0, 0.0])
    assert compare.promises(relaxed, None, compare.missing(relaxed), 0.01).tolist() == [0.5, 0.7, 0.1]


def test_with_slope_one_a_point_has_its_own_weight():
    compare, instance = columns_of([1, 1, 1000], slope=1)
    missing = compare.missing(relaxed_at([0.3, 0.3, 0.3], [0.1, 0.1, 0.1]))
    assert missing.tolist() == pytest.approx((instance.data.scale - 0.3).tolist())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("spread", [0.0, -1e-9, 1e-320])
def test_a_spread_that_rounding_has_destroyed_gives_numbers_all_the_same(spread):
    for scales in ([1, 1, 1], [1, 1, 1000]):
        compare, _ = columns_of(scales)
        relaxed = relaxed_at([30.0, -30.0, 1e-9], [0.1, 0.1, 0.1])
        inverse = np.diag([5.0, spread, spread, 10.0])
        assert np.isfinite(compare.promises(relaxed, inverse, compare.missing(relaxed), -1.0)).all()


def test_signs_are_split_with_slope_one_and_where_points_are_missing():
    relaxed = relaxed_at([0.3, 0.3, 0.3], [0.1, 0.1, 0.1])
    for scales, slope, expected in (([1, 1, 1], "free", 0), ([1, 1, 1], 1, 3), ([1, 1, 1000], "free", 1)):
        compare, _ = columns_of(scales, slope=slope)
        missing = compare.missing(relaxed)
        assert sum(compare.is_by_sign(relaxed, j, missing, 0.01) for j in range(3)) == expected


def test_fewer_nodes_are_relaxed_than_with_effects_alone(monkeypatch):
    data = load_breast_cancer()
    problem = Problem.of(data.data[:, :27], data.target, goal="risk", C0=0, max_points=5, max_features=5)
    relax, counts = worker.relax, []

    def counted(*arguments):
        counts[-1] += 1
        return relax(*arguments)

    def proven():
        counts.append(0)
        solution = solve(problem)
        assert solution.proven_optimal
        return solution.objective

    monkeypatch.setattr(worker, "relax", counted)
    best = proven()
    monkeypatch.setattr(Branching, "promises", lambda compare, relaxed, *_: np.abs(relaxed.point[2:]))
    assert abs(proven() - best) <= 1.1e-9
    assert counts[0] < 0.7 * counts[1]
