"""Declared settings as keywords: the stubs are those of the declarations, and constructors take them."""

import ast
import importlib.util
import inspect
from pathlib import Path

import pytest

import supersparse
from supersparse import (
    Prepare,
    Problem,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    Settings,
    SLIMClassifier,
    SLIMClassifierCV,
    solve,
)
from supersparse.base.errors import UnknownParameterError
from supersparse.base.schema.setting import constructor, keywords_of
from supersparse.problem.asked import Asked

SOURCE = Path(supersparse.__file__).parent
SCRIPT = Path(__file__).parents[3] / "docs" / "scripts" / "stubs.py"


def script():
    spec = importlib.util.spec_from_file_location("stubs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stubbed(room, name):
    """The keywords of a class as the checked-in stub has them."""
    tree = ast.parse((SOURCE / room / "keywords.pyi").read_text(encoding="utf-8"))
    body = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name).body
    if isinstance(body[0], ast.FunctionDef):
        return [argument.arg for argument in body[0].args.kwonlyargs]
    return [line.target.id for line in body]


def test_the_stubs_are_those_of_the_declarations():
    # to renew them: make stubs
    stubs = script()
    written = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("keywords.pyi")}
    assert written == set(stubs.STUBS)
    assert (SOURCE / "__init__.pyi").read_text(encoding="utf-8") == stubs.public_stub()
    for room in stubs.STUBS:
        assert (SOURCE / room / "keywords.pyi").read_text(encoding="utf-8") == stubs.stub(room)


@pytest.mark.parametrize(
    ("function", "room", "name"),
    [
        (SLIMClassifier, "show/estimators", "SLIMParameters"),
        (SLIMClassifierCV, "show/estimators", "SLIMCVParameters"),
        (RiskScoreClassifier, "show/estimators", "RiskParameters"),
        (RiskScoreClassifierCV, "show/estimators", "RiskCVParameters"),
        (Prepare, "learn/prepare", "PrepareParameters"),
        (Settings.of, "learn/settings", "SettingsKeywords"),
        (Problem.of, "problem", "AskedKeywords"),
        (Problem.of_questions, "problem", "QuestionKeywords"),
        (solve, "engine", "SolveKeywords"),
    ],
)
def test_an_editor_sees_the_keywords_that_are_taken(function, room, name):
    shown = list(inspect.signature(function).parameters)
    known = stubbed(room, name)
    assert known
    assert shown[-len(known) :] == known


def test_a_constructor_keeps_what_it_is_given_and_refuses_the_rest():
    class Model(constructor("Parameters", keywords_of(Asked, "C0", "goal"))):
        """A model.

        Parameters
        ----------
        C0 : float
            A price.
        """

    model = Model(C0=0.5)
    assert (model.C0, model.goal) == (0.5, "errors")
    assert str(inspect.signature(Model)) == "(*, C0=None, goal='errors')"
    with pytest.raises(TypeError, match=r"Model.__init__\(\) got an unexpected keyword argument 'cost'"):
        Model(cost=1)
    with pytest.raises(UnknownParameterError, match="did you mean 'goal'"):
        Model(goals="risk")
    elsewhere = constructor("Parameters", keywords_of(Asked, "C0"), {"goal": "it is always errors"})
    with pytest.raises(UnknownParameterError, match="'goal'; it is always errors"):
        elsewhere(goal="risk")


def test_a_parameter_that_a_docstring_leaves_out_is_described_by_its_line_of_help():
    class Model(constructor("Parameters", keywords_of(Asked, "C0", "goal"))):
        """A model.

        Parameters
        ----------
        C0 : float
            A price.

        Attributes
        ----------
        x : float
        """

    assert "\ngoal\n    What is minimised" in Model.__doc__
    assert Model.__doc__.count("C0") == 1
    assert Model.__doc__.index("goal") < Model.__doc__.index("Attributes")
