"""Files of every kind of card: exact round trips, the published schema, version 1, and damage."""

import copy
import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import any_cards, chads2
from supersparse import ScoringSystem, item
from supersparse.card.file import card_schema, from_json, to_json
from supersparse.errors import InvalidCardError

VALIDATOR = jsonschema.Draft202012Validator(card_schema())


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(card_schema())


def test_the_page_of_the_format_names_every_entry_of_a_card():
    page = (Path(__file__).parents[2] / "docs" / "card-format.md").read_text(encoding="utf-8")
    first = {
        name for row in re.findall(r"^\| (`.*?) \|", page, flags=re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert first >= {*card_schema()["properties"]}
    for part in ("provenance", "domain", "seen"):
        for name in card_schema()["$defs"][part]["properties"]:
            assert f"`{name}`" in page, (part, name)


@given(any_cards(worded=True))
def test_every_card_comes_back_and_obeys_the_schema(card):
    text = to_json(card)
    again = from_json(text)
    assert again == card
    assert to_json(again) == text
    assert text.isascii()
    for one, other in zip(card.items, again.items, strict=True):
        assert (one.name, one.asks) == (other.name, other.asks)
    VALIDATOR.validate(json.loads(text))


def test_numbers_text_and_truth_keep_their_kind():
    system = ScoringSystem.of([item("x", one_of=["1", True, 2, 2.5, Fraction(1, 3)], points=1)], above=0)
    values = json.loads(system.to_json())["items"][0]["values"]
    assert values == ["1", True, 2, {"number": "2.5"}, {"number": "1/3"}]
    (rule,) = [i.rule for i in ScoringSystem.from_json(system.to_json()).card.items]
    assert [type(v) for v in rule.values] == [str, bool, Fraction, Fraction, Fraction]


VERSION_1 = {
    "format": "supersparse-card",
    "version": 1,
    "title": "stroke",
    "classes": {"negative": "low", "positive": "high"},
    "items": [
        {"rule": "value", "column": "congestive_heart_failure", "points": 1, "position": None},
        {"rule": "value", "column": "hypertension", "points": 1},
        {"rule": "value", "column": "age_75", "points": 1},
        {"rule": "value", "column": "diabetes", "points": 1},
        {"rule": "value", "column": "stroke_before", "points": 2},
    ],
    "intercept": -1,
    "n_columns": None,
    "provenance": {
        "version": "0.1", "solver": "exact", "minimised": "m", "allowed": "a", "objective": "1/3",
        "lower_bound": "1/4", "gap": 0.25, "proven_optimal": False, "proven_smallest": False,
        "training_errors": 2, "predicted_errors": 1, "total_weight": 9, "n_rows": 9, "size": 1,
        "stop": "OPTIMAL", "seconds": 0.5, "nodes": 3,
    },
}  # fmt: skip


def test_a_file_of_version_1_is_the_same_card():
    card = from_json(json.dumps(VERSION_1))
    assert replace(card, provenance=None) == chads2()
    made = card.provenance
    assert (made.objective, made.gap) == (Fraction(1, 3), Fraction(1, 4))
    assert (made.data, made.sensitivity, made.specificity) == (None, None, None)
    assert from_json(to_json(card)) == card
    assert json.loads(to_json(card))["version"] == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threshold": 1}, "unknown entry 'threshold'"),
        ({"domains": []}, "unknown entry 'domains'"),
        ({"items": [{"rule": "range", "column": "a", "at_least": 1, "points": 1}]}, "unknown rule 'range'"),
        ({"items": [{"rule": "value", "column": "a", "points": 1, "missing": 0}]}, "unknown entry 'missing'"),
    ],
)
def test_version_1_has_nothing_of_version_2(change, message):
    with pytest.raises(InvalidCardError, match=message):
        from_json(json.dumps(VERSION_1 | change))


@pytest.mark.parametrize("bound", [-(10**400), "-1/1" + "0" * 1999, "0." + "9" * 999, "1/3"])
def test_a_bound_of_any_size_is_read_or_refused(bound):
    content = copy.deepcopy(VERSION_1)
    content["provenance"]["lower_bound"] = bound
    with pytest.raises(InvalidCardError):
        from_json(json.dumps(content))


@pytest.mark.parametrize("number", ["9" * 2000 + "/" + "7" * 2000, "9" * 1000 + "." + "9" * 999, 10**4000])
def test_long_numbers_come_back(number):
    card = from_json(json.dumps(VERSION_1 | {"intercept": number}))
    assert from_json(to_json(card)) == card
    VALIDATOR.validate(json.loads(to_json(card)))


