"""Evaluation of a card on labelled rows and on subgroups."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted
from supersparse.card.card import Card, Label
from supersparse.card.evaluate.forecasts import (
    CalibrationLine,
    Forecasts,
    calibration_line,
    forecasts_of_tally,
    why_no_line,
)
from supersparse.card.evaluate.rates import Auc, Outcomes, Rate, Tally, as_list, auc_of, read_outcomes
from supersparse.card.evaluate.thresholds import Confusion, Thresholds, confusion_at, thresholds_of
from supersparse.card.raw_values import read_column
from supersparse.table.plain import one_line
from supersparse.table.small_table import ResultTable, SmallTable, Tabular, cell, number
from supersparse.table.values import is_missing


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Evaluation(ResultTable):
    """The evaluation of a card on one table. Counts are weights: a row of weight k counts as k rows.

    `forecasts` compares the card's risks with the outcomes; None for a card without risks.
    """

    __module__ = "supersparse"

    positive: Label
    tally: Tally
    confusion: Confusion  # as `predict` classifies
    auc: Auc
    forecasts: Forecasts | None
    level: float

    @property
    def sensitivity(self) -> Rate:
        """Share of positive rows that are predicted positive."""
        return self.confusion.sensitivity

    @property
    def specificity(self) -> Rate:
        """Share of negative rows that are predicted negative."""
        return self.confusion.specificity

    @property
    def ppv(self) -> Rate:
        """Share of rows predicted positive that are positive."""
        return self.confusion.ppv

    @property
    def npv(self) -> Rate:
        """Share of rows predicted negative that are negative."""
        return self.confusion.npv

    @property
    def thresholds(self) -> Thresholds:
        """The results for every threshold."""
        return thresholds_of(self.tally, self.level)

    @property
    def ks(self) -> float | None:
        """The Kolmogorov-Smirnov distance between the totals of the two classes, from 0 to 1."""
        ks = self.tally.ks
        return None if ks is None else float(ks)

    @property
    def gini(self) -> float | None:
        """The Gini coefficient of the totals, 2·AUC - 1."""
        auc = self.tally.auc
        return None if auc is None else float(2 * auc - 1)

    @property
    def calibration(self) -> CalibrationLine | None:
        """How the observed log-odds follow those of the card's risks; None if there is no line."""
        return None if self.forecasts is None else calibration_line(self.forecasts)

    @property
    def brier(self) -> float | None:
        """The Brier score of the card's risks."""
        return None if self.forecasts is None else self.forecasts.brier

    def cells(self) -> dict[str, Any]:
        """Return all measures as one table row."""
        low, high = self.auc.interval or (None, None)
        measures = self.confusion.cells() | {"auc": self.auc.value, "auc_low": low, "auc_high": high}
        measures |= {"ks": self.ks, "gini": self.gini}
        if self.forecasts is not None:
            loss, line = self.forecasts.log_loss, self.calibration
            measures |= {"brier": self.forecasts.brier, "log_loss": loss if isfinite(loss) else None}
            measures |= {"mean_risk": self.forecasts.mean}
            measures |= {
                "calibration_intercept": None if line is None else line.intercept,
                "calibration_slope": None if line is None else line.slope,
            }
        return measures

    def table(self) -> list[dict[str, Any]]:
        """Return one row: counts, rates with their intervals, AUC, KS, Gini, and how good the risks are."""
        return [self.cells()]

    def in_words(self) -> str:
        """Say it in a few sentences."""
        ks, gini = ("-" if value is None else f"{value:.3f}" for value in (self.ks, self.gini))
        text = f"{self.confusion.in_words(self.positive)} AUC {self.auc}, Gini {gini}, KS {ks}."
        if self.forecasts is None:
            return text
        line = self.calibration
        fitted = why_no_line(self.forecasts) if line is None else line.in_words()
        loss = f"log loss {self.forecasts.log_loss:.4f}"
        return f"{text} The card's risks: {loss}, {self.forecasts.in_words()} {fitted}"

    __str__ = in_words

    def _brief(self) -> str:
        confusion = self.confusion
        wrong = f"{number(confusion.predicted_errors)} of {number(confusion.n)} wrong"
        return f"{wrong}; sensitivity {confusion.sensitivity}, specificity {confusion.specificity}, AUC {self.auc}"

    def _small_table(self) -> SmallTable:
        evaluation = self.confusion
        counts = ("true_positives", "false_positives", "true_negatives", "false_negatives")
        rates = ("sensitivity", "specificity", "ppv", "npv", "accuracy", "prevalence")
        rows = [(name.replace("_", " "), number(getattr(evaluation, name))) for name in counts]
        rows += [(name.upper() if len(name) == 3 else name, str(getattr(evaluation, name))) for name in rates]
        loss = None if self.forecasts is None else self.forecasts.log_loss
        scores = {"KS": self.ks, "Gini": self.gini, "Brier score": self.brier, "log loss": loss}
        rows += [("AUC", str(self.auc)), *((name, cell(value)) for name, value in scores.items())]
        return SmallTable((), rows)


