"""Risk within a horizon: weights by the Kaplan-Meier estimate of not being lost, in exact fractions."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supersparse import RiskScoreClassifier, ScoringSystem
from supersparse.card.evidence import facts
from supersparse.errors import InvalidDataError, InvalidOptionError
from supersparse.learn.comparison import Measures
from supersparse.learn.horizon import EVENT, LOST, OTHER, FollowUp, followed
from supersparse.learn.rows import TrainingRows

# (time, event, points), by hand
ROWS = [(1, 1, 3), (2, 0, 1), (3, 1, 2), (3, 0, 0), (4, 1, 3), (5, 0, 2), (5, 1, 0), (6, 0, 1), (7, 1, 3), (8, 0, 0),
        (9, 1, 1), (10, 0, 0)]  # fmt: skip
TIMES, EVENTS, POINTS = np.array(ROWS).T


def follow_up(times, ends, horizon):
    return FollowUp(times=np.asarray(times, float), ends=np.asarray(ends), horizon=Fraction(horizon), what="", unit="")


def risk_by_horizon(times, ends, horizon):
    """The Aalen-Johansen estimate of the event, which is 1 - Kaplan-Meier without other events."""
    free, risk = Fraction(1), Fraction(0)
    for time in sorted({t for t in times if t <= horizon}):
        at_risk = sum(t >= time for t in times)
        ended = [end for t, end in zip(times, ends, strict=True) if t == time and end != LOST]
        risk += free * Fraction(ended.count(EVENT), at_risk)
        free *= 1 - Fraction(len(ended), at_risk)
    return risk


def test_the_weights_of_the_table_by_hand():
    found = follow_up(TIMES, EVENTS, 6)
    beyond = Fraction(297, 160)
    assert found.weights() == [
        1, 0, Fraction(11, 10), 0, Fraction(99, 80), 0, Fraction(99, 80), 0, beyond, beyond, beyond, beyond
    ]  # fmt: skip
    assert found.cases.tolist() == [bool(t <= 6 and e) for t, e, _ in ROWS]
    weights = np.array(found.weights())
    assert weights.sum() == 12
    assert weights[found.cases].sum() / 12 == Fraction(61, 160) == risk_by_horizon(TIMES.tolist(), EVENTS.tolist(), 6)
    about = found.facts()
    assert (about.people, about.events, about.lost, about.others) == (12, 4, 4, 0)
    assert about.effective == pytest.approx(144 / float((weights**2).sum()))


def test_brier_and_auc_of_the_table_by_hand():
    found = follow_up(TIMES, EVENTS, 6)
    weights, case = np.array(found.weights()), found.cases
    for risks, brier in (
        (np.full(12, Fraction(61, 160)), Fraction(6039, 25600)),
        (POINTS * Fraction(1, 4), Fraction(15, 64)),
    ):
        assert (weights * (case - risks) ** 2).sum() / 12 == brier
    measured = Measures.of(POINTS / 4, case, found.row_weights(), 0.5)
    assert measured.auc == pytest.approx(1979 / 2928, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 8), st.sampled_from([LOST, EVENT, OTHER])), min_size=4, max_size=30),
    st.integers(1, 8),
)
def test_the_weighted_share_is_that_of_aalen_and_johansen_exactly(people, horizon):
    times, ends = map(list, zip(*people, strict=True))
    found = follow_up(times, ends, horizon)
    if not any(time > horizon for time in times):
        return  # nobody is followed beyond
    weights = found.weights()
    assert sum(weights) == len(people)
    share = sum(w for w, case in zip(weights, found.cases.tolist(), strict=True) if case) / len(people)
    assert share == risk_by_horizon(times, ends, horizon)


def survivors(n=400, seed=0):
    random = np.random.default_rng(seed)
    age = random.integers(30, 90, n)
    event = random.exponential(2000 / np.exp((age - 60) / 20))
    loss = random.uniform(200, 3000, n)
    times = np.ceil(np.minimum(event, loss))
    return {"age": age, "other": random.integers(0, 5, n)}, (event <= loss).astype(int), times


def test_a_card_within_a_horizon_has_the_risk_of_kaplan_and_meier():
    X, died, times = survivors()
    model = RiskScoreClassifier(teacher=None, validate=True, time_limit=None).fit(X, died, times=times, horizon=365)
    system = model.scoring_system_
    expected = risk_by_horizon(times.tolist(), died.tolist(), 365)
    weights = follow_up(times, died, 365).row_weights()
    assert np.average(system.predict_risk(X), weights=weights) == pytest.approx(float(expected), abs=1e-6)
    seen = system.card.risk.seen
    lost = int(((times <= 365) & (died == 0)).sum())
    assert sum(seen.cases) == 400 - lost
    assert sum(seen.events) == int(((times <= 365) & (died == 1)).sum())
    assert all(count.denominator == 1 for count in (*seen.cases, *seen.events))
    said = dict(facts(system.card))["Follow-up"]
    assert f"{lost} of 400 people were lost before" in said
    assert "does not depend on their risk" in said
    assert "the event within 365" in said
    assert ScoringSystem.from_json(system.to_json()) == system
    assert json.loads(system.to_json())["provenance"]["horizon"]["people"] == 400
    judged = system.card.performance[-1]
    assert judged.on == "cross-validation"
    assert float(judged.n) == pytest.approx(400)


def test_without_losses_the_card_is_that_without_times_to_the_byte():
    X, _, times = survivors()
    beyond = times > 800
    plain = RiskScoreClassifier(teacher=None, time_limit=None).fit(X, (~beyond).astype(int))
    ends = np.where(beyond, 0, 1)
    timed = RiskScoreClassifier(teacher=None, time_limit=None).fit(X, ends, times=times, horizon=800)
    assert timed.scoring_system_.card.items == plain.scoring_system_.card.items
    assert timed.scoring_system_.card.risk == plain.scoring_system_.card.risk
    assert timed.objective_ == plain.objective_


def test_other_events_are_never_a_loss():
    ends = np.array([0, 1, 2] * 40)
    times = np.arange(120) % 17 + 1.0
    X = {"x": np.arange(120) % 7, "z": np.arange(120) % 5}
    with pytest.raises(InvalidDataError, match="has 3 values"):
        RiskScoreClassifier(teacher=None).fit(X, ends, times=times, horizon=9)
    model = RiskScoreClassifier(teacher=None, positive=1).fit(X, ends, times=times, horizon=9, censored=0)
    about = model.scoring_system_.card.provenance.horizon
    assert about.others == int(((times <= 9) & (ends == 2)).sum())
    assert "another event that rules it out" in dict(facts(model.scoring_system_.card))["Follow-up"]


def test_each_fold_weighs_its_own_rows():
    X, died, times = survivors(60)
    about, event, lost = followed(died, times, 365, None, None)
    rows = TrainingRows(X=X, y=died, sample_weight=None, rate_groups=None).within(about, event, lost)
    some = np.arange(0, 60, 2)
    assert rows.part(some).sample_weight.sum() == pytest.approx(30)
    own = follow_up(times[some], died[some], 365).row_weights()
    assert rows.part(some).sample_weight == pytest.approx(own)
    assert rows.take(some).sample_weight == pytest.approx(rows.sample_weight[some])


@pytest.mark.parametrize(
    ("how", "error", "match"),
    [
        ({"horizon": 10_000}, InvalidDataError, "nobody is followed to 10000"),
        ({"horizon": 0}, InvalidDataError, "horizon"),
        ({"horizon": None}, InvalidOptionError, "belong together"),
        ({"times": [1.0]}, InvalidDataError, "1 times for 400 rows"),
        ({"times": np.full(400, np.nan)}, InvalidDataError, "time of row 0"),
        ({"sample_weight": np.ones(400)}, InvalidDataError, "cannot have others"),
    ],
)
def test_what_says_nothing_is_refused(how, error, match):
    X, died, times = survivors()
    with pytest.raises(error, match=match):
        RiskScoreClassifier(teacher=None).fit(X, died, **{"times": times, "horizon": 365, **how})
