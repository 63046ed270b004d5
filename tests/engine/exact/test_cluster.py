"""Executors: slices elsewhere give the same optimum, and lost workers lose nothing but their slice."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.exact.hard import medium
from engine.losing import (
    Answering,
    Changing,
    Closing,
    Late,
    Losing,
    Silent,
    Stale,
    killed_dask_workers,
    killed_processes,
    patient,
)
from supersparse.base.stop import Stop
from supersparse.engine.answers.pool import pool
from supersparse.engine.exact.engine import ErrorsRun
from supersparse.engine.exact.pair_covers import PairCovers
from supersparse.engine.proving import cluster
from supersparse.engine.search.incumbent import Search
from supersparse.engine.solve import solve
from supersparse.errors import InvalidOptionError, UnsupportedProblemError, WorkerLostWarning
from supersparse.problem.problem import Problem

pytestmark = [
    pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning"),
    pytest.mark.usefixtures(patient.__name__),
]


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Send slices from the start, and short ones, so that small problems are cut up."""
    monkeypatch.setattr(ErrorsRun, "alone_before_executor", 0)
    monkeypatch.setattr(PairCovers, "least_work", 20_000)
    monkeypatch.setattr(PairCovers, "most_work", 40_000)


def answer(solution):
    return solution.stop, solution.objective, solution.lower_bound, solution.evaluation.l1


@pytest.mark.parametrize("intercept", ["free", "paper", (-2, 3)])
def test_slices_elsewhere_prove_the_same_optimum(intercept):
    problem = medium(seed=1, intercept=intercept)
    with ThreadPoolExecutor(2) as executor:
        assert answer(solve(problem, "exact", executor=executor)) == answer(solve(problem, "exact"))


def test_a_lost_worker_loses_its_slice_and_nothing_else():
    problem = medium(seed=1)
    with Losing({1, 2, 3, 5, 8}) as executor, pytest.warns(WorkerLostWarning, match="its slice is done again") as told:
        assert answer(solve(problem, "exact", executor=executor)) == answer(solve(problem, "exact"))
    assert len([w for w in told if w.category is WorkerLostWarning]) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_a_workers_ctrl_c_loses_its_slice_and_is_none_of_ours(error):
    problem = medium(seed=1)
    with (
        Losing({1, 2, 3, 5, 8}, error=error) as executor,
        pytest.warns(WorkerLostWarning, match=r"lost \((KeyboardInterrupt|SystemExit)\); its slice is done again"),
    ):
        assert answer(solve(problem, "exact", executor=executor)) == answer(solve(problem, "exact"))


def test_a_slice_that_never_comes_back_is_done_here(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 0.2)
    problem = medium(seed=1)
    with (
        Silent({6, 9}) as executor,
        pytest.warns(WorkerLostWarning, match=r"not answered for \d+ seconds; its slice is done here") as told,
    ):
        found = solve(problem, "exact", executor=executor)
    assert answer(found) == answer(solve(problem, "exact"))
    assert len([w for w in told if w.category is WorkerLostWarning]) == 1


