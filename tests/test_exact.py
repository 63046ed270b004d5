"""Reading numbers exactly."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from supersparse.errors import InvalidProblemError
from supersparse.exact import (
    exact,
    gcd_of,
    integer_column,
    largest_magnitude,
    nearest_float,
    quotients,
    shown,
)

finite = {"allow_nan": False, "allow_infinity": False}


@pytest.mark.parametrize(
    ("given_value", "read"),
    [
        (0.1, Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (5e-324, Fraction(5, 10**324)),
        (np.int8(-128), Fraction(-128)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (True, Fraction(1)),
    ],
)
def test_a_number_is_read_as_its_shortest_decimal(given_value, read):
    assert exact(given_value, "C0") == read


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("Infinity"), "0.1", None, [1]])
def test_what_is_no_finite_number_is_refused_by_name(value):
    with pytest.raises(InvalidProblemError, match=r"^C0 is .*; give a finite number"):
        exact(value, "C0")


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


@given(st.fractions())
def test_a_shown_number_is_exact(value):
    assert Fraction(shown(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567, "1234567"),
        ("-0.0014641288433382138", "-0.0014641288433382138"),  # shorter than as a fraction
        (Fraction(1, 2**60), "1/1152921504606846976"),
        (Fraction(-7, 2), "-3.5"),
    ],
)
def test_a_number_is_shown_as_a_person_would_write_it(value, text):
    assert shown(Fraction(value)) == text


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1), st.integers(1, 10**330))
def test_nearest_floats_keep_their_sign(numerators, denominator):
    floats = quotients(np.array(numerators, dtype=object), denominator)
    for n, found in zip(numerators, floats.tolist(), strict=True):
        assert found == nearest_float(Fraction(n, denominator))
        assert (found > 0, found < 0) == (n > 0, n < 0)
