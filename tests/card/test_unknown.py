"""Unknown values: every completion lies within the range, and both ends are reached."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import ScoringSystem, item
from supersparse.card.rules import Domain
from supersparse.errors import InvalidDataError

small = st.integers(-3, 3).filter(bool)
VALUES = {"age": [9, 10, 15, 20, 40], "kind": ["a", "b", "c", "never seen"], "dose": [1, 2, 3], "grade": [0, 1]}


@st.composite
def systems(draw):
    """A card on an age, a kind, a dose that is multiplied, and a grade of two values."""
    items = [
        item("age", at_least=10, below=20, points=draw(small)),
        item("age", at_least=15, points=draw(small)),
        item("kind", one_of=["a", "b"], points=draw(small)),
        item("kind", equals="b", points=draw(small)),
        item("dose", points=draw(small)),
        item("grade", points=draw(small)),
    ]
    domains = {"dose": Domain(column="dose", low=1, high=3), "grade": [0, 1]}
    return ScoringSystem.of(items, above=draw(st.integers(-3, 3)), domains=domains)


@given(systems(), st.data())
def test_every_completion_lies_within_and_both_ends_are_reached(system, data):
    person = {name: data.draw(st.sampled_from([None, *values])) for name, values in VALUES.items()}
    open_ones = [name for name, value in person.items() if value is None]
    completed = [
        {**person, **dict(zip(open_ones, values, strict=True))}
        for values in product(*(VALUES[name] for name in open_ones))
    ]
    totals = [system.total(one) for one in completed]
    classes = {system.predict(one) for one in completed}
    found = system.possible(person)
    assert (found.low, found.high) == (min(totals), max(totals))
    assert found.prediction == (classes.pop() if len(classes) == 1 else None)
    assert found.is_known == (found.low == found.high)
    (row,) = system.possible({name: [value] for name, value in person.items()})
    assert row == found


def test_a_missing_value_that_the_card_has_a_rule_for_is_not_unknown():
    items = [item("age", at_least=60, points=2, missing=1), item("sex", equals="F", points=3)]
    system = ScoringSystem.of(items, above=1)
    found = system.possible({"age": [None, None, 70], "sex": ["F", None, None]})
    assert [(int(row.low), int(row.high), row.prediction) for row in found] == [
        (4, 4, "yes"),
        (1, 4, None),
        (2, 5, "yes"),
    ]
    plain = {"age": [None, 70], "sex": ["F", "M"]}
    assert [row.low for row in system.possible(plain)] == system.total(plain).tolist()


def test_a_number_without_a_range_is_refused_by_name():
    system = ScoringSystem.of([item("dose", points=2)], above=1)
    with pytest.raises(InvalidDataError, match="column 'dose' is missing in row 2, and the card does not say"):
        system.possible({"dose": [1, None]})
    assert system.possible({"dose": [1, 2]})[1].prediction == "yes"


def test_what_else_is_wrong_with_a_row_is_still_refused():
    system = ScoringSystem.of([item("sex", equals="F", points=1), item("age", at_least=9, points=1)], above=0)
    with pytest.raises(InvalidDataError, match="which is a number"):
        system.possible({"sex": 3, "age": None})
