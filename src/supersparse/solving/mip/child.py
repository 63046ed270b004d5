"""Child: a solver in a separate process, for packages that cannot share one with others.

A child starts when first needed, is reused by later solves, and ends with its parent. It ignores Ctrl-C: the
parent decides when to stop.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import BinaryIO

from supersparse.errors import SolverFailedError, SupersparseError
from supersparse.solving.mip.messages import Order, StopOrder, read_message, write_message
from supersparse.solving.mip.model import Model
from supersparse.solving.mip.run import BoundReport, Outcome, RunSettings, Talk


class Child:
    """The parent's end of one process."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._lock = threading.Lock()

    def run(self, order: Order, talk: Talk) -> Outcome:
        """Run an order and pass on its reports."""
        try:
            self._send(order)
            with talk.interrupted_by(lambda: self._send(StopOrder())):
                while True:
                    message = read_message(self._from)
                    if isinstance(message, Exception):
                        raise message
                    if isinstance(message, Outcome):
                        return message
                    assert isinstance(message, BoundReport)
                    talk.report(message)
        except (EOFError, OSError, ValueError) as error:
            if isinstance(error, SupersparseError):
                raise
            raise SolverFailedError(
                f"the process that runs {order.target} ended with code {self._process.wait()}"
            ) from error

    def _send(self, message: Order | StopOrder) -> None:
        with self._lock:
            write_message(self._to, message)

    def close(self) -> None:
        """End the process; it stops when its input closes."""
        with suppress(OSError):  # it may be gone already
            self._to.close()
        self._process.wait()
        self._from.close()


_idle: list[Child] = []
if hasattr(os, "register_at_fork"):  # a forked process must not talk to its parent's children
    os.register_at_fork(after_in_child=_idle.clear)


def run_in_child(target: str, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
    """Call ``module:function`` in a child process."""
    try:
        child = _idle.pop()
    except IndexError:
        child = Child()
    try:
        outcome = child.run(Order(target, model, settings), talk)
    except BaseException:
        child.close()
        raise
    _idle.append(child)
    return outcome


@atexit.register
def _close_all() -> None:
    while _idle:
        _idle.pop().close()


def _serve(inbox: BinaryIO, outbox: BinaryIO) -> None:
    """Run orders one after the other until the parent is gone."""
    lock = threading.Lock()
    running: Talk | None = None

    def send(message: BoundReport | Outcome | Exception) -> None:
        with lock:
            write_message(outbox, message)

    def carry_out(order: Order, talk: Talk) -> None:
        try:
            module, _, function = order.target.partition(":")
            send(getattr(import_module(module), function)(order.model, order.settings, talk))
        except Exception as error:  # the parent raises it
            send(error)

    while True:
        message = read_message(inbox)
        if isinstance(message, Order):
            running = Talk(send)
            threading.Thread(target=carry_out, args=(message, running), daemon=True).start()
        elif running is not None:
            running.stop()


def _main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outbox = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the messages
    try:
        _serve(sys.stdin.buffer, outbox)
    except EOFError:
        os._exit(0)  # at once, even in the middle of a solve


if __name__ == "__main__":
    _main()
