"""The baseline of a card: the same answer for everyone, by the measure that the card was learned for.

A card that was learned for its risks is compared by their log loss with the prevalence as everyone's risk,
and, where a risk threshold was asked, by its net benefit with predicting one class for everyone. Other cards
are compared by their errors, weighted as in learning, with predicting the cheaper class for everyone.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from supersparse.base.schema.labels import label_text
from supersparse.card.card import Card
from supersparse.card.evidence import percent
from supersparse.card.naming import class_names
from supersparse.card.performance import ClassWeights, Performance

_ROWS = {"training": "the training rows", "cross-validation": "rows it was not learned from"}
_SAME = "the same risk for everyone"
_SURE = 1e-9  # by which a log loss must be lower: proofs are as fine


def baseline(card: Card, seen: Performance) -> str:
    """What the same answer for everyone would give on these rows."""
    asked = _asked(card)
    if _is_risk(asked) and seen.log_loss is not None and seen.baseline_log_loss is not None:
        weighs = _by_class(_class_weights(card, asked, seen))
        return (
            f"The log loss of this card is {seen.log_loss:.4f}, that of {_SAME} "
            f"{seen.baseline_log_loss:.4f}{weighs}."
        )
    always = f"Always predicting {_name(card, positive=seen.positives > seen.negatives)} is wrong"
    weighs = "" if _class_weights(card, asked, seen) is None else "; this card weighs errors by class"
    return f"{always} for {percent(float(seen.baseline_error))} of rows{weighs}."


def no_better(card: Card, seen: Performance) -> str | None:
    """The warning on a card that is no better than the same answer for everyone; None if it is, or may be."""
    return " ".join(f"No better than {one}." for one in shortfalls(card, seen, "this card")) or None


def shortfalls(card: Card, seen: Performance, subject: str) -> tuple[str, ...]:
    """Say by which measures a card is no better than a constant answer that obeys what was asked of it.

    None are found where the card does not say what was asked, or its rows do not tell. `subject` stands for
    the card: "always predicting no: it is wrong for ...".
    """
    if card.provenance is not None and card.provenance.settings is None:
        return ()
    asked = _asked(card)
    allowed = [positive for positive in (False, True) if _obeys(asked, seen, positive=positive)]
    if not allowed:
        return ()
    found: tuple[str | None, ...]
    if _is_risk(asked):
        found = (_of_risks(card, asked, seen, subject), _of_net_benefit(card, asked, seen, allowed, subject))
    else:
        found = (_of_errors(card, asked, seen, allowed, subject), None)
    return tuple(one for one in found if one is not None)


def _of_risks(card: Card, asked: Mapping[str, Any], seen: Performance, subject: str) -> str | None:
    loss, other = seen.log_loss, seen.baseline_log_loss
    if loss is None or other is None or loss < other - _SURE:
        return None
    return (
        f"{_SAME}: the log loss of {subject} is {loss:.4f} on {_rows(seen)}, that of {_SAME} {other:.4f}"
        f"{_by_class(_class_weights(card, asked, seen))}"
    )


def _of_net_benefit(
    card: Card, asked: Mapping[str, Any], seen: Performance, allowed: list[bool], subject: str
) -> str | None:
    """Compare at the risk threshold, where one was asked: true positives less false ones at its odds."""
    threshold = asked.get("risk_threshold")
    if threshold is None:
        return None
    at = Fraction(str(threshold))
    odds = at / (1 - at)
    found = (seen.true_positives - odds * seen.false_positives) / seen.n
    of_all = {False: Fraction(0), True: (seen.positives - odds * seen.negatives) / seen.n}
    best = max(allowed, key=of_all.__getitem__)
    if found > of_all[best]:
        return None
    always = f"always predicting {_name(card, positive=best)}"
    return (
        f"{always}: at a risk of {percent(float(at))}, the net benefit of {subject} is {float(found):.4f} on "
        f"{_rows(seen)}, that of {always} {float(of_all[best]):.4f}"
    )


def _of_errors(
    card: Card, asked: Mapping[str, Any], seen: Performance, allowed: list[bool], subject: str
) -> str | None:
    weights = _class_weights(card, asked, seen)
    costs = seen if weights is None else seen.weighted(weights)
    wrong = {False: costs.positives / costs.n, True: costs.negatives / costs.n}
    best = min(allowed, key=wrong.__getitem__)
    if costs.error < wrong[best]:
        return None
    always = f"always predicting {_name(card, positive=best)}"
    return (
        f"{always}: {subject} is wrong for {percent(float(costs.error))} of {_rows(seen)}, {always} for "
        f"{percent(float(wrong[best]))}{_by_class(weights)}"
    )


def _obeys(asked: Mapping[str, Any], seen: Performance, *, positive: bool) -> bool:
    """Whether one class for everyone obeys the limits on rates, as far as the rows tell.

    It has the sensitivity 1 and the specificity 0, or the reverse, in every group; its errors in a group are
    not known, so that a limit on these rules it out.
    """
    sensitivity, specificity = int(positive), int(not positive)
    error = (seen.negatives if positive else seen.positives) / seen.n
    for limit in asked.get("constraints") or ():
        bounds = {name: Fraction(str(limit[name])) for name in _RATES if name in limit}
        if (
            bounds.get("min_sensitivity", 0) > sensitivity
            or bounds.get("min_specificity", 0) > specificity
            or bounds.get("max_false_positive_rate", 1) < 1 - specificity
            or ("max_error" in bounds and (limit.get("group") is not None or bounds["max_error"] < error))
        ):
            return False
    return True


_RATES = ("min_sensitivity", "min_specificity", "max_false_positive_rate", "max_error")


def _asked(card: Card) -> Mapping[str, Any]:
    """The settings that the card was learned with; none for a card written by hand."""
    made = card.provenance
    return {} if made is None or made.settings is None else made.settings


def _is_risk(asked: Mapping[str, Any]) -> bool:
    return asked.get("goal") == "risk"


def _rows(seen: Performance) -> str:
    return _ROWS.get(seen.on, "other rows")


def _name(card: Card, *, positive: bool) -> str:
    return class_names(card)[positive]


def _by_class(weights: ClassWeights | None) -> str:
    return "" if weights is None else ", by class weight"


def _class_weights(card: Card, asked: Mapping[str, Any], seen: Performance) -> ClassWeights | None:
    """The weights of errors that the card was learned with; None where they were equal, or are not known."""
    weights = asked.get("class_weight")
    if weights == "balanced":  # so that both classes of the training rows have the same total
        learned_from = next((one for one in card.performance if one.on == "training"), seen)
        both = learned_from.positives, learned_from.negatives
        return both if all(both) else None
    if not isinstance(weights, Mapping):
        return None
    negative, positive = (Fraction(str(weights.get(label_text(label), 1))) for label in card.classes)
    same = negative == positive or not (negative * seen.negatives + positive * seen.positives)
    return None if same else (negative, positive)
