"""Elements and rows of arrays, and ranges: as numba has them, and left to numba where they are more."""

import operator

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.registry import cpu_target

from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.memory import element_code, range_code


def _read(values, i):
    return values[i]


def _write(values, i, value):
    values[i] = value
    return values


def _read_pair(values, i, j):
    return values[i, j]


def _write_pair(values, i, j, value):
    values[i, j] = value
    return values


read, write, read_pair, write_pair = map(kernel(), (_read, _write, _read_pair, _write_pair))


@pytest.mark.parametrize(
    "dtype",
    [np.int64, np.uint8, np.float64, np.bool_]
    + [pytest.param(dtype, marks=pytest.mark.long) for dtype in (np.int32, np.float32, np.complex128)],
)
@pytest.mark.parametrize("index", [0, 2, -1, -3, np.int32(-2), np.uint8(1), np.uint64(2)])
def test_a_number_is_read_and_written_as_numpy_does(dtype, index):
    values = np.array([3, 0, 7]).astype(dtype)
    assert read(values, index) == _read(values, index)
    assert (write(values.copy(), index, dtype(5)) == _write(values.copy(), index, dtype(5))).all()


@pytest.mark.parametrize("value", [2.75, -1, True, np.uint8(200)])
def test_a_number_of_another_type_is_written_as_the_type_of_the_array(value):
    for dtype in (np.int64, np.float64):
        assert (write(np.zeros(3, dtype), -1, value) == _write(np.zeros(3, dtype), -1, value)).all()


@pytest.mark.parametrize("index", [(0, 0), (1, 2), (-1, -3), (np.uint8(1), -1)])
def test_a_number_of_a_table_is_read_and_written_as_numpy_does(index):
    values = np.arange(6.0).reshape(2, 3)
    assert read_pair(values, *index) == _read_pair(values, *index)
    assert (write_pair(values.copy(), *index, 9) == _write_pair(values.copy(), *index, 9)).all()


@pytest.mark.parametrize("index", [0, 1, -1, -2, np.uint8(1)])
def test_a_row_of_a_table_is_a_view_of_it(index):
    values = np.arange(6.0).reshape(2, 3)
    row = read(values, index)
    assert row.tolist() == values[index].tolist()
    assert row.flags.c_contiguous
    row[1] = -7.0
    assert values[index, 1] == -7.0


def test_a_row_keeps_its_table_alive():
    @kernel(cache=False)
    def last_row(count):
        table = np.empty((count, 1000))
        table[-1] = 5.0
        return table[count - 1]

    rows = [last_row(count) for count in range(1, 50)]
    assert all((row == 5.0).all() for row in rows)


def test_what_is_not_a_row_or_an_element_and_arrays_in_another_order_are_left_to_numba():
    values = np.arange(6.0).reshape(2, 3)
    assert read(values.T, -1).tolist() == [2.0, 5.0]
    assert read(np.arange(8).reshape(2, 2, 2), 1).tolist() == [[4, 5], [6, 7]]
    assert read(values[:, 1], 1) == 4.0
    assert read_pair(values.T, 2, 1) == 5.0
    assert write(values.copy(), 0, 8.0)[0].tolist() == [8.0, 8.0, 8.0]


@pytest.mark.parametrize(
    ("kind", "index", "is_an_element"),
    [
        (numba.float64[::1], numba.int64, True),
        (numba.float64[:, ::1], numba.types.UniTuple(numba.int64, 2), True),
        (numba.float64[:, ::1], numba.int64, True),
        (numba.float64[::1, :], numba.int64, False),
        (numba.float64[:, :, ::1], numba.int64, False),
        (numba.float64[:], numba.int64, False),
        (numba.float64[::1], numba.types.slice2_type, False),
        (numba.types.List(numba.float64), numba.int64, False),
    ],
)
def test_only_numbers_and_rows_in_order_of_their_rows_are_elements(kind, index, is_an_element):
    signature = numba.float64(kind, index)
    code = element_code(cpu_target.target_context, operator.getitem, signature)
    assert (code is not None) == is_an_element


@kernel()
def _numbers(start, stop, step):
    found = np.empty(100, np.int64)
    count = 0
    for i in range(start, stop, step):
        found[count] = i
        count += 1
    return found[:count]


@kernel()
def _sum_below(stop):
    total = 0
    for i in range(stop):
        total += i
    return total


@given(st.integers(-20, 20), st.integers(-20, 20), st.integers(-7, 7).filter(bool))
def test_a_range_has_the_numbers_that_it_has_in_python(start, stop, step):
    assert _numbers(start, stop, step).tolist() == list(range(start, stop, step))
    assert _sum_below(stop) == sum(range(stop))


def test_ranges_of_other_whole_numbers_and_at_the_end_of_what_64_bits_hold():
    most = 2**63 - 1
    assert _numbers(most - 3, most, 2).tolist() == [most - 3, most - 1]
    assert _numbers(np.int32(1), np.int32(4), np.int32(2)).tolist() == [1, 3]
    assert _numbers(np.uint8(1), np.uint8(3), np.uint8(1)).tolist() == [1, 2]
    assert _sum_below(np.int32(4)) == _sum_below(np.uint64(4)) == 6


@pytest.mark.parametrize(
    ("made", "of", "is_ours"),
    [
        (numba.types.range_state64_type, (numba.int64,), True),
        (numba.types.range_state64_type, (numba.int64, numba.int64), True),
        (numba.types.range_state32_type, (numba.int32,), True),
        (numba.types.unsigned_range_state64_type, (numba.uint64,), False),
    ],
)
def test_only_ranges_of_signed_numbers_are_written_here(made, of, is_ours):
    context = cpu_target.target_context
    assert (range_code(context, range, made(*of)) is not None) == is_ours
    assert (range_code(context, "getiter", made.iterator_type(made)) is not None) == is_ours
    assert range_code(context, len, numba.int64(made)) is None
