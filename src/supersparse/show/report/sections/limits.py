"""Limits of use that follow from this card and these rows."""

from collections.abc import Iterator
from fractions import Fraction

from supersparse.base.exact import counted, shown
from supersparse.card.card import Card
from supersparse.card.evidence import WEIGHTED_RISKS, facts
from supersparse.card.lines import class_names
from supersparse.card.risk import risk_of
from supersparse.card.rules import Domain, IsMissing
from supersparse.card.words import category_text
from supersparse.show.report.blocks import Bullets, Section, rate
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.plan import Absent
from supersparse.table.plain import quoted, visible

_FEW_EVENTS = 100  # fewer in the smaller class make a validation imprecise (Vergouwe et al. 2005)


def limits(evidence: Evidence) -> Section:
    """TRIPOD+AI asks for limitations (26) and for what unusable input does (27a)."""
    return Section(
        name="limits", title="Limits of use", tripod=("26", "27a"), blocks=(Bullets(tuple(_sentences(evidence))),)
    )


def _sentences(evidence: Evidence) -> Iterator[str]:
    card, confusion = evidence.card, evidence.evaluation.confusion
    negative, positive = class_names(card)
    gives = f"gives a risk of {positive}, and predicts" if evidence.is_risk else "predicts"
    yield (
        f"The card {gives} {positive} or {negative}. It does not explain why, and it does not say what to "
        "do: points are not causes, and lowering them need not lower the risk."
    )
    yield from _ranges(card)
    yield from _missing(card)
    if card.cutoff.tie is not None:
        yield (
            f"A total of exactly {shown(card.cutoff.tie)} predicts {negative}. In training it counted as "
            f"wrong for both classes; {_at_threshold(evidence)} of these rows have this total."
        )
    yield (
        f"The prevalence of {positive} in these rows is {rate(confusion.prevalence)}. Where it is rarer or "
        "more frequent, predictive values and risks will differ; sensitivity and specificity may differ too."
    )
    follows = _class_follows_risk(evidence)
    if evidence.is_risk:
        yield (
            f"The threshold ({card.cutoff.positive}) was set for a risk above {_risk_threshold(card)}; other "
            "costs of the two kinds of error may call for another threshold. The risks stay the same."
        )
    else:
        yield (
            f"The threshold ({card.cutoff.positive}) reflects the weights that were set for the two kinds of "
            "error; other costs may call for another threshold."
        )
    smaller = min(confusion.n_positive, confusion.n_negative)
    if smaller < _FEW_EVENTS:
        yield (
            f"The smaller class has {shown(smaller)} rows. With fewer than {_FEW_EVENTS}, the measures are "
            "imprecise: read the intervals, not the values."
        )
    yield from _validated(evidence)
    if card.risk is None:
        yield "The card has no risks of its own; the risks in this report come from these rows only."
    elif follows:
        yield f"Risk and class agree in these rows: {positive} is predicted at a risk above {follows}."
    else:
        yield "Risk and class may disagree: the class depends on the threshold, not on a risk above 0.5."
    if evidence.is_risk and _weighs_classes(evidence):
        yield f"{WEIGHTED_RISKS.capitalize()}; see the calibration."
    if evidence.data.weights is not None:
        yield ("Rows are weighted. Intervals treat a weight as a number of rows, so they may be too narrow.")


def _risk_threshold(card: Card) -> str:
    """The risk above which a card of goal risk predicted the positive class when it was learned."""
    assert card.provenance is not None, "it says the goal"
    given = (card.provenance.settings or {}).get("risk_threshold")
    return "0.5" if given is None else str(given)


def _class_follows_risk(evidence: Evidence) -> str | None:
    """The risk threshold of a risk card, where its classes still are those of its risks; else None."""
    card = evidence.card
    if not evidence.is_risk or card.risk is None:
        return None
    at = _risk_threshold(card)
    totals = evidence.evaluation.tally.totals
    agree = all((risk_of(card.risk, t) > Fraction(at)) == card.cutoff.includes(t) for t in totals)
    return at if agree else None


def _weighs_classes(evidence: Evidence) -> bool:
    return not isinstance(evidence.refit, Absent) and len({*evidence.refit.problem.class_weights}) == 2


def _ranges(card: Card) -> Iterator[str]:
    for domain in card.domains:
        then = "is refused" if domain.outside == "refuse" else "is still scored, but without evidence"
        yield f"Known values of {quoted(domain.column)}: {_known(domain)}. Any other value {then}."
    unknown = [c for c in card.columns if c not in {d.column for d in card.domains}]
    if unknown:
        yield f"The card does not record the known values of {', '.join(map(quoted, unknown))}."


def _known(domain: Domain) -> str:
    if domain.values is not None:
        return visible(", ".join(map(category_text, domain.values)))
    ends = [f"{word} {shown(end)}" for word, end in (("from", domain.low), ("to", domain.high)) if end is not None]
    return " ".join([*ends, *(["in whole numbers"] if domain.whole else [])])


def _missing(card: Card) -> Iterator[str]:
    given: dict[str, Fraction] = {}
    refused: dict[str, None] = {}
    for item in card.items:
        points = item.points if isinstance(item.rule, IsMissing) else item.missing
        if points is None:
            refused[item.column] = None
        else:
            given[item.column] = given.get(item.column, Fraction(0)) + points
    if refused:
        yield f"The card needs a value of {', '.join(map(quoted, refused))}."
    for column, total in given.items():
        if column not in refused:
            points_word = "point" if abs(total) == 1 else "points"
            yield f"A missing value of {quoted(column)} gives {shown(total)} {points_word}."


def _at_threshold(evidence: Evidence) -> str:
    c = evidence.evaluation.confusion
    zeros = c.zero_positives + c.zero_negatives
    return "none" if zeros == 0 else shown(zeros)


def _validated(evidence: Evidence) -> Iterator[str]:
    if evidence.same_rows:
        yield "The card has not been validated on data from another place, time or population."
    else:
        yield (
            "The card was evaluated on one set of rows, and it is not known whether they are new to it. The "
            "authors must say whether these are other people than those it was learned from, and whether "
            "they come from another place, time or population."
        )
    made = evidence.card.provenance
    if evidence.is_edited:
        yield (
            "The card was edited by hand after it was learned, so a better card may exist, and nothing in "
            "this report corrects its performance for optimism."
        )
    elif made is not None and not made.proven_optimal:
        yield "A better card for the training rows may exist: the search stopped before ruling that out."
    said = dict(facts(evidence.card)).get("Counts")
    if said is not None:
        yield f"The card was {said}."
    if not isinstance(evidence.stability, Absent):
        found = evidence.stability
        if 2 * found.same_items < found.samples:
            yield (
                f"The choice of items depends much on chance: the same set recurred in {found.same_items} of "
                f"{counted(found.samples, 'bootstrap sample')}. Other cards may do as well."
            )
