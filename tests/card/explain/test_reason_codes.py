"""Reason codes against the points of each person, one by one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from card.export.people import finite, people, reference, typed_cards
from counts import examples
from supersparse import ScoringSystem, item
from supersparse.card.words import ColumnWording, Wording
from supersparse.errors import InvalidCardError, InvalidOptionError

CREDIT = ScoringSystem.of(
    [
        item("age", below=25, points=3, unit="years"),
        item("age", at_least=25, below=40, points=1, unit="years"),
        item("arrears", equals=True, points=4, missing=2),
        item("home", one_of=["rents", "other"], points=1),
    ],
    threshold=4,
    classes=("pays", "defaults"),
)
ROWS = {"age": [20, 50, 30], "arrears": [True, False, None], "home": ["rents", "owns", "other"]}


def test_reasons_are_the_answers_farthest_from_the_best():
    found = CREDIT.reasons(ROWS, most=2)
    assert [[(r.column, r.text, r.cost) for r in row] for row in found.rows] == [
        [("arrears", "Arrears: yes", 4), ("age", "Age: under 25 years", 3)],
        [],
        [("arrears", "Arrears: not known", 2), ("age", "Age: 25 to under 40 years", 1)],
    ]
    assert found.table()[1] == {"reason_1": None, "cost_1": None, "reason_2": None, "cost_2": None}
    assert list(found.to_frame()["cost_2"].dropna()) == [3, 1]


def test_reasons_for_the_negative_class_count_from_the_most_points():
    (row,) = CREDIT.reasons({"age": [50], "arrears": [False], "home": ["owns"]}, of="pays").rows
    assert [(r.column, r.cost) for r in row] == [("arrears", 4), ("age", 3), ("home", 1)]


def test_reasons_use_the_words_of_the_card():
    from dataclasses import replace

    words = ColumnWording(column="home", label="Housing", answers={"rents": "rented"})
    card = replace(CREDIT.card, wording=Wording(columns=(words,)))
    (row,) = ScoringSystem(card).reasons({"age": [50], "arrears": [False], "home": ["rents"]}).rows
    assert row[0].text == "Housing: rented or other"


@settings(max_examples=examples(40))
@given(st.data())
def test_costs_are_distances_from_a_bound_of_the_total(data):
    card, texts = data.draw(typed_cards())
    group = [p for p in finite(data.draw(people(card, texts))) if reference(card, p) is not None]
    if not group:
        return
    system = ScoringSystem(card)
    table = {name: [person[name] for person in group] for name in card.columns}
    try:
        up, down = (system.reasons(table, most=99, of=of).rows for of in reversed(card.classes))
    except InvalidCardError:
        return
    widths = set()
    for person, above, below in zip(group, up, down, strict=True):
        costs = [reason.cost for reason in above]
        assert costs == sorted(costs, reverse=True)
        outside = {value.column for value in system.outside(person)}
        if not outside:  # the least total, and from it the most
            widths.add((reference(card, person) - sum(costs), sum(costs) + sum(r.cost for r in below)))
    assert len(widths) <= 1


def test_what_is_best_must_be_known():
    system = ScoringSystem.of([item("x", points=1)], above=0)
    with pytest.raises(InvalidCardError, match="declare its domain"):
        system.reasons({"x": [1]})
    limited = ScoringSystem.of([item("x", points=2)], above=0, domains={"x": range(1, 11)})
    assert limited.reasons({"x": [4]}).rows[0][0].cost == 6
    with pytest.raises(InvalidOptionError, match="of is 'maybe'"):
        limited.reasons({"x": [4]}, of="maybe")
    for most in (0, "all"):
        with pytest.raises(InvalidOptionError, match=f"most is {most!r}; give a whole number of at least 1"):
            limited.reasons({"x": [4]}, most=most)
