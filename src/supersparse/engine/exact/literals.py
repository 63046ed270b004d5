"""Literals: a feature together with the sign of its coefficient.

A model's signed support is a set of literals, at most one per feature. Literal 2·f means "feature f with a
positive coefficient", and 2·f + 1 "with a negative one", so an array over literals has the two of each
feature side by side. Only this file and the kernels know the numbering: compiled loops cannot call this file.

Limits on the support, on signs and on the largest score, for the tree over signed supports.

The first and the last become Σ_{l in the model} weight_l <= most, over literals. A limit on the support
has one weight for both signs of a feature. A limit on the largest score is linear in the magnitudes,
Σ_f rate_l·|λ_f|, because max(λ·low, λ·high) is λ·high for λ > 0 and |λ|·(-low) for λ < 0; the
weight of a literal is then its smallest share. A limit on signs excludes pairs of literals.

Exchanges: models that need not be searched, because another one is as good.

Twins are columns that every model can swap. Beyond that, a literal can have a better one: where column g is
no smaller than column f on every positive row and no larger on every negative one, g with + does whatever f
with + does, and more. (The other way round for -.) Thresholds of one variable are often such columns: when no
positive row lies between two cuts, the points of the lower one may as well be given from the upper one on.
Let f and g have the same set, penalties and limits.

- A model with f at v > 0 and without g: g at v instead makes no row wrong that was right, so F, l1 and size
  are no worse.
- A model with f at v > 0 and g at w < 0: f at 0 and g at v + w makes no row wrong either, and F, l1 and size
  are smaller or equal. It must be allowed: every whole number of units between two values of the set is
  in the set, 0 too, and no limit asks for more features.

Each step lowers the size or moves to a better literal, or among equally good ones to the first, so some best
model has (f, +) only together with (g, +). What it stands for can be reached by adding (g, +) first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import NewType, TypeVar

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, IntArray, Ints, largest_magnitude
from supersparse.base.stop import check_deadline
from supersparse.engine.integer_form import IntegerForm
from supersparse.problem.limits import ScoreLimit, SupportLimit, in_whole_numbers
from supersparse.problem.problem import Problem

Literal = NewType("Literal", int)
Literals = tuple[Literal, ...]
_Scalar = TypeVar("_Scalar", bound=np.generic)

SIGNS = (1, -1)
"""The signs of a feature's two literals, in the order of their numbers."""


def positive_literal(feature: int) -> Literal:
    return Literal(2 * feature)


def negative_literal(feature: int) -> Literal:
    return Literal(2 * feature + 1)


def both_literals(feature: int) -> tuple[Literal, Literal]:
    """The two literals of a feature, positive first."""
    return positive_literal(feature), negative_literal(feature)


def feature_of(literal: Literal) -> int:
    return literal // 2


def is_negative(literal: Literal) -> bool:
    return literal % 2 == 1


def sign_of(literal: Literal) -> int:
    return -1 if is_negative(literal) else 1


def n_literals(n_features: int) -> int:
    """The length of an array over literals."""
    return 2 * n_features


def literals_where(flags: Flags) -> Literals:
    """The literals whose flag is set, ascending."""
    return tuple(Literal(literal) for literal in np.flatnonzero(flags).tolist())


def flags_of(literals: Iterable[Literal], n_features: int) -> Flags:
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
        side=np.array(
            [[sign * together for together in limit.together for sign in SIGNS] for limit in form.problem.sign_limits],
            np.int8,
        ).reshape(-1, n),
        is_complete=len(rows) == len(form.problem.support_limits) + len(form.problem.score_limits),
    )


def _of_support(limit: SupportLimit, uses_b: bool) -> tuple[Ints, int] | None:
    weights, most = in_whole_numbers(limit.weights, limit.at_most - (limit.intercept_weight if uses_b else 0))
    return _row([w for w in weights for _ in SIGNS], most)


