"""From totals to risks: isotonic and logistic maps, cross-fitting, and adapting a card to a new site."""

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError, InvalidOptionError, did_you_mean
from supersparse.base.exact import exact, shown
from supersparse.card.card import Card, Cutoff
from supersparse.card.evaluate.forecasts import Labelled
from supersparse.card.evaluate.rates import Outcomes, Tally, as_list
from supersparse.card.evaluate.thresholds import thresholds_of
from supersparse.card.risk import Floats, LogisticRisk, Risk, TableRisk
from supersparse.card.scoring import Scores
from supersparse.table.small_table import number

Method = Literal["isotonic", "logistic"]


def fit_risk(tally: Tally, method: Method) -> Risk:
    """Fit a map from totals to risks.

    "isotonic" is the increasing function with the lowest squared error (Brier), linear between totals.
    "logistic" is the logistic regression on the total, by maximum likelihood. This does not exist where the
    totals separate the classes, or there is but one class: there, the labels of each class are moved
    slightly towards the other, as Platt does.
    """
    if method not in get_args(Method):
        raise InvalidOptionError(f"unknown calibration method {method!r}", did_you_mean(str(method), get_args(Method)))
    return _isotonic(tally) if method == "isotonic" else _logistic(tally)


def _isotonic(tally: Tally) -> TableRisk:
    blocks: list[list[float]] = []  # positives, weight, number of totals
    for negative, positive in zip(tally.negatives, tally.positives, strict=True):
        blocks.append([float(positive), float(negative + positive), 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            above = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], above, strict=True)]
    risks = [p / w for p, w, count in blocks for _ in range(int(count))]
    last = len(risks) - 1  # a flat stretch needs only its two ends
    ends = [i for i, r in enumerate(risks) if i in (0, last) or not risks[i - 1] == r == risks[i + 1]]
    return TableRisk(totals=tuple(tally.totals[i] for i in ends), risks=tuple(risks[i] for i in ends))


def _logistic(tally: Tally) -> LogisticRisk:
    rows = Labelled(
        values=np.array([float(t) for t in tally.totals]),
        negatives=np.array([float(w) for w in tally.negatives]),
        positives=np.array([float(w) for w in tally.positives]),
    )
    one_total = len(tally.totals) == 1 and tally.n_negative > 0 and tally.n_positive > 0
    return (rows if rows.overlap or one_total else rows.towards_each_other()).line()


def fold_of_each_row(outcomes: Outcomes, folds: int | object) -> NDArray[np.intp]:
    """Return the fold of each row, from a number of folds or from one fold label per row.

    A number of folds divides the rows of each total as evenly as possible, in order. Class labels are not
    used, so a row's label cannot influence its risk through the folds.
    """
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        if folds < 2:
            raise InvalidOptionError(f"folds is {folds}", "cross-fitting needs 2 or more")
        fold = np.empty(len(outcomes), dtype=np.intp)
        fold[np.argsort(outcomes.totals, kind="stable")] = np.arange(len(outcomes)) % int(folds)
        return fold
    labels = as_list(folds, "folds")
    if len(labels) != len(outcomes.kept):
        raise InvalidDataError(f"folds has {len(labels)} labels for {len(outcomes.kept)} rows", "give one per row")
    codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return np.array([codes[label] for label in labels], dtype=np.intp)[outcomes.kept]


def cross_fitted(outcomes: Outcomes, method: Method, folds: int | object) -> Floats | None:
    """Return a risk for each row from a map fitted to the other folds; None if there is only one fold."""
    fold = fold_of_each_row(outcomes, folds)
    if len(np.unique(fold)) < 2:
        return None
    risks = np.empty(len(outcomes))
    for k in np.unique(fold):
        held_out = fold == k
        risk = fit_risk(outcomes.where(~held_out).tally(), method)
        risks[held_out] = risk.of(Scores(outcomes.totals[held_out], outcomes.unit).floats)
    return risks


