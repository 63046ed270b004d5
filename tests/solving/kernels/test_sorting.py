"""The merge sort against numpy's stable one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.solving.kernels.sorting import order_of


@given(st.lists(st.integers(-4, 4) | st.integers(-(2**62), 2**62), max_size=70))
def test_it_is_a_stable_argsort(keys):
    keys = np.array(keys, np.int64)
    assert order_of(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 16, 17, 64, 65, 1000])
def test_it_handles_every_length_of_the_last_run(n):
    keys = np.random.default_rng(n).integers(0, max(1, n // 3), n)
    assert order_of(keys).tolist() == np.argsort(keys, kind="stable").tolist()
