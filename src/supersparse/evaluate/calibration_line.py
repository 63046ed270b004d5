"""The calibration line: how the observed log-odds follow the predicted ones (Cox, Biometrika 1958;45:562)."""

from dataclasses import dataclass

import numpy as np

from supersparse.card.risk import Floats
from supersparse.evaluate.forecasts import Forecasts

_MOST_STEPS = 100
_ENOUGH = 1e-10


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
        inside = np.clip(risks, 1e-9, 1 - 1e-9)
        odds = np.log(inside) - np.log1p(-inside)
        return np.asarray(1 / (1 + np.exp(-(self.intercept + self.slope * odds))), dtype=float)


def calibration_line(forecasts: Forecasts) -> CalibrationLine | None:
    """Fit the line by maximum likelihood; None if all risks are equal or they separate the classes.

    Risks of 0 and 1 have no log-odds: all risks are moved half a row towards one half first.

    >>> from fractions import Fraction
    >>> eight, two = Fraction(8), Fraction(2)
    >>> line = calibration_line(Forecasts(risks=(0.1, 0.9), negatives=(eight, two), positives=(two, eight)))
    >>> round(line.slope, 2), abs(round(line.intercept, 2))
    (0.69, 0.0)
    """
    positives = np.array([float(w) for w in forecasts.positives])
    weights = positives + np.array([float(w) for w in forecasts.negatives])
    n = weights.sum()
    if not _overlap(forecasts):
        return None
    risks = (np.array(forecasts.risks) * n + 0.5) / (n + 1)
    design = np.column_stack([np.ones(len(risks)), np.log(risks) - np.log1p(-risks)])

    def loss(at: Floats) -> float:
        exponent = design @ at
        return float(weights @ np.logaddexp(0, exponent) - positives @ exponent)

    found = np.array([0.0, 1.0])
    value = loss(found)
    for _ in range(_MOST_STEPS):
        risk = 1 / (1 + np.exp(-(design @ found)))
        gradient = design.T @ (weights * risk - positives)
        curvature = (design * (weights * risk * (1 - risk))[:, None]).T @ design
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        if float(gradient @ step) <= _ENOUGH * max(1.0, abs(value)):
            break
        while loss(found - step) > value:
            step = step / 2
        found = found - step
        value = loss(found)
    return CalibrationLine(intercept=float(found[0]), slope=float(found[1]))


def _overlap(forecasts: Forecasts) -> bool:
    """Whether some negative has a higher risk than some positive, and the other way round."""
    negatives = [r for r, weight in zip(forecasts.risks, forecasts.negatives, strict=True) if weight]
    positives = [r for r, weight in zip(forecasts.risks, forecasts.positives, strict=True) if weight]
    if not negatives or not positives:
        return False
    return negatives[-1] > positives[0] and positives[-1] > negatives[0]
