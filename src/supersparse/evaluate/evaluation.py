"""Evaluation: all that is said about a card on one table of rows with known classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from supersparse.card.card import Card, Label
from supersparse.card.risk import Risk
from supersparse.evaluate.auc import Auc, auc_of
from supersparse.evaluate.confusion import Confusion, confusion_at
from supersparse.evaluate.forecasts import Forecasts, forecasts_of_tally
from supersparse.evaluate.outcomes import read_outcomes
from supersparse.evaluate.tables import as_frame
from supersparse.evaluate.tally import Tally
from supersparse.evaluate.thresholds import Thresholds, thresholds_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A card on one table. Counts are weights: a row of weight k counts as k rows.

    `forecasts` are the card's own risks with what happened, None for a card without risks.
    """

    positive: Label
    tally: Tally
    confusion: Confusion  # as `predict` classifies
    auc: Auc
    forecasts: Forecasts | None
    level: float

    @property
    def thresholds(self) -> Thresholds:
        """What every threshold would do."""
        return thresholds_of(self.tally, self.level)

    @property
    def brier(self) -> float | None:
        """The Brier score of the card's risks."""
        return None if self.forecasts is None else self.forecasts.brier

    def cells(self) -> dict[str, Any]:
        """Return everything as one row of a table."""
        low, high = self.auc.interval or (None, None)
        found = self.confusion.cells() | {"auc": self.auc.value, "auc_low": low, "auc_high": high}
        if self.forecasts is not None:
            found |= {"brier": self.forecasts.brier, "mean_risk": self.forecasts.mean}
        return found

    def table(self) -> list[dict[str, Any]]:
        """Return one row: counts, rates with their intervals, area and Brier score."""
        return [self.cells()]

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame(self.table())

    def in_words(self) -> str:
        """Say it in a few sentences."""
        text = f"{self.confusion.in_words(self.positive)} AUC {self.auc}."
        return text if self.forecasts is None else f"{text} {self.forecasts.in_words()}"

    def __str__(self) -> str:
        return self.in_words()


def evaluate(
    card: Card,
    X: object,
    y: object,
    *,
    sample_weight: object = None,
    names: Sequence[str] | None = None,
    level: float = 0.95,
) -> Evaluation:
    """Evaluate a card on rows with known classes; see `ScoringSystem.evaluate`."""
    return evaluation_of(
        read_outcomes(card, X, y, sample_weight, names).tally(), card.positive, card.risk, level
    )


def evaluation_of(tally: Tally, positive: Label, risk: Risk | None, level: float) -> Evaluation:
    """Evaluate a tally."""
    return Evaluation(
        positive=positive,
        tally=tally,
        confusion=confusion_at(tally, tally.threshold, level),
        auc=auc_of(tally, level),
        forecasts=None if risk is None else forecasts_of_tally(tally, risk),
        level=level,
    )
