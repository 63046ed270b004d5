"""A card over features and the same card over raw columns give every row the same score."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import Prepare
from supersparse.card.card import Card, Item
from supersparse.card.checks import accepting
from supersparse.card.rules import InRange, ValueOf
from supersparse.card.scoring import score_person, score_table
from supersparse.errors import InvalidCardError, InvalidDataError

TEXTS = ["yes", "no", "1", "in or out", "=cmd()", "é"]
NUMBERS = st.one_of(
    st.integers(-5, 30).map(float), st.sampled_from([0.1, 0.3, 2.25, 1e6, -0.75]), st.integers(0, 3).map(float)
)


@st.composite
def cases(draw):
    """Training rows, other rows (unseen categories and values on the cuts among them), settings, points."""
    n, m = draw(st.integers(4, 14)), 6
    missing = draw(st.sampled_from(["item", "median", "mode", "drop"]))

    def column(values, unseen):
        gap = st.none() if missing != "drop" else values
        held = st.one_of(values, values, values, gap)
        return (
            draw(st.lists(held, min_size=n, max_size=n)),
            draw(st.lists(st.one_of(held, unseen), min_size=m, max_size=m)),
        )

    texts = draw(st.sampled_from([TEXTS[:2], TEXTS[:4], TEXTS]))
    columns = {
        "age": column(NUMBERS, st.sampled_from([-1e9, 3.14, 1e9])),
        "a [b] * c": column(st.sampled_from(texts), st.sampled_from(["unseen", " yes"])),
        "flag": column(st.booleans(), st.booleans()),
        "code": column(st.integers(1, 4), st.integers(5, 9)),
    }
    for train, _ in columns.values():
        assume(any(v is not None for v in train))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < n))
    prepare = Prepare(
        cuts=draw(st.sampled_from(["optimal", "quantile", "tree", "none"])),
        rare=draw(st.sampled_from([0, 0.2])),
        intervals=draw(st.booleans()),
        missing=missing,
        categorical=["code"],
        cut_points=draw(st.sampled_from([None, {"age": [1, 0.1]}])),
        candidates=draw(st.sampled_from([3, "auto"])),
    )
    points = draw(st.sampled_from([[1, -2, 3, 2, -1] * 20, [-1, 0, 2] * 30, [0, 1] * 40]))
    return (
        {name: train for name, (train, _) in columns.items()},
        {name: other for name, (_, other) in columns.items()},
        y,
        prepare,
        points,
    )


def card_over_features(prepare, points, intercept=Fraction(1, 2)):
    items = tuple(
        Item(rule=ValueOf(feature.name), points=Fraction(p))
        for feature, p in zip(prepare.features_, points, strict=False)
        if p
    )
    return Card(items=items, intercept=intercept, negative="no", positive="yes")


@given(cases())
@settings(max_examples=examples(80))
def test_a_raw_card_scores_as_the_features_do(case):
    train, other, y, prepare, points = case
    try:
        prepare.fit(train, y)
    except InvalidDataError as error:
        assume("no column gives a usable feature" not in str(error))
        raise
    card = prepare.raw_card(card_over_features(prepare, points))
    cuts = [float(f.rule.low) for f in prepare.features_ if isinstance(f.rule, InRange)]
    for table in (train, other, dict(zip(other, zip(*[[c, "no", True, 2] for c in cuts], strict=True), strict=False))):
        if not table:
            continue
        try:
            matrix = prepare.transform(table)
        except InvalidDataError as error:  # a number that points multiply, and that no training row lacked
            if table is train or "missing value(s)" not in str(error):
                raise
            continue
        expected = [
            sum((Fraction(str(v)) * p for v, p in zip(row, points, strict=False)), Fraction(1, 2))
            for row in matrix.tolist()
        ]
        # what is far from the training rows is refused, unless that is allowed; none of these rows is
        scored = card if table is train else accepting(card)
        scores = score_table(scored, table) if card.items else None
        for i, score in enumerate(expected if scores else []):
            assert scores[i] == score
            person = {name: list(column)[i] for name, column in table.items()}
            assert score_person(scored, person) == score


def raw_frame():
    return pd.DataFrame(
        {
            "age": [30, 41, 52, 63, 74, 85] * 4,
            "sex": ["f", "m", None, "f", "m", "m"] * 4,
            "bmi": [20.5, np.nan, 31.0, 27.25, 35.5, 22.0] * 4,
        }
    )


Y = [0, 0, 1, 0, 1, 1] * 4


def test_the_card_says_what_a_missing_value_was_taken_for():
    prepare = Prepare(missing="median", cut_points={"bmi": [25, 30]}, units={"bmi": "kg/m2"}).fit(raw_frame(), Y)
    points = [2 if f.column == "bmi" else 0 for f in prepare.features_]
    card = prepare.raw_card(card_over_features(prepare, points))
    assert [(i.name, i.missing, i.unit) for i in card.items] == [
        ("bmi >= 25", Fraction(2), "kg/m2"),  # the median is 27.25
        ("bmi >= 30", Fraction(0), "kg/m2"),
    ]
    assert "bmi: cut at 25, 30 (your cut points); 4 of 24 missing: replaced by 27.25, the median" in prepare.notes_
    assert card.domains[0].low == Fraction("20.5")


def test_a_raw_card_reads_arrays_by_position():
    table = np.array([[1, 5.0], [2, 6.0], [3, 7.0], [4, 8.0]])
    prepare = Prepare(rare=0).fit(table, [0, 0, 1, 1])
    assert [f.name for f in prepare.features_] == ["x0 >= 3"]  # x1 says the same
    card = prepare.raw_card(card_over_features(prepare, [1], Fraction(0)))
    assert score_table(card, table).positive.tolist() == [False, False, True, True]


def test_a_card_of_something_else_is_refused():
    prepare = Prepare().fit(raw_frame(), Y)
    strange = Card(
        items=(Item(rule=ValueOf("sex = x"), points=Fraction(1)),), intercept=Fraction(0), negative=0, positive=1
    )
    with pytest.raises(InvalidCardError, match=r"the card's item 'sex = x' is not a feature; did you mean 'sex = "):
        prepare.raw_card(strange)
