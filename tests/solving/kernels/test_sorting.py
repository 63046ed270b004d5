"""Sorting by counting and by merging against numpy's stable sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.solving.kernels.sorting import order_by_counting, order_by_merging, order_of


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
