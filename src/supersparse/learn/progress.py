"""Progress: the time limit of a whole call, of which each part takes its share, and who hears how it goes on."""

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from supersparse.engine.solution import TraceEvent
    from supersparse.learn.recipe import Recipe


class HasTime(Protocol):
    """Anything that knows how much time is left."""

    @property
    def left(self) -> float | None:
        """Seconds; None without a limit."""


@dataclass(frozen=True, slots=True)
class Clock:
    """When the call has to end, as `time.monotonic` counts; None without a limit."""

    ends: float | None

    @classmethod
    def of(cls, recipe: "Recipe", spent: float = 0.0) -> "Clock":
        """Start now; `spent` seconds of the limit are gone. A limit that is none is left to the solver to refuse."""
        limit = recipe.options.get("time_limit")
        return cls(None if limit is None or not limit >= 0 else time.monotonic() + max(0.0, limit - spent))

    @classmethod
    def ending_in(cls, seconds: float | None) -> "Clock":
        """Start now."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    @property
    def left(self) -> float | None:
        return None if self.ends is None else max(0.0, self.ends - time.monotonic())

    def part(self, share: float) -> "Clock":
        """Return the clock of a part of the work that may take this share of the time left."""
        left = self.left
        return self if left is None else Clock(time.monotonic() + share * left)

    def reserving(self, seconds: float) -> "Clock":
        """Return a clock that leaves `seconds` to what follows, or two fifths of those left if that is less."""
        left = self.left
        return self if left is None else Clock(time.monotonic() + left - min(seconds, 0.4 * left))

    def limited(self, recipe: "Recipe", share: float = 1.0) -> "Recipe":
        """Return the recipe with a share of the time left as its time limit."""
        left = self.left
        if left is None:
            return recipe
        return replace(recipe, options={**recipe.options, "time_limit": share * left})


class Watch:
    """Hears of the progress of a fit: its stages, its models, and what held-out rows say; this one tells nobody."""

    def __call__(self, event: "TraceEvent") -> None:
        """Take note of a better model or bound."""

    def stage(self, what: str) -> None:
        """Take note of what is done from now on."""

    def cross_validated(self, error: float) -> None:
        """Take note of the error on held-out rows so far."""
