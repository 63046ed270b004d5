from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paper_study.tiny import tiny_data
from study.methods.contract import Linear
from study.methods.rounding import UnitWeights, fewest_errors, in_set, scaled_to_set, times_ten
from study.methods.slim import study_problem

coefficients = st.lists(st.floats(-50, 50), min_size=3, max_size=3).map(np.array)


def test_saps_rounds_ten_times_the_coefficients_and_the_intercept():
    rounded = times_ten(Linear(np.array([0.26, -1.44, 0.04]), -3.21))
    assert rounded.coefficients.tolist() == [3, -14, 0]
    assert rounded.intercept == -32
    assert rounded.size.features == 2


@settings(max_examples=100)
@given(coefficients)
@example(np.array([0.0, 0.0, 3.56e-307]))  # 100 over it is infinite
def test_scaling_to_the_set_reaches_its_end_and_stays_inside(given_coefficients):
    rounded = scaled_to_set(Linear(given_coefficients, 1.0)).coefficients
    largest = np.abs(given_coefficients).max()
    assert np.abs(rounded).max() == (100 if largest else 0)
    assert np.array_equal(rounded, np.round(rounded))
    if largest:
        assert np.allclose(rounded, given_coefficients * 100 / largest, atol=0.5 + 1e-9)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=12))
def test_the_threshold_has_the_fewest_errors(rows):
    scores, y = np.array([float(s) for s, _ in rows]), np.array([label for _, label in rows])
    found = np.sum((scores > fewest_errors(scores, y)) != y)
    assert found == min(np.sum((scores > t) != y) for t in np.arange(-1.5, 8))


def test_unit_weights_are_signs_of_what_tells_the_classes_apart():
    data = tiny_data()
    method = UnitWeights()
    models = {m.setting.number("least_z"): m for m in method.fit(data, method.settings(data), 0)}
    spread = data.X.std(axis=0)
    signs = np.round(models[0.0].linear.coefficients * spread, 9)
    assert signs.tolist()[:2] == [1, -1]
    assert set(np.abs(signs)) <= {0, 1}
    assert models[16.0].size.features == 0
    assert models[1.96].size.features == 2  # the third column is noise


def test_a_model_in_the_set_is_counted_exactly_and_with_its_best_intercept():
    data = tiny_data()
    free, paper = (study_problem(data, 0.0, intercept=kind) for kind in ("free", "paper"))
    found = in_set(free, paper, Linear(np.array([2.0, -1.0, 0.001]), 1e6))
    scores = 100 * data.X[:, 0] - 50 * data.X[:, 1]
    best = min(np.sum((scores > t) != data.y) for t in np.unique(scores) + 0.5)
    assert found.errors == min(best, data.y.sum())
    assert found.features == 2
    # beside an intercept of a million all coefficients round to 0, and a constant model is left
    assert (found.paper_features, found.paper_errors) == (0, min(data.y.sum(), (~data.y).sum()))
    assert found.paper_errors_without_b == len(data.y)  # every score is 0


def test_a_model_in_the_papers_set_keeps_its_intercept_inside():
    data = tiny_data()
    free, paper = (study_problem(data, 0.0, intercept=kind) for kind in ("free", "paper"))
    found = in_set(free, paper, Linear(np.array([2.0, -1.0, 0.001]), -4.0))
    scores = 50 * data.X[:, 0] - 25 * data.X[:, 1]  # and the intercept -100
    wrong = [np.sum(np.where(data.y, scores + b <= 0, scores + b >= 0)) for b in range(-100, 101)]
    assert (found.paper_features, found.paper_errors) == (2, min(wrong))
    assert found.paper_errors_without_b == wrong[100]
    assert found.paper_objective(60, Fraction(1, 100)) == min(
        Fraction(int(min(wrong)), 60) + Fraction(3, 100), Fraction(int(wrong[100]), 60) + Fraction(2, 100)
    )
    assert found.objective(60, Fraction(1, 100)) == Fraction(found.errors, 60) + Fraction(2, 100)


@pytest.mark.parametrize("largest", [5, 100])
def test_a_model_without_features_stays_one(largest):
    assert scaled_to_set(Linear(np.zeros(2), 1.0), largest).size.features == 0
