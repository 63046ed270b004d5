"""Scoring systems: linear classifiers with a few small integer coefficients.

Public names are loaded when used, so importing this package loads no solver, no numba and
no matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from supersparse._version import __version__

# isort: off
if TYPE_CHECKING:  # for type checkers, which do not run __getattr__
    from supersparse import constraints as constraints, penalties as penalties
    from supersparse.card.build import item as item
    from supersparse.estimators import SLIMClassifier as SLIMClassifier, SLIMClassifierCV as SLIMClassifierCV
    from supersparse.prepare import Prepare as Prepare
    from supersparse.problem.coefficients import (
        CoefficientSet as CoefficientSet,
        integers as integers,
        non_negative as non_negative,
        non_positive as non_positive,
        one_digit as one_digit,
        two_digits as two_digits,
    )
    from supersparse.problem.file.settings import Settings as Settings
    from supersparse.problem.points import Points as Points
    from supersparse.problem.problem import Problem as Problem
    from supersparse.scorecard import ScoringSystem as ScoringSystem
    from supersparse.render.plots import plot as plot
    from supersparse.selection.frontier import frontier as frontier
    from supersparse.selection.pool import pool as pool
    from supersparse.selection.trade_off import trade_off as trade_off
    from supersparse.selection.what_if import what_if as what_if
    from supersparse.solution.solution import Solution as Solution
    from supersparse.solution.stop import Stop as Stop
    from supersparse.solving.rounding import rounded as rounded
    from supersparse.solving.solve import solve as solve
# isort: on

_HOMES = {
    "CoefficientSet": "problem.coefficients",
    "Points": "problem.points",
    "Prepare": "prepare",
    "Problem": "problem.problem",
    "SLIMClassifier": "estimators",
    "SLIMClassifierCV": "estimators",
    "ScoringSystem": "scorecard",
    "Settings": "problem.file.settings",
    "Solution": "solution.solution",
    "Stop": "solution.stop",
    "constraints": "constraints",
    "frontier": "selection.frontier",
    "integers": "problem.coefficients",
    "item": "card.build",
    "non_negative": "problem.coefficients",
    "non_positive": "problem.coefficients",
    "one_digit": "problem.coefficients",
    "penalties": "penalties",
    "plot": "render.plots",
    "pool": "selection.pool",
    "rounded": "solving.rounding",
    "solve": "solving.solve",
    "trade_off": "selection.trade_off",
    "two_digits": "problem.coefficients",
    "what_if": "selection.what_if",
}

_ROOMS = {"constraints", "penalties"}  # names that stand for a whole module

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'supersparse' has no attribute {name!r}")
    home = import_module(f"supersparse.{_HOMES[name]}")
    return home if name in _ROOMS else getattr(home, name)


def __dir__() -> list[str]:
    return sorted(__all__)
