"""The printed card, read back as a person would read it: it must say exactly what `predict` does."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import HOSTILE, cards, chads2, names, provenances
from faces import label, unescaped, unwrapped
from supersparse.card.card import Card, Item
from supersparse.card.provenance import Provenance
from supersparse.card.rules import ValueOf
from supersparse.card.scoring import predicted_label, score_person
from supersparse.render.plain import visible, width, wrap
from supersparse.render.text import card_text


@dataclass
class Printed:
    """What a reader takes from a printed card."""

    points: dict[str, Fraction]
    threshold: Fraction
    positive: str
    negative: str

    def predict(self, person):
        total = sum(points * Fraction(str(person[name])) for name, points in self.points.items())
        return self.positive if total > self.threshold else self.negative


def read(text):
    paragraphs = [p.split("\n") for p in text.split("\n\n")]
    if paragraphs[1][0].startswith("No feature is used"):
        always = label(re.fullmatch(r".*: predict (.*) for everyone\.", unwrapped(paragraphs[1]))[1])
        return Printed({}, Fraction(0), always, always)
    (header, *lines, total), (words, *rule) = paragraphs[1:3]
    assert words == "Multiply each value by its points and add up the points." or len(rule) > 1
    assert total.endswith(" total = ......")
    start = header.index("feature")
    points, chunks = {}, []
    for line in lines:
        assert bool(line[:start].strip()) == (not chunks), "only the first line of an item has a number"
        end = re.fullmatch(r"(.*?) *  x +(\S+) = \.{6}", line[start:])
        chunks.append(end[1] if end else line[start:])
        if end:
            points[unescaped(unwrapped(chunks))] = Fraction(end[2])
            chunks = []
    said = re.search(
        r"Predict (.*) if the total is more than (\S+), otherwise (.*)\.$", unwrapped([words, *rule])
    )
    return Printed(points, Fraction(said[2]), label(said[1]), label(said[3]))


@given(cards(), st.integers(40, 120), st.data())
def test_a_reader_predicts_what_the_card_predicts(card, columns, data):
    printed = read(card_text(card, columns=columns))
    assert printed.points == {item.rule.column: item.points for item in card.items}
    for _ in range(5):
        person = {name: data.draw(st.integers(-20, 20)) for name in card.columns}
        assert printed.predict(person) == str(predicted_label(card, score_person(card, person)))


@given(cards())
def test_at_the_threshold_the_reader_predicts_the_negative_class(card):
    first, *_ = [*card.items, Item(rule=ValueOf("x"), points=Fraction(1))]
    card = replace(card, items=(first,), n_columns=1, intercept=-7 * first.points)
    person = {first.rule.column: 7}
    assert score_person(card, person) == 0
    assert read(card_text(card)).predict(person) == str(card.negative)


@given(cards(), st.integers(40, 120))
def test_no_line_is_too_long_or_steers_the_terminal(card, columns):
    for line in card_text(card, columns=columns).split("\n"):
        assert width(line) <= columns
        assert all(c.isprintable() or c in "\u2068\u2069\u200c\u200d" for c in line)


@given(names, st.integers(12, 60))
def test_wrapping_loses_nothing(name, cells):
    lines = wrap(visible(name), cells)
    assert unescaped(unwrapped(lines)) == name
    assert all(width(line) <= cells for line in lines)


def test_chads2_reads_well():
    assert (
        card_text(chads2())
        == """\
Scoring system for stroke: high or low
--------------------------------------

     feature                   points
  1. congestive_heart_failure  x    1 = ......
  2. hypertension              x    1 = ......
  3. age_75                    x    1 = ......
  4. diabetes                  x    1 = ......
  5. stroke_before             x    2 = ......
                                total = ......

Multiply each value by its points and add up the points.
Predict high if the total is more than 1, otherwise low."""
    )


def test_hostile_names_stay_on_their_lines():
    items = tuple(Item(rule=ValueOf(name), points=Fraction(1)) for name in HOSTILE)
    card = Card(items=items, intercept=Fraction(-1), negative="a\nb", positive="[red]c")
    assert list(read(card_text(card)).points) == HOSTILE


def test_labels_that_look_alike_are_told_apart():
    text = card_text(Card(items=(), intercept=Fraction(1), negative=1, positive="1"))
    assert 'predict "1" for everyone' in text


MADE = Provenance(
    version="1.0",
    solver="exact",
    minimised="error rate + 0.01 per feature",
    allowed="points whole numbers from -10 to 10, any intercept",
    objective=Fraction(1, 4),
    lower_bound=Fraction(1, 4),
    proven_smallest=True,
    training_errors=Fraction(3),
    predicted_errors=Fraction(3),
    total_weight=Fraction(20),
    n_rows=20,
    size=5,
    stop="OPTIMAL",
    seconds=0.123,
    nodes=7,
)


def facts(**changes):
    text = card_text(replace(chads2(), provenance=replace(MADE, **changes)))
    return re.sub(r"\s+", " ", text.split("\n\n")[-1])


def test_a_proof_is_stated_with_its_scope():
    said = facts()
    assert "proven optimal: no allowed scoring system costs less than this one (0.250000)" in said
    assert "and none that costs the same has smaller points" in said
    assert "points whole numbers from -10 to 10" in said
    assert "smaller points" not in facts(proven_smallest=False)


@pytest.mark.parametrize(
    ("lower_bound", "claim"),
    [
        (Fraction(1, 5), "not proven: the best possible costs at most 20.0 % less than this one"),
        (
            Fraction(1, 4) - Fraction(1, 10**9),
            "at most 0.1 % less",
        ),  # rounded up: never 0.0 % when not proven
        (Fraction(0), "is not known"),
    ],
)
def test_what_is_not_proven_is_bounded_honestly(lower_bound, claim):
    said = facts(lower_bound=lower_bound, proven_smallest=False)
    assert claim in said
    assert "proven optimal" not in said


def test_both_counts_of_errors_are_named_when_they_differ():
    assert "Errors training errors 3 of 20 (15.00 %) Size" in facts()
    said = facts(predicted_errors=Fraction(2))
    assert "training errors 3 of 20 (15.00 %), where a total of exactly 1 is wrong for both classes" in said
    assert "predicted errors 2 of 20 (10.00 %), as the rule gives low at exactly 1" in said


def test_size_is_given_with_and_without_the_intercept():
    assert "5 features, 6 with the intercept" in facts()


@given(provenances())
def test_a_gap_is_never_understated(made):
    said = re.sub(r"\s+", " ", card_text(replace(chads2(), provenance=made)))
    percent = re.search(r"costs at most ([\d.]+) % less", said)
    if percent:
        assert Fraction(percent[1]) >= 100 * made.gap > 0
