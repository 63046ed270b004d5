"""Refits: performance corrected for optimism, trade-offs, and stability."""

from collections.abc import Iterator

from supersparse.base.exact import counted, shown
from supersparse.card.performance import Compared
from supersparse.show.document.blocks import Block, Figure, Paragraph, TableBlock, section
from supersparse.show.document.evaluation_plots import RatePairs, Shares
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.folds import (
    MEASURES,
    CrossValidation,
    ItemStability,
    Spread,
    Stability,
    TradePoint,
    Trades,
    baseline,
)
from supersparse.show.report.phrases import NONE, item_name, rate, share, shown_decimal, why
from supersparse.show.report.plan import Absent
from supersparse.table.plain import quoted, visible

_MOST_OTHERS = 10
_MOST_DRAWN = 5  # of them in the figure
_MOST_POINTS = 4


@section("validation", "Performance corrected for optimism", "12a", "12c", "23a")
def validation(evidence: Evidence) -> Iterator[Block]:
    """TRIPOD+AI asks for internal validation (12a, 12c) and its results (23a)."""
    refits = evidence.validation
    if isinstance(refits, Absent):
        yield Paragraph(f"Cross-validation: {why(refits)[0].lower()}{why(refits)[1:]}")
    else:
        yield Paragraph(_protocol(evidence, refits))
    if not (isinstance(refits, Absent) and isinstance(evidence.stability, Absent)):
        yield _corrected_table(evidence)
    if isinstance(refits, CrossValidation) and refits.compared:
        yield _compared_table(refits)
    if isinstance(refits, CrossValidation):
        yield from (Paragraph(visible(f"Failed: {failure}")) for failure in refits.failures)


def _compared_table(validation: CrossValidation) -> TableBlock:
    """The price of fewer questions, and the lead of models of all columns."""

    def proven(one: Compared) -> str:
        return NONE if one.proven is None else f"{100 * one.proven:.0f} % of the folds"

    return TableBlock(
        caption="The card beside models of all columns and cards of fewer questions, on the same held-out rows",
        header=("model", "AUC", "log loss", "error rate", "proven"),
        rows=tuple(
            (one.of, shown_decimal(one.auc), f"{one.log_loss:.4f}", f"{one.error:.3f}", proven(one))
            for one in validation.compared
        ),
        notes=("Means over the folds, of the true classes.",),
    )


def _protocol(evidence: Evidence, validation: CrossValidation) -> str:
    done = len(validation.folds)
    proven = sum(fold.proven for fold in validation.folds)
    if evidence.cv_groups is None:
        divided = "stratified by class"
    else:
        divided = f"with all rows of one {quoted(evidence.cv_groups)} in the same fold"
    anew = (
        ""
        if evidence.same_rows
        else " The cards are learned from these rows, which are not known to be the training rows."
    )
    return (
        f"The rows were split at random (seed {evidence.plan.seed}) into {validation.asked // validation.repeats} "
        f"folds {divided}{'' if validation.repeats == 1 else f', {validation.repeats} times'}. For each fold, "
        "the card was learned again from the other folds with the same settings, and tested on that fold. "
        f"{share(proven, done)} of these cards are proven optimal for their rows{_unproven(proven, done)}; they have "
        f"{_sizes([fold.size for fold in validation.folds])}.{anew}{_ended(validation, 'fold')}"
    )


def _unproven(proven: int, done: int) -> str:
    return "" if proven == done else ", the others are the best that was found in the time"


def _ended(refits: CrossValidation | Stability | Trades, what: str) -> str:
    """Why not everything that was planned was done."""
    if refits.stopped:
        return f" The user stopped it after {refits.done} of {counted(refits.asked, what)}."
    if refits.timed_out:
        return f" Its share of the time limit was used up after {refits.done} of {counted(refits.asked, what)}."
    return ""


def _sizes(sizes: list[int]) -> str:
    low, high = min(sizes), max(sizes)
    return counted(low, "item") if low == high else f"{low} to {high} items"


