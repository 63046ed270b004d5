"""The preparation in a card's settings: it comes back, and what it asked of its features is taken out."""

import json
from fractions import Fraction

import numpy as np
import pytest

from supersparse import Prepare, Problem, ScoringSystem, constraints, solve
from supersparse.errors import InvalidCardError
from supersparse.learn.prepare.feature import taken_apart
from supersparse.learn.settings.settings import Settings

RAW = {"age": [31, 45, 52, 67, 70, 81], "code": ["1", "2", None, "1", "2", "2"]}
Y = [0, 0, 0, 1, 1, 1]


def recorded(prepare, **settings):
    """Fit, solve, save, load, and take the settings apart."""
    prepare.fit(RAW, Y)
    names = prepare.get_feature_names_out().tolist()
    asked = [*prepare.constraints_, *settings.pop("constraints", ())]
    problem = Problem.of(
        prepare.transform(RAW), Y, feature_names=names, bounds=prepare.bounds_, constraints=asked,
        C0=0.2, max_points=3, **settings,
    )  # fmt: skip
    card = prepare.raw_card(ScoringSystem.from_solution(solve(problem, "exhaustive")).card)
    content, found = taken_apart(ScoringSystem.from_json(ScoringSystem(card).to_json()).card.provenance.settings)
    return Settings.from_dict(content), found


def test_parameters_columns_and_texts_come_back():
    given = {
        "cut_points": {"age": [Fraction(151, 3), np.float64(60.5), 70]},
        "rare": 0.1,
        "per_variable": None,
        "missing": "mode",
        "categorical": ["code"],
        "units": {"age": "years"},
    }
    _, found = recorded(Prepare(**given))
    assert found.columns == ("age", "code")
    assert found.texts == ("code",)
    assert found.parameters == given
    again = Prepare(**found.parameters).fit(RAW, Y)
    assert again.features_ == Prepare(**given).fit(RAW, Y).features_


def test_defaults_are_not_written():
    _, found = recorded(Prepare())
    assert found.parameters == {}


def test_constraints_and_bounds_on_features_are_made_anew_and_the_users_stay():
    own = constraints.at_most(1, of="age *")
    settings, _ = recorded(Prepare(rare=0.1, direction={"age": "+"}, per_variable=1), constraints=[own])
    assert settings.constraints == (own,)
    assert settings.to_dict()["points"] == "-3..3"


def test_sets_by_feature_stay_as_they_are():
    settings, _ = recorded(Prepare(rare=0.1, cut_points={"age": [60]}), points={"age >= 60": [0, 2], "*": [0, 1]})
    assert settings.to_dict()["points"]["age >= 60"] == [0, 2]


@pytest.mark.parametrize("damage", [1, {}, {"columns": 3, "texts": []}, {"columns": ["a"]}])
def test_a_damaged_record_is_refused(damage):
    with pytest.raises(InvalidCardError, match="record of how its features were made is damaged"):
        taken_apart(json.dumps({"C0": 0.1, "prepare": damage}))
