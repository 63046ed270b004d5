"""The coefficient sets of section 3.4."""

from fractions import Fraction

import numpy as np
import pytest

from supersparse.errors import InvalidProblemError
from supersparse.problem.coefficients import (
    CoefficientSet,
    integers,
    non_negative,
    non_positive,
    one_digit,
    two_digits,
)


def test_integers_run_from_minus_to_plus_the_largest():
    assert integers(2).values == (-2, -1, 0, 1, 2)
    assert len(integers().values) == 201
    assert integers(3, smallest=1).values == (1, 2, 3)


def test_sign_constrained_sets_keep_zero():
    assert non_negative(2).values == (0, 1, 2)
    assert non_positive(2).values == (-2, -1, 0)


def test_one_significant_digit_has_109_values():
    values = one_digit().values
    assert len(values) == 109
    assert {Fraction(1, 1000), Fraction(7, 10), 900, -900} <= set(values)
    assert Fraction(11, 10) not in values
    assert (min(v for v in values if v > 0), max(values)) == (Fraction(1, 1000), 900)


def test_two_significant_digits_have_559_values():
    values = two_digits().values
    assert len(values) == 559
    assert max(values) == 9900
    assert {1, 9, 10, 99, 110, 9800, -9900} <= set(values)
    assert not {101, 9901, Fraction(1, 2)} & set(values)


def test_any_finite_set_is_sorted_free_of_repeats_and_exact():
    chosen = CoefficientSet.of([0.5, 0, -0.1, 0.50])
    assert chosen.values == (Fraction(-1, 10), 0, Fraction(1, 2))
    assert chosen.denominator == 10
    assert Fraction(1, 2) in chosen
    assert 1 not in chosen
    assert (chosen.least, chosen.greatest, chosen.largest_magnitude) == (
        Fraction(-1, 10),
        Fraction(1, 2),
        Fraction(1, 2),
    )


def test_numpy_arrays_and_ranges_are_sets_too():
    assert CoefficientSet.of(np.array([1, -1])) == CoefficientSet.of(range(-1, 2, 2))


def test_symmetry_needs_each_value_and_its_negative():
    assert integers(3).is_symmetric
    assert not non_negative(3).is_symmetric


def test_bounds_cut_a_set_and_may_be_open():
    assert integers(5).within(-1, 2, "age").values == (-1, 0, 1, 2)
    assert integers(2).within(None, 0, "age") == non_positive(2)


def test_a_long_set_is_shown_by_its_ends():
    assert repr(integers(100)) == "CoefficientSet(-100, -99, -98, ..., 98, 99, 100; 201 values)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CoefficientSet.of([]), "is empty; give at least one value"),
        (lambda: CoefficientSet(()), "is empty"),
        (lambda: CoefficientSet((Fraction(1), Fraction(0))), "sorted"),
        (lambda: CoefficientSet.of("12"), "a coefficient set is '12'; give numbers"),
        (lambda: CoefficientSet.of(5), "a coefficient set is 5; give numbers"),
        (lambda: CoefficientSet.of([1, float("nan")]), "a value of a coefficient set is nan; give a finite"),
        (lambda: integers(-1), "integers from 1 to -1 is empty"),
        (lambda: integers(1.5), "integers from -1.5 to 1.5 is empty; give whole numbers"),
        (lambda: integers(5).within(2, 1, "age"), "'age': upper bound 1 is below lower bound 2; swap them"),
        (lambda: integers(5).within(7, 9, "age"), r"'age': no value of .* between the bounds 7 and 9; widen"),
        (lambda: integers(5).within(float("nan"), 1, "age"), "'age': the lower bound is nan"),
    ],
)
def test_an_impossible_set_is_refused_with_what_to_do(make, message):
    with pytest.raises(InvalidProblemError, match=message):
        make()
