"""The coefficient sets of section 3.4."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from supersparse.errors import InvalidProblemError
from supersparse.problem.points import CoefficientSet, integers, non_negative, non_positive, one_digit, two_digits


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


def test_a_set_has_one_form_however_it_was_made():
    assert CoefficientSet.of([1, 0.5, 0]).within(0, 0.5, "age") == CoefficientSet.of([0, 0.5])
    assert CoefficientSet.of([-1, 1]) == integers(1).required() == integers(1).excluding([Fraction(0)])
    assert CoefficientSet.of([4]) == integers(5).only(Fraction(4)) == CoefficientSet.of(range(4, 9, 7))
    assert hash(CoefficientSet.of([-2, -1, 1, 2])) == hash(integers(2).required())
    assert CoefficientSet.of([-2, -1, 1, 2]).values == (-2, -1, 1, 2)
    assert CoefficientSet.of([3, 6, 9]).with_zero() == CoefficientSet.of(range(0, 10, 3))
    assert CoefficientSet.of([5, 7]).with_zero().values == (0, 5, 7)


def test_ten_million_values_are_an_interval_and_not_a_list():
    wide = integers(10**15)
    assert (len(wide), wide.least, wide.greatest) == (2 * 10**15 + 1, -(10**15), 10**15)
    assert 10**15 in wide
    assert 10**15 + 1 not in wide
    assert Fraction(1, 2) not in wide
    assert wide.required().nearest(Fraction(0)) == -1
    assert wide.within(5, None, "age").least == 5
    assert wide.nearest(Fraction(7, 3)) == 2
    assert wide.around_zero == (-1, 0, 1)
    assert repr(wide).endswith("; 2000000000000001 values)")


def test_a_set_is_a_collection_of_its_values_from_the_smallest():
    assert list(CoefficientSet.of([0, 0.5, -0.5])) == [Fraction(-1, 2), 0, Fraction(1, 2)]
    assert list(integers(2).required()) == [-2, -1, 1, 2]
    assert len(list(one_digit())) == len(one_digit()) == len(set(one_digit()))
    assert next(iter(integers(10**17))) == -(10**17)  # none of the others is made
    assert CoefficientSet.of(one_digit()) == one_digit()


def test_a_number_of_any_type_is_in_a_set_by_its_value():
    tenths = CoefficientSet.of([0, 0.1, 0.2])
    assert all(value in tenths for value in (0.1, np.float64(0.2), Decimal("0.1"), np.int64(0), Fraction(1, 5)))
    assert all(value not in tenths for value in (0.3, float("nan"), float("inf"), "0.1", None, 1j))
    assert 0.0 not in integers(2).required()


def test_digits_take_their_exponents():
    assert Fraction(1, 10_000) not in one_digit()
    assert Fraction(1, 10_000) in one_digit((-4, 2))
    assert one_digit((0, 0)) == integers(9)
    assert two_digits((0, 0)).values[-1] == Fraction(99, 10)


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
        (lambda: one_digit((2, -3)), r"one_digit: the exponents are \(2, -3\); give two whole numbers in order"),
        (lambda: two_digits(3), "two_digits: the exponents are 3; give two whole numbers"),
        (
            lambda: one_digit(-4, 2),
            r"one_digit: the exponents are given as -4, 2, 2 arguments; .* one pair: one_digit\(\(-4, 2\)\)",
        ),
        (lambda: two_digits(1, 2, 3), r"3 arguments; give them as one pair: two_digits\(\(-3, 2\)\)"),
        (lambda: one_digit((0, 10**6)), "give numbers from -300 to 300"),
        (lambda: integers(10**15).within(5, None, "x").with_zero(), "too long a list if 0 is added"),
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
