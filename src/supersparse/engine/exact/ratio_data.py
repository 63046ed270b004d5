"""Boxes of all coefficients as flat arrays: points, ratios, the boxes that a round begins with, and the kernel.

The kernel reads the named tuples as structs of the same fields, those of `native/errors/ratio_data.hpp`;
`native/errors/ratio_boxes.hpp` has the inequality.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints
from supersparse.engine.core import kernel
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import SIGNS

Keys = NDArray[np.int32]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

FINE = 1024
"""Weights and factors are counted in 1/FINE."""
MEMBERS = 12
"""How many points a group has at most."""
MOST_GROUPS = 2048
"""How many groups of more than two points are kept; new ones take the places of the oldest."""
MOST_LISTED = 600
"""How many groups the parts of a box look at."""
MOST_PACKED = 256
"""How many groups a packing looks at."""
BLOCK = 512
"""How many pairs are looked at in one go."""
MOST_TIGHT = 160
"""How many limits may be met with equality."""
LANES = 32
"""Loops run to the next multiple of this."""

TOP, WORK, NEXT, LISTED = range(4)
"""The entries of `BoxStack.number`: open boxes, work in touched rows, groups ever kept, groups listed."""
DONE, PAUSED, FOUND, CROWDED = 0, 1, 2, 5
"""The results of `run_ratio_boxes`: nothing is open, the work is done, a vector is found, the stack is too short."""


class Ratios(NamedTuple):
    """The ratios of coefficients to the base, in order, and what the base may be."""

    value: Floats  # those at and above 0
    exact: Doubles  # the same
    most: int  # the largest magnitude of the base
    limit: Ints  # (2, features): the largest magnitudes of coefficients, with positive and with negative sign
    gap: float  # no pair is right with less; in 32 bits


class PointPairs(NamedTuple):
    """All pairs of a positive and a negative point, the larger groups found, and what the features cost."""

    difference: Floats  # (features, pairs and MOST_GROUPS): d
    member: Ints  # (pairs and MOST_GROUPS, MEMBERS): their points, then -1
    name: Ints  # (MOST_GROUPS): a number for the points of each larger group
    exact: Ints  # (features, points): what they have, the positive ones first
    point: Floats  # the same, above the least of each column
    n_positive: int
    n_pairs: int
    weight: Ints  # of all points, in 1/FINE
    penalty: Ints  # of each feature, in kernel units
    spread: Doubles
    columns: Ints  # (features, rows), to evaluate one vector
    row_positive: Ints
    row_negative: Ints
    step: int
    half: int
    max_size: int
    base_cost: int


class PairList(NamedTuple):
    """The groups that the parts of a box look at, those in the packing, and scratch space for both."""

    pair: Ints  # (MOST_LISTED): where they are kept
    member: Ints  # (MOST_LISTED, MEMBERS)
    difference: Floats  # (features, MOST_LISTED): theirs
    before: Floats  # (MOST_LISTED): their reach without the feature that is split
    reach: Floats  # (MOST_LISTED): and with it
    missing: Floats  # (MOST_LISTED)
    total: Floats  # (MOST_LISTED): what undecided features can give
    cost: Floats  # (MOST_LISTED): the price of what is missing
    key: Keys  # (MOST_LISTED): the bucket
    order: Ints  # (MOST_LISTED): places in this list
    price: Floats  # (2, features): of the literals
    place: Ints  # (MOST_PACKED): those in the packing, in this list
    size: Ints  # (MOST_PACKED): how many points they have
    factor: Ints  # (MOST_PACKED, features): signed, in 1/FINE
    is_open: Ints  # (MOST_PACKED): whether their literals may have something left
    left: Ints  # (points): of each point's weight
    rest: Ints  # (points): the same, after the best packing
    guess: Floats  # (MOST_PACKED): multipliers, in 1/FINE
    gain: Floats  # (MOST_PACKED): 1 less what each costs at the prices
    demand: Floats  # (points): prices
    rate: Floats  # (2, features): prices of the literals
    near: Floats  # (5, points)


class Prices(NamedTuple):
    """The linear program of a box, and where its solution stands; limits of points come before literals'."""

    point: Ints  # (MOST_PACKED, MEMBERS): the points of each group
    part: Floats  # (MOST_PACKED, literals): what each group takes of each literal
    first: Ints  # (points): the last group of each, as group times MEMBERS plus place there; -1 for none
    next: Ints  # (MOST_PACKED, MEMBERS): the group before it of the same point, likewise
    inverse: Floats  # (MOST_TIGHT, MOST_TIGHT): of B, by tight limit and used group
    multiplier: Floats  # (MOST_TIGHT): of the used groups
    gain: Floats  # (MOST_TIGHT): of the slacks of tight limits: minus their prices
    pivot: Floats  # (MOST_TIGHT): a row of it
    taken: Floats  # (MOST_TIGHT, MOST_PACKED): what each group takes of the tight limits
    used: Ints  # (MOST_TIGHT): the groups whose multipliers are not 0
    tight: Ints  # (MOST_TIGHT): the limits met with equality
    at_used: Ints  # (MOST_PACKED): where in `used`, -1 where the multiplier is 0
    at_tight: Ints  # (limits): where in `tight`, -1 where something is left
    left: Floats  # (limits): what is left of each
    price: Floats  # (limits)
    change: Floats  # (limits): by the step
    length: Floats  # (limits): of the step, for each
    fall: Floats  # (MOST_TIGHT): of the used multipliers, by the step
    cost: Floats  # (MOST_PACKED): of groups, at the prices
    worth: Floats  # (MOST_PACKED): what a gain counts, less where a group takes much
    number: Ints  # (2): how many limits there are, and how many are tight


