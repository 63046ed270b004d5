"""The crew: worker processes, as the server sees them.

Interactive work on a table goes to its desk, a process that keeps the table in memory. There is room for a
few desks: who needs another waits until one is idle, whose process then ends. A run has a process of its own;
one is started ahead and loaded, so that a run begins at once.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from supersparse.show.studio.texts import StudioError, refused

_LINE = 256 * 2**20  # bytes of the longest line
_SOON = 0.5
_LONGEST_LOG = 5 * 2**20  # bytes
_LATER = 3.0  # seconds after which the next process is started: what was asked for comes first
Listener = Callable[[str, Any], None]


class WorkerEndedError(Exception):
    """A worker process ended in the middle of a job."""


class Worker:
    """One process and the jobs that it was given."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._numbers = count(1)
        self._waiting: dict[int, tuple[asyncio.Future[Any], Listener | None]] = {}
        self._reader: asyncio.Task[None] | None = None
        self.current: int | None = None

    async def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "supersparse.show.studio.jobs",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=_LINE,
                start_new_session=os.name == "posix",
                env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            )
        self._reader = asyncio.create_task(self._read())

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    async def do(self, job: str, given: dict[str, Any], listener: Listener | None = None) -> Any:
        """Give the worker a job and wait for its result; `listener` hears its events."""
        if not self.is_alive:
            raise WorkerEndedError
        assert self._process is not None
        assert self._process.stdin is not None
        job_id = next(self._numbers)
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[job_id] = (done, listener)
        self.current = job_id
        try:
            self._process.stdin.write(_line({"id": job_id, "job": job, "with": given}))
            await self._process.stdin.drain()
            return await done
        except (BrokenPipeError, ConnectionResetError):
            raise WorkerEndedError from None
        finally:
            self._waiting.pop(job_id, None)

    def ask_to_stop(self) -> None:
        """Ask the present job to end and keep what it has."""
        if self.is_alive and self._process is not None and self._process.stdin is not None:
            with suppress(BrokenPipeError, ConnectionResetError):
                self._process.stdin.write(_line({"stop": self.current}))

    def kill(self) -> None:
        if self._process is None or self._process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            if os.name == "posix":  # not `kill` of the process: that would reap it before asyncio does
                os.killpg(self._process.pid, signal.SIGKILL)  # with the processes of its folds
            else:
                self._process.kill()

    async def close(self) -> None:
        self.kill()
        if self._process is not None:
            await self._process.wait()
        if self._reader is not None:
            await self._reader

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        with suppress(ValueError, ConnectionResetError):
            async for line in self._process.stdout:
                message = json.loads(line)
                done, listener = self._waiting.get(message["id"], (None, None))
                if "event" in message:
                    if listener is not None:
                        listener(message["event"], message["data"])
                elif done is not None and not done.done():
                    if "error" in message:
                        done.set_exception(StudioError(**message["error"]))
                    else:
                        done.set_result(message["done"])
        self.kill()
        await self._process.wait()
        for done, _ in list(self._waiting.values()):
            if not done.done():
                done.set_exception(WorkerEndedError())


def _line(message: dict[str, Any]) -> bytes:
    return (json.dumps(message, allow_nan=False) + "\n").encode()


class _Desk:
    """The process of one table, who may use it now, whether somebody does, and whether the table is gone."""

    def __init__(self) -> None:
        self.worker: Worker | None = None
        self.lock = asyncio.Lock()
        self.is_used = False
        self.is_gone = False


