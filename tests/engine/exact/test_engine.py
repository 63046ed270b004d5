"""The engine as a user meets it: limits, progress, threads, repeatability."""

import itertools
import os
import signal
import time
from types import SimpleNamespace

import pytest
from hypothesis import given, settings

from counts import examples
from engine.exact.hard import medium, noisy
from solvers import without_search
from strategies import cases
from supersparse.base.stop import Stop
from supersparse.datasets import load_haberman
from supersparse.engine.exact import slices
from supersparse.engine.exact.engine import ExactSolver
from supersparse.engine.exact.pair_covers import WORK_PER_NODE, PairCovers
from supersparse.engine.proving import checkpoint
from supersparse.engine.proving.proof import Proof
from supersparse.engine.solve import solve
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
ENOUGH, LATEST = 100, 200  # nodes after which a search is to stop, and those of a slice of work that are done yet


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    solve(medium(), "exact", node_limit=20)


def history(solution):
    return [(e.nodes, e.objective, e.lower_bound, e.points) for e in solution.trace.events]


def check_honest(solution):
    """A stopped solve claims no more than it knows."""
    assert not solution.proven_optimal
    assert not solution.proven_smallest
    assert 0 <= solution.lower_bound < solution.objective
    assert solution.gap == pytest.approx(float(1 - solution.lower_bound / solution.objective))


@pytest.mark.parametrize("settings", [{"node_limit": 300}, {}], ids=["stopped", "proven"])
def test_one_thread_repeats_itself_whatever_the_clock_does(settings, monkeypatch):
    problem = noisy(seed=3) if settings else medium(seed=4)
    first = solve(problem, "exact", random_state=5, **settings)
    ticks = itertools.count()
    busy = SimpleNamespace(perf_counter=lambda: next(ticks) * 0.4)  # a machine on which all takes long
    monkeypatch.setattr(checkpoint, "time", busy)
    again = solve(problem, "exact", random_state=5, **settings)
    assert history(first) == history(again)
    assert first.stop is again.stop is (Stop.NODE_LIMIT if settings else Stop.OPTIMAL)
    if settings:
        check_honest(first)


def test_long_supports_are_worked_on_in_slices_that_do_not_depend_on_the_clock(monkeypatch):
    # few boxes a slice: every support is put back many times
    monkeypatch.setattr(PairCovers, "slice_work", 2000)
    problem = medium(seed=2)
    first = solve(problem, "exact")
    ticks = itertools.count()
    monkeypatch.setattr(checkpoint, "time", SimpleNamespace(perf_counter=lambda: next(ticks) * 0.4))
    again = solve(problem, "exact")
    assert history(first) == history(again)
    monkeypatch.undo()
    assert solve(problem, "exact").objective == first.objective


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("intercept", ["free", "paper"])
def test_threads_prove_the_same_optimum(seed, intercept):
    problem = medium(seed=seed, intercept=intercept)
    alone, together = solve(problem, "exact"), solve(problem, "exact", n_jobs=3)
    assert together.stop is Stop.OPTIMAL
    assert together.objective == alone.objective == together.lower_bound
    assert together.evaluation.l1 == alone.evaluation.l1


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_nodes_of_a_solution_are_all_the_work_that_was_done(threads, monkeypatch):
    done = []
    put = Proof.put

    def counted(self, taken, left):
        done.append(left.work)
        put(self, taken, left)

    monkeypatch.setattr(Proof, "put", counted)
    data = load_haberman()
    problem = Problem.of(data.X, data.y, C0=0.003, C1=0.0001, max_points=10)
    solution = solve(problem, "exact", n_jobs=threads)
    assert solution.stop is Stop.OPTIMAL
    assert solution.nodes == sum(done) // WORK_PER_NODE > 0


def test_what_goes_wrong_in_a_thread_is_raised(monkeypatch):
    def broken(*args, **kwargs):
        raise ZeroDivisionError("in a worker")

    monkeypatch.setattr(slices, "run_slice", broken)
    with pytest.raises(ZeroDivisionError, match="in a worker"):
        solve(medium(), "exact", n_jobs=2)


@settings(max_examples=examples(40))
@given(cases())
def test_the_bound_never_falls_and_never_exceeds_the_optimum(case):
    events = []
    solution = solve(case.problem, "exact", on_progress=events.append)
    assert solution.proven_optimal
    bounds = [e.lower_bound for e in events]
    assert bounds == sorted(bounds)
    assert all(b <= solution.objective for b in bounds)
    objectives = [e.objective for e in events if e.objective is not None]
    assert objectives == sorted(objectives, reverse=True)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_of_a_longer_proof_hold_at_every_moment(seed):
    problem, events = medium(seed=seed), []
    best = solve(problem, "exact", on_progress=events.append).objective
    for limit in (0, 5, 40):
        stopped = solve(problem, "exact", node_limit=limit)
        assert stopped.lower_bound <= best <= stopped.objective
    bounds = [e.lower_bound for e in events]
    assert bounds == sorted(bounds)
    assert bounds[-1] == best


