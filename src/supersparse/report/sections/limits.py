"""Limits of use: sentences that follow from the card and the rows, each true of this card."""

from collections.abc import Iterator, Sequence

from supersparse.card.card import Card
from supersparse.card.rules import Domain, IsMissing, category_text
from supersparse.data.plain import visible
from supersparse.exact import shown
from supersparse.faces.naming import class_names
from supersparse.report.blocks import Bullets, Paragraph, Section, TableBlock, column_name, counted, rate
from supersparse.report.evidence import Evidence
from supersparse.report.plan import Absent

_FEW_EVENTS = 100  # fewer in the smaller class make a validation imprecise (Vergouwe et al. 2005)


def limits(evidence: Evidence) -> Section:
    """TRIPOD asks for limitations (18), interpretation (19) and implications (20)."""
    return Section(
        name="limits",
        title="Limits of use",
        tripod=("18", "19b", "20"),
        blocks=(Bullets(tuple(_sentences(evidence))),),
    )


def _sentences(evidence: Evidence) -> Iterator[str]:
    card, confusion = evidence.card, evidence.evaluation.confusion
    negative, positive = class_names(card)
    yield (
        f"The card says {positive} or {negative}. It does not say why, and it does not say what to do: "
        "points are not causes, and lowering them need not lower the risk."
    )
    yield from _ranges(card)
    yield from _missing(card)
    if card.cutoff.tie_is_wrong:
        yield (
            f"A total of exactly {shown(card.threshold)} is given {negative}. While learning it counted as "
            f"wrong for both classes; {_at_threshold(evidence)} of these rows have it."
        )
    yield (
        f"{positive} has a share of {rate(confusion.prevalence)} in these rows. Where it is rarer or more "
        "frequent, predictive values and risks differ from those here; sensitivity and specificity may, "
        "too."
    )
    yield (
        f"The threshold ({card.cutoff.positive}) weighs both kinds of error as it was asked to; another may "
        "suit other costs."
    )
    smaller = min(confusion.n_positive, confusion.n_negative)
    if smaller < _FEW_EVENTS:
        yield (
            f"The smaller class has {shown(smaller)} rows. With fewer than {_FEW_EVENTS} the measures are "
            "imprecise: read their intervals, not their values."
        )
    yield from _validated(evidence)
    if card.risk is None:
        yield "The card itself holds no risks; those in this report come from these rows alone."
    else:
        yield "A risk above 0.5 and the class may differ: the class follows from the threshold alone."
    if evidence.data.weights is not None:
        yield (
            "Rows are weighted. Intervals treat a weight as a number of rows, which may be too sure of "
            "itself."
        )


def _ranges(card: Card) -> Iterator[str]:
    for domain in card.domains:
        then = "is refused" if domain.outside == "refuse" else "is scored all the same, without any evidence"
        yield f"{column_name(domain.column)} is known {_known(domain)}; a value outside {then}."
    unknown = [c for c in card.columns if c not in {d.column for d in card.domains}]
    if unknown:
        yield f"The card does not say which values it knows of {', '.join(map(column_name, unknown))}."


def _known(domain: Domain) -> str:
    if domain.values is not None:
        return "as " + visible(", ".join(map(category_text, domain.values)))
    ends = [
        f"{word} {shown(end)}" for word, end in (("from", domain.low), ("to", domain.high)) if end is not None
    ]
    return " ".join([*ends, *(["in whole numbers"] if domain.whole else [])])


def _missing(card: Card) -> Iterator[str]:
    refused = [i for i in card.items if i.missing is None and not isinstance(i.rule, IsMissing)]
    given = [i for i in card.items if i.missing is not None]
    if refused:
        columns = dict.fromkeys(item.column for item in refused)
        yield f"It cannot be used without a value of {', '.join(map(column_name, columns))}."
    for item in given:
        assert item.missing is not None
        yield (
            f"A missing value of {column_name(item.column)} gives {shown(item.missing)} in "
            f"{visible(item.name)}."
        )


def _at_threshold(evidence: Evidence) -> str:
    c = evidence.evaluation.confusion
    zeros = c.zero_positives + c.zero_negatives
    return "none" if zeros == 0 else shown(zeros)


def _validated(evidence: Evidence) -> Iterator[str]:
    if evidence.same_rows is False:
        yield (
            "It was judged on one set of other rows. Whether these are from another place, time or kind of "
            "people is for the authors to say."
        )
    else:
        yield "It has not been validated on rows from another place, time or kind of people."
    made = evidence.card.provenance
    if made is not None and not made.proven_optimal:
        yield "A better card for the training rows may exist: the search ended before that was ruled out."
    if not isinstance(evidence.stability, Absent):
        found = evidence.stability
        if 2 * found.same_items < found.samples:
            yield (
                f"Chance decided much of its items: they came back together in {found.same_items} of "
                f"{counted(found.samples, 'bootstrap sample')}. Other cards may do as well."
            )


_BY_AUTHORS = "to be added by the authors"

# Collins GS, Reitsma JB, Altman DG, Moons KGM. Ann Intern Med 2015;162:55-63; wordings shortened.
ITEMS = {
    "1": "title",
    "2": "abstract",
    "3a": "background and existing models",
    "3b": "objectives",
    "4a": "study design or source of data",
    "4b": "study dates",
    "5a": "setting, number and location of centres",
    "5b": "eligibility of participants",
    "5c": "treatments received",
    "6a": "outcome, how and when assessed",
    "6b": "blinding of the outcome's assessment",
    "7a": "predictors, how and when measured",
    "7b": "blinding of the predictors' assessment",
    "8": "study size",
    "9": "missing data",
    "10a": "handling of predictors",
    "10b": "type of model, building, internal validation",
    "10c": "for validation: how predictions were calculated",
    "10d": "measures of performance",
    "10e": "model updating",
    "11": "risk groups",
    "12": "development against validation: differences",
    "13a": "flow of participants",
    "13b": "characteristics of participants",
    "13c": "for validation: comparison with development data",
    "14a": "number of participants and events",
    "14b": "unadjusted associations",
    "15a": "full model",
    "15b": "how to use the model",
    "16": "performance with intervals",
    "17": "model updating: results",
    "18": "limitations",
    "19a": "for validation: results against development",
    "19b": "interpretation",
    "20": "clinical use and implications",
    "21": "supplementary information",
    "22": "funding",
}


def checklist(sections: Sequence[Section]) -> Section:
    """Say of every item where it is answered, from what the sections themselves say."""
    places: dict[str, list[str]] = {}
    for section in sections:
        for item in section.tripod:
            places.setdefault(item, []).append(section.title)
    rows = tuple(
        (item, words, "; ".join(places[item]) if item in places else _BY_AUTHORS)
        for item, words in ITEMS.items()
    )
    return Section(
        name="tripod",
        title="TRIPOD checklist",
        tripod=(),
        blocks=(
            Paragraph(
                "A program sees the card and the rows. How people were chosen, treated and followed it "
                "cannot see; an item that is named here may need more from the authors, too."
            ),
            TableBlock(
                caption="Items of TRIPOD (2015) and where this report speaks of them",
                header=("item", "what it asks", "where"),
                rows=rows,
                text_columns=3,
            ),
        ),
    )
