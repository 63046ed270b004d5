"""The registry: every name has a class that keeps the contract."""

import pytest

from supersparse.engine import solvers
from supersparse.engine.solvers import Aim
from supersparse.errors import InvalidOptionError, SolverNotInstalledError


@pytest.mark.parametrize("name", solvers.names())
def test_every_solver_declares_its_name_and_what_it_answers(name):
    solver = solvers.solver_class(name)
    assert solver.name == name
    assert Aim.BEST in solver.capabilities.questions


@pytest.mark.parametrize("name", solvers.names())
def test_availability_says_what_to_install(name):
    state = solvers.availability(name)
    assert state.installed or state.remedy.startswith("pip install")


def test_exhaustive_search_is_always_there():
    assert solvers.availability("exhaustive") == solvers.Availability("exhaustive", True, None, "")


def test_a_missing_package_is_an_error_that_says_what_to_install(monkeypatch):
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    with pytest.raises(SolverNotInstalledError, match="'scip' is not installed; pip install pyscipopt"):
        solvers.get("scip")


def test_an_unknown_name_is_an_error_with_the_nearest_known():
    with pytest.raises(InvalidOptionError, match="unknown solver 'higs'; did you mean 'highs'"):
        solvers.get("higs")
