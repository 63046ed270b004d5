"""Boxes of all coefficients as flat arrays: points, ratios, the boxes that a round begins with, and the kernel.

The kernel reads the named tuples as structs of the same fields, those of `native/errors/ratio_data.hpp`;
`native/errors/ratio_boxes.hpp` has the inequality.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints
from supersparse.engine.core import kernel, zeros
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
_ROOM = 64  # boxes on a stack at first

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

    pair: Annotated[Ints, MOST_LISTED]  # where they are kept
    member: Annotated[Ints, MOST_LISTED, MEMBERS]
    difference: Annotated[Floats, "features", MOST_LISTED]  # theirs
    before: Annotated[Floats, MOST_LISTED]  # their reach without the feature that is split
    reach: Annotated[Floats, MOST_LISTED]  # and with it
    missing: Annotated[Floats, MOST_LISTED]
    total: Annotated[Floats, MOST_LISTED]  # what undecided features can give
    cost: Annotated[Floats, MOST_LISTED]  # the price of what is missing
    key: Annotated[Keys, MOST_LISTED]  # the bucket
    order: Annotated[Ints, MOST_LISTED]  # places in this list
    price: Annotated[Floats, 2, "features"]  # of the literals
    place: Annotated[Ints, MOST_PACKED]  # those in the packing, in this list
    size: Annotated[Ints, MOST_PACKED]  # how many points they have
    factor: Annotated[Ints, MOST_PACKED, "features"]  # signed, in 1/FINE
    is_open: Annotated[Ints, MOST_PACKED]  # whether their literals may have something left
    left: Annotated[Ints, "points"]  # of each point's weight
    rest: Annotated[Ints, "points"]  # the same, after the best packing
    guess: Annotated[Floats, MOST_PACKED]  # multipliers, in 1/FINE
    gain: Annotated[Floats, MOST_PACKED]  # 1 less what each costs at the prices
    demand: Annotated[Floats, "points"]  # prices
    rate: Annotated[Floats, 2, "features"]  # prices of the literals
    near: Annotated[Floats, 5, "points"]


class Prices(NamedTuple):
    """The linear program of a box, and where its solution stands; limits of points come before literals'."""

    point: Annotated[Ints, MOST_PACKED, MEMBERS]  # the points of each group
    part: Annotated[Floats, MOST_PACKED, "literals"]  # what each group takes of each literal
    first: Annotated[Ints, "points"]  # the last group of each, as group times MEMBERS plus place there; -1 for none
    next: Annotated[Ints, MOST_PACKED, MEMBERS]  # the group before it of the same point, likewise
    inverse: Annotated[Floats, MOST_TIGHT, MOST_TIGHT]  # of B, by tight limit and used group
    multiplier: Annotated[Floats, MOST_TIGHT]  # of the used groups
    gain: Annotated[Floats, MOST_TIGHT]  # of the slacks of tight limits: minus their prices
    pivot: Annotated[Floats, MOST_TIGHT]  # a row of it
    taken: Annotated[Floats, MOST_TIGHT, MOST_PACKED]  # what each group takes of the tight limits
    used: Annotated[Ints, MOST_TIGHT]  # the groups whose multipliers are not 0
    tight: Annotated[Ints, MOST_TIGHT]  # the limits met with equality
    at_used: Annotated[Ints, MOST_PACKED]  # where in `used`, -1 where the multiplier is 0
    at_tight: Annotated[Ints, "limits"]  # where in `tight`, -1 where something is left
    left: Annotated[Floats, "limits"]  # what is left of each
    price: Annotated[Floats, "limits"]
    change: Annotated[Floats, "limits"]  # by the step
    length: Annotated[Floats, "limits"]  # of the step, for each
    fall: Annotated[Floats, MOST_TIGHT]  # of the used multipliers, by the step
    cost: Annotated[Floats, MOST_PACKED]  # of groups, at the prices
    worth: Annotated[Floats, MOST_PACKED]  # what a gain counts, less where a group takes much
    number: Annotated[Ints, 2]  # how many limits there are, and how many are tight


class Separation(NamedTuple):
    """The linear program of points that must all be right, and where its solution stands."""

    part: Annotated[Doubles, "features", "points"]  # what points have, as a part of the range of the column
    range: Annotated[Doubles, "features"]
    is_taken: Annotated[Ints, "points"]  # those that must be right
    weight: Annotated[Doubles, "points"]  # what proves that they cannot all be
    feature: Annotated[Ints, "features"]  # those that help
    low: Annotated[Doubles, "features"]  # the least of what each of them gives for its range
    high: Annotated[Doubles, "features"]  # the most
    basis: Annotated[Ints, "basis"]  # points, then features that give, then features that take
    value: Annotated[Doubles, "basis"]  # of the basis
    cost: Annotated[Doubles, "basis"]  # of the basis
    inverse: Annotated[Doubles, "basis", "basis"]  # of the basis
    dual: Annotated[Doubles, "basis"]
    column: Annotated[Doubles, "basis"]  # what enters, in terms of the basis
    score: Annotated[Doubles, "points"]


class BoxStack(NamedTuple):
    """Open boxes, the last on top, and scratch space; the vector found, if any."""

    number: Annotated[Ints, 4]
    low: Annotated[Ints, _ROOM, "features"]
    high: Annotated[Ints, _ROOM, "features"]
    load: Annotated[Ints, _ROOM, 2, "features"]  # of the literals, with positive sign and with negative sign
    reach: Annotated[Floats, "pairs"]  # of a box
    key: Annotated[Keys, "pairs"]
    order: Annotated[Ints, "pairs"]
    block: Annotated[Floats, 3, BLOCK]
    listed: PairList
    prices: Prices
    separation: Separation
    member: Annotated[Ints, MEMBERS]  # of a group that may join
    least: Annotated[Floats, "features"]  # a box at prices
    most: Annotated[Floats, "features"]
    vector: Annotated[Ints, "features"]


@kernel
def run_ratio_boxes(pairs: PointPairs, ratios: Ratios, stack: BoxStack, cut: int, until: int) -> int:
    """Work on the open boxes, the last first, until nothing is open or the work reaches `until`.

    A vector that costs at most `cut` is written to `vector`, and the result is FOUND.
    """


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
    sizes = {
        "features": features,
        "points": points,
        "pairs": n_pairs,
        "basis": features + 2,
        "literals": literals,
        "limits": points + literals + MOST_TIGHT,
    }
    above = pairs.exact - pairs.exact.min(axis=1, keepdims=True)
    spans = np.ptp(pairs.exact, axis=1).astype(np.float64)
    return zeros(
        BoxStack,
        sizes,
        listed=zeros(PairList, sizes),
        prices=zeros(Prices, sizes),
        separation=zeros(Separation, sizes, part=above / np.maximum(1.0, spans)[:, None], range=spans),
    )


def with_more_room(stack: BoxStack) -> BoxStack:
    low, high, load = (np.concatenate([a, np.zeros_like(a)]) for a in (stack.low, stack.high, stack.load))
    return stack._replace(low=low, high=high, load=load)
