"""Arrays of numbers as integers, exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from supersparse.base.exact import nearest_float
from supersparse.base.integer_arrays import gcd_of, integer_column, largest_magnitude, quotients

finite = {"allow_nan": False, "allow_infinity": False}


def assert_reproduced(column):
    integers, scale = integer_column(column)
    assert [Fraction(int(v), scale) for v in integers] == [Fraction(str(v)) for v in column]
    assert np.gcd(np.array(scale, dtype=object), gcd_of(integers)) == 1


@given(hnp.arrays(np.float64, st.integers(1, 8), elements=st.floats(**finite)))
def test_a_column_of_doubles_is_kept_exactly(column):
    assert_reproduced(column)


@given(hnp.arrays(np.float32, st.integers(1, 8), elements=st.floats(width=32, **finite)))
def test_a_column_of_single_precision_is_kept_exactly(column):
    assert_reproduced(column)


@given(st.lists(st.floats(**finite), min_size=1, max_size=8))
def test_a_column_of_long_doubles_is_kept_exactly(numbers):
    assert_reproduced(np.array(numbers, np.longdouble) / 3)


@given(st.lists(st.integers(-(10**15) + 1, 10**15 - 1), min_size=1, max_size=8), st.integers(0, 15))
def test_a_column_of_short_decimals_is_kept_exactly(numerators, digits):
    assert_reproduced(np.array([float(f"{n}e-{digits}") for n in numerators]))


@given(st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=8))
def test_integers_of_any_length_are_kept(numbers):
    integers, scale = integer_column(np.array(numbers, dtype=object))
    assert (integers.tolist(), scale) == (numbers, 1)


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        (np.array([127, -127]), np.int8),
        (np.array([-128], dtype=np.int8), np.int16),
        (np.array([2**40]), np.int64),
        (np.array([2**64 - 1], dtype=np.uint64), object),
        (np.array([-(2**63)]), object),
        (np.array([True, False]), np.int8),
    ],
)
def test_the_smallest_type_whose_negative_fits_too_is_used(column, dtype):
    integers, _ = integer_column(column)
    assert integers.dtype == dtype
    assert [int(v) for v in integers] == [int(v) for v in column]


def test_the_magnitude_of_the_smallest_integer_does_not_overflow():
    assert largest_magnitude(np.array([-128], dtype=np.int8)) == 128


def test_the_common_divisor_of_zeros_is_zero():
    assert gcd_of(np.array([0, 0])) == 0
    assert gcd_of(np.array([12, 18], dtype=object)) == 6


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1), st.integers(1, 10**330))
def test_nearest_floats_keep_their_sign(numerators, denominator):
    floats = quotients(np.array(numerators, dtype=object), denominator)
    for n, found in zip(numerators, floats.tolist(), strict=True):
        assert found == nearest_float(Fraction(n, denominator))
        assert (found > 0, found < 0) == (n > 0, n < 0)
