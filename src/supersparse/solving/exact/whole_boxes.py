"""The third bound: boxes of all coefficients at once, for small tables with columns of many values.

The tree over supports bounds a node by the signs of its literals alone, and learns how large coefficients
are only once a support is complete. On 20 columns of many values signs say little. Here a box ranges over all
coefficients from the start, and a feature that is decided has a range at once; `kernels/whole_boxes.py` has
the inequality.

The proof goes in rounds: that no model costs at most c, for a rising c, up to the best known model. Each
round searches depth first from the beginning and costs several times the one before, so all of them together
cost little more than the last, and every finished round is a bound on F. Each begins with one box for each
literal: the models in which it weighs most, as multiples of its coefficient.

It holds for F only, not for ties in l1.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.problem.variants import next_attainable
from supersparse.solving.exact.cuts import Judge
from supersparse.solving.exact.instance import Instance
from supersparse.solving.exact.literals import SIGNS
from supersparse.solving.kernels.boxes import FOUND, PAUSED
from supersparse.solving.kernels.whole_bounds import BoxStack, Ratios
from supersparse.solving.kernels.whole_boxes import CROWDED, run_whole_boxes
from supersparse.solving.kernels.whole_pairs import (
    BLOCK,
    FINE,
    MEMBERS,
    MOST_GROUPS,
    MOST_LISTED,
    MOST_PACKED,
    TOP,
    WORK,
    Listed,
    PointPairs,
)
from supersparse.solving.kernels.whole_prices import MOST_TIGHT, Prices

Ints = NDArray[np.int64]

_MOST_POINT_PAIRS = 2**16
_MOST_POINTS = 1000  # fractions of numbers up to this are listed
_ROUNDS = 6  # about so many from the bound at the start to the best model
_FEW_VALUES = 3  # where most columns have no more, signs say almost all
_ROOM = 64  # boxes on the stack at first


class WholeBoxes:
    """Proves lower bounds on F round by round.

    `lower_bound` holds for every model but the best known ones, which may be better, and never falls.
    """

    def __init__(self, instance: Instance, cuts: Judge, lower_bound: Fraction) -> None:
        """Prepare to raise a bound that is proven already."""
        self._instance = instance
        self._cuts = cuts
        self._pairs = point_pairs(instance)
        self._stack = stack_for(self._pairs)
        self._literals = first_literals(instance)
        self._ratios: Ratios | None = None  # of the round's present literal
        self._begun = 0  # how many of those the round has begun with
        self.lower_bound = lower_bound
        self.work = 0
        start = instance.form.in_kernel_units(lower_bound)
        self._step = max(1, (cuts.now.strict - start) // _ROUNDS)
        self.cut = self._next_cut()

    @staticmethod
    def applies(instance: Instance) -> bool:
        """Whether the bound holds for a case of a problem, and is worth trying."""
        form = instance.form
        n_pairs = len(instance.positive) * len(instance.negative)
        if not (instance.doubles and form.problem.is_plain and 0 < n_pairs <= _MOST_POINT_PAIRS):
            return False
        if instance.forced or len(instance.intercepts) or form.max_size < form.n_features:
            return False
        sides = [values.of_sign(sign) for values in form.values for sign in SIGNS]
        if not all(len(side) == 0 or side.is_full for side in sides):
            return False
        if not all(values.has_zero for values in form.values):
            return False
        heaviest = form.worst_cost * FINE * FINE * FINE
        many = sum(int(n) > _FEW_VALUES for n in instance.n_ranks)
        return (
            max(v.largest for v in form.values) <= _MOST_POINTS
            and heaviest < 2**62
            and 4 * many >= form.n_features
        )

    @property
    def is_done(self) -> bool:
        """Whether nothing is left below the best known model."""
        return self.cut >= self._cuts.now.strict and self._begun == len(self._literals) and not self._is_open

    @property
    def _is_open(self) -> bool:
        return bool(self._stack.number[TOP])

    def run(self, work: int, cancelled: Callable[[], bool]) -> None:
        """Do so much work, or finish, or stop early when cancelled."""
        self._stack.number[WORK] = 0
        while self._stack.number[WORK] < work and not self.is_done:
            self.cut = min(self.cut, self._cuts.now.strict)  # a better model lowers it
            if not self._is_open and not self._begin():
                self._finish_round()
                continue
            result = int(run_whole_boxes(self._pairs, self._ratios, self._stack, self.cut, work))
            if result == FOUND:
                self._cuts.offer(self._stack.vector.tolist())
            elif result == CROWDED:
                self._stack = _with_more_room(self._stack)
            if result != PAUSED and cancelled():
                break
        self.work += int(self._stack.number[WORK])
        if self.is_done:
            self._finish_round()

    def _begin(self) -> bool:
        """Put the next of the round's first boxes on the stack; False where there is none."""
        if self._begun == len(self._literals):
            return False
        self._ratios, low, high = first_box(self._instance, self._literals, self._begun)
        self._stack.low[0], self._stack.high[0], self._stack.load[0] = low, high, 0
        self._stack.number[TOP] = 1
        self._begun += 1
        return True

    def _finish_round(self) -> None:
        """No model costs at most the cut: raise the bound, and begin again with a higher one."""
        form = self._instance.form
        proven = next_attainable(form.problem, Fraction(self.cut + 1) / form.scale)
        self.lower_bound = max(self.lower_bound, proven)
        if self.cut < self._cuts.now.strict:
            self._begun = 0
            self.cut = self._next_cut()

    def _next_cut(self) -> int:
        """A whole number of steps below the best model: a round just below it would be done for nothing."""
        strict = self._cuts.now.strict
        steps = (strict - self._instance.form.in_kernel_units(self.lower_bound)) // self._step
        return strict - max(0, steps - 1) * self._step


