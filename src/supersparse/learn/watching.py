"""Watch: who is told how learning goes on."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from supersparse.engine.solution import TraceEvent


class Watch:
    """Hears of the progress of a fit: its stages, its models, and what held-out rows say; this one tells nobody."""

    def __call__(self, event: "TraceEvent") -> None:
        """Take note of a better model or bound."""

    def stage(self, what: str) -> None:
        """Take note of what is done from now on."""

    def cross_validated(self, error: float) -> None:
        """Take note of the error on held-out rows so far."""
