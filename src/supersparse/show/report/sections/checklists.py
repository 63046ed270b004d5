"""TRIPOD+AI and PROBAST+AI: what the report covers or knows of each item, and what the authors add."""

import json
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files

from supersparse.base.exact import counted, shown
from supersparse.card.lines import with_class_names
from supersparse.show.document.blocks import Block, Paragraph, Section, TableBlock, section
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.folds import CrossValidation, Stability
from supersparse.show.report.phrases import NONE, PROBAST, TRIPOD
from supersparse.show.report.plan import Absent
from supersparse.table.plain import quoted, visible
from supersparse.table.small_table import number

_TEXTS = files("supersparse.show.report.sections")
# Collins GS, et al. BMJ 2024;385:e078378. Numbers and topics are theirs; what the authors have to add to
# this report is in our words. D: of the development of a model; E: of its evaluation.
ITEMS: dict[str, tuple[str, str, str]] = json.loads(_TEXTS.joinpath("tripod.json").read_text(encoding="utf-8"))
# A signalling question in our words, and what is known about it (a function below), or else what to ask the authors.
_SIGNALS: dict[str, list[dict[str, str]]] = json.loads(_TEXTS.joinpath("probast.json").read_text(encoding="utf-8"))
_ASK = "to be answered by the authors: "


@section("tripod", "TRIPOD+AI checklist")
def tripod(sections: Sequence[Section]) -> Iterator[Block]:
    """List where each item is covered, as declared by the sections."""
    places: dict[str, list[str]] = {}
    for page in sections:
        for one in page.tripod:
            places.setdefault(one, []).append(page.title)
    rows = tuple(
        (one, topic, applies, "; ".join(places.get(one, [NONE])), authors)
        for one, (applies, topic, authors) in ITEMS.items()
    )
    yield Paragraph(
        "A program sees the card and the rows, not how people were selected, treated and followed up. The authors "
        "fill in the last column, also where a section of this report covers part of the item already. Topics are "
        f"paraphrased; use the original checklist for a submission: {TRIPOD}"
    )
    yield TableBlock(
        caption="TRIPOD+AI items, where this report covers them, and what is left to the authors",
        header=("item", "topic", "for", "in this report", "to be filled in by the authors"),
        rows=rows,
        text_columns=5,
        notes=("For: D, development of a model; E, evaluation; D;E, both.",),
    )


@section("probast", "PROBAST+AI appendix")
def probast(evidence: Evidence) -> Iterator[Block]:
    """Two tables, development and evaluation, with four domains each."""
    yield Paragraph(
        "Prefilled with what the card and the rows show. The judgement is the assessors': answer each question with "
        "yes, probably yes, probably no, no or no information, then rate each domain, and for the first three domains "
        "the applicability to the intended use. Questions are paraphrased; use the original tool: " + PROBAST
    )
    for caption, analysis in (
        ("Development of the model: quality", "Development"),
        ("Evaluation of the model: risk of bias", "Evaluation"),
    ):
        rows = []
        for k, domain in enumerate(("Participants and data sources", "Predictors", "Outcome", "Analysis"), start=1):
            rows.append((str(k), domain.upper(), "", ""))
            for n, signal in enumerate(_SIGNALS[analysis if domain == "Analysis" else domain], start=1):
                known = _KNOWN[signal["known"]](evidence) if "known" in signal else _ASK + signal["ask"]
                rows.append((f"{k}.{n}", signal["question"], known, "............"))
        header = ("no.", "signalling question", "known from card and rows", "answer")
        yield TableBlock(caption=caption, header=header, rows=tuple(rows), text_columns=4)


def _similar(evidence: Evidence) -> str:
    made = evidence.card.provenance
    if made is None:
        return _ASK + "the card was written by hand; how were its cut points chosen?"
    return "Within this program, yes: the same rules for every row. " + _ASK + "preparation before the table was read"


def _available(evidence: Evidence) -> str:
    names = ", ".join(map(quoted, evidence.card.columns)) or "no column"
    return f"The card needs {names}. {_ASK}whether they are known when the card is used"


def _missing(evidence: Evidence) -> str:
    data = evidence.data
    if not data.missing:
        text = "No value that the card needs is missing in these rows."
    else:
        left = data.n_given - len(data)
        values = sum(n for _, n in data.missing)
        text = (
            f"{counted(values, 'value')} missing in {counted(len(data.missing), 'column')}; "
            f"{counted(left, 'row')} left out for it, the others scored by the card's own rule."
        )
    return f"{text} {_ASK}censoring, and rows left out before"