@pytest.fixture
def has_done_enough(monkeypatch):
    """Say whether a solve that is under way has come to `ENOUGH` nodes."""
    work, put = [0], Proof.put

    def counted(self, taken, left):
        work[0] += left.work
        put(self, taken, left)

    monkeypatch.setattr(Proof, "put", counted)
    return lambda: work[0] >= ENOUGH * WORK_PER_NODE


@pytest.mark.parametrize("threads", [1, 2])
def test_a_time_limit_is_obeyed(threads, has_done_enough, monkeypatch):
    clock = time.perf_counter  # which jumps when enough has been done
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + 1e6 * has_done_enough())
    solution = solve(noisy(), "exact", time_limit=1e5, n_jobs=threads)
    assert solution.stop is Stop.TIME_LIMIT
    assert ENOUGH <= solution.nodes < ENOUGH + LATEST * threads
    check_honest(solution)


def test_a_node_limit_is_obeyed():
    solution = solve(noisy(), "exact", node_limit=50)
    assert solution.stop is Stop.NODE_LIMIT
    assert solution.trace.events[-1].nodes < LATEST  # one slice of work more at the most
    check_honest(solution)


def test_a_memory_limit_is_obeyed():
    solution = solve(noisy(), "exact", memory_limit=1)
    assert solution.stop is Stop.MEMORY_LIMIT
    check_honest(solution)


def test_a_gap_that_is_good_enough_ends_the_solve():
    solution = solve(medium(), "exact", gap=0.5)
    assert solution.stop in (Stop.GAP, Stop.OPTIMAL)
    assert solution.gap <= 0.5
    assert solution.lower_bound <= solve(medium(), "exact").objective


@pytest.mark.parametrize("threads", [1, 2])
def test_cancelling_ends_the_solve_at_once(threads, has_done_enough):
    solution = solve(noisy(), "exact", cancel=has_done_enough, n_jobs=threads)
    assert solution.stop is Stop.INTERRUPTED
    assert ENOUGH <= solution.nodes < ENOUGH + LATEST * threads
    check_honest(solution)


def test_the_engine_asks_whether_to_stop_often():
    asked = []

    def cancel():
        asked.append(time.thread_time())
        return False

    solve(noisy(), "exact", cancel=cancel, node_limit=800)
    # each time takes up to 4 % of all, half a second on one core, and the aim is 0.3 seconds
    assert max(b - a for a, b in itertools.pairwise(asked)) < 0.4 * (asked[-1] - asked[0])


def test_ctrl_c_keeps_the_best_found():
    before = signal.getsignal(signal.SIGINT)
    first = solve(noisy(), "exact", node_limit=0).objective
    pressed = []

    def press(event):  # while the solve is under way, Ctrl-C is its own
        if event.objective is not None and event.objective < first and not pressed:
            pressed.append(event)
            os.kill(os.getpid(), signal.SIGINT)

    solution = solve(noisy(), "exact", on_progress=press)
    assert solution.stop is Stop.INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is before
    check_honest(solution)
    assert solution.objective < first


def test_progress_is_told_several_times_a_second_while_nothing_changes(monkeypatch):
    ticks, told = itertools.count(), []
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks) * 0.02)  # as if little happened between two looks
    solve(noisy(), "exact", on_progress=lambda event: told.append(event.seconds), cancel=lambda: len(told) >= 8)
    assert max(later - earlier for earlier, later in itertools.pairwise(told)) < 0.4


def test_a_start_is_never_made_worse():
    problem = medium()
    best = solve(problem, "exact")
    again = solve(problem, "exact", initial=best.points, node_limit=0)
    assert again.objective == best.objective


@pytest.mark.parametrize("seed", [0, 1])
def test_the_proof_finds_the_optimum_without_the_incumbent_search(seed, monkeypatch):
    best = solve(medium(seed=seed), "exact")
    without_search(monkeypatch)
    alone = solve(medium(seed=seed), "exact")
    assert (alone.objective, alone.evaluation.l1) == (best.objective, best.evaluation.l1)
    assert alone.proven_optimal


def test_contradicting_rows_only_and_one_useless_column():
    # nothing can be learnt: the constant model is proven at once
    solution = solve(Problem.of([[1], [1], [1]], [0, 1, 1], C0=0.1, max_points=3), "exact")
    assert solution.proven_optimal
    assert solution.evaluation.features == 0


def test_it_declares_what_it_does():
    assert ExactSolver.capabilities.checkpoints
