"""The printed card, read back as a person would read it: it must say exactly what `predict` does."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import chads2, names, provenances
from reading_faces import unescaped, unwrapped
from supersparse.card.card import Card, Item
from supersparse.card.provenance import Provenance
from supersparse.card.risk import LogisticRisk
from supersparse.card.rules import Domain, InRange
from supersparse.show.document.text import card_text
from supersparse.table.plain import visible, width, wrap


@given(names, st.integers(12, 60))
def test_wrapping_loses_nothing(name, cells):
    lines = wrap(visible(name), cells)
    assert unescaped(unwrapped(lines)) == name
    assert all(width(line) <= cells for line in lines)


def test_chads2_reads_well():
    assert (
        card_text(chads2())
        == """\
Stroke: high or low
-------------------

Multiply each value by its points.
For example, a value of 3 in question 1 gives 3 x 1 = 3 points.

                               points
  1. Congestive heart failure  x    1 = ......
  2. Hypertension              x    1 = ......
  3. Age 75                    x    1 = ......
  4. Diabetes                  x    1 = ......
  5. Stroke before             x    2 = ......
     Add up the points          Total = ......

Predict high if the total is more than 1, otherwise low.

No question can be left blank."""
    )


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
    assert "Proven optimal: no other card with these settings makes fewer errors for its size." in said


@pytest.mark.parametrize(
    ("lower_bound", "claim"),
    [
        (Fraction(1, 5), "Not proven: a better card could exist, by at most 20.0 %."),
        (Fraction(1, 4) - Fraction(1, 10**9), "at most 0.1 %."),  # rounded up: never 0.0 % when not proven
        (Fraction(0), "is unknown"),
    ],
)
def test_what_is_not_proven_is_bounded_honestly(lower_bound, claim):
    said = facts(lower_bound=lower_bound, proven_smallest=False)
    assert claim in said
    assert "Proven optimal" not in said


def test_both_counts_of_errors_are_named_when_they_differ():
    assert facts().endswith("Errors: training errors 3 of 20 (15.00 %)")
    said = facts(predicted_errors=Fraction(2))
    assert "training errors 3 of 20 (15.00 %), counting a total of exactly 1 as wrong for both classes" in said
    assert "predicted errors 2 of 20 (10.00 %), because the rule predicts low at exactly 1" in said


@given(provenances())
def test_a_gap_is_never_understated(made):
    said = re.sub(r"\s+", " ", card_text(replace(chads2(), provenance=made)))
    percent = re.search(r"could exist, by at most ([\d.]+) %\.", said)
    assert (percent is not None) == (made.lower_bound > 0 and not made.proven_optimal)
    if percent:
        assert Fraction(percent[1]) >= 100 * made.gap > 0


def test_a_card_of_risks_says_that_no_total_reaches_its_threshold():
    card = Card(
        items=(Item(rule=InRange("age", low=Fraction(60)), points=Fraction(2)),),
        intercept=Fraction(-4), negative="no", positive="ill", reached=True,
        risk=LogisticRisk(slope=1.0, offset=-4.0), domains=(Domain(column="age", low=Fraction(20), high=Fraction(90)),),
    )  # fmt: skip
    rule = "Predict ill if the total is 4 or more, otherwise no."
    assert f"{rule} No total is: the highest is 2." in " ".join(card_text(card).split())
    low = replace(card, intercept=Fraction(0))
    assert "Every total is: the lowest is 0." in " ".join(card_text(low).split())