def _events(evidence: Evidence) -> str:
    confusion, made = evidence.evaluation.confusion, evidence.card.provenance
    smaller = min(confusion.n_positive, confusion.n_negative)
    text = f"{number(confusion.n)} rows, {number(smaller)} in the smaller class"
    if made is None or not made.features:
        return f"{text}. {_ASK}a sample size calculation"
    each = float(smaller) / len(made.features)
    return (
        f"{text}; {counted(len(made.features), 'candidate feature')}, so {each:.1f} rows of the smaller "
        f"class for each. {_ASK}a sample size calculation"
    )


def _handling(evidence: Evidence) -> str:
    cut = [item for item in evidence.card.items if item.is_yes_no]
    if not cut:
        return "Numbers enter as they are, in a straight line; no shape other than that was possible."
    where = "cut points were fixed beforehand"
    if not isinstance(evidence.refit, Absent) and evidence.refit.cut_points_fitted:
        where = "cut points were learned from the rows"
        if not (isinstance(evidence.validation, Absent) and isinstance(evidence.stability, Absent)):
            where += ", again in each fold and sample"
    return (
        f"{len(cut)} of {counted(len(evidence.card.items), 'item')} are yes/no questions; {where}. Cutting "
        "numbers loses information: it is the price of a card that is added up by hand."
    )


def _imbalance(evidence: Evidence) -> str:
    if isinstance(evidence.refit, Absent):
        return _ASK + "whether classes were weighted"
    negative, positive = evidence.refit.problem.class_weights
    if negative == positive:
        what = "classes" if evidence.is_risk else "kinds of error"
        return f"Not applicable: both {what} had the same weight, and no rows were resampled."
    if evidence.is_risk:
        return (
            f"Rows were weighted {shown(negative)} (negative) and {shown(positive)} (positive) in the log "
            "loss; no rows were resampled. The risks follow these weights, and were not recalibrated."
        )
    return (
        f"Errors were weighted {shown(negative)} (negative) and {shown(positive)} (positive); no rows were "
        "resampled. Risks are fitted to the rows as they are, without these weights."
    )


def _imbalance_in_evaluation(evidence: Evidence) -> str:
    text = _imbalance(evidence)
    if text.startswith((_ASK, "Not")):
        return text
    return "Yes: all measures of how well the card does count the rows as they are, without class weights."


def _overfitting(evidence: Evidence) -> str:
    made = evidence.card.provenance
    if made is None:
        return _ASK + "how the card was made"
    tried = f"Settings limit it: {visible(made.allowed)}; {with_class_names(evidence.card, made.minimised)}."
    if evidence.is_edited:
        tried += " The card was then edited by hand, and the edits were not judged on held-out rows."
    if isinstance(evidence.stability, Stability):
        tried += f" Optimism was measured on {counted(evidence.stability.samples, 'bootstrap sample')}."
    return tried


def _beyond_apparent(evidence: Evidence) -> str:
    done = []
    if isinstance(evidence.validation, CrossValidation):
        done.append(f"cross-validation in {counted(evidence.validation.done, 'fold')}")
    if isinstance(evidence.stability, Stability):
        done.append(f"optimism from {counted(evidence.stability.samples, 'bootstrap sample')}")
    if done:
        return f"Yes: {'; '.join(done)}."
    only = "only performance on these rows is reported"
    if evidence.same_rows:
        return f"No: {only}, which are the training rows."
    return f"Not known: {only}. {_ASK}whether these are other people than in the training rows"


def _leakage(evidence: Evidence) -> str:
    if not isinstance(evidence.validation, CrossValidation):
        return "Not applicable: the rows were not split."
    kept = (
        f"Rows of one {quoted(evidence.cv_groups)} stayed in one fold."
        if evidence.cv_groups is not None
        else "Rows were taken as independent: name the column of repeated people with --cv-groups."
    )
    return f"Features, cut points, points and risks were learned without the fold they are judged on. {kept}"


def _replicated(evidence: Evidence) -> str:
    if isinstance(evidence.validation, Absent) and isinstance(evidence.stability, Absent):
        return "Not applicable: nothing was learned again."
    return (
        "Cut points, choice of questions, points, threshold and risks: yes. The settings (C0, limits, "
        f"constraints) were taken as fixed. {_ASK}whether they were chosen on these rows"
    )


def _measured(evidence: Evidence) -> str:
    return (
        "Discrimination (AUC, sensitivity, specificity), calibration (slope, groups, Brier score) and net "
        "benefit are in this report, with intervals."
        + ("" if evidence.card.risk is not None else " The card itself gives a class, not a risk.")
    )


_KNOWN: dict[str, Callable[[Evidence], str]] = {
    one.__name__.lstrip("_"): one
    for one in (
        *(_similar, _available, _events, _handling, _missing, _imbalance, _imbalance_in_evaluation),
        *(_overfitting, _beyond_apparent, _leakage, _replicated, _measured),
    )
}