def point_pairs(instance: Instance) -> PointPairs:
    """All pairs of opposite net points of an instance."""
    form = instance.form
    up, down = form.columns[:, instance.positive_row], form.columns[:, instance.negative_row]
    n_up, n_down = up.shape[1], down.shape[1]
    n_pairs = n_up * n_down
    difference = np.zeros((len(up), n_pairs + MOST_GROUPS), np.float32)
    difference[:, :n_pairs] = (up[:, :, None] - down[:, None, :]).reshape(len(up), -1)
    member = np.full((n_pairs + MOST_GROUPS, MEMBERS), -1, np.int64)
    member[:n_pairs, 0], member[:n_pairs, 1] = np.divmod(np.arange(n_pairs), n_down)
    member[:n_pairs, 1] += n_up
    exact = np.ascontiguousarray(np.concatenate([up, down], axis=1), np.int64)
    return PointPairs(
        difference=difference,
        member=member,
        name=np.zeros(MOST_GROUPS, np.int64),
        point=(exact - exact.min(axis=1, keepdims=True)).astype(np.float32),
        exact=exact,
        n_positive=n_up,
        n_pairs=n_pairs,
        weight=np.concatenate([instance.positive_weight, instance.negative_weight]) * FINE,
        penalty=np.array(form.used_penalty, np.int64),
        spread=_spreads(form.columns),
        columns=np.require(form.columns, requirements=["C", "W"]),
        row_positive=np.require(form.positive, requirements=["C", "W"]),
        row_negative=np.require(form.negative, requirements=["C", "W"]),
        step=int(form.step),
        half=int(form.half),
        max_size=int(form.max_size),
        base_cost=int(instance.base_cost),
    )


def first_box(instance: Instance, literals: list[tuple[int, int]], at: int) -> tuple[Ratios, Ints, Ints]:
    """The box of all models in which this literal weighs most: its coefficient times its column's spread.

    Two that weigh the same are each in the box of the other.
    """
    form = instance.form
    base, sign = literals[at]
    most = form.values[base].of_sign(sign).largest
    exact = np.unique(np.arange(max(v.largest for v in form.values) + 1)[:, None] / np.arange(1, most + 1))
    spread, limit = _spreads(form.columns), np.zeros((2, len(form.values)), np.int64)
    low, high = np.zeros(len(form.values), np.int64), np.zeros(len(form.values), np.int64)
    for f, side in literals:
        largest = form.values[f].of_sign(side).largest
        limit[0 if side > 0 else 1, f] = largest
        ratio = min(largest, spread[base] / spread[f] * (1 + 1e-9)) if spread[f] else largest
        (high if side > 0 else low)[f] = side * (int(np.searchsorted(exact, ratio, "right")) - 1)
    low[base] = high[base] = sign * int(np.searchsorted(exact, 1.0))
    largest_ratios = exact[np.maximum(high, -low)]
    ratios = Ratios(
        value=exact.astype(np.float32),
        exact=exact,
        most=most,
        limit=limit,
        gap=least_gap(form.columns, largest_ratios, 1 if form.half else 2, most),
        weight=float(spread[base]),
    )
    return ratios, low, high


