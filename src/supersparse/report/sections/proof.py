"""What was proven: the claim recomputed, the frontier of sizes, and the bounds of the theory."""

from supersparse.card.provenance import Provenance
from supersparse.data.plain import visible
from supersparse.evaluate.rates import count_text
from supersparse.exact import shown
from supersparse.faces.evidence import facts
from supersparse.report.blocks import NONE, Block, Bullets, Figure, Paragraph, Section, TableBlock, why
from supersparse.report.evidence import Evidence
from supersparse.report.learning import Recheck
from supersparse.report.plan import Absent
from supersparse.results.frontier import Frontier, FrontierRow
from supersparse.theory.bounds import Bound


def proof(evidence: Evidence) -> Section:
    """Whether anything allowed could be better, and whether the card's own numbers come out again."""
    made = evidence.card.provenance
    blocks: list[Block] = []
    if made is None:
        blocks.append(Paragraph("Nothing was proven: the card was written by hand."))
    else:
        blocks.append(Paragraph(f"{dict(facts(evidence.card))['Proof']}.", strong=True))
        blocks.append(_verdict(evidence, made))
        if isinstance(evidence.recheck, Recheck):
            blocks.append(_compared(made, evidence.recheck))
    return Section(name="proof", title="What was proven", tripod=("10b",), blocks=tuple(blocks))


def _verdict(evidence: Evidence, made: Provenance) -> Paragraph:
    found = evidence.recheck
    if isinstance(found, Absent):
        return Paragraph(f"The claims could not be recomputed: {visible(found.reason)}.")
    if found.confirms(evidence.card):
        return Paragraph(
            "Confirmed: recomputed from these rows, the objective and both error counts are exactly those on "
            "the card, and the card satisfies all its constraints. The lower bound is the solver's; it was "
            "checked when the card was learned."
        )
    if evidence.same_rows:
        broken = "" if found.obeys is None else f" {visible(found.obeys)}."
        return Paragraph(
            "NOT CONFIRMED: these are the training rows, but recomputing gives other numbers than those on "
            f"the card.{broken} The card was changed after it was learned; do not rely on its claims.",
            strong=True,
        )
    return Paragraph(
        "The claims refer to the training rows. These are other rows, so their numbers differ and neither "
        "confirm nor refute the proof."
    )


def _compared(made: Provenance, found: Recheck) -> TableBlock:
    def row(what: str, claimed: object, again: object) -> tuple[str, str, str, str]:
        return what, str(claimed), str(again), "yes" if claimed == again else "no"

    tie = "" if made.threshold_was_free else " (total = threshold is wrong)"
    return TableBlock(
        caption="The claims of the card, and the same numbers recomputed from these rows (exact fractions)",
        header=("what", "claimed", "recomputed", "equal"),
        rows=(
            row("objective", made.objective, found.objective),
            row(f"training errors{tie}", made.training_errors, found.training_errors),
            row("predicted errors", made.predicted_errors, found.predicted_errors),
            row("weight of rows", made.total_weight, found.n),
            ("lower bound, proven", str(made.lower_bound), NONE, NONE),
            ("gap", f"{float(made.gap):.6f}", NONE, NONE),
        ),
    )


def sizes(evidence: Evidence) -> Section:
    """What more or fewer features would give."""
    found = evidence.frontier
    blocks: list[Block] = []
    if isinstance(found, Absent):
        blocks.append(Paragraph(why(found)))
    else:
        blocks.append(
            Paragraph(
                "For each size the fewest errors that any allowed card makes on these rows, whatever "
                "features cost. \u201cProven\u201d means that no card of that size makes fewer."
            )
        )
        blocks.append(
            Figure(
                picture=found,
                caption="Training errors by size. Filled: proven; hollow: the best found.",
                alt="Step plot: " + "; ".join(_errors_at(row) for row in found.rows) + ".",
            )
        )
        blocks.append(_frontier_table(found))
    return Section(name="frontier", title="Size against errors", tripod=("10b",), blocks=tuple(blocks))


def _errors_at(row: FrontierRow) -> str:
    errors = "none found" if row.solution is None else count_text(row.solution.evaluation.training_errors)
    return f"at most {row.size} features: {errors} errors{'' if row.proven else ', not proven'}"


def _frontier_table(found: Frontier) -> TableBlock:
    rows = []
    for row in found.rows:
        model = row.solution
        points = (
            NONE
            if model is None
            else ", ".join(
                f"{shown(model.points.values[j])} {visible(model.problem.rows.names[j])}"
                for j in model.points.support
            )
            or "no features"
        )
        errors = NONE if model is None else count_text(model.evaluation.training_errors)
        rows.append((points, str(row.size), errors, "yes" if row.proven else "no"))
    return TableBlock(
        caption="The best card of each size",
        header=("points", "features at most", "training errors", "proven"),
        rows=tuple(rows),
        notes=()
        if found.problem.intercept.mode == "free"
        else ("Errors count a total equal to the threshold as wrong for both classes.",),
    )


def theory(evidence: Evidence) -> Section:
    """How far the true error rate can lie above that of training, by the paper's theorems."""
    found = evidence.bounds
    blocks: list[Block] = []
    if isinstance(found, Absent):
        blocks.append(Paragraph(why(found)))
    else:
        if any(isinstance(bound, Bound) for bound in found):
            blocks.append(
                Paragraph(
                    "Bounds on the error rate of new rows from the same source, which hold for every "
                    "allowed card at once and so for the one that was picked. They need independent rows, "
                    "and sets and limits that were chosen before the rows were looked at; they are wide."
                )
            )
        blocks.append(Bullets(tuple(visible(_sentence(bound.in_words())) for bound in found)))
    return Section(name="theory", title="Bounds by theory", tripod=("8", "16"), blocks=tuple(blocks))


def _sentence(words: str) -> str:
    text = words[:1].upper() + words[1:]
    return text if text.endswith(".") else f"{text}."
