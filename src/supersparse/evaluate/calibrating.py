"""From totals to risks: isotonic and logistic maps, and cross-fitting, which hides a row's own label."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from supersparse.card.risk import Floats, LogisticRisk, Risk, TableRisk
from supersparse.errors import InvalidDataError, InvalidOptionError, did_you_mean
from supersparse.evaluate.outcomes import Outcomes, as_list
from supersparse.evaluate.tally import Tally

Method = Literal["isotonic", "logistic"]

_MOST_STEPS = 200
_ENOUGH = 1e-12


def fit_risk(tally: Tally, method: Method) -> Risk:
    """Return the risk by total that fits a tally.

    "isotonic" is the best rising step function by squared error (Brier), with straight lines between totals.
    "logistic" is Platt's: maximum likelihood with each class's labels moved a little towards the other
    class, so that it exists when points separate the classes.
    """
    if method not in get_args(Method):
        raise InvalidOptionError(
            f"the method of calibration is {method!r}; {did_you_mean(str(method), get_args(Method))}"
        )
    return _isotonic(tally) if method == "isotonic" else _logistic(tally)


def _isotonic(tally: Tally) -> TableRisk:
    blocks: list[list[float]] = []  # positives, weight, how many totals
    for negative, positive in zip(tally.negatives, tally.positives, strict=True):
        blocks.append([float(positive), float(negative + positive), 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            above = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], above, strict=True)]
    risks = [p / w for p, w, count in blocks for _ in range(int(count))]
    last = len(risks) - 1  # of a flat stretch its two ends say it all
    ends = [i for i, r in enumerate(risks) if i in (0, last) or not risks[i - 1] == r == risks[i + 1]]
    return TableRisk(totals=tuple(tally.totals[i] for i in ends), risks=tuple(risks[i] for i in ends))


def _logistic(tally: Tally) -> LogisticRisk:
    """Newton's method, with totals standardised and a step halved where it overshoots."""
    positives, negatives = (np.array([float(w) for w in ws]) for ws in (tally.positives, tally.negatives))
    totals, weights = np.array([float(t) for t in tally.totals]), positives + negatives
    high = (positives.sum() + 1) / (positives.sum() + 2)
    low = 1 / (negatives.sum() + 2)
    wanted = positives * high + negatives * low  # Platt's targets, added up by total
    centre = float(np.average(totals, weights=weights))
    spread = float(np.sqrt(np.average((totals - centre) ** 2, weights=weights)))
    share = wanted.sum() / weights.sum()
    start = np.array([0.0, np.log(share / (1 - share))])
    if spread == 0:
        return LogisticRisk(slope=0.0, offset=float(start[1]))
    design = np.column_stack([(totals - centre) / spread, np.ones(len(totals))])

    def loss(at: Floats) -> float:
        exponent = design @ at
        return float(weights @ np.logaddexp(0, exponent) - wanted @ exponent)

    found, value = start, loss(start)
    for _ in range(_MOST_STEPS):
        risk = LogisticRisk(slope=1.0, offset=0.0).of(design @ found)
        gradient = design.T @ (weights * risk - wanted)
        curvature = (design * (weights * risk * (1 - risk))[:, None]).T @ design
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        if float(gradient @ step) <= _ENOUGH * max(1.0, abs(value)):
            found = found - step
            break
        while loss(found - step) > value:
            step = step / 2
        found = found - step
        value = loss(found)
    slope = float(found[0]) / spread
    return LogisticRisk(slope=slope, offset=float(found[1]) - slope * centre)


def fold_of_each_row(outcomes: Outcomes, folds: int | object) -> NDArray[np.intp]:
    """Return which fold each row is in: so many folds, or a given label for each row.

    A number of folds divides the rows of each total as evenly as can be, in their order. Labels play
    no part, so that a row's own label cannot reach its risk by way of the folds.
    """
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        if folds < 2:
            raise InvalidOptionError(f"folds is {folds}; cross-fitting needs 2 or more")
        found = np.empty(len(outcomes), dtype=np.intp)
        found[np.argsort(outcomes.totals, kind="stable")] = np.arange(len(outcomes)) % int(folds)
        return found
    labels = as_list(folds, "folds")
    if len(labels) != len(outcomes.kept):
        raise InvalidDataError(
            f"folds has {len(labels)} labels for {len(outcomes.kept)} rows; give one for each"
        )
    codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return np.array([codes[label] for label in labels], dtype=np.intp)[outcomes.kept]


def cross_fitted(outcomes: Outcomes, method: Method, folds: int | object) -> Floats | None:
    """Return a risk for each row by a map fitted to the other folds; None when there is one fold only."""
    fold = fold_of_each_row(outcomes, folds)
    if len(np.unique(fold)) < 2:
        return None
    found = np.empty(len(outcomes))
    for k in np.unique(fold):
        own = fold == k
        risk = fit_risk(outcomes.where(~own).tally(), method)
        found[own] = risk.of(outcomes.where(own).total_floats)
    return found
