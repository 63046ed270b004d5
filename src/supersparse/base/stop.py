"""Stop: why a solver stopped."""

from enum import Enum


class Stop(Enum):
    """Why a solver stopped. What it proved is in its bound."""

    __module__ = "supersparse"

    OPTIMAL = "the search is complete"
    BOUND = "the objective is proven optimal, but an equally good card with smaller points could exist"
    ROUNDING = "the search is complete, but rounding errors leave the proof open"
    GAP = "the requested gap was reached"
    TIME_LIMIT = "the time limit was reached"
    NODE_LIMIT = "the node limit was reached"
    MEMORY_LIMIT = "the memory limit was reached"
    INTERRUPTED = "the search was interrupted"
    READ = "the card was read from a solution file; nothing was searched"
    SEARCH_ENDED = "the heuristic search ended; it proves nothing"

    @property
    def is_complete(self) -> bool:
        """Whether the search left nothing open: it would only end the same way again."""
        return self in (Stop.OPTIMAL, Stop.ROUNDING)
