"""The values that the columns of a risk problem may have: indices, penalties, and terms of limits."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.integer_arrays import Flags, Floats, Ints
from supersparse.problem.limits import ScoreLimit, SupportLimit
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem

MOST_VALUES = 2001  # of one coefficient set
_ZERO = Fraction(0)
Values = tuple[Fraction, ...]


@dataclass(frozen=True)
class Choices:
    """The columns that can be used and their values, sorted and with 0; rows play no part."""

    kept: tuple[int, ...]  # columns of the problem
    values: tuple[Values, ...]
    table: Floats  # (columns, most values): the values, padded with the last
    zero: Ints  # the index of 0
    low: Ints  # range of each column, as indices into its values
    high: Ints
    penalty: Floats  # of each value, less what every card pays for the column
    base_penalty: Fraction  # paid by every card
    tables: Floats  # (limits, columns, most values): terms of the limits, less those of 0
    most: Floats  # (limits,): what they may add up to
    forced: Flags  # columns that every card uses
    least_cost: Floats  # least penalty of using each column


def choices_of(problem: Problem) -> Choices:
    """List the values; columns that cannot be used are left out.

    Copies of a column are kept: the points of two copies add up to more than one can have.
    """
    sets = problem.sets
    kept = tuple(j for j, s in enumerate(sets) if len(s) > 1 or (len(s) == 1 and next(iter(s.values)) != 0))
    for j in kept:
        if len(sets[j]) > MOST_VALUES:
            raise UnsupportedProblemError(
                f"feature {problem.rows.names[j]!r} has {len(sets[j])} possible values",
                f"the log loss needs at most {MOST_VALUES}: lower max_points or list the values",
            )
    _check_rates(problem)
    listed = {of_set: tuple(sorted({*of_set.values, _ZERO})) for of_set in {sets[j] for j in kept}}
    values = tuple(listed[sets[j]] for j in kept)
    ends = {s: (of_set.index(_ZERO), of_set.index(s.least), of_set.index(s.greatest)) for s, of_set in listed.items()}
    zero, low, high = np.array([ends[sets[j]] for j in kept], np.int64).reshape(len(kept), 3).T.copy()
    floats = {s: [float(v) for v in of_set] for s, of_set in listed.items()}
    penalty, base = _penalties(problem, kept, listed)
    tables, most = _limit_tables(problem, kept, values)
    return Choices(
        kept=kept,
        values=values,
        table=_padded([floats[sets[j]] for j in kept]),
        zero=zero,
        low=low,
        high=high,
        penalty=penalty,
        base_penalty=base,
        tables=tables,
        most=most,
        forced=np.array([0 not in sets[j] for j in kept], bool),
        least_cost=_least_costs(penalty, zero, low, high),
    )


def _padded(lists: list[list[float]]) -> Floats:
    widest = max((len(entries) for entries in lists), default=1)
    return np.array([entries + [entries[-1]] * (widest - len(entries)) for entries in lists]).reshape(
        len(lists), widest
    )


def _penalties(
    problem: Problem, kept: tuple[int, ...], listed: dict[CoefficientSet, Values]
) -> tuple[Floats, Fraction]:
    """Penalties of all values, less what every card pays for a column, and the sum of that over all columns.

    Every card pays at least the penalty of 0, or of the cheapest value of a column that it must use: relative to that,
    however large it is, a double distinguishes losses. Columns that share set, C0 and levels share the work.
    """
    known: dict[tuple[CoefficientSet, Fraction, Levels | None], tuple[Fraction, list[float]]] = {}
    lists, base = [], _ZERO
    if problem.has_levels:
        unused = set(range(problem.n_features)).difference(kept)
        base = sum((problem.penalty(j, _ZERO) for j in unused), _ZERO)
    for j in kept:
        key = problem.sets[j], problem.C0[j], problem.levels[j]
        if key not in known:
            prices = {v: problem.penalty(j, v) + (problem.C1 or 0) * abs(v) for v in listed[key[0]]}
            least = prices[_ZERO] if _ZERO in key[0] else min(p for v, p in prices.items() if v)
            prices[_ZERO] = max(prices[_ZERO], least)  # of a column that must be used, not a choice
            known[key] = least, [float(price - least) for price in prices.values()]
        base += known[key][0]
        lists.append(known[key][1])
    penalty = _padded(lists)
    if penalty.size and penalty.min() < 0:
        raise UnsupportedProblemError(
            "a level makes 0 points more expensive than others, which the log loss does not support",
            "lower the penalty of 0",
        )
    return penalty, base


def _limit_tables(
    problem: Problem, kept: tuple[int, ...], values: tuple[tuple[Fraction, ...], ...]
) -> tuple[Floats, Floats]:
    """The terms of each limit on supports and scores, as whole numbers, and what they may add up to.

    A column that every card uses is a limit as well: -[used] <= -1.
    """
    widest = max((len(entries) for entries in values), default=1)
    tables, most = [], []
    limits: list[SupportLimit | ScoreLimit] = [*problem.support_limits, *problem.score_limits]
    for limit in limits:
        terms = [
            [limit.term(j, v) if isinstance(limit, ScoreLimit) else limit.weights[j] * (v != 0) for v in entries]
            for j, entries in zip(kept, values, strict=True)
        ]
        unit = lcm(limit.at_most.denominator, *(Fraction(t).denominator for entries in terms for t in entries))
        whole = [[int(t * unit) for t in entries] for entries in terms]
        if max((abs(t) for entries in whole for t in entries), default=0) * (len(kept) + 1) >= 2**53:
            raise UnsupportedProblemError(
                f"the numbers of {limit.source.in_words()!r} have too many digits for goal 'risk'", "round them"
            )
        tables.append([[float(t) for t in entries] + [0.0] * (widest - len(entries)) for entries in whole])
        most.append(float(max(-(2**53), min(2**53, int(limit.at_most * unit)))))
    for sign_limit in problem.sign_limits:  # one is positive: none of the others is negative
        members = [q for q, j in enumerate(kept) if sign_limit.together[j]]
        for one in members:
            signs = np.zeros((len(kept), widest))
            for q in members:
                for i, v in enumerate(values[q]):
                    signs[q, i] = len(members) * (v > 0) if q == one else float(v < 0)
            tables.append(signs.tolist())
            most.append(float(len(members)))
    for q, j in enumerate(kept):
        if 0 not in problem.sets[j]:  # every card uses it
            used = np.zeros((len(kept), widest))
            used[q, [i for i, v in enumerate(values[q]) if v != 0]] = -1.0
            tables.append(used.tolist())
            most.append(-1.0)
    return np.array(tables).reshape(len(most), len(kept), widest), np.array(most)


def _check_rates(problem: Problem) -> None:
    for limit in problem.rate_limits:
        if sum(abs(int(w)) for w in limit.weights) + abs(limit.at_most) >= 2**53:
            raise UnsupportedProblemError(
                f"the weights of {limit.source.in_words()!r} have too many digits for goal 'risk'", "round them"
            )


def _least_costs(penalty: Floats, zero: Ints, low: Ints, high: Ints) -> Floats:
    least = [
        min((penalty[j, v] for v in range(low[j], high[j] + 1) if v != zero[j]), default=0.0) for j in range(len(zero))
    ]
    return np.array(least, dtype=float)
