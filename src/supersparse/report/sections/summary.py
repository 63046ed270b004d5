"""The report on one page: what the card is, what is known of it, and what is missing."""

from supersparse.render.content import content
from supersparse.render.facts import facts
from supersparse.render.plain import visible
from supersparse.report.blocks import Block, Bullets, Paragraph, Section, Table
from supersparse.report.evidence import Evidence
from supersparse.report.plan import Missing
from supersparse.report.stability import Stability
from supersparse.report.validation import CrossValidation
from supersparse.report.words import count, error_rate, rate, share


def summary(evidence: Evidence, missing: tuple[str, ...]) -> Section:
    """TRIPOD asks for a title (1) and an abstract (2)."""
    blocks: list[Block] = [
        Table(
            caption="At a glance", header=("question", "answer"), rows=tuple(_rows(evidence)), text_columns=2
        )
    ]
    if missing:
        blocks += [Paragraph("Not in this report:", strong=True), Bullets(missing)]
    return Section(name="summary", title="Summary", tripod=("1", "2"), blocks=tuple(blocks))


def _rows(evidence: Evidence) -> list[tuple[str, str]]:
    card, found = evidence.card, evidence.evaluation
    rows = [
        ("What is it for?", content(card).rule),
        ("What does it need?", _needs(evidence)),
        ("Judged on", _judged_on(evidence)),
        ("Proven?", dict(facts(card)).get("Proof", "no: it was written by hand")),
        ("Wrong on these rows", rate(error_rate(found.confusion))),
        (
            "Sensitivity, specificity, AUC",
            f"{rate(found.confusion.sensitivity)}, {rate(found.confusion.specificity)}, {found.auc}",
        ),
    ]
    validation = evidence.validation
    if isinstance(validation, CrossValidation):
        spread = validation.spread("error rate")
        assert spread is not None, "a fold has rows, and so an error rate"
        sd = "" if spread.sd is None else f" \u00b1 {spread.sd:.3f}"
        rows.append(("Wrong on rows not seen", f"{spread.mean:.3f}{sd} (cross-validated)"))
    stability = evidence.stability
    if isinstance(stability, Stability):
        rows.append(
            (
                "Would chance change it?",
                f"the same items came back in {share(stability.same_items, stability.samples)} bootstrap "
                "samples",
            )
        )
    return rows


def _needs(evidence: Evidence) -> str:
    card = evidence.card
    if not card.items:
        return "nothing: it gives everyone the same class"
    names = ", ".join(visible(column) or '""' for column in card.columns)
    return f"{count(len(card.items), 'item')} on {names}"


def _judged_on(evidence: Evidence) -> str:
    c = evidence.evaluation.confusion
    kind = {
        True: "the training rows",
        False: "other rows than those of training",
        None: "rows of unknown relation",
    }
    return (
        f"{count(len(evidence.data), 'row')}, {share(c.n_positive, c.n)} positive; {kind[evidence.same_rows]}"
    )


def missing_parts(evidence: Evidence) -> tuple[str, ...]:
    """Every part that could not be had, and why."""
    parts = {
        "the check of the claims": evidence.recheck,
        "the frontier of sizes": evidence.frontier,
        "cross-validation": evidence.validation,
        "stability": evidence.stability,
        "the bounds of theory": evidence.bounds,
    }
    found = [f"{what}: {visible(part.reason)}" for what, part in parts.items() if isinstance(part, Missing)]
    for what, done in (("cross-validation", evidence.validation), ("stability", evidence.stability)):
        if isinstance(done, CrossValidation | Stability) and done.stopped:
            found.append(f"a part of {what}: the work was stopped by the user before it was done")
    return tuple(found)
