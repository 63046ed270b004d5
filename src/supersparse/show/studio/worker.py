"""A worker: a process that does the studio's heavy work, one job after another.

``python -m supersparse.show.studio.worker`` reads JSON lines from standard input and writes JSON lines to
standard output. A job comes as ``{"id": 1, "job": "profile", "with": {...}}``; it may tell events
(``{"id": 1, "event": "progress", "data": {...}}``) and ends with ``{"id": 1, "done": {...}}`` or
``{"id": 1, "error": {...}}``. ``{"stop": 1}`` asks a job to end and keep what it has. When standard input
ends, because the server did, the job is asked to stop and the process ends soon after.
"""

import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from supersparse.base.errors import SupersparseError
from supersparse.show.studio.problems import StudioError, as_problem

JOBS = {
    "warm": "supersparse.show.studio.warming:warm",
    "profile": "supersparse.show.studio.profiling:profile",
    "cuts": "supersparse.show.studio.profiling:try_cuts",
    "rows": "supersparse.show.studio.profiling:some_rows",
    "check": "supersparse.show.studio.repeating:check",
    "conflicts": "supersparse.show.studio.asking:conflicts",
    "card": "supersparse.show.studio.searching:learn_card",
    "repair": "supersparse.show.studio.searching:learn_card",
    "frontier": "supersparse.show.studio.sizes:learn_sizes",
    "pool": "supersparse.show.studio.choosing:learn_pool",
    "show": "supersparse.show.studio.keeping:show",
    "picture": "supersparse.show.studio.keeping:picture",
    "compare": "supersparse.show.studio.choosing:compare",
    "edit": "supersparse.show.studio.editing:edited",
    "file": "supersparse.show.studio.takeaway:write",
    "report": "supersparse.show.studio.takeaway:report",
    "certificate": "supersparse.show.studio.takeaway:certificate",
}
_PATIENCE = 3.0  # seconds between the end of the server and that of a job
_LOOK = 0.2  # seconds between two looks whether a job was stopped


class Talk:
    """What a job has to say, and whether it was asked to stop."""

    def __init__(
        self, job_id: int, say: Callable[[dict[str, Any]], None], stopped: Callable[[], bool]
    ) -> None:
        self._job_id = job_id
        self._say = say
        self.stopped = stopped

    def tell(self, event: str, data: Any) -> None:
        """Send an event to the server."""
        self._say({"id": self._job_id, "event": event, "data": data})

    @contextmanager
    def cancel(self, flag: Path) -> Iterator["Cancel"]:
        """Yield what says whether the job was asked to stop, in other processes too: by a file."""
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(_LOOK):
                if self.stopped():
                    flag.touch()
                    return

        flag.unlink(missing_ok=True)
        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield Cancel(flag, self.stopped)
        finally:
            ended.set()
            thread.join()
            flag.unlink(missing_ok=True)


class Cancel:
    """Says whether a job was stopped; a copy in another process looks for a file.

    >>> import pickle
    >>> here = Cancel(Path("no such file"), lambda: True)
    >>> here(), pickle.loads(pickle.dumps(here))()
    (True, False)
    """

    def __init__(self, flag: Path, stopped: Callable[[], bool] | None = None) -> None:
        self._flag, self._stopped = flag, stopped

    def __call__(self) -> bool:
        """Whether it was."""
        return self._flag.exists() if self._stopped is None else self._stopped()

    def __reduce__(self) -> tuple[type["Cancel"], tuple[Path]]:
        """A copy does not hear what the server says."""
        return Cancel, (self._flag,)


class _Line:
    """Standard input, read in a thread of its own."""

    def __init__(self, source: IO[str]) -> None:
        self._source = source
        self._stopped: set[int] = set()
        self.jobs: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.ended = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def is_stopped(self, job_id: int) -> bool:
        """Whether a job was asked to stop."""
        return job_id in self._stopped or self.ended.is_set()

    def _read(self) -> None:
        for line in self._source:
            message = json.loads(line)
            if "stop" in message:
                self._stopped.add(message["stop"])
            else:
                self.jobs.put(message)
        self.ended.set()
        self.jobs.put(None)
        time.sleep(_PATIENCE)
        if os.name == "posix" and os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)  # with the processes of its folds
        os._exit(0)


def main() -> None:
    """Do jobs until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the server
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints must not garble the lines
    line = _Line(sys.stdin)
    lock = threading.Lock()

    def say(message: dict[str, Any]) -> None:
        text = json.dumps(message, allow_nan=False)
        with lock:
            try:
                out.write(text + "\n")
                out.flush()
            except OSError:  # the server is gone
                line.ended.set()

    while (message := line.jobs.get()) is not None:
        job_id = message["id"]
        talk = Talk(job_id, say, lambda job_id=job_id: line.is_stopped(job_id))  # type: ignore[misc]
        try:
            module, _, name = JOBS[message["job"]].partition(":")
            say({"id": job_id, "done": getattr(import_module(module), name)(message["with"], talk)})
        except BaseException as error:
            if not isinstance(error, StudioError | SupersparseError):
                traceback.print_exc(file=sys.stderr)
            say({"id": job_id, "error": as_problem(error, message["with"].get("names")).as_data()})


if __name__ == "__main__":
    main()
