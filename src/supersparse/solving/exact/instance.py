"""Instance: an IntegerForm as the exact engine sees it, for one case of the intercept.

Only bounds use net points. A distinct row with loss p when scored <= 0 and n when scored >= 0
costs at least min(p, n) + |p - n|·[its heavier class is wrong]; the minima add up to `base`,
the differences are the weights of the net points. Evaluation never uses them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supersparse.problem.problem import Problem
from supersparse.solving.exact.limits import LiteralLimits, literal_limits
from supersparse.solving.exact.literals import SIGNS, both_literals, for_both_signs, n_literals
from supersparse.solving.integer_form import OPEN, IntegerForm

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_LONGEST_LIST = 2**16
_ALWAYS_RIGHT = 2**56  # weight of the origin: no bound may pay for it being wrong


@dataclass(frozen=True, eq=False, kw_only=True)
class Instance:
    """What the tree and the box search need to know, in kernel units."""

    form: IntegerForm
    case: int  # which of the intercept's cases this is
    base: int
    positive_row: Ints  # the distinct row behind each net positive point, -1 for the origin
    negative_row: Ints
    positive: NDArray[np.int32]  # ranks (doubled) of the net positive points, (points, features)
    negative: NDArray[np.int32]
    positive_weight: Ints
    negative_weight: Ints
    allowed: Flags  # over literals, see `literals.py`
    cost: Ints  # least cost of each literal: C0, and C1 times its smallest magnitude
    has_origin: bool  # whether the last point of each class is the origin
    forced: tuple[int, ...]
    twin_of: tuple[int, ...]  # the twin that must be in the model first, or -1
    max_features: int
    intercept_cost: int  # what b costs at least
    intercepts: Ints  # the allowed b, sorted; empty where b is free or in a very long range
    intercept_extra: Ints  # what each of them costs beyond that
    counts_b: bool
    limits: LiteralLimits

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.form.n_features

    @cached_property
    def n_ranks(self) -> Ints:
        """How many values each column takes."""
        return np.asarray(self.form.ranks.max(axis=1) + 1, np.int64)

    @cached_property
    def magnitudes(self) -> "LiteralMagnitudes":
        """The magnitudes of each literal."""
        return LiteralMagnitudes.of(self.form)

    @cached_property
    def used_cost(self) -> Ints:
        """What each literal costs at least, C1 apart; 0 for one that is not allowed."""
        costs = [own.of_sign(sign) for own in self.form.costs for sign in SIGNS]
        return np.array([int(c.min()) if len(c) else 0 for c in costs], np.int64)

    @cached_property
    def empty_cost(self) -> int:
        """What a model without features pays beside its loss, and b at its least."""
        return int(self.form.zero_cost.sum()) + self.form.shift + self.intercept_cost

    @cached_property
    def cost_beyond_empty(self) -> Ints:
        """What each literal adds to that at least, C1 apart."""
        beyond: Ints = self.used_cost - for_both_signs(self.form.zero_cost)
        return beyond

    @cached_property
    def extras(self) -> Ints:
        """What each magnitude of a literal costs beyond that; no columns where costs are flat."""
        costs = [own.of_sign(sign) for own in self.form.costs for sign in SIGNS]
        widest = 0 if self.form.is_flat else int(self.magnitudes.count.max(initial=1))
        table = np.zeros((len(costs), widest), np.int64)
        if widest:
            for literal, own in enumerate(costs):
                if len(own):
                    table[literal, : len(own)] = own - own.min()
        return table

    @cached_property
    def has_twins(self) -> bool:
        """Whether any feature has a twin that goes before it."""
        return max(self.twin_of, default=-1) >= 0

    @cached_property
    def is_binary(self) -> bool:
        """Whether no column takes more than two values, so that points can be packed into bits."""
        both = np.vstack([self.positive, self.negative])
        low, high = both.min(axis=0, initial=2**30), both.max(axis=0, initial=-(2**30))
        return bool(np.all((both == low) | (both == high)))


@dataclass(frozen=True, eq=False)
class LiteralMagnitudes:
    """The rising magnitudes of each literal: ``first + stride·i``, or a row of the table for stride 0."""

    count: Ints
    first: Ints
    stride: Ints
    table: Ints

    @classmethod
    def of(cls, form: IntegerForm) -> "LiteralMagnitudes":
        """Read the sets of a form."""
        own = [values.of_sign(sign) for values in form.values for sign in SIGNS]
        table = np.zeros((len(own), max((len(m.table) for m in own), default=0)), np.int64)
        for literal, magnitudes in enumerate(own):
            table[literal, : len(magnitudes.table)] = magnitudes.table
        return cls(
            count=np.array([m.count for m in own], np.int64),
            first=np.array([m.first for m in own], np.int64),
            stride=np.array([m.stride for m in own], np.int64),
            table=table,
        )


def instances(form: IntegerForm) -> list[Instance]:
    """One instance, or two where b is penalised: b = 0, and b != 0 at its price."""
    if not form.problem.intercept.is_penalised:
        b = _range_as_list(form)
        return [_instance(form, 0, b, costs=np.zeros(len(b), np.int64), counts_b=False, room=form.max_size)]
    cases = []
    for case, chosen in enumerate((form.intercept_values == 0, form.intercept_values != 0)):
        if chosen.any() and form.max_size >= case:
            b, costs = form.intercept_values[chosen], form.intercept_value_cost[chosen]
            cases.append(_instance(form, case, b, costs=costs, counts_b=True, room=form.max_size - case))
    return cases


def _range_as_list(form: IntegerForm) -> Ints:
    """List the b of a bounded range, cut to where it can matter: further out all rows agree."""
    if form.intercept_low <= -OPEN or form.intercept_high >= OPEN:
        return np.zeros(0, np.int64)
    reach = sum(v.largest * int(np.abs(c).max()) for v, c in zip(form.values, form.columns, strict=True))
    reach = reach // form.step + 2
    low, high = form.intercept_low, form.intercept_high
    if low <= reach and high >= -reach:
        low, high = max(low, -reach), min(high, reach)
    else:
        low = high = min(max(low, -reach), high)
    return np.arange(low, high + 1) if high - low < _LONGEST_LIST else np.zeros(0, np.int64)


def _instance(
    form: IntegerForm, case: int, intercepts: Ints, *, costs: Ints, counts_b: bool, room: int
) -> Instance:
    difference = form.positive - form.negative
    up, down = np.flatnonzero(difference > 0), np.flatnonzero(difference < 0)
    ranks = 2 * form.ranks.T
    positive, negative = ranks[up], ranks[down]
    positive_weight, negative_weight = difference[up], -difference[down]
    has_origin = len(intercepts) == 1 and intercepts[0] == 0
    if has_origin:
        # with b = 0 each point is compared with the origin as well, which is never wrong
        origin = _origin_ranks(form.problem)[None, :]
        positive, negative = np.vstack([positive, origin]), np.vstack([negative, origin])
        positive_weight = np.append(positive_weight, _ALWAYS_RIGHT)
        negative_weight = np.append(negative_weight, _ALWAYS_RIGHT)
        up, down = np.append(up, -1), np.append(down, -1)
    allowed, literal_cost = (
        np.zeros(n_literals(form.n_features), bool),
        np.zeros(n_literals(form.n_features), np.int64),
    )
    unavoidable = [  # paid for a feature, used or not; nothing unless levels make 0 cost something
        min(own.zero, own.least if values.smallest else own.zero) if values.has_zero else 0
        for values, own in zip(form.values, form.costs, strict=True)
    ]
    for f, (values, own) in enumerate(zip(form.values, form.costs, strict=True)):
        for literal, sign in zip(both_literals(f), SIGNS, strict=True):
            allowed[literal] = len(values.of_sign(sign)) > 0
            if allowed[literal]:
                literal_cost[literal] = int(own.of_sign(sign).min()) - unavoidable[f]
                literal_cost[literal] += form.cost_l1 * values.of_sign(sign)[0]
    cost = int(costs.min(initial=OPEN)) if len(costs) else 0
    return Instance(
        form=form,
        case=case,
        positive_row=up,
        negative_row=down,
        base=form.shift + int(np.minimum(form.positive, form.negative).sum()) + sum(unavoidable),
        positive=np.ascontiguousarray(positive, np.int32),
        negative=np.ascontiguousarray(negative, np.int32),
        positive_weight=positive_weight,
        negative_weight=negative_weight,
        allowed=allowed,
        cost=literal_cost,
        has_origin=has_origin,
        forced=form.problem.forced,
        twin_of=twins(form.problem),
        max_features=min(room, form.n_features),
        intercept_cost=cost,
        intercepts=intercepts,
        intercept_extra=costs - cost,
        counts_b=counts_b,
        limits=literal_limits(form, uses_b=case == 1),
    )


def _origin_ranks(problem: Problem) -> NDArray[np.int32]:
    """Where 0 stands among each column's values: an odd number where it lies between two."""
    ranks = []
    for column in problem.rows.columns:
        distinct = np.unique(column)
        at = int(np.searchsorted(distinct, 0))
        present = at < len(distinct) and distinct[at] == 0
        ranks.append(2 * at if present else 2 * at - 1)
    return np.array(ranks, np.int32)


