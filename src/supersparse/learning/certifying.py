"""Certifying: the certificate of a card, about the raw table that it was learned from."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from supersparse.card.card import Card
from supersparse.card.file import item_content
from supersparse.card.provenance import CertificateFile
from supersparse.certify.certificate import certify, digest_of
from supersparse.certify.statement import TableNames
from supersparse.errors import InvalidCardError, UnsupportedProblemError
from supersparse.learning.recipe import Question
from supersparse.learning.rows import TrainingRows
from supersparse.problem.points import Points

_OF_A_RULE = ("rule", "column", "values", "at_least", "above", "at_most", "below")


def certified(
    card: Card,
    question: Question,
    points: Points,
    path: Path,
    rows: TrainingRows,
    *,
    target: str | None = None,
    weights: str | None = None,
    data: Path | None = None,
) -> Card:
    """Write the certificate of a proven card and return the card that names it.

    `target` and `weights` are columns of the table, `data` is its file. Without a name, the target is the
    title of the rows.
    """
    _check_reading(rows)
    reading = rows.reading
    table = TableNames(
        target=target or rows.title,
        weights=weights,
        sha256=None if data is None else digest_of(data),
        rules=_rules(question),
        **({} if reading is None else {"missing": tuple(sorted(reading.missing))}),
    )
    written = certify(question.problem, points, path, table=table)
    if card.provenance is None:
        raise InvalidCardError("the card was written by hand, so nothing can be certified about it")
    named = CertificateFile(file=path.name, sha256=written.sha256)
    return replace(card, provenance=replace(card.provenance, certificate=named))


def points_of(card: Card, question: Question) -> Points:
    """The points of a card as a solution of the question that it answers."""
    learned = card.as_learned
    if question.prepare is None:
        rules: list[Any] = [("value", name) for name in question.problem.rows.names]
        items: dict[Any, Fraction] = {(item.rule.kind, item.column): item.points for item in learned.items}
    else:
        rules = [feature.rule for feature in question.prepare.features_]
        items = {item.rule: item.points for item in learned.items}
    strange = [rule for rule in items if rule not in rules]
    if strange:
        raise InvalidCardError(
            f"the card's item {strange[0]} is not among the features that this table gives; "
            "use the table that the card was learned from"
        )
    unit = question.problem.unit
    values = [items.get(rule, Fraction(0)) * unit for rule in rules]
    return Points(tuple(int(v) for v in values), learned.intercept * unit, unit)


def _rules(question: Question) -> tuple[Mapping[str, Any], ...] | None:
    """The features as rules on raw columns; None where each is a column."""
    if question.prepare is None:
        return None
    rules = []
    for feature in question.prepare.features_:
        content = item_content(feature.item(Fraction(1)))
        rule = {key: content[key] for key in _OF_A_RULE if key in content}
        if feature.when_missing is not None:
            rule["if_missing"] = str(feature.when_missing)
        rules.append(rule)
    return tuple(rules)


def _check_reading(rows: TrainingRows) -> None:
    """Refuse a table that the checker, which reads plain CSV, would read differently."""
    if rows.notes:
        raise UnsupportedProblemError(
            f"certificates need all rows of the table, but: {rows.notes[0]}; leave these rows out of the file"
        )
    reading = rows.reading
    if reading is None:
        return
    odd = {
        name
        for name in reading.as_data()
        if name not in ("missing", "columns", "found", "encoding", "separator")
    }
    odd |= {name for name, one in reading.columns.items() if not one.is_plain}
    if odd:
        raise UnsupportedProblemError(
            f"certificates need a table that reads as it is written, but {sorted(odd)[0]!r} is read with "
            "codes, spellings or another decimal sign; write such values as plain numbers or texts first"
        )
