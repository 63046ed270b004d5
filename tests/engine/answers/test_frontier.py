"""The frontier over sizes and the path over C0, against solving each of them alone."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from engine.answers.answering import SOLVERS, require_answer
from strategies import Case, ConstrainedCase, cases, constrained_problems
from supersparse import Problem, solve
from supersparse.base.stop import Stop
from supersparse.engine.answers.frontier import frontier
from supersparse.engine.exact.engine import ExactSolver
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.risk.engine import RiskSolver
from supersparse.engine.solvers import Aim
from supersparse.engine.verify import SizedModels
from supersparse.errors import InfeasibleError, InvalidOptionError, InvalidProblemError, SolverFailedError
from supersparse.problem.variants import errors_only, unavoidable_loss, with_size_penalty

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
slowly = settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))

X = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [2, 1, 1], [2, 0, 1], [1, 1, 1]]
Y = [0, 0, 0, 1, 1, 0, 1]


@pytest.mark.parametrize("goal", ["errors", "risk"])
@pytest.mark.parametrize("costs", [0.01, [0.01, 0.02, 0.01]], ids=["alike", "by feature"])
def test_a_limit_before_the_first_model_is_no_interruption(goal, costs, monkeypatch):
    solver = ExactSolver if goal == "errors" else RiskSolver

    def nothing(_self, _problem, _options, monitor):
        return monitor.claim(stop=Stop.INTERRUPTED, smallest=False)

    monkeypatch.setattr(solver, "solve", nothing)
    stops = iter([None])  # it looks before the first; then the time is up
    monkeypatch.setattr(Monitor, "stop_reason", lambda self: next(stops, Stop.TIME_LIMIT))
    found = frontier(Problem.of(X, Y, goal=goal, C0=costs), 2, solver.name)
    assert found.stop is Stop.TIME_LIMIT
    assert not any(row.proven for row in found.rows)
    assert [row.solution.evaluation.size for row in found.rows] == [0, 0, 0]  # the constant one is known


@pytest.mark.parametrize("goal", ["errors", "risk"])
@pytest.mark.parametrize("costs", [0.01, [0.01, 0.02, 0.01]], ids=["alike", "by feature"])
def test_a_run_that_is_stopped_keeps_the_models_that_it_met(goal, costs):
    problem = Problem.of(X, Y, goal=goal, C0=costs, max_points=3)
    asked = []

    def stopping() -> bool:
        asked.append(None)
        return len(asked) > 3

    found, whole = frontier(problem, 3, cancel=stopping), frontier(problem, 3)
    assert found.stop is Stop.INTERRUPTED
    for row, best in zip(found.rows, whole.rows, strict=True):
        assert row.lower_bound <= best.solution.objective <= row.solution.objective
    assert found.model(0).evaluation.size == 0
    assert found.path().at(5).evaluation.size == 0  # so dear that no feature pays


def test_a_size_too_hard_to_prove_leaves_time_to_the_smaller_ones():
    random = np.random.default_rng(3)
    table = random.normal(size=(150, 10)).round(2)
    labels = table[:, 0] + table[:, 1] - table[:, 2] + 1.5 * random.normal(size=150) > 0
    found = frontier(Problem.of(table, labels, max_points=3), 4, node_limit=150)
    losses = [row.solution.objective for row in found.rows]
    assert found.stop is Stop.NODE_LIMIT
    assert found.nodes <= 150
    assert [row.proven for row in found.rows][:3] == [True] * 3
    assert not found.rows[4].proven
    assert losses[0] > losses[1] > losses[2]


def best_alone(problem, size):
    """The fewest errors of at most so many features; None when nothing is allowed."""
    free = errors_only(problem)
    return solve(free.asking(max_features=size), "exhaustive").objective if feasible(free, size) else None


def feasible(problem, size):
    try:
        solve(problem.asking(max_features=size), "exhaustive")
    except InfeasibleError:
        return False
    return True


def check_sizes(problem, solver):
    try:
        found = frontier(problem, solver=solver)
    except InfeasibleError:
        assert not feasible(errors_only(problem), 9)
        return
    assert found.proven
    for row in found.rows:
        alone = best_alone(problem, row.size)
        if alone is None:
            assert row.solution is None
            with pytest.raises(InfeasibleError, match=f"at most {row.size} feature"):
                found.model(row.size)
            continue
        model = found.model(row.size)
        assert model.objective == alone == row.lower_bound
        # of equal errors the fewest features: fewer of them have a worse best
        assert model.evaluation.size <= row.size
        if model.evaluation.size:
            fewer = best_alone(problem, model.evaluation.size - 1)
            assert fewer is None or fewer > model.objective
        assert model.proven_smallest
        at_its_size = solve(model.problem, "exhaustive")
        assert (at_its_size.objective, at_its_size.evaluation.l1) == (model.objective, model.evaluation.l1)


@pytest.mark.parametrize("solver", SOLVERS)
@slowly
@given(case=cases())
def test_every_size_is_that_of_a_solve_with_that_limit(solver, case: Case):
    require_answer(solver, Aim.BEST_PER_SIZE)
    check_sizes(case.problem, solver)


@pytest.mark.parametrize("solver", SOLVERS)
@slowly
@given(case=constrained_problems())
def test_every_size_obeys_what_is_asked(solver, case: ConstrainedCase):
    require_answer(solver, Aim.BEST_PER_SIZE)
    check_sizes(case.problem, solver)


@pytest.mark.parametrize("solver", ["exact", pytest.param("exhaustive", marks=pytest.mark.long)])
@slowly
@given(case=cases(), most=st.integers(0, 3))
def test_the_path_is_that_of_a_solve_at_every_penalty(solver, case: Case, most):
    require_answer(solver, Aim.BEST_PER_SIZE)
    problem = case.problem
    try:
        path = frontier(problem, most, solver).path()
    except InfeasibleError:
        return
    tiny = Fraction(1, 10**6)
    cuts = [s.low for s in path.stretches if s.low] or [Fraction(1, 10)]
    grid = {v for cut in cuts for v in (cut, cut - tiny, cut + tiny)} | {Fraction(k, 20) for k in range(1, 12)}
    for C0 in sorted(v for v in grid if v > 0):
        found, alone = path.at(C0), solve(with_size_penalty(problem, C0), "exhaustive")
        assert found.lower_bound <= alone.objective <= found.objective
        if found.proven_optimal:
            assert found.objective == alone.objective
        if found.proven_smallest:
            assert found.evaluation.l1 == alone.evaluation.l1
        inside = [s for s in path.stretches if s.low < C0 and (s.high is None or s.high > C0)]
        for stretch in inside:
            assert stretch.exact == found.proven_optimal
            assert stretch.gap >= 1 - found.lower_bound / found.objective if found.objective else True
            assert stretch.solution.points == found.points
    if path.frontier.reaches_all:
        assert all(s.exact for s in path.stretches)
        assert path.exact_from == 0


@pytest.mark.parametrize("goal", ["errors", "risk"])
def test_a_checkpoint_is_refused_because_none_would_be_written(goal, tmp_path):
    problem = Problem.of([[0], [1], [0], [1]], [0, 1, 0, 1], goal=goal, max_points=2)
    with pytest.raises(InvalidOptionError, match=r"checkpoint: a frontier .* cannot be resumed; remove it"):
        frontier(problem, checkpoint=tmp_path / "tree")


def test_a_model_of_more_features_can_win_only_below_the_price_of_its_errors():
    # the best of one feature makes one error; two features make none, and are not looked at
    problem = Problem.of([[0, 1], [0, 0], [1, 1], [1, 0], [1, 1]], [0, 0, 1, 0, 1], max_points=3)
    path = frontier(problem, 1, "exhaustive").path()
    best_of_one = path.frontier.model(1)
    assert (best_of_one.evaluation.size, best_of_one.evaluation.training_errors) == (1, 1)
    assert path.exact_from == Fraction(1, 5)  # 1/5 + C0 <= 0 + 2·C0
    assert not path.at(Fraction(19, 100)).proven_optimal
    assert path.at(Fraction(19, 100)).lower_bound == Fraction(38, 100)
    assert path.at(Fraction(1, 5)).proven_optimal
    assert not path.at(Fraction(1, 5)).proven_smallest  # two features cost the same there
    assert "bounded: at most 100.0 % from the best" in str(path)


def test_equal_rows_of_both_classes_bound_the_errors_of_all_sizes():
    problem = Problem.of([[1, 0], [1, 0], [1, 0], [2, 1]], [0, 1, 1, 1], class_weight={1: 0.25})
    assert unavoidable_loss(problem) == Fraction(1, 8)  # two rows of weight 1/4 against one of weight 1
    assert frontier(problem, 0, "exhaustive").floor == Fraction(1, 8)


def test_a_frontier_shows_itself_as_a_table():
    found = frontier(Problem.of(X, Y, max_points=2), solver="exhaustive")
    table = found.table()
    assert [row["size"] for row in table] == [0, 1, 2, 3]
    errors = [row["errors"] for row in table]
    assert errors == sorted(errors, reverse=True)
    frame = found.to_frame()
    assert frame["errors"].tolist() == errors
    assert found.path().to_frame()["C0_to"].iloc[-1] == float("inf")
    assert len(str(found).splitlines()) == 5


def test_the_sizes_of_the_paper_count_the_intercept():
    found = frontier(Problem.of(X, Y, max_points=2, intercept="paper"), solver="exhaustive")
    assert len(found.rows) == 5
    for row in found.rows:
        assert row.solution.evaluation.size <= row.size


def test_a_run_that_stops_early_says_which_sizes_are_open():
    found = frontier(Problem.of(X, Y, max_points=2), solver="exhaustive", node_limit=1)
    assert not found.proven
    assert [row.lower_bound for row in found.rows] == [0, 0, 0, 0]
    assert not any(s.exact for s in found.path().stretches)
    asked = Problem.of(X, Y, max_points=2, min_features=1)
    open_rows = frontier(asked, solver="exhaustive", node_limit=1)
    with pytest.raises(SolverFailedError, match="no scoring system with at most 3 features was found"):
        open_rows.model(3)


def test_a_size_that_a_solver_leaves_out_repeats_the_smaller_model(monkeypatch):
    problem = Problem.of(X, Y, max_points=2)
    import supersparse.engine.answers.frontier as room

    real = room.solve_each_size

    def leaving_out(*args, **options):
        whole: SizedModels = real(*args, **options)
        kept = tuple(m for m in whole.models if m.evaluation.size != 3)
        bounds = (*whole.bounds[:3], kept[-1].evaluation.objective)
        return replace(whole, models=kept, bounds=bounds)

    everything = frontier(problem, solver="exhaustive")
    assert everything.model(3).evaluation.size < 3
    monkeypatch.setattr(room, "solve_each_size", leaving_out)
    assert frontier(problem, solver="exhaustive").table() == everything.table()


def test_questions_without_an_answer_are_refused():
    found = frontier(Problem.of(X, Y, max_points=2), 1, "exhaustive")
    with pytest.raises(InvalidOptionError, match="sizes from 0 to 1, not 2"):
        found.model(2)
    with pytest.raises(InvalidOptionError, match="above 0"):
        found.path().at(0)
    levelled = Problem.of(X, Y, levels=[([1], 0.01), ([2], 0.02)])
    with pytest.raises(InvalidProblemError, match="no path over C0"):
        frontier(levelled, 1, "exhaustive").path()
