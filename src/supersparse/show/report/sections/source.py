"""The data: number of rows, classes, missing values, and whether these are the training rows."""

from collections.abc import Sequence
from fractions import Fraction

from supersparse.base.exact import shown
from supersparse.card.card import Item
from supersparse.card.evaluate.drift import Drift
from supersparse.card.evaluate.rates import count_text
from supersparse.card.lines import class_names
from supersparse.card.provenance import ItemSeen
from supersparse.show.report.blocks import (
    NONE,
    Block,
    Bullets,
    Paragraph,
    Section,
    TableBlock,
    column_name,
    counted,
    item_name,
    rate,
    share,
)
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.plan import Absent
from supersparse.show.report.recheck import Recheck
from supersparse.table.plain import visible

_MOST_OUTSIDE = 8
_FAR = 0.25  # a population stability index above this is commonly considered large


def source(evidence: Evidence) -> Section:
    """TRIPOD+AI asks for data (5a), outcome (8a), predictors (9b), missing data (11), people (20, 21)."""
    blocks: list[Block] = [Paragraph(_whose(evidence), strong=evidence.same_rows is False)]
    blocks.append(_classes(evidence))
    blocks.append(_items(evidence))
    blocks.append(Bullets((*_missing(evidence), *_outside(evidence))))
    tripod: tuple[str, ...] = ("5a", "8a", "9b", "11", "20a", "20b", "21")
    if evidence.drift is not None and evidence.drift.items:
        names = [item_name(i.name) for i in evidence.drift.items]
        blocks += [_drift_table(evidence.drift, names), Paragraph(_drift_words(evidence.drift, names))]
        tripod = (*tripod, "16", "20c")
    return Section(
        name="data",
        title="Source of data",
        tripod=tripod,
        blocks=tuple(blocks),
    )


def _whose(evidence: Evidence) -> str:
    n, made = counted(len(evidence.data), "row"), evidence.card.provenance
    if evidence.same_rows:
        validated = "." if isinstance(evidence.validation, Absent) else "; the cross-validation below is not."
        return (
            f"These {n} are the card's training rows: the fingerprints match. Performance on them is "
            f"optimistic{validated}"
        )
    if evidence.same_rows is False:
        assert made is not None, "its fingerprint was compared"
        return (
            f"These {n} are not the card's {made.n_rows} training rows as it was learned from them: the "
            f"fingerprints differ. {_perhaps(evidence)} This is a validation on new data only if these are "
            "different people."
        )
    reason = "was written by hand" if made is None else "cannot be compared with these columns"
    return f"It is unknown whether the card was learned from these {n}: the card {reason}."


def _perhaps(evidence: Evidence) -> str:
    """What rows with another fingerprint may be."""
    found = evidence.recheck
    if isinstance(found, Recheck) and found.confirms(evidence.card):
        return "They give the same objective and errors, so they may be the training rows in another order."
    return "They may be other people, a part of the training rows, or the training rows in another order."


def _classes(evidence: Evidence) -> TableBlock:
    negative, positive = class_names(evidence.card)
    confusion, data = evidence.evaluation.confusion, evidence.data
    rows = [
        ("total", f"{data.n_given}"),
        ("used", f"{len(data)}"),
        (f"outcome {positive}", share(confusion.n_positive, confusion.n)),
        (f"outcome {negative}", share(confusion.n_negative, confusion.n)),
    ]
    weighted = data.weights is not None
    return TableBlock(
        caption="Rows and outcome" + (" (shares by weight)" if weighted else ""),
        header=("rows", "number"),
        rows=tuple(rows),
        text_columns=2,
        notes=()
        if evidence.target is None
        else (f"The outcome is the column {column_name(evidence.target)}.",),
    )


def _items(evidence: Evidence) -> TableBlock:
    negative, positive = class_names(evidence.card)
    rows = []
    for k, item in enumerate(evidence.card.items):
        seen = [of_class[k] if of_class else None for of_class in evidence.given]
        missing = sum((one.missing for one in seen if one is not None), Fraction(0))
        described = [NONE if one is None else _described(one, item) for one in seen]
        name = item_name(item.name)
        rows.append((name, shown(item.points), *described, count_text(missing)))
    return TableBlock(
        caption="Items of the card in these rows",
        header=("item", "points", f"in {negative}", f"in {positive}", "missing"),
        rows=tuple(rows),
        notes=(
            "For a yes/no item: the share of rows that get its points. For an item that multiplies a value: "
            "the mean of the value.",
        ),
    )


def _described(seen: ItemSeen, item: Item) -> str:
    if item.is_yes_no:
        return f"{100 * float(seen.given / seen.n):.1f} %"
    return f"mean {float(seen.mean_points / item.points):.3g}"


def _drift_table(drift: Drift, names: Sequence[str]) -> TableBlock:
    return TableBlock(
        caption="Items in the training rows and in these rows",
        header=("item", "gave points in training", "in these rows", "mean shift", "stability index"),
        rows=tuple(
            (name, rate(i.then), rate(i.now), f"{i.shift:+.3g}", f"{i.stability:.3f}")
            for name, i in zip(names, drift.items, strict=True)
        ),
        notes=(
            "The shift is in points. A stability index of 0 means no change; above 0.25 is considered large.",
        ),
    )


def _drift_words(drift: Drift, names: Sequence[str]) -> str:
    far = [name for name, i in zip(names, drift.items, strict=True) if i.stability > _FAR]
    if not far:
        return f"The mean total moved by {drift.shift:+.3g} points; no item changed much."
    return f"The mean total moved by {drift.shift:+.3g} points. Items that changed a lot: {', '.join(far)}."


def _missing(evidence: Evidence) -> tuple[str, ...]:
    data = evidence.data
    if not data.missing:
        return ("No required value is missing.",)
    said = [
        f"Rows without a value of {column_name(name)}: {share(rows, data.n_given)}."
        for name, rows in data.missing
    ]
    if data.left_out:
        names = ", ".join(column_name(name) for name, _ in data.left_out)
        left = data.n_given - len(data)
        said.append(
            f"{counted(left, 'row')} skipped, because the card does not allow missing values in {names}."
        )
    return tuple(said)


def _outside(evidence: Evidence) -> tuple[str, ...]:
    outside = evidence.data.outside
    if not outside:
        return ("All values are in the card's known ranges.",) if evidence.card.domains else ()
    said = [
        f"{column_name(value.column)} has the value {visible(str(value.value))}, unknown to the card, in "
        f"{counted(value.rows, 'row')}."
        for value in outside[:_MOST_OUTSIDE]
    ]
    if len(outside) > _MOST_OUTSIDE:
        said.append(f"{len(outside) - _MOST_OUTSIDE} more values are unknown to the card.")
    return tuple(said)
