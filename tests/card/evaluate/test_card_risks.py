"""The risks of the card itself, judged on rows that they were not fitted to."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss

from card.evaluate.rated import SYSTEM, labels, table
from supersparse import ScoringSystem
from supersparse.card.risk import LogisticRisk, TableRisk

TOTALS = [-2] * 10 + [0] * 10 + [2] * 10
POSITIVE = ([True] * 1 + [False] * 9) + ([True] * 5 + [False] * 5) + ([True] * 9 + [False] * 1)


def with_risk(risk):
    return ScoringSystem(replace(SYSTEM.card, risk=risk))


def test_a_card_that_is_wrong_at_a_new_site_is_seen_to_be_wrong():
    # slope 2 is too steep here, and an offset of 1 too high
    system = with_risk(LogisticRisk(slope=2, offset=1))
    found = system.evaluate(table(TOTALS), labels(POSITIVE))
    risks = 1 / (1 + np.exp(-(2 * np.array(TOTALS) + 1)))
    assert found.forecasts.log_loss == pytest.approx(log_loss(POSITIVE, risks))
    assert found.calibration.slope < 0.7
    assert found.calibration.intercept < 0
    said = found.in_words()
    assert f"log loss {found.forecasts.log_loss:.4f}" in said
    assert f"slope {found.calibration.slope:.2f} (ideal 1)" in said
    assert found.cells()["calibration_slope"] == found.calibration.slope
    rows = system.risk(table(TOTALS), labels(POSITIVE)).rows
    assert [row.card_risk for row in rows] == pytest.approx(1 / (1 + np.exp([3, -1, -5])))
    assert [row.observed.value for row in rows] == pytest.approx([0.1, 0.5, 0.9])


def test_the_table_has_a_column_for_the_card_only_where_it_has_risks_and_fits_into_80_columns():
    own = with_risk(TableRisk(totals=(-2, 2), risks=(0.2, 0.6)))
    lines = str(own.risk(table(TOTALS), labels(POSITIVE))).splitlines()
    assert lines[0].split()[3:] == ["observed", "risk", "card", "calibrated", "cross-fitted"]
    assert [line.split()[5] for line in lines[1:]] == ["0.200", "0.400", "0.600"]
    assert max(map(len, lines)) <= 80
    assert " card " not in str(SYSTEM.risk(table(TOTALS), labels(POSITIVE)))


def test_joined_totals_have_the_mean_of_their_risks():
    own = with_risk(TableRisk(totals=(-2, 2), risks=(0.2, 0.6)))
    (row,) = own.risk(table(TOTALS), labels(POSITIVE), bins=1).rows
    assert row.card_risk == pytest.approx(0.4)


def test_what_had_no_risk_and_happened_is_an_infinite_loss():
    never = with_risk(TableRisk(totals=(-2, 2), risks=(0.0, 1.0)))
    found = never.evaluate(table([-2, 2]), labels([True, True]))
    assert found.forecasts.log_loss == float("inf")
    assert found.cells()["log_loss"] is None
    assert never.evaluate(table([-2, 2]), labels([False, True])).forecasts.log_loss == 0
