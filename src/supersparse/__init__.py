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

from supersparse._version import __version__

# Where each public name lives; type checkers and editors read `__init__.pyi`, which `make stubs` writes from it.
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
