"""Risks by total of points: tables, logistic curves, and what is refused."""

import re
from fractions import Fraction

import numpy as np
import pytest

from supersparse import ScoringSystem, item
from supersparse.card.risk import LogisticRisk, TableRisk, risk_of
from supersparse.errors import InvalidCardError

# strokes for 100 patient-years by CHADS2 (Gage et al. 2001), as shares
CHADS2 = {0: 0.019, 1: 0.028, 2: 0.04, 3: 0.059, 4: 0.085, 5: 0.125, 6: 0.182}


def by_hand(risk):
    items = [item("age", at_least=75, points=1), item("stroke", equals=True, points=2)]
    return ScoringSystem.of(items, threshold=2, risk=risk)


def test_a_published_table_gives_the_risk_of_a_person_and_of_a_table():
    system = by_hand(CHADS2)
    assert system.predict_risk({"age": 80, "stroke": True}) == 0.059
    assert system.predict_risk({"age": [60, 80], "stroke": [True, False]}).tolist() == [0.04, 0.028]


def test_risks_do_not_move_with_the_threshold():
    system = by_hand(CHADS2)
    person = {"age": 80, "stroke": False}
    assert system.with_threshold(0).predict_risk(person) == system.predict_risk(person) == 0.028


def test_between_totals_a_table_is_linear_and_beyond_its_ends_constant():
    table = TableRisk(totals=(Fraction(1), Fraction(3)), risks=(0.1, 0.5))
    found = [risk_of(table, Fraction(t)) for t in (-9, 1, 2, 3, 99)]
    assert found == pytest.approx([0.1, 0.1, 0.3, 0.5, 0.5])


def test_a_logistic_risk_does_not_overflow():
    risk = LogisticRisk(slope=1e300, offset=0.0)
    assert risk.of(np.array([-1e300, 0.0, 1e300])).tolist() == [0.0, 0.5, 1.0]
    gentle = LogisticRisk(slope=0.5, offset=-1.0)
    assert risk_of(gentle, Fraction(4)) == pytest.approx(1 / (1 + np.exp(-1)))


@pytest.mark.parametrize("risk", [CHADS2, LogisticRisk(slope=0.3, offset=-4.0), {Fraction(1, 3): 0.1}])
def test_the_file_keeps_the_risks(risk):
    system = by_hand(risk)
    assert ScoringSystem.from_json(system.to_json()) == system


@pytest.mark.parametrize(
    ("risk", "message"),
    [
        ({0: 1.5}, "between 0 and 1"),
        ({0: float("nan")}, "between 0 and 1"),
        ({}, "no rows"),
        ({"many": 0.5}, "not a number"),
    ],
)
def test_impossible_tables_are_refused(risk, message):
    with pytest.raises(InvalidCardError, match=message):
        by_hand(risk)


def test_totals_must_rise():
    with pytest.raises(InvalidCardError, match="list them in increasing order"):
        TableRisk(totals=(Fraction(1), Fraction(1)), risks=(0.1, 0.2))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"table"', '"tables"', "did you mean 'table'"),
        ('"risk": 0.019', '"risk": 2', "between 0 and 1"),
        ('"risk": 0.019', '"risk": "0.019"', "finite number"),
        ('"total": 0', '"totall": 0', "lacks 'total'"),
        ('"total": 1,', '"total": 0,', "list them in increasing order"),
    ],
)
def test_damaged_risks_in_a_file_are_refused(old, new, message):
    text = re.sub(r',\n  "digest": "[^"]*"', "", by_hand(CHADS2).to_json())
    assert old in text
    with pytest.raises(InvalidCardError, match=message):
        ScoringSystem.from_json(text.replace(old, new))


def test_a_card_without_risks_says_what_to_do():
    with pytest.raises(InvalidCardError, match="recalibrate"):
        by_hand(None).predict_risk({"age": 80, "stroke": False})
