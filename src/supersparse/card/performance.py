"""Performance: what a card got right and wrong on some rows, kept on the card."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

from supersparse.base.errors import InvalidCardError
from supersparse.table.small_table import Tabular

Judged = Literal["training", "cross-validation", "validation"]
ALL_COLUMNS = "all columns (ridge)"
"""How the ridge regression on all columns is called among the models that a card is compared with."""
THIS_CARD = "this card"
FIDELITY = ("teacher_log_loss", "teacher_r2", "agreement")
"""How near a card is to a teacher that was named, such as the model in use that it imitates."""
ClassWeights = tuple[Fraction, Fraction]  # (negative, positive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The performance of a card of questions, or of a model compared with it, on held-out rows: means over folds."""

    of: str
    auc: float | None  # None where no fold has both classes
    log_loss: float
    error: float
    proven: float | None = None  # the share of the folds in which a card was proven
    questions: int | None = None  # the maximum of the card
    auc_interval: tuple[float, float] | None = None  # of 95 %, over the folds
    log_loss_interval: tuple[float, float] | None = None
    worse: bool | None = None  # of a card of fewer questions: whether its log loss is clearly higher than the best's
    teacher_log_loss: float | None = None  # to the risks of the teacher, where one was named
    teacher_r2: float | None = None  # share of the variance of its risks that is explained
    agreement: float | None = None  # share of its decisions that are the same

    def __post_init__(self) -> None:
        for name in ("auc", "error", "proven", "agreement"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
                raise InvalidCardError(f"the {name} of {self.of!r} is {value}", "it must lie between 0 and 1")
        if not (math.isfinite(self.log_loss) and self.log_loss >= 0):
            raise InvalidCardError(f"the log loss of {self.of!r} is {self.log_loss}", "it must be 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Performance(Tabular):
    """Counts of right and wrong predictions (weights of rows), and the AUC with its interval.

    `on` tells which rows: "training" are those that the card was learned from, "cross-validation" the same
    rows judged by cards that were learned without them, "validation" other rows. `folds` says how many folds
    were judged of how many planned, where some were skipped for want of time. A card that was learned for its
    risks has their mean log loss, class weights applied, and that of the prevalence as everyone's risk.

    >>> seen = Performance(on="training", true_positives=40, false_negatives=10,
    ...                    true_negatives=60, false_positives=90)
    >>> float(seen.sensitivity), float(seen.error), float(seen.baseline_error)
    (0.8, 0.5, 0.25)
    """

    on: Judged
    true_positives: Fraction
    false_negatives: Fraction
    true_negatives: Fraction
    false_positives: Fraction
    auc: float | None = None
    auc_interval: tuple[float, float] | None = None  # of 95 %
    log_loss: float | None = None
    baseline_log_loss: float | None = None  # of the prevalence in the rows that were learned from
    calibration: tuple[float, float, float] | None = None  # slope on rows it was not learned from, with its interval
    folds: tuple[int, int] | None = None  # judged, planned; None where all planned ones were judged
    compared: tuple[Compared, ...] = ()  # of a card of questions: it and other models on the same rows

    _facts = (
        "on rows=n errors error~ sensitivity~ "
        "specificity~ PPV=positive_predictive_value~ NPV=negative_predictive_value~ AUC=auc log_loss"
    )

    def __post_init__(self) -> None:
        if self.on not in get_args(Judged):
            raise InvalidCardError(f"a performance is on {self.on!r}", f"it must be one of {get_args(Judged)}")
        for name in ("true_positives", "false_negatives", "true_negatives", "false_positives"):
            count = Fraction(getattr(self, name))
            object.__setattr__(self, name, count)
            if count < 0:
                raise InvalidCardError(f"{name} of a performance is {count}", "it must be 0 or more")
        if self.n == 0:
            raise InvalidCardError("a performance counts no rows", "leave it out")
        for value in (self.auc, *(self.auc_interval or ())):
            if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
                raise InvalidCardError(f"the AUC of a performance is {value}", "it must lie between 0 and 1")
        losses = (self.log_loss, self.baseline_log_loss)
        if (losses[0] is None) != (losses[1] is None):
            raise InvalidCardError("a performance has one of log_loss and baseline_log_loss", "give both or none")
        for value in losses:
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise InvalidCardError(f"the log loss of a performance is {value}", "it must be 0 or more")
        if self.calibration is not None and not (
            len(self.calibration) == 3 and all(map(math.isfinite, self.calibration))
        ):
            raise InvalidCardError(
                f"the calibration of a performance is {self.calibration}", "give the slope and its interval"
            )
        if self.folds is not None and not 1 <= self.folds[0] < self.folds[1]:
            raise InvalidCardError(
                f"a performance is on {self.folds[0]} of {self.folds[1]} folds",
                "leave both out unless some were skipped",
            )

    @property
    def positives(self) -> Fraction:
        """The weight of the rows of the positive class."""
        return self.true_positives + self.false_negatives

    @property
    def negatives(self) -> Fraction:
        """The weight of the rows of the negative class."""
        return self.true_negatives + self.false_positives

    @property
    def n(self) -> Fraction:
        """The weight of all rows."""
        return self.positives + self.negatives

    @property
    def sensitivity(self) -> Fraction | None:
        """The share of the positive class that is predicted so; None without such rows."""
        return _share(self.true_positives, self.positives)

    @property
    def specificity(self) -> Fraction | None:
        """The share of the negative class that is predicted so."""
        return _share(self.true_negatives, self.negatives)

    @property
    def positive_predictive_value(self) -> Fraction | None:
        """The share of right ones among the positive predictions."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def negative_predictive_value(self) -> Fraction | None:
        """The share of right ones among the negative predictions."""
        return _share(self.true_negatives, self.true_negatives + self.false_negatives)

    @property
    def errors(self) -> Fraction:
        """The weight of the wrong predictions."""
        return self.false_positives + self.false_negatives

    @property
    def error(self) -> Fraction:
        """The share of wrong predictions."""
        return self.errors / self.n

    @property
    def baseline_error(self) -> Fraction:
        """The share of wrong predictions when the commoner class is always predicted."""
        return min(self.positives, self.negatives) / self.n

    def weighted(self, class_weights: ClassWeights) -> "Performance":
        """The same where rows count by the weight of their class: so are costs compared with the baseline."""
        of_negative, of_positive = class_weights
        return replace(
            self,
            true_positives=of_positive * self.true_positives,
            false_negatives=of_positive * self.false_negatives,
            true_negatives=of_negative * self.true_negatives,
            false_positives=of_negative * self.false_positives,
        )


def _share(part: Fraction, whole: Fraction) -> Fraction | None:
    return part / whole if whole else None
