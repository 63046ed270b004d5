"""Calibration in the large: risks whose mean is the share of positives."""

from dataclasses import replace

import numpy as np

from supersparse.card.risk import Floats, LogisticRisk, Risk

_HALVINGS = 200
_FARTHEST = 1000.0  # in log-odds: a double has no risk between 0 and exp(-745)


def in_the_large(risk: Risk, totals: Floats, weights: Floats, share: float) -> Risk:
    """Move the log-odds of all risks by one number, so that their mean over the given rows is `share`.

    Risks of 0 and 1 stay. Where these alone put the mean above or below the share, nothing moves.
    """
    with np.errstate(divide="ignore"):
        risks = risk.of(totals)
        odds = np.log(risks) - np.log1p(-risks)

    def mean(by: float) -> float:
        return float(np.average(_risks(odds + by), weights=weights))

    low, high = -_FARTHEST, _FARTHEST
    if not mean(low) < share < mean(high):
        return risk
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if mean(middle) < share else (low, middle)
    return moved(risk, low)


def moved(risk: Risk, by: float) -> Risk:
    """Return the risk with its log-odds moved."""
    if isinstance(risk, LogisticRisk):
        return replace(risk, offset=risk.offset + by)
    with np.errstate(divide="ignore"):
        odds = np.log(risk.risks) - np.log1p(-np.asarray(risk.risks))
    return replace(risk, risks=tuple(_risks(odds + by).tolist()))


def _risks(odds: Floats) -> Floats:
    return LogisticRisk(slope=1.0, offset=0.0).of(odds)