def _of_score(limit: ScoreLimit, form: IntegerForm) -> tuple[Ints, int] | None:
    rates = [rate for low, high in zip(limit.low, limit.high, strict=True) for rate in (high, -low)]
    reach = max((values.largest for values in form.values), default=1)
    row = _row(*in_whole_numbers(rates, limit.at_most * form.problem.unit))
    return None if row is None or int(np.abs(row[0]).sum()) * reach > _LARGEST else row


def _least_share(rate: Ints, form: IntegerForm) -> Ints:
    share = np.zeros_like(rate)
    for f, values in enumerate(form.values):
        for literal, magnitudes in zip(both_literals(f), (values.positive, values.negative), strict=True):
            if len(magnitudes):
                per_unit = int(rate[literal])
                share[literal] = per_unit * (magnitudes[0] if per_unit > 0 else magnitudes.largest)
    return share


def _row(weights: Sequence[int], most: int) -> tuple[Ints, int] | None:
    if sum(map(abs, weights)) > _LARGEST:
        return None
    return np.array(weights, np.int64), max(-_LARGEST, min(_LARGEST, most))


_SAMPLE = 64  # rows of a class that all pairs of columns are compared on first
_MOST_COMPARISONS = 200_000_000  # of entries: beyond that, further pairs are left alone
_AT_ONCE = 2**20  # entries of other columns that are compared at once
_MOST_FEATURES = 1500


def _content(column: IntArray) -> object:
    """A key of a column's numbers: equal numbers have equal keys, whatever their type."""
    if column.dtype == object and largest_magnitude(column) >= 2**63:
        return tuple(column.tolist())
    return column.astype(np.int64).tobytes()


def _terms(problem: Problem, f: int) -> tuple[object, ...]:
    """The properties that two columns must share before one can stand for the other."""
    return (
        problem.sets[f],
        problem.C0[f],
        problem.levels[f],
        problem.rows.scales[f],
        *(limit.weights[f] for limit in problem.support_limits),
        *(limit.together[f] for limit in problem.sign_limits),
        *((limit.low[f], limit.high[f]) for limit in problem.score_limits),
    )


def twins(problem: Problem) -> tuple[int, ...]:
    """Find interchangeable columns; each points to the one that must be used before it.

    Two columns are twins when set, penalties and limits agree and the columns are equal, or, with a
    free threshold, differ (or, with symmetric sets, add up) by a constant. Any
    model can then swap them without changing F, l1 or what is limited, so models that use a twin before its
    partner need not be searched. Using both stays allowed: together they reach twice the range.
    """
    rows = problem.rows
    latest: dict[tuple[object, ...], int] = {}
    result = []
    for f in range(problem.n_features):
        check_deadline()
        column = rows.columns[f]
        alike = _terms(problem, f)
        if problem.intercept.mode != "free":
            keys: list[tuple[object, ...]] = [(*alike, _content(column))]
        else:
            wide = column.astype(object if largest_magnitude(column) > 2**61 else np.int64)
            keys = [(*alike, _content(wide - wide.min()))]
            has_a_sign = problem.score_limits or any(limit.together[f] for limit in problem.sign_limits)
            if problem.sets[f].is_symmetric and problem.levels[f] is None and not has_a_sign:
                keys.append((*alike, _content(wide.max() - wide)))
        known = next((k for k in keys if k in latest), None)
        result.append(-1 if known is None else latest[known])
        latest[keys[0] if known is None else known] = f
    return tuple(result)


def first_literals(form: IntegerForm) -> tuple[int, ...]:
    """For each literal one that is as good and must be in the model first, or -1: see the top of the file.

    Of several better ones, the one with the most above it is taken: each of those must be used as well.
    """
    below = _below(form)
    after = np.full(n_literals(form.n_features), -1)
    index = np.arange(form.n_features)
    for literal_of, worse in ((positive_literal, below), (negative_literal, below.T)):
        yields = worse & (~worse.T | (index[None, :] < index[:, None]))
        above = yields.sum(axis=1)
        for f in np.flatnonzero(above):
            better = np.flatnonzero(yields[f])
            after[literal_of(int(f))] = literal_of(int(better[np.argmax(above[better])]))
    return tuple(after.tolist())


