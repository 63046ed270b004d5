"""Stop: why a solver stopped."""

from enum import Enum


class Stop(Enum):
    """Why a solver stopped. What it proved is in its bound."""

    OPTIMAL = "the search is complete"
    BOUND = "the objective is proven optimal, but an equally good card with smaller points could exist"
    GAP = "the requested gap was reached"
    TIME_LIMIT = "the time limit was reached"
    NODE_LIMIT = "the node limit was reached"
    MEMORY_LIMIT = "the memory limit was reached"
    INTERRUPTED = "the search was interrupted"
    SEARCH_ENDED = "the heuristic search ended; it proves nothing"
