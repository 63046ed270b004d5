"""What every MIP back end must do beside finding the optimum, which tests/conformance holds it to."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from solvers import require_solver, without_incumbent_search
from supersparse.base.stop import Stop
from supersparse.engine import solvers
from supersparse.engine.mip.build import build
from supersparse.engine.mip.precision import refuse_too_wide
from supersparse.engine.mip.run import RunSettings, Talk
from supersparse.engine.presolve import presolve
from supersparse.engine.search import incumbent
from supersparse.engine.solve import solve
from supersparse.errors import InvalidOptionError, SolverFailedError, SolverLimitError, UnsupportedProblemError
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

BACK_ENDS = ["highs", "scip", "gurobi", "cplex"]


@pytest.fixture(params=BACK_ENDS)
def name(request):
    return require_solver(request.param)


@pytest.fixture(autouse=True)
def _no_help_from_the_incumbent_search(monkeypatch):
    without_incumbent_search(monkeypatch)


def hard_problem():
    """Far too hard to be finished here by any of them."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (120, 10))
    y = X[:, :4].sum(axis=1) + rng.normal(0, 1.2, 120) > 2
    return Problem.of(X, y.astype(int), C0=0.002, max_points=5)


def easy_problem(**options):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (25, 3))
    y = 2 * X[:, 0] - X[:, 1] + rng.normal(0, 1, 25) > 1
    return Problem.of(X, y.astype(int), C0=0.02, max_points=3, **options)


def start_of(problem):
    return with_best_intercept(problem, [1] + [0] * (problem.n_features - 1))


def test_a_node_limit_gives_the_same_answer_each_time(name):
    problem = hard_problem()
    first, second = (solve(problem, name, node_limit=2, initial=start_of(problem)) for _ in range(2))
    assert first.stop is Stop.NODE_LIMIT
    assert (first.points, first.lower_bound, first.nodes) == (second.points, second.lower_bound, second.nodes)


def test_a_time_limit_stops_it_with_what_it_has(name):
    problem = hard_problem()
    found = solve(problem, name, time_limit=0.5, initial=start_of(problem))
    assert found.stop is Stop.TIME_LIMIT
    assert 0 <= found.lower_bound < found.objective


def test_cancelling_keeps_the_best_model(name):
    problem = hard_problem()
    events = []
    found = solve(problem, name, initial=start_of(problem), on_progress=events.append, cancel=lambda: len(events) >= 2)
    assert found.stop is Stop.INTERRUPTED
    assert found.objective == events[-1].objective


def test_ctrl_c_keeps_the_best_model_and_is_then_ours_again(name):
    problem = hard_problem()

    def interrupt(event):
        if event.seconds > 0 and not sent:
            sent.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    sent = []
    found = solve(problem, name, initial=start_of(problem), on_progress=interrupt)
    assert found.stop is Stop.INTERRUPTED
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_error_in_the_progress_callback_stops_the_solve_and_is_raised(name):
    def fail(event):
        raise ZeroDivisionError("in the callback")

    problem = hard_problem()
    with pytest.raises(ZeroDivisionError, match="in the callback"):
        solve(problem, name, on_progress=fail)


def test_a_gap_that_is_good_enough_ends_the_solve(name):
    found = solve(easy_problem(), name, gap=0.99)
    assert found.stop in (Stop.GAP, Stop.OPTIMAL)
    assert found.gap <= 0.99


