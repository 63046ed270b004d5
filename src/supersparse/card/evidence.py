"""The evidence on a card: what was proven, how well it does, how it was made; and the baseline to beat.

The baseline is the same answer for everyone. A card that was learned for its risks is compared by their log
loss with the prevalence as everyone's risk, and, where a risk threshold was asked, by its net benefit with
predicting one class for everyone. Other cards are compared by their errors, weighted as in learning, with
predicting the cheaper class for everyone.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from supersparse.base.exact import counted, exact, shown
from supersparse.base.schema.tree import label_text
from supersparse.card.card import Card
from supersparse.card.evaluate.rates import Rate
from supersparse.card.lines import class_names
from supersparse.card.performance import ALL_COLUMNS, THIS_CARD, ClassWeights, Compared, Performance
from supersparse.card.provenance import CardUpdate, CertificateFile, Horizon, Provenance, Suppressed
from supersparse.card.risk import LogisticRisk
from supersparse.table.plain import visible
from supersparse.table.small_table import number

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
    """Labelled facts about what was proven and done; none for a card written by hand. The report has the rest."""
    made = card.provenance
    if made is None:
        return ()
    is_above = bool(card.performance) and made.predicted_errors == made.training_errors
    return (
        ("Proof", _proof(made) + ("" if made.signed else _UNSIGNED)),
        *(() if is_above else (("Errors", _errors(card, made)),)),
        *(() if made.suppressed is None else ((COUNTS, _suppressed(made.suppressed)),)),
        *(() if made.certificate is None else ((CERTIFICATE, _certificate(made.certificate)),)),
        *(() if made.horizon is None else (("Follow-up", _followed(made.horizon)),)),
        *((f"Version {n}", _updated(one)) for n, one in enumerate(made.updates, start=2)),
        *(() if not made.edits else ((EDITED, _edited(made)),)),
    )


def in_one_line(label: str, fact: str) -> str:
    """A labelled fact as a sentence; a proof needs no label before "Proven"."""
    return fact if label == "Proof" else f"{label}: {fact}"


def _proof(made: Provenance) -> str:
    """The proof, in one sentence."""
    if made.asks_questions and made.proven_optimal:
        asked = made.settings or {}
        price = ", with a small price for each question" if asked.get("C0", 0) != 0 else ""
        blended = "the risks of the teacher" if _imitates(made) else "the blended labels"
        fit = blended if _is_blended(made) else "the labels"
        return f"Proven: of all cards that ask {visible(made.allowed)}, none is better (fit to {fit}{price})."
    if made.proven_optimal:
        of_all = "no other card" if made.features is None else f"of all cards over {_candidates(made)}, none"
        weighted = "weighted " if made.weighs_classes else ""
        better = f"has a lower {weighted}log loss" if made.is_risk else f"makes fewer {weighted}errors"
        if _is_blended(made):
            better += " by the blended labels"
        return f"Proven optimal: {of_all} with these settings {better} for its size."
    if made.lower_bound <= 0:
        return "Not proven: a better card could exist; how much better is unknown."
    return f"Not proven: a better card could exist, by at most {ceil(made.gap * 1000) / 10:.1f} %."


def _certificate(certificate: CertificateFile) -> str:
    checked = "not checked yet"
    if certificate.checked_by:
        checked = f"checked by {' and '.join(visible(name) for name in certificate.checked_by)}"
    return f"{visible(certificate.file)}, sha256 {certificate.sha256}, {checked}"


def _edited(made: Provenance) -> str:
    changes = [visible(one.change) + (f" ({visible(one.reason)})" if one.reason else "") for one in made.edits]
    return f"by hand after learning: {'; '.join(changes)}"


def _followed(seen: Horizon) -> str:
    """Within which time the risk is, who was lost before, and what that assumes."""
    within = f"{visible(seen.what)} within {shown(seen.horizon)} {visible(seen.unit)}".rstrip()
    others = f"; {seen.others} had another event that rules it out, and are no cases" if seen.others else ""
    if not seen.lost:
        return f"risk of {within}; all {seen.people} people were followed{others}."
    return (
        f"risk of {within}. {seen.lost} of {seen.people} people were lost before; the others stand for them (weights "
        f"up to {seen.largest_weight:.2f}){others}. This assumes that who is lost does not depend on their risk."
    )


def _updated(update: CardUpdate) -> str:
    """The changes of an update, and the gain of each."""
    before = "" if update.n_before is None else f" of a card learned from {counted(update.n_before, 'row')}"
    changes = [f"{visible(text)} (without it the fit is {_loss(gain)} worse)" for text, gain in update.changes]
    return f"an update{before} by {counted(update.n_rows, 'row')}: {'; '.join(changes) or 'no points changed'}"


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


def _share(part: Fraction, whole: Fraction) -> str:
    percent = f" ({float(100 * part / whole):.2f} %)" if whole else ""
    return f"{shown(part)} of {shown(whole)}{percent}"


def evidence_rows(seen: Performance, horizon: Horizon | None = None) -> tuple[tuple[str, str], ...]:
    """How well a card does, in the reader's words: each measure with its interval of 95 %.

    Of a risk within a horizon, rates are of weights, and their intervals of the people that these are worth.
    """
    worth = Fraction(1) if horizon is None else Fraction(horizon.effective / horizon.people)
    counts = (seen.n, seen.positives) if horizon is None else (Fraction(horizon.people), Fraction(horizon.events))
    rates = (
        ("Sensitivity", seen.true_positives, seen.positives),
        ("Specificity", seen.true_negatives, seen.negatives),
        ("PPV", seen.true_positives, seen.true_positives + seen.false_positives),
        ("NPV", seen.true_negatives, seen.true_negatives + seen.false_negatives),
    )
    return (
        ("Cases, events", f"{number(counts[0])}, {number(counts[1])}"),
        ("AUC", _auc(seen)),
        *((name, _rate(part * worth, whole * worth)) for name, part, whole in rates),
        *(() if seen.calibration is None else (("Calibration slope", _calibration(seen.calibration)),)),
        ("Misclassified", _rate(seen.errors * worth, seen.n * worth)),
        *(("Fidelity", text) for one in seen.compared if one.of == THIS_CARD and (text := _fidelity(one))),
    )


def _fidelity(one: Compared) -> str | None:
    """How near a card is to the teacher that was named."""
    if one.agreement is None or one.teacher_log_loss is None:
        return None
    explained = "" if one.teacher_r2 is None else f"R\u00b2 {one.teacher_r2:.2f}, "
    return f"{explained}{percent(one.agreement)} same decisions, log loss {_loss(one.teacher_log_loss)} to the teacher"


def _auc(seen: Performance) -> str:
    if seen.auc is None:
        return "-"
    within = seen.auc_interval
    interval = "" if within is None else f" ({within[0]:.2f}\u2013{within[1]:.2f})"
    others = next((one.auc for one in seen.compared if one.of == ALL_COLUMNS and one.auc is not None), None)
    return f"{seen.auc:.2f}{interval}" + ("" if others is None else f"; all columns {others:.2f}")


def _rate(part: Fraction, whole: Fraction) -> str:
    rate = Rate(events=part, of=whole)
    if rate.value is None or rate.interval is None:
        return "-"
    low, high = rate.interval
    return f"{percent(rate.value)} ({100 * low:.0f}\u2013{100 * high:.0f})"


def _calibration(calibration: tuple[float, float, float]) -> str:
    slope, low, high = calibration
    return f"{slope:.2f} ({low:.2f}\u2013{high:.2f})"


def judged_on(seen: Performance) -> str:
    """Which rows the numbers of a card are of."""
    skipped = "" if seen.folds is None else f", {seen.folds[0]} of the {seen.folds[1]} folds that were planned"
    return {
        "training": "Measured on the rows that the card was learned from, so these numbers are optimistic.",
        "cross-validation": f"Measured on rows that the card was not learned from (cross-validation{skipped}).",
        "validation": "Measured on other rows than those that the card was learned from.",
    }[seen.on]


def about_labels(card: Card) -> str | None:
    """The sentence about numbers of a card that was learned from blended labels; None for others."""
    made = card.provenance
    if made is None or not _is_blended(made):
        return None
    if _imitates(made):
        return "Learned to imitate the risks of a teacher; all numbers here are of the true outcomes."
    return "Learned from labels blended with a model of all columns; all numbers here are of the true outcomes."


def _is_blended(made: Provenance) -> bool:
    """Whether a card was learned from labels that were blended with the risks of a teacher."""
    usual = "auto" if made.asks_questions else "none"
    return bool((made.settings or {}).get("teacher", usual) != "none")


def _imitates(made: Provenance) -> bool:
    """Whether the risks of the teacher alone were the labels."""
    return (made.settings or {}).get("blend") == 1


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
    always = f'For comparison: predicting "{_name(card, positive=seen.positives > seen.negatives)}" for everyone'
    weighs = "" if _class_weights(card, asked, seen) is None else "; this card weighs errors by class"
    return f"{always} misclassifies {percent(float(seen.baseline_error))}{weighs}."


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
    if asked.get("goal") == "risk":
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
