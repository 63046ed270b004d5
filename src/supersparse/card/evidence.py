"""The evidence on a card: what was proven, how well it does, how it was made; and the baseline to beat.

The baseline is the same answer for everyone. A card that was learned for its risks is compared by their log
loss with the prevalence as everyone's risk, and, where a risk threshold was asked, by its net benefit with
predicting one class for everyone. Other cards are compared by their errors, weighted as in learning, with
predicting the cheaper class for everyone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from supersparse.base.exact import counted, exact, shown
from supersparse.base.schema.labels import label_text
from supersparse.base.stop import Stop
from supersparse.card.card import Card
from supersparse.card.lines import class_names, with_class_names
from supersparse.card.performance import ClassWeights, Performance
from supersparse.card.provenance import CertificateFile, Provenance, Suppressed
from supersparse.card.risk import LogisticRisk
from supersparse.table.plain import visible
from supersparse.table.small_table import number


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One row of the table of evidence: which rows, and each measure in words."""

    on: str
    cells: tuple[str, ...]  # in the order of MEASURES


MEASURES = ("Sensitivity", "Specificity", "PPV", "NPV", "AUC", "Errors")


CERTIFICATE = "Certificate"
"""The label of the file that holds the proof."""
COUNTS = "Counts"
"""The label of who is missing in the counts that a card was learned from."""
EDITED = "Edited"
"""The label of what was changed by hand."""

WEIGHTED_RISKS = "the two classes had different weights in learning, so the risks are not those of the rows as they are"
"""Why risks differ from the shares of events shown with them."""

_UNSIGNED = " (the card's file is not signed: it may have been changed since)"


def facts(card: Card) -> tuple[tuple[str, str], ...]:
    """Labelled facts about how the card was made; none for a card written by hand."""
    made = card.provenance
    if made is None:
        return ()
    told_above = bool(card.performance) and made.predicted_errors == made.training_errors
    return (
        ("Proof", _proof(made) + ("" if made.signed else _UNSIGNED)),
        *(() if told_above else (("Errors", _errors(card, made)),)),
        *(() if made.suppressed is None else ((COUNTS, _suppressed(made.suppressed)),)),
        ("Size", _size(card)),
        ("Settings", f"minimise {with_class_names(card, made.minimised)}; {visible(made.allowed)}"),
        ("Made by", _maker(made)),
        *(() if made.certificate is None else ((CERTIFICATE, _certificate(made.certificate)),)),
        *(() if not made.edits else ((EDITED, _edited(made)),)),
    )


def in_one_line(label: str, fact: str) -> str:
    """A labelled fact as a sentence; a proof needs no label before "Proven:"."""
    return fact if fact.startswith("Proven:") else f"{label}: {fact}"


def _proof(made: Provenance) -> str:
    what = ("weighted " if made.weighs_classes else "") + ("log loss" if made.is_risk else "errors")
    if _is_blended(made) and not made.is_risk:
        what += " by the blended labels"
    objective = f"objective ({what} plus penalties, {float(made.objective):.6f})"
    of_all = "no other card"
    if made.features is not None:
        of_all = f"of all cards over {_candidates(made)}, none"
    if made.asks_questions and made.proven_optimal:
        asked = made.settings or {}
        price = ", with a small price for each question" if asked.get("C0", 0) != 0 else ""
        fit = "the blended labels" if _is_blended(made) else "the labels"
        return f"Proven: of all cards that ask {visible(made.allowed)}, none is better (fit to {fit}{price})."
    if made.proven_optimal:
        smallest = ", and no equally good one has smaller points" if made.proven_smallest else ""
        tolerance = " by more than 0.000000001" if made.is_risk else ""
        return f"Proven optimal: {of_all} with these settings has a lower {objective}{tolerance}{smallest}"
    if made.lower_bound <= 0:
        return f"Not proven: a card with a lower {objective} could exist; how much lower is unknown"
    percent = f"{ceil(made.gap * 1000) / 10:.1f} %"
    return f"Not proven: a better card could exist, by at most {percent} of the {objective}"


def _certificate(certificate: CertificateFile) -> str:
    checked = "not checked yet"
    if certificate.checked_by:
        checked = f"checked by {' and '.join(visible(name) for name in certificate.checked_by)}"
    return f"{visible(certificate.file)}, sha256 {certificate.sha256}, {checked}"


def _edited(made: Provenance) -> str:
    changes = [visible(one.change) + (f" ({visible(one.reason)})" if one.reason else "") for one in made.edits]
    return f"by hand after learning: {'; '.join(changes)}"


def _suppressed(hidden: Suppressed) -> str:
    """The people whom the counts leave out or merge, and the bias of the figures above."""
    gone = []
    if hidden.left_out:
        gone.append(f"at most {hidden.left_out} of them left out")
    if hidden.merged:
        gone.append(f"at most {hidden.merged} of them with answers other than their own")
    return (
        f"learned from counts of people, {' and '.join(gone) or 'nobody left out'}; proof and errors are of "
        "those counted, so these figures are optimistic"
    )


def _candidates(made: Provenance) -> str:
    """How many features the search could use, and of how many, where a limit left some out."""
    n_used = len(made.features or ())
    if made.n_candidates is None or made.n_candidates == n_used:
        return counted(n_used, "feature")
    return f"{n_used} of {counted(made.n_candidates, 'candidate feature')}"


def _errors(card: Card, made: Provenance) -> str:
    training = f"training errors {_share(made.training_errors, made.total_weight)}"
    if made.predicted_errors == made.training_errors:
        return training
    total = shown(_tie(card))
    return (
        f"{training}, counting a total of exactly {total} as wrong for both classes; "
        f"predicted errors {_share(made.predicted_errors, made.total_weight)}, "
        f"because the rule predicts {class_names(card)[0]} at exactly {total}"
    )