class Separation(NamedTuple):
    """The linear program of points that must all be right, and where its solution stands."""

    part: Doubles  # (features, points): what points have, as a part of the range of the column
    range: Doubles  # (features)
    is_taken: Ints  # (points): those that must be right
    weight: Doubles  # (points): what proves that they cannot all be
    feature: Ints  # (features): those that help
    low: Doubles  # (features): the least of what each of them gives for its range
    high: Doubles  # (features): the most
    basis: Ints  # (features + 2): points, then features that give, then features that take
    value: Doubles  # (features + 2): of the basis
    cost: Doubles  # (features + 2): of the basis
    inverse: Doubles  # (features + 2, features + 2): of the basis
    dual: Doubles  # (features + 2)
    column: Doubles  # (features + 2): what enters, in terms of the basis
    score: Doubles  # (points)


class BoxStack(NamedTuple):
    """Open boxes, the last on top, and scratch space; the vector found, if any."""

    number: Ints
    low: Ints  # (boxes, features)
    high: Ints
    load: Ints  # (boxes, 2, features): of the literals, with positive sign and with negative sign
    reach: Floats  # (pairs): of a box
    key: Keys  # (pairs)
    order: Ints  # (pairs)
    block: Floats  # (3, BLOCK)
    listed: PairList
    prices: Prices
    separation: Separation
    member: Ints  # (MEMBERS): of a group that may join
    least: Floats  # (features): a box at prices
    most: Floats
    vector: Ints


@kernel
def run_ratio_boxes(pairs: PointPairs, ratios: Ratios, stack: BoxStack, cut: int, until: int) -> int:
    """Work on the open boxes, the last first, until nothing is open or the work reaches `until`.

    A vector that costs at most `cut` is written to `vector`, and the result is FOUND.
    """


_ROOM = 64  # boxes on a stack at first


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
    limit = np.zeros((2, len(form.values)), np.int64)
    for f, side in literals:
        limit[0 if side > 0 else 1, f] = form.values[f].of_sign(side).largest
    most = int(limit[0 if sign > 0 else 1, base])
    exact = np.unique(np.arange(limit.max() + 1)[:, None] / np.arange(1, most + 1))
    spread = _spreads(form.columns)
    widest = np.divide(spread[base], spread, out=np.full(len(spread), np.inf), where=spread > 0)
    high, low = np.searchsorted(exact, np.minimum(limit, widest * (1 + 1e-9)), "right") - 1
    low = -low
    low[base] = high[base] = sign * int(np.searchsorted(exact, 1.0))
    largest_ratios = exact[np.maximum(high, -low)]
    ratios = Ratios(
        value=exact.astype(np.float32),
        exact=exact,
        most=most,
        limit=limit,
        gap=float(least_gap(form.columns, largest_ratios, 1 if form.half else 2, most)),
    )
    return ratios, low, high


