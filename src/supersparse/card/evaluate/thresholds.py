"""Confusion matrices at one threshold and at all others, and the best threshold for a target."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import exact_value, int_or_float, shown
from supersparse.card.card import Cutoff, Label
from supersparse.card.evaluate.rates import Rate, Tally, auc_of, fraction_sum, rate_columns
from supersparse.card.performance import Judged, Performance
from supersparse.table.plain import one_line
from supersparse.table.small_table import ResultTable, SmallTable, number


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Confusion(ResultTable):
    """The weighted confusion matrix of `predict`: positive for `threshold` points or more.

    With an intercept that was not free, learning counted a score of 0 as wrong for both classes: see
    `training_errors`. `predict` returns the negative class for it, and so do all counts and rates here. With
    a free threshold no training row has a score of 0.
    """

    cutoff: Cutoff
    true_positives: Fraction
    false_positives: Fraction
    true_negatives: Fraction
    false_negatives: Fraction
    zero_positives: Fraction  # positive rows with the total of `cutoff.tie`, among the false negatives
    zero_negatives: Fraction  # negative rows with it, among the true negatives
    level: float

    @property
    def threshold(self) -> Fraction:
        """The least total that is positive; where `cutoff.reached` is false, it must be exceeded."""
        return self.cutoff.threshold

    @property
    def n(self) -> Fraction:
        """The weight of all rows."""
        return self.n_positive + self.n_negative

    @property
    def n_positive(self) -> Fraction:
        """Weight of the positive class."""
        return self.true_positives + self.false_negatives

    @property
    def n_negative(self) -> Fraction:
        """Weight of the negative class."""
        return self.true_negatives + self.false_positives

    @property
    def predicted_errors(self) -> Fraction:
        """Rows that `predict` gets wrong; a score of 0 predicts the negative class."""
        return self.false_positives + self.false_negatives

    @property
    def training_errors(self) -> Fraction:
        """Errors as counted in learning with a whole intercept: a score of 0 is wrong for both classes."""
        return self.predicted_errors + self.zero_negatives

    @property
    def prevalence(self) -> Rate:
        """Share of positive rows."""
        return self._rate(self.n_positive, self.n)

    @property
    def sensitivity(self) -> Rate:
        """Share of positive rows that are predicted positive."""
        return self._rate(self.true_positives, self.n_positive)

    @property
    def specificity(self) -> Rate:
        """Share of negative rows that are predicted negative."""
        return self._rate(self.true_negatives, self.n_negative)

    @property
    def ppv(self) -> Rate:
        """Share of rows predicted positive that are positive."""
        return self._rate(self.true_positives, self.true_positives + self.false_positives)

    @property
    def npv(self) -> Rate:
        """Share of rows predicted negative that are negative."""
        return self._rate(self.true_negatives, self.true_negatives + self.false_negatives)

    @property
    def accuracy(self) -> Rate:
        """Share of rows that `predict` gets right."""
        return self._rate(self.n - self.predicted_errors, self.n)

    def _rate(self, events: Fraction, of: Fraction) -> Rate:
        return Rate(events=events, of=of, level=self.level)

    def cells(self) -> dict[str, Any]:
        """Return all measures as one table row."""
        counts = {
            name: int_or_float(getattr(self, name))
            for name in ("threshold", "n", "true_positives", "false_positives", "true_negatives",
                         "false_negatives", "predicted_errors", "training_errors")
        }  # fmt: skip
        rates = ("prevalence", "sensitivity", "specificity", "ppv", "npv", "accuracy")
        return counts | {k: v for name in rates for k, v in rate_columns(name, getattr(self, name)).items()}

    def table(self) -> list[dict[str, Any]]:
        """Return the matrix with one row per true class."""
        return [
            {
                "true class": "positive",
                "predicted positive": int_or_float(self.true_positives),
                "predicted negative": int_or_float(self.false_negatives),
                "score 0": int_or_float(self.zero_positives),
            },
            {
                "true class": "negative",
                "predicted positive": int_or_float(self.false_positives),
                "predicted negative": int_or_float(self.true_negatives),
                "score 0": int_or_float(self.zero_negatives),
            },
        ]

    def in_words(self, positive: Label = "positive") -> str:
        """Describe the errors, also as counted in learning if that differs, and the rates."""
        total, predicted = number(self.n), number(self.predicted_errors)
        zeros = self.zero_positives + self.zero_negatives
        wanted = one_line(positive)
        text = f"Predicting {wanted} for a total of {self.cutoff.positive} is wrong for {predicted} of {total}."
        if zeros and self.cutoff.tie is not None:
            text += (
                f" {number(zeros)} have a total of exactly {shown(self.cutoff.tie)}: `predict` returns not {wanted}. "
                f"If these count as wrong for both classes, as in learning, {number(self.training_errors)} are wrong."
            )
        return f"{text} Sensitivity {self.sensitivity}, specificity {self.specificity}, PPV {self.ppv}, NPV {self.npv}."

    def _brief(self) -> str:
        wrong = f"{number(self.predicted_errors)} of {number(self.n)} wrong"
        return f"{wrong}; sensitivity {self.sensitivity}, specificity {self.specificity}"


def confusion_at(tally: Tally, cutoff: Cutoff, level: float) -> Confusion:
    first = (bisect_left if cutoff.reached else bisect_right)(tally.totals, cutoff.threshold)
    true_positives = fraction_sum(tally.positives[first:])
    false_positives = fraction_sum(tally.negatives[first:])
    tied = [k for k, total in enumerate(tally.totals) if total == cutoff.tie]
    return Confusion(
        cutoff=cutoff,
        true_positives=true_positives,
        false_positives=false_positives,
        true_negatives=tally.n_negative - false_positives,
        false_negatives=tally.n_positive - true_positives,
        zero_positives=fraction_sum(tally.positives[k] for k in tied),
        zero_negatives=fraction_sum(tally.negatives[k] for k in tied),
        level=level,
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Thresholds(ResultTable):
    """One confusion matrix per threshold, ascending: first everyone is positive, last no one.

    A threshold is a total that occurs, or one more than the highest. A threshold between two totals has the
    same effect as the higher one.
    """

    rows: tuple[Confusion, ...]
    now: Cutoff  # the card's own

    @property
    def current(self) -> Confusion:
        """The row of the card's current threshold."""
        wanted = self.now.threshold, not self.now.reached
        return next((r for r in self.rows if (r.threshold, not r.cutoff.reached) >= wanted), self.rows[-1])

    def for_sensitivity(self, wanted: float) -> Confusion:
        """Return the highest (most specific) threshold with at least this sensitivity."""
        least = _share(wanted, "sensitivity")
        _need(self.rows[0].n_positive, "positive")
        return [r for r in self.rows if r.true_positives >= least * r.n_positive][-1]

    def for_specificity(self, wanted: float) -> Confusion:
        """Return the lowest (most sensitive) threshold with at least this specificity."""
        least = _share(wanted, "specificity")
        _need(self.rows[0].n_negative, "negative")
        return next(r for r in self.rows if r.true_negatives >= least * r.n_negative)

    def for_cost(self, false_negative: float, false_positive: float) -> Confusion:
        """Return the threshold with the lowest cost of errors.

        Ties go to the threshold nearest to the card's, then to the higher one.
        """
        missed, alarm = (
            exact_value(cost, f"the cost of a {kind}")
            for cost, kind in ((false_negative, "false negative"), (false_positive, "false positive"))
        )
        if missed < 0 or alarm < 0:
            raise InvalidOptionError(f"the costs are {missed} and {alarm}", "give costs of 0 or more")
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

        Empty if a class has no rows.
        """
        first = self.rows[0]
        if not first.n_positive or not first.n_negative:
            return []
        return [
            (float(r.false_positives / r.n_negative), float(r.true_positives / r.n_positive))
            for r in reversed(self.rows)
        ]

    def table(self) -> list[dict[str, Any]]:
        """Return one row per threshold with counts, rates and intervals."""
        return [row.cells() for row in self.rows]

    def in_words(self) -> str:
        """Compare the threshold with the fewest errors with the card's threshold."""
        best, current = min(self.rows, key=lambda r: r.predicted_errors), self.current
        fewest = f"{number(best.predicted_errors)} of {number(best.n)}"
        errors = number(current.predicted_errors)
        return (
            f"A total of {best.cutoff.positive} makes the fewest errors, {fewest}; "
            f"the card's threshold, {self.now.positive}, makes {errors}."
        )

    def _small_table(self) -> SmallTable:
        header, current = ["total", "sensitivity", "specificity", "PPV", "NPV", "errors"], self.current
        rows = [
            [
                ("* " if r is current else "") + r.cutoff.positive,
                *map(str, (r.sensitivity, r.specificity, r.ppv, r.npv)),
                shown(r.predicted_errors),
            ]
            for r in self.rows
        ]
        return SmallTable(header, rows)


