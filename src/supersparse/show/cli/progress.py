"""Progress on standard error: of a search, of folds, and of a report."""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Self

import typer

from supersparse.base.exact import counted
from supersparse.engine.proving.projection import in_time
from supersparse.learn.progress import Watch
from supersparse.show.cli.say import is_hushed, remark

if TYPE_CHECKING:
    from rich.live import Live

    from supersparse.engine.solution import TraceEvent
    from supersparse.show.report.plan import Step


_SECONDS_BETWEEN_LINES = 1.0


class Progress(Watch, AbstractContextManager["Progress"]):
    """Shows how learning goes on while it is entered; this one shows nothing."""

    def __exit__(self, *_: object) -> None:
        """Show what is left to show."""


def progress(ends: float | None = None) -> Progress:
    """Return the kind that fits where standard error goes; `ends` is when time is up."""
    if is_hushed():
        return Progress()
    return _Live(State(ends=ends)) if sys.stderr.isatty() else _Lines(State(ends=ends))


@dataclass(slots=True)
class State:
    ends: float | None = None  # as `time.monotonic` counts
    began: float = field(default_factory=time.monotonic)
    doing: str | None = None
    size: str | None = None  # of the best model, in words
    event: "TraceEvent | None" = None
    error: float | None = None  # cross-validated

    def see(self, event: "TraceEvent") -> None:
        """Take note of a better model or bound."""
        if event.points is not None:
            unit = "feature" if event.points.answers is None else "question"
            self.size = counted(len(event.points.support), unit)
        self.event = event

    def begin(self, what: str) -> None:
        """Take note of a new stage; models of the one before are no longer of interest."""
        self.doing, self.event = what, None

    def line(self, *, brief: bool = False) -> str:
        """Describe the time, the stage, the best model so far, and how far it is from the best possible.

        The most important parts come first: a narrow terminal cuts the rest off. `brief` leaves out the details of
        the stage, which follow a colon.
        """
        now = time.monotonic()
        parts = [f"{now - self.began:7.1f} s"]
        if self.ends is not None:
            parts.append(f"{max(0.0, self.ends - now):.0f} s left")
        if self.doing is not None:
            parts.append(self.doing.partition(":")[0] if brief else self.doing)
        if self.size is not None:
            parts.append(self.size)
        if self.error is not None:
            parts.append(f"cross-validated error {100 * self.error:.1f} %")
        if self.event is not None:
            if self.event.objective is not None:
                gap = ceil((self.event.gap or 0) * 1000 - 1e-4) / 10  # upwards: 0 is shown only when proven
                parts.append(f"gap {gap:.1f} %")
                if gap and self.event.projection is not None:
                    return "  ".join([*parts, f"proof {in_time(self.event.projection)}"])
                parts.append(f"objective {float(self.event.objective):.6f}")
            parts.append(f"bound {float(self.event.lower_bound):.6f}")
        return "  ".join(parts) if len(parts) > 1 else f"{parts[0]}  starting"


class _Shown(Progress):
    def __init__(self, state: State) -> None:
        self._state = state

    def __call__(self, event: "TraceEvent") -> None:
        self._state.see(event)

    def stage(self, what: str) -> None:
        self._state.begin(what)

    def cross_validated(self, error: float) -> None:
        self._state.error = error


class _Lines(_Shown):
    """At most one line a second, and each stage and the last event in any case."""

    _last_shown, _waits = float("-inf"), False

    def __call__(self, event: "TraceEvent") -> None:
        super().__call__(event)
        self._waits = True
        if time.monotonic() - self._last_shown >= _SECONDS_BETWEEN_LINES:
            self._show()

    def stage(self, what: str) -> None:
        self.__exit__()
        super().stage(what)
        self._show()

    def _show(self) -> None:
        typer.echo(self._state.line(), err=True)
        self._waits, self._last_shown = False, time.monotonic()

    def __exit__(self, *_: object) -> None:
        if self._waits:
            self._show()


def _one_line(text: Callable[[], str], refresh_per_second: int) -> "Live":
    """A line that is rewritten in place and gone at the end; the time runs on between events."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    return Live(
        console=Console(stderr=True, highlight=False),
        get_renderable=lambda: Text(text(), no_wrap=True, overflow="crop"),
        refresh_per_second=refresh_per_second,
        transient=True,
    )


class _OnOneLine:
    _live: "Live"

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()


class _Live(_OnOneLine, _Shown):
    def __init__(self, state: State) -> None:
        super().__init__(state)
        self._live = _one_line(lambda: state.line(brief=True), 8)


_SECONDS_BETWEEN_STEPS = 5.0
_BAR = 20  # characters


class Steps(AbstractContextManager["Steps"]):
    """Shows steps while it is entered: the first line of each stage, then one every few seconds."""

    _stage, _next = "", 0.0

    def __call__(self, step: "Step") -> None:
        stage, now = step.text.split(":")[0], time.monotonic()
        if stage != self._stage or now >= self._next:
            remark(str(step))
            self._stage, self._next = stage, now + _SECONDS_BETWEEN_STEPS

    def __exit__(self, *_: object) -> None:
        """Nothing is left to show."""


def steps() -> Steps:
    """Return the kind that fits where standard error goes."""
    return _LiveSteps() if sys.stderr.isatty() and not is_hushed() else Steps()


class _LiveSteps(_OnOneLine, Steps):
    def __init__(self) -> None:
        self._step: Step | None = None
        self._at = time.monotonic()
        self._live = _one_line(self._line, 4)

    def __call__(self, step: "Step") -> None:
        self._step, self._at = step, time.monotonic()

    def _line(self) -> str:
        if self._step is None:
            return "reading"
        since = time.monotonic() - self._at
        left = None if self._step.left is None else max(1.0, self._step.left - since)
        now = replace(self._step, seconds=self._step.seconds + since, left=left)
        return f"{bar(now)}{now}"


def bar(step: "Step") -> str:
    """Draw how much of the time has passed; nothing where there is no estimate.

    >>> from supersparse.show.report.plan import Step
    >>> bar(Step(text="bootstrap", seconds=30, left=10))
    '[###############-----] '
    """
    if step.left is None:
        return ""
    done = int(_BAR * step.seconds / max(step.seconds + step.left, 1e-9))
    return f"[{'#' * done}{'-' * (_BAR - done)}] "
