"""How Python's arrays and named tuples reach a kernel of the compiled core."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.base.integer_arrays import Flags, Floats, Ints, Words
from supersparse.engine.core import kernel, struct


class Inner(NamedTuple):
    flag: Flags
    factor: int


class Outer(NamedTuple):
    whole: Ints
    inner: Inner
    table: Floats
    share: float


@kernel
def probe_struct(outer: Outer, more: float, words: Words) -> int: ...


@kernel
def probe_orders(keys: Ints, order: Ints, items: Ints) -> None: ...


def outer(**other):
    kept = Inner(np.array([True, False]), 10)
    usual = {"whole": np.array([1, -2, 4]), "inner": kept, "table": np.ones((2, 3)), "share": 0.5}
    return Outer(**{**usual, **other})


def test_structs_arrive_field_by_field_and_arrays_are_changed_in_place():
    own = outer()
    words = np.array([1 << 62, 7], np.uint64)
    assert probe_struct(own, 1.5, words) == 30 + 2 + 4
    assert own.table.tolist() == [[2, 2, 2], [1, 1, 1]]
    held = struct(own)
    assert probe_struct(held, 0.5, words) == 30 + 1 + 4
    assert own.table.tolist() == [[4, 4, 4], [1, 1, 1]]


@pytest.mark.parametrize(
    "other",
    [{"whole": np.array([1, 2], np.int32)}, {"table": np.ones((3, 2)).T}, {"inner": Inner(np.array([1, 0]), 1)}],
)
def test_another_dtype_and_an_array_with_gaps_are_refused_before_the_call(other):
    with pytest.raises(TypeError, match="contiguous array"):
        probe_struct(outer(**other), 0.0, np.zeros(1, np.uint64))


def test_what_a_kernel_refuses_is_an_error_with_its_words():
    with pytest.raises(ValueError, match="a row needs its flag"):
        probe_struct(outer(table=np.ones((3, 1))), 0.0, np.zeros(1, np.uint64))


@given(st.lists(st.one_of(st.integers(-5, 5), st.integers(-(2**62), 2**62)), max_size=80))
def test_orders_are_stable_for_near_and_for_far_keys(keys):
    order, items = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    probe_orders(np.array(keys, np.int64), order, items)
    expected = sorted(range(len(keys)), key=lambda i: keys[i])
    assert order.tolist() == expected
    assert items.tolist() == expected