def _corrected_table(evidence: Evidence) -> TableBlock:
    folds, stability = evidence.validation, evidence.stability
    optimism = stability.optimism if isinstance(stability, Stability) else (None,) * len(MEASURES)
    rows = []
    for k, measure in enumerate(MEASURES):
        spread = folds.spread(measure) if isinstance(folds, CrossValidation) else None
        apparent, optimistic = evidence.apparent.values[k], optimism[k]
        corrected = None if apparent is None or optimistic is None else apparent - optimistic
        rows.append(
            (
                measure,
                shown_decimal(apparent),
                (NONE if optimistic is None else f"{optimistic:+.3f}"),
                shown_decimal(corrected),
                _spread(spread),
                shown_decimal(baseline(evidence.evaluation.confusion)[k]),
            )
        )
    samples = (
        f"Optimism is the mean over {counted(stability.samples, 'bootstrap sample')} of the value of a new "
        "card on its sample minus its value on all rows; corrected is apparent minus optimism (Harrell)."
        if isinstance(stability, Stability)
        else f"Optimism: {why(stability)}"
    )
    return TableBlock(
        caption="Apparent, corrected and cross-validated performance, and a fixed answer",
        header=(
            "measure",
            "apparent (all rows)",
            "optimism",
            "corrected for optimism",
            "on unseen folds (mean \u00b1 sd)",
            "baseline",
        ),
        rows=tuple(rows),
        notes=(
            samples,
            "Where the two corrections differ much, as for unstable cards, the folds are the safer estimate: "
            "a bootstrap sample shares most of its rows with those it is judged on.",
            "Baseline: always the commoner class; for the Brier score, the prevalence as everyone's risk.",
            "The settings are taken as fixed. If they were chosen on these rows, the table does not include "
            "that optimism.",
            "Risks are fitted again with each card, on its own rows. A calibration slope below 1 means that "
            "risks are too extreme; that of the folds is of all folds together.",
        ),
    )


def _spread(spread: Spread | None) -> str:
    if spread is None:
        return NONE
    return shown_decimal(spread.mean) + ("" if spread.sd is None else f" \u00b1 {spread.sd:.3f}")


@section("trade-offs", "Trade-offs", "12e", "15", "23a")
def trade_offs(evidence: Evidence) -> Iterator[Block]:
    """Cards with other weights of the two kinds of error on unseen rows (TRIPOD+AI 12e, 15, 23a)."""
    trades = evidence.trades
    if isinstance(trades, Absent):
        yield Paragraph(why(trades))
        return
    proven, cards = sum(p.proven for p in trades.points), sum(p.folds for p in trades.points)
    rates = [(rate(p.sensitivity), rate(p.specificity)) for p in trades.points]
    ratios = [_ratio(p) for p in trades.points]
    described = [f"ratio {one}: sensitivity {a}, specificity {b}" for one, (a, b) in zip(ratios, rates, strict=True)]
    yield Paragraph(
        f"The card was learned again with other {_weighed(evidence)}, without each fold, and tested on that fold. "
        f"{share(proven, cards)} of these cards are proven optimal for their rows."
        f"{_RISKS_ARE_WEIGHTED if evidence.is_risk else ''}{_ended(trades, 'ratio')}"
    )
    yield Figure(
        picture=RatePairs(
            labels=tuple(ratios),
            first=tuple(point.sensitivity for point in trades.points),
            second=tuple(point.specificity for point in trades.points),
            marked=tuple(point.is_own for point in trades.points),
        ),
        caption="Sensitivity against specificity on unseen rows, for cards learned with other ratios of the "
        f"{_PAIR[evidence.is_risk]}. Bars: 95 % intervals; filled: the ratio of this card.",
        alt=f"Points: {'; '.join(described)}.",
    )
    sizes = [str(low) if low == high else f"{low} to {high}" for low, high in (p.sizes for p in trades.points)]
    names = [one + (" (this card)" if p.is_own else "") for one, p in zip(ratios, trades.points, strict=True)]
    yield TableBlock(
        caption=f"Cards learned with other {_weighed(evidence)}, on unseen rows",
        header=(_RATIO[evidence.is_risk], "sensitivity", "specificity", "items"),
        rows=tuple((name, *pair, size) for name, pair, size in zip(names, rates, sizes, strict=True)),
        notes=("All folds together, with 95 % intervals (Wilson).",),
    )


_PAIR = {False: "costs of a missed positive and a false alarm", True: "weights of positive and negative rows"}
_RATIO = {False: "cost of a missed positive : false alarm", True: "weight of a positive : negative row"}
_RISKS_ARE_WEIGHTED = (
    " Weights distort the risks of these cards, so only their classes are compared. To favour one kind of "
    "error and keep the risks, set risk_threshold instead."
)


