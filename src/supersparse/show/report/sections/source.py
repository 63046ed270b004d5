"""The data, whether these are the training rows, and how to repeat the report on them."""

import hashlib
import platform
from collections.abc import Sequence
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version

from supersparse.base.exact import counted, shown
from supersparse.card.card import Item
from supersparse.card.evaluate.drift import Drift
from supersparse.card.file import to_json
from supersparse.card.lines import class_names
from supersparse.card.provenance import ItemSeen
from supersparse.engine.answers.frontier import Frontier
from supersparse.show.document.blocks import Block, Bullets, Paragraph, Section, TableBlock
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.folds import CrossValidation, Stability, Trades
from supersparse.show.report.phrases import NONE, item_name, rate, share
from supersparse.show.report.plan import Absent
from supersparse.show.report.proofs import Recheck
from supersparse.table.plain import quoted, visible
from supersparse.table.small_table import number

_MOST_OUTSIDE = 8
_FAR = 0.25  # a population stability index above this is commonly considered large


def source(evidence: Evidence) -> Section:
    """TRIPOD+AI asks for data (5a), outcome (8a), predictors (9b), missing data (11), people (20, 21)."""
    blocks: list[Block] = [Paragraph(_whose(evidence), "strong" if evidence.same_rows is False else "plain")]
    blocks.append(_classes(evidence))
    blocks.append(_items(evidence))
    blocks.append(Bullets((*_missing(evidence), *_outside(evidence))))
    tripod: tuple[str, ...] = ("5a", "8a", "9b", "11", "20a", "20b", "21")
    if evidence.drift is not None and evidence.drift.items:
        names = [item_name(i.name) for i in evidence.drift.items]
        blocks += [_drift_table(evidence.drift, names), Paragraph(_drift_words(evidence.drift, names))]
        tripod = (*tripod, "16", "20c")
    return Section(name="data", title="Source of data", tripod=tripod, blocks=tuple(blocks))


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
            f"These {n} are not the card's {made.n_rows} training rows as it was learned from them: the fingerprints "
            f"differ. {_perhaps(evidence)} This is a validation on new data only if these are different people."
        )
    reason = "was written by hand" if made is None else "cannot be compared with these columns"
    return f"It is unknown whether the card was learned from these {n}: the card {reason}."


def _perhaps(evidence: Evidence) -> str:
    recheck = evidence.recheck
    if isinstance(recheck, Recheck) and recheck.confirms(evidence.card):
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
        notes=() if evidence.target is None else (f"The outcome is the column {quoted(evidence.target)}.",),
    )


def _items(evidence: Evidence) -> TableBlock:
    negative, positive = class_names(evidence.card)
    rows = []
    for k, item in enumerate(evidence.card.items):
        seen = [of_class[k] if of_class else None for of_class in evidence.given]
        missing = sum((one.missing for one in seen if one is not None), Fraction(0))
        described = [NONE if one is None else _described(one, item) for one in seen]
        name = item_name(item.name)
        rows.append((name, shown(item.points), *described, number(missing)))
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
        notes=("The shift is in points. A stability index of 0 means no change; above 0.25 is considered large.",),
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
    sentences = [f"Rows without a value of {quoted(name)}: {share(rows, data.n_given)}." for name, rows in data.missing]
    if data.left_out:
        names = ", ".join(quoted(name) for name, _ in data.left_out)
        left = data.n_given - len(data)
        sentences.append(f"{counted(left, 'row')} skipped, because the card does not allow missing values in {names}.")
    return tuple(sentences)


def _outside(evidence: Evidence) -> tuple[str, ...]:
    outside = evidence.data.outside
    if not outside:
        return ("All values are in the card's known ranges.",) if evidence.card.domains else ()
    sentences = [
        f"{quoted(value.column)} has the value {visible(str(value.value))}, unknown to the card, in "
        f"{counted(value.rows, 'row')}."
        for value in outside[:_MOST_OUTSIDE]
    ]
    if len(outside) > _MOST_OUTSIDE:
        sentences.append(f"{len(outside) - _MOST_OUTSIDE} more values are unknown to the card.")
    return tuple(sentences)


