"""Solvers for tests: those that are installed, and ways to leave them alone with a problem."""

import os

import pytest

from supersparse.engine import solvers
from supersparse.engine.search import incumbent
from supersparse.engine.search.incumbent import Search

FOR_ERRORS = [name for name in solvers.names() if "errors" in solvers.solver_class(name).capabilities.goals]


def require_solver(name):
    """Return the name of a solver, or skip the test where it is not installed."""
    state = solvers.availability(name)
    if not state.installed:
        pytest.skip(f"solver {name!r} is not installed; {state.remedy}")
    return name


def without_incumbent_search(patch):
    """MIP back ends must find the best model themselves; the search would also take most of the time."""
    patch.setattr(incumbent, "search", lambda problem, monitor: None)


def without_search(patch):
    """The exact engine starts from the smallest model, so that its proof is longer."""
    patch.setattr(Search, "run", lambda self, work: None)
    patch.setattr(Search, "warm_up", lambda self, work: None)


def signal_at_first_model(number):
    """Return what sends this process a signal, once, when a search has met its first model."""
    told = []

    def send(event):
        if event.objective is not None and not told:
            told.append(event)
            os.kill(os.getpid(), number)

    return send
