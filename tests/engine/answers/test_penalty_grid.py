"""Several C0 at once, against solving each alone."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from engine.answers.answering import SOLVERS, require_answer
from strategies import Case, ConstrainedCase, cases, constrained_problems
from supersparse import Problem, solve
from supersparse.base.exact import exact
from supersparse.engine.answers import penalty_grid
from supersparse.engine.answers.penalty_grid import solve_each_penalty
from supersparse.engine.solvers import Aim
from supersparse.errors import InfeasibleError, InvalidOptionError, PenaltyRangeWarning, SolverFailedError
from supersparse.problem.variants import with_size_penalty

slowly = settings(max_examples=examples(30), suppress_health_check=list(HealthCheck))
grids = st.sets(st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.125, 0.2, 0.25, 1 / 3, 0.5]), min_size=3).map(sorted)

X = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [2, 1, 1], [2, 0, 1], [1, 1, 1], [0, 0, 1]]
Y = [0, 0, 0, 1, 1, 0, 1, 0]


def check(problem, values, solver):
    try:
        found = solve_each_penalty(problem, values, solver)
    except InfeasibleError:
        return
    for C0, one in zip(values, found, strict=True):
        alone = solve(with_size_penalty(problem, exact(C0, "C0")), "exhaustive")
        assert (one.objective, one.evaluation.l1) == (alone.objective, alone.evaluation.l1)
        assert one.proven_smallest
        assert one.problem.C0 == alone.problem.C0


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
@pytest.mark.parametrize("solver", SOLVERS)
@slowly
@given(case=cases(), values=grids)
def test_every_penalty_has_the_model_of_its_own_solve(solver, case: Case, values):
    require_answer(solver, Aim.BEST_PER_SIZE)
    check(case.problem, values, solver)


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
@pytest.mark.parametrize("solver", SOLVERS)
@slowly
@given(case=constrained_problems(), values=grids)
def test_every_penalty_obeys_what_is_asked(solver, case: ConstrainedCase, values):
    require_answer(solver, Aim.BEST_PER_SIZE)
    check(case.problem, values, solver)


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
def test_one_solve_and_one_frontier_are_enough(monkeypatch):
    solves = []
    real = penalty_grid.solve
    monkeypatch.setattr(penalty_grid, "solve", lambda *args, **own: solves.append(args) or real(*args, **own))
    problem = Problem.of(X, Y, max_points=2)
    values = [k / 40 for k in range(1, 20)]
    found = solve_each_penalty(problem, values, "exhaustive")
    assert len(solves) == 1
    assert len({s.evaluation.size for s in found}) > 1
    solves.clear()
    solve_each_penalty(problem, values, "exhaustive", gap=0.5)
    assert len(solves) == len(values)  # what may stop early is not proven
    solves.clear()
    solve_each_penalty(Problem.of(X, Y, levels={"x0": [([1], 0.1)]}, max_points=2), values, "exhaustive")
    assert len(solves) == len(values)
    solves.clear()
    solve_each_penalty(problem, values, "exhaustive", node_limit=3)
    assert len(solves) == len(values)


def test_every_penalty_out_of_range_is_said():
    with pytest.warns(PenaltyRangeWarning) as caught:
        solve_each_penalty(Problem.of(X, Y, max_points=1), [0.01, 0.2, 0.9], "exhaustive")
    assert [str(w.message).partition(" ")[2][2:6] for w in caught] == ["0.01", "0.9 "]


@pytest.mark.parametrize("values", [[], [0.2, 0.1], [0.1, 0.1]])
def test_values_must_rise(values):
    with pytest.raises(InvalidOptionError, match="ascending order"):
        solve_each_penalty(Problem.of(X, Y), values, "exhaustive")


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
def test_a_share_of_the_time_that_gives_no_model_is_not_the_end(monkeypatch):
    # the first C0 gets all the time then, and another one the model of the one before
    asked, alone = [], penalty_grid._alone

    def short(problem, C0, solver, folder, options):
        asked.append((C0, options["time_limit"], options.get("initial")))
        if options["time_limit"] < 600 and options.get("initial") is None:
            raise SolverFailedError("nothing was found")
        return alone(problem, C0, solver, folder, options)

    monkeypatch.setattr(penalty_grid, "_alone", short)
    monkeypatch.setattr(penalty_grid, "_path", lambda *_: None)
    found = solve_each_penalty(Problem.of(X, Y, max_points=2), [0.05, 0.2, 0.3], "exhaustive", time_limit=1000)
    assert [s.proven_optimal for s in found] == [True] * 3
    assert [limit < 600 for _, limit, _ in asked] == [True, False, True, True, False]
    assert [initial for _, _, initial in asked if initial is not None] == [found[0]]
