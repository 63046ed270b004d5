"""Levels of interpretability: what a coefficient costs by the set it lies in (appendix A, PILM)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from supersparse.decimals import exact
from supersparse.errors import InvalidProblemError
from supersparse.problem.coefficients import CoefficientSet
from supersparse.problem.naming import INTERCEPT, per_feature

_MOST_VALUES = 100_000


@dataclass(frozen=True)
class Levels:
    """Sets of values, most interpretable first, each with its penalty; 0 lies in one of them.

    >>> levels = Levels.of([([-1, 1], 0.01), ([-10, -5, 5, 10], 0.02)])
    >>> str(levels.penalty(Fraction(5))), str(levels.penalty(Fraction(0)))
    ('1/50', '0')
    """

    levels: tuple[tuple[CoefficientSet, Fraction], ...]

    @classmethod
    def of(cls, given: object, name: str | None = None) -> "Levels":
        """Read ``[(values, penalty), ...]``; a level {0} of penalty 0 is put first where none holds 0."""
        whose = "levels" if name is None else f"levels of {name!r}"
        if isinstance(given, Levels):
            return given
        if not isinstance(given, list | tuple) or not given:
            raise InvalidProblemError(f"{whose}: {given!r} is no list of levels; {_FORM}")
        levels = [_read_level(level, f"{whose}: level {r}") for r, level in enumerate(given, start=1)]
        count = sum(len(values) for values, _ in levels)
        if count > _MOST_VALUES:
            raise InvalidProblemError(
                f"{whose}: {count} values are too many; give levels of {_MOST_VALUES} values at the most"
            )
        _check_apart(levels, whose)
        if not any(0 in values for values, _ in levels):
            if levels[0][1] == 0:
                raise InvalidProblemError(
                    f"{whose}: the first level has the penalty 0, that of the level {{0}} below it; "
                    "raise it, or put 0 into that level"
                )
            levels.insert(0, (CoefficientSet.of([0]), Fraction(0)))
        for (_, lower), (values, higher) in pairwise(levels):
            if higher <= lower:
                raise InvalidProblemError(
                    f"{whose}: the level {values} has the penalty {higher}, which is not above {lower}, "
                    "that of the level before it; penalties must increase from level to level"
                )
        return cls(tuple(levels))

    def penalty(self, value: Fraction) -> Fraction:
        """What a coefficient of this value costs."""
        if value not in self._penalties:
            raise InvalidProblemError(f"the value {value} lies in no level; the levels allow {self.values}")
        return self._penalties[value]

    @cached_property
    def _penalties(self) -> dict[Fraction, Fraction]:
        return {v: penalty for values, penalty in self.levels for v in values.values}

    @cached_property
    def values(self) -> CoefficientSet:
        """The union of the levels: all values allowed."""
        return CoefficientSet.of(self._penalties)

    @property
    def penalties(self) -> tuple[Fraction, ...]:
        """The penalties, in rising order."""
        return tuple(penalty for _, penalty in self.levels)

    @cached_property
    def prefer_zero(self) -> bool:
        """Whether no value costs less than 0 does."""
        return 0 in self.levels[0][0]


_FORM = "give [(values, penalty), ...], such as [([-1, 1], 0.01), ([-2, 2], 0.02)]"


def _read_level(level: object, what: str) -> tuple[CoefficientSet, Fraction]:
    if not isinstance(level, tuple | list) or len(level) != 2:
        raise InvalidProblemError(f"{what} is {level!r}; {_FORM}")
    values = level[0] if isinstance(level[0], CoefficientSet) else CoefficientSet.of(level[0])
    penalty = exact(level[1], f"{what}: its penalty")
    if penalty < 0:
        raise InvalidProblemError(f"{what}: its penalty is {level[1]}, which is negative; give 0 or more")
    return values, penalty


def _check_apart(levels: list[tuple[CoefficientSet, Fraction]], whose: str) -> None:
    home: dict[Fraction, int] = {}
    for r, (values, _) in enumerate(levels, start=1):
        for value in values.values:
            if value in home:
                raise InvalidProblemError(
                    f"{whose}: the value {value} lies in level {home[value]} and in level {r}; keep it in one"
                )
            home[value] = r


def read_levels(levels: object, names: tuple[str, ...]) -> tuple[Levels | None, ...]:
    """Return the levels of each feature and, at the end, of the intercept; None where C0 says the penalty.

    One list of levels serves all. A mapping gives them by name or pattern, as `coef_set` does.
    """
    if levels is None:
        return (None,) * (len(names) + 1)
    if not isinstance(levels, Mapping):
        return (Levels.of(levels),) * (len(names) + 1)

    def read(value: object, name: str) -> Levels | None:
        return None if value is None else Levels.of(value, name)

    own = per_feature(
        levels, names, what="levels", read=read, default=lambda _: None, extra_keys=[INTERCEPT, "*"]
    )
    return (*own, read(levels.get(INTERCEPT, levels.get("*")), INTERCEPT))
