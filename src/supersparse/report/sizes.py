"""The frontier around a card: as many sizes as can be proven in the time given."""

import warnings

from supersparse.errors import PenaltyRangeWarning
from supersparse.report.plan import Plan, Progress
from supersparse.report.refit import Refit
from supersparse.selection.frontier import frontier
from supersparse.solution.frontier import Frontier
from supersparse.solution.stop import Stop


def sizes_around(refit: Refit, size: int, plan: Plan, progress: Progress) -> Frontier:
    """Return the frontier from 0 features to some more than the card has.

    Each step asks for one size more and shares its work among all sizes. It ends with the first that
    is not proven, whose answer is kept only where nothing smaller was proven.
    """
    best: Frontier | None = None
    for most in range(max(size, 1), max(size, 1) + plan.larger + 1):
        progress(f"frontier: at most {most} feature{'s' if most > 1 else ''}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PenaltyRangeWarning)
            found = frontier(refit.problem, most, seed=plan.seed, **plan.limits)
        if found.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        if best is None or found.proven:
            best = found
        if not found.proven or found.reaches_all:
            break
    assert best is not None, "there is at least one step"
    return best
