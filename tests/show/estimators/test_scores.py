"""decision_function: exact scores, rounded once, never to another sign."""

import sys
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from problem.reference import decimal, values
from supersparse import SLIMClassifier
from supersparse.base.exact import nearest_float
from supersparse.constraints import fixed
from supersparse.learn.scoring import score_rows
from supersparse.problem.points import Points


def forced(coefficients, intercept, between=()):
    """A model that can only be the one given; `between` are values of all columns beside 0 and 1."""
    asked = [fixed(f"x{j}", c) for j, c in enumerate(coefficients)]
    model = SLIMClassifier(C0=0.5, constraints=asked, intercept=(intercept, intercept), solver="exhaustive")
    X = np.array([[value] * len(coefficients) for value in (0.0, *between, 1.0)])
    return model.fit(X, [0, *[0] * len(between), 1])


def test_a_score_of_zero_in_decimals_is_zero_and_negative():
    model = forced([3, -1], 0)
    assert 3 * 0.1 - 0.3 > 0  # what floating point makes of it
    assert model.decision_function([[0.1, 0.3]]).tolist() == [0.0]
    assert model.predict([[0.1, 0.3]]).tolist() == [0]


def test_sums_are_rounded_once():
    assert forced([1, 1], 0, [0.5]).decision_function([[0.1, 0.2]]).tolist() == [0.3]


def test_the_sign_of_a_score_is_the_class_of_the_card():
    whole = forced([1, 1], 0, [0, -1])  # its card says "1 or more", which 0.3 points are not
    assert whole.scoring_system_.card.cutoff.positive == "1 or more"
    row = np.array([[0.1, 0.2]])
    assert (whole.decision_function(row).tolist(), whole.predict(row).tolist()) == ([0.0], [0])
    assert whole.scoring_system_.predict(row).tolist() == [0]
    fractional = SLIMClassifier(C0=0.3, solver="exhaustive", points=[1]).fit([[0.2], [0.3], [0.8], [0.9]], [0, 0, 1, 1])
    card = fractional.scoring_system_.card
    assert (card.totals_are_whole, card.cutoff.reached) == (False, True)
    row = np.array([[float(card.threshold)]])  # no training row has it, and "so many or more" includes it
    assert (0 < fractional.decision_function(row) < 1e-300).all()
    assert fractional.predict(row).tolist() == fractional.scoring_system_.predict(row).tolist() == [1]


def test_single_precision_is_read_as_its_own_decimals():
    row = np.array([[0.1, 0.3]], dtype=np.float32)
    assert forced([3, -1], 0).decision_function(row).tolist() == [0.0]


tables = st.integers(1, 4).flatmap(
    lambda p: st.tuples(
        st.lists(st.lists(values, min_size=p, max_size=p), min_size=1, max_size=4),
        st.lists(st.sampled_from([-100, -2, 1, 3]), min_size=p, max_size=p),
    )
)


@given(tables, st.integers(-5, 5), st.sampled_from([1, 2, 1000]))
def test_scores_are_the_exact_ones_and_depend_on_their_row_only(table, intercept, denominator):
    rows, coefficients = table
    points = Points(tuple(coefficients), intercept, denominator)
    X = np.array(rows, dtype=float)
    scores = score_rows(points, list(X.T), len(X))
    for row, score in zip(X, scores, strict=True):
        exact = sum((decimal(x) * c for x, c in zip(row, coefficients, strict=True)), Fraction(intercept))
        exact /= denominator
        assert (score > 0, score == 0) == (exact > 0, exact == 0)
        assert score == nearest_float(exact)
        assert score == score_rows(points, [np.array([x]) for x in row], 1)[0]


def test_no_score_is_rounded_to_zero_or_to_infinity():
    tiny, huge = Fraction(1, 10**400), Fraction(10**400)
    assert (nearest_float(tiny), nearest_float(-tiny)) == (5e-324, -5e-324)
    assert (nearest_float(huge), nearest_float(-huge)) == (sys.float_info.max, -sys.float_info.max)
    assert nearest_float(Fraction(0)) == 0.0


def test_integers_beyond_double_precision_keep_their_sign():
    points = Points((1, -1), 0)
    columns = [np.array([2**62 + 1, 2**62]), np.array([2**62, 2**62])]
    assert score_rows(points, columns, 2).tolist() == [1.0, 0.0]
