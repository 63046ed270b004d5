"""What the study fits: the full plan, and a small one of the same shape."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from study.contour_grid import CONTOUR_C0, CONTOUR_C1, values_of_C1
from study.fitting import KINDS, Task
from study.methods.c50 import C50Rules, C50Trees
from study.methods.contract import Method
from study.methods.fasterrisk import FasterRisk
from study.methods.logistic import LogisticRegression
from study.methods.penalised import ElasticNet, Lasso, Ridge
from study.methods.rounding import ScaledToSet, TimesTen, UnitWeights
from study.methods.scikit import Cart, CartOfRpart, KernelMachine, RandomForest
from study.methods.slim import Slim, SlimFree
from study.setting import Setting
from study.study_data import FOLDS, StudyData, fold_names, inner_names, split_rows
from supersparse.base.errors import InvalidOptionError, did_you_mean

SEED = 0
PAPER_METHODS = ("LR", "CART", "RF", "SVM", "C50T", "C50R", "Lasso", "Ridge", "EN", "SLIM")
DATASETS = ("breast-cancer", "haberman", "internet-ads", "mammography", "spambase", "tic-tac-toe")
NESTED = ("SLIM", "Lasso", "CART")
SMALL_DATASETS = ("breast-cancer", "haberman", "tic-tac-toe")  # those that every clone has; spambase is large

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
    contour: tuple[str, ...] = DATASETS
    contour_share: float = 1 / 40  # of SLIM's work
    contour_C0: tuple[float, ...] = CONTOUR_C0  # noqa: N815  # the paper's name
    contour_C1: tuple[float, ...] = CONTOUR_C1  # noqa: N815  # beside two below the end of the paper's range
    kinds: tuple[str, ...] = KINDS

    def part(
        self,
        *,
        datasets: Sequence[str] | None = None,
        methods: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
    ) -> "Plan":
        """Return the plan with some of its datasets, methods and kinds of fit; None keeps all."""
        named = {method.name: method for method in self.methods}
        return replace(
            self,
            datasets=_some("dataset", datasets, self.datasets),
            methods=tuple(named[name] for name in _some("method", methods, tuple(named))),
            kinds=_some("kind of fit", kinds, self.kinds),
        )

    def tasks(self, data: StudyData, method: Method) -> Iterator[Task]:
        """All that one method does on one table."""
        return (task for task in self._all_tasks(data, method) if task.kind in self.kinds)

    def _all_tasks(self, data: StudyData, method: Method) -> Iterator[Task]:
        settings = method.settings(data)
        for outer in fold_names(self.folds):
            yield from self._split(data, method, outer, settings)
            if method.name in self.nested:
                shorter = tuple(with_share(setting, self.nested_share) for setting in settings)
                for inner in inner_names(outer, self.folds):
                    yield from self._split(data, method, inner, shorter)
            if method.name == "SLIM" and data.name in self.contour:
                yield from self._split(data, method, outer, self.contour_settings(data, settings[0]))

    def contour_settings(self, data: StudyData, like: Setting) -> tuple[Setting, ...]:
        """The grid of C0 and C1, with a share of the usual work."""
        work = with_share(like, self.contour_share).whole("work")
        rows = {len(split_rows(data.y, fold, self.seed).train) for fold in fold_names(self.folds)}
        values = values_of_C1(rows, data.paper_columns, self.contour_C0, self.contour_C1)
        return tuple(Setting.of(C0=C0, work=work, C1=C1) for C0 in self.contour_C0 for C1 in values)

    def _split(self, data: StudyData, method: Method, split: str, settings: tuple[Setting, ...]) -> Iterator[Task]:
        parts = [settings] if method.whole_path else [(setting,) for setting in settings]
        for part in parts:
            yield Task(data=data, method=method, split=split, settings=part, seed=self.seed)


def _some(what: str, wanted: Sequence[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the known names that are wanted, in their own order."""
    for name in wanted or ():
        if name not in known:
            raise InvalidOptionError(f"the plan has no {what} {name!r}; {did_you_mean(name, known)}")
    return known if wanted is None else tuple(name for name in known if name in wanted)


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
            Ridge(), ElasticNet(), Slim(MINUTE), SlimFree(MINUTE), CartOfRpart(), FasterRisk(environment),
            TimesTen(), ScaledToSet(), UnitWeights(),
        ),
    )  # fmt: skip


def small(environment: Path | None) -> Plan:
    """Three tables, all methods, shorter grids and a hundredth of SLIM's work: minutes instead of hours."""
    work = {name: units // 100 for name, units in MINUTE.items()}
    return Plan(
        name="small",
        datasets=SMALL_DATASETS,
        methods=(
            LogisticRegression(), Cart(), RandomForest(trees=100), KernelMachine(), C50Trees(), C50Rules(),
            Lasso(count=40), Ridge(count=40), ElasticNet(count=40), Slim(work), SlimFree(work),
            CartOfRpart(), FasterRisk(environment, sizes=(5, 3)), TimesTen(), ScaledToSet(), UnitWeights(),
        ),
        nested_share=0.25,
        contour=("haberman",),
        contour_share=1.0,
    )  # fmt: skip
