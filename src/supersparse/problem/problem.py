"""Problem: what is asked, frozen.

    minimise  F = (1/N) Σ_i s_i·W(y_i)·1[y_i·(x_i·λ + b) <= 0]  +  Σ_j C0_j·1[λ_j ≠ 0]  (+ C1·‖λ‖1)

over λ_j in the coefficient set of feature j and the allowed intercepts b, with N = Σ s_i.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from supersparse.errors import InfeasibleError, InvalidProblemError
from supersparse.problem.coefficients import CoefficientSet, integers
from supersparse.problem.decimals import exact
from supersparse.problem.intercept import Intercept, read_intercept
from supersparse.problem.naming import INTERCEPT, per_feature
from supersparse.problem.rows import Rows, read_rows

NOTHING_ALLOWED_BUT_ZERO = CoefficientSet((Fraction(0),))


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """A SLIM problem. Make one with `Problem.of`; every number in it is exact."""

    rows: Rows
    sets: tuple[CoefficientSet, ...]
    C0: tuple[Fraction, ...]
    C1: Fraction | None  # None: ties in F are broken by the least l1, exactly
    max_features: int | None
    intercept: Intercept
    intercept_C0: Fraction  # noqa: N815  # paid for b != 0, with intercept="paper" only
    class_weights: tuple[Fraction, Fraction]  # (negative, positive)

    @classmethod
    def of(
        cls,
        X: object,
        y: object,
        *,
        C0: object = 0.01,
        C1: object = "auto",
        coef_set: object = None,
        max_coef: int = 100,
        bounds: object = None,
        max_features: int | None = None,
        intercept: object = "free",
        class_weight: object = None,
        sample_weight: object = None,
        feature_names: Sequence[str] | None = None,
        positive: object = None,
    ) -> "Problem":
        """Read data and settings; everything wrong with them is said here, before any solving.

        `coef_set`, `bounds` and `C0` take one value for all features, one for each, or a
        mapping by name or pattern (``{"age*": non_negative(5)}``).

        >>> problem = Problem.of([[0], [1]], [0, 1], C0=0.1, max_coef=5)
        >>> problem.sets[0]
        CoefficientSet(-5, -4, -3, ..., 3, 4, 5; 11 values)
        """
        rows = read_rows(X, y, sample_weight=sample_weight, feature_names=feature_names, positive=positive)
        sets, intercept_set = _read_sets(coef_set, max_coef, bounds, rows.names)
        intercept_rule = read_intercept(intercept, intercept_set)
        penalties, intercept_penalty = _read_size_penalty(C0, rows.names, intercept_rule)
        problem = cls(
            rows=rows,
            sets=_without_useless_columns(rows, sets, intercept_rule),
            C0=penalties,
            C1=_read_l1_penalty(C1),
            max_features=_read_max_features(max_features),
            intercept=intercept_rule,
            intercept_C0=intercept_penalty,
            class_weights=_read_class_weight(class_weight, rows),
        )
        problem.check_feasible()
        return problem

    @property
    def n_features(self) -> int:
        """Number of features, the intercept not counted."""
        return self.rows.n_features

    @cached_property
    def unit(self) -> int:
        """The common denominator q: all coefficients and b are integers over q."""
        denominators = [s.denominator for s in set(self.sets)]
        if self.intercept.allowed is not None:
            denominators.append(self.intercept.allowed.denominator)
        return math.lcm(*denominators)

    @cached_property
    def score_step(self) -> int:
        """The common scale D of the columns: scores are integers over unit·D."""
        return math.lcm(*self.rows.scales)

    @cached_property
    def total_weight(self) -> int:
        """Σ of the integer row weights: N in units of the rows' weight unit."""
        return int(self.rows.weights.sum(dtype=object))

    @cached_property
    def ignored(self) -> tuple[int, ...]:
        """Constant columns that an intercept makes useless; their coefficient is 0."""
        return tuple(
            j
            for j, constant in enumerate(self.rows.constant)
            if constant and self.sets[j] == NOTHING_ALLOWED_BUT_ZERO
        )

    @cached_property
    def forced(self) -> tuple[int, ...]:
        """Features whose set leaves out 0: they are in every feasible model."""
        return tuple(j for j, s in enumerate(self.sets) if 0 not in s)

    def check_feasible(self) -> None:
        """Raise when no scoring system can obey the sets and the size limit."""
        intercept_forced = self.intercept.allowed is not None and 0 not in self.intercept.allowed
        needed = len(self.forced) + intercept_forced
        if self.max_features is not None and needed > self.max_features:
            raise InfeasibleError(
                f"{needed} coefficient set(s) leave out 0 but max_features is {self.max_features}; "
                f"allow 0 for some of {[self.rows.names[j] for j in self.forced]} or raise max_features"
            )
        if self.intercept.mode == "range":
            assert self.intercept.low is not None
            assert self.intercept.high is not None
            low, high = self.intercept.low * self.unit, self.intercept.high * self.unit
            if math.ceil(low) > math.floor(high):
                raise InfeasibleError(
                    f"no multiple of 1/{self.unit} lies in the intercept's range "
                    f"({self.intercept.low}, {self.intercept.high}); widen it"
                )