_HALVINGS = 200
_FARTHEST = 1000.0  # log-odds: no double lies between 0 and exp(-745)


def in_the_large(risk: Risk, totals: Floats, weights: Floats, share: float) -> Risk:
    """Shift the log-odds of all risks by one number, so that their mean over these rows is `share`.

    Risks of 0 and 1 do not change. If they alone put the mean above or below the share, nothing changes.
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
    if isinstance(risk, LogisticRisk):
        return replace(risk, offset=risk.offset + by, seen=None)  # it is about other rows now
    with np.errstate(divide="ignore"):
        odds = np.log(risk.risks) - np.log1p(-np.asarray(risk.risks))
    return replace(risk, risks=tuple(_risks(odds + by).tolist()))


def _risks(odds: Floats) -> Floats:
    return LogisticRisk(slope=1.0, offset=0.0).of(odds)


def with_threshold(card: Card, after: Cutoff, why: str | None = None) -> Card:
    """Return the card with another threshold.

    The proof was for the old threshold, so the provenance is removed; the source says where the points come from.
    """
    before = card.cutoff
    if (after.threshold, after.reached) == (before.threshold, before.reached):
        return card
    moved = f"threshold moved from {before.positive} to {after.positive}"
    return replace(
        card,
        intercept=-after.threshold,
        reached=after.reached,
        provenance=None,
        learned=None,
        performance=(),
        source=_with_note(_origin(card), moved if why is None else f"{moved}: {why}"),
    )


def choose_threshold(
    card: Card,
    outcomes: Outcomes,
    sensitivity: float | None,
    specificity: float | None,
    costs: tuple[float, float] | None,
) -> Card:
    """Return the card with a threshold chosen for a target; see `ScoringSystem.choose_threshold`."""
    wishes = {"sensitivity": sensitivity, "specificity": specificity, "costs": costs}
    named = [name for name, value in wishes.items() if value is not None]
    if len(named) != 1:
        raise InvalidOptionError(
            f"give exactly one of sensitivity, specificity and costs, not {' and '.join(named) or 'none'}"
        )
    tally = outcomes.tally()
    choices = thresholds_of(tally, 0.95)
    if sensitivity is not None:
        chosen, wish = choices.for_sensitivity(sensitivity), f"sensitivity {_number(sensitivity)} or more"
    elif specificity is not None:
        chosen, wish = choices.for_specificity(specificity), f"specificity {_number(specificity)} or more"
    else:
        assert costs is not None
        if isinstance(costs, str) or not hasattr(costs, "__len__") or len(costs) != 2:
            remedy = "give the costs of a (false negative, false positive), such as (5, 1)"
            raise InvalidOptionError(subject="costs", value=costs, remedy=remedy)
        chosen = choices.for_cost(*costs)
        wish = f"lowest cost, {_number(costs[0])} per false negative and {_number(costs[1])} per false positive"
    if chosen is choices.current:
        return card
    return with_threshold(card, chosen.cutoff, f"{wish}, on {number(tally.n)} rows")


def recalibrate(card: Card, outcomes: Outcomes, method: Method) -> Card:
    """Return the card with risks fitted to these rows; see `ScoringSystem.recalibrate`."""
    tally = outcomes.tally()
    changed = replace(card, risk=fit_risk(tally, method))
    if card.provenance is None or not card.provenance.is_risk:
        return changed
    why = f"risks refitted ({method}) to {number(tally.n)} rows"
    return replace(changed, provenance=None, learned=None, performance=(), source=_with_note(_origin(card), why))


def _number(number: float) -> str:
    return shown(exact(number, "a number"))


def _origin(card: Card) -> str | None:
    if card.source is not None or card.provenance is None:
        return card.source
    made = card.provenance
    weights = " with different class weights" if made.is_risk and made.weighs_classes else ""
    return f"learned by supersparse {made.version}{weights}"


def _with_note(source: str | None, note: str) -> str:
    return note if source is None else f"{source}; {note}"
