"""Executors: slices elsewhere give the same optimum, and lost workers lose nothing but their slice."""

import os
import signal
import threading
import time
import warnings
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context

import numpy as np
import pytest

from solving.exact.hard import medium
from supersparse.errors import InvalidOptionError, UnsupportedProblemError, WorkerLostWarning
from supersparse.problem.problem import Problem
from supersparse.solving.exact import engine, remote
from supersparse.solving.solve import solve
from supersparse.stop import Stop

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Send slices from the start, and short ones, so that small problems are cut up."""
    monkeypatch.setattr(engine, "_ALONE", 0)
    monkeypatch.setattr(remote, "LEAST_WORK", 20_000)
    monkeypatch.setattr(remote, "MOST_WORK", 40_000)


def answer(solution):
    return solution.stop, solution.objective, solution.lower_bound, solution.evaluation.l1


class Losing(ThreadPoolExecutor):
    """Loses the slices whose numbers are listed; after `last`, takes none."""

    def __init__(self, lost, last=10**9):
        super().__init__(2)
        self.lost, self.last, self.n = lost, last, 0

    def submit(self, function, /, *args, **kwargs):
        self.n += 1
        if self.n > self.last:
            raise RuntimeError("cannot schedule new futures after shutdown")
        if self.n in self.lost:
            future = Future()
            future.set_exception(ConnectionError("the worker is gone"))
            return future
        return super().submit(function, *args, **kwargs)


@pytest.mark.parametrize("intercept", ["free", "paper", (-2, 3)])
def test_slices_elsewhere_prove_the_same_optimum(intercept):
    problem = medium(seed=1, intercept=intercept)
    with ThreadPoolExecutor(2) as executor:
        assert answer(solve(problem, "exact", executor=executor)) == answer(solve(problem, "exact"))


def test_a_lost_worker_loses_its_slice_and_nothing_else():
    problem = medium(seed=1)
    with (
        Losing({1, 2, 3, 5, 8}) as executor,
        pytest.warns(WorkerLostWarning, match="its slice is done again") as told,
    ):
        assert answer(solve(problem, "exact", executor=executor)) == answer(solve(problem, "exact"))
    assert len([w for w in told if w.category is WorkerLostWarning]) == 1


def test_without_the_executor_the_solve_goes_on_here():
    problem = medium(seed=1)
    with Losing(set(), last=4) as executor, pytest.warns(WorkerLostWarning, match="the rest is done here"):
        assert answer(solve(problem, "exact", executor=executor)) == answer(solve(problem, "exact"))


def test_a_checkpoint_goes_from_a_cluster_to_one_thread(tmp_path):
    problem, file = medium(seed=1), tmp_path / "file"
    with ThreadPoolExecutor(3) as executor:
        part = solve(problem, "exact", executor=executor, checkpoint=file, node_limit=2)
    assert part.stop is Stop.NODE_LIMIT
    assert answer(solve(problem, "exact", checkpoint=file)) == answer(solve(problem, "exact"))


def test_what_is_no_executor_and_solvers_without_one_are_refused():
    problem = Problem.of([[0], [1]], [0, 1], C0=0.1, max_points=1)
    with pytest.raises(InvalidOptionError, match="executor is 2"):
        solve(problem, "exact", executor=2)
    with ThreadPoolExecutor(1) as executor, pytest.raises(UnsupportedProblemError, match="executor"):
        solve(problem, "exhaustive", executor=executor)


@pytest.mark.long
def test_processes_that_are_killed_lose_nothing():
    problem = medium(seed=1, intercept="paper")
    with warnings.catch_warnings(), ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        warnings.simplefilter("ignore", WorkerLostWarning)
        executor.submit(os.getpid).result()

        def kill_one():
            time.sleep(1.0)
            os.kill(next(iter(executor._processes)), signal.SIGKILL)

        threading.Thread(target=kill_one, daemon=True).start()
        assert answer(solve(problem, "exact", executor=executor)) == answer(solve(problem, "exact"))


@pytest.mark.long
def test_a_dask_cluster_whose_workers_are_killed_at_random_proves_the_optimum(monkeypatch):
    distributed = pytest.importorskip("distributed")
    problem = medium(seed=1, intercept="paper")
    random = np.random.default_rng(0)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers,
        distributed.Client(workers) as client,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", WorkerLostWarning)
        done = threading.Event()

        def kill_some():
            while not done.wait(2.0):
                pids = [nanny.pid for nanny in workers.workers.values() if nanny.pid]
                if pids:  # none while all of them start again
                    with suppress(ProcessLookupError):
                        os.kill(int(random.choice(pids)), signal.SIGKILL)

        threading.Thread(target=kill_some, daemon=True).start()
        try:
            found = solve(problem, "exact", executor=client.get_executor())
        finally:
            done.set()
    assert answer(found) == answer(solve(problem, "exact"))
