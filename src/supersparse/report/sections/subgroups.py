"""How the card does in parts of the rows."""

from supersparse.evaluate.subgroups import Subgroups
from supersparse.evaluate.tables import count_text
from supersparse.render.plain import quoted, visible
from supersparse.report.blocks import Block, Paragraph, Section, Table
from supersparse.report.evidence import Evidence
from supersparse.report.words import error_rate, rate


def subgroups(evidence: Evidence) -> Section:
    """Performance by the columns that were asked for; TRIPOD asks for measures (16)."""
    blocks: list[Block] = []
    if not evidence.subgroups:
        blocks.append(
            Paragraph(
                "Not in this report: no column was named that divides the rows, such as sex, age group or "
                "site."
            )
        )
    for found in evidence.subgroups:
        blocks += [_table(found), Paragraph(visible(found.in_words()))]
    if evidence.subgroups:
        blocks.append(
            Paragraph(
                "Small groups have wide intervals: a difference between two groups whose intervals overlap "
                "widely may be chance. Differences in prevalence change predictive values, not the card."
            )
        )
    return Section(name="subgroups", title="Subgroups", tripod=("10d", "16"), blocks=tuple(blocks))


def _table(found: Subgroups) -> Table:
    rows = []
    named = [
        ("missing" if g.label is None else visible(str(g.label)) or '""', g.evaluation) for g in found.groups
    ]
    for label, one in [*named, ("all rows", found.overall)]:
        c = one.confusion
        rates = (c.prevalence, error_rate(c), c.sensitivity, c.specificity)
        rows.append((label, count_text(c.n), *map(rate, rates), str(one.auc)))
    return Table(
        caption=f"By {quoted(found.by)}",
        header=("group", "rows", "prevalence", "error rate", "sensitivity", "specificity", "AUC"),
        rows=tuple(rows),
    )