def _tie(card: Card) -> Fraction:
    """The total that was wrong for both classes: the threshold, or that of a risk of one half."""
    risk = card.risk
    if card.provenance is not None and card.provenance.half_was_wrong and isinstance(risk, LogisticRisk):
        return exact(-risk.offset / risk.slope, "the total of a risk of one half")
    return card.zero_total


def _size(card: Card) -> str:
    if card.provenance is not None and card.provenance.asks_questions:
        return counted(len({item.column for item in card.as_learned.items}), "question")
    return f"{counted(len(card.as_learned.items), 'feature')}, {card.size_with_intercept} with the intercept"


def _maker(made: Provenance) -> str:
    known = Stop.__members__.get(made.stop)
    reason = visible(made.stop) if known is None else known.value
    return f"supersparse {visible(made.version)}, {visible(made.solver)}, in {made.seconds:.1f} s; {reason}"


def _share(part: Fraction, whole: Fraction) -> str:
    percent = f" ({float(100 * part / whole):.2f} %)" if whole else ""
    return f"{shown(part)} of {shown(whole)}{percent}"


def judgement(seen: Performance) -> Judgement:
    rates = (seen.sensitivity, seen.specificity, seen.positive_predictive_value, seen.negative_predictive_value)
    auc = "-" if seen.auc is None else f"{seen.auc:.2f}"
    if seen.auc_interval is not None:
        auc += f" ({seen.auc_interval[0]:.2f} to {seen.auc_interval[1]:.2f})"
    wrong = number(seen.false_positives + seen.false_negatives)
    cells = (*("-" if r is None else percent(float(r)) for r in rates), auc)
    errors = f"{wrong} of {number(seen.n)} ({percent(float(seen.error))})"
    on = {"training": "Training", "cross-validation": "Cross-validated", "validation": "Validated"}[seen.on]
    return Judgement(on=on, cells=(*cells, errors))


def skipped_folds(seen: Performance) -> str | None:
    """How many folds stand behind a performance, where not all planned ones do."""
    if seen.folds is None:
        return None
    return f"Cross-validated on {seen.folds[0]} of the {seen.folds[1]} folds that were planned"


def about_labels(card: Card) -> str | None:
    """The sentence above numbers of a card that was learned from blended labels; None for others."""
    made = card.provenance
    if made is None or not _is_blended(made):
        return None
    return "The labels were blended with a model of all columns; the numbers below are of the true outcomes."


def _is_blended(made: Provenance) -> bool:
    """Whether a card was learned from labels that were blended with the risks of a teacher."""
    usual = "auto" if made.asks_questions else "none"
    return bool((made.settings or {}).get("teacher", usual) != "none")


def percent(share: float) -> str:
    """A share in percent, as few digits as a reader needs.

    >>> percent(0.338), percent(0.0042), percent(1.0)
    ('33.8 %', '0.4 %', '100 %')
    """
    return f"{100 * share:.1f} %" if 0 < share < 1 else f"{100 * share:.0f} %"


def weighted_risks(card: Card) -> str | None:
    """The sentence below risks that were learned with different weights of the classes; None for others."""
    made = card.provenance
    if card.risk is None or made is None or not (made.is_risk and made.weighs_classes):
        return None
    return f"{WEIGHTED_RISKS.capitalize()}."


_ROWS = {"training": "the training rows", "cross-validation": "rows it was not learned from"}
_SAME = "the same risk for everyone"
_SURE = 1e-9  # by which share a log loss must be lower: proofs are as fine


def baseline(card: Card, seen: Performance) -> str:
    """How good the same answer for everyone would be on these rows."""
    asked = _asked(card)
    if _is_risk(asked) and seen.log_loss is not None and seen.baseline_log_loss is not None:
        weighs = _by_class(_class_weights(card, asked, seen))
        return (
            f"The log loss of this card is {_loss(seen.log_loss)}, "
            f"that of {_SAME} {_loss(seen.baseline_log_loss)}{weighs}."
        )
    always = f"Always predicting {_name(card, positive=seen.positives > seen.negatives)} is wrong"
    weighs = "" if _class_weights(card, asked, seen) is None else "; this card weighs errors by class"
    return f"{always} for {percent(float(seen.baseline_error))} of rows{weighs}."


def _loss(value: float) -> str:
    """Four decimals, or as many digits where classes of very different weights make losses tiny."""
    return f"{value:.4f}" if value >= 0.001 or value == 0 else f"{value:.4g}"


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
    sentences: tuple[str | None, ...]
    if _is_risk(asked):
        sentences = (_of_risks(card, asked, seen, subject), _of_net_benefit(card, asked, seen, allowed, subject))
    else:
        sentences = (_of_errors(card, asked, seen, allowed, subject), None)
    return tuple(one for one in sentences if one is not None)


def _of_risks(card: Card, asked: Mapping[str, Any], seen: Performance, subject: str) -> str | None:
    loss, other = seen.log_loss, seen.baseline_log_loss
    if loss is None or other is None or loss < other * (1 - _SURE):
        return None
    return (
        f"{_SAME}: the log loss of {subject} is {_loss(loss)} on {_rows(seen)}, that of {_SAME} {_loss(other)}"
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
    of_card = (seen.true_positives - odds * seen.false_positives) / seen.n
    of_all = {False: Fraction(0), True: (seen.positives - odds * seen.negatives) / seen.n}
    best = max(allowed, key=of_all.__getitem__)
    if of_card > of_all[best]:
        return None
    always = f"always predicting {_name(card, positive=best)}"
    return (
        f"{always}: at a risk of {percent(float(at))}, the net benefit of {subject} is {float(of_card):.4f} on "
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
