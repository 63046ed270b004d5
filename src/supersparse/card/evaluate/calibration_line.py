"""Lines through log-odds by maximum likelihood: of a calibration map, and of the observed log-odds beside the
predicted ones (Cox, Biometrika 1958;45:562).
"""

from dataclasses import dataclass

import numpy as np

from supersparse.card.evaluate.forecasts import Forecasts
from supersparse.card.risk import Floats, LogisticRisk

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

        found, value = start, loss(start)
        for _ in range(_MOST_STEPS):
            risk = LogisticRisk(slope=1.0, offset=0.0).of(design @ found)
            gradient = design.T @ (weights * risk - positives)
            curvature = (design * (weights * risk * (1 - risk))[:, None]).T @ design
            step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
            if float(gradient @ step) <= _ENOUGH * value:
                found = found - step
                break
            while loss(found - step) > value:
                step = step / 2
            found = found - step
            value = loss(found)
        slope = float(found[0]) / spread
        return LogisticRisk(slope=slope, offset=float(found[1]) - slope * centre)

    def towards_each_other(self) -> "Labelled":
        """Platt's targets: part of each class counts as the other, so that a most likely line exists.

        A class of weight n gives 1/(n + 2) of each row to the other (Platt 1999, section 2.2). This depends
        on the scale of the weights: a row of weight k counts as k rows.
        """
        given, taken = (w / (w.sum() + 2) for w in (self.negatives, self.positives))
        return Labelled(
            values=self.values, negatives=self.negatives - given + taken, positives=self.positives - taken + given
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
    rows = _by_log_odds(forecasts)
    if not rows.overlap:
        return None
    found = rows.line()
    return CalibrationLine(intercept=found.offset, slope=found.slope)


def why_no_line(forecasts: Forecasts) -> str:
    """Say why there is no calibration line."""
    if not any(forecasts.negatives) or not any(forecasts.positives):
        return "There is no calibration slope: all rows are of one class."
    if np.ptp(_log_odds(np.array(forecasts.risks))) == 0:
        return "There is no calibration slope: all risks are equal."
    return "There is no calibration slope: the risks separate the classes."


def _by_log_odds(forecasts: Forecasts) -> Labelled:
    return Labelled(
        values=_log_odds(np.array(forecasts.risks)),
        negatives=np.array([float(w) for w in forecasts.negatives]),
        positives=np.array([float(w) for w in forecasts.positives]),
    )


def _log_odds(risks: Floats) -> Floats:
    inside = np.clip(risks, _NEAREST, 1 - _NEAREST)
    return np.asarray(np.log(inside) - np.log1p(-inside), dtype=float)
