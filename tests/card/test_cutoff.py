"""How a card words its threshold: "4 or more" where all totals are whole, else "more than 3.5"."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import any_cards, chads2
from faces.test_text import MADE
from reading_faces import people_for
from supersparse import ScoringSystem, item
from supersparse.card.card import Cutoff
from supersparse.card.checks import outside_values
from supersparse.card.rules import Domain
from supersparse.card.scoring import score_person
from supersparse.card.tables import read_card_table
from supersparse.errors import InvalidDataError

YES = item("a", equals=True, points=2)


@pytest.mark.parametrize(
    ("threshold", "positive", "negative", "comparison"),
    [
        (Fraction(7, 2), "4 or more", "3 or less", ">= 4"),
        (3, "4 or more", "3 or less", ">= 4"),
        (0, "1 or more", "0 or less", ">= 1"),
        (Fraction(-1, 2), "0 or more", "-1 or less", ">= 0"),
        (-7, "-6 or more", "-7 or less", ">= -6"),
    ],
)
def test_whole_totals_read_as_so_many_or_more(threshold, positive, negative, comparison):
    cutoff = Cutoff(threshold=Fraction(threshold), whole=True)
    assert (cutoff.positive, cutoff.negative, cutoff.comparison) == (positive, negative, comparison)


@given(st.fractions(-50, 50), st.integers(-60, 60))
def test_the_words_say_which_whole_totals_are_positive(threshold, total):
    cutoff = Cutoff(threshold=threshold, whole=True)
    least, most = (int(re.match(r"-?\d+", words)[0]) for words in (cutoff.positive, cutoff.negative))
    assert (total >= least, total <= most) == (total > threshold, total <= threshold)


@pytest.mark.parametrize(
    ("items", "domains", "whole"),
    [
        ([YES], {}, True),
        ([item("a", equals=True, points=0.5)], {}, False),
        ([item("a", equals=True, points=2, missing=1)], {}, True),
        ([item("a", equals=True, points=2, missing=0.5)], {}, False),
        ([item("a", is_missing=True, points=2)], {}, True),
        ([YES, item("age", points=1)], {}, False),
        ([YES, item("age", points=1)], {"age": Domain(column="age", low=0, high=99, whole=True)}, True),
        ([YES, item("age", points=1)], {"age": Domain(column="age", low=0, high=99)}, False),
        ([YES, item("age", points=0.1)], {"age": Domain(column="age", whole=True)}, False),
        ([item("smoker", points=3)], {"smoker": [0, 1]}, True),
        ([item("smoker", points=3)], {"smoker": [False, True]}, True),
        ([item("dose", points=2)], {"dose": [0, 0.5, 1]}, False),
        ([item("dose", points=2)], {"dose": ["1", 1]}, False),
        ([], {}, True),
    ],
)
def test_totals_are_whole_where_all_points_are(items, domains, whole):
    card = ScoringSystem.of(items, threshold=Fraction(7, 2), domains=domains).card
    assert card.totals_are_whole is whole
    assert card.cutoff.positive == ("4 or more" if whole else "more than 3.5")


@given(st.data())
def test_a_card_of_whole_totals_gives_nobody_another_one(data):
    card = data.draw(any_cards())
    person = data.draw(people_for(card))
    try:
        total = score_person(card, person) + card.threshold
    except InvalidDataError:
        return
    known = not outside_values(card, read_card_table(card, {name: [value] for name, value in person.items()}))
    assert not (card.totals_are_whole and known) or total.denominator == 1


@pytest.mark.parametrize(
    ("settings", "free"),
    [
        (None, False),  # not recorded: where the paper's intercept could not be told from a feature
        ({}, True),
        ({"intercept": "free"}, True),
        ({"intercept": "paper"}, False),
        ({"intercept": "none"}, False),
        ({"intercept": [-3, 3]}, False),
    ],
)
def test_a_total_at_the_threshold_was_wrong_unless_the_threshold_was_free(settings, free):
    made = replace(MADE, settings=settings)
    assert replace(chads2(), provenance=made).cutoff.tie_is_wrong is not free


def test_a_card_by_hand_was_not_learned():
    assert not chads2().cutoff.tie_is_wrong
