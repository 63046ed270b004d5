"""The log-loss engine against brute force over all cards: both slopes, all sets, weights and constraints."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from conformance.risk_brute_force import DrawnRisk, brute_force, draw_constant, draw_risk, log_loss
from counts import examples
from shared_data import SHARED, needs_shared_data
from supersparse import Problem, solve
from supersparse import constraints as c
from supersparse.engine.risk import engine, worker
from supersparse.errors import InfeasibleError, UnsupportedProblemError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

deterministic = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)


def check(seed: int, slope: object, draw: Callable[[int], DrawnRisk] = draw_risk) -> None:
    drawn = draw(seed)
    best = brute_force(drawn, slope_is_free=slope == "free")
    if best is None:
        with pytest.raises(InfeasibleError):
            solve(drawn.problem(goal="risk", slope=slope))
        return
    try:
        solution = solve(drawn.problem(goal="risk", slope=slope))
    except UnsupportedProblemError as refused:  # a limit on totals of decimals beyond doubles
        assert "too many digits" in str(refused)  # noqa: PT017
        return
    assert solution.proven_optimal
    # the loss is that of the card, and no card of all is better by more than the tolerance
    x, y = np.array(drawn.X), np.array(drawn.y)
    s = np.ones(len(y)) if drawn.weights is None else np.array(drawn.weights)
    weight = s / s.sum() * np.where(y == 1, drawn.class_weight[1], drawn.class_weight[0])
    points = np.array([float(v) for v in solution.points.values])
    loss = log_loss(solution.slope * (x @ points) + solution.offset, y, weight)
    penalty = (points != 0) @ np.array(drawn.C0)
    assert float(solution.objective) == pytest.approx(loss + penalty, abs=1e-11)
    assert float(solution.objective) <= best.value + 1.1e-9
    assert solution.lower_bound <= Fraction(best.value) + Fraction(1, 10**12)
    assert drawn.obeys(tuple(points.tolist()))


@given(seed=st.integers(0, 10**6))
@settings(deterministic, max_examples=examples(500))
def test_a_free_slope_agrees_with_brute_force(seed):
    check(seed, "free")


@given(seed=st.integers(0, 10**6))
@example(seed=362)  # the same loss at hundreds of whole intercepts: rounding must not count as a fall
@settings(deterministic, max_examples=examples(500))
def test_slope_one_agrees_with_brute_force(seed):
    check(seed, 1)


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]))
@settings(deterministic, max_examples=examples(250))
def test_the_proof_alone_agrees_with_brute_force(seed, slope):
    def nothing(instance, support, best, stop, is_proven):
        pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "first_cards", nothing)
        check(seed, slope)


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]))
@settings(deterministic, max_examples=examples(250))
def test_a_proof_cut_by_the_search_agrees_with_brute_force(seed, slope):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.RiskRun, "soon", 1 + seed % 3000)
        patch.setattr(worker, "SLICE", 200)
        check(seed, slope)


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]))
@settings(deterministic, max_examples=examples(250))
def test_a_constant_column_counts_for_constraints_and_changes_no_risk(seed, slope):
    check(seed, slope, draw_constant)


@pytest.mark.parametrize("slope", ["free", 1])
def test_two_copies_of_a_column_may_both_have_points(slope):
    check(1114, slope)  # its best card gives -5 and -1 points to two equal columns


def test_a_card_that_must_use_a_feature_never_drops_it():
    # the rows say nothing about x0, so dropping it would be best
    X, y = [[0, 0], [1, 0], [0, 1], [1, 1]] * 3, [0, 0, 1, 1] * 2 + [1, 0, 1, 0]
    solution = solve(Problem.of(X, y, goal="risk", C0=0.001, constraints=[c.must_use("x0")]))
    assert solution.points.coefficients[0] != 0
    assert solution.proven_optimal


@needs_shared_data
def test_the_stored_optima_that_are_quick_are_proven_again(monkeypatch):
    monkeypatch.setenv("SUPERSPARSE_DATA", str(SHARED))
    import benchmarks.risk_proofs as bench

    for optimum in bench.optima():
        if optimum.proof_seconds < 0.06:
            run = bench.prove(optimum)
            assert run.solution.proven_optimal
            assert float(run.solution.objective) == pytest.approx(optimum.objective, abs=1e-8)
