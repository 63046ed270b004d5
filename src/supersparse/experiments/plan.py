"""What the study fits: the full plan, and a small one of the same shape."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from supersparse.experiments.fitting import Task
from supersparse.experiments.methods.c50 import C50Rules, C50Trees
from supersparse.experiments.methods.contract import Method
from supersparse.experiments.methods.fasterrisk import FasterRisk
from supersparse.experiments.methods.logistic import LogisticRegression
from supersparse.experiments.methods.penalised import ElasticNet, Lasso, Ridge
from supersparse.experiments.methods.rounding import ScaledToSet, TimesTen, UnitWeights
from supersparse.experiments.methods.scikit import Cart, KernelMachine, RandomForest
from supersparse.experiments.methods.slim import Slim, SlimPricedIntercept
from supersparse.experiments.setting import Setting
from supersparse.experiments.study_data import FOLDS, StudyData, fold_names, inner_names

SEED = 0
PAPER_METHODS = ("LR", "CART", "RF", "SVM", "C50T", "C50R", "Lasso", "Ridge", "EN", "SLIM")
DATASETS = ("breast-cancer", "haberman", "internet-ads", "mammography", "spambase", "tic-tac-toe")
NESTED = ("SLIM", "Lasso", "CART")
CONTOUR_DATASETS = ("breast-cancer", "haberman", "mammography")
CONTOUR_C0 = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
CONTOUR_C1 = (1e-06, 1e-05, 0.0001, 0.0005, 0.002, 0.01)  # the safe range ends near the first

# Units of work of the exact engine that take about a minute on one core of the machine named in the records.
MINUTE = {
    "breast-cancer": 80_000,
    "haberman": 80_000,
    "internet-ads": 40_000,
    "mammography": 80_000,
    "spambase": 40_000,
    "tic-tac-toe": 40_000,
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Datasets, methods and splits; SLIM's work a fit is that of `minutes` on each table."""

    name: str
    datasets: tuple[str, ...]
    methods: tuple[Method, ...]
    folds: int = FOLDS
    seed: int = SEED
    nested: tuple[str, ...] = NESTED
    nested_share: float = 1 / 40  # of SLIM's work, in the folds inside a fold: a second or two of sixty
    contour: tuple[str, ...] = CONTOUR_DATASETS
    contour_share: float = 1 / 6  # of SLIM's work: ten seconds of sixty
    contour_C0: tuple[float, ...] = CONTOUR_C0  # noqa: N815  # the paper's name
    contour_C1: tuple[float, ...] = CONTOUR_C1  # noqa: N815

    def tasks(self, data: StudyData, method: Method) -> Iterator[Task]:
        """All that one method does on one table."""
        settings = method.settings(data)
        for outer in fold_names(self.folds):
            yield from self._split(data, method, outer, settings)
            if method.name in self.nested:
                shorter = tuple(with_share(setting, self.nested_share) for setting in settings)
                for inner in inner_names(outer, self.folds):
                    yield from self._split(data, method, inner, shorter)
            if method.name == "SLIM" and data.name in self.contour:
                yield from self._split(data, method, outer, self.contour_settings(settings[0]))

    def contour_settings(self, like: Setting) -> tuple[Setting, ...]:
        """The grid of C0 and C1, with a share of the usual work."""
        work = with_share(like, self.contour_share).whole("work")
        return tuple(Setting.of(C0=C0, work=work, C1=C1) for C0 in self.contour_C0 for C1 in self.contour_C1)

    def _split(
        self, data: StudyData, method: Method, split: str, settings: tuple[Setting, ...]
    ) -> Iterator[Task]:
        parts = [settings] if method.whole_path else [(setting,) for setting in settings]
        for part in parts:
            yield Task(data=data, method=method, split=split, settings=part, seed=self.seed)


def with_share(setting: Setting, share: float) -> Setting:
    """Return the setting with a part of its work; one without work as it is."""
    if not setting.has("work"):
        return setting
    work = max(1, round(setting.whole("work") * share))
    return Setting(tuple((name, work if name == "work" else value) for name, value in setting.values))


def full(environment: Path | None) -> Plan:
    """The whole study; `environment` is where FasterRisk is installed."""
    return Plan(
        name="full",
        datasets=DATASETS,
        methods=(
            LogisticRegression(), Cart(), RandomForest(), KernelMachine(), C50Trees(), C50Rules(), Lasso(),
            Ridge(), ElasticNet(), Slim(MINUTE), SlimPricedIntercept(MINUTE), FasterRisk(environment),
            TimesTen(), ScaledToSet(), UnitWeights(),
        ),
    )  # fmt: skip


def small(environment: Path | None) -> Plan:
    """Three tables, all methods, shorter grids and a hundredth of SLIM's work: minutes instead of hours."""
    work = {name: units // 100 for name, units in MINUTE.items()}
    return Plan(
        name="small",
        datasets=CONTOUR_DATASETS,
        methods=(
            LogisticRegression(), Cart(), RandomForest(trees=100), KernelMachine(), C50Trees(), C50Rules(),
            Lasso(count=40), Ridge(count=40), ElasticNet(count=40), Slim(work), SlimPricedIntercept(work),
            FasterRisk(environment, sizes=(5, 3)), TimesTen(), ScaledToSet(), UnitWeights(),
        ),
        nested_share=0.25,
        contour=("haberman",),
        contour_share=1.0,
    )  # fmt: skip