@pytest.mark.parametrize("number", ["9" * 2001 + "/7", "1/" + "0" * 5000 + "1", "1." + "0" * 1000, "1/00"])
def test_longer_numbers_are_refused(number):
    with pytest.raises(InvalidCardError, match="'intercept' of the card"):
        from_json(json.dumps(VERSION_1 | {"intercept": number}))


def with_item(**entries):
    content = json.loads(to_json(chads2()))
    content.pop("digest")  # of the content before the change
    content["items"] = [{"rule": "range", "column": "age", "points": 1, **entries}]
    return json.dumps(content)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({}, "the range of the item on 'age' has no bound; give one or two"),
        ({"at_least": 1, "above": 1}, "the item on 'age' has both 'at_least' and 'above'"),
        ({"at_least": 5, "below": 5}, "holds no value: its bounds are 5 and 5"),
        ({"at_least": 1.5}, "'at_least' of entry 1 of 'items' is 1.5; it must be an integer, or a decimal"),
        ({"at_leest": 1}, "has no bound"),
        ({"at_least": 1, "at_leest": 1}, "did you mean 'at_least'"),
        ({"at_least": 1, "missing": "zero"}, "'missing' of entry 1 of 'items' is 'zero'"),
        ({"at_least": 1, "unit": 3}, "'unit' of entry 1 of 'items' is 3; it must be text"),
        ({"rule": "category"}, "entry 1 of 'items' lacks 'values'"),
        ({"rule": "category", "values": []}, "names no category; give at least one"),
        ({"rule": "category", "values": [1, True]}, "names a category twice"),
        ({"rule": "category", "values": [""]}, "counts as missing"),
        ({"rule": "category", "values": [None]}, "'values' of entry 1 of 'items' is None"),
        ({"rule": "category", "values": [2.5]}, r"decimals such as \{\"number\": \"2.5\"\}"),
        ({"rule": "missing", "missing": 0}, "unknown entry 'missing'"),
    ],
)
def test_a_damaged_item_is_named_with_what_to_do(entries, message):
    with pytest.raises(InvalidCardError, match=message):
        from_json(with_item(**entries))


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ({"column": "age"}, "is empty; give values, low, high or whole"),
        ({"column": "other", "low": 1}, "a domain for 'other', which no item uses"),
        ({"column": "age", "low": 3, "high": 2}, "low 3 is above high 2; swap them"),
        ({"column": "age", "low": 3, "values": [3]}, "both values and limits"),
        ({"column": "age", "low": 3, "outside": "warn"}, "'outside' of entry 1 of 'domains' is 'warn'"),
        ({"column": "age", "values": [1, 1]}, "each once"),
    ],
)
def test_a_damaged_domain_is_named_with_what_to_do(domain, message):
    content = json.loads(with_item(at_least=60)) | {"domains": [domain]}
    with pytest.raises(InvalidCardError, match=message):
        from_json(json.dumps(content))


anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.just(10**400), st.floats(), st.text(max_size=5),
        st.sampled_from(["1/2", "refuse", "value", "range", "missing", "1/0", "9" * 3000, "0." + "1" * 999]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


def places(content, path=()):
    """Every place in a JSON tree."""
    entries = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in entries:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


@given(any_cards(worded=True), st.data())
def test_damage_is_refused_or_harmless_and_never_crashes(card, data):
    content = copy.deepcopy(json.loads(to_json(card)))
    content.pop("digest")  # of the content before the change
    for _ in range(data.draw(st.integers(1, 3))):
        *path, last = data.draw(st.sampled_from(list(places(content))))
        inside = content
        for key in path:
            inside = inside[key]
        how = data.draw(st.sampled_from(["change", "delete", "add"]))
        if how == "delete":
            del inside[last]
        elif how == "change":
            inside[last] = data.draw(anything)
        elif isinstance(inside, dict):
            inside[data.draw(st.text(max_size=5))] = data.draw(anything)
        else:
            inside.insert(last, data.draw(anything))
    check_text(json.dumps(content))


@given(any_cards(worded=True), st.data())
def test_text_that_was_cut_or_altered_never_crashes(card, data):
    text = to_json(card)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    check_text(text[:start] + data.draw(st.text(max_size=3)) + text[end:])


def check_text(text):
    try:
        card = from_json(text)
    except InvalidCardError:
        return
    assert from_json(to_json(card)) == card
    # what is read obeys the schema, in whichever way it was written
    VALIDATOR.validate(json.loads(to_json(card)))
