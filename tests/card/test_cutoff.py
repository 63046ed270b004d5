"""How a card words its threshold: "4 or more"; only fractional totals may have to exceed it."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import any_cards, chads2
from reading_faces import people_for
from show.document.test_text import MADE
from supersparse import ScoringSystem, item
from supersparse.card.card import Cutoff
from supersparse.card.checks import outside_values
from supersparse.card.raw_values import read_card_table
from supersparse.card.rules import Domain
from supersparse.card.scoring import score_person
from supersparse.errors import InvalidDataError

YES = item("a", equals=True, points=2)


@pytest.mark.parametrize(
    ("threshold", "reached", "positive", "negative", "comparison"),
    [
        (Fraction(7, 2), True, "4 or more", "3 or less", ">= 4"),
        (Fraction(7, 2), False, "4 or more", "3 or less", ">= 4"),
        (3, True, "3 or more", "2 or less", ">= 3"),
        (3, False, "4 or more", "3 or less", ">= 4"),
        (0, False, "1 or more", "0 or less", ">= 1"),
        (Fraction(-1, 2), False, "0 or more", "-1 or less", ">= 0"),
        (-7, False, "-6 or more", "-7 or less", ">= -6"),
    ],
)
def test_whole_totals_read_as_so_many_or_more(threshold, reached, positive, negative, comparison):
    cutoff = Cutoff(threshold=Fraction(threshold), reached=reached, whole=True)
    assert (cutoff.positive, cutoff.negative, cutoff.comparison) == (positive, negative, comparison)


@pytest.mark.parametrize(
    ("reached", "words"),
    [(True, ("3.5 or more", "less than 3.5", ">= 3.5")), (False, ("more than 3.5", "3.5 or less", "> 3.5"))],
)
def test_fractional_totals_reach_the_threshold_or_exceed_it(reached, words):
    cutoff = Cutoff(threshold=Fraction(7, 2), reached=reached)
    assert (cutoff.positive, cutoff.negative, cutoff.comparison) == words
    assert cutoff.includes(Fraction(7, 2)) is reached


@given(st.fractions(-50, 50), st.booleans(), st.integers(-60, 60))
def test_the_words_say_which_whole_totals_are_positive(threshold, reached, total):
    cutoff = Cutoff(threshold=threshold, reached=reached, whole=True)
    least, most = (int(re.match(r"-?\d+", words)[0]) for words in (cutoff.positive, cutoff.negative))
    positive = total > threshold or (reached and total == threshold)
    assert (total >= least, total <= most) == (positive, not positive)
    assert cutoff.includes(Fraction(total)) is positive


@pytest.mark.parametrize("points", [1, 0.5], ids=["whole", "fractional"])
def test_with_threshold_prints_and_predicts_what_it_is_given(points):
    items = [item(f"x{j}", at_least=1, points=points) for j in range(40)]
    system = ScoringSystem.of(items, threshold=30 * points).with_threshold(33 * points)
    assert (system.threshold, system.card.cutoff.positive) == (33 * points, f"{33 * points:g} or more")
    assert f"if the total is {33 * points:g} or more" in " ".join(str(system).split())
    for n_given, expected in ((32, "no"), (33, "yes")):
        person = {f"x{j}": int(j < n_given) for j in range(40)}
        assert system.predict(person) == expected
        explained = system.explain(person)
        assert (explained.threshold, explained.label) == (33 * points, expected)
        not_ = "" if expected == "yes" else "not "
        assert f"points are {not_}{33 * points:g} or more" in explained._brief()


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
    assert card.cutoff.positive == ("4 or more" if whole else "3.5 or more")


@given(st.data())
def test_a_card_of_whole_totals_gives_nobody_another_one(data):
    card = data.draw(any_cards())
    person = data.draw(people_for(card))
    try:
        total = score_person(card, person) + card.zero_total
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
    assert (replace(chads2(), provenance=made).cutoff.tie is None) is free


def test_a_card_by_hand_was_not_learned():
    assert chads2().cutoff.tie is None