def _below(form: IntegerForm) -> Flags:
    """Which column f may yield to which g with +: (f, g)."""
    problem, n = form.problem, form.n_features
    below = np.zeros((n, n), bool)
    if problem.rate_limits or not 1 < n <= _MOST_FEATURES:
        return below
    groups: dict[tuple[object, ...], list[int]] = {}
    for f in range(n):
        if _may_merge(form, f):
            groups.setdefault(_terms(problem, f), []).append(f)
    positive = problem.rows.positive
    up, down = np.flatnonzero(positive), np.flatnonzero(~positive)
    left = _MOST_COMPARISONS // max(1, len(positive))
    for group in groups.values():
        columns = [_narrow(problem.rows.columns[f]) for f in group]
        high, low = ([column[rows] for column in columns] for rows in (up, down))
        some_high, some_low = (
            np.array([column[:: len(column) // _SAMPLE + 1] for column in part]).T for part in (high, low)
        )
        for at, f in enumerate(group):
            check_deadline()
            if left == 0:
                return below
            likely = np.all(some_high[:, at, None] <= some_high, axis=0)
            likely &= np.all(some_low[:, at, None] >= some_low, axis=0)
            likely[at] = False
            others = np.flatnonzero(likely)[:left]
            left -= len(others)
            for compare, part in ((np.less_equal, high), (np.greater_equal, low)):
                others = others[_hold_everywhere(compare, part, at, others)]
            below[f, [group[other] for other in others]] = True
    return below


def _narrow(column: IntArray) -> IntArray:
    """The same numbers in as few bytes as hold them, which are compared faster."""
    if column.dtype == object or len(column) == 0:
        return column
    least, most = int(column.min()), int(column.max())
    kinds: tuple[type[np.signedinteger], ...] = (np.int8, np.int16, np.int32)
    for kind in kinds:
        if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max:
            return column.astype(kind)
    return column


def _hold_everywhere(compare: np.ufunc, columns: list[IntArray], at: int, others: NDArray[np.intp]) -> Flags:
    """For which other columns a comparison with one of them holds in every row."""
    step = max(1, _AT_ONCE // max(1, len(columns[at])))
    holds = np.ones(len(others), bool)
    for start in range(0, len(others), step):
        theirs = np.array([columns[other] for other in others[start : start + step]])
        holds[start : start + step] = np.all(compare(columns[at], theirs), axis=1)
    return holds


def _may_merge(form: IntegerForm, f: int) -> bool:
    """Whether points of f can be moved to another column where that is used with the other sign."""
    values, problem = form.values[f], form.problem
    sides = [values.of_sign(sign) for sign in SIGNS]
    return (
        values.has_zero
        and problem.levels[f] is None
        and all(len(side) == 0 or side.is_full for side in sides)
        and all(limit.weights[f] >= 0 for limit in problem.support_limits)
    )


def n_supports(allowed: Flags, most: int) -> int:
    """How many signed supports of 1 to `most` features these literals have.

    >>> n_supports(np.array([True, True, True, False]), 2)  # three of one feature, two of two
    5
    """
    signs = allowed.reshape(-1, 2).sum(axis=1)
    return _n_supports(int((signs == 2).sum()), int((signs == 1).sum()), most)


@lru_cache(maxsize=10_000)
def _n_supports(both: int, one: int, most: int) -> int:
    if most >= both + one:
        return int(3**both * 2**one - 1)
    sizes = range(1, most + 1)
    return sum(comb(both, j) * 2**j * comb(one, size - j) for size in sizes for j in range(size + 1))