def test_a_model_that_is_known_is_never_lost(name):
    problem = hard_problem()
    known = with_best_intercept(problem, [1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    found = solve(problem, name, node_limit=1, initial=known)
    assert found.objective <= evaluate(problem, known).objective


def test_seed_and_threads_are_taken(name):
    problem = easy_problem()
    expected = solve(problem, "exhaustive")
    found = solve(problem, name, random_state=7, n_jobs=2)
    assert (found.objective, found.evaluation.l1) == (expected.objective, expected.evaluation.l1)


def test_incumbents_of_the_trace_improve_and_bounds_rise(name):
    found = solve(easy_problem(), name)
    objectives = [e.objective for e in found.trace.events]
    bounds = [e.lower_bound for e in found.trace.events]
    assert objectives == sorted(objectives, reverse=True)
    assert bounds == sorted(bounds)
    assert bounds[-1] == found.lower_bound == found.objective


OWN = {
    "highs": ("mip_heuristic_effort", 0.1, "mip_heuristic_efort", 7.0, "mip_rel_gap"),
    "scip": ("branching/preferbinary", True, "branching/preferbinry", 3, "limits/gap"),
    "gurobi": ("MIPFocus", 2, "MIPFocs", 17, "MIPGap"),
    "cplex": ("mip.strategy.probe", 1, "mip.strategy.prob", 99, "threads"),
}


def test_options_are_passed_through_by_the_solvers_own_name(name):
    option, value, *_ = OWN[name]
    assert solve(easy_problem(), name, solver_options={option: value}).proven_smallest


def test_an_unknown_option_is_refused_with_the_nearest_known(name):
    option, _, misspelt, *_ = OWN[name]
    with pytest.raises(InvalidOptionError, match=f"did you mean {option!r}"):
        solve(easy_problem(), name, solver_options={misspelt: 1})


def test_a_value_that_the_solver_refuses_is_an_error(name):
    option, _, _, bad, _ = OWN[name]
    with pytest.raises(InvalidOptionError, match=f"{option!r}"):
        solve(easy_problem(), name, solver_options={option: bad})


def test_options_that_supersparse_sets_itself_are_refused(name):
    *_, reserved = OWN[name]
    with pytest.raises(InvalidOptionError, match="is set by supersparse; use"):
        solve(easy_problem(), name, solver_options={reserved: 1})


def test_branching_priorities_lead_to_the_same_optimum_or_are_refused(name):
    problem = easy_problem()
    if name == "highs":
        with pytest.raises(UnsupportedProblemError, match=r"'highs' does not .* do: scip, gurobi, cplex$"):
            solve(problem, name, branching_priorities={"x1": 5})
    else:
        expected = solve(problem, "exhaustive")
        found = solve(problem, name, branching_priorities={"x*": 5, "(intercept)": 2, 3: 7, 24: 1})
        assert (found.objective, found.evaluation.l1) == (expected.objective, expected.evaluation.l1)


@pytest.mark.parametrize("name", ["scip", "gurobi", "cplex"])
def test_priorities_of_features_and_rows_reach_the_solver(name, monkeypatch):
    """The variables of each, merged rows with the highest of theirs."""
    require_solver(name)
    seen = []
    solver = solvers.solver_class(name)
    minimise = solver.minimise

    def look(self, session, model, settings, talk):
        session = Recorder(session) if name == "scip" else session
        outcome = minimise(self, session, model, settings, talk)
        seen.append((dict(zip(model.names, model.priorities.tolist(), strict=True)), told(name, session, model)))
        return outcome

    monkeypatch.setattr(solver, "minimise", look)
    X = [[0, 1], [1, 0], [1, 0], [2, 1], [2, 0], [0, 0], [2, 2]]
    problem = Problem.of(X, [0, 0, 0, 1, 0, 1, 1], C0=0.05, max_points=2)
    solve(problem, name, branching_priorities={"x0": 4, 1: 2, np.int64(2): 7, 6: 1})
    given, taken = seen[0]
    ranked = {variable: priority for variable, priority in given.items() if priority}
    wrong = [variable for variable in given if variable.startswith("z_")]
    rows = [variable for variable in wrong if given[variable]]
    assert ranked == {"lambda_1": 4, "alpha_1": 4, **{v: given[v] for v in rows}}
    assert sorted(given[v] for v in rows) == [1, 7]
    assert taken == ranked


class Recorder:
    """SCIP, which does not tell priorities, with a note of those that it is given."""

    def __init__(self, scip):
        self.scip, self.priorities = scip, {}

    def __getattr__(self, name):
        return getattr(self.scip, name)

    def chgVarBranchPriority(self, variable, priority):  # noqa: N802
        self.priorities[variable.name] = priority
        self.scip.chgVarBranchPriority(variable, priority)


def told(name, session, model):
    """The priorities that a solver has, by variable."""
    if name == "scip":
        return session.priorities
    if name == "gurobi":
        priorities = session.getAttr("BranchPriority", session.getVars())
        return {model.names[j]: p for j, p in enumerate(priorities) if p}
    return {model.names[j]: p for j, p, _ in session[0].order.get()}


def test_too_fine_data_are_refused_before_any_solving(name, monkeypatch):
    monkeypatch.setattr(incumbent, "search", lambda problem, monitor: pytest.fail("searched"))
    rng = np.random.default_rng(0)
    problem = Problem.of(rng.normal(size=(20, 2)), [0, 1] * 10, max_points=10)
    with pytest.raises(UnsupportedProblemError, match=f"{name}: "):
        solve(problem, name)


def test_data_near_the_limit_of_the_arithmetic_are_solved_exactly(name):
    # M is about 600,000 steps here: nearly what a float solver is still trusted with
    rng = np.random.default_rng(5)
    X = np.round(rng.normal(3, 1, size=(14, 2)), 4)
    y = (X[:, 0] - X[:, 1] + rng.normal(0, 0.3, 14) > 0).astype(int)
    problem = Problem.of(X, y, C0=0.01, max_points=4)
    expected = solve(problem, "exhaustive")
    for formulation in solvers.solver_class(name).capabilities.formulations:
        found = solve(problem, name, formulation=formulation)
        assert (found.objective, found.evaluation.l1) == (expected.objective, expected.evaluation.l1)
        assert found.proven_smallest


def test_full_precision_weights_are_bounded_honestly(name):
    # values of F lie closer together than any float solver can resolve
    rng = np.random.default_rng(2)
    problem = easy_problem(sample_weight=rng.uniform(0.5, 2, 25))
    expected = solve(problem, "exhaustive")
    found = solve(problem, name)
    assert found.objective == expected.objective
    assert found.lower_bound <= expected.objective
    assert found.gap < 1e-6


def test_highs_has_no_indicator_constraints_and_no_tuning():
    words = r"'highs' has big-M constraints only, no indicator constraints; .* them: scip, gurobi, cplex$"
    with pytest.raises(UnsupportedProblemError, match=words):
        solve(easy_problem(), "highs", formulation="indicator")
    with pytest.raises(UnsupportedProblemError, match=r"'highs' does not tune .* that do: gurobi, cplex$"):
        solve(easy_problem(), "highs", tuning_time=1)


@pytest.mark.parametrize("name", ["gurobi", "cplex"])
def test_a_solver_tunes_its_own_options_and_says_which(name, capfd):
    require_solver(name)
    problem = easy_problem()
    found = solve(problem, name, tuning_time=2)
    assert capfd.readouterr() == ("", "")  # in silence
    expected = solve(problem, "exhaustive")
    assert (found.objective, found.proven_smallest) == (expected.objective, True)
    again = solve(problem, name, solver_options=found.tuned_options)  # they are its options, by its names
    assert again.objective == expected.objective
    assert again.tuned_options == {}


@pytest.mark.parametrize("name", ["gurobi", "cplex"])
def test_what_tuning_chose_is_used_for_both_solves(name, monkeypatch):
    require_solver(name)
    solver, option = solvers.solver_class(name), OWN[name][0]
    own, seen, minimise = OWN[name][1], [], solver.minimise

    def tuned(self, session, model, settings, talk):
        seen.append((settings.tuning_seconds, settings.own))
        untuned = replace(settings, tuning_seconds=0.0)  # what a tenth of a second gives depends on the machine
        return replace(minimise(self, session, model, untuned, talk), tuned={option: own})

    monkeypatch.setattr(solver, "minimise", tuned)
    found = solve(easy_problem(), name, tuning_time=0.1)
    assert found.tuned_options == {option: own}
    assert seen == [(0.1, {}), (0.0, {option: own})]


@pytest.mark.parametrize("name", ["gurobi", "cplex"])
def test_tuning_ends_with_the_time_limit(name):
    require_solver(name)
    problem = hard_problem()
    found = solve(problem, name, initial=start_of(problem), tuning_time=600, time_limit=1)
    assert found.stop is Stop.TIME_LIMIT
    assert found.seconds < 60


@pytest.mark.parametrize("limited", ["gurobi", "cplex"])
def test_a_size_limited_licence_is_a_clear_error(limited):
    require_solver(limited)
    rng = np.random.default_rng(0)
    problem = Problem.of(rng.integers(0, 10, (2500, 6)), rng.integers(0, 2, 2500), max_points=3)
    with pytest.raises(SolverLimitError, match="size-limited licence"):
        solve(problem, limited, time_limit=20)


def program_of(problem, solver, formulation="bigm"):
    small = presolve(problem).problem
    rows = refuse_too_wide("test", small, formulation, solver.precision)
    return build(small, rows, formulation=formulation, precision=solver.precision, priorities={})


def run(solver, model, **changes):
    settings = RunSettings(
        seconds=None, nodes=None, relative_gap=0.0, absolute_gap=0.0, threads=1, seed=0, start=None, own={}
    )
    return solver.run(model, replace(settings, **changes), Talk(lambda report: None))


def test_the_start_reaches_the_solver(name):
    solver = solvers.get(name)
    for formulation in solver.capabilities.formulations:
        program = program_of(hard_problem(), solver, formulation)
        start = program.start(with_best_intercept(program.problem, [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]))
        found = run(solver, program.model, nodes=0, start=start)
        assert found.stop is Stop.NODE_LIMIT
        assert program.model.cost @ found.values <= program.model.cost @ start


def test_a_model_without_solution_is_said_to_have_none(name):
    solver = solvers.get(name)
    model = program_of(easy_problem(), solver).model
    impossible = replace(model, rows=replace(model.rows, lower=np.where(model.rows.lower == 1, 1e5, model.rows.lower)))
    assert run(solver, impossible).stop is None


@pytest.mark.parametrize(
    ("name", "limit"), [("scip", "limits/solutions"), ("gurobi", "SolutionLimit"), ("cplex", "mip.limits.solutions")]
)
def test_a_status_that_means_nothing_here_is_a_failure(name, limit):
    require_solver(name)
    with pytest.raises(SolverFailedError, match="stopped with the status"):
        solve(hard_problem(), name, solver_options={limit: 1}, time_limit=20)
