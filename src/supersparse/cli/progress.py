"""Progress of a solve: one live line on a terminal, plain lines elsewhere."""

import sys
import time
from math import ceil
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

import typer

from supersparse.cli.say import is_hushed

if TYPE_CHECKING:
    from rich.text import Text

    from supersparse.solving.solution import TraceEvent

_SECONDS_BETWEEN_LINES = 1.0


class Progress(Protocol):
    """Something that shows events while it is entered."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __call__(self, event: "TraceEvent") -> None:
        """Take note of an event."""


def progress() -> Progress:
    """Return the kind that fits where standard error goes."""
    if is_hushed():
        return _Silence()
    return _Live() if sys.stderr.isatty() else _Lines()


def event_line(event: "TraceEvent", features: int | None) -> str:
    """Describe the best model so far, the bound and the gap in one line."""
    if event.objective is None:
        return f"{event.seconds:7.1f} s  bound {float(event.lower_bound):.6f}"
    gap = ceil((event.gap or 0) * 1000 - 1e-4) / 10  # upwards: 0 is shown only when proven
    size = "" if features is None else f"  features {features:2d}"
    return (
        f"{event.seconds:7.1f} s  objective {float(event.objective):.6f}{size}  "
        f"bound {float(event.lower_bound):.6f}  gap {gap:5.1f} %"
    )


class _Silence:
    def __enter__(self) -> Self:
        return self

    def __call__(self, event: "TraceEvent") -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class _Lines:
    """At most one line a second, and the last event in any case."""

    def __init__(self) -> None:
        self._features: int | None = None
        self._last_shown = float("-inf")
        self._waiting: TraceEvent | None = None

    def __enter__(self) -> Self:
        return self

    def __call__(self, event: "TraceEvent") -> None:
        if event.points is not None:
            self._features = len(event.points.support)
        self._waiting = event
        if time.monotonic() - self._last_shown >= _SECONDS_BETWEEN_LINES:
            self._show()

    def _show(self) -> None:
        if self._waiting is not None:
            typer.echo(event_line(self._waiting, self._features), err=True)
            self._waiting, self._last_shown = None, time.monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._show()


class _Live:
    """One line that is rewritten in place and gone at the end; the time runs on between events."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._began = time.monotonic()
        self._event: TraceEvent | None = None
        self._features: int | None = None
        self._live = Live(
            console=Console(stderr=True, highlight=False),
            get_renderable=self._line,
            refresh_per_second=8,
            transient=True,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __call__(self, event: "TraceEvent") -> None:
        if event.points is not None:
            self._features = len(event.points.support)
        self._event = event

    def _line(self) -> "Text":
        from dataclasses import replace

        from rich.text import Text

        seconds = time.monotonic() - self._began
        if self._event is None:
            return Text(f"{seconds:7.1f} s  starting", no_wrap=True, overflow="crop")
        line = event_line(replace(self._event, seconds=seconds), self._features)
        return Text(line, no_wrap=True, overflow="crop")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()