def _read_sets(
    coef_set: object, max_coef: object, bounds: object, names: tuple[str, ...]
) -> tuple[tuple[CoefficientSet, ...], CoefficientSet]:
    largest = _whole(max_coef)
    if largest is None or largest < 1:
        raise InvalidProblemError(f"max_coef is {max_coef!r}; give a whole number of at least 1")
    default = integers(largest)

    def read(value: object, name: str) -> CoefficientSet:
        if value is None:
            return default
        if isinstance(value, CoefficientSet):
            return value
        largest = _whole(value)
        if largest is not None:
            return integers(largest)
        return CoefficientSet.of(value)  # type: ignore[arg-type]

    if isinstance(coef_set, Mapping):
        sets = per_feature(
            coef_set,
            names,
            what="coef_set",
            read=read,
            default=lambda _: default,
            extra_keys=[INTERCEPT, "*"],
        )
        intercept_set = read(coef_set.get(INTERCEPT, coef_set.get("*")), INTERCEPT)
    elif isinstance(coef_set, list | tuple) and any(_is_a_set(v) for v in coef_set):
        sets = per_feature(coef_set, names, what="coef_set", read=read)
        intercept_set = default
    else:
        intercept_set = read(coef_set, INTERCEPT)
        sets = (intercept_set,) * len(names)
    if bounds is None:
        return sets, intercept_set
    pairs = _read_bounds(bounds, names)
    return tuple(
        s if pair is None else s.within(pair[0], pair[1], name)
        for s, pair, name in zip(sets, pairs, names, strict=True)
    ), intercept_set


def _is_a_set(value: object) -> bool:
    """Whether an entry of a list speaks of one feature's set, not of one value."""
    return value is None or isinstance(
        value, CoefficientSet | list | tuple | range | set | frozenset | np.ndarray
    )


def _whole(value: object) -> int | None:
    """Return a whole number, numpy's included, as Python's; None for anything else."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__") or isinstance(value, np.ndarray):
        return None
    return int(value.__index__())


def _read_bounds(
    bounds: object, names: tuple[str, ...]
) -> tuple[tuple[float | None, float | None] | None, ...]:
    def read(value: object, name: str) -> tuple[float | None, float | None] | None:
        if value is None:
            return None
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise InvalidProblemError(f"feature {name!r}: the bounds are {value!r}; give a pair (low, high)")
        return value[0], value[1]

    if isinstance(bounds, tuple) and len(bounds) == 2 and not isinstance(bounds[0], tuple | list):
        return (read(bounds, "all"),) * len(names)
    return per_feature(bounds, names, what="bounds", read=read, default=lambda _: None, extra_keys=["*"])


def _read_size_penalty(
    C0: object, names: tuple[str, ...], intercept: Intercept
) -> tuple[tuple[Fraction, ...], Fraction]:
    def read(value: object, name: str) -> Fraction:
        return _non_negative(value, "C0" if not isinstance(C0, Mapping) else f"C0 of {name!r}")

    if isinstance(C0, np.ndarray) and C0.ndim == 1:
        C0 = list(C0)
    penalties = per_feature(C0, names, what="C0", read=read, extra_keys=[INTERCEPT, "*"])
    if not intercept.is_penalised:
        return penalties, Fraction(0)
    if isinstance(C0, Mapping):
        given = C0.get(INTERCEPT, C0.get("*"))
        if given is None:
            raise InvalidProblemError(
                f"intercept='paper' penalises the intercept too; give C0 a key {INTERCEPT!r}"
            )
        return penalties, read(given, INTERCEPT)
    if isinstance(C0, Sequence) and not isinstance(C0, str):
        raise InvalidProblemError(
            f"intercept='paper' penalises the intercept too; give C0 as a mapping with a key {INTERCEPT!r}"
        )
    return penalties, read(C0, INTERCEPT)


def _read_l1_penalty(C1: object) -> Fraction | None:
    if isinstance(C1, str):
        if C1 == "auto":
            return None
        raise InvalidProblemError(f"C1 is {C1!r}; give 'auto', or a number of at least 0")
    return _non_negative(C1, "C1")


def _non_negative(value: object, what: str) -> Fraction:
    number = exact(value, what)
    if number < 0:
        raise InvalidProblemError(f"{what} is {value}, which is negative; give 0 or more")
    return number


def _read_max_features(value: object) -> int | None:
    if value is None:
        return None
    number = _whole(value)
    if number is None or number < 0:
        raise InvalidProblemError(f"max_features is {value!r}; give a whole number of at least 0, or None")
    return number


def _read_class_weight(class_weight: object, rows: Rows) -> tuple[Fraction, Fraction]:
    """Return (W-, W+); "balanced" gives each class half of the total weight (appendix B)."""
    if class_weight is None:
        return Fraction(1), Fraction(1)
    negative, positive = rows.classes
    if isinstance(class_weight, str) and class_weight == "balanced":
        total = int(rows.weights.sum(dtype=object))
        of_positive = int(rows.weights[rows.positive].sum(dtype=object))
        return Fraction(total, 2 * (total - of_positive)), Fraction(total, 2 * of_positive)
    if not isinstance(class_weight, Mapping):
        raise InvalidProblemError(
            f"class_weight is {class_weight!r}; use None, 'balanced' or {{label: weight}}"
        )
    for label in class_weight:
        if label not in (negative, positive):
            raise InvalidProblemError(
                f"class_weight names the class {label!r}; the classes are {negative!r} and {positive!r}"
            )
    weights = tuple(_non_negative(class_weight.get(c, 1), f"the weight of class {c!r}") for c in rows.classes)
    if not any(weights):
        raise InvalidProblemError("both class weights are 0; give at least one class a positive weight")
    return weights[0], weights[1]


def _without_useless_columns(
    rows: Rows, sets: tuple[CoefficientSet, ...], intercept: Intercept
) -> tuple[CoefficientSet, ...]:
    """Allow nothing but 0 for constant columns: the intercept does their work.

    Without an intercept only an all-zero column is useless. A set that leaves out 0 is the
    user's word and stays.
    """
    has_intercept = intercept.mode != "none"
    return tuple(
        NOTHING_ALLOWED_BUT_ZERO if constant and 0 in s and (has_intercept or largest == 0) else s
        for s, constant, largest in zip(sets, rows.constant, rows.magnitudes, strict=True)
    )
