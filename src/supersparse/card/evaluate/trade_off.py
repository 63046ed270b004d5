"""The trade-off between errors of the two classes, on held-out rows.

The ratio W+/W- of the class weights and a risk threshold t are two names for one thing: whoever acts at a
risk above t counts a missed case as (1-t)/t false alarms. So one sweep gives both pictures: sensitivity
against specificity, and net benefit over thresholds. A limit on the false positive rate is not such a price: a
sweep of limits gives the first picture alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import counted, exact
from supersparse.card.performance import Performance
from supersparse.table.small_table import ResultTable, SmallTable, Tabular, cell, number


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CrossValidatedPoint(Tabular):
    """The cards for one ratio of class weights, or for one limit, on the held-out rows."""

    ratio: Fraction | None  # None where limits are swept
    features: float  # mean over the folds
    performance: Performance
    limit: Fraction | None = None  # on the false positive rate of the training rows

    @property
    def threshold(self) -> Fraction | None:
        """The risk above which one would act if a missed case counts as much as `ratio` false alarms."""
        return None if self.ratio is None else 1 / (1 + self.ratio)

    @property
    def net_benefit(self) -> Fraction | None:
        """Found cases less false alarms over the ratio, per row: the gain in cases found without alarm."""
        seen = self.performance
        return None if self.ratio is None else (seen.true_positives - seen.false_positives / self.ratio) / seen.n

    @property
    def net_benefit_of_all(self) -> Fraction | None:
        """The net benefit of predicting the positive class for everyone; for no one it is 0."""
        seen = self.performance
        return None if self.ratio is None else (seen.positives - seen.negatives / self.ratio) / seen.n

    def cells(self) -> dict[str, Any]:
        seen = self.performance
        rates = {"sensitivity": _float(seen.sensitivity), "specificity": _float(seen.specificity)}
        if self.limit is not None:
            return {"limit": float(self.limit), "features": self.features, **rates, "auc": seen.auc}
        return {
            "ratio": _float(self.ratio),
            "threshold": _float(self.threshold),
            "features": self.features,
            **rates,
            "net_benefit": _float(self.net_benefit),
            "net_benefit_of_all": _float(self.net_benefit_of_all),
            "auc": seen.auc,
        }

    def _texts(self) -> dict[str, str]:
        seen, features = self.performance, {"features": f"{self.features:.1f}"}
        rates = {"sensitivity": _decimal(seen.sensitivity), "specificity": _decimal(seen.specificity)}
        if self.ratio is None or self.threshold is None:
            return {"FPR at most": f"{float(self.limit or 0):.4g}", **features, **rates}
        swept = {"W+/W-": f"{float(self.ratio):.4g}", "threshold": f"{float(self.threshold):.3f}"}
        benefits = {"net benefit": _decimal(self.net_benefit), "treat all": _decimal(self.net_benefit_of_all)}
        return {**swept, **features, **rates, **benefits}

    def _brief(self) -> str:
        return ", ".join(f"{name} {text}" for name, text in self._texts().items())


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HeldOutPoint(CrossValidatedPoint):
    """The card for one ratio or limit on held-out rows, and on those it was learned from."""

    training: Performance
    proven: bool  # optimal for the training rows

    def cells(self) -> dict[str, Any]:
        seen = self.training
        rates = {"sensitivity": _float(seen.sensitivity), "specificity": _float(seen.specificity)}
        of_training = {f"training_{name}": rate for name, rate in rates.items()}
        return {**CrossValidatedPoint.cells(self), **of_training, "proven": self.proven}

    def _texts(self) -> dict[str, str]:
        rates = {"sens., training": self.training.sensitivity, "spec., training": self.training.specificity}
        texts = {**CrossValidatedPoint._texts(self), "features": f"{self.features:.0f}"}
        return {**texts, **{name: _decimal(rate) for name, rate in rates.items()}, "proven": cell(self.proven)}


def _small_table(points: Sequence[CrossValidatedPoint]) -> SmallTable:
    texts = [point._texts() for point in points]
    return SmallTable(tuple(texts[0]) if texts else (), [tuple(one.values()) for one in texts])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Sweep(ResultTable):
    points: tuple[CrossValidatedPoint, ...]

    @property
    def _swept(self) -> str:
        if self.points and self.points[0].limit is not None:
            return f"{counted(len(self.points), 'limit')} on the false positive rate"
        return f"{counted(len(self.points), 'ratio')} of class weights"

    def _small_table(self) -> SmallTable:
        return _small_table(self.points)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CrossValidatedTradeOff(_Sweep):
    """Cards for rising ratios W+/W-, or limits, on held-out rows."""

    __module__ = "supersparse"

    folds: int
    repeats: int

    def table(self) -> list[dict[str, Any]]:
        """Return one row per ratio or limit, with the number of folds that it was judged on."""
        planned = self.folds * self.repeats
        return [{**point.cells(), "folds": (point.performance.folds or (planned, planned))[0]} for point in self.points]

    def __str__(self) -> str:
        head = f"On held-out rows ({folds_in_words(self.folds, self.repeats)}):"
        return "\n".join([head, "", ResultTable.__str__(self), *self._skipped()])

    def _skipped(self) -> list[str]:
        sentences = []
        for point in self.points:
            if point.performance.folds is not None:
                (name, value), *_ = point._texts().items()
                done, planned = point.performance.folds
                sentences.append(f"{name} {value}: judged on {done} of {planned} folds, for want of time")
        return sentences

    def _brief(self) -> str:
        return f"{self._swept} on {counted(self.folds, 'fold')}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HeldOutTradeOff(_Sweep):
    """A card for each of several rising ratios W+/W-, or limits, on rows that were held out."""

    points: tuple[HeldOutPoint, ...]

    def table(self) -> list[dict[str, Any]]:
        """Return one row per ratio or limit; the rates without "training" are those of the held-out rows."""
        return [point.cells() for point in self.points]

    def __str__(self) -> str:
        return f"On {self._rows()}:\n\n{ResultTable.__str__(self)}"

    def _rows(self) -> str:
        if not self.points:
            return "no rows"
        seen = self.points[0].performance
        return f"{number(seen.n)} held-out rows, {number(seen.positives)} of them positive"

    def _brief(self) -> str:
        return f"{self._swept} on {self._rows()}"


def folds_in_words(folds: int, repeats: int) -> str:
    """How rows were divided.

    >>> folds_in_words(5, 1), folds_in_words(5, 2), folds_in_words(5, 3)
    ('5 folds', '5 folds, repeated twice', '5 folds, repeated 3 times')
    """
    times = "twice" if repeats == 2 else f"{repeats} times"
    return counted(folds, "fold") + ("" if repeats == 1 else f", repeated {times}")


def read_ratios(ratios: Iterable[Any] | None, thresholds: Iterable[Any] | None) -> list[Fraction] | None:
    """Return the ratios W+/W- that are asked for, by ratio or by risk threshold; None for the default.

    >>> [str(r) for r in read_ratios(None, [0.2, 0.5])]
    ['1', '4']
    """
    if ratios is not None and thresholds is not None:
        raise InvalidOptionError("ratios and thresholds are two names for one thing", "give one of them")
    if thresholds is not None:
        shares = [exact(t, "a threshold", InvalidOptionError) for t in thresholds]
        if not shares or not all(0 < t < 1 for t in shares):
            raise InvalidOptionError("thresholds: give at least one risk, each between 0 and 1")
        return sorted({(1 - t) / t for t in shares})
    if ratios is None:
        return None
    values = sorted({exact(ratio, "a ratio W+/W-", InvalidOptionError) for ratio in ratios})
    if not values or values[0] <= 0:
        raise InvalidOptionError("ratios: give at least one ratio W+/W-, each above 0")
    return values


def _float(share: Fraction | None) -> float | None:
    return None if share is None else float(share)


def _decimal(share: Fraction | None) -> str:
    return "-" if share is None else f"{float(share):.4f}"
