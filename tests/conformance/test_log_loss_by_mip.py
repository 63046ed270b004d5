"""The log-loss engine and an oracle of another kind, a mixed-integer program, against brute force."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.log_loss_mip import least_log_loss
from conformance.risk_brute_force import DrawnRisk, brute_force, draw_constant, draw_risk
from conformance.test_risk_against_brute_force import deterministic
from counts import examples
from supersparse import Problem, constraints, solve
from supersparse.errors import InfeasibleError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def check(seed: int, slope: object, draw: Callable[[int], DrawnRisk] = draw_risk) -> bool:
    """Hold the oracle to brute force and to the engine; return whether it proved its card."""
    drawn = draw(seed)
    best = brute_force(drawn, slope_is_free=slope == "free")
    if best is None:
        with pytest.raises(InfeasibleError):
            solve(drawn.problem(goal="risk", slope=slope))
        return True
    problem = drawn.problem(goal="risk", slope=slope)
    oracle = least_log_loss(problem, node_limit=400)
    assert oracle.lower_bound <= Fraction(best.value) + Fraction(1, 10**12)  # weak perhaps, never wrong
    assert oracle.points is not None
    assert drawn.obeys(tuple(float(v) for v in oracle.points.values))
    assert float(oracle.objective) >= best.value - 1e-11
    engine = solve(problem)
    assert engine.proven_optimal
    assert float(engine.objective - oracle.objective) <= 1.1e-9  # nothing beats what is proven
    assert engine.lower_bound <= oracle.objective
    if oracle.proven:
        assert float(oracle.objective) <= best.value + 1.1e-9
    return oracle.proven


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]))
@settings(deterministic, max_examples=examples(24))
def test_oracle_engine_and_brute_force_agree(seed, slope):
    check(seed, slope)


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]))
@settings(deterministic, max_examples=examples(8))
def test_they_agree_where_a_column_is_constant(seed, slope):
    check(seed, slope, draw_constant)


@pytest.mark.long
@pytest.mark.parametrize("slope", ["free", 1])
def test_the_oracle_proves_nearly_all_of_a_hundred_problems(slope):
    proven = [check(seed, slope) for seed in range(100)]
    assert sum(proven) >= 97  # the others end at the limit


@pytest.mark.parametrize("slope", ["free", 1])
def test_constraints_weights_and_c1_hold_in_the_program(slope):
    X = [[i % 2, i // 2 % 2, i % 3, (i * 7) % 5] for i in range(24)]
    y = [int(r[0] + r[1] - r[2] + (i % 5 == 0) > 0) for i, r in enumerate(X)]
    problem = Problem.of(
        X,
        y,
        goal="risk",
        slope=slope,
        max_points=1,
        C0=0.003,
        C1=0.001,
        sample_weight=[1 + i % 3 for i in range(24)],
        class_weight={0: 1, 1: 2},
        constraints=[constraints.only_if("x0", "x1"), constraints.at_most(2, of=["x0", "x1", "x2"])],
        positive=1,
    )
    ours = solve(problem)
    oracle = least_log_loss(problem)
    assert ours.proven_optimal
    assert oracle.proven
    assert float(oracle.objective) == pytest.approx(float(ours.objective), abs=2.1e-9)
