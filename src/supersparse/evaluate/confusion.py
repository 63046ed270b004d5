"""Confusion: right and wrong at one threshold, in both conventions of a total equal to it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from supersparse.card.card import Label
from supersparse.card.cutoff import Cutoff
from supersparse.card.words import one_line
from supersparse.decimals import shown
from supersparse.evaluate.rates import Rate
from supersparse.evaluate.tables import as_frame, count_text, plain_number, rate_columns
from supersparse.evaluate.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """The confusion matrix, by weight, as `predict` classifies: positive for more than `threshold` points.

    A row with exactly `threshold` points has a score of 0. `predict` gives it the negative class, and so
    do all counts and rates here. Learning with a whole intercept counts it as wrong for both classes: see
    `training_errors`. With a free threshold no training row has a score of 0.
    """

    cutoff: Cutoff
    true_positives: Fraction
    false_positives: Fraction
    true_negatives: Fraction
    false_negatives: Fraction
    zero_positives: Fraction  # positive rows with a score of 0, among the false negatives
    zero_negatives: Fraction  # negative rows with a score of 0, among the true negatives
    level: float

    @property
    def threshold(self) -> Fraction:
        """The points that must be exceeded for the positive class."""
        return self.cutoff.threshold

    @property
    def n(self) -> Fraction:
        """The weight of all rows."""
        return self.n_positive + self.n_negative

    @property
    def n_positive(self) -> Fraction:
        """The weight of the rows of the positive class."""
        return self.true_positives + self.false_negatives

    @property
    def n_negative(self) -> Fraction:
        """The weight of the rows of the negative class."""
        return self.true_negatives + self.false_positives

    @property
    def predicted_errors(self) -> Fraction:
        """What `predict` gets wrong: a score of 0 is the negative class."""
        return self.false_positives + self.false_negatives

    @property
    def training_errors(self) -> Fraction:
        """What learning with a whole intercept counts as wrong: a score of 0 is wrong for both classes."""
        return self.predicted_errors + self.zero_negatives

    @property
    def prevalence(self) -> Rate:
        """Positive rows among all."""
        return self._rate(self.n_positive, self.n)

    @property
    def sensitivity(self) -> Rate:
        """Predicted positive among the positive rows."""
        return self._rate(self.true_positives, self.n_positive)

    @property
    def specificity(self) -> Rate:
        """Predicted negative among the negative rows."""
        return self._rate(self.true_negatives, self.n_negative)

    @property
    def ppv(self) -> Rate:
        """Positive rows among those predicted positive."""
        return self._rate(self.true_positives, self.true_positives + self.false_positives)

    @property
    def npv(self) -> Rate:
        """Negative rows among those predicted negative."""
        return self._rate(self.true_negatives, self.true_negatives + self.false_negatives)

    @property
    def accuracy(self) -> Rate:
        """What `predict` gets right among all rows."""
        return self._rate(self.n - self.predicted_errors, self.n)

    def _rate(self, events: Fraction, of: Fraction) -> Rate:
        return Rate(events=events, of=of, level=self.level)

    def cells(self) -> dict[str, Any]:
        """Return everything as one row of a table."""
        counts = {
            name: plain_number(getattr(self, name))
            for name in ("threshold", "n", "true_positives", "false_positives", "true_negatives",
                         "false_negatives", "predicted_errors", "training_errors")
        }  # fmt: skip
        rates = ("prevalence", "sensitivity", "specificity", "ppv", "npv", "accuracy")
        return counts | {k: v for name in rates for k, v in rate_columns(name, getattr(self, name)).items()}

    def table(self) -> list[dict[str, Any]]:
        """Return the matrix: one row for each true class."""
        return [
            {
                "true class": "positive",
                "predicted positive": plain_number(self.true_positives),
                "predicted negative": plain_number(self.false_negatives),
                "score 0": plain_number(self.zero_positives),
            },
            {
                "true class": "negative",
                "predicted positive": plain_number(self.false_positives),
                "predicted negative": plain_number(self.true_negatives),
                "score 0": plain_number(self.zero_negatives),
            },
        ]

    def to_frame(self) -> Any:
        """Return the matrix as a pandas data frame."""
        return as_frame(self.table())

    def in_words(self, positive: Label = "positive") -> str:
        """Say how many rows are wrong, also as learning counted them where that differs, and the rates."""
        total, predicted = count_text(self.n), count_text(self.predicted_errors)
        zeros = self.zero_positives + self.zero_negatives
        wanted = one_line(positive)
        text = (
            f"Predicting {wanted} for a total of {self.cutoff.positive} is wrong for {predicted} of {total}."
        )
        if zeros and self.cutoff.tie_is_wrong:
            text += (
                f" {count_text(zeros)} have exactly {shown(self.threshold)} in total, which `predict` calls "
                f"not {wanted}; counted as wrong for both classes, as in learning, "
                f"{count_text(self.training_errors)} are wrong."
            )
        return (
            f"{text} Sensitivity {self.sensitivity}, specificity {self.specificity}, "
            f"PPV {self.ppv}, NPV {self.npv}."
        )


def confusion_at(tally: Tally, threshold: Fraction, level: float) -> Confusion:
    """Return the confusion matrix when more than so many points are needed."""
    above = [total > threshold for total in tally.totals]
    equal = [total == threshold for total in tally.totals]

    def added(weights: tuple[Fraction, ...], chosen: list[bool]) -> Fraction:
        return sum((w for w, c in zip(weights, chosen, strict=True) if c), Fraction(0))

    true_positives, false_positives = added(tally.positives, above), added(tally.negatives, above)
    return Confusion(
        cutoff=tally.cutoff.at(threshold),
        true_positives=true_positives,
        false_positives=false_positives,
        true_negatives=tally.n_negative - false_positives,
        false_negatives=tally.n_positive - true_positives,
        zero_positives=added(tally.positives, equal),
        zero_negatives=added(tally.negatives, equal),
        level=level,
    )
