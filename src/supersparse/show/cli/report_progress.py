"""Progress of a report: one live line with an estimate on a terminal, plain lines elsewhere."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from supersparse.show.cli.say import is_hushed, remark

if TYPE_CHECKING:
    from rich.text import Text

    from supersparse.show.report.plan import Step

_SECONDS_BETWEEN_LINES = 5.0
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
    return _Live() if sys.stderr.isatty() and not is_hushed() else _Lines()


class _Lines:
    """The first line of each stage, then one every few seconds."""

    def __init__(self) -> None:
        self._stage, self._next = "", 0.0

    def __enter__(self) -> Self:
        return self

    def __call__(self, step: "Step") -> None:
        stage, now = step.text.split(":")[0], time.monotonic()
        if stage != self._stage or now >= self._next:
            remark(str(step))
            self._stage, self._next = stage, now + _SECONDS_BETWEEN_LINES

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class _Live:
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
