"""The JSON Schema allows whatever can be read, and both refuse what is wrong."""

import json

import jsonschema
import pytest
from hypothesis import given

from settings_cases import all_settings
from supersparse.errors import InvalidSettingsError
from supersparse.learn.settings.settings import read_settings, schema, write_settings

VALIDATOR = jsonschema.Draft202012Validator(schema())


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(schema())


@given(all_settings())
def test_every_file_that_is_written_obeys_the_schema(settings):
    VALIDATOR.validate(json.loads(write_settings(settings, "json")))


RIGHT = [
    {},
    {"C0": "1/3", "C1": 0},
    {"max_features": 5.0},
    {"positive": True, "rate_groups": "sex"},
    {"points": [1], "bounds": [None, None]},
    {"levels": {"age": None, "*": [{"values": "0..3", "penalty": 0.1}]}},
    {"constraints": []},
    {"constraints": [{"max_error": 0.1, "group": {"sex": 1}}]},
]


@pytest.mark.parametrize("content", RIGHT, ids=str)
def test_files_by_hand_are_allowed_by_both(content):
    VALIDATOR.validate(content)
    read_settings(json.dumps(content), "json")


WRONG = [
    [],
    {"max_featurs": 5},
    {"max_features": -1},
    {"max_features": 1.5},
    {"max_features": "5"},
    {"min_features": "auto"},
    {"C0": -0.1},
    {"C0": "0.1"},
    {"C0": [0.1, 0.2]},
    {"C0": {}},
    {"C0": {"age": None}},
    {"C1": "aut"},
    {"points": 5},
    {"points": []},
    {"points": "5"},
    {"points": "one_digits"},
    {"points": {"a": "1.5..2"}},
    {"bounds": [0]},
    {"bounds": {"a": [0, 1, 2]}},
    {"levels": [[[1], 0.1]]},
    {"levels": [{"values": [1]}]},
    {"levels": [{"values": [1], "penalty": -1}]},
    {"intercept": "fre"},
    {"intercept": [0, None]},
    {"class_weight": "balance"},
    {"class_weight": {"yes": -1}},
    {"positive": None},
    {"positive": ["a"]},
    {"rate_groups": []},
    {"rate_groups": [1]},
    {"constraints": {"at_most": 1, "of": "a"}},
    {"constraints": [{}]},
    {"constraints": ["at_most"]},
    {"constraints": [{"at_most": 1}]},
    {"constraints": [{"at_most": 1, "off": "a"}]},
    {"constraints": [{"at_most": 1, "at_least": 1, "of": "a"}]},
    {"constraints": [{"must_use": []}]},
    {"constraints": [{"must_use": 5}]},
    {"constraints": [{"used": "a"}]},
    {"constraints": [{"budget": 1, "costs": {}}]},
    {"constraints": [{"min_sensitivity": 1.1}]},
    {"constraints": [{"min_sensitivity": 0.5, "group": {}}]},
    {"constraints": [{"min_sensitivity": 0.5, "group": {"sex": "F", "age": 1}}]},
    {"constraints": [{"max_difference": 0.1, "rate": "accuracy", "group": "sex"}]},
    {"constraints": [{"max_total_score": 5, "ranges": {"a": 5}}]},
    {"solve": {"n_jobs": 1.5}},
    {"solve": {"solver": "hihgs"}},
    {"solve": {"pair_covers": "yes"}},
    {"solve": {"time_limit": -1}},
    {"solve": {"initial": [1]}},
    {"solve": "exact"},
    {"min_sensitivity": 0.9},
]


@pytest.mark.parametrize("content", WRONG, ids=str)
def test_wrong_files_are_refused_by_both(content):
    assert not VALIDATOR.is_valid(content)
    for form in ("json", "yaml"):
        with pytest.raises(InvalidSettingsError, match=r"^w, line 1, column \d+: .*[;:] "):
            read_settings(json.dumps(content), form, source="w")
