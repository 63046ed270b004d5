"""Reading and showing one number exactly."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.base.exact import exact, read_whole, shown, shown_range
from supersparse.errors import InvalidOptionError, InvalidProblemError


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


@pytest.mark.parametrize("wrong", [1, 1.0, "2", True, None, np.array([2])])
def test_what_is_no_whole_number_or_too_small_is_refused(wrong):
    with pytest.raises(InvalidOptionError, match=r"folds is .*; give a whole number of at least 2, or 0$"):
        read_whole(wrong, "folds", 2, InvalidOptionError, otherwise=", or 0")


def test_a_range_of_one_number_is_that_number():
    assert shown_range(Fraction(4), Fraction(4)) == "4"
    assert shown_range(Fraction(1, 2), Fraction(3)) == "0.5 to 3"
