"""The plain-text face of cards with rules of every kind."""

from hypothesis import given
from hypothesis import strategies as st

from cards import any_cards
from supersparse import ScoringSystem, item
from supersparse.card.rules import IsOneOf
from supersparse.card.words import condition
from supersparse.show.document.text import card_text
from supersparse.table.plain import visible, width


def test_every_kind_of_rule_reads_well():
    system = ScoringSystem.of(
        [
            item("age", at_least=65, below=75, points=1, unit="years"),
            item("sex", equals="F", points=1),
            item("weight", points=0.5, unit="kg", missing=3),
            item("weight", is_missing=True, points=-2),
            item("shock", equals=True, points=2, question="In shock now?"),
        ],
        above=2.5,
        classes=("low", "high"),
    )
    assert (
        str(system)
        == """\
High or low
-----------

Multiply each value by its points (x); take the points of the other answers that
apply.
For example, a value of 3 in question 3 gives 3 x 0.5 = 1.5 points.

                                points
  1. Age 65 to under 75 years?       1 = ......
  2. Sex: F?                         1 = ......
  3. Weight (kg)                x  0.5 = ......
  4. Weight not known?              -2 = ......
  5. In shock now?                   2 = ......
     Add up the points           Total = ......

Predict high if the total is more than 2.5, otherwise low.

No answer to question 3 counts as 3 points.
Questions 1, 2 and 5 cannot be left blank."""
    )


def test_a_card_of_questions_asks_for_what_applies():
    text = str(ScoringSystem.of([item("fever", equals=True, points=1)], above=0))
    assert "Add up the points of the answers that apply.\n" in text
    assert "Predict yes if the total is 1 or more" in text
    assert " x " not in text


def test_names_in_quotes_are_escaped_once():
    items = [
        item('smoker "now"', equals="ja", points=1, question="Smoker?"),
        item("path", equals="\\", points=2),
        item("said", equals='it\'s "x"', points=3),
    ]
    text = str(ScoringSystem.of(items, above=1, classes=('no "risk"', "risk")))
    assert """Smoker? ('smoker "now"' = ja)""" in text
    assert r'Path: "\\"?' in text  # a backslash is doubled on every face
    assert '''Said: "it's ""x"""?''' in text
    assert """otherwise 'no "risk"'.""" in text


odd_texts = st.lists(st.text("a\"'\\, ", min_size=1, max_size=6), min_size=1, max_size=3, unique=True)


@given(odd_texts, odd_texts)
def test_different_categories_read_differently(some, others):
    one, other = (condition(IsOneOf("x", tuple(values))) for values in (some, others))
    assert (one == other) == (some == others)
    assert (visible(one) == visible(other)) == (some == others)


@given(any_cards(), st.integers(40, 120))
def test_no_line_is_too_long_or_steers_the_terminal(card, columns):
    text = card_text(card, columns=columns)
    for line in text.split("\n"):
        assert width(line) <= columns
        assert all(c.isprintable() or c in "\u2068\u2069\u200c\u200d" for c in line)
