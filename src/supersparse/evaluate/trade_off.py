"""The trade-off between errors of the two classes, on held-out rows.

The ratio W+/W- of the class weights and a risk threshold t are two names for one thing: whoever acts at a
risk above t counts a missed case as (1-t)/t false alarms. So one sweep gives both pictures: sensitivity
against specificity, and net benefit over thresholds.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from supersparse.card.performance import Performance
from supersparse.data.small_table import SmallTable, Tabular
from supersparse.errors import InvalidOptionError
from supersparse.evaluate.rates import to_pandas
from supersparse.exact import counted, exact

_COLUMNS = ("W+/W-", "threshold", "features", "sensitivity", "specificity", "net benefit", "treat all")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CrossValidatedPoint(Tabular):
    """What the cards for one ratio of class weights do on the held-out rows."""

    ratio: Fraction
    features: float  # mean over the folds
    performance: Performance

    @property
    def threshold(self) -> Fraction:
        """The risk above which one would act if a missed case counts as much as `ratio` false alarms."""
        return 1 / (1 + self.ratio)

    @property
    def net_benefit(self) -> Fraction:
        """Found cases less false alarms over the ratio, per row: the gain in cases found without alarm."""
        found = self.performance
        return (found.true_positives - found.false_positives / self.ratio) / found.n

    @property
    def net_benefit_of_all(self) -> Fraction:
        """The net benefit of predicting the positive class for everyone; for no one it is 0."""
        found = self.performance
        return (found.positives - found.negatives / self.ratio) / found.n

    def _row(self) -> tuple[str, ...]:
        seen = self.performance
        rates = (_decimal(seen.sensitivity), _decimal(seen.specificity))
        benefits = (f"{float(self.net_benefit):.4f}", f"{float(self.net_benefit_of_all):.4f}")
        head = (f"{float(self.ratio):.4g}", f"{float(self.threshold):.3f}", f"{self.features:.1f}")
        return (*head, *rates, *benefits)

    def _brief(self) -> str:
        return ", ".join(f"{name} {cell}" for name, cell in zip(_COLUMNS, self._row(), strict=True))

    def _small_table(self) -> SmallTable:
        return SmallTable(_COLUMNS, [self._row()])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CrossValidatedTradeOff(Tabular):
    """What cards for several ratios W+/W- do on held-out rows, by ascending ratio."""

    points: tuple[CrossValidatedPoint, ...]
    folds: int
    repeats: int

    def table(self) -> list[dict[str, Any]]:
        """Return one row per ratio."""
        return [
            {
                "ratio": float(point.ratio),
                "threshold": float(point.threshold),
                "features": point.features,
                "sensitivity": _float(point.performance.sensitivity),
                "specificity": _float(point.performance.specificity),
                "net_benefit": float(point.net_benefit),
                "net_benefit_of_all": float(point.net_benefit_of_all),
                "auc": point.performance.auc,
                "folds": self.folds * self.repeats
                if point.performance.folds is None
                else point.performance.folds[0],
            }
            for point in self.points
        ]

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return to_pandas(self.table())

    def __str__(self) -> str:
        rows = [_COLUMNS, *(point._row() for point in self.points)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True)) for row in rows]
        head = f"On held-out rows ({folds_in_words(self.folds, self.repeats)}):"
        return "\n".join([head, "", *lines, *self._skipped()])

    def _skipped(self) -> list[str]:
        """The ratios that were judged on fewer folds than planned."""
        cut = [(point, point.performance.folds) for point in self.points if point.performance.folds]
        return [
            f"W+/W- {float(point.ratio):.4g}: judged on {done} of {planned} folds, for want of time"
            for point, (done, planned) in cut
        ]

    def _brief(self) -> str:
        return f"{counted(len(self.points), 'ratio')} of class weights on {counted(self.folds, 'fold')}"

    def _small_table(self) -> SmallTable:
        return SmallTable(_COLUMNS, [point._row() for point in self.points])


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
        raise InvalidOptionError("ratios and thresholds are two names for one thing; give one of them")
    if thresholds is not None:
        found = [exact(t, "a threshold", InvalidOptionError) for t in thresholds]
        if not found or not all(0 < t < 1 for t in found):
            raise InvalidOptionError("thresholds: give at least one risk, each between 0 and 1")
        return sorted({(1 - t) / t for t in found})
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