def least_gap(columns: Ints, ratios: Doubles, gap: int, most: int) -> np.float32:
    """The least difference of two right rows, in ratios to a base up to `most`, if these are the largest.

    λ·d >= gap demands Σ r·d >= gap/most. In 32-bit floating point, d, r and their product are each off by at
    most one part in 2^24, and so is every sum of the products and what is added to it or taken from it later:
    all of them together by less than the number of features and nine, in 2^-23 of what they can come to.
    """
    total = sum((ratios * np.ptp(columns, axis=1)).tolist())
    needed = np.float32(gap / most - (len(columns) + 9) * 2.0**-23 * total)
    return np.float32(np.nextafter(needed, np.float32(-np.inf)))


def _spreads(columns: Ints) -> Doubles:
    """How far each column's entries lie from their middle: sums of whole numbers, alike everywhere."""
    doubled = 2 * columns - (columns.max(axis=1) + columns.min(axis=1))[:, None]
    spreads: Doubles = np.abs(doubled).sum(axis=1).astype(np.float64)
    return spreads


def first_literals(instance: Instance) -> list[tuple[int, int]]:
    """All literals as (feature, sign), those first that separate the classes best: they close most."""
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
    points, literals = len(pairs.weight), 2 * features + LANES
    limits = points + literals + MOST_TIGHT

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
        listed=PairList(
            pair=ints(MOST_LISTED),
            member=ints(MOST_LISTED, MEMBERS),
            difference=floats(features, MOST_LISTED),
            before=floats(MOST_LISTED),
            reach=floats(MOST_LISTED),
            missing=floats(MOST_LISTED),
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
            rest=ints(len(pairs.weight)),
            guess=floats(MOST_PACKED),
            gain=floats(MOST_PACKED),
            demand=floats(len(pairs.weight)),
            rate=floats(2, features),
            near=floats(5, len(pairs.weight)),
        ),
        prices=Prices(
            point=ints(MOST_PACKED, MEMBERS),
            part=floats(MOST_PACKED, literals),
            first=ints(points),
            next=ints(MOST_PACKED, MEMBERS),
            inverse=floats(MOST_TIGHT, MOST_TIGHT),
            multiplier=floats(MOST_TIGHT),
            gain=floats(MOST_TIGHT),
            pivot=floats(MOST_TIGHT),
            taken=floats(MOST_TIGHT, MOST_PACKED),
            used=ints(MOST_TIGHT),
            tight=ints(MOST_TIGHT),
            at_used=ints(MOST_PACKED),
            at_tight=ints(limits),
            left=floats(limits),
            price=floats(limits),
            change=floats(limits),
            length=floats(limits),
            fall=floats(MOST_TIGHT),
            cost=floats(MOST_PACKED),
            worth=floats(MOST_PACKED),
            number=ints(2),
        ),
        separation=_separation(pairs.exact),
        member=ints(MEMBERS),
        least=floats(features),
        most=floats(features),
        vector=ints(features),
    )


def _separation(exact: Ints) -> Separation:
    """Room for the linear program of points that must all be right."""
    features, points = exact.shape
    above = exact - exact.min(axis=1, keepdims=True)
    spans = np.ptp(exact, axis=1).astype(np.float64)

    def floats(*shape: int) -> Doubles:
        return np.zeros(shape)

    return Separation(
        part=above / np.maximum(1.0, spans)[:, None],
        range=spans,
        is_taken=np.zeros(points, np.int64),
        weight=floats(points),
        feature=np.zeros(features, np.int64),
        low=floats(features),
        high=floats(features),
        basis=np.zeros(features + 2, np.int64),
        value=floats(features + 2),
        cost=floats(features + 2),
        inverse=floats(features + 2, features + 2),
        dual=floats(features + 2),
        column=floats(features + 2),
        score=floats(points),
    )


def with_more_room(stack: BoxStack) -> BoxStack:
    """Twice as much room for boxes."""
    low, high, load = (np.concatenate([a, np.zeros_like(a)]) for a in (stack.low, stack.high, stack.load))
    return stack._replace(low=low, high=high, load=load)
