"""The summary, the scoring system, how it was made, and the limits of its use."""

from collections.abc import Iterator
from fractions import Fraction
from math import log

from supersparse.base.exact import counted, shown
from supersparse.base.stop import Stop
from supersparse.card.card import Card, Cutoff
from supersparse.card.evidence import WEIGHTED_RISKS, facts
from supersparse.card.lines import class_names, with_class_names
from supersparse.card.provenance import Provenance
from supersparse.card.risk import risk_of
from supersparse.card.rules import Domain
from supersparse.card.words import category_text
from supersparse.show.document.blocks import Block, Bullets, CardFace, Paragraph, TableBlock, section
from supersparse.show.document.content import content_of, counted_points
from supersparse.show.document.sizes import sizes_table
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.folds import MEASURES, CrossValidation, Stability, Trades, baseline
from supersparse.show.report.phrases import error_rate, item_name, rate, share
from supersparse.show.report.plan import Absent
from supersparse.table.plain import quoted, visible

_TYPE_OF_MODEL = "scoring system: add up the points and compare the total with a threshold"
_TYPE_OF_RISK_MODEL = "risk score: add up the points; the total gives a risk, and by a threshold a class"


@section("model", "The scoring system", "15", "22", "27b")
def model(evidence: Evidence) -> Iterator[Block]:
    """TRIPOD+AI asks for the full model (22), its output (15) and what users have to do (27b)."""
    card = evidence.card
    content = content_of(card)
    yield CardFace(card)
    if content.parts:
        yield Paragraph("How to use it:")
        yield Bullets((content.how, *(f"A total of {totals}: predict {name}." for totals, name in content.results)))
    if card.risk is None:
        yield Paragraph("The card predicts a class, not a risk. Observed risks by total are shown below.")


@section("making", "How it was made", "9a", "12b", "12c", "13")
def making(evidence: Evidence) -> Iterator[Block]:
    """TRIPOD+AI asks for candidates (9a), their handling (12b), model building (12c), class weights (13)."""
    made = evidence.card.provenance
    if made is None:
        yield Paragraph("The card was written by hand, so there is no record of how it was made.")
        if evidence.card.source is not None:
            yield Paragraph(f"Its source: {visible(evidence.card.source)}")
    else:
        stop = Stop.__members__.get(made.stop)
        rows = [
            ("type of model", _TYPE_OF_RISK_MODEL if evidence.is_risk else _TYPE_OF_MODEL),
            ("minimised", with_class_names(evidence.card, made.minimised)),
            ("allowed", visible(made.allowed)),
            *_ties(made, evidence.card.cutoff),
            *(("edited", text) for label, text in facts(evidence.card) if label == "Edited"),
            ("training rows", f"{made.n_rows} (total weight {shown(made.total_weight)})"),
            ("fingerprint", visible(made.data or "not recorded")),
            ("candidate features", "not recorded" if made.features is None else f"{len(made.features)}"),
            ("features used", _size(evidence.card)),
            ("solver", visible(made.solver)),
            ("seed", _seed(evidence)),
            ("stopped because", visible(made.stop) if stop is None else stop.value),
            ("search", f"{counted(made.nodes, 'node')} in {made.seconds:.1f} s"),
            ("software", f"supersparse {visible(made.version)}"),
        ]
        yield TableBlock(caption="Settings and search", header=("setting", "value"), rows=tuple(rows), text_columns=2)
        if made.features:
            yield Paragraph(f"Candidate features: {', '.join(map(item_name, made.features))}.")


def _size(card: Card) -> str:
    if card.provenance is not None and card.provenance.asks_questions:
        return counted(len({item.column for item in card.as_learned.items}), "question")
    return f"{counted(len(card.as_learned.items), 'feature')}, {card.size_with_intercept} with the intercept"


