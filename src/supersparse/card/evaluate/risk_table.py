"""RiskTable: rows, observed risk and calibrated risk for each total."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import counted, int_or_float, read_whole, shown_range
from supersparse.card.card import Card, Cutoff, Label
from supersparse.card.evaluate.calibrating import Method, cross_fitted, fit_risk
from supersparse.card.evaluate.forecasts import CalibrationBin, CalibrationCurve, Forecasts, forecasts_of_rows
from supersparse.card.evaluate.rates import Outcomes, Rate, rate_columns
from supersparse.card.risk import Floats, Risk
from supersparse.table.plain import one_line
from supersparse.table.small_table import ResultTable, SmallTable, Tabular, number

_HEADER = ("points", "n", "events", "observed risk", "card", "calibrated", "cross-fitted")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RiskRow(Tabular):
    """The rows with one total, or with totals from `low` to `high` if these were joined."""

    low: Fraction
    high: Fraction
    positive: bool  # whether `predict` returns the positive class for `high`
    observed: Rate
    card_risk: float | None  # as the card says it; the mean if totals were joined; None: it has no risks
    calibrated: float | None  # from the map fitted to all rows; the mean if totals were joined
    cross_fitted: float | None  # mean over the rows, each from a map fitted without its fold

    _facts = "points=totals observed card_risk calibrated cross_fitted"

    @property
    def totals(self) -> str:
        """The totals in words: "4", or "2 to 3"."""
        return shown_range(self.low, self.high)

    def _row(self) -> list[str]:
        of_card = () if self.card_risk is None else (self.card_risk,)
        return [
            self.totals,
            number(self.observed.of),
            number(self.observed.events),
            str(self.observed),
            *("-" if v is None else f"{v:.3f}" for v in (*of_card, self.calibrated, self.cross_fitted)),
        ]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RiskTable(ResultTable):
    """Risk by total of points. Counts are weights: a row of weight k counts as k rows.

    The risks of the card itself, if it has any, stand next to the observed ones: they do not depend on these
    rows, and all others do. `risk` is the calibrated map, to use for new people. `forecasts` compares the
    cross-fitted risks of the rows with their outcomes, to evaluate it. Both are None without calibration.
    """

    __module__ = "supersparse"

    rows: tuple[RiskRow, ...]
    positive: Label
    cutoff: Cutoff  # of the card
    method: Method | None
    risk: Risk | None
    forecasts: Forecasts | None

    @property
    def has_card_risks(self) -> bool:
        return self.rows[0].card_risk is not None

    def calibration(self) -> CalibrationCurve:
        """Return cross-fitted and observed risk by total; empty without calibration.

        Rows are grouped by total, not by cross-fitted risk: if one fold happens to have many positives, the
        other folds predict too low a risk for it, and the curve would show this artefact.
        """
        return CalibrationCurve(
            bins=tuple(
                CalibrationBin(name=_points(r), predicted=r.cross_fitted, observed=r.observed)
                for r in self.rows
                if r.cross_fitted is not None
            )
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row per total."""
        return [
            {
                "total_from": int_or_float(r.low),
                "total_to": int_or_float(r.high),
                "positive": r.positive,
                "n": int_or_float(r.observed.of),
                "events": int_or_float(r.observed.events),
            }
            | rate_columns("observed", r.observed)
            | {"card_risk": r.card_risk, "calibrated": r.calibrated, "cross_fitted": r.cross_fitted}
            for r in self.rows
        ]

    def in_words(self) -> str:
        """Give the risk at the lowest and highest totals, and the quality of the calibrated risks."""
        first, last = self.rows[0], self.rows[-1]
        text = (
            f"Of those with {_points(first)}, {first.observed} are {one_line(self.positive)}; "
            f"of those with {_points(last)}, {last.observed}."
        )
        if self.has_card_risks:
            text += " Column card: the card's own risk."
        if self.forecasts is not None:
            text += f" Cross-fitted {self.method} risks: {self.forecasts.in_words()}"
        return text

    def _brief(self) -> str:
        first, last = self.rows[0].observed, self.rows[-1].observed
        calibrated = "not calibrated" if self.method is None else f"calibrated ({self.method})"
        rows = f"{counted(len(self.rows), 'row')} by points, risk of {self.positive} from {first} to {last}"
        return f"{rows}; {calibrated}"

    def _small_table(self) -> SmallTable:
        header = [name for name in _HEADER if self.has_card_risks or name != "card"]
        return SmallTable(header, [row._row() for row in self.rows])


def _points(row: RiskRow) -> str:
    return f"{row.totals} {'point' if row.totals == '1' else 'points'}"


def risk_table(
    card: Card, outcomes: Outcomes, method: Method | None, folds: object, level: float, bins: int | None
) -> RiskTable:
    """Tabulate the risk by total; see `ScoringSystem.risk`."""
    risk = None if method is None else fit_risk(outcomes.tally(), method)
    by_row = None if method is None else cross_fitted(outcomes, method, folds)
    return RiskTable(
        rows=_rows(outcomes, card.risk, risk, by_row, level, bins),
        positive=card.positive,
        cutoff=outcomes.tally().cutoff,
        method=method,
        risk=risk,
        forecasts=None if by_row is None else forecasts_of_rows(outcomes, by_row),
    )


def _rows(
    outcomes: Outcomes, card_risk: Risk | None, risk: Risk | None, by_row: Floats | None, level: float, bins: int | None
) -> tuple[RiskRow, ...]:
    tally = outcomes.tally()
    weights = [n + p for n, p in zip(tally.negatives, tally.positives, strict=True)]
    groups = _groups(weights, bins)
    means = [None] * len(groups) if by_row is None else _means(outcomes, by_row, [last for _, last in groups])
    rows = []
    for (first, last), mean in zip(groups, means, strict=True):
        part = slice(first, last + 1)
        by_total = [float(w) for w in weights[part]]
        totals = np.array([float(t) for t in tally.totals[part]])
        observed = Rate(events=sum(tally.positives[part], Fraction(0)), of=sum(weights[part], Fraction(0)), level=level)
        rows.append(
            RiskRow(
                low=tally.totals[first],
                high=tally.totals[last],
                positive=tally.cutoff.includes(tally.totals[last]),
                observed=observed,
                card_risk=None if card_risk is None else float(np.average(card_risk.of(totals), weights=by_total)),
                calibrated=None if risk is None else float(np.average(risk.of(totals), weights=by_total)),
                cross_fitted=mean,
            )
        )
    return tuple(rows)


def _means(outcomes: Outcomes, by_row: Floats, last: list[int]) -> list[float]:
    """Means by group; each group ends at a certain total."""
    group = np.searchsorted(np.unique(outcomes.totals)[last], outcomes.totals)
    weights = outcomes.weights.astype(np.float64)
    return [float(m) for m in np.bincount(group, by_row * weights) / np.bincount(group, weights)]


def _groups(weights: Sequence[Fraction], bins: int | None) -> list[tuple[int, int]]:
    """Join neighbouring totals into at most `bins` groups of about equal weight; None joins nothing."""
    if bins is None:
        return [(i, i) for i in range(len(weights))]
    bins = read_whole(bins, "bins", 1, InvalidOptionError, otherwise=", or None for one row per total")
    whole, before = sum(weights), Fraction(0)
    groups: dict[int, tuple[int, int]] = {}
    for i, weight in enumerate(weights):
        group = int((before + weight / 2) * bins / whole)  # by the middle of its weight
        groups[group] = (groups.get(group, (i, i))[0], i)
        before += weight
    return list(groups.values())
