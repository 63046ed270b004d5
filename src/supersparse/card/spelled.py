"""Spelled out: a card that names every spelling of its categories that its file had, for exports."""

from dataclasses import replace

from supersparse.card.card import Card, Item
from supersparse.card.rules import Domain, IsNoneOf, IsOneOf
from supersparse.data.values import Category


def spelled_out(card: Card) -> Card:
    """Return a card that asks the same, and whose rules name all spellings that were read as one category.

    `predict` reads 'Ja' as 'ja' by itself, because the card keeps how its file was read; a program that is
    exported sees what is in the table.
    """
    if card.reading is None or not any(one.spellings for one in card.reading.columns.values()):
        return card
    items = tuple(_item(card, item) for item in card.items)
    domains = tuple(_domain(card, domain) for domain in card.domains)
    return replace(card, items=items, domains=domains, learned=None, reading=None)


def _all_spellings(card: Card, column: str, values: tuple[Category, ...]) -> tuple[Category, ...]:
    assert card.reading is not None
    spellings = card.reading.of_column(column).spellings
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
