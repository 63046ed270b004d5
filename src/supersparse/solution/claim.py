"""What a solver claims; nothing in it is trusted before `verify` has run."""

from dataclasses import dataclass
from fractions import Fraction

from supersparse.problem.points import Points
from supersparse.solution.stop import Stop
from supersparse.solution.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The outcome of one solve, in the solver's own words."""

    points: Points
    objective: Fraction | None  # what the solver believes the model costs, where it has an opinion
    lower_bound: Fraction  # claimed proven: no feasible scoring system is better
    smallest: bool  # claimed proven: no model of this objective has a smaller l1
    stop: Stop
    nodes: int
    seconds: float
    trace: Trace
