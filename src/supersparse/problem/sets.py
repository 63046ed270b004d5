"""Read coefficient sets and bounds, and narrow them by constraints and constant columns."""

from collections.abc import Mapping, Sequence

from supersparse.base.errors import InfeasibleError, InvalidProblemError
from supersparse.base.exact import read_whole, whole
from supersparse.problem.asked import MAX_POINTS, is_a_set
from supersparse.problem.intercept import Intercept
from supersparse.problem.limits import ScoreLimit, SupportLimit, ValueLimit
from supersparse.problem.naming import INTERCEPT, per_feature
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet, integers
from supersparse.problem.rows import Rows

NOTHING_ALLOWED_BUT_ZERO = CoefficientSet.of([0])


def read_sets(
    points: object, max_points: object, bounds: object, names: tuple[str, ...], levels: tuple[Levels | None, ...]
) -> tuple[tuple[CoefficientSet, ...], CoefficientSet]:
    """Return the set of each feature and of a penalised intercept; all contain 0.

    For a feature with levels, the set is their union; the last of `levels` is the intercept's.
    """
    automatic = isinstance(max_points, str) and max_points == "auto"
    largest = MAX_POINTS if automatic else read_whole(max_points, "max_points", 1)
    if any(levels):
        _check_points_with_levels(points, names, levels)
    *sets, intercept_set = (
        plain.with_zero() if level is None else level.values
        for plain, level in zip(_read_plain(points, integers(largest), names), levels, strict=True)
    )
    if bounds is None:
        return tuple(sets), intercept_set
    pairs = read_bounds(bounds, names)
    return tuple(
        s if pair is None else s.within(pair[0], pair[1], name).with_zero()
        for s, pair, name in zip(sets, pairs, names, strict=True)
    ), intercept_set


def _read_plain(points: object, default: CoefficientSet, names: tuple[str, ...]) -> tuple[CoefficientSet, ...]:
    """The set of each feature and, last, of the intercept."""

    def read(value: object, _name: str) -> CoefficientSet:
        if value is None:
            return default
        if isinstance(value, CoefficientSet):
            return value
        largest = whole(value)
        if largest is not None:
            return integers(largest)
        return CoefficientSet.of(value)  # type: ignore[arg-type]

    if isinstance(points, Mapping):
        sets = per_feature(
            points, names, what="points", read=read, default=lambda _: default, extra_keys=[INTERCEPT, "*"]
        )
        return (*sets, read(points.get(INTERCEPT, points.get("*")), INTERCEPT))
    if isinstance(points, list | tuple) and any(is_a_set(v) for v in points):
        return (*per_feature(points, names, what="points", read=read), default)
    return (read(points, INTERCEPT),) * (len(names) + 1)


def _check_points_with_levels(points: object, names: tuple[str, ...], levels: tuple[Levels | None, ...]) -> None:
    levelled = [name for name, level in zip((*names, INTERCEPT), levels, strict=True) if level is not None]
    if points is not None and set(names) <= set(levelled):
        raise InvalidProblemError(
            "points and levels cannot be combined", "remove points: the levels define the allowed values"
        )
    if isinstance(points, list | tuple) and any(is_a_set(v) for v in points):
        raise InvalidProblemError(
            f"points has one entry per feature, but {levelled[0]!r} has levels",
            "give points as a mapping by name for the others",
        )
    for key in points if isinstance(points, Mapping) else ():
        if key in levelled:
            raise InvalidProblemError(f"points names {key!r}, which has levels", "remove it from points or from levels")


def read_bounds(bounds: object, names: Sequence[str]) -> tuple[tuple[float | None, float | None] | None, ...]:
    """Return the smallest and largest value of each feature; None for an open end or pair."""

    def read(value: object, name: str) -> tuple[float | None, float | None] | None:
        if value is None:
            return None
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise InvalidProblemError(f"feature {name!r}: the bounds are {value!r}", "give a pair (low, high)")
        return value[0], value[1]

    if isinstance(bounds, tuple) and len(bounds) == 2 and not isinstance(bounds[0], tuple | list):
        return (read(bounds, "all"),) * len(names)
    return per_feature(bounds, names, what="bounds", read=read, default=lambda _: None, extra_keys=["*"])


def under_value_limits(
    names: Sequence[str], sets: tuple[CoefficientSet, ...], limits: Sequence[ValueLimit]
) -> tuple[CoefficientSet, ...]:
    """Narrow each set to the values that its limits allow; an empty set is infeasible."""
    by_name: dict[str, list[ValueLimit]] = {}
    for limit in limits:
        by_name.setdefault(limit.name, []).append(limit)
    return tuple(_narrowed(name, s, by_name.get(name, [])) for name, s in zip(names, sets, strict=True))


def _narrowed(name: str, points: CoefficientSet, limits: list[ValueLimit]) -> CoefficientSet:
    if not limits:
        return points
    allowed: CoefficientSet | None = points
    for limit in limits:
        if allowed is not None:
            allowed = allowed.required() if limit.equals is None else allowed.only(limit.equals)
    if allowed is not None:
        return allowed
    sources = [limit.source for limit in limits]
    asked = list(dict.fromkeys(source.in_words() for source in sources))
    some_value = [limit.equals for limit in limits if limit.equals is not None]
    contradictory = len(set(some_value)) > 1 or (0 in some_value and len(some_value) < len(limits))
    if contradictory:
        raise InfeasibleError(
            f"feature {name!r}: {' and '.join(map(repr, asked))} contradict each other", "drop one of them"
        ).blaming(sources)
    raise InfeasibleError(
        f"feature {name!r}: no value of {points} satisfies {' and '.join(map(repr, asked))}",
        "drop the constraint, or allow the value for this feature",
    ).blaming(sources)


def without_useless_columns(
    rows: Rows,
    sets: tuple[CoefficientSet, ...],
    intercept: Intercept,
    levels: tuple[Levels | None, ...],
    support_limits: Sequence[SupportLimit],
    score_limits: Sequence[ScoreLimit],
    *,
    intercept_is_whole: bool,
) -> tuple[CoefficientSet, ...]:
    """Allow only 0 for columns that no model needs.

    A constant column shifts all totals equally, and a free threshold does the same at no cost; one that is
    whole, as with slope 1, where the shift is. A bounded, penalised or zero intercept cannot replace it; then
    only all-zero columns are useless. A column stays if a constraint requires it, if using it may cost less
    than 0 does, or if it may help to satisfy a limit.
    """

    def makes_up_for(j: int) -> bool:
        if intercept.mode != "free":
            return False
        return not intercept_is_whole or int(rows.columns[j][0]) % (rows.scales[j] * sets[j].denominator) == 0

    def useless(j: int) -> bool:
        level = levels[j]
        return (
            rows.constant[j]
            and 0 in sets[j]
            and (rows.magnitudes[j] == 0 or makes_up_for(j))
            and (level is None or level.prefer_zero)
            and all(limit.weights[j] >= 0 for limit in support_limits)
            and all(limit.term(j, v) >= 0 for limit in score_limits for v in sets[j].turning_points)
        )

    return tuple(NOTHING_ALLOWED_BUT_ZERO if useless(j) else s for j, s in enumerate(sets))
