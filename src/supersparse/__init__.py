"""Scoring systems: linear classifiers with a few small integer coefficients.

Public names are loaded when used, so importing this package loads no solver and no matplotlib.
"""

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

from supersparse._version import __version__

# The public names of each module; type checkers and editors read `__init__.pyi`, which `make stubs` writes from them.
_PUBLIC = {
    "base.stop": "Stop",
    "card.build": "item",
    "card.card": "Card Item",
    "card.evaluate.evaluation": "Evaluation Subgroups",
    "card.evaluate.forecasts": "CalibrationCurve DecisionCurve Forecasts",
    "card.evaluate.risk_table": "RiskTable",
    "card.evaluate.trade_off": "CrossValidatedTradeOff",
    "card.explain.reasons": "Explanation",
    "card.export.estimator": "load_estimator save_estimator",
    "card.file": "card_schema",
    "card.printed": "printed",
    "card.risk": "LogisticRisk TableRisk",
    "card.rules": "Domain",
    "engine.answers.edit": "Edit what_if",
    "engine.answers.frontier": "C0Path Frontier frontier",
    "engine.answers.pool": "Pool pool",
    "engine.answers.trade_off": "TradeOff TradeOffPoint trade_off",
    "engine.explain": "explain_infeasible",
    "engine.options": "SolveOptions",
    "engine.rounding": "rounded",
    "engine.solution": "Conflict Solution Trace",
    "engine.solve": "solve",
    "learn.prepare.prepare": "Prepare",
    "learn.row_counts": "RowCounts count_rows",
    "learn.settings.settings": "Settings",
    "problem.objective": "PointsEvaluation evaluate",
    "problem.points": "CoefficientSet Points integers non_negative non_positive one_digit two_digits",
    "problem.problem": "Problem",
    "show.document": "ScoringSystem",
    "show.document.plots": "plot plot_evaluation",
    "show.estimators.risk": "RiskScoreClassifier RiskScoreClassifierCV",
    "show.estimators.slim": "SLIMClassifier",
    "show.estimators.slim_cv": "SLIMClassifierCV",
    "show.estimators.trade_off": "cross_validated_trade_off",
    "show.report": "Plan Report make_report write_report",
    "table.files": "read_table",
    "table.reading": "Reading",
}
_HOMES = dict(sorted((name, module) for module, names in _PUBLIC.items() for name in names.split()))

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
