"""Instance: an IntegerForm prepared for the exact engine, for one case of the intercept.

Only bounds use net points. A distinct row with loss p when scored <= 0 and n when scored >= 0
loses at least min(p, n) + |p - n|·[its heavier class is wrong]; the minima add up to the base loss, which
is part of `base_cost`, and the differences are the weights of the net points. Evaluation never uses them.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Ints
from supersparse.engine.exact.literals import (
    SIGNS,
    LiteralLimits,
    Literals,
    both_literals,
    first_literals,
    for_both_signs,
    literal_limits,
    n_literals,
    twins,
)
from supersparse.engine.integer_form import OPEN, IntegerForm
from supersparse.problem.problem import Problem

_LONGEST_LIST = 2**16
_ALWAYS_RIGHT = 2**56  # weight of the origin: no bound may pay for it being wrong


@dataclass(frozen=True, eq=False, kw_only=True)
class Instance:
    """The data for the tree and the box search, in kernel units."""

    form: IntegerForm
    case: int  # which of the intercept's cases this is
    base_cost: int  # every model pays this: base loss, shift, and penalties paid whether features are used or not
    positive_row: Ints  # the distinct row behind each net positive point, -1 for the origin
    negative_row: Ints
    positive: NDArray[np.int32]  # ranks (doubled) of the net positive points, (points, features)
    negative: NDArray[np.int32]
    positive_weight: Ints
    negative_weight: Ints
    allowed: Flags  # over literals, see `literals.py`
    literal_penalty: Ints  # least penalty of each literal beyond `base_cost`, C1 included
    has_origin: bool  # whether the last point of each class is the origin
    forced: tuple[int, ...]
    twin_of: tuple[int, ...]  # the twin that must be in the model first, or -1
    after: tuple[int, ...]  # over literals: the literal that must be in the model first, or -1
    max_features: int
    intercept_penalty: int  # the least penalty of the allowed b, without C1
    intercepts: Ints  # the allowed b, sorted; empty where b is free or in a very long range
    intercept_extra: Ints  # the penalty of each of them beyond `intercept_penalty`
    counts_b: bool
    limits: LiteralLimits

    @property
    def n_features(self) -> int:
        """Number of features, including those without an allowed literal."""
        return self.form.n_features

    @cached_property
    def n_ranks(self) -> Ints:
        return np.asarray(self.form.ranks.max(axis=1) + 1, np.int64)

    @cached_property
    def magnitudes(self) -> "LiteralMagnitudes":
        return LiteralMagnitudes.of(self.form)

    @cached_property
    def _penalties(self) -> list[Ints]:
        """The penalties of each literal's magnitudes, without C1."""
        return [penalties.of_sign(sign) for penalties in self.form.penalties for sign in SIGNS]

    @cached_property
    def empty_penalty(self) -> int:
        """The smallest penalty of a model without features."""
        return int(self.form.unused_penalty.sum()) + self.intercept_penalty

    @cached_property
    def literal_surcharge(self) -> Ints:
        """The least that each literal adds to `empty_penalty`, without C1; negative if 0 costs more."""
        least = np.array([int(p.min()) if len(p) else 0 for p in self._penalties], np.int64)
        surcharge: Ints = least - for_both_signs(self.form.unused_penalty)
        return surcharge

    @cached_property
    def magnitude_extra(self) -> Ints:
        """The penalty of each magnitude beyond its literal's smallest; no columns if penalties are flat."""
        widest = 0 if self.form.is_flat else int(self.magnitudes.count.max(initial=1))
        table = np.zeros((len(self._penalties), widest), np.int64)
        if widest:
            for literal, penalties in enumerate(self._penalties):
                if len(penalties):
                    table[literal, : len(penalties)] = penalties - penalties.min()
        return table

    @cached_property
    def judged(self) -> int:
        """1 where limits exist that only the evaluator knows, else 0."""
        return int(not (self.limits.is_complete and self.form.rates.is_complete))

    @cached_property
    def doubles(self) -> bool:
        """Whether 2λ with 2b costs what λ with b costs, wherever both are allowed and 2λ is in its sets.

        Penalties must not depend on the value, nothing may speak of points, and 2b must be allowed for every
        allowed b of at most half the largest magnitude.
        """
        form, b = self.form, self.intercepts
        # of the problem, not of the kernel: a limit on the score that the kernel cannot hold is one as well
        depends_on_points = form.l1_penalty or form.problem.C1 or not form.is_flat or form.problem.score_limits
        if form.slack or self.judged or depends_on_points:
            return False
        if len(b) == 0:
            return form.intercept_low <= -(2**59) and form.intercept_high >= 2**59
        largest, known = int(np.abs(b).max()), set(b.tolist())
        return all(2 * v in known for v in known if 2 * abs(v) <= largest)

    @cached_property
    def outer_intercepts(self) -> Ints:
        """The b above half the largest magnitude, as ranges of indices: (ranges, 2)."""
        b = self.intercepts
        if len(b) == 0:
            return np.zeros((0, 2), np.int64)
        is_outer = np.abs(b) > int(max(-b[0], b[-1])) // 2
        edges = np.diff(np.concatenate([[0], is_outer, [0]]))
        ranges = np.column_stack([np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1])
        return ranges.astype(np.int64).reshape(-1, 2)

    def in_any_order(self) -> "Instance":
        """The same without the rules on what must be used first: for a list of all good models."""
        return replace(self, twin_of=(-1,) * self.n_features, after=(-1,) * len(self.after))


