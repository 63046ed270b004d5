"""Values that a card does not score: refused by their place, or scored all the same (`--unknown allow`)."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from supersparse.base.errors import InvalidDataError, InvalidOptionError, did_you_mean
from supersparse.base.exact import int_or_float, shown
from supersparse.card.card import Card
from supersparse.card.cases import Cases, LabelledCases
from supersparse.card.checks import expectations, refused_values
from supersparse.card.explain.reasons import possible_rows
from supersparse.card.raw_values import as_read, read_card_table
from supersparse.card.risk import risk_of
from supersparse.table.reading import Reading
from supersparse.table.values import is_missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from supersparse.show.document import ScoringSystem

NOT_KNOWN = "not known"
ALLOW = "use --unknown allow to score it by the rules as they stand"
_CHOICES = ("refuse", "allow")


def read_choice(unknown: str, system: "ScoringSystem", reading: Reading, *, reasons: bool = False) -> "ScoringSystem":
    """Return the system that scores what it shall of a table that is read so; refuse reasons for no total."""
    if unknown not in _CHOICES:
        raise InvalidOptionError(subject="--unknown", value=unknown, remedy=did_you_mean(unknown, _CHOICES))
    if reasons and unknown == "allow":
        raise InvalidOptionError("--reasons needs every value", "remove it, or remove --unknown allow")
    system = replace(system, card=as_read(system.card, reading))
    return system.accepting_unknown() if unknown == "allow" else system


def check_scored(card: Card, cases: Cases | LabelledCases, otherwise: str | None, allow: str = "") -> None:
    """Refuse a table with a value that the card does not score, and say where it stands.

    That is one outside what the card knows and accepts, or a missing one; `otherwise` says what can be done
    about the latter besides filling it in, None where it is allowed, and `allow` what can be done about a
    value that is far from those of the training rows besides correcting it.
    """
    if not card.columns:
        return
    table = read_card_table(card, cases.columns)
    for refused in refused_values(card, table):
        remedy = allow if refused.is_near and allow else "leave such rows out"
        raise InvalidDataError(
            f"{cases.table.name}: column {refused.column!r} is {refused.value!r} in "
            f"{_where(cases, refused.rows, refused.first_row - 1)}, {refused.reason}",
            f"correct it, or {remedy}",
        )
    for expected in expectations(card):
        missing = table.columns[expected.column].missing
        if otherwise is not None and expected.refuses_missing and missing is not None and missing.any():
            where = _where(cases, int(missing.sum()), int(missing.argmax()))
            raise InvalidDataError(
                f"{cases.table.name}: column {expected.column!r} has no value in {where}", f"fill it in, or {otherwise}"
            )


def check_person(card: Card, person: "Mapping[str, object]", place: str) -> None:
    """Refuse one person with a value that the card does not score; `place` says where it was read."""
    if not card.columns:
        return
    for refused in refused_values(card, read_card_table(card, {n: [v] for n, v in person.items()})):
        remedy = f", or {ALLOW}" if refused.is_near else ""
        raise InvalidDataError(
            f"column {refused.column!r} is {refused.value!r}{place}, {refused.reason}", f"correct it{remedy}"
        )
    for expected in expectations(card):
        if place and expected.refuses_missing and is_missing(person[expected.column]):
            raise InvalidDataError(
                f"column {expected.column!r} has no value{place}",
                "fill it in; predict --unknown allow gives the totals that are possible",
            )


def check_grouped(cases: LabelledCases, groups: str) -> None:
    """Refuse a row without a group, and say where it stands."""
    blank = [row for row, value in enumerate(cases.columns[groups].tolist()) if is_missing(value)]
    if blank:
        raise InvalidDataError(
            f"{cases.table.name}: the group column {groups!r} is blank in {_where(cases, len(blank), blank[0])}",
            "fill it in, or use --cv-groups none",
        )


def _where(cases: Cases | LabelledCases, count: int, first: int) -> str:
    place = cases.place(first)
    return place if count == 1 else f"{count} rows, the first in {place}"


def possible_columns(card: Card, columns: Any, *, json: bool) -> dict[str, list[object]]:
    """Return the columns of the output: total, total_low, total_high, prediction, and risk if known."""
    write = int_or_float if json else shown
    nothing = None if json else ""
    rows = possible_rows(card, columns)
    possible: dict[str, list[object]] = {
        "total": [write(row.low) if row.is_known else nothing for row in rows],
        "total_low": [write(row.low) for row in rows],
        "total_high": [write(row.high) for row in rows],
        "prediction": [NOT_KNOWN if row.prediction is None else row.prediction for row in rows],
    }
    if card.risk is not None:
        possible["risk"] = [risk_of(card.risk, row.low) if row.is_known else nothing for row in rows]
    return possible
