"""Elements of arrays: the same as numba reads and writes, and left to numba where they are something else."""

import operator

import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target

from supersparse.solving.kernels.elements import element_code
from supersparse.solving.kernels.jit import kernel


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
    "dtype", [np.int64, np.int32, np.uint8, np.float64, np.float32, np.bool_, np.complex128]
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


def test_views_and_arrays_in_another_order_are_left_to_numba():
    values = np.arange(6.0).reshape(2, 3)
    assert read(values, -1).tolist() == [3.0, 4.0, 5.0]
    assert read(values[:, 1], 1) == 4.0
    assert read_pair(values.T, 2, 1) == 5.0
    assert write(values.copy(), 0, 8.0)[0].tolist() == [8.0, 8.0, 8.0]


@pytest.mark.parametrize(
    ("kind", "index", "is_an_element"),
    [
        (numba.float64[::1], numba.int64, True),
        (numba.float64[:, ::1], numba.types.UniTuple(numba.int64, 2), True),
        (numba.float64[:, ::1], numba.int64, False),
        (numba.float64[:], numba.int64, False),
        (numba.float64[::1], numba.types.slice2_type, False),
        (numba.types.List(numba.float64), numba.int64, False),
    ],
)
def test_only_numbers_in_order_of_their_rows_are_elements(kind, index, is_an_element):
    signature = numba.float64(kind, index)
    code = element_code(cpu_target.target_context, operator.getitem, signature)
    assert (code is not None) == is_an_element