def _weighed(evidence: Evidence) -> str:
    return "weights of the two classes in the log loss" if evidence.is_risk else "costs of errors"


def _ratio(point: TradePoint) -> str:
    ratio = float(point.ratio)
    return f"{ratio:.3g} : 1" if ratio >= 1 else f"1 : {1 / ratio:.3g}"


@section("stability", "Stability over bootstrap samples", "12c", "26")
def stability(evidence: Evidence) -> Iterator[Block]:
    """How often each item and its points recur over bootstrap samples."""
    resampled = evidence.stability
    if isinstance(resampled, Absent):
        yield Paragraph(why(resampled))
        return
    yield Paragraph(_returned(evidence, resampled))
    drawn = _shown(resampled, _MOST_DRAWN)
    bars = [f"{item_name(item.name)} {100 * item.returned / resampled.samples:.0f} %" for item in drawn]
    yield Figure(
        picture=Shares(
            labels=tuple(item_name(item.name) for item in drawn),
            shares=tuple(item.returned / resampled.samples for item in drawn),
            marked=tuple(item.points is not None for item in drawn),
            axis="share of bootstrap samples with this item",
        ),
        caption="How often items recur. Dark: items of the card.",
        alt=f"Bars: {'; '.join(bars)}.",
    )
    yield _items_table(resampled, _shown(resampled, _MOST_OTHERS))
    if any(item.is_yes_no for item in evidence.card.items):
        yield _columns_table(evidence, resampled)
    yield from (Paragraph(visible(f"Failed: {failure}")) for failure in resampled.failures)


def _returned(evidence: Evidence, stability: Stability) -> str:
    sizes = ", ".join(f"{size} items: {n}" for size, n in stability.sizes)
    if evidence.cv_groups is None:
        drawn = "of the same size were drawn"
    else:
        drawn = f"of the same number of groups (all rows of one {quoted(evidence.cv_groups)}) were drawn"
    return (
        f"{stability.samples} samples {drawn} with replacement (seed {evidence.plan.seed}), and the card was learned "
        f"again on each; {share(stability.proven, stability.samples)} are proven optimal for their "
        f"sample{_unproven(stability.proven, stability.samples)}. The same items recurred in "
        f"{share(stability.same_items, stability.samples)}, and the same card, with all points and the threshold, in "
        f"{share(stability.same_card, stability.samples)}. Sizes: {sizes}.{_ended(stability, 'sample')}"
    )


def _shown(stability: Stability, most_others: int) -> tuple[ItemStability, ...]:
    kept = [item for item in stability.items if item.points is not None]
    others = [item for item in stability.items if item.points is None]
    return (*kept, *others[:most_others])


def _columns_table(evidence: Evidence, stability: Stability) -> TableBlock:
    """By column, because a different cut point makes a different item on the same column."""
    on_card = set(evidence.card.columns)
    rows = [
        (visible(name) or '""', "yes" if name in on_card else "no", share(samples, stability.samples))
        for name, samples in stability.columns[: len(on_card) + _MOST_OTHERS]
    ]
    return TableBlock(
        caption="Recurring columns, with any item",
        header=("column", "on the card", "recurred"),
        rows=tuple(rows),
        text_columns=2,
    )


def _items_table(stability: Stability, items: tuple[ItemStability, ...]) -> TableBlock:
    rows = []
    for item in items:
        seen = [f"{shown(points)} ({n})" for points, n in item.points_seen[:_MOST_POINTS]]
        more = len(item.points_seen) - _MOST_POINTS
        if more > 0:
            seen.append(counted(more, "other"))
        rows.append(
            (
                item_name(item.name),
                NONE if item.points is None else shown(item.points),
                share(item.returned, stability.samples),
                NONE if item.points is None else share(item.same_points, stability.samples),
                ", ".join(seen) or NONE,
            )
        )
    left = len(stability.items) - len(items)
    return TableBlock(
        caption="Recurring items and points",
        header=("item", "points on the card", "recurred", "with these points", "points seen (samples)"),
        rows=tuple(rows),
        notes=() if left <= 0 else (f"{counted(left, 'further item')} recurred less often; not shown.",),
    )
