"""Calibration in the large: one shift of all log-odds, and the mean risk is the share of positives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supersparse.card.evaluate.calibrating import in_the_large
from supersparse.card.risk import LogisticRisk, TableRisk


def log_odds(risks):
    return np.log(risks) - np.log1p(-np.asarray(risks))


@settings(max_examples=50)
@given(
    slope=st.floats(-2, 2),
    offset=st.floats(-5, 5),
    totals=st.lists(st.integers(-5, 5), min_size=1, max_size=9),
    share=st.floats(0.01, 0.99),
)
def test_the_mean_becomes_the_share_and_the_slope_stays(slope, offset, totals, share):
    totals = np.array(totals, dtype=float)
    weights = np.arange(1.0, len(totals) + 1)
    found = in_the_large(LogisticRisk(slope=slope, offset=offset), totals, weights, share)
    assert found.slope == slope
    assert np.average(found.of(totals), weights=weights) == pytest.approx(share)


def test_a_table_moves_by_the_same_log_odds_at_every_total():
    table = TableRisk(totals=(0, 1, 2), risks=(0.1, 0.4, 0.8))
    found = in_the_large(table, np.array([0.0, 1.0, 2.0]), np.ones(3), 0.6)
    shifts = log_odds(found.risks) - log_odds(table.risks)
    assert shifts == pytest.approx([shifts[0]] * 3)
    assert np.mean(found.risks) == pytest.approx(0.6)


def test_risks_of_0_and_1_stay():
    table = TableRisk(totals=(0, 1, 2), risks=(0.0, 0.5, 1.0))
    assert in_the_large(table, np.array([0.0, 1, 2]), np.ones(3), 0.4).risks == pytest.approx((0, 0.2, 1))
    for out_of_reach in (0.2, 0.9):
        assert in_the_large(table, np.array([0.0, 1, 2]), np.ones(3), out_of_reach) == table
