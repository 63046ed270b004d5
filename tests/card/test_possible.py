"""The points that columns can give and the totals that can occur, against people one by one."""

from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from supersparse import ScoringSystem, item
from supersparse.card.bands import points_of_column, possible_totals
from supersparse.card.rules import Domain

small = st.integers(-3, 3).filter(bool)
AGES = [None, 9, 10, 15, 20, 25, 40]
KINDS = [None, "a", "b", "c", "never seen"]
DOSES = [0, 1, 2, 3]


@st.composite
def systems(draw):
    """A card on an age, a kind and a dose that is multiplied; missing values are accepted or not."""
    missing = draw(st.sampled_from(["refuse", 0, 2]))
    items = [
        item("age", at_least=10, below=20, points=draw(small), missing=missing),
        item("age", at_least=15, points=draw(small), missing=missing),
        item("kind", one_of=["a", "b"], points=draw(small), missing=missing),
        item("kind", equals="b", points=draw(small), missing=missing),
        item("dose", points=draw(small)),
    ]
    if missing != "refuse":
        items.append(item("age", is_missing=True, points=draw(small)))
    domains = {"dose": Domain(column="dose", low=0, high=3, whole=True)}
    return ScoringSystem.of(items, above=1, domains=domains), missing == "refuse"


@given(systems())
def test_the_totals_are_those_that_people_get(drawn):
    system, refuses = drawn
    known = [[v for v in values if v is not None or not refuses] for values in (AGES, KINDS, DOSES)]
    found = {system.total({"age": age, "kind": kind, "dose": dose}) for age, kind, dose in product(*known)}
    assert possible_totals(system.card, 10_000) == tuple(sorted(found))
    assert possible_totals(system.card, len(found) - 1) is None


def test_numbers_without_limits_are_not_known():
    system = ScoringSystem.of([item("dose", points=2)], above=1)
    assert possible_totals(system.card, 100) is None
    wide = {"dose": Domain(column="dose", low=0, high=10**9, whole=True)}
    assert possible_totals(ScoringSystem.of([item("dose", points=2)], above=1, domains=wide).card, 100) is None


def test_a_range_in_which_nothing_is_accepted_gives_nothing():
    items = [item("age", above=16, below=17, points=5)]
    for domain, points in (
        (None, {0, 5}),
        (Domain(column="age", low=0, high=99, whole=True, outside="refuse"), {0}),
        (Domain(column="age", low=0, high=16, outside="refuse"), {0}),
        (Domain(column="age", low=0, high=99, outside="refuse"), {0, 5}),
        (Domain(column="age", values=(Fraction(16), Fraction(33, 2)), outside="refuse"), {0, 5}),
    ):
        assert points_of_column(items, domain) == points
