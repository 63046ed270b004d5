"""Explanations add up to the score; flips are checked against trying everything."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import ScoringSystem, item
from supersparse.card.explain.flips import OTHER
from supersparse.card.rules import Domain
from supersparse.errors import InvalidDataError


def stroke():
    return ScoringSystem.of(
        [
            item("failure", equals=True, points=1),
            item("age", at_least=65, below=75, points=1, unit="years"),
            item("age", at_least=75, points=2, unit="years"),
            item("stroke", equals=True, points=2),
            item("sex", equals="F", points=1),
        ],
        threshold=2,
        classes=("low", "high"),
    )


NOBODY = {"failure": False, "age": 50, "stroke": False, "sex": "M"}


def test_an_explanation_says_which_items_gave_points():
    found = stroke().explain({**NOBODY, "age": 80, "sex": "F"})
    assert [(r.item.name, r.value, r.points) for r in found.reasons] == [
        ("failure = true", False, 0),
        ("65 <= age < 75", 80, 0),
        ("age >= 75", 80, 2),
        ("stroke = true", False, 0),
        ("sex = F", "F", 1),
    ]
    assert (found.total, found.threshold, found.score, found.label) == (3, 2, 1, "high")


def test_a_missing_value_is_explained():
    system = ScoringSystem.of([item("bmi", above=30, points=2, missing=1)], above=0)
    (reason,) = system.explain({"bmi": None}).reasons
    assert (reason.missing, reason.points) == (True, 1)


def test_the_smallest_change_is_one_column_with_the_fewest_points():
    found = stroke().flips(NOBODY)
    assert [(f.changes[0].column, f.changes[0].after) for f in found] == [("age", 75), ("stroke", True)]
    assert all(f.label == "high" and f.points_moved == 2 and f.proven_smallest for f in found)


def test_columns_can_be_held_fixed():
    found = stroke().flips(NOBODY, fixed=["age", "stroke"])
    assert [[(c.column, c.after) for c in f.changes] for f in found] == [[("failure", True), ("sex", "F")]]
    assert stroke().flips(NOBODY, fixed=["age", "stroke", "sex"]) == ()
    with pytest.raises(InvalidDataError, match="did you mean 'stroke'"):
        stroke().flips(NOBODY, fixed=["strok"])


def test_leaving_a_category_is_any_other_value():
    (flip,) = ScoringSystem.of([item("sex", equals="F", points=1)], above=0).flips({"sex": "F"})
    assert flip.changes[0].after is OTHER
    assert repr(flip.changes[0].after) == "another value"


@pytest.mark.parametrize(
    ("value", "threshold", "after"), [(7, 20, 11), (11, 20, 10), (7, 14, 8), (0.7, 2, Fraction(11, 10)), (None, 20, 11)]
)
def test_a_value_moves_in_steps_of_its_last_place(value, threshold, after):
    system = ScoringSystem.of([item("x", points=2, missing=0)], above=threshold)
    (flip,) = system.flips({"x": value})
    assert flip.changes[0].after == after


def test_a_domain_limits_what_can_be_reached():
    system = ScoringSystem.of(
        [item("x", points=1), item("y", points=1)],
        above=12,
        domains={"x": Domain(column="x", low=0, high=10, whole=True), "y": [0, 1, 5]},
    )
    assert [[c.after for c in f.changes] for f in system.flips({"x": 2, "y": 0})] == [[8, 5]]
    assert system.flips({"x": 2, "y": 0}, fixed=["y"]) == ()


def test_a_missing_value_that_becomes_known():
    system = ScoringSystem.of([item("test", is_missing=True, points=3)], above=1)
    (flip,) = system.flips({"test": None})
    assert flip.changes[0].after is OTHER
    assert system.flips({"test": 4}) == ()


VALUES = {"a": [0, 1, 2, 3, 4, 5], "b": ["p", "q", "r"], "c": [False, True], "d": [-2, 0, 3]}
points = st.integers(-4, 4).filter(bool)


@st.composite
def systems(draw):
    items = [
        item("a", at_least=draw(st.integers(1, 3)), points=draw(points)),
        item("a", above=draw(st.integers(2, 4)), at_most=5, points=draw(points)),
        item("b", equals="p", points=draw(points)),
        item("b", one_of=["q", "r"], points=draw(points)),
        item("c", equals=True, points=draw(points)),
        item("d", points=draw(points)),
    ]
    chosen = [i for i in items if draw(st.integers(0, 3))] or items
    used = {i.column for i in chosen}
    return ScoringSystem.of(
        chosen,
        above=draw(st.integers(-8, 8)),
        domains={
            "a": Domain(column="a", low=0, high=5, whole=True) if draw(st.booleans()) else VALUES["a"],
            **{c: VALUES[c] for c in "bcd"},
        }
        if used == set("abcd")
        else {c: VALUES[c] for c in used},
    )


def by_trying_everything(system, person):
    """(columns changed, points moved) of the smallest flip, or None."""
    columns = list(system.card.columns)
    points = {c: {v: column_points(system, person, c, v) for v in VALUES[c]} for c in columns}
    before = system.predict(person)
    for count in range(1, len(columns) + 1):
        moved = [
            sum(abs(points[c][v] - points[c][person[c]]) for c, v in zip(changed, new, strict=True))
            for changed in combinations(columns, count)
            for new in product(*(VALUES[c] for c in changed))
            if system.predict({**person, **dict(zip(changed, new, strict=True))}) != before
        ]
        if moved:
            return count, min(moved)
    return None


def column_points(system, person, column, value):
    reasons = system.explain({**person, column: value}).reasons
    return sum(r.points for r in reasons if r.item.column == column)


@given(systems(), st.fixed_dictionaries({c: st.sampled_from(v) for c, v in VALUES.items()}))
def test_no_smaller_flip_exists(system, person):
    found = system.flips(person)
    expected = by_trying_everything(system, person)
    assert bool(found) == (expected is not None)
    for flip in found:
        changed = {**person, **{c.column: c.after for c in flip.changes}}
        assert (len(flip.changes), flip.points_moved) == expected
        assert flip.proven_smallest
        assert system.total(changed) == flip.total
        assert system.predict(changed) == flip.label != system.predict(person)
    assert len({f.changes for f in found}) == len(found)


def test_many_columns_of_many_values_take_no_time():
    system = ScoringSystem.of(
        [item(f"x{j}", points=j + 1) for j in range(12)],
        above=30_000,
        domains={f"x{j}": Domain(column=f"x{j}", low=0, high=400, whole=True) for j in range(12)},
    )
    found = system.flips({f"x{j}": 0 for j in range(12)})
    assert len(found) == 10
    assert all(len(f.changes) == 11 and f.label == "yes" for f in found)
