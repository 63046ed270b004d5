"""The JSON form: exact round trips, and nothing accepted that is not a whole, sane card."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import cards, chads2
from supersparse.card.file import from_json, load, save, to_json
from supersparse.card.provenance import Provenance
from supersparse.errors import InvalidCardError

MADE = Provenance(
    version="1",
    solver="s",
    minimised="m",
    allowed="a",
    objective=Fraction(1, 3),
    lower_bound=Fraction(1, 4),
    proven_smallest=False,
    training_errors=Fraction(2),
    predicted_errors=Fraction(1),
    total_weight=Fraction(9),
    n_rows=9,
    size=1,
    stop="OPTIMAL",
    seconds=0.5,
    nodes=3,
)


def content(**changes):
    card = json.loads(to_json(chads2()))
    card.pop("digest")  # of the content before the change
    return {**card, **changes}


@given(cards())
def test_the_round_trip_is_exact(card):
    text = to_json(card)
    again = from_json(text)
    assert again == card
    assert list(map(type, again.classes)) == list(map(type, card.classes))
    assert text.isascii()
    assert to_json(again) == text


def test_a_file_round_trip(tmp_path):
    save(chads2(), tmp_path / "card.json")
    assert load(tmp_path / "card.json") == chads2()


def test_fractions_are_text_and_whole_numbers_are_integers():
    text = to_json(chads2())
    assert json.loads(text)["items"][0] == {
        "rule": "value", "column": "congestive_heart_failure", "points": 1, "missing": "refuse",
    }  # fmt: skip
    for written in ('"1/2"', '"0.5"', '"2/4"'):
        changed = json.loads(text.replace('"above": 1', f'"above": {written}'))
        changed.pop("digest")
        again = from_json(json.dumps(changed))
        assert again.threshold == Fraction(1, 2)
        assert '"above": "0.5"' in to_json(again)


def test_what_is_claimed_is_read_back():
    card = json.loads(to_json(replace(chads2(), provenance=MADE)))["provenance"]
    assert (card["objective"], card["gap"], card["proven_optimal"]) == ("1/3", 0.25, False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"features": "age"}, "'features' of 'provenance' is 'age'; it must be a list of strings"),
        ({"features": ["age", 1]}, "'features' of 'provenance'"),
        ({"settings": "C0: 1"}, "'settings' of 'provenance' is 'C0: 1'; it must be an object"),
    ],
)
def test_a_damaged_question_is_refused(changes, message):
    card = json.loads(to_json(replace(chads2(), provenance=MADE)))
    card.pop("digest")  # of the content before the change
    card["provenance"] |= changes
    with pytest.raises(InvalidCardError, match=message):
        from_json(json.dumps(card))


@pytest.mark.parametrize("text", ["", "[]", "1", "{", "[" * 100_000])
def test_settings_are_a_json_object(text):
    with pytest.raises(InvalidCardError, match="no JSON object"):
        replace(MADE, settings=text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("null", "lacks \"format\""),
        ('{"a": 1}', "lacks \"format\""),
        ('{"format": "supersparse-card", "format": "supersparse-card"}', "given twice"),
        ('{"format": "supersparse-card", "version": 4}', "version 4 .* newer release"),
        ('{"format": "supersparse-card", "version": 1}', "damaged: the card lacks 'classes'"),
        ('{"format": "supersparse-card", "version": 1, "intercept": NaN}', "NaN"),
        ('{"format": "supersparse-card", "version": 1, "intercept": ' + "9" * 5000 + "}", "not valid JSON"),
    ],
)  # fmt: skip
def test_foreign_text_is_refused(text, message):
    with pytest.raises(InvalidCardError, match=message):
        from_json(text)


ITEM = {"rule": "value", "column": "a", "points": 1, "position": None}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"threshold": 0.5}, "'threshold' of the card is 0.5; it must be an integer, or a decimal or fraction in"),
        ({"threshold": "1/0"}, "'threshold' of the card is '1/0'"),
        ({"threshold": "half"}, "'threshold'"),
        ({"threshold": True}, "'threshold'"),
        ({"threshold": None}, "'threshold'"),
        ({"intercept": -2}, "its threshold of more than 1 contradicts its intercept -2"),
        ({"colour": 1}, "unknown entry 'colour'"),
        ({"titel": "x"}, "did you mean 'title'"),
        ({"title": 3}, "'title' of the card is 3; it must be text"),
        ({"classes": ["no", "yes"]}, "'classes' of the card"),
        ({"classes": {"negative": 0, "positive": 0}}, "both classes are named 0"),
        ({"classes": {"negative": 0, "positive": []}}, "'positive' of 'classes'"),
        ({"items": {}}, "'items' of the card"),
        ({"items": [3]}, "'items' of the card"),
        ({"items": [{**ITEM, "rule": "valeu"}]}, "unknown rule 'valeu'; did you mean 'value'"),
        ({"items": [{**ITEM, "points": 0}]}, "'a' gives 0 points"),
        ({"items": [{**ITEM, "points": "2,5"}]}, "'points' of entry 1 of 'items'"),
        ({"items": [ITEM, ITEM]}, "two items"),
        ({"items": [{**ITEM, "position": 4}]}, "position 4"),
        ({"items": [{"rule": "value", "column": "a"}]}, "entry 1 of 'items' lacks 'points'"),
        ({"provenance": {}}, "'provenance' lacks 'version'"),
        ({"n_columns": 1.5}, "'n_columns'"),
    ],
)
def test_a_damaged_card_is_refused_with_what_is_wrong(changes, message):
    with pytest.raises(InvalidCardError, match=message) as caught:
        from_json(json.dumps(content(**changes)), source="card.json")
    assert str(caught.value).startswith("card.json is damaged: ")


OPTIONAL = {"title", "source", "domains", "n_columns", "provenance"}


@given(st.data())
def test_a_card_without_any_one_entry_is_refused(data):
    card = content()
    del card[data.draw(st.sampled_from(sorted(card.keys() - OPTIONAL)))]
    with pytest.raises(InvalidCardError):
        from_json(json.dumps(card))


@pytest.mark.parametrize(
    "changes",
    [
        {"lower_bound": Fraction(1, 2)},
        {"proven_smallest": True},
        {"predicted_errors": Fraction(3)},
        {"total_weight": Fraction(1)},
        {"seconds": float("inf")},
        {"nodes": -1},
    ],
)
def test_claims_that_contradict_each_other_are_refused(changes):
    with pytest.raises(InvalidCardError):
        replace(MADE, **changes)


@pytest.mark.parametrize("change", [{"gap": 0.0}, {"proven_optimal": True}])
def test_a_stated_gap_must_fit_the_bound(change):
    card = json.loads(to_json(replace(chads2(), provenance=MADE)))
    card.pop("digest")  # of the content before the change
    card["provenance"].update(change)
    with pytest.raises(InvalidCardError, match="contradict"):
        from_json(json.dumps(card))


def test_a_binary_file_is_refused(tmp_path):
    (tmp_path / "card.json").write_bytes(b"\x80\x03}q\x00.")
    with pytest.raises(InvalidCardError, match=r"card\.json is not a scoring system: it is not text"):
        load(tmp_path / "card.json")
