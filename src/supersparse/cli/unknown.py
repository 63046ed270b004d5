"""Values that a card needs and a table lacks: refused by name, or scored as a range of totals."""

from typing import TYPE_CHECKING, Any

from supersparse.errors import InvalidDataError, InvalidOptionError, did_you_mean

if TYPE_CHECKING:
    from supersparse.card.card import Card
    from supersparse.card.cases import Cases

NOT_KNOWN = "not known"
_CHOICES = ("refuse", "allow")


def check_choice(unknown: str, *, reasons: bool) -> None:
    """Refuse another word than the two, and reasons for totals that are not known."""
    if unknown not in _CHOICES:
        raise InvalidOptionError(f"--unknown is {unknown!r}; {did_you_mean(unknown, _CHOICES)}")
    if reasons and unknown == "allow":
        raise InvalidOptionError("--reasons needs every value; remove it, or remove --unknown allow")


def check_known(card: "Card", cases: "Cases") -> None:
    """Refuse a table that lacks a value which the card needs."""
    from supersparse.card.checks import expectations
    from supersparse.card.tables import read_card_table

    table = read_card_table(card, cases.columns) if card.columns else None
    for expected in expectations(card):
        missing = None if table is None else table.columns[expected.column].missing
        if expected.refuses_missing and missing is not None and missing.any():
            count, place = int(missing.sum()), cases.table.place(int(missing.argmax()))
            where = place if count == 1 else f"{count} rows, the first in {place}"
            raise InvalidDataError(
                f"{cases.table.name}: column {expected.column!r} has no value in {where}; fill it in, "
                "or use --unknown allow to get the totals that are possible"
            )


def possible_columns(card: "Card", columns: Any, *, json: bool) -> dict[str, list[object]]:
    """Return the columns of the output: total, total_low, total_high, prediction, and risk if known."""
    from supersparse.card.risk import risk_of
    from supersparse.card.unknown import possible_rows
    from supersparse.evaluate.rates import plain_number
    from supersparse.exact import shown

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
