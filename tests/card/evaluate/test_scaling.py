"""Scaled cards: the scale by its definition, rounding by every combination of answers, classes kept."""

import math
from itertools import product

import pytest

from supersparse import ScoringSystem, item
from supersparse.card.risk import LogisticRisk
from supersparse.errors import InvalidCardError, InvalidOptionError, UnsupportedCardError

ITEMS = [
    item("age", below=25, points=3),
    item("age", at_least=25, below=40, points=1),
    item("arrears", equals=True, points=4, missing=2),
    item("home", one_of=["rents", "other"], points=1),
]
PEOPLE = [
    {"age": age, "arrears": arrears, "home": home}
    for age, arrears, home in product([20, 30, 50], [True, False, None], ["rents", "owns"])
]


def credit(risk):
    return ScoringSystem.of(ITEMS, threshold=4, classes=("pays", "defaults"), risk=risk)


LOGISTIC = credit(LogisticRisk(slope=0.5, offset=-3.0))


def exact_score(system, person, base_score=600, base_odds=50, double=20):
    risk = system.predict_risk(person)
    factor = double / math.log(2)
    return base_score + factor * (math.log((1 - risk) / risk) - math.log(base_odds))


def test_every_score_is_the_scale_rounded():
    scaling = LOGISTIC.scaled()
    scaled = ScoringSystem(scaling.card)
    off = [abs(float(scaled.total(p)) - exact_score(LOGISTIC, p)) for p in PEOPLE]
    assert max(off) == pytest.approx(scaling.rounding_error)
    assert scaling.rounding_error < 1.5
    assert all(i.points.denominator == 1 for i in scaling.card.items)
    assert scaling.same_classes
    for person in PEOPLE:
        assert scaled.predict(person) == LOGISTIC.predict(person)
        assert scaled.predict_risk(person) == pytest.approx(1 - LOGISTIC.predict_risk(person), abs=0.02)


def test_the_base_score_has_the_base_odds_and_more_points_double_them():
    risk = ScoringSystem(LOGISTIC.scaled(base_score=500, base_odds=20, points_to_double_odds=40).card).card.risk
    for score, odds in ((500, 20), (540, 40), (460, 10)):
        p = 1 / (1 + math.exp(-(risk.slope * score + risk.offset)))
        assert p / (1 - p) == pytest.approx(odds)


def test_the_odds_may_be_of_the_positive_class():
    scaling = LOGISTIC.scaled(odds_of="defaults", base_odds=1, base_score=100)
    assert scaling.card.classes == ("pays", "defaults")
    scaled = ScoringSystem(scaling.card)
    totals = [(LOGISTIC.total(p), scaled.total(p)) for p in PEOPLE]
    assert sorted(totals) == sorted(totals, key=lambda pair: (pair[0], pair[1]))
    assert all(scaled.predict(p) == LOGISTIC.predict(p) for p in PEOPLE)


def test_a_table_of_risks_is_scaled_by_the_line_through_its_log_odds():
    line = LogisticRisk(slope=0.5, offset=-3.0)
    table = credit({t: 1 / (1 + math.exp(-(line.slope * t + line.offset))) for t in range(9)})
    scaling = table.scaled()
    assert scaling.line_error is not None
    assert scaling.line_error < 3
    bent = credit({0: 0.01, 4: 0.5, 8: 0.51}).scaled()
    assert bent.line_error > 20
    assert "misses them by at most" in bent.in_words()


def test_rounding_that_changes_classes_is_said():
    scaling = LOGISTIC.scaled(points_to_double_odds=1)
    scaled = ScoringSystem(scaling.card)
    differs = any(scaled.predict(p) != LOGISTIC.predict(p) for p in PEOPLE)
    assert scaling.same_classes is not differs
    assert ("Rounding changes some classes" in scaling.in_words()) == differs


def test_what_cannot_be_scaled_is_refused():
    with pytest.raises(InvalidCardError, match="no risks"):
        credit(None).scaled()
    value = ScoringSystem.of([item("x", points=1)], above=0, risk=LogisticRisk(slope=1.0, offset=0.0))
    with pytest.raises(UnsupportedCardError, match="column 'x'"):
        value.scaled()
    with pytest.raises(InvalidCardError, match="one total"):
        credit({3: 0.2}).scaled()
    with pytest.raises(InvalidOptionError, match="base_odds is 0"):
        LOGISTIC.scaled(base_odds=0)
    with pytest.raises(InvalidOptionError, match="odds_of is 'x'"):
        LOGISTIC.scaled(odds_of="x")
