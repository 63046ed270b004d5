"""Stop: why a solver stopped; solvers set it, cards keep it, faces put it into words."""

from enum import Enum


class Stop(Enum):
    """Why a solver stopped; what it proved is said by its bound, not here."""

    OPTIMAL = "the search space is exhausted"
    BOUND = "the objective is proven, but equally good models with smaller points were not ruled out"
    GAP = "the requested gap was reached"
    TIME_LIMIT = "the time limit was reached"
    NODE_LIMIT = "the node limit was reached"
    MEMORY_LIMIT = "the memory limit was reached"
    INTERRUPTED = "it was interrupted"
    SEARCH_ENDED = "the search ended; it proves nothing"