def evaluate_card(card: Card, outcomes: Outcomes, level: float = 0.95) -> Evaluation:
    """Evaluate a card on labelled rows; see `ScoringSystem.evaluate`."""
    tally = outcomes.tally()
    return Evaluation(
        positive=card.positive,
        tally=tally,
        confusion=confusion_at(tally, tally.cutoff, level),
        auc=auc_of(tally, level),
        forecasts=None if card.risk is None else forecasts_of_tally(tally, card.risk),
        level=level,
    )


_MOST_GROUPS = 100


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Subgroup(Tabular):
    """One subgroup; the label is None for rows with a missing label."""

    label: object
    evaluation: Evaluation

    def _brief(self) -> str:
        return f"{'missing' if self.label is None else self.label}; {self.evaluation._brief()}"

    def _small_table(self) -> SmallTable:
        return self.evaluation._small_table()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Subgroups(ResultTable):
    """The evaluation of each subgroup, ordered by label, and of all rows."""

    __module__ = "supersparse"

    by: str
    groups: tuple[Subgroup, ...]
    overall: Evaluation

    @property
    def column(self) -> str:
        """The name of the labels' column in the table: `by`, unless a measure has that name."""
        return f"group by {self.by}" if self.by in self.overall.cells() else self.by

    @property
    def all_rows(self) -> str:
        """The label of all rows: "all", unless a subgroup has that label."""
        taken, label = {str(g.label) for g in self.groups}, "all"
        while label in taken:
            label += " rows"
        return label

    def table(self) -> list[dict[str, Any]]:
        """Return one row per subgroup with counts, rates and intervals; the last row is for all rows."""
        rows = [{self.column: g.label} | g.evaluation.cells() for g in self.groups]
        return [*rows, {self.column: self.all_rows} | self.overall.cells()]

    def _small_table(self) -> SmallTable:
        header = [self.column, "n", "prevalence", "sensitivity", "specificity", "PPV", "NPV", "AUC"]
        shown = [("missing" if g.label is None else str(g.label), g.evaluation) for g in self.groups]
        rows = []
        for label, evaluation in [*shown, (self.all_rows, self.overall)]:
            c = evaluation.confusion
            rates = (c.prevalence, c.sensitivity, c.specificity, c.ppv, c.npv, evaluation.auc)
            rows.append([label, number(c.n), *map(str, rates)])
        return SmallTable(header, rows)

    def in_words(self) -> str:
        """Name the subgroups with the lowest and highest sensitivity and specificity."""
        parts = []
        for name in ("sensitivity", "specificity"):
            rated = [
                (rate.value, "missing" if g.label is None else g.label, rate)
                for g in self.groups
                for rate in [getattr(g.evaluation.confusion, name)]
                if rate.value is not None
            ]
            if rated:
                low, high = min(rated, key=lambda r: r[0]), max(rated, key=lambda r: r[0])
                span = f"{low[2]} ({one_line(low[1])}) to {high[2]} ({one_line(high[1])})"
                parts.append(f"{name.capitalize()} by {one_line(self.by)} ranges from {span}.")
        return " ".join(parts) or f"No subgroup by {one_line(self.by)} has rows of either class."

    def _brief(self) -> str:
        return f"by {self.by}, {counted(len(self.groups), 'group')}; {self.overall._brief()}"


def by_subgroup(
    card: Card,
    X: object,
    y: object,
    by: object,
    *,
    sample_weight: object = None,
    names: Sequence[str] | None = None,
    level: float = 0.95,
) -> Subgroups:
    """Evaluate a card on each subgroup; see `ScoringSystem.by_subgroup`."""
    outcomes = read_outcomes(card, X, y, sample_weight, names)
    named = isinstance(by, str)
    labels = read_column(card, X, by, names) if isinstance(by, str) else as_list(by, "by")
    if len(labels) != len(outcomes.kept):
        raise InvalidDataError(f"by has {len(labels)} labels for {len(outcomes.kept)} rows", "give one per row")
    labels = [None if is_missing(v) else v for v, is_used in zip(labels, outcomes.kept, strict=True) if is_used]
    distinct = sorted(set(labels), key=_order)
    if len(distinct) > _MOST_GROUPS:
        raise InvalidDataError(
            f"there are {len(distinct)} subgroups, and at most {_MOST_GROUPS} are allowed",
            "divide numbers into ranges first",
        )
    codes = {label: code for code, label in enumerate(distinct)}
    code_of = np.array([codes[label] for label in labels], dtype=np.intp)
    return Subgroups(
        by=str(by) if named else "group",
        groups=tuple(
            Subgroup(label=label, evaluation=evaluate_card(card, outcomes.where(code_of == code), level))
            for label, code in codes.items()
        ),
        overall=evaluate_card(card, outcomes, level),
    )


def _order(label: object) -> tuple[int, float, str]:
    if label is None:
        return 2, 0.0, ""
    return (0, float(label), "") if isinstance(label, int | float) else (1, 0.0, str(label))