def _ties(made: Provenance, cutoff: Cutoff) -> list[tuple[str, str]]:
    if made.half_was_wrong:
        return [("ties", "in training, a risk of exactly one half counted as wrong for both classes")]
    if cutoff.tie is None:
        return []
    return [("ties", "in training, a total equal to the threshold counted as wrong for both classes")]


def _seed(evidence: Evidence) -> str:
    refit = evidence.refit
    seed = None if isinstance(refit, Absent) else refit.settings.solve.get("random_state")
    return "not recorded" if seed is None else str(seed)


@section("summary", "Summary", "2")
def summary(evidence: Evidence, missing: tuple[str, ...]) -> Iterator[Block]:
    """TRIPOD+AI asks for an abstract (2)."""
    yield TableBlock(caption="At a glance", header=("question", "answer"), rows=tuple(_rows(evidence)), text_columns=2)
    by_size = sizes_table(evidence.card)
    if by_size is not None:
        yield by_size
    if missing:
        yield Paragraph("Not in this report:", look="strong")
        yield Bullets(missing)


def _rows(evidence: Evidence) -> list[tuple[str, str]]:
    card, evaluation = evidence.card, evidence.evaluation
    rows = [
        ("What is it for?", content_of(card).rule),
        ("What does it need?", _needs(evidence)),
        ("Evaluated on", _judged_on(evidence)),
        ("Proven?", _proof(evidence)),
        ("Error rate on these rows", rate(error_rate(evaluation.confusion))),
        (
            "Sensitivity, specificity, AUC",
            f"{rate(evaluation.confusion.sensitivity)}, {rate(evaluation.confusion.specificity)}, {evaluation.auc}",
        ),
    ]
    rows += _fixed_answer(evidence)
    validation, stability = evidence.validation, evidence.stability
    if isinstance(validation, CrossValidation):
        spread = validation.spread("error rate")
        assert spread is not None, "a fold has rows, and so an error rate"
        sd = "" if spread.sd is None else f" \u00b1 {spread.sd:.3f}"
        rows.append(("Error rate on unseen rows", f"{spread.mean:.3f}{sd} (cross-validated)"))
    if isinstance(stability, Stability):
        rows += [
            ("Corrected for optimism", _corrected(evidence, stability)),
            (
                "Is it stable?",
                f"the same items recurred in {share(stability.same_items, stability.samples)} bootstrap samples",
            ),
        ]
    return rows


def _fixed_answer(evidence: Evidence) -> list[tuple[str, str]]:
    """The baseline to beat: a card of risks the log loss of the prevalence, others the commoner class."""
    evaluation = evidence.evaluation
    if not evidence.is_risk or evaluation.forecasts is None:
        fixed = baseline(evaluation.confusion)[0]
        return [("Error rate of a fixed answer", f"{fixed:.3f} (always the commoner class)")]
    share = float(evaluation.confusion.n_positive / evaluation.confusion.n)
    fixed = -sum(part * log(part) for part in (share, 1 - share) if part)
    return [
        ("Log loss on these rows", f"{evaluation.forecasts.log_loss:.4f}"),
        ("Log loss of a fixed answer", f"{fixed:.4f} (the prevalence as everyone's risk)"),
    ]


def _proof(evidence: Evidence) -> str:
    proof = dict(facts(evidence.card)).get("Proof", "no: it was written by hand")
    return f"{proof} One was found for this report: see the table of sizes" if evidence.beaten else proof


def _corrected(evidence: Evidence, stability: Stability) -> str:
    """Error rate, AUC and calibration slope, minus their optimism."""
    corrected = []
    for measure in ("error rate", "AUC", "calibration slope"):
        k = MEASURES.index(measure)
        apparent, optimism = evidence.apparent.values[k], stability.optimism[k]
        if apparent is not None and optimism is not None:
            corrected.append(f"{measure} {apparent - optimism:.3f}")
    return f"{', '.join(corrected)} (bootstrap, {counted(stability.samples, 'sample')})"