_PACKAGES = ("supersparse", "numpy", "scipy", "scikit-learn", "matplotlib")


def repeat(evidence: Evidence, command: str | None) -> Section:
    """TRIPOD+AI asks how data were used (12a), how predictions were made (12g) and for the code (18f)."""
    plan = evidence.plan
    limit = "none" if plan.time_limit is None else f"{plan.time_limit:g} s for the whole report"
    nodes = "" if plan.node_limit is None else f", {plan.node_limit} nodes for each solve"
    rows = [
        *(() if command is None else (("command", visible(command)),)),
        ("card", f"sha256:{hashlib.sha256(to_json(evidence.card).encode()).hexdigest()}"),
        ("rows", _fingerprint(evidence)),
        ("seed", str(plan.seed)),
        ("time limit", limit + nodes),
        *_work_done(evidence),
        ("versions", f"Python {platform.python_version()}, " + ", ".join(_versions())),
    ]
    blocks: list[Block] = [
        TableBlock(
            caption="What this report was made from", header=("what", "value"), rows=tuple(rows), text_columns=2
        ),
        Paragraph(_same_again(evidence)),
    ]
    return Section(name="repeat", title="How to repeat this report", tripod=("12a", "12g", "18f"), blocks=tuple(blocks))


def _fingerprint(evidence: Evidence) -> str:
    made = evidence.card.provenance
    if evidence.same_rows and made is not None:
        return f"{visible(made.data or '')} (the training rows)"
    return f"{counted(len(evidence.data), 'row')}, not known to be the training rows"


def _work_done(evidence: Evidence) -> list[tuple[str, str]]:
    rows = []
    sizes, folds, trades, samples = (
        evidence.frontier, evidence.validation, evidence.trades, evidence.stability
    )  # fmt: skip
    if isinstance(sizes, Frontier):
        proven = sum(row.proven for row in sizes.rows)
        rows.append(("sizes", f"0 to {len(sizes.rows) - 1}; {proven} of {len(sizes.rows)} proven"))
    if isinstance(folds, CrossValidation):
        proven = sum(fold.proven for fold in folds.folds)
        rows.append(("folds", f"{len(folds.folds)} of {folds.asked}; {proven} cards proven optimal"))
    if isinstance(trades, Trades):
        rows.append(("ratios of class weights", f"{len(trades.points)} of {trades.asked}"))
    if isinstance(samples, Stability):
        rows.append(
            ("bootstrap samples", f"{samples.samples} of {samples.asked}; {samples.proven} cards proven optimal")
        )
    return rows


def _same_again(evidence: Evidence) -> str:
    if _hit_a_limit(evidence):
        return (
            "Some searches reached their time limit, so a repetition may find slightly different cards on "
            "folds and samples. For the same numbers everywhere, set a node limit and no time limit "
            "(--node-limit 2000 --time-limit inf)."
        )
    return "No search reached its time limit: the same card, rows, seed and versions give the same report."


def _hit_a_limit(evidence: Evidence) -> bool:
    sizes, folds, trades, samples = (
        evidence.frontier, evidence.validation, evidence.trades, evidence.stability
    )  # fmt: skip
    if evidence.plan.time_limit is None:
        return False
    return (
        (isinstance(sizes, Frontier) and not sizes.proven)
        or (isinstance(folds, CrossValidation) and (folds.timed_out or not all(fold.proven for fold in folds.folds)))
        or (isinstance(trades, Trades) and (trades.timed_out or any(p.proven < p.folds for p in trades.points)))
        or (isinstance(samples, Stability) and (samples.timed_out or samples.proven < samples.samples))
        or any(isinstance(part, Absent) and "no time" in part.reason for part in (folds, trades, samples))
    )


def _versions() -> list[str]:
    versions = []
    for package in _PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return versions