@dataclass(frozen=True, eq=False)
class LiteralMagnitudes:
    """The ascending magnitudes of each literal: ``first + stride·i``, or a row of the table for stride 0."""

    count: Ints
    first: Ints
    stride: Ints
    table: Ints

    @classmethod
    def of(cls, form: IntegerForm) -> "LiteralMagnitudes":
        """Lay out the magnitudes of all literals of a form."""
        sets = [values.of_sign(sign) for values in form.values for sign in SIGNS]
        table = np.zeros((len(sets), max((len(m.table) for m in sets), default=0)), np.int64)
        for literal, magnitudes in enumerate(sets):
            table[literal, : len(magnitudes.table)] = magnitudes.table
        return cls(
            count=np.array([m.count for m in sets], np.int64),
            first=np.array([m.first for m in sets], np.int64),
            stride=np.array([m.stride for m in sets], np.int64),
            table=table,
        )


def instances(form: IntegerForm) -> list[Instance]:
    """One instance, or two if b is penalised: b = 0, and b != 0 at its penalty."""
    if not form.problem.intercept.is_penalised:
        b = _range_as_list(form)
        nothing = np.zeros(len(b), np.int64)
        return [_instance(form, 0, b, penalties=nothing, counts_b=False, room=form.max_size)]
    cases = []
    for case, chosen in enumerate((form.intercept_values == 0, form.intercept_values != 0)):
        if chosen.any() and form.max_size >= case:
            b, penalties = form.intercept_values[chosen], form.intercept_penalties[chosen]
            room = form.max_size - case
            cases.append(_instance(form, case, b, penalties=penalties, counts_b=True, room=room))
    return cases


def fixed_cost(instance: Instance, literals: Literals) -> int:
    """The cost of every model with these literals before its loss: base cost, penalties of literals and b."""
    return instance.base_cost + instance.intercept_penalty + int(instance.literal_penalty[list(literals)].sum())


def _range_as_list(form: IntegerForm) -> Ints:
    """List the b of a bounded range, clipped to the useful part: further out, all rows agree."""
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
    form: IntegerForm, case: int, intercepts: Ints, *, penalties: Ints, counts_b: bool, room: int
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
    n = n_literals(form.n_features)
    allowed, literal_penalty = np.zeros(n, bool), np.zeros(n, np.int64)
    unavoidable = [  # paid for a feature, used or not; nothing unless levels put a penalty on 0
        min(of_values.unused, of_values.least_used if values.smallest else of_values.unused) if values.has_zero else 0
        for values, of_values in zip(form.values, form.penalties, strict=True)
    ]
    for f, (values, of_values) in enumerate(zip(form.values, form.penalties, strict=True)):
        for literal, sign in zip(both_literals(f), SIGNS, strict=True):
            allowed[literal] = len(values.of_sign(sign)) > 0
            if allowed[literal]:
                literal_penalty[literal] = int(of_values.of_sign(sign).min()) - unavoidable[f]
                literal_penalty[literal] += form.l1_penalty * values.of_sign(sign)[0]
    least = int(penalties.min(initial=OPEN)) if len(penalties) else 0
    return Instance(
        form=form,
        case=case,
        positive_row=up,
        negative_row=down,
        base_cost=form.shift + int(np.minimum(form.positive, form.negative).sum()) + sum(unavoidable),
        positive=np.ascontiguousarray(positive, np.int32),
        negative=np.ascontiguousarray(negative, np.int32),
        positive_weight=positive_weight,
        negative_weight=negative_weight,
        allowed=allowed,
        literal_penalty=literal_penalty,
        has_origin=has_origin,
        forced=form.problem.forced,
        twin_of=twins(form.problem),
        after=first_literals(form),
        max_features=min(room, form.n_features),
        intercept_penalty=least,
        intercepts=intercepts,
        intercept_extra=penalties - least,
        counts_b=counts_b,
        limits=literal_limits(form, uses_b=case == 1),
    )


def _origin_ranks(problem: Problem) -> NDArray[np.int32]:
    """The rank of 0 among each column's values; odd if it is between two."""
    ranks = []
    for column in problem.rows.columns:
        distinct = np.unique(column)
        at = int(np.searchsorted(distinct, 0))
        present = at < len(distinct) and distinct[at] == 0
        ranks.append(2 * at if present else 2 * at - 1)
    return np.array(ranks, np.int32)