def _needs(evidence: Evidence) -> str:
    card = evidence.card
    if not card.items:
        return "nothing: it predicts the same class for everyone"
    names = ", ".join(visible(column) or '""' for column in card.columns)
    return f"{counted(len(card.items), 'item')} on {names}"


def _judged_on(evidence: Evidence) -> str:
    c = evidence.evaluation.confusion
    kind = "the training rows" if evidence.same_rows else "not known whether they are new to the card"
    return f"{counted(len(evidence.data), 'row')}, {share(c.n_positive, c.n)} positive; {kind}"


def missing_parts(evidence: Evidence) -> tuple[str, ...]:
    parts = {
        "the check of the claims": evidence.recheck,
        "the frontier of sizes": evidence.frontier,
        "cross-validation": evidence.validation,
        "trade-offs": evidence.trades,
        "stability": evidence.stability,
        "theoretical bounds": evidence.bounds,
    }
    missing = [f"{what}: {visible(part.reason)}" for what, part in parts.items() if isinstance(part, Absent)]
    for what, done in parts.items():
        if isinstance(done, CrossValidation | Trades | Stability):
            if done.stopped:
                missing.append(f"part of {what}: stopped by the user")
            elif done.timed_out:
                missing.append(f"part of {what}: {done.done} of {done.asked} when its time was used up")
    return tuple(missing)


_FEW_EVENTS = 100  # fewer in the smaller class make a validation imprecise (Vergouwe et al. 2005)


@section("limits", "Limits of use", "26", "27a")
def limits(evidence: Evidence) -> Iterator[Block]:
    """TRIPOD+AI asks for limitations (26) and for what unusable input does (27a)."""
    yield Bullets(tuple(_sentences(evidence)))


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
        zeros = confusion.zero_positives + confusion.zero_negatives
        yield (
            f"A total of exactly {shown(card.cutoff.tie)} predicts {negative}. In training it counted as "
            f"wrong for both classes; {shown(zeros) if zeros else 'none'} of these rows have this total."
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
    refit = evidence.refit
    if evidence.is_risk and not isinstance(refit, Absent) and len({*refit.problem.class_weights}) == 2:
        yield f"{WEIGHTED_RISKS.capitalize()}; see the calibration."
    if evidence.data.weights is not None:
        yield ("Rows are weighted. Intervals treat a weight as a number of rows, so they may be too narrow.")


def _risk_threshold(card: Card) -> str:
    """The risk above which a card of goal risk predicted the positive class when it was learned."""
    assert card.provenance is not None, "it says the goal"
    threshold = (card.provenance.settings or {}).get("risk_threshold")
    return "0.5" if threshold is None else str(threshold)


def _class_follows_risk(evidence: Evidence) -> str | None:
    """The risk threshold of a risk card, where its classes still are those of its risks; else None."""
    card = evidence.card
    if not evidence.is_risk or card.risk is None:
        return None
    at = _risk_threshold(card)
    totals = evidence.evaluation.tally.totals
    agree = all((risk_of(card.risk, t) > Fraction(at)) == card.cutoff.includes(t) for t in totals)
    return at if agree else None


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
    when_missing: dict[str, Fraction] = {}
    refused: dict[str, None] = {}
    for item in card.items:
        if item.when_missing is None:
            refused[item.column] = None
        else:
            when_missing[item.column] = when_missing.get(item.column, Fraction(0)) + item.when_missing
    if refused:
        yield f"The card needs a value of {', '.join(map(quoted, refused))}."
    for column, total in when_missing.items():
        if column not in refused:
            yield f"A missing value of {quoted(column)} gives {counted_points(total)}."


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
    counts = dict(facts(evidence.card)).get("Counts")
    if counts is not None:
        yield f"The card was {counts}."
    if not isinstance(evidence.stability, Absent):
        stability = evidence.stability
        if 2 * stability.same_items < stability.samples:
            yield (
                f"The choice of items depends much on chance: the same set recurred in {stability.same_items} of "
                f"{counted(stability.samples, 'bootstrap sample')}. Other cards may do as well."
            )
