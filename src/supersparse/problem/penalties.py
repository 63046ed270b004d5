"""Costs: C0, C1, class weights, and levels of interpretability."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import isfinite

import numpy as np

from supersparse.base.errors import InvalidProblemError, did_you_mean
from supersparse.base.exact import exact, read_non_negative
from supersparse.problem.intercept import Intercept
from supersparse.problem.naming import INTERCEPT, per_feature
from supersparse.problem.points import CoefficientSet
from supersparse.problem.rows import Rows
from supersparse.table.small_table import SmallTable, Tabular, number

_MOST_VALUES = 100_000


@dataclass(frozen=True, repr=False)
class Levels(Tabular):
    """Sets of values, most interpretable first, each with a penalty; 0 is in one of them.

    >>> levels = Levels.of([([-1, 1], 0.01), ([-10, -5, 5, 10], 0.02)])
    >>> str(levels.penalty(Fraction(5))), str(levels.penalty(Fraction(0)))
    ('1/50', '0')
    """

    levels: tuple[tuple[CoefficientSet, Fraction], ...]

    @classmethod
    def of(cls, listed: object, name: str | None = None) -> "Levels":
        """Read ``[(values, penalty), ...]``; a level {0} with penalty 0 is added if no level contains 0."""
        whose = "levels" if name is None else f"levels of {name!r}"
        if isinstance(listed, Levels):
            return listed
        if not isinstance(listed, list | tuple) or not listed:
            raise InvalidProblemError(f"{whose}: {listed!r} is not a list of levels", _FORM, subject=whose)
        levels = [_read_level(level, f"{whose}: level {r}") for r, level in enumerate(listed, start=1)]
        count = sum(len(values) for values, _ in levels)
        if count > _MOST_VALUES:
            raise InvalidProblemError(f"{whose}: {count} values are too many", f"the maximum is {_MOST_VALUES}")
        _check_disjoint(levels, whose)
        if not any(0 in values for values, _ in levels):
            if levels[0][1] == 0:
                raise InvalidProblemError(
                    f"{whose}: the first level has the penalty 0, like the level {{0}} below it",
                    "raise the penalty, or put 0 into that level",
                )
            levels.insert(0, (CoefficientSet.of([0]), Fraction(0)))
        for (_, lower), (values, higher) in pairwise(levels):
            if higher <= lower:
                raise InvalidProblemError(
                    f"{whose}: the level {values} has the penalty {higher}, and the level before it {lower}",
                    "penalties must increase from level to level",
                )
        return cls(tuple(levels))

    def penalty(self, value: Fraction) -> Fraction:
        """The penalty of this value."""
        if value not in self._penalties:
            raise InvalidProblemError(f"the value {value} is in no level", f"the levels allow {self.values}")
        return self._penalties[value]

    @cached_property
    def _penalties(self) -> dict[Fraction, Fraction]:
        return {v: penalty for values, penalty in self.levels for v in values.values}

    @cached_property
    def values(self) -> CoefficientSet:
        """All allowed values: the union of the levels."""
        return CoefficientSet.of(self._penalties)

    @property
    def penalties(self) -> tuple[Fraction, ...]:
        """The penalties, ascending."""
        return tuple(penalty for _, penalty in self.levels)

    @cached_property
    def prefer_zero(self) -> bool:
        """Whether no value costs less than 0."""
        return 0 in self.levels[0][0]

    def _brief(self) -> str:
        return "; ".join(f"{values._brief()} at {number(penalty)}" for values, penalty in self.levels)

    def _small_table(self) -> SmallTable:
        rows = [(values._brief(), number(penalty)) for values, penalty in self.levels]
        return SmallTable(("points", "penalty"), rows)


_FORM = "give [(values, penalty), ...], such as [([-1, 1], 0.01), ([-2, 2], 0.02)]"


def _read_level(level: object, what: str) -> tuple[CoefficientSet, Fraction]:
    if not isinstance(level, tuple | list) or len(level) != 2:
        raise InvalidProblemError(subject=what, value=level, remedy=_FORM)
    values = level[0] if isinstance(level[0], CoefficientSet) else CoefficientSet.of(level[0])
    penalty = exact(level[1], f"{what}: its penalty")
    if penalty < 0:
        raise InvalidProblemError(f"{what}: its penalty is {level[1]}, which is negative", "give 0 or more")
    return values, penalty


def _check_disjoint(levels: list[tuple[CoefficientSet, Fraction]], whose: str) -> None:
    home: dict[Fraction, int] = {}
    for r, (values, _) in enumerate(levels, start=1):
        for value in values.values:
            if value in home:
                raise InvalidProblemError(
                    f"{whose}: the value {value} is in level {home[value]} and in level {r}", "keep only one"
                )
            home[value] = r


def read_levels(levels: object, names: tuple[str, ...]) -> tuple[Levels | None, ...]:
    """Return the levels of each feature and, last, of the intercept; None where C0 applies.

    One list of levels applies to all features. A mapping sets them by name or pattern, like `points`.
    """
    if levels is None:
        return (None,) * (len(names) + 1)
    if not isinstance(levels, Mapping):
        return (Levels.of(levels),) * (len(names) + 1)

    def read(value: object, name: str) -> Levels | None:
        return None if value is None else Levels.of(value, name)

    of_features = per_feature(
        levels, names, what="levels", read=read, default=lambda _: None, extra_keys=[INTERCEPT, "*"]
    )
    return (*of_features, read(levels.get(INTERCEPT, levels.get("*")), INTERCEPT))


DEFAULT_C0 = Fraction(1, 100)


def read_size_penalty(
    C0: object, names: tuple[str, ...], intercept: Intercept, levels: tuple[Levels | None, ...] = ()
) -> tuple[tuple[Fraction, ...], Fraction]:
    """Return C0 of each feature and of the intercept; 0 where levels apply."""
    if any(levels):
        return _for_features_without_levels(C0, names, intercept, levels)
    if C0 is None:
        C0 = DEFAULT_C0

    def read(value: object, name: str) -> Fraction:
        return read_non_negative(value, "C0" if not isinstance(C0, Mapping) else f"C0 of {name!r}")

    if isinstance(C0, np.ndarray) and C0.ndim == 1:
        C0 = list(C0)
    penalties = per_feature(C0, names, what="C0", read=read, extra_keys=[INTERCEPT, "*"])
    if not intercept.is_penalised:
        return penalties, Fraction(0)
    if isinstance(C0, Mapping):
        of_intercept = C0.get(INTERCEPT, C0.get("*"))
        if of_intercept is None:
            raise InvalidProblemError("intercept='paper' penalises the intercept too", f"give C0 a key {INTERCEPT!r}")
        return penalties, read(of_intercept, INTERCEPT)
    if isinstance(C0, Sequence) and not isinstance(C0, str):
        raise InvalidProblemError(
            "intercept='paper' penalises the intercept too", f"give C0 as a mapping with a key {INTERCEPT!r}"
        )
    return penalties, read(C0, INTERCEPT)


def _for_features_without_levels(
    C0: object, names: tuple[str, ...], intercept: Intercept, levels: tuple[Levels | None, ...]
) -> tuple[tuple[Fraction, ...], Fraction]:
    """Read C0 for the features without levels; the last of `levels` is the intercept's."""
    counted = (*names, INTERCEPT) if intercept.is_penalised else names
    plain = [name for name, of_features in zip(counted, levels, strict=False) if of_features is None]
    if C0 is not None and not plain:
        raise InvalidProblemError(
            f"C0 is {C0!r}, but all features have levels", "remove C0: the penalties of the levels replace it"
        )
    if C0 is not None and not isinstance(C0, Mapping) and np.ndim(C0):  # type: ignore[arg-type]
        first = next(name for name, of_features in zip(names, levels, strict=False) if of_features is not None)
        raise InvalidProblemError(
            f"C0 has one entry per feature, but {first!r} has levels",
            "give C0 as a number, or as a mapping by name, for the others",
        )
    if isinstance(C0, Mapping):
        for key in C0:
            if key in counted and key not in plain:
                raise InvalidProblemError(f"C0 names {key!r}, which has levels", "remove it from C0 or from levels")
    of_features, of_intercept = read_size_penalty(
        C0, tuple(n for n in plain if n != INTERCEPT), intercept if INTERCEPT in plain else Intercept(mode="free")
    )
    by_name = dict(zip((n for n in plain if n != INTERCEPT), of_features, strict=True))
    return tuple(by_name.get(name, Fraction(0)) for name in names), of_intercept


