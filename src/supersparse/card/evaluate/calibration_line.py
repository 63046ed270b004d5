"""The calibration line: how the observed log-odds follow the predicted ones (Cox, Biometrika 1958;45:562)."""

from dataclasses import dataclass

import numpy as np

from supersparse.card.evaluate.forecasts import Forecasts
from supersparse.card.evaluate.logistic_line import Labelled
from supersparse.card.risk import Floats, LogisticRisk

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
