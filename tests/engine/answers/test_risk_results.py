"""Edits, path, trade-off and conflicts of the log loss, against brute force over all cards."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from conformance.risk_brute_force import DrawnRisk, brute_force
from supersparse import Problem, frontier, solve, trade_off, what_if
from supersparse import constraints as c
from supersparse.engine.answers import penalty_grid
from supersparse.engine.answers.penalty_grid import solve_each_penalty
from supersparse.engine.explain import explain_infeasible
from supersparse.errors import InfeasibleError

SET = [float(v) for v in range(-2, 3)]


def drawn(C0=0.01, sets=None, **more):
    rng = np.random.default_rng(11)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    y = (rng.random(60) < 1 / (1 + np.exp(2 - X[:, 0] - X[:, 1] + X[:, 2]))).astype(int)
    settings = {
        "max_features": 3, "weights": None, "class_weight": (1.0, 1.0), "sets": sets or [SET] * 4,
    }  # fmt: skip
    return DrawnRisk(X=X.tolist(), y=y.tolist(), C0=[C0] * 4, **{**settings, **more})


def least(of, slope):
    found = brute_force(of, slope_is_free=slope == "free")
    assert found is not None
    return found.value


NEGATIVE = [v for v in SET if v <= 0]


@pytest.mark.parametrize("slope", ["free", 1])
@pytest.mark.parametrize(
    ("edit", "asked"),
    [
        ({"forbid": "a"}, {"sets": [[0.0], SET, SET, SET]}),
        ({"force": "d"}, {"asked": [("must_use", "d")]}),
        ({"sign": {"a": "-"}}, {"sets": [NEGATIVE, SET, SET, SET]}),
        ({"forbid": {"a": [1, 2]}}, {"sets": [NEGATIVE, SET, SET, SET]}),
        ({"max_features": 1}, {"max_features": 1}),
        ({"constraints": [c.at_most(1, of=["a", "b"])]}, {"asked": [("at_most", 1, ["a", "b"])]}),
    ],
    ids=["forbid", "force", "sign", "forbid values", "max_features", "constraint"],
)
def test_the_price_of_an_edit_is_that_of_trying_every_card(slope, edit, asked):
    before = solve(drawn().problem(goal="risk", slope=slope))
    found = what_if(before, **edit)
    price = least(drawn(**asked), slope) - least(drawn(), slope)
    assert found.after.proven_optimal
    assert float(found.cost) == pytest.approx(price, abs=3e-9)
    low, high = found.cost_bounds
    assert float(low) - 1e-11 <= price <= float(high) + 1e-11
    assert high - low <= Fraction(3, 10**9)
    assert "Log loss: " in str(found)
    assert "up to 1e-9" in str(found)
    assert "log loss" in repr(found)


def test_a_pinned_value_is_kept_as_it_is():
    # 2 points of one feature could be 1 in lowest terms, which the pin forbids
    problem = drawn(max_features=1).problem(goal="risk")
    found = what_if(solve(problem), pin={"b": 2})
    assert found.after.points.values == (0, 2, 0, 0)
    assert found.after.proven_optimal


@pytest.mark.parametrize("slope", ["free", 1])
def test_the_path_has_the_best_card_of_every_penalty(slope):
    problem = drawn().problem(goal="risk", slope=slope)
    path = frontier(problem, 3).path()
    assert path.exact_from == 0
    assert "log loss" in str(path)
    inside = [one.low + (Fraction(1, 100) if one.high is None else (one.high - one.low) / 2) for one in path.stretches]
    for C0 in [*inside, Fraction(1, 50)]:
        found = path.at(C0)
        best = least(drawn(C0=float(C0)), slope)
        assert found.proven_optimal
        assert float(found.objective) == pytest.approx(best, abs=3e-9)
        assert float(found.lower_bound) <= best + 1e-12


def test_a_path_that_ends_early_is_bounded_by_more_features():
    path = frontier(drawn(max_features=None).problem(goal="risk"), 1).path()
    best = least(drawn(C0=0.001, max_features=None), "free")
    found = path.at(0.001)
    assert not found.proven_optimal
    assert float(found.lower_bound) <= best <= float(found.objective)


def test_several_penalties_share_one_frontier(monkeypatch):
    problem, asked = drawn().problem(goal="risk"), []

    def counting(one, *rest, **options):
        asked.append(one)
        return solve(one, *rest, **options)

    monkeypatch.setattr(penalty_grid, "solve", counting)
    values = [0.002, 0.01, 0.03, 0.2]
    found = solve_each_penalty(problem, values)
    assert len(asked) == 1
    for C0, solution in zip(values, found, strict=True):
        assert solution.proven_optimal
        assert float(solution.objective) == pytest.approx(least(drawn(C0=C0), "free"), abs=3e-9)


def test_each_ratio_of_the_trade_off_is_that_of_its_weights():
    found = trade_off(drawn().problem(goal="risk"), [0.5, 1, 6])
    assert found.proven
    for point in found.points:
        negative, positive = (float(w) for w in point.solution.problem.class_weights)
        weighted = replace(drawn(), class_weight=(negative, positive))
        assert float(point.solution.objective) == pytest.approx(least(weighted, "free"), abs=3e-9)
    assert all("loss" in row for row in found.table())


def test_the_smallest_conflict_is_named():
    two, one = c.at_least(2, of=["a", "b"]), c.at_most(1, of=["a", "b", "c"])
    problem = drawn(max_features=None).problem(goal="risk").asking([c.must_use("d"), two, one])
    conflict = explain_infeasible(problem)
    assert set(conflict.constraints) == {two, one}
    assert conflict.smallest
    with pytest.raises(InfeasibleError, match="cannot be satisfied together"):
        solve(problem)


def test_a_negative_limit_on_totals_keeps_points_that_are_multiples():
    # half of these points would break the limit
    X, y = [[1, 0], [2, 1], [1, 1], [2, 0]] * 5, [1, 0, 1, 0] * 4 + [0, 0, 1, 1]
    problem = Problem.of(X, y, goal="risk", C0=0, points=[-4, -2, -1, 0], constraints=[c.max_total_score(-3)])
    solution = solve(problem)
    assert solution.proven_optimal
    assert sum(max(w * row[j] for row in X) for j, w in enumerate(solution.points.values)) <= -3
