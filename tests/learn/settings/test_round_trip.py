"""Whatever can be asked in Python can be written to a file and read back, equal."""

import json
from fractions import Fraction

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from settings_cases import CONSTRAINTS, KEYS, PREPARE, SOLVE, TABLE, VALIDATE, all_settings
from supersparse import Problem, Settings, constraints
from supersparse.base.schema import scalars
from supersparse.errors import InvalidSettingsError
from supersparse.learn.settings import settings as settings_module
from supersparse.learn.settings.settings import SETTINGS, read_settings, write_settings
from supersparse.problem.constraints.forms import KINDS


@given(all_settings())
def test_every_form_round_trips(settings):
    assert Settings.from_dict(settings.to_dict()) == settings
    assert read_settings(write_settings(settings, "yaml"), "yaml") == settings
    assert read_settings(write_settings(settings, "json"), "json") == settings


@pytest.mark.parametrize("kind", CONSTRAINTS)
@settings_of_hypothesis(max_examples=30)
@given(data=st.data())
def test_every_kind_of_constraint_round_trips(kind, data):
    settings = Settings.of(constraints=[data.draw(CONSTRAINTS[kind])])
    assert next(iter(settings.to_dict()["constraints"][0])) == ("used" if kind == "only_if" else kind)
    assert read_settings(write_settings(settings)) == settings


@given(all_settings())
def test_writing_is_stable_and_readers_of_yaml_1_1_see_the_same(settings):
    text = write_settings(settings)
    assert write_settings(read_settings(text)) == text
    assert yaml.safe_load(text) == json.loads(write_settings(settings, "json"))


def test_the_cases_of_this_test_cover_the_vocabulary():
    assert set(KEYS) == set(SETTINGS.fields)
    for mine, declared in (
        (SOLVE, settings_module.SOLVE), (TABLE, settings_module.TABLE), (PREPARE, settings_module.PREPARE),
        (VALIDATE, settings_module.VALIDATE),
    ):  # fmt: skip
        assert set(mine) == set(declared.fields)
    assert set(CONSTRAINTS) == set(KINDS) == set(constraints.__all__)


def test_the_solve_section_has_the_options_of_solve_that_a_file_can_hold():
    from dataclasses import fields

    from supersparse.engine import solvers
    from supersparse.engine.options import SOLVERS, SolveOptions

    of_python_only = {"initial", "on_progress", "cancel", "certificate", "executor"}
    assert set(settings_module.SOLVE.fields) == {f.name for f in fields(SolveOptions)} - of_python_only | {"solver"}
    assert set(SOLVERS) == {*solvers.names(), "auto"}


def test_a_file_is_yaml_or_json_by_its_suffix(tmp_path):
    settings = Settings.of(C0=0.1, constraints=[constraints.at_most(1, of="age*")])
    for name in ("w.yaml", "w.yml", "w.json", "W.JSON"):
        settings.save(tmp_path / name)
        assert Settings.load(tmp_path / name) == settings
    assert json.loads((tmp_path / "w.json").read_text()) == {"goal": "errors", **settings.to_dict()}


def test_long_parts_are_broken_into_lines_that_read_back():
    settings = Settings.of(
        points={f"feature {i}": [v * v for v in range(60)] for i in range(3)}, levels={"x": [([1, 4], 0.1), ([9], 0.2)]}
    )
    text = write_settings(settings)
    assert max(map(len, text.splitlines())) <= 100
    assert read_settings(text) == settings


def test_numbers_keep_their_decimals():
    settings = read_settings("C0: 0.1234567890123456789\nC1: 1e-3\nintercept: [-1/3, .5]")
    numbers = settings.C0, settings.C1, *settings.intercept
    assert numbers == tuple(map(Fraction, ("0.1234567890123456789", "1/1000", "-1/3", "1/2")))


def test_yes_and_no_are_text():
    settings = read_settings("positive: yes\nclass_weight: {yes: 2, no: 1}")
    assert settings.positive == "yes"
    assert dict(settings.class_weight) == {"yes": 2, "no": 1}


def test_the_order_of_patterns_counts():
    assert Settings.of(C0={"a*": 1, "*": 2}) != Settings.of(C0={"*": 2, "a*": 1})


def test_limits_on_the_size_are_said_once():
    from supersparse import Problem

    asked = Problem.of([[0], [1]], [0, 1], max_features=1, min_features=1).asked
    assert Settings.of(constraints=asked) == Settings.of(max_features=1, min_features=1)
    assert Settings.of(constraints=asked, max_features=0).max_features == 0


def test_settings_are_hashable_and_change_by_copy():
    settings = Settings.of(C0={"a": 0.1}, rate_groups=["sex"])
    assert hash(settings) == hash(Settings.of(C0={"a": Fraction(1, 10)}, rate_groups="sex"))
    assert settings.changed(C0=0.2) == Settings.of(C0=0.2, rate_groups="sex")
    assert settings.C0 == Settings.of(C0={"a": 0.1}).C0


def test_values_by_position_make_problems_but_no_files():
    X, y = [[0, 1], [1, 0], [1, 1]], [0, 1, 1]
    given = {"C0": [0.1, 0.2], "points": [[0, 1], None], "bounds": [(0, 1), None]}
    settings = Settings.of(**given)
    made, same = settings.problem(X, y), Problem.of(X, y, **given)
    assert (made.C0, made.sets) == (same.C0, same.sets)
    with pytest.raises(InvalidSettingsError, match="C0 is a list in the order of the features"):
        settings.to_dict()


def test_values_of_python_are_checked_as_they_are_and_never_turned_into_texts(monkeypatch):
    def never(*given):
        raise AssertionError(f"{given} became a text")

    monkeypatch.setattr(scalars, "tree_of", never)
    settings = Settings.of(
        C0=np.float64(0.02),
        max_features=5,
        points={"*": range(-5, 6), "age": [0, 0.5]},
        bounds={"age": (0, None)},
        levels=[([-1, 1], 0.01)],
        class_weight={1: 2.0, 0: 1},
        positive=1,
        constraints=[constraints.must_use("age"), constraints.min_sensitivity(0.9)],
        sample_weight="weight",
        rate_groups=["sex"],
        solve={"time_limit": 3, "gap": 0.01},
        table={"drop": ["name"]},
        prepare={"max_cuts": 3},
        validate={"cv": 3},
    )
    assert (settings.C0, settings.solve["time_limit"]) == (Fraction(1, 50), 3)
    assert settings.points["age"].turning_points
    with pytest.raises(AssertionError, match="became a text"):  # the text names what is wrong
        Settings.of(C0="much")
