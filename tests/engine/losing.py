"""Executors that lose tasks, and executors whose workers are killed."""

import os
import signal
import threading
import time
import warnings
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context

import numpy as np
import pytest

from supersparse.engine.proving import cluster
from supersparse.engine.proving.executors import Sender
from supersparse.errors import WorkerLostWarning


class Losing(ThreadPoolExecutor):
    """Loses the tasks whose numbers are listed; after `last`, takes none."""

    def __init__(self, lost=(), last=10**9, error=None):
        super().__init__(2)
        self.lost, self.last, self.n = lost, last, 0
        self.error = error or ConnectionError("the worker is gone")

    def submit(self, function, /, *args, **kwargs):
        self.n += 1
        if self.n > self.last:
            raise RuntimeError("cannot schedule new futures after shutdown")
        if self.n in self.lost:
            future = Future()
            future.set_exception(self.error)
            return future
        return super().submit(function, *args, **kwargs)


@pytest.fixture
def patient(monkeypatch):
    """However slow the machine, what is with a worker is left to it; tests of impatience say how little they wait."""
    monkeypatch.setattr(cluster, "QUIET_SECONDS", 1e6)
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 1e6)
    monkeypatch.setattr(cluster, "START_SECONDS", 1e6)


class Silent(ThreadPoolExecutor):
    """Never answers the tasks whose numbers are listed."""

    def __init__(self, lost):
        super().__init__(2)
        self.lost, self.n = lost, 0

    def submit(self, function, /, *args, **kwargs):
        self.n += 1
        if self.n not in self.lost:
            return super().submit(function, *args, **kwargs)
        return self.unanswered(function, *args, **kwargs)

    def unanswered(self, function, /, *args, **kwargs):
        future = Future()
        future.set_running_or_notify_cancel()
        return future


class Late(Silent):
    """Answers the tasks whose numbers are listed as soon as they have been taken back."""

    def __init__(self, lost, monkeypatch):
        super().__init__(lost)
        self.late, self.waiting, take_back = 0, {}, Sender.take_back

        def taken_back(sender):
            task = take_back(sender)
            if task in self.waiting:
                self.late += 1
                self.waiting.pop(task)()
            return task

        monkeypatch.setattr(Sender, "take_back", taken_back)
        send = Sender.send

        def sent(sender, task):
            self.task = task
            return send(sender, task)

        monkeypatch.setattr(Sender, "send", sent)

    def unanswered(self, function, /, *args, **kwargs):
        future = super().unanswered(function, *args, **kwargs)
        self.waiting[self.task] = lambda: future.set_result(function(*args, **kwargs))
        return future


class Closing(ThreadPoolExecutor):
    """Its workers are busy, and when it has taken a task it is shut down, and cancels it."""

    def __init__(self, workers):
        super().__init__(workers)
        self.busy = threading.Event()
        for _ in range(workers):
            super().submit(self.busy.wait)

    def submit(self, function, /, *args, **kwargs):
        future = super().submit(function, *args, **kwargs)
        self.shutdown(wait=False, cancel_futures=True)
        return future

    def __exit__(self, *raised):
        self.busy.set()
        return super().__exit__(*raised)


class Answering(ThreadPoolExecutor):
    """Answers every task with the same."""

    def __init__(self, answer):
        super().__init__(1)
        self.answer, self.n = answer, 0

    def submit(self, function, /, *args, **kwargs):
        self.n += 1
        future = Future()
        future.set_result(self.answer)
        return future


class Changing(ThreadPoolExecutor):
    """Changes every second answer; that the arrays are not known stays as it is."""

    def __init__(self, change):
        super().__init__(1)
        self.change, self.n, self.changed = change, 0, 0

    def submit(self, function, /, *args, **kwargs):
        def answer():
            result = function(*args, **kwargs)
            if result is None:
                return None
            self.n += 1
            if self.n % 2 == 0:
                self.changed += 1
                return self.change(result)
            return result

        return super().submit(answer)


class Stale(Changing):
    """Answers every second task with the answer to the one before."""

    def __init__(self):
        super().__init__(lambda result: self.last)

    def submit(self, function, /, *args, **kwargs):
        def keep():
            result = function(*args, **kwargs)
            if result is not None and self.n % 2 == 0:
                self.last = result
            return result

        return super().submit(keep)


@contextmanager
def killed_processes(after=1.0):
    """Two processes, one of which is killed after so many seconds."""
    with warnings.catch_warnings(), ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        warnings.simplefilter("ignore", WorkerLostWarning)
        executor.submit(os.getpid).result()

        def kill_one():
            time.sleep(after)
            os.kill(next(iter(executor._processes)), signal.SIGKILL)

        threading.Thread(target=kill_one, daemon=True).start()
        yield executor


@contextmanager
def killed_dask_workers(every=2.0):
    """Two workers of a dask cluster, one of which is killed every so many seconds."""
    distributed = pytest.importorskip("distributed")
    random = np.random.default_rng(0)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers,
        distributed.Client(workers) as client,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", WorkerLostWarning)
        done = threading.Event()

        def kill_some():
            for _ in range(8):  # on a slow machine none would ever get anything done
                if done.wait(every):
                    return
                pids = [nanny.pid for nanny in workers.workers.values() if nanny.pid]
                if pids:  # none while all of them start again
                    with suppress(ProcessLookupError):
                        os.kill(int(random.choice(pids)), signal.SIGKILL)

        threading.Thread(target=kill_some, daemon=True).start()
        try:
            yield client.get_executor()
        finally:
            done.set()
