"""A card's digest: every change of its content is noticed."""

import json
import random

import pytest

from supersparse import Problem, ScoringSystem, solve
from supersparse.card.card import Card
from supersparse.card.file import digest_of, from_json, to_json
from supersparse.errors import InvalidCardError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


@pytest.fixture(scope="module")
def card() -> Card:
    X = [[0, 1, 3], [1, 0, 4], [1, 1, 5], [0, 0, 1], [1, 1, 0], [0, 1, 2], [1, 0, 3]]
    problem = Problem.of(X, ["no", "yes", "yes", "no", "yes", "no", "yes"], C0=0.01)
    return ScoringSystem.from_solution(solve(problem)).card


def flips(text, count, seed=0):
    draw = random.Random(seed)
    data = text.encode()
    for _ in range(count):
        at, bit = draw.randrange(len(data)), draw.randrange(8)
        yield bytes([*data[:at], data[at] ^ 1 << bit, *data[at + 1 :]])


def survivors(card, count):
    """The flips that are read as another card."""
    for changed in flips(to_json(card), count):
        try:
            read = from_json(changed.decode())
        except (InvalidCardError, UnicodeDecodeError):
            continue
        if read != card or read.provenance.signed is False:
            yield changed


def test_no_flipped_bit_gives_another_card(card):
    assert list(survivors(card, 1500)) == []


@pytest.mark.long
def test_no_flipped_bit_of_many_gives_another_card(card):
    assert list(survivors(card, 40_000)) == []


def test_order_and_blanks_do_not_matter(card):
    content = json.loads(to_json(card))
    again = json.dumps(dict(reversed(content.items())), indent=7)
    assert from_json(again) == card
    assert content["digest"] == digest_of(content)


def test_a_card_without_a_digest_is_read_shown_as_unsigned_and_stays_so(card):
    content = json.loads(to_json(card))
    del content["digest"]
    unsigned = from_json(json.dumps(content))
    assert unsigned == card
    assert "not signed" in str(ScoringSystem(unsigned))
    assert "not signed" not in str(ScoringSystem(card))
    assert "digest" not in json.loads(to_json(unsigned))


@pytest.mark.parametrize("name", ["predicted_errors", "sensitivity", "specificity", "total_weight"])
def test_the_counts_of_an_unsigned_card_must_agree(card, name):
    content = json.loads(to_json(card))
    del content["digest"]
    made = content["provenance"]
    made[name] = {"predicted_errors": 1, "sensitivity": "1/7", "specificity": "1/7", "total_weight": 8}[name]
    made["training_errors"] = max(made["training_errors"], 1) if name == "predicted_errors" else 0
    with pytest.raises(InvalidCardError, match="contradicts its performance on the training rows"):
        from_json(json.dumps(content))
