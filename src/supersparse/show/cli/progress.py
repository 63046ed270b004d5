"""Progress on standard error: of a search, of folds, and of a report."""

import sys
import time
from dataclasses import dataclass, field
from math import ceil
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

import typer

from supersparse.base.exact import counted
from supersparse.learn.watching import Watch
from supersparse.show.cli.say import is_hushed, remark

if TYPE_CHECKING:
    from rich.text import Text

    from supersparse.engine.solution import TraceEvent
    from supersparse.show.report.plan import Step


_SECONDS_BETWEEN_LINES = 1.0


class Progress(Watch, Protocol):
    """Something that shows how learning goes on while it is entered."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def progress(ends: float | None = None) -> Progress:
    """Return the kind that fits where standard error goes; `ends` is when time is up."""
    if is_hushed():
        return _Silence()
    return _Live(State(ends=ends)) if sys.stderr.isatty() else _Lines(State(ends=ends))


@dataclass(slots=True)
class State:
    """All that a line says."""

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

        What matters most comes first: a narrow terminal cuts the rest off. `brief` leaves out the details of
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
                parts += [f"gap {gap:.1f} %", f"objective {float(self.event.objective):.6f}"]
            parts.append(f"bound {float(self.event.lower_bound):.6f}")
        return "  ".join(parts) if len(parts) > 1 else f"{parts[0]}  starting"


class _Silence:
    def __enter__(self) -> Self:
        return self

    def __call__(self, event: "TraceEvent") -> None:
        pass

    def stage(self, what: str) -> None:
        pass

    def cross_validated(self, error: float) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class _Lines:
    """At most one line a second, and each stage and the last event in any case."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._last_shown = float("-inf")
        self._waits = False

    def __enter__(self) -> Self:
        return self

    def __call__(self, event: "TraceEvent") -> None:
        self._state.see(event)
        self._waits = True
        if time.monotonic() - self._last_shown >= _SECONDS_BETWEEN_LINES:
            self._show()

    def stage(self, what: str) -> None:
        if self._waits:
            self._show()
        self._state.begin(what)
        self._show()

    def cross_validated(self, error: float) -> None:
        self._state.error = error

    def _show(self) -> None:
        typer.echo(self._state.line(), err=True)
        self._waits, self._last_shown = False, time.monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._waits:
            self._show()


class _Live:
    """One line that is rewritten in place and gone at the end; the time runs on between events."""

    def __init__(self, state: State) -> None:
        from rich.console import Console
        from rich.live import Live

        self._state = state
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
        self._state.see(event)

    def stage(self, what: str) -> None:
        self._state.begin(what)

    def cross_validated(self, error: float) -> None:
        self._state.error = error

    def _line(self) -> "Text":
        from rich.text import Text

        return Text(self._state.line(brief=True), no_wrap=True, overflow="crop")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()


_SECONDS_BETWEEN_STEPS = 5.0
_BAR = 20  # characters


class Steps(Protocol):
    """Something that shows steps while it is entered."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __call__(self, step: "Step") -> None:
        """Take note of a step."""


def steps() -> Steps:
    """Return the kind that fits where standard error goes."""
    return _LiveSteps() if sys.stderr.isatty() and not is_hushed() else _StepLines()


class _StepLines:
    """The first line of each stage, then one every few seconds."""

    def __init__(self) -> None:
        self._stage, self._next = "", 0.0

    def __enter__(self) -> Self:
        return self

    def __call__(self, step: "Step") -> None:
        stage, now = step.text.split(":")[0], time.monotonic()
        if stage != self._stage or now >= self._next:
            remark(str(step))
            self._stage, self._next = stage, now + _SECONDS_BETWEEN_STEPS

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class _LiveSteps:
    """One line that is rewritten in place and gone at the end; the time runs on between steps."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._step: Step | None = None
        self._at = time.monotonic()
        self._live = Live(
            console=Console(stderr=True, highlight=False),
            get_renderable=self._line,
            refresh_per_second=4,
            transient=True,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __call__(self, step: "Step") -> None:
        self._step, self._at = step, time.monotonic()

    def _line(self) -> "Text":
        from dataclasses import replace

        from rich.text import Text

        if self._step is None:
            return Text("reading", no_wrap=True, overflow="crop")
        since = time.monotonic() - self._at
        left = None if self._step.left is None else max(1.0, self._step.left - since)
        now = replace(self._step, seconds=self._step.seconds + since, left=left)
        return Text(f"{bar(now)}{now}", no_wrap=True, overflow="crop")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()


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
