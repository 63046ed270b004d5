"""Certifying: the certificate of a card, about the raw table that it was learned from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from supersparse.base.errors import InvalidCardError, UnsupportedProblemError
from supersparse.card.card import Card, Item
from supersparse.card.format import ITEM
from supersparse.card.provenance import CertificateFile
from supersparse.card.risk import LogisticRisk
from supersparse.engine.certify.certificate import certify, digest_of
from supersparse.engine.certify.checking import readable, readable_answers
from supersparse.engine.certify.risk_claim import AnswerRules
from supersparse.engine.certify.risk_proof import certify_risk
from supersparse.engine.certify.risk_questions import two_rules
from supersparse.engine.certify.statement import TableNames
from supersparse.learn.prepare.fitting import usable_columns
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.problem.points import Points
from supersparse.table.csv_file import read_top
from supersparse.table.reading import Reading
from supersparse.table.sources import read_every_column

_TEXT_FILES = ("csv", "tsv", "txt", "dat")
_OF_A_RULE = ("rule", "column", "values", "at_least", "above", "at_most", "below")


def certified(
    card: Card,
    question: PreparedProblem,
    points: Points,
    path: Path,
    rows: TrainingRows,
    *,
    target: str | None = None,
    weights: str | None = None,
    data: Path | None = None,
    reading: Reading | None = None,
) -> Card:
    """Write the certificate of a proven card and return the card that names it.

    `target` and `weights` are columns of the table, `data` is its file, read as `reading` says, or as the
    rows know. Without a name, the target is the title of the rows.
    """
    is_risk = question.problem.goal == "risk"
    rules, complete = None if question.problem.questions else _rules(question), _complete(question, rows)
    asked = question.problem.rows.names if rules is None else [rule["column"] for rule in rules]
    target, reading = target or rows.title, reading or rows.reading
    if reading is not None:
        reading = reading.about({*asked, *complete, target, weights} - {None})
    table = TableNames(
        target=target,
        weights=weights,
        sha256=None if data is None else digest_of(data),
        rules=rules,
        complete=complete,
        **_reading(reading, data),
    )
    if data is not None and not is_risk:
        table = readable(table, question.problem, data)
    if card.provenance is None:
        raise InvalidCardError("the card was written by hand, so nothing can be certified about it")
    if is_risk:
        _certify_risk(card, question, points, path, table, data)
    else:
        certify(question.problem, points, path, table=table)
    named = CertificateFile(file=path.name, sha256=digest_of(path))
    return replace(card, provenance=replace(card.provenance, certificate=named))


def _certify_risk(
    card: Card, question: PreparedProblem, points: Points, path: Path, table: TableNames, data: Path | None
) -> None:
    """Write the proof of a risk card, with the slope and the offset that it prints."""
    if not isinstance(card.risk, LogisticRisk):
        raise InvalidCardError("the card has no risks of its own, so nothing can be certified about it")
    asked = _answers(question)
    table = replace(table, rules=None)
    if data is not None:
        table = readable_answers(table, asked, question.problem, data)
    # printed totals are lower by what the threshold has moved
    slope, moved = Fraction(str(card.risk.slope)), card.intercept - card.as_learned.intercept
    offset = Fraction(str(card.risk.offset)) - slope * moved
    certify_risk(
        question.problem, points, path, slope=slope, offset=offset, table=table, answers=asked,
        blend=Fraction(str(question.recipe.settings.blend)),
    )  # fmt: skip


def _answers(question: PreparedProblem) -> list[AnswerRules]:
    """How the answers are read from raw columns; those of a yes/no feature are no and yes."""
    prepare = question.prepare
    if prepare is None:
        return [AnswerRules.of_numbers(name, 2) for name in question.problem.rows.names]
    if question.problem.questions:
        return [
            AnswerRules(
                column=one.column,
                rules=tuple(_rule(one.item(k, Fraction(1))) for k in range(len(one.rules))),
                missing=one.missing,
            )
            for one in prepare.questions_
        ]
    features = prepare.features_
    gaps = [1 if f.rule.kind == "missing" else f.when_missing for f in features]
    return [
        AnswerRules(
            column=feature.column,
            rules=tuple(two_rules(_rule(feature.item(Fraction(1))))),
            missing=None if gap is None else int(gap),
        )
        for feature, gap in zip(features, gaps, strict=True)
    ]


def checked(card: Card, checkers: Sequence[str]) -> Card:
    """The card that says who accepted its certificate."""
    if card.provenance is None or card.provenance.certificate is None:
        raise InvalidCardError("the card names no certificate, so nothing can have checked it")
    named = replace(card.provenance.certificate, checked_by=tuple(checkers))
    return replace(card, provenance=replace(card.provenance, certificate=named))


def points_of(card: Card, question: PreparedProblem) -> Points:
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
            f"the card's item {strange[0]} is not among the features that this table gives",
            "use the table that the card was learned from",
        )
    unit = question.problem.unit
    values = [items.get(rule, Fraction(0)) * unit for rule in rules]
    return Points(tuple(int(v) for v in values), learned.intercept * unit, unit)


def _rules(question: PreparedProblem) -> tuple[Mapping[str, Any], ...] | None:
    """The features as rules on raw columns; None where each is a column."""
    if question.prepare is None:
        return None
    rules = []
    for feature in question.prepare.features_:
        rule = _rule(feature.item(Fraction(1)))
        if feature.when_missing is not None:
            rule["if_missing"] = str(feature.when_missing)
        rules.append(rule)
    return tuple(rules)


def _rule(item: Item) -> dict[str, Any]:
    """The rule of a line, as cards write it."""
    content = ITEM.write(item)
    return {key: content[key] for key in _OF_A_RULE if key in content}


def _complete(question: PreparedProblem, rows: TrainingRows) -> tuple[str, ...]:
    """The columns that must have a value, where rows with a gap in one of them were left out."""
    prepare = question.recipe.prepare
    if prepare is None or prepare.missing != "drop" or not isinstance(rows.X, Mapping):
        return ()
    return tuple(usable_columns(read_every_column(rows.X)).columns)


def check_text_file(data: Path) -> None:
    """Refuse a table that the checker cannot read, by its name."""
    if data.name.removesuffix(".gz").rpartition(".")[2].lower() not in _TEXT_FILES:
        raise UnsupportedProblemError(
            f"certificates need a text file, and {data.name!r} is not one",
            "save the table as CSV, and learn the card from that",
        )


def _reading(reading: Reading | None, data: Path | None) -> dict[str, Any]:
    """How the checker must read the table; what it has no rule for is refused."""
    if data is not None:
        check_text_file(data)
    if reading is None:
        return {} if data is None else {"separator": read_top(data, Reading())[0]}
    odd = reading.dates or reading.sheet
    if odd is not None:
        raise UnsupportedProblemError(
            f"certificates do not support dates or sheets ({odd!r})",
            "write plain numbers to a CSV file, and learn the card from that",
        )
    columns: dict[str, dict[str, Any]] = {}
    for name, one in reading.columns.items():
        tidies, decimal = reading.tidies(name), reading.decimal or one.decimal
        how = {
            **({"decimal": ","} if decimal == "," else {}),
            **({"spellings": dict(one.spellings)} if one.spellings and tidies else {}),
            **({"missing": list(one.missing)} if one.missing and tidies else {}),
        }
        if how:
            columns[name] = how
    recognised = reading.found.get("encoding", "utf-8")
    encoding = reading.encoding or recognised
    encoding = "utf-8-sig" if encoding.lower().startswith("utf-8") else encoding
    separator = reading.separator
    if separator is None and data is not None:
        separator = read_top(data, replace(reading, encoding=encoding))[0]
    return {"missing": tuple(sorted(reading.missing)), "separator": separator, "encoding": encoding, "columns": columns}
