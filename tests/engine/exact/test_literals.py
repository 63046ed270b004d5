"""Literals: the numbering, which the compiled core shares (`native/errors/pairs.hpp`)."""

import numpy as np
import pytest

from supersparse.engine.exact.literals import (
    SIGNS,
    both_literals,
    by_feature,
    feature_of,
    flags_of,
    for_both_signs,
    is_negative,
    literals_where,
    negative_literal,
    positive_literal,
    sign_of,
)


@pytest.mark.parametrize("f", [0, 1, 7])
def test_a_literal_gives_back_its_feature_and_sign(f):
    plus, minus = both_literals(f)
    assert (plus, minus) == (positive_literal(f), negative_literal(f))
    assert feature_of(plus) == feature_of(minus) == f
    assert (sign_of(plus), sign_of(minus)) == SIGNS
    assert (is_negative(plus), is_negative(minus)) == (False, True)


def test_arrays_over_literals_hold_both_signs_of_a_feature_side_by_side():
    flags = flags_of([positive_literal(0), negative_literal(2)], n_features=3)
    assert literals_where(flags) == (positive_literal(0), negative_literal(2))
    assert by_feature(flags).tolist() == [[True, False], [False, False], [False, True]]
    assert for_both_signs(np.array([5, 7])).tolist() == [5, 5, 7, 7]
