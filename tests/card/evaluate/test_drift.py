"""Drift by item: shares, means and the stability index by hand, and weights as copies."""

from math import log

import numpy as np
import pytest
from hypothesis import given

from card.evaluate.rated import SYSTEM, copied, table, weighted_rows
from supersparse import ScoringSystem, SLIMClassifier, item
from supersparse.errors import InvalidDataError

CARD = ScoringSystem.of(
    [
        item("age", at_least=65, points=2),
        item("ward", equals="B", points=-1, missing=0),
        item("ward", is_missing=True, points=3),
        item("count", points=1),
    ],
    above=0,
    domains={"ward": ["A", "B"]},
)
THEN = {"age": [70, 60, 60, 60], "ward": ["A", "B", "A", "B"], "count": [0, 1, 2, 3]}
NOW = {"age": [70, 70, 60, 60], "ward": ["A", None, "C", "B"], "count": [0, 1, 2, 9]}


def test_shares_and_shifts_by_hand():
    age, ward, missing, count = CARD.drift(NOW, THEN).items
    assert (age.then.value, age.now.value, age.shift) == (0.25, 0.5, 0.5)
    assert (ward.then.value, ward.now.value, ward.shift) == (0.5, 0.25, 0.25)
    assert (ward.missing_then.value, ward.missing_now.value) == (0, 0.25)
    assert ward.outside_now == ("C",)
    assert (missing.now.value, missing.mean_points_now) == (0.25, 0.75)
    assert count.shift == 1.5


def test_the_shifts_add_up_to_that_of_the_mean_total():
    drift = CARD.drift(NOW, THEN)
    assert drift.shift == pytest.approx(np.mean(CARD.total(NOW)) - np.mean(CARD.total(THEN)))


def test_the_stability_index_by_hand():
    # 1 and 3 of 4 then, 2 and 2 of 4 now
    age, _, missing, _ = CARD.drift(NOW, THEN).items
    expected = (0.5 - 0.25) * log(0.5 / 0.25) + (0.5 - 0.75) * log(0.5 / 0.75)
    assert age.stability == pytest.approx(expected)
    # half a row for those that were none then: 4 and 0.5 of 4.5; 3 and 1 of 4 now
    before, after = 0.5 / 4.5, 0.25
    expected = (after - before) * log(after / before)
    expected += (0.75 - 4 / 4.5) * log(0.75 / (4 / 4.5))
    assert missing.stability == pytest.approx(expected)


def test_nothing_moves_between_a_table_and_itself():
    for found in CARD.drift(THEN, THEN).items:
        assert found.shift == found.stability == 0


def test_many_values_are_put_into_ten_ranges():
    then, now = {"x": list(range(1000))}, {"x": [v + 0.5 for v in range(1000)]}
    assert SYSTEM.drift(now, then).items[0].stability < 0.001
    assert SYSTEM.drift({"x": [v + 500 for v in range(1000)]}, then).items[0].stability > 1


def test_a_card_remembers_a_table_in_its_file():
    loaded = ScoringSystem.from_json(CARD.remember(THEN).to_json())
    assert loaded.drift(NOW) == CARD.drift(NOW, THEN)
    with pytest.raises(InvalidDataError, match="remembers no data"):
        CARD.drift(NOW)


@given(weighted_rows(), weighted_rows())
def test_what_a_card_remembers_stands_for_its_table(then, now):
    (old, _, weight_then), (new, _, weight_now) = then, now
    remembering = ScoringSystem.from_json(SYSTEM.remember(table(old), sample_weight=weight_then).to_json())
    assert remembering.drift(table(new), weight_now=weight_now) == SYSTEM.drift(
        table(new), table(old), weight_now=weight_now, weight_then=weight_then
    )


def test_a_card_does_not_keep_the_values_of_single_rows():
    then = {"x": [v + 0.25 for v in range(1000)]}
    (seen,) = SYSTEM.remember(then).card.seen
    assert (seen.in_ranges, len(seen.points), set(seen.weights)) == (True, 10, {100})
    now = {"x": [v + 300 for v in range(1000)]}
    assert SYSTEM.remember(then).drift(now) == SYSTEM.drift(now, then)


def test_a_learned_card_remembers_its_training_rows():
    rng = np.random.default_rng(0)
    X, weights = rng.integers(0, 30, (60, 2)) / 10, rng.integers(0, 3, 60)
    model = SLIMClassifier(C0=0.02, max_points=3, solver="exhaustive")
    model.fit(X, X[:, 0] + rng.normal(size=60) > 1.5, sample_weight=weights)
    system = model.scoring_system_
    assert system.card.items
    assert system.card.seen == system.remember(X, sample_weight=weights).card.seen
    moved = system.with_threshold(system.threshold + 1)
    assert moved.drift(X, weight_now=weights).shift == 0


@given(weighted_rows())
def test_weight_k_is_k_copies(rows):
    totals, _, weights = rows
    more, _, _ = copied(*rows)
    assert SYSTEM.remember(table(totals), sample_weight=weights) == SYSTEM.remember(table(more))


def test_a_card_on_raw_columns_remembers_what_was_missing():
    rng = np.random.default_rng(1)
    age = np.where(rng.random(80) < 0.2, np.nan, rng.integers(20, 90, 80))
    X, y = {"age": age, "sex": rng.choice(["F", "M"], 80)}, np.nan_to_num(age, nan=70) > 55
    model = SLIMClassifier(C0=0.03, max_points=2, prepare="auto", node_limit=300, time_limit=None).fit(X, y)
    system = ScoringSystem.from_json(model.scoring_system_.to_json())
    assert "age" in system.card.columns
    for found in system.drift(X).items:
        assert (found.shift, found.stability) == (0, 0)
        assert found.missing_then == found.missing_now
    missing = [i.missing_then.events for i in system.drift(X).items if "age" in i.name]
    assert set(missing) == {np.isnan(age).sum()}


def test_words_and_tables():
    drift = CARD.drift(NOW, THEN)
    assert "mean total moved by" in drift.in_words()
    assert list(drift.to_frame()["item"]) == [i.name for i in CARD.card.items]
    assert "ward = B" in str(drift)


def test_no_rows_cannot_be_remembered():
    with pytest.raises(InvalidDataError, match="nothing to remember"):
        SYSTEM.remember(table([1]), sample_weight=[0])
