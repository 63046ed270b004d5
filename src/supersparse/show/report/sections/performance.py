"""Performance on these rows: discrimination, risks, calibration, decision curves, subgroups."""

from collections.abc import Iterator

from supersparse.base.exact import counted
from supersparse.card.evaluate.evaluation import Subgroups
from supersparse.card.evaluate.forecasts import DecisionCurve, Forecasts, calibration_line, why_no_line
from supersparse.card.evaluate.risk_table import RiskTable
from supersparse.card.evaluate.thresholds import Confusion
from supersparse.card.lines import class_names
from supersparse.show.document.blocks import Block, Figure, Paragraph, TableBlock, section
from supersparse.show.document.evaluation_plots import Calibration
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.folds import CrossValidation
from supersparse.show.report.phrases import error_rate, rate, shown_decimal
from supersparse.table.plain import quoted, visible
from supersparse.table.small_table import number

_MOST_THRESHOLDS = 15
_DECISIONS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@section("performance", "Performance on these rows", "12e", "15", "23a")
def performance(evidence: Evidence) -> Iterator[Block]:
    """TRIPOD+AI asks for the measures (12e), their values with intervals (23a) and the threshold (15)."""
    if evidence.same_rows:
        yield Paragraph("Apparent performance: these are the training rows.")
    yield _rates(evidence)
    yield _matrix(evidence)
    if evidence.evaluation.auc.value is not None:
        yield Figure(
            picture=evidence.evaluation,
            caption="ROC curve; the circle marks the card's threshold.",
            alt=f"ROC curve with an area of {evidence.evaluation.auc}.",
        )
    yield _thresholds(evidence)


def _rates(evidence: Evidence) -> TableBlock:
    evaluation = evidence.evaluation
    c = evaluation.confusion
    measures = [
        ("error rate", rate(error_rate(c))),
        ("sensitivity", rate(c.sensitivity)),
        ("specificity", rate(c.specificity)),
        ("positive predictive value", rate(c.ppv)),
        ("negative predictive value", rate(c.npv)),
        ("prevalence", rate(c.prevalence)),
        ("AUC", str(evaluation.auc)),
    ]
    if evaluation.forecasts is not None:
        measures.append(("Brier score of the card's risks", f"{evaluation.forecasts.brier:.4f}"))
        measures.append(("log loss of the card's risks", f"{evaluation.forecasts.log_loss:.4f}"))
    return TableBlock(
        caption="Measures with 95 % intervals (Wilson; AUC: Newcombe)",
        header=("measure", "value (interval)"),
        rows=tuple(measures),
        text_columns=2,
        notes=(f"Predicted {class_names(evidence.card)[1]}: a total of {c.cutoff.positive}.",),
    )


def _matrix(evidence: Evidence) -> TableBlock:
    negative, positive = class_names(evidence.card)
    c = evidence.evaluation.confusion
    header = ("true class", f"predicted {positive}", f"predicted {negative}", "of these, at the threshold")
    rows = (
        (positive, *map(number, (c.true_positives, c.false_negatives, c.zero_positives))),
        (negative, *map(number, (c.false_positives, c.true_negatives, c.zero_negatives))),
    )
    kept = 4 if c.cutoff.tie is not None else 3  # otherwise ties are not special
    return TableBlock(
        caption="True and predicted classes", header=header[:kept], rows=tuple(row[:kept] for row in rows)
    )


