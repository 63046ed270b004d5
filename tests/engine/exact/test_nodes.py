"""The packing kernels: capacities are respected, and the sums are what they say."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.calls import literal_bounds
from supersparse.engine.exact.pairs import most_gained, pack_masks


@st.composite
def pools(draw):
    """Pairs with literals, weights of points, capacities and allowed literals."""
    n_literals = 2 * draw(st.integers(1, 4))
    n_up, n_down = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    lists = draw(st.lists(st.sets(st.integers(0, n_literals - 1)).map(sorted), min_size=1, max_size=12))
    ends = [
        np.array(draw(st.lists(st.integers(0, n - 1), min_size=len(lists), max_size=len(lists))), np.int32)
        for n in (n_up, n_down)
    ]
    weights = [np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), np.int64) for n in (n_up, n_down)]
    capacity = np.array(draw(st.lists(st.integers(0, 12), min_size=n_literals, max_size=n_literals)), np.int64)
    allowed = np.array(draw(st.lists(st.booleans(), min_size=n_literals, max_size=n_literals)), bool)
    picked = draw(st.sets(st.integers(0, len(lists) - 1)).map(sorted))
    return lists, *ends, *weights, capacity, allowed, np.array(picked, np.int32)


@settings(max_examples=examples(200))
@given(pools(), st.integers(-1, 30))
def test_a_packing_respects_every_capacity_and_adds_up(pool, enough):
    lists, positive, negative, up, down, capacity, allowed, pairs = pool
    left_up, left_down = up.copy(), down.copy()
    load, u = np.zeros(len(allowed), np.int64), np.zeros(len(pairs), np.int64)
    masks = np.array([[sum(1 << name for name in names)] for names in lists], np.uint64)
    total = pack_masks(pairs, positive, negative, masks, allowed, capacity, left_up, left_down, load, enough, u)
    assert (u >= 0).all()
    assert total == u.sum()
    at_up, at_down, expected = np.zeros_like(up), np.zeros_like(down), np.zeros_like(load)
    for s, q in enumerate(pairs.tolist()):
        at_up[positive[q]] += u[s]
        at_down[negative[q]] += u[s]
        for name in lists[q]:
            if allowed[name]:
                expected[name] += u[s]
    assert left_up.tolist() == (up - at_up).tolist()
    assert left_down.tolist() == (down - at_down).tolist()
    assert (left_up >= 0).all()
    assert (left_down >= 0).all()
    assert load.tolist() == expected.tolist()
    assert (load <= capacity)[allowed].all()
    if total <= enough:  # then nothing was left that could still be packed
        for q in pairs.tolist():
            room = [capacity[name] - load[name] for name in lists[q] if allowed[name]]
            assert min(left_up[positive[q]], left_down[negative[q]], *room, 99) <= 0


@st.composite
def loads(draw):
    n = draw(st.integers(1, 5))
    numbers = st.lists(st.integers(0, 12), min_size=2 * n, max_size=2 * n)
    load, cost = np.array(draw(numbers), np.int64), np.array(draw(numbers), np.int64)
    allowed = np.array(draw(st.lists(st.booleans(), min_size=2 * n, max_size=2 * n)), bool)
    load[~allowed] = 0
    return load, cost, allowed, draw(st.integers(0, n + 1))


def choices(load, cost, allowed, most, must=None):
    """Every set of at most `most` allowed literals, one a feature, that contains `must`."""
    sets = [()]
    for f in range(len(load) // 2):
        here = [name for name in (2 * f, 2 * f + 1) if allowed[name] or name == must]
        sets = [(*s, must) for s in sets] if must in here else sets + [(*s, name) for s in sets for name in here]
    return [s for s in sets if len(s) <= most]


@settings(max_examples=examples(150))
@given(loads())
def test_most_gained_is_the_most_that_a_set_of_literals_takes_back(case):
    load, cost, allowed, most = case
    gained, least = most_gained(load, cost, allowed, most)
    assert gained == max(sum(load[x] - cost[x] for x in s) for s in choices(load, cost, allowed, most))
    gains = sorted(
        (max([0, *(load[x] - cost[x] for x in (2 * f, 2 * f + 1) if allowed[x])]) for f in range(len(load) // 2)),
        reverse=True,
    )
    assert least == (gains[most - 1] if 0 < most < len(gains) else 0)


@settings(max_examples=examples(150))
@given(loads(), st.integers(0, 40))
def test_literal_bounds_hold_for_every_set_with_the_literal_and_are_met_by_one(case, total):
    load, cost, allowed, most = case
    most = max(1, most)
    gained, least = most_gained(load, cost, allowed, most)
    bound = np.empty(len(load), np.int64)
    literal_bounds(total, load, cost, allowed, gained, least, bound)
    for name in np.flatnonzero(allowed).tolist():
        best = min(total - sum(load[x] - cost[x] for x in s) for s in choices(load, cost, allowed, most, must=name))
        assert bound[name] == best
