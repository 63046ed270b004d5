"""Writing one term: its set, whether it is used (α), and its magnitude (β)."""

from dataclasses import dataclass
from math import gcd

from supersparse.solving.mip.draft import Draft, Linear
from supersparse.solving.mip.program import TermVariables
from supersparse.solving.mip.terms import Term


@dataclass(frozen=True, kw_only=True)
class WrittenTerm:
    """A term in the model: `size` is 1 when c is not 0, `magnitude` is |c|, both 0 where not wanted."""

    term: Term
    variables: TermVariables
    size: Linear
    magnitude: Linear


def write_term(draft: Draft, term: Term, *, priority: int, wants_size: bool, wants_l1: bool) -> WrittenTerm:
    """Add the variables and rows of one term."""
    number = draft.variable(*term.bounds, priority)
    choice = () if term.is_progression else _write_choice(draft, term, number, priority)
    size, nonzero = _write_size(draft, term, number, choice, priority) if wants_size else (Linear(), None)
    magnitude, beta = _write_magnitude(draft, term, number, choice) if wants_l1 else (Linear(), None)
    return WrittenTerm(
        term=term,
        variables=TermVariables(number=number, choice=choice, nonzero=nonzero, magnitude=beta),
        size=size,
        magnitude=magnitude,
    )


def _write_choice(draft: Draft, term: Term, number: int, priority: int) -> tuple[tuple[int, int], ...]:
    """One binary for each non-zero value (section 3.4): at most one is 1, exactly one where 0 is left out."""
    choice = tuple((value, draft.variable(0, 1, priority)) for value in term.values if value)
    draft.row([(binary, 1) for _, binary in choice], lower=1 if term.is_forced else 0, upper=1)
    draft.row([(number, -1), *((binary, value // term.step) for value, binary in choice)], lower=0, upper=0)
    return choice


def _write_size(
    draft: Draft, term: Term, number: int, choice: tuple[tuple[int, int], ...], priority: int
) -> tuple[Linear, int | None]:
    if term.is_forced:
        return Linear(1), None
    if term.is_fixed:
        return Linear(), None
    if choice:
        return Linear(0, tuple((binary, 1) for _, binary in choice)), None
    low, high = term.bounds
    if high - low == 1:  # 0 and one other value: k itself says whether it is used
        return Linear(0, ((number, 1 if high else -1),)), None
    alpha = draft.variable(0, 1, priority)
    if high > 0:
        draft.row([(number, 1), (alpha, -high)], upper=0)
    if low < 0:
        draft.row([(number, 1), (alpha, -low)], lower=0)
    return Linear(0, ((alpha, 1),)), alpha


def _write_magnitude(
    draft: Draft, term: Term, number: int, choice: tuple[tuple[int, int], ...]
) -> tuple[Linear, tuple[int, int] | None]:
    if choice:
        return Linear(0, tuple((binary, abs(value)) for value, binary in choice)), None
    least, greatest = term.values[0], term.values[-1]
    if least >= 0 or greatest <= 0:
        sign = 1 if least >= 0 else -1
        parts = () if term.is_fixed else ((number, sign * term.step),)
        return Linear(sign * term.offset, parts), None
    unit = gcd(term.step, term.offset)
    beta = draft.variable(0, max(-least, greatest) // unit)
    step, offset = term.step // unit, term.offset // unit
    draft.row([(beta, 1), (number, -step)], lower=offset)
    draft.row([(beta, 1), (number, step)], lower=-offset)
    return Linear(0, ((beta, unit),)), (beta, unit)