def read_l1_penalty(C1: object) -> Fraction | None:
    if isinstance(C1, str):
        if C1 == "auto":
            return None
        raise InvalidProblemError(subject="C1", value=C1, remedy="give 'auto' or a number of at least 0")
    return read_non_negative(C1, "C1")


def read_class_weight(class_weight: object, rows: Rows) -> tuple[Fraction, Fraction]:
    """Return (W-, W+); "balanced" gives each class half of the total weight (appendix B)."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "auto"):
        return Fraction(1), Fraction(1)
    negative, positive = rows.classes
    if isinstance(class_weight, str) and class_weight == "balanced":
        total = int(rows.weights.sum(dtype=object))
        of_positive = int(rows.weights[rows.positive].sum(dtype=object))
        return Fraction(total, 2 * (total - of_positive)), Fraction(total, 2 * of_positive)
    if not isinstance(class_weight, Mapping):
        raise InvalidProblemError(
            subject="class_weight", value=class_weight, remedy="use None, 'balanced' or {label: weight}"
        )
    for label in class_weight:
        if label not in (negative, positive):
            raise InvalidProblemError(
                f"class_weight names the class {label!r}", f"the classes are {negative!r} and {positive!r}"
            )
    weights = tuple(read_non_negative(class_weight.get(c, 1), f"the weight of class {c!r}") for c in rows.classes)
    if not any(weights):
        raise InvalidProblemError("both class weights are 0", "give at least one class a positive weight")
    return weights[0], weights[1]


def read_objective(
    objective: object, risk_threshold: object, class_weight: object, rows: Rows
) -> tuple[Fraction, Fraction]:
    """Return (W-, W+) of what is counted.

    Net benefit at a threshold t is (TP - FP·t/(1-t))/N, and TP is the number of positives less FN: it is
    largest where FP·t + FN·(1-t) is smallest. So the weights are 2t and 2(1-t), which are 1 at t = 1/2.

    >>> from supersparse.problem.rows import read_rows
    >>> rows = read_rows([[0], [1]], [0, 1])
    >>> [str(w) for w in read_objective("net_benefit", 0.2, "auto", rows)]
    ['2/5', '8/5']
    """
    threshold = check_objective(objective, risk_threshold, class_weight)
    return read_class_weight(class_weight, rows) if threshold is None else (2 * threshold, 2 * (1 - threshold))


def check_objective(objective: object, risk_threshold: object, class_weight: object) -> Fraction | None:
    """Check that these agree; return the threshold of a net benefit, None for errors."""
    if objective not in ("errors", "net_benefit"):
        raise InvalidProblemError(
            subject="objective", value=objective, remedy=did_you_mean(str(objective), ["errors", "net_benefit"])
        )
    if objective == "errors":
        if risk_threshold is not None:
            raise InvalidProblemError(
                f"risk_threshold is {risk_threshold}, but objective is 'errors'",
                "use objective='net_benefit' or goal='risk'",
            )
        return None
    if risk_threshold is None:
        raise InvalidProblemError("objective is 'net_benefit' without a threshold", "give risk_threshold, such as 0.2")
    threshold = read_risk_threshold(risk_threshold)
    if class_weight is not None and class_weight != "auto":
        raise InvalidProblemError(
            "objective='net_benefit' sets the class weights", "remove class_weight, or use objective='errors'"
        )
    return threshold


RISK_WANTED = "a number above 0 and below 1"


def read_risk_threshold(risk_threshold: object) -> Fraction:
    if isinstance(risk_threshold, float) and not isfinite(risk_threshold):
        raise InvalidProblemError(f"risk_threshold is {risk_threshold}", f"give {RISK_WANTED}")
    threshold = exact(risk_threshold, "risk_threshold")
    if not 0 < threshold < 1:
        raise InvalidProblemError(f"risk_threshold is {risk_threshold}", f"give {RISK_WANTED}")
    return threshold
