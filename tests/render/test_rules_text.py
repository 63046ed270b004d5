"""The plain-text face of cards with rules of every kind."""

import re

from hypothesis import given
from hypothesis import strategies as st

from cards import any_cards
from supersparse import ScoringSystem, item
from supersparse.render.plain import width
from supersparse.render.text import card_text


def test_every_kind_of_rule_reads_well():
    system = ScoringSystem.of(
        [
            item("age", at_least=65, below=75, points=1, unit="years"),
            item("sex", equals="F", points=1),
            item("weight", points=0.5, unit="kg", missing=3),
            item("weight", is_missing=True, points=-2),
            item("shock", equals=True, points=2, question="In shock now?"),
        ],
        threshold=2.5,
        classes=("low", "high"),
    )
    assert (
        str(system)
        == """\
Scoring system: high or low
---------------------------

     feature                         points
  1. Age from 65 to below 75 years?       1 = ......
  2. Sex is F?                            1 = ......
  3. weight (kg)                     x  0.5 = ......
  4. Weight not known?                   -2 = ......
  5. In shock now? (shock = true)         2 = ......
                                      total = ......

Multiply each value by its points (x), take the points of the other lines that
apply, and add up.
Predict high if the total is more than 2.5, otherwise low.
A value that is not known gives 3 in line 3."""
    )


def test_a_card_of_questions_asks_for_what_applies():
    text = str(ScoringSystem.of([item("fever", equals=True, points=1)], threshold=0))
    assert "Add up the points of the lines that apply.\n" in text
    assert " x " not in text


@given(any_cards(), st.integers(40, 120))
def test_no_line_is_too_long_and_every_item_has_its_points(card, columns):
    text = card_text(card, columns=columns)
    for line in text.split("\n"):
        assert width(line) <= columns
        assert all(c.isprintable() or c in "\u2068\u2069\u200c\u200d" for c in line)
    if card.items:
        table = text.split("\n\n")[1].split("\n")
        assert len([line for line in table[1:-1] if re.search(r"(  x| {3}) +\S+ = \.{6}$", line)]) == len(
            card.items
        )
