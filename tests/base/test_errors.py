"""Errors carry their subject, value and remedy, also where they become another error."""

import pickle

import pytest

from supersparse import Problem, Settings
from supersparse.base.errors import InfeasibleError, InvalidOptionError, InvalidProblemError, InvalidSettingsError


def test_an_error_without_words_is_made_of_its_subject_and_value():
    error = InvalidOptionError(subject="gap", value=-1, remedy="give a number of at least 0")
    assert str(error) == "gap is -1; give a number of at least 0"


def test_an_error_of_another_class_keeps_the_fields():
    error = InvalidOptionError(subject="gap", value=-1, remedy="give a number of at least 0")
    other = pickle.loads(pickle.dumps(InvalidProblemError.of(error, "settings.yaml: ")))
    assert (other.subject, other.value, other.remedy) == (error.subject, error.value, error.remedy)
    assert str(other).startswith("settings.yaml: gap is -1")


def test_a_settings_file_names_what_is_wrong_in_fields():
    with pytest.raises(InvalidSettingsError) as refused:
        Settings.from_dict({"C0": "much"})
    assert (refused.value.subject, refused.value.value) == ("C0", "much")
    assert refused.value.remedy == "give a number of at least 0, or a mapping by feature name or pattern"


def test_a_visible_conflict_carries_its_constraints():
    X, y = [[0, 1], [1, 0], [1, 1], [0, 0]], [1, 1, 1, 0]
    asked = Settings.from_dict({"constraints": [{"must_use": ["x0", "x1"]}, {"must_not_use": "x0"}]}).constraints
    with pytest.raises(InfeasibleError) as refused:
        Problem.of(X, y, constraints=asked)
    assert {c.in_words() for c in refused.value.constraints} == {c.in_words() for c in asked}
