"""The calibration line and the groups of a calibration plot."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from supersparse.errors import InvalidOptionError
from supersparse.evaluate.calibration_line import CalibrationLine, calibration_line
from supersparse.evaluate.forecasts import Forecasts

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
    return Forecasts(
        risks=risks, negatives=tuple(map(Fraction, negatives)), positives=tuple(map(Fraction, positives))
    )


def test_the_line_is_that_of_a_logistic_regression_on_the_log_odds():
    found = forecasts([(0.1, 40, 10), (0.3, 30, 12), (0.6, 12, 20), (0.9, 8, 22)])
    n = 154
    moved = (np.array(found.risks) * n + 0.5) / (n + 1)
    odds = np.log(moved / (1 - moved))[:, None]
    rows = np.vstack([odds, odds])
    fitted = LogisticRegression(C=np.inf, tol=1e-10).fit(
        rows, [0] * 4 + [1] * 4, sample_weight=[40, 30, 12, 8, 10, 12, 20, 22]
    )
    line = calibration_line(found)
    assert line.slope == pytest.approx(fitted.coef_[0, 0], abs=1e-5)
    assert line.intercept == pytest.approx(fitted.intercept_[0], abs=1e-5)


def test_risks_that_are_right_lie_on_the_diagonal():
    line = calibration_line(forecasts([(0.2, 8000, 2000), (0.5, 5000, 5000), (0.8, 2000, 8000)]))
    assert (line.intercept, line.slope) == pytest.approx((0, 1), abs=0.001)
    assert CalibrationLine(intercept=0.0, slope=1.0).observed(np.array([0.3])) == pytest.approx([0.3])


@pytest.mark.parametrize(
    "rows",
    [
        [(0.4, 5, 5)],
        [(0.2, 5, 0), (0.6, 5, 0)],
        [(0.0, 9, 0), (1.0, 0, 9)],
        [(0.3, 10, 0), (0.4, 0, 10)],
        [(0.3, 10, 0), (0.4, 3, 10), (0.5, 0, 2)],
        [(0.3, 0, 4), (0.4, 5, 0)],
    ],
    ids=["one risk", "one class", "certain and right", "separated", "nearly separated", "all wrong"],
)
def test_where_there_is_no_line(rows):
    assert calibration_line(forecasts(rows)) is None


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
