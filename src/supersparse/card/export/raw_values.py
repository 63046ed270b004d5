"""Raw values: what stands in a card's own file for a missing value, and for a category spelled otherwise.

`supersparse predict` reads a file as the card's file was read: 'NA' and -99 are missing, 'Ja' is 'ja'. A
program that is exported sees what is in the table, so it is told the same. A card that was made by hand has
no file, and all its values are taken as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from supersparse.card.card import Card, Item
from supersparse.card.rules import Domain, IsNoneOf, IsOneOf
from supersparse.table.cells_of_text import is_number
from supersparse.table.reading import Reading
from supersparse.table.values import Category


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingCodes:
    """What stands for a missing value in a column, beside nothing: texts, and numbers."""

    texts: tuple[str, ...] = ()
    numbers: tuple[Fraction, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.texts)


def missing_codes(card: Card) -> Mapping[str, MissingCodes]:
    """What stands for a missing value, by column: the words of the card's file, and the column's own codes.

    A word that is a number stands for a missing value among numbers, too.
    """
    if card.reading is None:
        return dict.fromkeys(card.columns, MissingCodes())
    from supersparse.card.cases import reading_for

    reading = reading_for(card, Reading())
    return {column: _codes(reading, column) for column in card.columns}


def _codes(reading: Reading, column: str) -> MissingCodes:
    own = reading.of_column(column).missing if reading.tidies(column) else ()
    texts = tuple(sorted({*reading.missing, *own}))
    numbers = {Fraction(text) for text in texts if is_number(text)}
    return MissingCodes(texts=texts, numbers=tuple(sorted(numbers)))


def spelled_out(card: Card) -> Card:
    """Return a card that asks the same, and whose rules name all spellings that were read as one category."""
    if card.reading is None or not any(one.spellings for one in card.reading.columns.values()):
        return card
    items = tuple(_item(card, item) for item in card.items)
    domains = tuple(_domain(card, domain) for domain in card.domains)
    return replace(card, items=items, domains=domains, learned=None)


def _all_spellings(card: Card, column: str, values: tuple[Category, ...]) -> tuple[Category, ...]:
    assert card.reading is not None
    spellings = card.reading.of_column(column).spellings if card.reading.tidies(column) else {}
    return (*values, *(text for text, kept in spellings.items() if kept in values and text not in values))


def _item(card: Card, item: Item) -> Item:
    if not isinstance(item.rule, IsOneOf | IsNoneOf):
        return item
    values = _all_spellings(card, item.column, item.rule.values)
    return replace(item, rule=replace(item.rule, values=values), question=item.asks)


def _domain(card: Card, domain: Domain) -> Domain:
    if domain.values is None:
        return domain
    return replace(domain, values=_all_spellings(card, domain.column, domain.values))