def _thresholds(evidence: Evidence) -> TableBlock:
    every = evidence.evaluation.thresholds
    step = -(-len(every.rows) // _MOST_THRESHOLDS)
    kept = [r for i, r in enumerate(every.rows) if i % step == 0 or r is every.current]

    def row(c: Confusion) -> tuple[str, ...]:
        marked = ""
        if c is every.current:
            same = c.cutoff.positive == every.now.positive
            marked = " (this card)" if same else f" (this card, {every.now.positive})"
        rates = (c.sensitivity, c.specificity, c.ppv, c.npv)
        return f"{c.cutoff.positive}{marked}", *map(rate, rates)

    return TableBlock(
        caption="Other thresholds",
        header=("positive for a total of", "sensitivity", "specificity", "PPV", "NPV"),
        rows=tuple(row(c) for c in kept),
        notes=() if step == 1 else (f"{len(kept)} of {len(every.rows)} thresholds are shown.",),
    )


@section("calibration", "Risks and calibration", "12e", "23a")
def calibration(evidence: Evidence) -> Iterator[Block]:
    """TRIPOD+AI asks for calibration and clinical utility (12e, 23a), not only for discrimination."""
    risks, forecasts = evidence.risks, evidence.evaluation.forecasts
    positive = class_names(evidence.card)[1]
    yield _risk_table(risks, positive)
    if len(risks.rows) > 1:
        yield Figure(
            picture=risks,
            caption=f"Observed risk of {positive} by total, with 95 % intervals.",
            alt="Bars: " + "; ".join(f"{r.totals} points: {rate(r.observed)}" for r in risks.rows) + ".",
        )
    yield from _risks_judged(evidence, forecasts)


def _risk_table(risks: RiskTable, positive: str) -> TableBlock:
    of_card = ("card's risk",) if risks.has_card_risks else ()
    return TableBlock(
        caption=f"Risk ({positive}) by total of points",
        header=("total", "rows", "events", "observed risk (95 %)", *of_card, "calibrated", "cross-fitted"),
        rows=tuple(
            (
                r.totals,
                number(r.observed.of),
                number(r.observed.events),
                rate(r.observed),
                *(shown_decimal(r.card_risk) for _ in of_card),
                shown_decimal(r.calibrated),
                shown_decimal(r.cross_fitted),
            )
            for r in risks.rows
        ),
        notes=(
            *("Card's risk: as the card says it, whatever these rows show." for _ in of_card),
            "Calibrated: an increasing curve fitted to all rows. "
            "Cross-fitted: curves that were fitted without the row.",
        ),
    )


def _risks_judged(evidence: Evidence, forecasts: Forecasts | None) -> list[Block]:
    """Judge risks on rows that they were not fitted to, if there are such risks."""
    folds = evidence.validation
    if isinstance(folds, CrossValidation) and (evidence.same_rows or forecasts is None):
        words = (
            "Risks on unseen rows: each row gets the risk from the card that was learned without its fold, "
            "so no row helped to predict itself."
        )
        return [Paragraph(words), *_judged(folds.forecasts, "cross-validated risks")]
    if forecasts is not None:
        words = (
            "These are the training rows, so the calibration of the card's risks is flattering."
            if evidence.same_rows
            else "The card's own risks, on these rows."
        )
        return [Paragraph(words), *_judged(forecasts, "the card's risks")]
    if evidence.risks.forecasts is not None:
        return _judged(evidence.risks.forecasts, "cross-fitted risks")
    return [Paragraph("There are no predicted risks to evaluate, because all rows have the same total.")]


def _judged(forecasts: Forecasts, whose: str) -> list[Block]:
    decisions, curve, line = forecasts.decision_curve(), forecasts.groups(), calibration_line(forecasts)
    fitted = why_no_line(forecasts) if line is None else line.in_words()
    return [
        Paragraph(f"For {whose}: {forecasts.in_words()} {fitted} {visible(curve.in_words())}"),
        Figure(
            picture=Calibration(forecasts=forecasts, curve=curve, line=line),
            caption=f"Calibration of {whose}: observed risk in {counted(len(curve.bins), 'group')} of rows "
            "with similar predicted risk (95 % intervals), and a logistic calibration line. Below: rows by "
            "predicted risk and outcome.",
            alt="Points: "
            + "; ".join(f"predicted {b.predicted:.3f}, observed {rate(b.observed)}" for b in curve.bins)
            + ".",
        ),
        Figure(
            picture=decisions,
            caption=f"Decision curve of {whose}: net benefit by the risk threshold for action.",
            alt=decisions.in_words(),
        ),
        _decision_table(forecasts.decision_curve(_DECISIONS), decisions),
    ]


def _decision_table(some: DecisionCurve, every: DecisionCurve) -> TableBlock:
    return TableBlock(
        caption="Net benefit per row",
        header=("act at a risk of", "by risk", "on everyone", "on no one"),
        rows=tuple((f"{p.at:g}", shown_decimal(p.treat_some), shown_decimal(p.treat_all), "0") for p in some.points),
        notes=(every.in_words(),),
    )


@section("subgroups", "Subgroups", "14", "23a")
def subgroups(evidence: Evidence) -> Iterator[Block]:
    """Performance by subgroup column; TRIPOD+AI asks for fairness (14) and for key subgroups (23a)."""
    if not evidence.subgroups:
        yield Paragraph("Not in this report: no subgroup column was chosen, such as sex, age group or site.")
        return
    for groups in evidence.subgroups:
        yield _table(groups)
        yield Paragraph(visible(groups.in_words()))
    yield Paragraph(
        "Small groups have wide intervals: a difference between two groups whose intervals overlap widely may be "
        "chance. Differences in prevalence change predictive values, not the card."
    )


def _table(subgroups: Subgroups) -> TableBlock:
    rows = []
    named = [("missing" if g.label is None else visible(str(g.label)) or '""', g.evaluation) for g in subgroups.groups]
    for label, one in [*named, ("all rows", subgroups.overall)]:
        c = one.confusion
        rates = (c.prevalence, error_rate(c), c.sensitivity, c.specificity)
        rows.append((label, number(c.n), *map(rate, rates), str(one.auc)))
    return TableBlock(
        caption=f"By {quoted(subgroups.by)}",
        header=("group", "rows", "prevalence", "error rate", "sensitivity", "specificity", "AUC"),
        rows=tuple(rows),
    )
