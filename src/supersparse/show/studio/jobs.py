"""Jobs: a process that does the studio's heavy work, one job after another.

``python -m supersparse.show.studio.jobs`` reads JSON lines from standard input and writes JSON lines to
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
from collections.abc import Callable
from typing import IO, Any

from supersparse.base.errors import SupersparseError
from supersparse.show.studio.card_files import certificate, check, report, write
from supersparse.show.studio.card_search import conflicts, learn_card
from supersparse.show.studio.edited_card import edited, picture, show
from supersparse.show.studio.pool import compare, learn_pool
from supersparse.show.studio.profile import profile, some_rows, try_cuts
from supersparse.show.studio.progress import Talk
from supersparse.show.studio.sizes import learn_sizes
from supersparse.show.studio.texts import StudioError, as_problem

_PATIENCE = 3.0  # seconds between the end of the server and that of a job


def load(_given: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Do nothing: to answer, the process had to load its modules."""
    return {}


JOBS: dict[str, Callable[[dict[str, Any], Talk], dict[str, Any]]] = {
    "load": load,
    "profile": profile,
    "cuts": try_cuts,
    "rows": some_rows,
    "check": check,
    "conflicts": conflicts,
    "card": learn_card,
    "repair": learn_card,
    "frontier": learn_sizes,
    "pool": learn_pool,
    "show": show,
    "picture": picture,
    "compare": compare,
    "edit": edited,
    "file": write,
    "report": report,
    "certificate": certificate,
}


class _Line:
    """Standard input, read in a thread of its own."""

    def __init__(self, source: IO[str]) -> None:
        self._source = source
        self.stopped: set[int] = set()
        self.jobs: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.ended = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._source:
            message = json.loads(line)
            if "stop" in message:
                self.stopped.add(message["stop"])
            else:
                self.jobs.put(message)
        self.ended.set()
        self.jobs.put(None)
        time.sleep(_PATIENCE)
        if os.name == "posix" and os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)  # with the processes of its folds
        os._exit(0)


def main() -> None:
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
        talk = Talk(job_id, say, lambda job_id=job_id: job_id in line.stopped or line.ended.is_set())  # type: ignore[misc]
        try:
            say({"id": job_id, "done": JOBS[message["job"]](message["with"], talk)})
        except BaseException as error:
            if not isinstance(error, StudioError | SupersparseError):
                traceback.print_exc(file=sys.stderr)
            say({"id": job_id, "error": as_problem(error, message["with"].get("names")).as_data()})


if __name__ == "__main__":
    main()
