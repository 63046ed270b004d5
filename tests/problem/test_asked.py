"""Settings twice in the code: as declared, and as keywords that type checkers and editors see."""

import inspect
from typing import get_type_hints

import pytest

from supersparse import RiskScoreClassifier, RiskScoreClassifierCV, SLIMClassifier, SLIMClassifierCV
from supersparse.learn.settings.settings import Settings, SettingsKeywords
from supersparse.problem.asked import Asked, AskedKeywords
from supersparse.show.estimators.parameters import RiskCVKeywords, RiskKeywords, SLIMCVKeywords, SLIMKeywords


def test_the_keywords_are_the_settings_with_the_same_types():
    assert get_type_hints(AskedKeywords) == get_type_hints(Asked)


def test_settings_take_the_same_keywords_and_those_of_columns_and_solver():
    assert set(get_type_hints(SettingsKeywords)) == set(get_type_hints(Settings)) - {"origin"}


@pytest.mark.parametrize(
    ("classifier", "keywords"),
    [
        (SLIMClassifier, SLIMKeywords),
        (SLIMClassifierCV, SLIMCVKeywords),
        (RiskScoreClassifier, RiskKeywords),
        (RiskScoreClassifierCV, RiskCVKeywords),
    ],
)
def test_type_checkers_see_the_parameters_of_the_classifiers(classifier, keywords):
    assert set(get_type_hints(keywords)) == set(inspect.signature(classifier).parameters)