def test_an_answer_that_comes_too_late_is_ignored(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(cluster.Sender, "_took", lambda *given: None)
    problem = medium(seed=1)
    with Late(range(6, 10**6), monkeypatch) as executor, pytest.warns(WorkerLostWarning, match="done here"):
        found = solve(problem, "exact", executor=executor)
    assert answer(found) == answer(solve(problem, "exact"))
    assert executor.late > 0


def test_while_no_worker_answers_the_solve_goes_on_here(monkeypatch):
    monkeypatch.setattr(cluster, "QUIET_SECONDS", 0.05)
    problem = medium(seed=1)
    with Silent(range(10**6)) as executor:
        found = solve(problem, "exact", executor=executor)
    assert answer(found) == answer(solve(problem, "exact"))
    monkeypatch.setattr(cluster, "START_SECONDS", 0.0)
    with Silent(range(10**6)) as executor, pytest.warns(WorkerLostWarning, match="has not answered"):
        assert solve(problem, "exact", executor=executor).proven_optimal


def test_this_process_searches_as_long_as_that_helps_while_workers_prove(monkeypatch):
    solve(medium(seed=1), "exact")  # what is compiled is searched with as well
    searches = []
    run = Search.run

    def noted(self, work):
        searches.append(self)
        run(self, work)

    monkeypatch.setattr(Search, "run", noted)
    with Silent(range(10**6)) as executor:
        found = solve(
            medium(seed=1), "exact", executor=executor, cancel=lambda: bool(searches) and not searches[-1].is_improving
        )
    assert found.stop is Stop.INTERRUPTED


@pytest.mark.parametrize("result", [None, 0, "x", (b"", b"", 1), object()])
def test_workers_that_answer_with_anything_else_count_as_lost(result):
    problem = medium(seed=1)
    with Answering(result) as executor, pytest.warns(WorkerLostWarning, match="its slice is done again"):
        found = solve(problem, "exact", executor=executor)
    assert answer(found) == answer(solve(problem, "exact"))
    assert executor.n < 5000


@pytest.mark.parametrize(
    "change",
    [
        {"work": None},
        {"work": -(10**9)},
        {"work": float("nan")},
        {"work": 10**30},
        {"found": None},
        {"found": ((1,),)},
        {"found": ((10**6,) + (0,) * 4,)},
        {"found": ((0.5,) + (0,) * 4,)},
        {"found": ((float("nan"),) + (0,) * 4,)},
        {"found": ((None,) * 5,)},
        {"found": ("x" * 5,)},
        {"found": ((1,) * 5,)},
        {"question": b""},
    ],
    ids=str,
)
def test_answers_that_no_slice_can_have_written_are_asked_for_again(change):
    problem = medium(seed=1, max_features=4)
    with (
        Changing(lambda outcome: outcome._replace(**change)) as executor,
        pytest.warns(WorkerLostWarning, match="its slice is done again"),
    ):
        found = solve(problem, "exact", executor=executor)
    alone = solve(problem, "exact")
    assert executor.changed > 2
    assert answer(found) == answer(alone)
    assert 0 < found.nodes < 10 * alone.nodes + 100


def test_an_answer_to_another_slice_is_none():
    problem = medium(seed=1)
    with Stale() as executor, pytest.warns(WorkerLostWarning, match="it answered another slice"):
        found = solve(problem, "exact", executor=executor)
    assert executor.changed > 2
    assert answer(found) == answer(solve(problem, "exact"))


def test_what_a_pool_cancels_when_it_is_shut_down_is_done_here():
    problem = medium(seed=1)
    with (
        Closing(1) as executor,
        pytest.warns(WorkerLostWarning, match="the rest is done here"),
        pytest.warns(WorkerLostWarning, match="CancelledError"),
    ):
        found = solve(problem, "exact", executor=executor)
    assert answer(found) == answer(solve(problem, "exact"))


def test_without_the_executor_the_solve_goes_on_here():
    problem = medium(seed=1)
    with Losing(set(), last=4) as executor, pytest.warns(WorkerLostWarning, match="the rest is done here"):
        assert answer(solve(problem, "exact", executor=executor)) == answer(solve(problem, "exact"))


def test_a_checkpoint_goes_from_a_cluster_to_one_thread(tmp_path):
    problem, file = medium(seed=0), tmp_path / "file"
    with ThreadPoolExecutor(3) as executor:
        part = solve(problem, "exact", executor=executor, checkpoint=file, node_limit=2)
    assert part.stop is Stop.NODE_LIMIT
    assert answer(solve(problem, "exact", checkpoint=file)) == answer(solve(problem, "exact"))


class Client:
    """As dask's: its own futures, and an executor for those of Python."""

    def __repr__(self):
        return "Client"

    def submit(self, function, *given):
        return 7

    def get_executor(self):
        raise AssertionError


def test_an_executor_whose_futures_are_none_takes_no_work(monkeypatch):
    problem = medium(seed=1)
    monkeypatch.delattr(Client, "get_executor")
    with pytest.warns(WorkerLostWarning, match=r"its submit returned 7, which is not a .*; the rest is done here"):
        assert answer(solve(problem, "exact", executor=Client())) == answer(solve(problem, "exact"))


def test_what_is_no_executor_and_solvers_without_one_are_refused():
    problem = Problem.of([[0], [1]], [0, 1], C0=0.1, max_points=1)
    with pytest.raises(InvalidOptionError, match="executor is 2"):
        solve(problem, "exact", executor=2)
    with pytest.raises(InvalidOptionError, match=r"the class ThreadPoolExecutor; give an instance: Thread"):
        solve(problem, "exact", executor=ThreadPoolExecutor)
    with pytest.raises(InvalidOptionError, match=r"executor is Client; give client.get_executor\(\)"):
        solve(problem, "exact", executor=Client())
    with ThreadPoolExecutor(1) as executor, pytest.raises(UnsupportedProblemError, match="executor"):
        solve(problem, "exhaustive", executor=executor)


def test_a_pool_is_listed_on_the_executor():
    problem = medium(seed=2)
    with Losing({2, 3}) as executor, pytest.warns(WorkerLostWarning):
        found = pool(problem, 0.05, executor=executor)
    alone = pool(problem, 0.05)
    assert found.complete
    assert {m.points for m in found.models} == {m.points for m in alone.models}
    assert found.count == alone.count > 1
    assert executor.n > 5


@pytest.mark.long
def test_processes_that_are_killed_lose_nothing():
    problem = medium(seed=1, intercept="paper")
    with killed_processes() as executor:
        assert answer(solve(problem, "exact", executor=executor)) == answer(solve(problem, "exact"))


@pytest.mark.long
def test_a_dask_cluster_whose_workers_are_killed_at_random_proves_the_optimum():
    problem = medium(seed=1, intercept="paper")
    with killed_dask_workers() as executor:
        found = solve(problem, "exact", executor=executor)
    assert answer(found) == answer(solve(problem, "exact"))
