"""The proof: the recomputed claims, the lowest loss for each size, and the theoretical bounds."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from supersparse.base.exact import counted, shown
from supersparse.card.evidence import facts
from supersparse.card.provenance import CertificateFile, Provenance
from supersparse.engine.answers.frontier import Frontier, FrontierRow
from supersparse.engine.answers.words import counts_errors, least_in_words, least_of, what_is_least
from supersparse.problem.losses import loss_of
from supersparse.problem.problem import Problem
from supersparse.problem.theory.bounds import Bound
from supersparse.show.document.blocks import Block, Bullets, Figure, Paragraph, Section, TableBlock, section
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.phrases import NONE, item_name, why
from supersparse.show.report.plan import Absent
from supersparse.show.report.proofs import Recheck
from supersparse.table.plain import visible
from supersparse.table.small_table import number


@section("proof", "What was proven", "12c")
def proof(evidence: Evidence) -> Iterator[Block]:
    """Whether a better card could exist, and whether the numbers on the card can be reproduced."""
    made = evidence.card.provenance
    if made is None:
        yield Paragraph("Nothing was proven, because the card was written by hand.")
        return
    yield Paragraph(dict(facts(evidence.card))["Proof"], look="strong")
    if evidence.proven_here:
        yield Paragraph("The card's file claims less: the searches for the table of sizes below proved the rest.")
    if made.projected is not None and not evidence.proven_here:
        expected = visible(made.projected)
        yield Paragraph(f"At its pace when the search ended, the proof was to be expected {expected}.")
    yield _verdict(evidence, made)
    if isinstance(evidence.recheck, Recheck):
        yield _compared(made, evidence.recheck)
    if made.certificate is not None:
        yield from _how_to_check(made.certificate)


def _how_to_check(certificate: CertificateFile) -> Iterator[Block]:
    file, checked_by = visible(certificate.file), [visible(name) for name in certificate.checked_by]
    yield Paragraph(
        "The proof is also a file, with which anyone can check it without trusting this software: "
        f"{file}, sha256 {certificate.sha256}."
    )
    yield Bullets(
        items=(
            f"Checked by {' and '.join(checked_by)}." if checked_by else "Not checked yet.",
            f"Check it with plain Python and no package: “python -I supersparse_check.py DATA CARD {file}”. The "
            "program has at most 500 lines, builds the question from the table, and prints PROVEN or the first thing "
            "that is wrong.",
            "Or with viprchk, a program by others: “supersparse certify CARD DATA --viprchk PROGRAM” gives it the same "
            "question and the lines of the proof.",
        )
    )


def _verdict(evidence: Evidence, made: Provenance) -> Paragraph:
    recheck = evidence.recheck
    if isinstance(recheck, Absent):
        return Paragraph(f"The claims could not be recomputed: {visible(recheck.reason)}.")
    if recheck.confirms(evidence.card):
        exactly = "exactly those on the card"
        if made.is_risk:
            exactly = "those on the card, the log loss to ten decimals"
        return Paragraph(
            f"Confirmed: recomputed from these rows, the objective and both error counts are {exactly}, and the card "
            "satisfies all its constraints. The lower bound is the solver's; it was checked when the card was learned."
        )
    if evidence.is_edited and recheck.has_numbers_of(made) and recheck.is_printed_as_learned:
        return Paragraph(
            "Recomputed from these rows, the objective and both error counts are those on the card. The "
            f"edits by hand broke what the settings ask for: {visible(recheck.obeys or '')}."
        )
    if evidence.same_rows:
        broken = "" if recheck.broken is None else f" {visible(recheck.broken)}."
        return Paragraph(
            "NOT CONFIRMED: these are the training rows, but the recomputed numbers differ from those on "
            f"the card.{broken} The card was changed after it was learned; do not rely on its claims.",
            look="strong",
        )
    return Paragraph(
        "The claims refer to the training rows. It is not known that these are the same rows: the numbers "
        "differ, and neither confirm nor refute the proof."
    )


def _compared(made: Provenance, recheck: Recheck) -> TableBlock:
    def row(what: str, claimed: object, again: object) -> tuple[str, str, str, str]:
        return what, str(claimed), str(again), "yes" if claimed == again else "no"

    def written(objective: Fraction) -> str:
        return f"{float(objective):.10f}" if made.is_risk else str(objective)

    tie = "" if made.threshold_was_free else " (total = threshold is wrong)"
    if made.half_was_wrong:
        tie = " (risk = one half is wrong)"
    numbers = "" if made.is_risk else " (exact fractions)"
    return TableBlock(
        caption=f"The card's claims, and the same numbers recomputed from these rows{numbers}",
        header=("quantity", "claimed", "recomputed", "equal"),
        rows=(
            (
                "objective",
                written(made.objective),
                written(recheck.objective),
                "yes" if recheck.has_objective_of(made) else "no",
            ),
            row(f"training errors{tie}", made.training_errors, recheck.training_errors),
            row("predicted errors", made.predicted_errors, recheck.predicted_errors),
            row("total weight", made.total_weight, recheck.n),
            ("proven lower bound", written(made.lower_bound), NONE, NONE),
            ("gap", f"{float(made.gap):.6f}", NONE, NONE),
        ),
    )


_AT_EACH_SIZE = "on these rows for each number of features, regardless of the penalty for features."
_ERRORS_BESIDE = "The errors are those of the same cards; they were not minimised, so they may rise with the size."


def _what_was_minimised(frontier: Frontier) -> str:
    """The measure that the sizes minimise, and the meaning of its proof."""
    problem, what = frontier.problem, what_is_least(frontier.problem)
    if counts_errors(problem):
        fewer = "\u201cProven\u201d means that no card of that size makes fewer."
        return f"The lowest number of errors {_AT_EACH_SIZE} {fewer}"
    proven = f"\u201cProven\u201d means that no card of that size has a lower {what}"
    proven += f"{loss_of(problem).tolerance_in_words}."
    return f"The lowest {what} {_AT_EACH_SIZE}{_how_it_counts(problem)} {proven} {_ERRORS_BESIDE}"


def _how_it_counts(problem: Problem) -> str:
    """The cost of an error where the classes differ, and the part of a numeric C1."""
    note = ""
    negative, positive = problem.class_weights
    if loss_of(problem).name(problem) == "weighted error":
        no, yes = (visible(str(label)) for label in problem.rows.classes)
        note += (
            f" The weighted error is the mean cost over the rows: {float(positive):.4g} for an error on a row of class "
            f"{yes}, {float(negative):.4g} on one of class {no}, 0 for a row that is right. A lower one is a higher "
            f"net benefit at a risk threshold of {float(negative / (negative + positive)):.3g}."
        )
    if problem.C1:
        note += f" C1 adds {shown(problem.C1)} for each point."
    return note


def sizes(evidence: Evidence) -> Section:
    """The lowest error, or log loss, with more or fewer features."""
    frontier = evidence.frontier
    blocks: list[Block] = []
    if isinstance(frontier, Absent):
        blocks.append(Paragraph(why(frontier)))
        title = "Size against log loss" if evidence.is_risk else "Size against errors"
    else:
        what = what_is_least(frontier.problem)
        title = f"Size against {what}"
        by_weight = " Errors count each row by its weight." if evidence.data.weights is not None else ""
        blocks.append(Paragraph(_what_was_minimised(frontier) + by_weight + _how_many_proven(frontier)))
        blocks.append(
            Figure(
                picture=frontier,
                caption=("Training errors" if counts_errors(frontier.problem) else what[0].upper() + what[1:])
                + " by size. Filled: proven; hollow: best found.",
                alt="Step plot: " + "; ".join(map(_least_at, frontier.rows)) + ".",
            )
        )
        blocks.append(_frontier_table(frontier))
    return Section(name="frontier", title=title, tripod=("12c",), blocks=tuple(blocks))


def _how_many_proven(frontier: Frontier) -> str:
    unproven = [row for row in frontier.rows if not row.proven]
    if not unproven:
        return " All sizes are proven."
    return (
        f" {len(frontier.rows) - len(unproven)} of {len(frontier.rows)} sizes are proven. The others are the best "
        "cards that were found in the time; the last column says how much better a card could still be."
    )


def _least_at(row: FrontierRow) -> str:
    least = "none found" if row.solution is None else least_in_words(row.solution)
    return f"at most {counted(row.size, 'feature')}: {least}{'' if row.proven else ', not proven'}"


def _not_yet(row: FrontierRow) -> str:
    if row.solution is None or row.lower_bound is None or row.lower_bound <= 0:
        return "no"
    return f"no (by {ceil(100 * (1 - row.lower_bound / row.solution.objective))} %)"


def _frontier_table(frontier: Frontier) -> TableBlock:
    losses = [] if counts_errors(frontier.problem) else [what_is_least(frontier.problem)]
    rows = []
    for row in frontier.rows:
        model = row.solution
        points = (
            NONE
            if model is None
            else ", ".join(
                f"{shown(model.points.values[j])} {item_name(model.problem.rows.names[j])}"
                for j in model.points.support
            )
            or "no features"
        )
        errors = NONE if model is None else number(model.evaluation.training_errors)
        least = [NONE if model is None else least_of(model) for _ in losses]
        rows.append((points, str(row.size), *least, errors, "yes" if row.proven else _not_yet(row)))
    return TableBlock(
        caption="The best card of each size",
        header=("points", "max. features", *losses, "training errors", "proven"),
        rows=tuple(rows),
        notes=_ties(frontier.problem),
    )


def _ties(problem: Problem) -> tuple[str, ...]:
    if loss_of(problem).gives_risks and problem.slope == 1 and problem.risk_threshold == Fraction(1, 2):
        return ("Errors count a risk of exactly one half as wrong for both classes.",)
    if problem.intercept.mode == "free":
        return ()
    return ("Errors count a total equal to the threshold as wrong for both classes.",)


@section("theory", "Theoretical bounds", "10", "26")
def theory(evidence: Evidence) -> Iterator[Block]:
    """How far the true error rate can be above the training error rate, by the paper's theorems."""
    bounds = evidence.bounds
    if isinstance(bounds, Absent):
        yield Paragraph(why(bounds))
        return
    if any(isinstance(bound, Bound) for bound in bounds):
        yield Paragraph(
            "Bounds on the error rate on new rows from the same source. They hold for every allowed card at once, and "
            "so for this one. They require independent rows, and sets and limits that were chosen before anyone looked "
            "at the rows. They are wide."
        )
    yield Bullets(tuple(visible(_sentence(bound.in_words())) for bound in bounds))


def _sentence(words: str) -> str:
    text = words[:1].upper() + words[1:]
    return text if text.endswith(".") else f"{text}."
