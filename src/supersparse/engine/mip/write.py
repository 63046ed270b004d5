"""Add terms and limits to a model: sets, levels, magnitudes, and limits in whole numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf

from supersparse.base.errors import InfeasibleError
from supersparse.base.integer_arrays import Flags
from supersparse.engine.mip.model import Draft, Linear
from supersparse.engine.mip.precision import LimitRows
from supersparse.engine.mip.program import TermVariables
from supersparse.engine.mip.terms import Term, Wants
from supersparse.problem.limits import Constraint, SignLimit

Choice = tuple[tuple[int, int], ...]
TermPart = tuple[Linear, tuple[int, int] | None]  # an expression, and its variable with the unit


@dataclass(frozen=True, kw_only=True)
class WrittenTerm:
    """A term in the model: c, whether it is nonzero, |c|, max(c, 0); the last three are 0 if not needed."""

    term: Term
    label: str  # in names of variables and rows: the number of the feature from 1, or 0 for the intercept
    variables: TermVariables
    value: Linear
    size: Linear
    magnitude: Linear
    positive_part: Linear

    @property
    def penalty(self) -> tuple[tuple[Fraction, Linear], ...]:
        """The cost of the term: penalties, each with its expression."""
        if not self.term.levels:
            return ((self.term.C0, self.size),)
        if not self.variables.levels:  # one level contains all values
            return ((self.term.levels[0][1], Linear(1)),)
        return tuple(
            (penalty, Linear(0, ((binary, 1),)))
            for (_, penalty), (_, binary) in zip(self.term.levels, self.variables.levels, strict=True)
        )


def write_term(draft: Draft, term: Term, label: str, wants: Wants, *, priority: int) -> WrittenTerm:
    number = draft.variable(f"lambda_{label}", *term.bounds, priority)
    choice: Choice = ()
    levels: tuple[tuple[tuple[int, ...], int], ...] = ()
    if not term.is_progression:
        choice, levels = _write_choice(draft, term, label, number, priority)
    value = _value(term, number, choice)
    size, nonzero, signs = _write_size(draft, term, label, number, choice, wants, priority)
    magnitude, beta = _write_magnitude(draft, term, label, number, choice) if wants.magnitude else (Linear(), None)
    positive, part = _write_positive(draft, term, label, number, choice) if wants.positive_part else (Linear(), None)
    return WrittenTerm(
        term=term,
        label=label,
        variables=TermVariables(
            number=number,
            choice=choice,
            levels=levels,
            nonzero=nonzero,
            magnitude=beta,
            positive_part=part,
            signs=signs,
        ),
        value=value,
        size=size,
        magnitude=magnitude,
        positive_part=positive,
    )


def _write_choice(
    draft: Draft, term: Term, label: str, number: int, priority: int
) -> tuple[Choice, tuple[tuple[tuple[int, ...], int], ...]]:
    """One binary per value: u of section 3.4, or u and s of appendix A with levels.

    Without levels, 0 has no binary, and at most one of the others is 1 (exactly one if 0 is excluded). With
    levels, Σ u = s in every level, and exactly one s is 1.
    """
    choice = tuple(
        (v, draft.variable(f"u_{label}_{k}", 0, 1, priority))
        for k, v in enumerate((v for v in term.values if v or term.levels), start=1)
    )
    levels = tuple(
        (values, draft.variable(f"s_{label}_{r}", 0, 1, priority)) for r, (values, _) in enumerate(term.levels, start=1)
    )
    binary_of = dict(choice)
    for r, (values, level) in enumerate(levels, start=1):
        draft.row(f"level_{label}_{r}", [*((binary_of[v], 1) for v in values), (level, -1)], lower=0, upper=0)
    one = [(binary, 1) for _, binary in levels or choice]
    draft.row(f"one_{label}", one, lower=1 if levels or term.is_forced else -inf, upper=1)
    parts = ((binary, value // term.step) for value, binary in choice if value)
    draft.row(f"value_{label}", [(number, -1), *parts], lower=0, upper=0)
    return choice, levels


def _value(term: Term, number: int, choice: Choice) -> Linear:
    if choice:
        return Linear(0, tuple((binary, value) for value, binary in choice if value))
    return Linear(term.offset, () if term.is_fixed else ((number, term.step),))


def _write_size(
    draft: Draft, term: Term, label: str, number: int, choice: Choice, wants: Wants, priority: int
) -> tuple[Linear, int | None, tuple[tuple[int, int], ...]]:
    """Return the size, and α or the sign binaries if they were created."""
    if term.is_forced and wants.size:
        return Linear(1), None, ()
    if term.is_fixed or not wants.size:
        return Linear(), None, ()
    if choice:
        return Linear(0, tuple((binary, 1) for value, binary in choice if value)), None, ()
    low, high = term.bounds
    if high - low == 1:  # 0 and one other value: k itself says whether it is used
        return Linear(0, ((number, 1 if high else -1),)), None, ()
    if wants.exact_size:
        signs = _write_signs(draft, label, number, low, high, priority)
        return Linear(0, tuple((binary, 1) for binary, _ in signs)), None, signs
    alpha = draft.variable(f"alpha_{label}", 0, 1, priority)
    if high > 0:
        draft.row(f"size_{label}_above", [(number, 1), (alpha, -high)], upper=0)
    if low < 0:
        draft.row(f"size_{label}_below", [(number, 1), (alpha, -low)], lower=0)
    return Linear(0, ((alpha, 1),)), alpha, ()


def _write_signs(
    draft: Draft, label: str, number: int, low: int, high: int, priority: int
) -> tuple[tuple[int, int], ...]:
    """One binary per sign, 1 exactly if k has that sign: p + low·n <= k <= high·p - n."""
    signs = tuple(
        (draft.variable(f"{name}_{label}", 0, 1, priority), sign)
        for name, sign, reach in (("plus", 1, high), ("minus", -1, -low))
        if reach > 0
    )
    above = ((b, -high if sign > 0 else 1) for b, sign in signs)
    below = ((b, -1 if sign > 0 else -low) for b, sign in signs)
    draft.row(f"size_{label}_above", [(number, 1), *above], upper=0)
    draft.row(f"size_{label}_below", [(number, 1), *below], lower=0)
    if len(signs) == 2:
        draft.row(f"size_{label}", [(binary, 1) for binary, _ in signs], upper=1)
    return signs


def _write_magnitude(draft: Draft, term: Term, label: str, number: int, choice: Choice) -> TermPart:
    if choice:
        return Linear(0, tuple((binary, abs(value)) for value, binary in choice if value)), None
    least, greatest = term.values[0], term.values[-1]
    if least >= 0 or greatest <= 0:
        sign = 1 if least >= 0 else -1
        parts = () if term.is_fixed else ((number, sign * term.step),)
        return Linear(sign * term.offset, parts), None
    unit = gcd(term.step, term.offset)
    beta = draft.variable(f"beta_{label}", 0, max(-least, greatest) // unit)
    step, offset = term.step // unit, term.offset // unit
    draft.row(f"magnitude_{label}_above", [(beta, 1), (number, -step)], lower=offset)
    draft.row(f"magnitude_{label}_below", [(beta, 1), (number, step)], lower=-offset)
    return Linear(0, ((beta, unit),)), (beta, unit)


def _write_positive(draft: Draft, term: Term, label: str, number: int, choice: Choice) -> TermPart:
    if choice:
        return Linear(0, tuple((binary, value) for value, binary in choice if value > 0)), None
    least, greatest = term.values[0], term.values[-1]
    if greatest <= 0:
        return Linear(), None
    if least >= 0:
        return _value(term, number, choice), None
    unit = gcd(term.step, term.offset)
    part = draft.variable(f"positive_{label}", 0, greatest // unit)
    draft.row(f"part_{label}", [(part, 1), (number, -(term.step // unit))], lower=term.offset // unit)
    return Linear(0, ((part, unit),)), (part, unit)


def write_limits(
    draft: Draft, limits: LimitRows, written: Sequence[WrittenTerm], z: Mapping[int, int], is_always_wrong: Flags
) -> None:
    """Add one row per limit; `z` has the binary of each row that can be right or wrong."""
    for k, support in enumerate(limits.support, start=1):
        sizes = ((weight, w.size) for weight, w in zip(support.weights, written, strict=True))
        _write(draft, f"support_{k}", sizes, support.at_most, support.source)
    for k, score in enumerate(limits.score, start=1):
        points = [
            pair
            for low, high, w in zip(score.low, score.high, written, strict=True)
            for pair in ((low, w.value), (high - low, w.positive_part))
        ]
        _write(draft, f"total_{k}", points, score.at_most, score.source)
    for k, rate in enumerate(limits.rates, start=1):
        wrong = [(int(rate.weights[i]), Linear(0, ((binary, 1),))) for i, binary in z.items()]
        _write(draft, f"rate_{k}", wrong, rate.at_most - rate.total(is_always_wrong), rate.source)


def write_same_signs(
    draft: Draft, limits: Sequence[SignLimit], written: Sequence[WrittenTerm]
) -> tuple[tuple[int, tuple[bool, ...]], ...]:
    """Add one binary s per limit, 1 where its terms may be positive: least·(1 - s) <= c <= greatest·s."""
    made = []
    for k, limit in enumerate(limits, start=1):
        binary = draft.variable(f"sign_{k}", 0, 1)
        s = Linear(0, ((binary, 1),))
        features = (w for w in written if w.term.name is not None)
        for w in (w for w, member in zip(features, limit.together, strict=True) if member):
            least, greatest = w.term.values[0], w.term.values[-1]
            above, below = [(1, w.value), (-max(greatest, 0), s)], [(-1, w.value), (-min(least, 0), s)]
            _write(draft, f"sign_{k}_{w.label}_above", above, 0, limit.source)
            _write(draft, f"sign_{k}_{w.label}_below", below, -min(least, 0), limit.source)
        made.append((binary, limit.together))
    return tuple(made)


def _write(draft: Draft, name: str, sums: Iterable[tuple[int, Linear]], at_most: int, source: Constraint) -> None:
    """Add ``Σ factor·expression <= at_most``, unless it always holds."""
    total: dict[int, int] = {}
    for factor, expression in sums:
        at_most -= factor * expression.constant
        for variable, weight in expression.parts:
            total[variable] = total.get(variable, 0) + factor * weight
    parts = [(variable, weight) for variable, weight in total.items() if weight]
    ends = [(w * draft.lower[v], w * draft.upper[v]) for v, w in parts]
    if sum(min(pair) for pair in ends) > at_most:
        raise InfeasibleError(
            f"no scoring system satisfies {source.in_words()!r} on these rows with these points", "relax it"
        )
    if sum(max(pair) for pair in ends) > at_most:
        draft.words[name] = source.in_words()
        draft.row(name, parts, upper=at_most)
