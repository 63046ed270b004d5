"""Refits: cross-validated performance and stability."""

from supersparse.data.plain import quoted, visible
from supersparse.exact import shown
from supersparse.faces.plots import Shares
from supersparse.report.blocks import (
    NONE,
    Block,
    Figure,
    Paragraph,
    Section,
    TableBlock,
    counted,
    share,
    shown_decimal,
    why,
)
from supersparse.report.evidence import Evidence
from supersparse.report.learning import MEASURES, CrossValidation, ItemStability, Stability
from supersparse.report.plan import Absent

_MOST_OTHERS = 10
_MOST_POINTS = 4


def validation(evidence: Evidence) -> Section:
    """TRIPOD asks for internal validation (10b) and its results (16)."""
    found = evidence.validation
    blocks: list[Block] = []
    if isinstance(found, Absent):
        blocks.append(Paragraph(why(found)))
    else:
        blocks.append(Paragraph(_protocol(evidence, found)))
        blocks.append(_folds_table(evidence, found))
        blocks += [Paragraph(visible(f"Failed: {failure}")) for failure in found.failures]
    return Section(
        name="validation", title="Cross-validated performance", tripod=("10b", "16"), blocks=tuple(blocks)
    )


def _protocol(evidence: Evidence, found: CrossValidation) -> str:
    done = len(found.folds)
    proven = sum(fold.proven for fold in found.folds)
    if evidence.cv_groups is None:
        divided = "stratified by class"
    else:
        divided = f"with all rows of one {quoted(evidence.cv_groups)} in the same fold"
    anew = (
        ""
        if evidence.same_rows
        else " These are not the training rows: the cards are learned from these rows with the same settings."
    )
    stopped = f" The user stopped it after {done} of {found.asked} folds." if found.stopped else ""
    return (
        f"The rows were split at random (seed {evidence.plan.seed}) into {found.asked} folds {divided}. "
        "For each fold, the card was learned again from the other folds with the same settings, and tested "
        f"on that fold. {share(proven, done)} of these cards are proven optimal for their rows; they "
        f"have {_sizes([fold.size for fold in found.folds])}.{anew}{stopped}"
    )


def _sizes(sizes: list[int]) -> str:
    low, high = min(sizes), max(sizes)
    return counted(low, "item") if low == high else f"{low} to {high} items"


def _folds_table(evidence: Evidence, found: CrossValidation) -> TableBlock:
    stability = evidence.stability
    optimism = stability.optimism if isinstance(stability, Stability) else (None,) * len(MEASURES)
    rows = []
    for k, measure in enumerate(MEASURES):
        spread, apparent = found.spread(measure), found.apparent.values[k]
        difference = None if spread is None or apparent is None else apparent - spread.mean
        corrected = None if apparent is None or optimism[k] is None else apparent - (optimism[k] or 0.0)
        folds = NONE if spread is None else f"{spread.mean:.3f} \u00b1 {shown_decimal(spread.sd)}"
        rows.append((measure, shown_decimal(apparent), folds, _signed(difference), shown_decimal(corrected)))
    return TableBlock(
        caption="Apparent and cross-validated performance",
        header=(
            "measure",
            "on all rows",
            "on unseen folds (mean \u00b1 sd)",
            "difference",
            "bootstrap-corrected",
        ),
        rows=tuple(rows),
        notes=(
            "The difference is the optimism of evaluating a card on its training rows. "
            "Bootstrap-corrected: the value on all rows minus the mean optimism over the bootstrap samples "
            "(Harrell).",
            "The settings are taken as fixed. If they were chosen on these rows, the table does not include "
            "that optimism.",
            "Risks for the Brier score are fitted again in each fold, on its training rows.",
        ),
    )


def _signed(value: float | None) -> str:
    return NONE if value is None else f"{value:+.3f}"


