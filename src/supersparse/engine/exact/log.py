"""Events of a proof log, one per step of a proof; none are created without a listener.

Rows are indices of the presolved problem's distinct rows (-1 is the origin), literals are numbered as in
`literals.py`, costs are in kernel units.
"""

from dataclasses import dataclass

from supersparse.engine.exact.literals import Literals

Multipliers = tuple[tuple[int, int, int], ...]  # (row of a positive, row of a negative, u)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSplit:
    """A node was bounded, some literals were dropped, and it was split.

    `parts` are the literals that enter the model in one part each: the branching literal, or, where no more
    than one fits, all that are allowed. `out` is whether a part without the branching literal remains.
    """

    case: int
    literals: Literals
    allowed: Literals
    dropped: Literals  # by the bound of `multipliers` with the literal forced in
    bound: int
    cut: int
    room: int
    multipliers: Multipliers
    parts: Literals
    out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePruned:
    """A node was closed: its bound exceeds the cut."""

    case: int
    literals: Literals
    allowed: Literals
    bound: int
    cut: int
    room: int
    multipliers: Multipliers


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxPruned:
    """A box of coefficients of one support was closed by matched pairs and single rows.

    `low` and `high` are the magnitudes of each literal and, if b is restricted, b.
    """

    literals: Literals
    low: tuple[int, ...]
    high: tuple[int, ...]
    fixed_cost: int
    bound: int
    cut: int
    matched: Multipliers
    single: tuple[tuple[int, int], ...]  # (row, weight): wrong everywhere in the box


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxSplit:
    """A box was split between two values of one dimension."""

    literals: Literals
    low: tuple[int, ...]
    high: tuple[int, ...]
    dimension: int
    last_of_lower: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorEvaluated:
    """One coefficient vector was evaluated: its lowest cost over the allowed b, and that b."""

    literals: Literals
    magnitudes: tuple[int, ...]
    cost: int
    intercept: int
