"""Forecasts: predicted risks and outcomes, with Brier score, calibration curve and line, and decision curve.

Lines through log-odds are fitted by maximum likelihood: of a calibration map, and of the observed log-odds over
the predicted ones (Cox, Biometrika 1958;45:562).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import exact, int_or_float, read_whole
from supersparse.card.evaluate.rates import Outcomes, Rate, Tally, rate_columns
from supersparse.card.risk import Floats, LogisticRisk, Risk
from supersparse.table.small_table import ResultTable, SmallTable, Tabular, number, small_table_of


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CalibrationBin(Tabular):
    """Rows with similar predicted risks, or with certain totals, compared together."""

    name: str
    predicted: float  # their mean
    observed: Rate


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CalibrationCurve(ResultTable):
    """Mean predicted risk and observed risk in each bin; empty bins are left out."""

    __module__ = "supersparse"

    bins: tuple[CalibrationBin, ...]

    def table(self) -> list[dict[str, Any]]:
        """Return one row per bin."""
        return [
            {"rows": b.name, "n": int_or_float(b.observed.of), "predicted": b.predicted}
            | rate_columns("observed", b.observed)
            for b in self.bins
        ]

    def in_words(self) -> str:
        """Name the bin where predicted and observed risk differ most."""
        if not self.bins:
            return "There are no predicted risks."
        worst = max(self.bins, key=lambda b: abs((b.observed.value or 0.0) - b.predicted))
        return (
            f"Predicted and observed risk differ most for {worst.name}: "
            f"{worst.predicted:.3f} predicted, {worst.observed} observed."
        )

    def _small_table(self) -> SmallTable:
        rows = [[b.name, number(b.observed.of), f"{b.predicted:.3f}", str(b.observed)] for b in self.bins]
        return SmallTable(["rows", "n", "predicted", "observed"], rows)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NetBenefit(Tabular):
    """Net benefit per row: true positives minus false positives times the odds of the risk threshold."""

    at: float
    treat_some: float  # act on rows with at least this risk
    treat_all: float  # treating no one has a net benefit of 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DecisionCurve(ResultTable):
    """Net benefit over risk thresholds (Vickers and Elkin, Med Decis Making 2006;26:565)."""

    __module__ = "supersparse"

    points: tuple[NetBenefit, ...]

    def table(self) -> list[dict[str, Any]]:
        """Return one row per risk threshold."""
        return [
            {"risk_threshold": p.at, "net_benefit": p.treat_some, "treat_all": p.treat_all, "treat_none": 0.0}
            for p in self.points
        ]

    def in_words(self) -> str:
        """Say at which risk thresholds acting by risk beats acting on everyone and on no one."""
        better = [p.at for p in self.points if p.treat_some > max(p.treat_all, 0.0)]
        if not better:
            return "Acting by risk never beats both acting on everyone and acting on no one."
        return (
            f"Acting by risk beats acting on everyone and on no one at {len(better)} of "
            f"{len(self.points)} risk thresholds, between {better[0]:g} and {better[-1]:g}."
        )

    _brief = in_words

    def _small_table(self) -> SmallTable:
        """Every tenth of many thresholds."""
        every = 1 if len(self.points) <= 20 else 10
        return small_table_of(self.table()[every - 1 :: every])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Forecasts(Tabular):
    """The distinct predicted risks, ascending, and the weight of each class at each risk."""

    __module__ = "supersparse"

    risks: tuple[float, ...]
    negatives: tuple[Fraction, ...]
    positives: tuple[Fraction, ...]

    _facts = "rows=n Brier_score=brier mean_risk=mean observed risks"

    @property
    def n(self) -> Fraction:
        """The weight of all rows."""
        return sum((*self.negatives, *self.positives), Fraction(0))

    @property
    def brier(self) -> float:
        """The mean squared difference between predicted risk and outcome; 0 is perfect."""
        risks, negatives, positives = self._arrays()
        return float((negatives @ risks**2 + positives @ (1 - risks) ** 2) / (negatives + positives).sum())

    @property
    def log_loss(self) -> float:
        """The mean of -log(risk of what happened); infinite if what had a risk of 0 happened."""
        risks, negatives, positives = self._arrays()
        with np.errstate(divide="ignore"):
            of_positive, of_negative = np.log(risks), np.log1p(-risks)
        some, other = positives > 0, negatives > 0  # 0 times infinity counts as 0
        loss = positives[some] @ of_positive[some] + negatives[other] @ of_negative[other]
        return float(-loss / (negatives + positives).sum())

    @property
    def mean(self) -> float:
        """The mean predicted risk, to be compared with `observed`: calibration in the large."""
        risks, negatives, positives = self._arrays()
        return float(np.average(risks, weights=negatives + positives))

    @property
    def observed(self) -> float:
        """The share of positive rows."""
        return float(sum(self.positives, Fraction(0)) / self.n)

    def calibration(self, bins: int = 10, *, level: float = 0.95) -> CalibrationCurve:
        """Return the calibration curve over `bins` equally wide risk intervals, lower ends included."""
        bins = read_whole(bins, "bins", 1, InvalidOptionError)
        edges = np.arange(bins + 1) / bins  # 3 / 10 is the number that people write as 0.3
        risks, _, _ = self._arrays()
        bin_of = np.searchsorted(edges[1:-1], risks, side="right")
        return CalibrationCurve(
            bins=tuple(
                self._bin(np.flatnonzero(bin_of == k).tolist(), level, f"{edges[k]:.3g} to {edges[k + 1]:.3g}")
                for k in np.unique(bin_of)
            )
        )

    def groups(self, most: int = 10, least: int = 20, *, level: float = 0.95) -> CalibrationCurve:
        """Return the calibration curve over at most `most` groups of rows with neighbouring risks.

        Each group has about the same number of rows, and at least `least` if there are that many; rows with
        the same risk stay together.
        """
        most = read_whole(most, "most", 1, InvalidOptionError)
        least = read_whole(least, "least", 1, InvalidOptionError)
        enough = max(self.n / most, min(Fraction(least), self.n))
        groups: list[list[int]] = []
        so_far = Fraction(0)
        for i, (negative, positive) in enumerate(zip(self.negatives, self.positives, strict=True)):
            if not groups or so_far >= enough:
                groups.append([])
                so_far = Fraction(0)
            groups[-1].append(i)
            so_far += negative + positive
        if len(groups) > 1 and 2 * so_far < enough:  # too few are left for a group of their own
            last = groups.pop()
            groups[-1] += last
        return CalibrationCurve(bins=tuple(self._bin(group, level) for group in groups))

    def _bin(self, group: list[int], level: float, name: str | None = None) -> CalibrationBin:
        """Some of the risks as one bin, named by its lowest and highest."""
        low, high = f"{self.risks[group[0]]:.3g}", f"{self.risks[group[-1]]:.3g}"
        if name is None:
            name = low if self.risks[group[0]] == self.risks[group[-1]] else f"{low} to {high}"
        events = sum((self.positives[i] for i in group), Fraction(0))
        weights = [float(self.negatives[i] + self.positives[i]) for i in group]
        return CalibrationBin(
            name=f"risk {name}",
            predicted=float(np.average([self.risks[i] for i in group], weights=weights)),
            observed=Rate(events=events, of=events + sum((self.negatives[i] for i in group), Fraction(0)), level=level),
        )

    def decision_curve(self, at: Sequence[float] | None = None) -> DecisionCurve:
        """Return the net benefit of acting from each risk threshold up; by default 0.01, 0.02, ..., 0.99."""
        asked = [k / 100 for k in range(1, 100)] if at is None else _risk_thresholds(at)
        risks, negatives, positives = self._arrays()
        n = negatives.sum() + positives.sum()
        points = []
        for p in asked:
            odds, treated = p / (1 - p), risks >= p
            some = (positives[treated].sum() - odds * negatives[treated].sum()) / n
            everyone = (positives.sum() - odds * negatives.sum()) / n
            points.append(NetBenefit(at=p, treat_some=float(some), treat_all=float(everyone)))
        return DecisionCurve(points=tuple(points))

    def in_words(self) -> str:
        """Summarise the quality of the risks."""
        means = f"mean predicted risk {self.mean:.3f}, observed {self.observed:.3f}"
        return f"Brier score {self.brier:.4f}; {means}."

    _brief = in_words

    def _arrays(self) -> tuple[Floats, Floats, Floats]:
        columns = (self.risks, self.negatives, self.positives)
        risks, negatives, positives = (np.array([float(v) for v in column]) for column in columns)
        return risks, negatives, positives


def _risk_thresholds(at: object) -> list[float]:
    if isinstance(at, str) or not isinstance(at, Iterable):
        raise InvalidOptionError(subject="at", value=at, remedy="give a list of risk thresholds, such as [0.1, 0.2]")
    thresholds = [float(exact(p, "a risk threshold", InvalidOptionError)) for p in at]
    for p in thresholds:
        if not 0 <= p < 1:
            raise InvalidOptionError(f"a risk threshold is {p}", "it must be at least 0 and below 1")
    return thresholds


def forecasts_of_rows(outcomes: Outcomes, risks: Floats) -> Forecasts:
    distinct, negatives, positives = outcomes.by(risks)
    return Forecasts(risks=tuple(distinct), negatives=negatives, positives=positives)


def forecasts_of_tally(tally: Tally, risk: Risk) -> Forecasts:
    risks = risk.of(np.array([float(t) for t in tally.totals])).tolist()
    return forecasts_by_risk(zip(risks, tally.negatives, tally.positives, strict=True))


def forecasts_by_risk(rows: Iterable[tuple[float, Fraction, Fraction]]) -> Forecasts:
    """Join rows of equal risk: the risk, and the weights of negatives and positives."""
    by_risk: dict[float, tuple[Fraction, Fraction]] = {}
    for risk, negative, positive in rows:
        others, events = by_risk.get(risk, (Fraction(0), Fraction(0)))
        by_risk[risk] = (others + negative, events + positive)
    risks = sorted(by_risk)
    negatives, positives = (tuple(by_risk[risk][k] for risk in risks) for k in range(2))
    return Forecasts(risks=tuple(risks), negatives=negatives, positives=positives)


_MOST_STEPS = 200
_ENOUGH = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Distinct values, ascending, and the weight of each class at each value.

    Only the proportions of the weights count for the most likely line, not their scale.
    """

    values: Floats
    negatives: Floats
    positives: Floats

    @property
    def overlap(self) -> bool:
        """Whether there is a most likely line: some negative lies above some positive, and some below."""
        negatives, positives = self.values[self.negatives > 0], self.values[self.positives > 0]
        if not len(negatives) or not len(positives):
            return False
        return bool(negatives[-1] > positives[0] and positives[-1] > negatives[0])

    def line(self) -> LogisticRisk:
        """The most likely line; of equal values that with slope 0. Without overlap, none is most likely.

        By Newton's method on standardised values; a step that overshoots is halved.
        """
        weights = self.negatives + self.positives
        weights, positives = weights / weights.sum(), self.positives / weights.sum()
        centre = float(weights @ self.values)
        spread = float(np.sqrt(weights @ (self.values - centre) ** 2))
        # not from the share of positives, which rounds to 1 where the classes differ by 16 digits in weight
        start = np.array([0.0, np.log(self.positives.sum()) - np.log(self.negatives.sum())])
        if spread == 0:
            return LogisticRisk(slope=0.0, offset=float(start[1]))
        design = np.column_stack([(self.values - centre) / spread, np.ones(len(self.values))])

        def loss(at: Floats) -> float:
            exponent = design @ at
            return float(weights @ np.logaddexp(0, exponent) - positives @ exponent)

        at_best, value = start, loss(start)
        for _ in range(_MOST_STEPS):
            risk = LogisticRisk(slope=1.0, offset=0.0).of(design @ at_best)
            gradient = design.T @ (weights * risk - positives)
            curvature = (design * (weights * risk * (1 - risk))[:, None]).T @ design
            step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
            if float(gradient @ step) <= _ENOUGH * value:
                at_best = at_best - step
                break
            while loss(at_best - step) > value:
                step = step / 2
            at_best = at_best - step
            value = loss(at_best)
        slope = float(at_best[0]) / spread
        return LogisticRisk(slope=slope, offset=float(at_best[1]) - slope * centre)

    def towards_each_other(self) -> "Labelled":
        """Platt's targets: part of each class counts as the other, so that a most likely line exists.

        A class of weight n gives 1/(n + 2) of each row to the other (Platt 1999, section 2.2). This depends
        on the scale of the weights: a row of weight k counts as k rows.
        """
        from_negatives, from_positives = (w / (w.sum() + 2) for w in (self.negatives, self.positives))
        return Labelled(
            values=self.values,
            negatives=self.negatives - from_negatives + from_positives,
            positives=self.positives - from_positives + from_negatives,
        )


