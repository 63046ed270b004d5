"""Thresholds: what every threshold would do, and the one to choose for a wish."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

from supersparse.card.cutoff import Cutoff
from supersparse.card.numbers import exact
from supersparse.decimals import shown
from supersparse.errors import InvalidOptionError
from supersparse.evaluate.confusion import Confusion, confusion_at
from supersparse.evaluate.tables import as_frame, count_text, laid_out
from supersparse.evaluate.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """One confusion matrix for each threshold, rising: the first calls everyone positive, the last no one.

    A threshold is a total that occurs, or one less than the least; those between two
    totals do the same as the lower one.
    """

    rows: tuple[Confusion, ...]
    now: Cutoff  # the card's own

    @property
    def current(self) -> Confusion:
        """The row that predicts as the card does now."""
        return [r for i, r in enumerate(self.rows) if i == 0 or r.threshold <= self.now.threshold][-1]

    def for_sensitivity(self, wanted: float) -> Confusion:
        """Return the highest threshold, the most specific, with at least this sensitivity."""
        least = _share(wanted, "sensitivity")
        _need(self.rows[0].n_positive, "positive")
        return [r for r in self.rows if r.true_positives >= least * r.n_positive][-1]

    def for_specificity(self, wanted: float) -> Confusion:
        """Return the lowest threshold, the most sensitive, with at least this specificity."""
        least = _share(wanted, "specificity")
        _need(self.rows[0].n_negative, "negative")
        return next(r for r in self.rows if r.true_negatives >= least * r.n_negative)

    def for_cost(self, false_negative: float, false_positive: float) -> Confusion:
        """Return the threshold of least cost, given what each kind of error costs.

        Of equal ones the nearest to the card's own is taken, then the higher.
        """
        missed, alarm = (
            exact(cost, f"the cost of a {kind}")
            for cost, kind in ((false_negative, "false negative"), (false_positive, "false positive"))
        )
        if missed < 0 or alarm < 0:
            raise InvalidOptionError(f"the costs are {missed} and {alarm}; give costs of 0 or more")
        return min(
            self.rows,
            key=lambda r: (
                missed * r.false_negatives + alarm * r.false_positives,
                abs(r.threshold - self.now.threshold),
                -r.threshold,
            ),
        )

    def roc(self) -> list[tuple[float, float]]:
        """Return (false positive rate, sensitivity) for each threshold, from (0, 0) to (1, 1).

        Empty when a class has no rows.
        """
        first = self.rows[0]
        if not first.n_positive or not first.n_negative:
            return []
        return [
            (float(r.false_positives / r.n_negative), float(r.true_positives / r.n_positive))
            for r in reversed(self.rows)
        ]

    def table(self) -> list[dict[str, Any]]:
        """Return one row for each threshold, with counts, rates and their intervals."""
        return [row.cells() for row in self.rows]

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame(self.table())

    def in_words(self) -> str:
        """Say which threshold makes the fewest errors, beside the card's own."""
        best, own = min(self.rows, key=lambda r: r.predicted_errors), self.current
        fewest = f"{count_text(best.predicted_errors)} of {count_text(best.n)}"
        errors = count_text(own.predicted_errors)
        return (
            f"A total of {best.cutoff.positive} makes the fewest errors, {fewest}; "
            f"the card's own, {self.now.positive}, makes {errors}."
        )

    def __str__(self) -> str:
        header = ["total", "sensitivity", "specificity", "PPV", "NPV", "errors"]
        rows = [
            [
                ("* " if r is self.current else "") + r.cutoff.positive,
                *map(str, (r.sensitivity, r.specificity, r.ppv, r.npv)),
                shown(r.predicted_errors),
            ]
            for r in self.rows
        ]
        return laid_out(header, rows)


def thresholds_of(tally: Tally, level: float) -> Thresholds:
    """Return what every threshold would do to a tally."""
    first = confusion_at(tally, tally.totals[0] - 1, level)
    missed = list(accumulate(tally.positives))
    spared = list(accumulate(tally.negatives))
    n_positive, n_negative = tally.n_positive, tally.n_negative
    rows = [first]
    for i, total in enumerate(tally.totals):
        rows.append(
            replace(
                first,
                cutoff=tally.cutoff.at(total),
                true_positives=n_positive - missed[i],
                false_negatives=missed[i],
                false_positives=n_negative - spared[i],
                true_negatives=spared[i],
                zero_positives=tally.positives[i],
                zero_negatives=tally.negatives[i],
            )
        )
    return Thresholds(rows=tuple(rows), now=tally.cutoff)


def _share(wanted: float, what: str) -> Fraction:
    share = exact(wanted, what)
    if not 0 <= share <= 1:
        raise InvalidOptionError(f"{what} is {wanted!r}; give a share between 0 and 1")
    return share


def _need(weight: Fraction, which: str) -> None:
    if weight == 0:
        raise InvalidOptionError(f"no row is of the {which} class, so no threshold can be chosen for it")