def thresholds_of(tally: Tally, level: float) -> Thresholds:
    first = confusion_at(tally, tally.cutoff.at(tally.totals[0]), level)
    missed = accumulate(tally.positives, initial=Fraction(0))
    spared = accumulate(tally.negatives, initial=Fraction(0))
    n_positive, n_negative = tally.n_positive, tally.n_negative
    cutoffs = [tally.cutoff.at(total) for total in (*tally.totals, tally.totals[-1] + 1)]
    rows = [
        replace(
            first,
            cutoff=cutoff,
            true_positives=n_positive - below,
            false_negatives=below,
            false_positives=n_negative - also_below,
            true_negatives=also_below,
        )
        for cutoff, below, also_below in zip(cutoffs, missed, spared, strict=True)
    ]
    return Thresholds(rows=tuple(rows), now=tally.cutoff)


def _share(wanted: float, what: str) -> Fraction:
    share = exact_value(wanted, what)
    if not 0 <= share <= 1:
        raise InvalidOptionError(subject=what, value=wanted, remedy="give a number between 0 and 1")
    return share


def _need(weight: Fraction, which: str) -> None:
    if weight == 0:
        raise InvalidOptionError(f"there are no rows of the {which} class, so no threshold can be chosen for it")


LEVEL = 0.95  # of the interval of the AUC


def performance_of(tally: Tally, on: Judged) -> Performance:
    """Count right and wrong at the threshold of the tally."""
    counts, auc = confusion_at(tally, tally.cutoff, LEVEL), auc_of(tally, LEVEL)
    return Performance(
        on=on,
        true_positives=counts.true_positives,
        false_negatives=counts.false_negatives,
        true_negatives=counts.true_negatives,
        false_positives=counts.false_positives,
        auc=auc.value,
        auc_interval=auc.interval,
    )
