"""The log loss through MIP solvers, a second way to it, against brute force and the log-loss engine."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.risk_brute_force import DrawnRisk, brute_force, draw_constant, draw_risk
from conformance.test_risk_against_brute_force import deterministic
from counts import examples
from supersparse import Problem, constraints, solve
from supersparse.errors import InfeasibleError
from supersparse.solving import registry
from supersparse.stop import Stop

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def check(seed: int, slope: object, name: str, draw: Callable[[int], DrawnRisk] = draw_risk) -> bool:
    """Hold a solver to brute force and the engine; return whether it proved its card."""
    if not registry.availability(name).installed:
        pytest.skip(f"solver {name!r} is not installed")
    drawn = draw(seed)
    best = brute_force(drawn, slope_is_free=slope == "free")
    problem = None if best is None else drawn.problem(goal="risk", slope=slope)
    if best is None or problem is None:
        with pytest.raises(InfeasibleError):
            solve(drawn.problem(goal="risk", slope=slope), name)
        return True
    solution = solve(problem, name, node_limit=400)
    assert solution.lower_bound <= Fraction(best.value) + Fraction(1, 10**12)  # weak perhaps, never wrong
    assert drawn.obeys(tuple(float(v) for v in solution.points.values))
    assert float(solution.objective) >= best.value - 1e-11
    engine = solve(problem)
    assert engine.proven_optimal
    assert float(engine.objective - solution.objective) <= 1.1e-9  # nothing beats what is proven
    if solution.proven_optimal:
        assert float(solution.objective) <= best.value + 1.1e-9
    elif solution.stop is Stop.OPTIMAL:
        pytest.fail("an end without a limit is a proof")
    return solution.proven_optimal


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]))
@settings(deterministic, max_examples=examples(20))
def test_highs_agrees_with_brute_force_and_the_engine(seed, slope):
    check(seed, slope, "highs")


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]))
@settings(deterministic, max_examples=examples(8))
def test_highs_agrees_where_a_column_is_constant(seed, slope):
    check(seed, slope, "highs", draw_constant)


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]))
@settings(deterministic, max_examples=examples(8))
def test_scip_agrees_with_brute_force_and_the_engine(seed, slope):
    check(seed, slope, "scip")


@pytest.mark.long
@pytest.mark.parametrize("name", ["highs", "scip"])
@pytest.mark.parametrize("slope", ["free", 1])
def test_a_hundred_problems_are_proven_by_each_solver(name, slope):
    proven = [check(seed, slope, name) for seed in range(100)]
    assert sum(proven) >= 97  # the others end at the limit, with an honest gap


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
    found = solve(problem, "highs")
    assert ours.proven_optimal
    assert found.proven_optimal
    assert float(found.objective) == pytest.approx(float(ours.objective), abs=2.1e-9)
