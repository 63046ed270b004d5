"""Options of solvers: checked values, and keywords of everything that solves."""

import inspect
import pydoc
from dataclasses import fields
from typing import Unpack, get_type_hints

import pytest

import supersparse
from supersparse.engine.answers.edit import what_if
from supersparse.engine.answers.frontier import frontier
from supersparse.engine.answers.penalty_grid import solve_each_penalty
from supersparse.engine.answers.pool import pool
from supersparse.engine.answers.trade_off import trade_off
from supersparse.engine.explain import explain_infeasible
from supersparse.engine.options import SolveKeywords, SolveOptions
from supersparse.engine.solve import solve, solve_all_within, solve_each_size


@pytest.mark.parametrize(
    "function",
    [
        solve, solve_each_size, solve_all_within, explain_infeasible, frontier, pool, trade_off, what_if,
        solve_each_penalty,
    ],
)  # fmt: skip
def test_functions_that_solve_declare_their_options(function):
    assert get_type_hints(function)["options"] == Unpack[SolveKeywords]


def test_help_of_solve_shows_every_option_with_its_meaning():
    shown = pydoc.plain(pydoc.render_doc(solve))
    parameters = inspect.signature(solve).parameters
    assert parameters["n_jobs"].default == 1
    assert (parameters["formulation"].default, parameters["solver_options"].default) == ("bigm", {})
    for option in fields(SolveOptions):
        assert option.name in parameters
        assert f"\n    {option.name}\n" in shown
        assert f"    {option.name}\n" in SolveOptions.__doc__
    assert "Time limit in seconds." in shown
    assert "Branching priorities by feature name or pattern" in shown
    assert supersparse.SolveOptions is SolveOptions


@pytest.mark.parametrize("cores", [2, 96])
def test_no_more_threads_are_started_than_cores_can_use(cores, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    most = max(32, 4 * cores)
    assert [SolveOptions(n_jobs=n).n_jobs for n in (1, 7, most, most + 1, 10**6)] == [1, 7, most, most, most]
    assert SolveOptions(n_jobs=-1).n_jobs == cores
