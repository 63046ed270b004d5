"""Literals: a feature together with the sign of its coefficient.

A model's signed support is a set of literals, at most one per feature. Literal 2·f means "feature f with a
positive coefficient", and 2·f + 1 "with a negative one", so an array over literals has the two of each
feature side by side. Only this file and the kernels know the numbering: compiled loops cannot call this file.

Limits on the support, on signs and on the largest score, for the tree over signed supports.

The first and the last become Σ_{l in the model} weight_l <= most, over literals. A limit on the support
has one weight for both signs of a feature. A limit on the largest score is linear in the magnitudes,
Σ_f rate_l·|λ_f|, because max(λ·low, λ·high) is λ·high for λ > 0 and |λ|·(-low) for λ < 0; the
weight of a literal is then its smallest share. A limit on signs excludes pairs of literals.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from typing import NewType, TypeVar

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.integer_form import IntegerForm
from supersparse.problem.limits import ScoreLimit, SignLimit, SupportLimit

Literal = NewType("Literal", int)
Literals = tuple[Literal, ...]
_Scalar = TypeVar("_Scalar", bound=np.generic)

SIGNS = (1, -1)
"""The signs of a feature's two literals, in the order of their numbers."""


def positive_literal(feature: int) -> Literal:
    """Feature with a positive coefficient."""
    return Literal(2 * feature)


def negative_literal(feature: int) -> Literal:
    """Feature with a negative coefficient."""
    return Literal(2 * feature + 1)


def both_literals(feature: int) -> tuple[Literal, Literal]:
    """The two literals of a feature, positive first."""
    return positive_literal(feature), negative_literal(feature)


def feature_of(literal: Literal) -> int:
    """The feature of a literal."""
    return literal // 2


def is_negative(literal: Literal) -> bool:
    """Whether a literal means a negative coefficient."""
    return literal % 2 == 1


def sign_of(literal: Literal) -> int:
    """1 for a positive coefficient, -1 for a negative one."""
    return -1 if is_negative(literal) else 1


def n_literals(n_features: int) -> int:
    """The length of an array over literals."""
    return 2 * n_features


def literals_where(flags: NDArray[np.bool_]) -> Literals:
    """The literals whose flag is set, ascending."""
    return tuple(Literal(literal) for literal in np.flatnonzero(flags).tolist())


def flags_of(literals: Iterable[Literal], n_features: int) -> NDArray[np.bool_]:
    """An array over literals that is True for these."""
    flags = np.zeros(n_literals(n_features), bool)
    flags[list(literals)] = True
    return flags


def by_feature(per_literal: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """View an array over literals as (features, 2): column 0 positive, column 1 negative."""
    return per_literal.reshape(-1, 2)


def for_both_signs(per_feature: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Give both literals of each feature the feature's value."""
    return np.repeat(per_feature, 2)


Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_LARGEST = 2**60


@dataclass(frozen=True, eq=False)
class LiteralLimits:
    """Σ weight_l <= most over the literals of a model; `rate` and `points` for limits on the score.

    For limits on signs, `side` is 1 for a positive literal of a limited feature, -1 for a negative one and 0
    for all others: a model has none of one side.
    """

    weight: Ints  # (limits, literals): the smallest amount that a literal counts
    most: Ints
    rate: Ints  # (limits on the score, literals): what one unit of magnitude counts
    points: Ints  # what they may come to
    side: NDArray[np.int8]  # (limits on signs, literals)
    is_complete: bool  # whether all limits fit 64 bits; the evaluator always checks them all

    def __bool__(self) -> bool:
        return len(self.most) > 0 or len(self.side) > 0


def literal_limits(form: IntegerForm, *, uses_b: bool) -> LiteralLimits:
    """Convert a problem's limits to 64 bits; limits that do not fit are left to the evaluator."""
    n = n_literals(form.n_features)
    rows: list[tuple[Ints, int]] = []
    for limit in form.problem.support_limits:
        row = _of_support(limit, uses_b)
        if row is not None:
            rows.append(row)
    rates: list[tuple[Ints, int]] = []
    for score in form.problem.score_limits:
        rate = _of_score(score, form)
        if rate is not None:
            rates.append(rate)
            rows.append((_least_share(rate[0], form), rate[1]))
    return LiteralLimits(
        weight=np.array([w for w, _ in rows], np.int64).reshape(-1, n),
        most=np.array([m for _, m in rows], np.int64),
        rate=np.array([r for r, _ in rates], np.int64).reshape(-1, n),
        points=np.array([m for _, m in rates], np.int64),
        side=np.array([_sides_of(limit) for limit in form.problem.sign_limits], np.int8).reshape(-1, n),
        is_complete=len(rows) == len(form.problem.support_limits) + len(form.problem.score_limits),
    )


def _sides_of(limit: SignLimit) -> list[int]:
    return [sign if member else 0 for member in limit.together for sign in SIGNS]


def _of_support(limit: SupportLimit, uses_b: bool) -> tuple[Ints, int] | None:
    weights = [Fraction(w) for w in limit.weights]
    unit = lcm(*(w.denominator for w in weights))
    left = limit.at_most - (limit.intercept_weight if uses_b else 0)
    return _row([w * unit for w in weights for _ in SIGNS], floor(left * unit))


def _of_score(limit: ScoreLimit, form: IntegerForm) -> tuple[Ints, int] | None:
    rates = [rate for low, high in zip(limit.low, limit.high, strict=True) for rate in (high, -low)]
    unit = lcm(*(rate.denominator for rate in rates))
    reach = max((values.largest for values in form.values), default=1)
    most = floor(limit.at_most * unit * form.problem.unit)
    row = _row([rate * unit for rate in rates], most)
    return None if row is None or int(np.abs(row[0]).sum()) * reach > _LARGEST else row


def _least_share(rate: Ints, form: IntegerForm) -> Ints:
    share = np.zeros_like(rate)
    for f, values in enumerate(form.values):
        for literal, magnitudes in zip(both_literals(f), (values.positive, values.negative), strict=True):
            if len(magnitudes):
                per_unit = int(rate[literal])
                share[literal] = per_unit * (magnitudes[0] if per_unit > 0 else magnitudes.largest)
    return share


def _row(weights: list[Fraction], most: int) -> tuple[Ints, int] | None:
    whole = [int(w) for w in weights]
    if sum(map(abs, whole)) > _LARGEST:
        return None
    return np.array(whole, np.int64), max(-_LARGEST, min(_LARGEST, most))
