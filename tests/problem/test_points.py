"""Points: integers over one denominator."""

from fractions import Fraction

import numpy as np
import pytest

from supersparse.errors import InvalidProblemError
from supersparse.problem.points import Points


def test_values_are_fractions_of_the_common_denominator():
    points = Points((1, 0, -4), 3, 2)
    assert points.values == (Fraction(1, 2), 0, -2)
    assert points.intercept_value == Fraction(3, 2)
    assert points.support == (0, 2)


def test_numpy_integers_become_pythons_own():
    points = Points(tuple(np.array([1, 2])), np.int64(3))
    assert {type(v) for v in (*points.coefficients, points.intercept)} == {int}


def test_values_are_placed_at_their_features():
    assert Points.at([2, 0], [5, 7], 4, -1) == Points((7, 0, 5, 0), -1)


def test_the_denominator_can_be_changed_but_nothing_is_rounded():
    assert Points((1, 3), 2, 2).over(6) == Points((3, 9), 6, 6)
    with pytest.raises(InvalidProblemError, match="not multiples of 1/3"):
        Points((1, 3), 2, 2).over(3)
