"""Sorting by counting and by merging against numpy's stable sort."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse.engine.kernels.sorting import order_by_counting, order_by_merging, order_of, sort_by


@given(st.lists(st.integers(-4, 4) | st.integers(-(2**62), 2**62), max_size=70))
def test_it_is_a_stable_argsort(keys):
    keys = np.array(keys, np.int64)
    assert order_of(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@given(st.lists(st.integers(-300, 300), min_size=1, max_size=70))
def test_both_ways_sort_alike(keys):
    keys = np.array(keys, np.int64)
    expected = np.argsort(keys, kind="stable").tolist()
    assert order_by_merging(keys).tolist() == expected
    assert order_by_counting(keys, keys.min(), keys.max()).tolist() == expected
    assert order_of(keys).tolist() == expected


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 16, 17, 64, 65, 1000])
def test_it_handles_every_length_of_the_last_run(n):
    keys = np.random.default_rng(n).integers(0, max(1, n // 3), n)
    expected = np.argsort(keys, kind="stable").tolist()
    assert order_of(keys).tolist() == order_by_merging(keys).tolist() == expected


@numba.njit
def sorted_items(key, items):
    spare, place = np.empty(len(items), np.int64), np.empty(2 * len(items) + 2, np.int64)
    result = items.copy()
    sort_by(key, result, len(items), spare, place)
    return result


near, far = st.integers(-40, 40), st.integers(-(2**61), 2**61)


@settings(max_examples=examples(100))
@given(st.lists(near | far, max_size=9).flatmap(lambda few: st.just(few) | _crowd(few)), st.data())
def test_items_are_sorted_by_their_keys(keys, draws):
    keys = np.array(keys, np.int64)
    some = draws.draw(st.lists(st.booleans(), min_size=len(keys), max_size=len(keys)))
    items = np.flatnonzero(np.array(some, bool))
    expected = items[np.argsort(keys[items], kind="stable")]
    assert sorted_items(keys, items).tolist() == expected.tolist()


def _crowd(few):
    """Many keys close to each other, and a few that may be far away: a bucket too full to insert into."""
    return st.lists(near, min_size=60, max_size=90).map(lambda many: many + few)