def stability(evidence: Evidence) -> Section:
    """How often each item and its points recur over bootstrap samples."""
    found = evidence.stability
    blocks: list[Block] = []
    if isinstance(found, Absent):
        blocks.append(Paragraph(why(found)))
    else:
        blocks.append(Paragraph(_returned(evidence, found)))
        shown_items = _shown(found)
        blocks.append(
            Figure(
                picture=Shares(
                    labels=tuple(_label(item) for item in shown_items),
                    shares=tuple(item.returned / found.samples for item in shown_items),
                    marked=tuple(item.points is not None for item in shown_items),
                    axis="share of bootstrap samples with this item",
                ),
                caption="How often items recur. Dark: items of the card.",
                alt="Bars: " + "; ".join(_in_words(item, found.samples) for item in shown_items) + ".",
            )
        )
        blocks.append(_items_table(found, shown_items))
        if any(item.is_yes_no for item in evidence.card.items):
            blocks.append(_columns_table(evidence, found))
        blocks += [Paragraph(visible(f"Failed: {failure}")) for failure in found.failures]
    return Section(
        name="stability", title="Stability over bootstrap samples", tripod=("10b",), blocks=tuple(blocks)
    )


def _returned(evidence: Evidence, found: Stability) -> str:
    sizes = ", ".join(f"{size} items: {n}" for size, n in found.sizes)
    stopped = f" The user stopped it after {found.samples} of {found.asked} samples." if found.stopped else ""
    if evidence.cv_groups is None:
        drawn = "of the same size were drawn"
    else:
        drawn = f"of the same number of groups (all rows of one {quoted(evidence.cv_groups)}) were drawn"
    return (
        f"{found.samples} samples {drawn} with replacement (seed {evidence.plan.seed}), and the card was "
        f"learned again on each; {share(found.proven, found.samples)} are proven optimal for their sample. "
        f"The same items recurred in {share(found.same_items, found.samples)}, and the same card, with all "
        f"points and the threshold, in {share(found.same_card, found.samples)}. Sizes: {sizes}.{stopped}"
    )


def _shown(found: Stability) -> tuple[ItemStability, ...]:
    own = [item for item in found.items if item.points is not None]
    others = [item for item in found.items if item.points is None]
    return (*own, *others[:_MOST_OTHERS])


def _label(item: ItemStability) -> str:
    return visible(item.name) or '""'


def _in_words(item: ItemStability, samples: int) -> str:
    return f"{_label(item)} {100 * item.returned / samples:.0f} %"


def _columns_table(evidence: Evidence, found: Stability) -> TableBlock:
    """By column, because a different cut point makes a different item on the same column."""
    own = set(evidence.card.columns)
    rows = [
        (visible(name) or '""', "yes" if name in own else "no", share(samples, found.samples))
        for name, samples in found.columns[: len(own) + _MOST_OTHERS]
    ]
    return TableBlock(
        caption="Recurring columns, with any item",
        header=("column", "on the card", "recurred"),
        rows=tuple(rows),
        text_columns=2,
    )


def _items_table(found: Stability, items: tuple[ItemStability, ...]) -> TableBlock:
    rows = []
    for item in items:
        seen = [f"{shown(points)} ({n})" for points, n in item.points_seen[:_MOST_POINTS]]
        more = len(item.points_seen) - _MOST_POINTS
        if more > 0:
            seen.append(f"{more} others")
        rows.append(
            (
                _label(item),
                NONE if item.points is None else shown(item.points),
                share(item.returned, found.samples),
                NONE if item.points is None else share(item.same_points, found.samples),
                ", ".join(seen) or NONE,
            )
        )
    left = len(found.items) - len(items)
    return TableBlock(
        caption="Recurring items and points",
        header=("item", "points on the card", "recurred", "with these points", "points seen (samples)"),
        rows=tuple(rows),
        notes=()
        if left <= 0
        else (f"{counted(left, 'further item')} recurred less often and are not shown.",),
    )
