"""Scoring systems: linear classifiers with a few small integer coefficients.

Public names are loaded when used, so importing this package loads no solver, no numba and
no matplotlib.
"""

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import TYPE_CHECKING

from supersparse._version import __version__

# isort: off
if TYPE_CHECKING:  # for type checkers, which do not run __getattr__
    from supersparse.base import errors as errors
    from supersparse.engine.answers import penalties as penalties
    from supersparse.problem import constraints as constraints, theory as theory
    from supersparse.table import datasets as datasets
    from supersparse.card.build import item as item
    from supersparse.card.rules import Domain as Domain
    from supersparse.table.files import read_table as read_table
    from supersparse.table.reading import Reading as Reading
    from supersparse.show.estimators import RiskScoreClassifier as RiskScoreClassifier
    from supersparse.show.estimators import RiskScoreClassifierCV as RiskScoreClassifierCV
    from supersparse.show.estimators import (
        SLIMClassifier as SLIMClassifier,
        SLIMClassifierCV as SLIMClassifierCV,
    )
    from supersparse.show.estimators.trade_off import cross_validated_trade_off as cross_validated_trade_off
    from supersparse.learn.row_counts import count_rows as count_rows
    from supersparse.learn.prepare import Prepare as Prepare
    from supersparse.problem.points import (
        CoefficientSet as CoefficientSet,
        integers as integers,
        non_negative as non_negative,
        non_positive as non_positive,
        one_digit as one_digit,
        two_digits as two_digits,
    )
    from supersparse.learn.settings.settings import Settings as Settings
    from supersparse.problem.points import Points as Points
    from supersparse.problem.problem import Problem as Problem
    from supersparse.show.document import ScoringSystem as ScoringSystem
    from supersparse.show.document.plots import plot as plot, plot_evaluation as plot_evaluation
    from supersparse.engine.answers.frontier import frontier as frontier
    from supersparse.engine.answers.pool import pool as pool
    from supersparse.engine.answers.trade_off import trade_off as trade_off
    from supersparse.engine.answers.edit import what_if as what_if
    from supersparse.engine.explain import explain_infeasible as explain_infeasible
    from supersparse.engine.options import SolveOptions as SolveOptions
    from supersparse.engine.solution import Solution as Solution
    from supersparse.base.stop import Stop as Stop
    from supersparse.engine.rounding import rounded as rounded
    from supersparse.engine.solve import solve as solve
# isort: on

_HOMES = {
    "CoefficientSet": "problem.points",
    "Domain": "card.rules",
    "Points": "problem.points",
    "Prepare": "learn.prepare",
    "Problem": "problem.problem",
    "Reading": "table.reading",
    "RiskScoreClassifier": "show.estimators",
    "RiskScoreClassifierCV": "show.estimators",
    "SLIMClassifier": "show.estimators",
    "SLIMClassifierCV": "show.estimators",
    "ScoringSystem": "show.document",
    "Settings": "learn.settings.settings",
    "Solution": "engine.solution",
    "SolveOptions": "engine.options",
    "Stop": "base.stop",
    "count_rows": "learn.row_counts",
    "cross_validated_trade_off": "show.estimators.trade_off",
    "explain_infeasible": "engine.explain",
    "frontier": "engine.answers.frontier",
    "integers": "problem.points",
    "item": "card.build",
    "non_negative": "problem.points",
    "non_positive": "problem.points",
    "one_digit": "problem.points",
    "plot": "show.document.plots",
    "plot_evaluation": "show.document.plots",
    "pool": "engine.answers.pool",
    "read_table": "table.files",
    "rounded": "engine.rounding",
    "solve": "engine.solve",
    "trade_off": "engine.answers.trade_off",
    "two_digits": "problem.points",
    "what_if": "engine.answers.edit",
}

# public names that stand for whole modules, which live in the wings
_MODULES = {
    "constraints": "problem.constraints",
    "datasets": "table.datasets",
    "errors": "base.errors",
    "penalties": "engine.answers.penalties",
    "theory": "problem.theory",
}

__all__ = ["__version__", *_HOMES, *_MODULES]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'supersparse' has no attribute {name!r}")
    return getattr(import_module(f"supersparse.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _PublicModules(MetaPathFinder, Loader):
    """``import supersparse.datasets`` gives the module in its wing, the same object under both names."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        parent, _, name = fullname.rpartition(".")
        return spec_from_loader(fullname, self) if parent == __name__ and name in _MODULES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(f"{__name__}.{_MODULES[spec.name.rpartition('.')[2]]}")
        self._spec_at_home = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has run at home; what the import changed is put back."""
        module.__spec__ = self._spec_at_home


# first, so that a folder that an older version left behind is not taken for the module
sys.meta_path.insert(0, _PublicModules())
