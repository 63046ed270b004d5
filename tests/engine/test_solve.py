"""solve: what is refused before any solving, and what a start does."""

from fractions import Fraction

import pytest

from supersparse.base.stop import Stop
from supersparse.engine.solve import solve
from supersparse.errors import InvalidOptionError, PenaltyRangeWarning, SolverError, UnsupportedProblemError
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

PROBLEM = Problem.of([[0, 7], [1, 7], [2, 7], [3, 7]], [0, 0, 1, 1], C0=0.25, max_points=3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ({"solver": "exhaustve"}, InvalidOptionError, "unknown solver 'exhaustve'; did you mean 'exhaustive'"),
        ({"solver": "abacus"}, InvalidOptionError, "unknown solver 'abacus'; known: auto, "),
        ({"time_limt": 1}, InvalidOptionError, "unknown option 'time_limt'; did you mean 'time_limit'"),
        ({"solver_options": {"speed": 9}}, InvalidOptionError, "'exhaustive' has no option 'speed'; there are none"),
        (
            {"formulation": "indicator"},
            UnsupportedProblemError,
            "'exhaustive' is no MIP solver and has no indicator constraints; .* have them: scip, gurobi, ",
        ),
        ({"branching_priorities": {"x0": 1}}, UnsupportedProblemError, "does not support branching priorities"),
        (
            {"branching_priorities": {0: 3}},
            UnsupportedProblemError,
            "'exhaustive' does not support branching priorities; solvers that do: scip, gurobi, cplex",
        ),
        (
            {"branching_priorities": {2.5: 3}},
            InvalidOptionError,
            r"branching_priorities: 2.5 is neither a feature name nor the number of a row; .*'x0'",
        ),
        (
            {"tuning_time": 3},
            UnsupportedProblemError,
            "'exhaustive' does not tune its options, so it takes no tuning_time; solvers that do: gurobi, ",
        ),
        (
            {"branching_priorities": [3, 1]},
            InvalidOptionError,
            r"branching_priorities is \[3, 1\]; use a mapping by feature name or row",
        ),
        ({"initial": Points((9, 0), 0)}, InvalidOptionError, "the initial solution gave feature 'x0' the value 9"),
        ({"initial": Points((1, 1), 0)}, InvalidOptionError, "the initial solution gave feature 'x1' the value 1"),
        ({"initial": Points((1,), 0)}, InvalidOptionError, "gave 1 coefficients for 2 features"),
    ],
)
def test_what_cannot_be_done_is_said_before_solving(call, error, message):
    with pytest.raises(error, match=message):
        solve(PROBLEM, **{"solver": "exhaustive", **call})


def test_a_problem_too_large_to_exhaust_is_refused():
    wide = Problem.of([[0] * 200, [1] * 200], [0, 1], C0=0.5, max_points=100)
    with pytest.raises(SolverError, match=r"2e\+?46\d|4\.\d+e\+460 coefficient vectors are too many"):
        solve(wide, "exhaustive")


def test_an_initial_solution_counts_from_the_start():
    solution = solve(PROBLEM, "exhaustive", initial=Points((2, 0), -3), node_limit=0)
    assert solution.stop is Stop.NODE_LIMIT
    assert solution.points == Points((2, 0), Fraction(-5, 2))  # 3 or more, the roundest between 2 and 4


def test_an_initial_solution_may_have_any_denominator():
    problem = Problem.of([[0], [1], [2], [3]], [0, 0, 1, 1], C0=0.25, points=[0, 0.5, 2])
    solution = solve(problem, "exhaustive", initial=Points((2,), -3), node_limit=0)
    assert solution.points.values == (2,)
    assert solution.evaluation.training_errors == 0


def test_a_penalty_outside_its_useful_range_warns():
    with pytest.warns(PenaltyRangeWarning, match=r"C0 = 0.1 is below .* between 0.25 .* and 0.5") as caught:
        solve(Problem.of([[0], [1], [2], [3]], [0, 0, 1, 1], C0=0.1, max_points=2), "exhaustive")
    assert caught[0].filename == __file__  # the user's own line


@pytest.mark.parametrize(
    ("limit", "stop"),
    [
        ({"node_limit": 2}, Stop.NODE_LIMIT),
        ({"time_limit": 0}, Stop.TIME_LIMIT),
        ({"cancel": lambda: True}, Stop.INTERRUPTED),
        ({}, Stop.OPTIMAL),
    ],
)
def test_the_stop_reason_is_kept_apart_from_what_was_proven(limit, stop):
    solution = solve(PROBLEM, "exhaustive", **limit)
    assert solution.stop is stop
    assert solution.proven_optimal == (stop is Stop.OPTIMAL)
    assert solution.lower_bound <= solution.objective


def test_a_solution_can_be_started_from_and_what_is_no_model_is_refused():
    problem = Problem.of([[0], [0], [1], [1]], [0, 0, 1, 1], C0=0.3, max_points=3)
    found = solve(problem, "exhaustive")
    assert solve(problem, "exact", initial=found, node_limit=0).objective <= found.objective
    with pytest.raises(InvalidOptionError, match="'best' is not a linear model; give a solution, points"):
        solve(problem, "exact", initial="best")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x9": 1}, r"there is no feature 'x9'; known: \(intercept\), x0, x1"),
        ({"y*": 1}, r"there is no feature 'y\*'"),
        ({4: 1}, "there is no row 4; rows are counted from 0 to 3"),
        ({-1: 1}, "there is no row -1"),
        ({"x0": -1}, "'x0' has -1; give a whole number from 0 to"),
        ({0: 2.5}, "0 has 2.5; give a whole number from 0 to"),
    ],
)
def test_priorities_of_what_is_not_there_are_refused(given, message):
    pytest.importorskip("pyscipopt", reason="SCIP is not installed")
    with pytest.raises(InvalidOptionError, match=f"branching_priorities: {message}"):
        solve(PROBLEM, "scip", branching_priorities=given)
