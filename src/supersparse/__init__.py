"""Scoring systems: linear classifiers with a few small integer coefficients.

Public names are loaded when used, so importing this package loads no solver, no numba and
no matplotlib.
"""

from importlib import import_module

from supersparse._version import __version__

_HOMES = {
    "CoefficientSet": "problem.coefficients",
    "Points": "problem.points",
    "Problem": "problem.problem",
    "SLIMClassifier": "estimators",
    "SLIMClassifierCV": "estimators",
    "ScoringSystem": "scorecard",
    "Settings": "problem.file.settings",
    "Solution": "solution.solution",
    "Stop": "solution.stop",
    "constraints": "problem.constraints",
    "frontier": "selection.frontier",
    "integers": "problem.coefficients",
    "item": "card.build",
    "non_negative": "problem.coefficients",
    "non_positive": "problem.coefficients",
    "one_digit": "problem.coefficients",
    "pool": "selection.pool",
    "solve": "solving.solve",
    "two_digits": "problem.coefficients",
}

_ROOMS = {"constraints"}  # names that stand for a whole module

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'supersparse' has no attribute {name!r}")
    home = import_module(f"supersparse.{_HOMES[name]}")
    return home if name in _ROOMS else getattr(home, name)


def __dir__() -> list[str]:
    return sorted(__all__)