class Crew:
    def __init__(self, folder: Path, *, desks: int, ahead: bool = True) -> None:
        self._log = folder / "workers.log"
        if self._log.exists() and self._log.stat().st_size > _LONGEST_LOG:
            self._log.unlink()
        self._most_desks = desks
        self._room = asyncio.Semaphore(desks)  # for desks that are used
        self._ahead = ahead  # whether a process is started before it is needed
        self._desks: dict[str, _Desk] = {}
        self._spare: asyncio.Task[Worker] | None = None
        self._all: set[Worker] = set()
        self._starting: set[asyncio.Future[Worker]] = set()
        self._ending: set[asyncio.Future[None]] = set()
        self._later: asyncio.TimerHandle | None = None
        self._closed = False

    def prepare(self, seconds: float = 0.0) -> None:
        """Start a process ahead, loaded, after some time."""
        if self._later is not None:
            self._later.cancel()
        if self._ahead and not self._closed:
            self._later = asyncio.get_running_loop().call_later(seconds, self._prepare)

    def _prepare(self) -> None:
        if self._spare is None and not self._closed:
            self._spare = asyncio.create_task(self._loaded())

    async def worker(self, *, for_desk: bool = False) -> Worker:
        """Return a process, the one that was started ahead if there is one, and prepare the next."""
        spare, self._spare = self._spare, None
        found = None if spare is None else await asyncio.shield(spare)
        if found is None or not found.is_alive:
            found = await self._started()
        self.prepare(_SOON if for_desk else _LATER)
        return found

    async def ask(self, table: str, job: str, given: dict[str, Any]) -> Any:
        """Have a table's desk do a job, once there is room for it; a desk that ended is replaced once."""
        desk = self._desks.setdefault(table, _Desk())
        async with desk.lock, self._room:
            desk.is_used = True
            try:
                for _ in range(2):
                    if not self._closed and not desk.is_gone:
                        with suppress(WorkerEndedError):
                            return await (await self._seated(table, desk)).do(job, given)
                        self._leave(desk)
            finally:
                desk.is_used = False
                if desk.is_gone and self._desks.get(table) is desk:
                    del self._desks[table]
        raise refused("failed", "table_process", thing="table")

    async def _seated(self, table: str, desk: _Desk) -> Worker:
        """The process of a desk; for a new one, desks that were idle for longest end theirs."""
        self._desks[table] = self._desks.pop(table, desk)  # the last one to be idle
        if desk.worker is not None and not desk.worker.is_alive:
            self._leave(desk)
        if desk.worker is None:
            taken = [one for one in self._desks.values() if one.worker is not None or one.is_used]
            idle = [one for one in taken if not one.is_used]
            for one in idle[: max(0, len(taken) - self._most_desks)]:
                self._leave(one)
            starting = asyncio.ensure_future(self.worker(for_desk=True))
            self._starting.add(starting)
            starting.add_done_callback(self._starting.discard)
            try:
                desk.worker = await asyncio.shield(starting)
            except asyncio.CancelledError:  # it starts all the same, and there is no room before it ends
                while not starting.done():
                    with suppress(asyncio.CancelledError):
                        await asyncio.shield(starting)
                if starting.exception() is None:
                    self.release(starting.result())
                raise
            if desk.is_gone:
                raise WorkerEndedError
        return desk.worker

    def _leave(self, desk: _Desk) -> None:
        if desk.worker is not None:
            self.release(desk.worker)
            desk.worker = None

    def forget(self, table: str) -> None:
        """Close the desk of a table that is no longer there."""
        desk = self._desks.get(table)
        if desk is not None:
            desk.is_gone = True
            self._leave(desk)
            if not desk.is_used:
                del self._desks[table]

    def release(self, worker: Worker) -> None:
        """End a process that has done its work; `close` waits until it has ended."""
        self._all.discard(worker)
        ending = asyncio.ensure_future(worker.close())
        worker.kill()
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        self._closed = True
        if self._later is not None:
            self._later.cancel()
        for worker in list(self._all):
            worker.kill()
        if self._spare is not None:
            with suppress(Exception):
                await self._spare
        await asyncio.gather(*self._starting, return_exceptions=True)
        for worker in list(self._all):
            self.release(worker)
        while self._ending:
            await asyncio.gather(*self._ending, return_exceptions=True)

    async def _started(self) -> Worker:
        worker = Worker(self._log)
        await worker.start()
        self._all.add(worker)
        if self._closed:  # meanwhile
            self.release(worker)
            raise WorkerEndedError
        return worker

    async def _loaded(self) -> Worker:
        """Start a process and load its modules."""
        worker = await self._started()
        with suppress(WorkerEndedError, StudioError):
            await worker.do("load", {})
        return worker
