"""The calibration line and the groups of a calibration plot."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from supersparse import RiskScoreClassifier, ScoringSystem, item
from supersparse.card.evaluate.forecasts import CalibrationLine, Forecasts, Labelled, calibration_line, why_no_line
from supersparse.errors import InvalidOptionError

weights = st.integers(0, 30).map(Fraction)
some_forecasts = st.lists(
    st.tuples(st.integers(0, 100), weights, weights), min_size=1, max_size=25, unique_by=lambda r: r[0]
).map(
    lambda rows: Forecasts(
        risks=tuple(r / 100 for r, _, _ in sorted(rows)),
        negatives=tuple(n for _, n, _ in sorted(rows)),
        positives=tuple(p + 1 for _, _, p in sorted(rows)),
    )
)


def forecasts(rows):
    risks, negatives, positives = zip(*rows, strict=True)
    return Forecasts(risks=risks, negatives=tuple(map(Fraction, negatives)), positives=tuple(map(Fraction, positives)))


def most_likely(risks, positive, weights):
    """Slope and intercept by scikit-learn's logistic regression on the log-odds."""
    risks = np.clip(np.asarray(risks), 1e-9, 1 - 1e-9)
    odds = np.log(risks / (1 - risks))[:, None]
    fitted = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(odds, positive, sample_weight=weights)
    return fitted.coef_[0, 0], fitted.intercept_[0]


ROWS = [(0.0, 9, 1), (0.1, 40, 10), (0.3, 30, 12), (0.6, 12, 20), (0.9, 8, 22), (1.0, 0, 3)]


@pytest.mark.parametrize("rows", [ROWS[1:5], ROWS], ids=["inside", "with risks of 0 and 1"])
@pytest.mark.parametrize("scale", [1, Fraction(1, 154), 10**6])
def test_the_line_is_that_of_a_logistic_regression_on_the_log_odds(rows, scale):
    risks, negatives, positives = zip(*rows, strict=True)
    line = calibration_line(forecasts([(r, n * scale, p * scale) for r, n, p in rows]))
    expected = most_likely(2 * risks, [0] * len(rows) + [1] * len(rows), negatives + positives)
    assert (line.slope, line.intercept) == pytest.approx(expected, abs=1e-5)


def test_weights_that_sum_to_1_do_not_change_the_line():
    rng = np.random.default_rng(0)
    risks = np.round(rng.random(150), 2)
    y, weights = rng.random(150) < risks**2, rng.random(150)
    cells = [
        (r, *(Fraction(weights[(risks == r) & (y == one)].sum()) for one in (False, True)))
        for r in np.unique(risks).tolist()
    ]
    whole = sum(n + p for _, n, p in cells)
    line, scaled = (calibration_line(forecasts([(r, n / by, p / by) for r, n, p in cells])) for by in (1, whole))
    assert (scaled.slope, scaled.intercept) == pytest.approx((line.slope, line.intercept), abs=1e-9)
    assert (line.slope, line.intercept) == pytest.approx(most_likely(risks, y, weights), abs=1e-5)


def test_the_training_rows_of_a_risk_score_lie_on_the_diagonal():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, size=(60, 2))
    y = rng.random(60) < 1 / (1 + np.exp(2 - X.sum(axis=1)))
    weights = rng.integers(1, 5, 60)
    card = RiskScoreClassifier(prepare=None, C0=0, max_points=2).fit(X, y, sample_weight=weights).scoring_system_
    for system in (card, card.recalibrate(X, y, sample_weight=weights / weights.sum())):
        line = system.evaluate(X, y, sample_weight=weights).calibration
        assert (line.slope, line.intercept) == pytest.approx((1, 0), abs=1e-5)


def test_risks_that_are_right_lie_on_the_diagonal():
    line = calibration_line(forecasts([(0.2, 8000, 2000), (0.5, 5000, 5000), (0.8, 2000, 8000)]))
    assert (line.intercept, line.slope) == pytest.approx((0, 1), abs=0.001)
    assert CalibrationLine(intercept=0.0, slope=1.0).observed(np.array([0.3])) == pytest.approx([0.3])


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([(0.4, 5, 5)], "all risks are equal"),
        ([(0.2, 5, 0), (0.6, 5, 0)], "all rows are of one class"),
        ([(0.0, 9, 0), (1.0, 0, 9)], "the risks separate the classes"),
        ([(0.3, 10, 0), (0.4, 0, 10)], "the risks separate the classes"),
        ([(0.3, 10, 0), (0.4, 3, 10), (0.5, 0, 2)], "the risks separate the classes"),
        ([(0.3, 0, 4), (0.4, 5, 0)], "the risks separate the classes"),
    ],
    ids=["one risk", "one class", "certain and right", "separated", "nearly separated", "all wrong"],
)
def test_where_there_is_no_line_it_is_said_why(rows, why):
    assert calibration_line(forecasts(rows)) is None
    assert why_no_line(forecasts(rows)) == f"There is no calibration slope: {why}."


def test_an_evaluation_says_why_it_has_no_calibration_slope():
    system = ScoringSystem.of([item("a", points=1)], above=0, risk={0: 0.2, 1: 0.6}, classes=("no", "yes"))
    found = system.evaluate({"a": [0, 1, 1]}, ["no", "no", "no"])
    assert found.in_words().endswith("There is no calibration slope: all rows are of one class.")


@given(some_forecasts, st.integers(1, 10), st.integers(1, 40))
def test_groups_hold_every_row_once_and_are_not_small(found, most, least):
    groups = found.groups(most, least).bins
    assert sum(b.observed.of for b in groups) == found.n
    assert sum(b.observed.events for b in groups) == sum(found.positives)
    assert len(groups) <= most
    predicted = [b.predicted for b in groups]
    assert predicted == sorted(predicted)
    if len(groups) > 1:
        assert all(b.observed.of >= min(least, found.n) for b in groups[:-1])
        assert 2 * groups[-1].observed.of >= least


def test_numbers_of_groups_below_one_are_refused():
    with pytest.raises(InvalidOptionError, match="most is 0"):
        forecasts([(0.4, 5, 5)]).groups(0)


@pytest.mark.parametrize("light", [1e-17, 1e-300])
def test_a_class_that_weighs_almost_nothing_beside_the_other_has_a_line(light):
    ones = np.ones(3)
    line = Labelled(values=np.array([0.0, 1.0, 2.0]), negatives=light * ones, positives=ones).line()
    assert line.slope == pytest.approx(0, abs=1e-6)
    assert line.offset == pytest.approx(-np.log(light), rel=1e-6)
