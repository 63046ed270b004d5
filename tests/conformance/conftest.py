"""Every solver for the errors, and none of them helped."""

import pytest

from solvers import FOR_ERRORS, require_solver, without_incumbent_search


@pytest.fixture(params=FOR_ERRORS)
def name(request):
    return require_solver(request.param)


@pytest.fixture
def no_incumbent_search(monkeypatch):
    without_incumbent_search(monkeypatch)
