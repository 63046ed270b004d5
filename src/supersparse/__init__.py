"""Scoring systems: linear classifiers with a few small integer coefficients.

Public names are loaded when used, so importing this package loads no solver and
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
    from supersparse.problem import constraints as constraints
    from supersparse.table import datasets as datasets
    from supersparse.base import errors as errors
    from supersparse.engine.answers import penalties as penalties
    from supersparse.problem import theory as theory
    from supersparse.base.stop import Stop as Stop
    from supersparse.card.build import item as item
    from supersparse.card.card import Card as Card, Item as Item
    from supersparse.card.evaluate.evaluation import Evaluation as Evaluation, Subgroups as Subgroups
    from supersparse.card.evaluate.forecasts import (
        CalibrationCurve as CalibrationCurve,
        DecisionCurve as DecisionCurve,
        Forecasts as Forecasts,
    )
    from supersparse.card.evaluate.risk_table import RiskTable as RiskTable
    from supersparse.card.evaluate.trade_off import CrossValidatedTradeOff as CrossValidatedTradeOff
    from supersparse.card.explain.reasons import Explanation as Explanation
    from supersparse.card.export.estimator import load_estimator as load_estimator, save_estimator as save_estimator
    from supersparse.card.file import card_schema as card_schema
    from supersparse.card.printed import printed as printed
    from supersparse.card.risk import LogisticRisk as LogisticRisk, TableRisk as TableRisk
    from supersparse.card.rules import Domain as Domain
    from supersparse.engine.answers.edit import Edit as Edit, what_if as what_if
    from supersparse.engine.answers.frontier import C0Path as C0Path, Frontier as Frontier, frontier as frontier
    from supersparse.engine.answers.pool import Pool as Pool, pool as pool
    from supersparse.engine.answers.trade_off import (
        TradeOff as TradeOff,
        TradeOffPoint as TradeOffPoint,
        trade_off as trade_off,
    )
    from supersparse.engine.explain import explain_infeasible as explain_infeasible
    from supersparse.engine.options import SolveOptions as SolveOptions
    from supersparse.engine.rounding import rounded as rounded
    from supersparse.engine.solution import Conflict as Conflict, Solution as Solution, Trace as Trace
    from supersparse.engine.solve import solve as solve
    from supersparse.learn.prepare.prepare import Prepare as Prepare
    from supersparse.learn.row_counts import RowCounts as RowCounts, count_rows as count_rows
    from supersparse.learn.settings.settings import Settings as Settings
    from supersparse.problem.objective import PointsEvaluation as PointsEvaluation, evaluate as evaluate
    from supersparse.problem.points import (
        CoefficientSet as CoefficientSet,
        Points as Points,
        integers as integers,
        non_negative as non_negative,
        non_positive as non_positive,
        one_digit as one_digit,
        two_digits as two_digits,
    )
    from supersparse.problem.problem import Problem as Problem
    from supersparse.show.document import ScoringSystem as ScoringSystem
    from supersparse.show.document.plots import plot as plot, plot_evaluation as plot_evaluation
    from supersparse.show.estimators.risk import (
        RiskScoreClassifier as RiskScoreClassifier,
        RiskScoreClassifierCV as RiskScoreClassifierCV,
    )
    from supersparse.show.estimators.slim import SLIMClassifier as SLIMClassifier
    from supersparse.show.estimators.slim_cv import SLIMClassifierCV as SLIMClassifierCV
    from supersparse.show.estimators.trade_off import cross_validated_trade_off as cross_validated_trade_off
    from supersparse.show.report import (
        Plan as Plan,
        Report as Report,
        make_report as make_report,
        write_report as write_report,
    )
    from supersparse.table.files import read_table as read_table
    from supersparse.table.reading import Reading as Reading
# isort: on

_HOMES = {
    "C0Path": "engine.answers.frontier",
    "CalibrationCurve": "card.evaluate.forecasts",
    "Card": "card.card",
    "CoefficientSet": "problem.points",
    "Conflict": "engine.solution",
    "CrossValidatedTradeOff": "card.evaluate.trade_off",
    "DecisionCurve": "card.evaluate.forecasts",
    "Domain": "card.rules",
    "Edit": "engine.answers.edit",
    "Evaluation": "card.evaluate.evaluation",
    "Explanation": "card.explain.reasons",
    "Forecasts": "card.evaluate.forecasts",
    "Frontier": "engine.answers.frontier",
    "Item": "card.card",
    "LogisticRisk": "card.risk",
    "Plan": "show.report",
    "Points": "problem.points",
    "PointsEvaluation": "problem.objective",
    "Pool": "engine.answers.pool",
    "Prepare": "learn.prepare.prepare",
    "Problem": "problem.problem",
    "Reading": "table.reading",
    "Report": "show.report",
    "RiskScoreClassifier": "show.estimators.risk",
    "RiskScoreClassifierCV": "show.estimators.risk",
    "RiskTable": "card.evaluate.risk_table",
    "RowCounts": "learn.row_counts",
    "SLIMClassifier": "show.estimators.slim",
    "SLIMClassifierCV": "show.estimators.slim_cv",
    "ScoringSystem": "show.document",
    "Settings": "learn.settings.settings",
    "Solution": "engine.solution",
    "SolveOptions": "engine.options",
    "Stop": "base.stop",
    "Subgroups": "card.evaluate.evaluation",
    "TableRisk": "card.risk",
    "Trace": "engine.solution",
    "TradeOff": "engine.answers.trade_off",
    "TradeOffPoint": "engine.answers.trade_off",
    "card_schema": "card.file",
    "count_rows": "learn.row_counts",
    "cross_validated_trade_off": "show.estimators.trade_off",
    "evaluate": "problem.objective",
    "explain_infeasible": "engine.explain",
    "frontier": "engine.answers.frontier",
    "integers": "problem.points",
    "item": "card.build",
    "load_estimator": "card.export.estimator",
    "make_report": "show.report",
    "non_negative": "problem.points",
    "non_positive": "problem.points",
    "one_digit": "problem.points",
    "plot": "show.document.plots",
    "plot_evaluation": "show.document.plots",
    "pool": "engine.answers.pool",
    "printed": "card.printed",
    "read_table": "table.files",
    "rounded": "engine.rounding",
    "save_estimator": "card.export.estimator",
    "solve": "engine.solve",
    "trade_off": "engine.answers.trade_off",
    "two_digits": "problem.points",
    "what_if": "engine.answers.edit",
    "write_report": "show.report",
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
