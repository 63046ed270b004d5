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
    from supersparse.card.rules import Domain as Domain
    from supersparse.data.files import read_table as read_table
    from supersparse.data.reading import Reading as Reading
    from supersparse.estimators import RiskScoreClassifier as RiskScoreClassifier
    from supersparse.estimators import RiskScoreClassifierCV as RiskScoreClassifierCV
    from supersparse.estimators import SLIMClassifier as SLIMClassifier, SLIMClassifierCV as SLIMClassifierCV
    from supersparse.estimators.trade_off import cross_validated_trade_off as cross_validated_trade_off
    from supersparse.learning.row_counts import count_rows as count_rows
    from supersparse.prepare import Prepare as Prepare
    from supersparse.problem.points import (
        CoefficientSet as CoefficientSet,
        integers as integers,
        non_negative as non_negative,
        non_positive as non_positive,
        one_digit as one_digit,
        two_digits as two_digits,
    )
    from supersparse.settings.settings import Settings as Settings
    from supersparse.problem.points import Points as Points
    from supersparse.problem.problem import Problem as Problem
    from supersparse.faces import ScoringSystem as ScoringSystem
    from supersparse.faces.plots import plot as plot, plot_evaluation as plot_evaluation
    from supersparse.results.frontier import frontier as frontier
    from supersparse.results.pool import pool as pool
    from supersparse.results.trade_off import trade_off as trade_off
    from supersparse.results.edit import what_if as what_if
    from supersparse.solving.explain import explain_infeasible as explain_infeasible
    from supersparse.solving.options import SolveOptions as SolveOptions
    from supersparse.solving.solution import Solution as Solution
    from supersparse.stop import Stop as Stop
    from supersparse.solving.rounding import rounded as rounded
    from supersparse.solving.solve import solve as solve
# isort: on

_HOMES = {
    "CoefficientSet": "problem.points",
    "Domain": "card.rules",
    "Points": "problem.points",
    "Prepare": "prepare",
    "Problem": "problem.problem",
    "Reading": "data.reading",
    "RiskScoreClassifier": "estimators",
    "RiskScoreClassifierCV": "estimators",
    "SLIMClassifier": "estimators",
    "SLIMClassifierCV": "estimators",
    "ScoringSystem": "faces",
    "Settings": "settings.settings",
    "Solution": "solving.solution",
    "SolveOptions": "solving.options",
    "Stop": "stop",
    "constraints": "constraints",
    "count_rows": "learning.row_counts",
    "cross_validated_trade_off": "estimators.trade_off",
    "explain_infeasible": "solving.explain",
    "frontier": "results.frontier",
    "integers": "problem.points",
    "item": "card.build",
    "non_negative": "problem.points",
    "non_positive": "problem.points",
    "one_digit": "problem.points",
    "penalties": "penalties",
    "plot": "faces.plots",
    "plot_evaluation": "faces.plots",
    "pool": "results.pool",
    "read_table": "data.files",
    "rounded": "solving.rounding",
    "solve": "solving.solve",
    "trade_off": "results.trade_off",
    "two_digits": "problem.points",
    "what_if": "results.edit",
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
