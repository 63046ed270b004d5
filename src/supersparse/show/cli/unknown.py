"""Values that a card does not score: refused by their place, or missing ones scored as a range of totals."""

from typing import TYPE_CHECKING, Any

from supersparse.base.errors import InvalidDataError, InvalidOptionError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from supersparse.card.card import Card
    from supersparse.card.cases import Cases, LabelledCases

NOT_KNOWN = "not known"
_CHOICES = ("refuse", "allow")


def check_choice(unknown: str, *, reasons: bool) -> None:
    """Refuse another word than the two, and reasons for totals that are not known."""
    if unknown not in _CHOICES:
        raise InvalidOptionError(f"--unknown is {unknown!r}; {did_you_mean(unknown, _CHOICES)}")
    if reasons and unknown == "allow":
        raise InvalidOptionError("--reasons needs every value; remove it, or remove --unknown allow")


def check_scored(card: "Card", cases: "Cases | LabelledCases", otherwise: str | None) -> None:
    """Refuse a table with a value that the card does not score, and say where it stands.

    That is one outside what the card knows and accepts, or a missing one; `otherwise` says what can be done
    about the latter besides filling it in, None where it is allowed.
    """
    from supersparse.base.exact import shown
    from supersparse.card.checks import described, expectations, outside_values
    from supersparse.card.tables import read_card_table

    if not card.columns:
        return
    table = read_card_table(card, cases.columns)
    refusing = {domain.column: domain for domain in card.domains if domain.outside == "refuse"}
    for value in outside_values(card, table):
        if value.column in refusing:
            raise InvalidDataError(
                f"{cases.table.name}: column {value.column!r} is {value.value!r} in "
                f"{_where(cases, value.rows, value.first_row - 1)}, which is outside "
                f"{described(refusing[value.column])}; correct it, or leave such rows out"
            )
        if otherwise is not None and (ends := _seen_ends(card, value.column, value.value)) is not None:
            raise InvalidDataError(
                f"{cases.table.name}: column {value.column!r} is {value.value!r} in "
                f"{_where(cases, value.rows, value.first_row - 1)}, further from the training rows' "
                f"{shown(ends[0])} to {shown(ends[1])} than that range is wide; correct it, or {otherwise}"
            )
    for expected in expectations(card):
        missing = table.columns[expected.column].missing
        if otherwise is not None and expected.refuses_missing and missing is not None and missing.any():
            where = _where(cases, int(missing.sum()), int(missing.argmax()))
            raise InvalidDataError(
                f"{cases.table.name}: column {expected.column!r} has no value in {where}; fill it in, or "
                f"{otherwise}"
            )


def check_near(card: "Card", person: "Mapping[str, object]") -> None:
    """Refuse one person with a number further from the training rows' range than that range is wide."""
    from supersparse.base.exact import shown

    for domain in card.domains:
        value = person.get(domain.column)
        ends = None if value is None else _seen_ends(card, domain.column, value)
        if ends is not None:
            raise InvalidDataError(
                f"column {domain.column!r} is {value!r}, further from the training rows' {shown(ends[0])} to "
                f"{shown(ends[1])} than that range is wide; correct it"
            )


def _seen_ends(card: "Card", column: str, value: object) -> "tuple[Fraction, Fraction] | None":
    """The range of a learned card's training rows, if a number is further from it than it is wide."""
    from supersparse.base.exact import exact_value
    from supersparse.table.values import is_beyond, is_missing

    domain = next(domain for domain in card.domains if domain.column == column)
    low, high = domain.low, domain.high
    if card.provenance is None or low is None or high is None:
        return None
    if isinstance(value, str) or is_missing(value) or is_beyond(value):
        return None
    number, width = exact_value(value, f"column {column!r}"), high - low
    return None if low - width <= number <= high + width else (low, high)


def check_grouped(cases: "LabelledCases", groups: str) -> None:
    """Refuse a row without a group, and say where it stands."""
    from supersparse.table.values import is_missing

    blank = [row for row, value in enumerate(cases.columns[groups].tolist()) if is_missing(value)]
    if blank:
        raise InvalidDataError(
            f"{cases.table.name}: the group column {groups!r} is blank in "
            f"{_where(cases, len(blank), blank[0])}; fill it in, or use --cv-groups none"
        )


def _where(cases: "Cases | LabelledCases", count: int, first: int) -> str:
    place = cases.place(first)
    return place if count == 1 else f"{count} rows, the first in {place}"


def possible_columns(card: "Card", columns: Any, *, json: bool) -> dict[str, list[object]]:
    """Return the columns of the output: total, total_low, total_high, prediction, and risk if known."""
    from supersparse.base.exact import shown
    from supersparse.card.evaluate.rates import plain_number
    from supersparse.card.risk import risk_of
    from supersparse.card.unknown import possible_rows

    write = plain_number if json else shown
    nothing = None if json else ""
    rows = possible_rows(card, columns)
    found: dict[str, list[object]] = {
        "total": [write(row.low) if row.is_known else nothing for row in rows],
        "total_low": [write(row.low) for row in rows],
        "total_high": [write(row.high) for row in rows],
        "prediction": [NOT_KNOWN if row.prediction is None else row.prediction for row in rows],
    }
    if card.risk is not None:
        found["risk"] = [risk_of(card.risk, row.low) if row.is_known else nothing for row in rows]
    return found