def twins(problem: Problem) -> tuple[int, ...]:
    """Find columns that say the same; each points to the one that goes before it.

    Two columns are twins when set, costs and limits agree and the columns are equal, or, with a
    free threshold, differ (or, with symmetric sets, add up) by a constant. Any
    model can then swap them without changing F, l1 or what is limited, so models that use a twin before its
    partner need not be looked at. Both together stay allowed: they reach twice the range.
    """
    rows = problem.rows
    latest: dict[tuple[object, ...], int] = {}
    result = []
    for f in range(problem.n_features):
        column, scale = rows.columns[f].astype(object), rows.scales[f]
        own = (
            problem.sets[f],
            problem.C0[f],
            problem.levels[f],
            scale,
            *(limit.weights[f] for limit in problem.support_limits),
            *((limit.low[f], limit.high[f]) for limit in problem.score_limits),
        )
        if problem.intercept.mode != "free":
            keys: list[tuple[object, ...]] = [(*own, tuple(column))]
        else:
            keys = [(*own, tuple(column - column.min()))]
            if problem.sets[f].is_symmetric and problem.levels[f] is None and not problem.score_limits:
                keys.append((*own, tuple(column.max() - column)))
        known = next((k for k in keys if k in latest), None)
        result.append(-1 if known is None else latest[known])
        latest[keys[0] if known is None else known] = f
    return tuple(result)
