"""The summary, the scoring system, and how it was made."""

from math import log

from supersparse.base.exact import counted, shown
from supersparse.base.stop import Stop
from supersparse.card.card import Cutoff
from supersparse.card.evidence import facts
from supersparse.card.lines import with_class_names
from supersparse.card.provenance import Provenance
from supersparse.show.document.content import content_of
from supersparse.show.report.blocks import (
    Block,
    Bullets,
    CardFace,
    Paragraph,
    Section,
    TableBlock,
    error_rate,
    item_name,
    rate,
    share,
)
from supersparse.show.report.bootstrap import Stability
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.folds import MEASURES, CrossValidation, Trades, baseline
from supersparse.show.report.plan import Absent
from supersparse.table.plain import visible

_TYPE_OF_MODEL = "scoring system: add up the points and compare the total with a threshold"
_TYPE_OF_RISK_MODEL = "risk score: add up the points; the total gives a risk, and by a threshold a class"


def model(evidence: Evidence) -> Section:
    """TRIPOD+AI asks for the full model (22), its output (15) and what users have to do (27b)."""
    card = evidence.card
    content = content_of(card)
    blocks: list[Block] = [CardFace(card)]
    if content.parts:
        steps = (content.how, *(f"A total of {totals}: predict {name}." for totals, name in content.results))
        blocks += [Paragraph("How to use it:"), Bullets(steps)]
    if card.risk is None:
        blocks.append(Paragraph("The card predicts a class, not a risk. Observed risks by total are shown below."))
    return Section(name="model", title="The scoring system", tripod=("15", "22", "27b"), blocks=tuple(blocks))


def making(evidence: Evidence) -> Section:
    """TRIPOD+AI asks for candidates (9a), their handling (12b), model building (12c), class weights (13)."""
    made = evidence.card.provenance
    blocks: list[Block] = []
    if made is None:
        blocks.append(Paragraph("The card was written by hand, so there is no record of how it was made."))
        if evidence.card.source is not None:
            blocks.append(Paragraph(f"Its source: {visible(evidence.card.source)}"))
    else:
        stop = Stop.__members__.get(made.stop)
        rows = [
            ("type of model", _TYPE_OF_RISK_MODEL if evidence.is_risk else _TYPE_OF_MODEL),
            ("minimised", with_class_names(evidence.card, made.minimised)),
            ("allowed", visible(made.allowed)),
            *_ties(made, evidence.card.cutoff),
            *_edits(evidence),
            ("training rows", f"{made.n_rows} (total weight {shown(made.total_weight)})"),
            ("fingerprint", visible(made.data or "not recorded")),
            ("candidate features", "not recorded" if made.features is None else f"{len(made.features)}"),
            ("features used", dict(facts(evidence.card))["Size"]),
            ("solver", visible(made.solver)),
            ("seed", _seed(evidence)),
            ("stopped because", visible(made.stop) if stop is None else stop.value),
            ("search", f"{counted(made.nodes, 'node')} in {made.seconds:.1f} s"),
            ("software", f"supersparse {visible(made.version)}"),
        ]
        blocks.append(
            TableBlock(caption="Settings and search", header=("setting", "value"), rows=tuple(rows), text_columns=2)
        )
        if made.features:
            names = [item_name(name) for name in made.features]
            blocks.append(Paragraph(f"Candidate features: {', '.join(names)}."))
    return Section(name="making", title="How it was made", tripod=("9a", "12b", "12c", "13"), blocks=tuple(blocks))


def _ties(made: Provenance, cutoff: Cutoff) -> list[tuple[str, str]]:
    if made.half_was_wrong:
        return [("ties", "in training, a risk of exactly one half counted as wrong for both classes")]
    if cutoff.tie is None:
        return []
    return [("ties", "in training, a total equal to the threshold counted as wrong for both classes")]


def _edits(evidence: Evidence) -> list[tuple[str, str]]:
    return [("edited", text) for label, text in facts(evidence.card) if label == "Edited"]


def _seed(evidence: Evidence) -> str:
    refit = evidence.refit
    seed = None if isinstance(refit, Absent) else refit.settings.solve.get("random_state")
    return "not recorded" if seed is None else str(seed)


def summary(evidence: Evidence, missing: tuple[str, ...]) -> Section:
    """TRIPOD+AI asks for an abstract (2)."""
    blocks: list[Block] = [
        TableBlock(caption="At a glance", header=("question", "answer"), rows=tuple(_rows(evidence)), text_columns=2)
    ]
    if missing:
        blocks += [Paragraph("Not in this report:", strong=True), Bullets(missing)]
    return Section(name="summary", title="Summary", tripod=("2",), blocks=tuple(blocks))


def _rows(evidence: Evidence) -> list[tuple[str, str]]:
    card, found = evidence.card, evidence.evaluation
    rows = [
        ("What is it for?", content_of(card).rule),
        ("What does it need?", _needs(evidence)),
        ("Evaluated on", _judged_on(evidence)),
        ("Proven?", _proof(evidence)),
        ("Error rate on these rows", rate(error_rate(found.confusion))),
        (
            "Sensitivity, specificity, AUC",
            f"{rate(found.confusion.sensitivity)}, {rate(found.confusion.specificity)}, {found.auc}",
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
    """What the card must beat: a card of risks the log loss of the prevalence, others the commoner class."""
    found = evidence.evaluation
    if not evidence.is_risk or found.forecasts is None:
        fixed = baseline(found.confusion)[0]
        return [("Error rate of a fixed answer", f"{fixed:.3f} (always the commoner class)")]
    share = float(found.confusion.n_positive / found.confusion.n)
    fixed = -sum(part * log(part) for part in (share, 1 - share) if part)
    return [
        ("Log loss on these rows", f"{found.forecasts.log_loss:.4f}"),
        ("Log loss of a fixed answer", f"{fixed:.4f} (the prevalence as everyone's risk)"),
    ]


def _proof(evidence: Evidence) -> str:
    told = dict(facts(evidence.card)).get("Proof", "no: it was written by hand")
    return f"{told}. One was found for this report: see the table of sizes" if evidence.beaten else told


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
    found = [f"{what}: {visible(part.reason)}" for what, part in parts.items() if isinstance(part, Absent)]
    for what, done in parts.items():
        if isinstance(done, CrossValidation | Trades | Stability):
            if done.stopped:
                found.append(f"part of {what}: stopped by the user")
            elif done.timed_out:
                found.append(f"part of {what}: {done.done} of {done.asked} when its time was used up")
    return tuple(found)