_NEAREST = 1e-9  # to risks of 0 and 1, which have no log-odds


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationLine:
    """Observed log-odds = intercept + slope times predicted log-odds; 0 and 1 are perfect.

    A slope below 1 says that the risks are too extreme, as those of an overfitted model are.
    """

    intercept: float
    slope: float

    def in_words(self) -> str:
        """Say both numbers, and what they should be."""
        return f"Calibration intercept {self.intercept:+.2f} (ideal 0) and slope {self.slope:.2f} (ideal 1)."

    def observed(self, risks: Floats) -> Floats:
        """The risk to expect where these were predicted."""
        return LogisticRisk(slope=self.slope, offset=self.intercept).of(_log_odds(risks))


def calibration_line(forecasts: Forecasts) -> CalibrationLine | None:
    """Fit the line by maximum likelihood; None if there is none, and `why_no_line` says why.

    Risks of 0 and 1 have no log-odds: risks nearer to them than 1e-9 count as 1e-9 and 1 - 1e-9. The scale of
    the weights does not matter.

    >>> from fractions import Fraction
    >>> eight, two = Fraction(8), Fraction(2)
    >>> line = calibration_line(Forecasts(risks=(0.1, 0.9), negatives=(eight, two), positives=(two, eight)))
    >>> round(line.slope, 4), abs(round(line.intercept, 4))
    (0.6309, 0.0)
    """
    rows = Labelled(
        values=_log_odds(np.array(forecasts.risks)),
        negatives=np.array([float(w) for w in forecasts.negatives]),
        positives=np.array([float(w) for w in forecasts.positives]),
    )
    if not rows.overlap:
        return None
    line = rows.line()
    return CalibrationLine(intercept=line.offset, slope=line.slope)


def why_no_line(forecasts: Forecasts) -> str:
    if not any(forecasts.negatives) or not any(forecasts.positives):
        return "There is no calibration slope: all rows are of one class."
    if np.ptp(_log_odds(np.array(forecasts.risks))) == 0:
        return "There is no calibration slope: all risks are equal."
    return "There is no calibration slope: the risks separate the classes."


def _log_odds(risks: Floats) -> Floats:
    inside = np.clip(risks, _NEAREST, 1 - _NEAREST)
    return np.asarray(np.log(inside) - np.log1p(-inside), dtype=float)
