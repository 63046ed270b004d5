"""Study: the records by dataset and method, and what a rule chooses from them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean, median, stdev

from study.plan import DATASETS, NESTED
from study.records import Line, Loaded, Machine, Record, Shown, Skipped, Wrong
from study.setting import Setting
from study.study_data import fold_names, inner_names
from supersparse.learn.choice import Candidate, choose_penalty

METHODS = (
    "LR", "CART", "RF", "SVM", "C50T", "C50R", "Lasso", "Ridge", "EN", "SLIM", "SLIM free",
    "CART cp", "FasterRisk", "LR x10", "LR ±100", "Unit",
)  # fmt: skip
SPARSE_RULES = ("Lasso", "Ridge", "EN", "SLIM", "SLIM free")  # for which the paper also takes a sparser model


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation (of a sample, as R's sd) over the folds, in percent."""

    mean: float
    sd: float

    @classmethod
    def of(cls, wrong: Sequence[Wrong]) -> "Spread":
        """Over the error rates of the folds."""
        rates = [100 * w.rate for w in wrong]
        return cls(mean(rates), stdev(rates) if len(rates) > 1 else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A method on a dataset with one setting: one record a fold."""

    dataset: str
    method: str
    setting: Setting
    records: tuple[Record, ...]

    @property
    def test(self) -> Spread:
        """The test error."""
        return Spread.of([r.test for r in self.records])

    @property
    def train(self) -> Spread:
        """The training error; of a forest out of bag."""
        return Spread.of([r.train for r in self.records])

    def sizes(self, with_intercept: bool = True) -> list[int]:
        """The sizes of the folds' models in rising order."""
        return sorted(r.size_with_intercept if with_intercept else r.size for r in self.records)

    @property
    def size(self) -> float:
        """The median size, intercept counted."""
        return median(self.sizes())

    @property
    def size_without_intercept(self) -> float:
        """The median size, intercept not counted."""
        return median(self.sizes(with_intercept=False))

    @property
    def size_as_the_paper(self) -> float:
        """The median size as the paper counts it: of logistic regression without the intercept."""
        return self.size_without_intercept if self.method == "LR" else self.size

    @property
    def proven(self) -> int:
        """How many of the models are proven optimal."""
        return sum(1 for r in self.records if r.proof is not None and r.proof.proven)


class Study:
    """All records of a run, ready to be asked; of a fold that is missing, its setting is left out."""

    def __init__(self, lines: Iterable[Line], folds: int | None = None) -> None:
        lines = list(lines)
        self.machines = [line for line in lines if isinstance(line, Machine)]
        self.skipped = [line for line in lines if isinstance(line, Skipped)]
        self.tables = {line.dataset: line for line in lines if isinstance(line, Loaded)}
        self.shown = [line for line in lines if isinstance(line, Shown)]
        self._by: dict[tuple[str, str], dict[Setting, dict[str, Record]]] = defaultdict(lambda: defaultdict(dict))
        for line in lines:
            if isinstance(line, Record):
                self._by[line.dataset, line.method][line.setting][line.split] = line
        self._chosen: dict[tuple[str, str, str], Result] = {}  # asked for often, and slow to choose
        self.folds = fold_names(folds or _folds(lines))

    @property
    def datasets(self) -> list[str]:
        """The tables with records, in the paper's order."""
        there = {dataset for dataset, _ in self._by}
        return [name for name in DATASETS if name in there] + sorted(there - set(DATASETS))

    def methods(self, dataset: str) -> list[str]:
        """The methods with a whole result on a table, in the paper's order."""
        return [name for name in METHODS if self.results(dataset, name)]

    def methods_under(self, dataset: str, rule: str) -> list[str]:
        """The methods for which a rule is a choice of its own."""
        return [name for name in self.methods(dataset) if rule == "best" or name in SPARSE_RULES]

    def results(self, dataset: str, method: str, *, contour: bool = False) -> list[Result]:
        """The settings with a record of every fold; the simplest models last."""
        found = []
        for setting, records in self._by.get((dataset, method), {}).items():
            if setting.has("C1") == contour and all(fold in records for fold in self.folds):
                whole = tuple(records[fold] for fold in self.folds)
                found.append(Result(dataset=dataset, method=method, setting=setting, records=whole))
        return sorted(found, key=lambda r: (-sum(r.sizes(False)), str(r.setting.values)))

    def chosen(self, dataset: str, method: str, rule: str) -> Result:
        """What a rule chooses; methods without a sparser choice keep the least error."""
        rule = rule if method in SPARSE_RULES else "best"
        known = self._chosen.get((dataset, method, rule))
        if known is None:
            results = self.results(dataset, method)
            candidates = [_candidate(k, r.records) for k, r in enumerate(results)]
            known = results[choose_penalty(candidates, rule, may_be_empty=True)]
            self._chosen[dataset, method, rule] = known
        return known

    def nested(self, dataset: str, method: str) -> Spread | None:
        """The test error with settings chosen inside the training rows of each fold; None without records."""
        if method not in NESTED:
            return None
        tested = []
        by_setting = self._by.get((dataset, method), {})
        outer_settings = {r.setting.without("work"): r for r in self.results(dataset, method)}
        for k, outer in enumerate(self.folds):
            names = inner_names(outer, len(self.folds))
            inner = {
                setting.without("work"): [records[name] for name in names if name in records]
                for setting, records in by_setting.items()
                if any(name in records for name in names)
            }
            whole = [s for s in outer_settings if len(inner.get(s, [])) == len(self.folds)]
            if not whole:
                return None
            ordered = sorted(whole, key=lambda s: (-sum(r.size for r in inner[s]), str(s.values)))
            candidates = [_candidate(k, inner[s]) for k, s in enumerate(ordered)]
            best = choose_penalty(candidates, "best", may_be_empty=True)
            tested.append(outer_settings[ordered[best]].records[k].test)
        return Spread.of(tested)

    def optimism(self) -> Iterator[tuple[str, str, Spread, Spread]]:
        """Dataset, method, the reported error and the nested one, where both are on record."""
        for dataset in self.datasets:
            for method in self.methods(dataset):
                nested = self.nested(dataset, method)
                if nested is not None:
                    yield dataset, method, self.chosen(dataset, method, "best").test, nested


def _candidate(order: int, records: Sequence[Record]) -> Candidate:
    """What is chosen among; the order takes the place of C0, which breaks the last ties."""
    errors = tuple(Fraction(r.test.errors, r.test.rows) for r in records)
    return Candidate(C0=float(order), errors=errors, sizes=tuple(r.size for r in records))


def _folds(lines: Iterable[Line]) -> int:
    counts = {int(r.split.split("/")[1]) for r in lines if isinstance(r, Record) and ":" not in r.split}
    return max(counts, default=5)