def least_gap(columns: Ints, ratios: NDArray[np.float64], gap: int, most: int) -> np.float32:
    """What two right rows differ by at least, in ratios to a base up to `most`, if these are the largest.

    λ·d >= gap demands Σ r·d >= gap/most. In 32-bit floating point, d, r and their product are each off by at
    most one part in 2^24, and so is every sum of the products and what is added to it or taken from it later:
    all of them together by less than the number of features and nine, in 2^-23 of what they can come to.
    """
    total = sum(float(r) * int(np.ptp(c)) for r, c in zip(ratios, columns, strict=True))
    needed = np.float32(gap / most - (len(columns) + 9) * 2.0**-23 * total)
    return np.float32(np.nextafter(needed, np.float32(-np.inf)))


def _spreads(columns: Ints) -> NDArray[np.float64]:
    """How far each column's entries lie from their middle: sums of whole numbers, alike everywhere."""
    doubled = 2 * columns - (columns.max(axis=1) + columns.min(axis=1))[:, None]
    spreads: NDArray[np.float64] = np.abs(doubled).sum(axis=1).astype(np.float64)
    return spreads


def first_literals(instance: Instance) -> list[tuple[int, int]]:
    """All literals as (feature, sign), those first that tell the classes apart best: they close most."""
    form = instance.form
    order = []
    for f, values in enumerate(form.values):
        ranks = form.ranks[f].astype(np.int64)
        total = int((form.positive + form.negative).sum())
        up, down = int(form.positive.sum()), int(form.negative.sum())
        share = int((form.positive * ranks).sum()) * down - int((form.negative * ranks).sum()) * up
        weight = abs(share) * form.n_rows // max(1, total * int(np.abs(2 * ranks - ranks.max()).sum()))
        order += [(-weight, f, sign) for sign in SIGNS if len(values.of_sign(sign))]
    return [(f, sign) for _, f, sign in sorted(order)]


def stack_for(pairs: PointPairs) -> BoxStack:
    """An empty stack, and room to work on these pairs."""
    features, n_pairs = pairs.difference.shape
    limits = len(pairs.weight) + 2 * features

    def floats(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, np.float32)

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, np.int64)

    return BoxStack(
        number=ints(4),
        low=ints(_ROOM, features),
        high=ints(_ROOM, features),
        load=ints(_ROOM, 2, features),
        reach=floats(n_pairs),
        key=np.zeros(n_pairs, np.int32),
        order=ints(n_pairs),
        block=floats(3, BLOCK),
        listed=Listed(
            pair=ints(MOST_LISTED),
            member=ints(MOST_LISTED, MEMBERS),
            difference=floats(features, MOST_LISTED),
            before=floats(MOST_LISTED),
            reach=floats(MOST_LISTED),
            short=floats(MOST_LISTED),
            total=floats(MOST_LISTED),
            cost=floats(MOST_LISTED),
            key=np.zeros(MOST_LISTED, np.int32),
            order=ints(MOST_LISTED),
            price=floats(2, features),
            place=ints(MOST_PACKED),
            size=ints(MOST_PACKED),
            factor=ints(MOST_PACKED, features),
            is_open=ints(MOST_PACKED),
            left=ints(len(pairs.weight)),
            share=floats(features, MOST_PACKED),
            guess=floats(MOST_PACKED),
            gain=floats(MOST_PACKED),
            demand=floats(len(pairs.weight)),
            rate=floats(2, features),
            near=floats(5, len(pairs.weight)),
        ),
        prices=Prices(
            column=floats(MOST_PACKED, limits),
            inverse=floats(MOST_TIGHT, MOST_TIGHT),
            multiplier=floats(MOST_TIGHT),
            gain=floats(MOST_TIGHT),
            used=ints(MOST_TIGHT),
            tight=ints(MOST_TIGHT),
            is_used=ints(MOST_PACKED),
            left=floats(limits),
            price=floats(limits),
            change=floats(limits),
            fall=floats(MOST_TIGHT),
            cost=floats(MOST_PACKED),
            worth=floats(MOST_PACKED),
            number=ints(2),
        ),
        vector=ints(features),
    )


def _with_more_room(stack: BoxStack) -> BoxStack:
    """Twice as much room for boxes."""
    low, high, load = (np.concatenate([a, np.zeros_like(a)]) for a in (stack.low, stack.high, stack.load))
    return stack._replace(low=low, high=high, load=load)
