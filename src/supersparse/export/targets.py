"""The exports by name; each is loaded when used."""

import inspect
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from supersparse.card.card import Card, Item
from supersparse.card.rules import Domain, IsNoneOf, IsOneOf
from supersparse.data.values import Category
from supersparse.errors import InvalidOptionError, did_you_mean
from supersparse.writing import write_file

TARGETS = {
    "python": "to_python",
    "sql": "to_sql",
    "javascript": "to_javascript",
    "xlsx": "to_xlsx",
    "pmml": "to_pmml",
    "onnx": "to_onnx",
}


def export(card: Card, target: str, path: str | Path | None = None, **options: object) -> str | bytes:
    """Export a card, and write it to `path` if you give one.

    Returns text for Python, SQL, JavaScript and PMML, and bytes for xlsx and ONNX. The options are those of
    the corresponding function in `supersparse.export`, such as `to_sql(card, dialect="duckdb")`.
    """
    if target not in TARGETS:
        raise InvalidOptionError(f"unknown export {target!r}; {did_you_mean(target, TARGETS)}")
    function = getattr(import_module(f"supersparse.export.{target}"), TARGETS[target])
    known = [name for name in inspect.signature(function).parameters if name != "card"]
    for name in options:
        if name not in known:
            raise InvalidOptionError(
                f"the export {target!r} has no option {name!r}; {did_you_mean(name, known)}"
            )
    # a person fills in the spreadsheet, and Excel does not tell upper from lower case
    made: str | bytes = function(card if target == "xlsx" else _spelled_out(card), **options)
    if path is not None:
        content = made.encode("utf-8") if isinstance(made, str) else made
        write_file(path, content)
    return made


def _spelled_out(card: Card) -> Card:
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
