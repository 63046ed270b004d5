"""Drift by item: shares, means and the stability index by hand, and weights as copies."""

from math import log

import numpy as np
import pytest
from hypothesis import given

from evaluate.rated import SYSTEM, copied, table, weighted_rows
from supersparse import ScoringSystem, item
from supersparse.errors import InvalidDataError
from supersparse.evaluate.summary import Summary

CARD = ScoringSystem.of(
    [
        item("age", at_least=65, points=2),
        item("ward", equals="B", points=-1, missing=0),
        item("ward", is_missing=True, points=3),
        item("count", points=1),
    ],
    threshold=0,
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
    assert drift.shift == pytest.approx(np.mean(CARD.score(NOW)) - np.mean(CARD.score(THEN)))


def test_the_stability_index_by_hand():
    # half a row added to each of two ranges: 1.5 and 3.5 of 5 then, 2.5 and 2.5 of 5 now
    age = CARD.drift(NOW, THEN).items[0]
    expected = (0.5 - 0.3) * log(0.5 / 0.3) + (0.5 - 0.7) * log(0.5 / 0.7)
    assert age.stability == pytest.approx(expected)


def test_nothing_moves_between_a_table_and_itself():
    for found in CARD.drift(THEN, THEN).items:
        assert found.shift == found.stability == 0


def test_many_values_are_put_into_ten_ranges():
    then, now = {"x": list(range(1000))}, {"x": [v + 0.5 for v in range(1000)]}
    assert SYSTEM.drift(now, then).items[0].stability < 0.001
    assert SYSTEM.drift({"x": [v + 500 for v in range(1000)]}, then).items[0].stability > 1


def test_a_summary_stands_for_its_table():
    assert CARD.drift(NOW, CARD.summarise(THEN)) == CARD.drift(NOW, THEN)
    with pytest.raises(InvalidDataError, match="other items"):
        SYSTEM.drift({"x": [1]}, CARD.summarise(THEN))


def test_a_summary_can_be_kept_as_text():
    kept = CARD.summarise(THEN, sample_weight=[0.1, 2, 1, 0])
    assert Summary.from_json(kept.to_json()) == kept
    text = kept.to_json()
    damaged = ["", "[]", "{}", text.replace("summary", "card"), text.replace('"2"', '"x"')]
    for text in damaged:
        with pytest.raises(InvalidDataError, match="no summary"):
            Summary.from_json(text)


@given(weighted_rows())
def test_weight_k_is_k_copies(rows):
    totals, _, weights = rows
    more, _, _ = copied(*rows)
    assert SYSTEM.summarise(table(totals), sample_weight=weights) == SYSTEM.summarise(table(more))


def test_words_and_tables():
    drift = CARD.drift(NOW, THEN)
    assert "mean total moved by" in drift.in_words()
    assert list(drift.to_frame()["item"]) == [i.name for i in CARD.card.items]
    assert "ward = B" in str(drift)


def test_no_rows_cannot_be_summarised():
    with pytest.raises(InvalidDataError, match="nothing to summarise"):
        SYSTEM.summarise(table([1]), sample_weight=[0])
