"""Raw values: a person or rows for a card in whatever form they come, as the card's file writes them.

`supersparse predict` reads a file as the card's file was read: 'NA' and -99 are missing, 'Ja' is 'ja'. A
table in memory is read so, too, and a program that is exported sees what is in the table, so it is told the
same. A card that was made by hand has no file, and all its values are taken as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import exact_value
from supersparse.card.card import Card, Item
from supersparse.card.rules import Domain, IsNoneOf, IsOneOf
from supersparse.table.cells import is_number
from supersparse.table.reading import USUALLY_MISSING, ColumnReading, Reading
from supersparse.table.sources import ArraySource, CellTable, Source, is_column, is_matrix, read_columns, source_of
from supersparse.table.values import Category, Cells, Numbers, Objects, equal_to, is_missing, nearest_column, read_list


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingCodes:
    """The codes for a missing value in a column: texts, and numbers."""

    texts: tuple[str, ...] = ()
    numbers: tuple[Fraction, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.texts)


def missing_codes(card: Card) -> Mapping[str, MissingCodes]:
    """The codes for a missing value, by column: the words of the card's file, and the column's own codes.

    A word that is a number stands for a missing value among numbers, too.
    """
    if card.reading is None:
        return dict.fromkeys(card.columns, MissingCodes())
    reading = reading_for(card, Reading())
    return {column: _codes(reading, column) for column in card.columns}


def _codes(reading: Reading, column: str) -> MissingCodes:
    of_column = reading.of_column(column).missing if reading.tidies(column) else ()
    texts = tuple(sorted({*reading.missing, *of_column}))
    numbers = {Fraction(text) for text in texts if is_number(text)}
    return MissingCodes(texts=texts, numbers=tuple(sorted(numbers)))


def reading_for(card: Card, reading: Reading) -> Reading:
    """Return how the card's own file was read, with what is asked here in its place.

    Texts that the card names as categories are kept.
    """
    reading = reading.over(card.reading or Reading(settled=True))
    named = {
        value
        for holder in (*card.domains, *(item.rule for item in card.items))
        for value in getattr(holder, "values", None) or ()
        if isinstance(value, str)
    }
    return replace(
        reading,
        columns=_with_all_codes(card, reading),
        missing=reading.missing - (named & USUALLY_MISSING),
        strips=reading.strips and all(value == value.strip(" \t") for value in named),
    )


def _with_all_codes(card: Card, reading: Reading) -> Mapping[str, ColumnReading]:
    """The reading of each column, with the codes that meant missing in other columns of the training rows.

    A code that the column had as a value, or that lies within the range of its values, stays a value there.
    """
    codes = dict.fromkeys(code for one in reading.columns.values() for code in one.missing)
    if not codes:
        return reading.columns
    columns = dict(reading.columns)
    for name in card.columns:
        how, domain = reading.of_column(name), card.domain(name)
        more = [code for code in codes if code not in how.missing and not _is_value(card, name, domain, code)]
        if more:
            columns[name] = replace(how, missing=(*how.missing, *more))
    return columns


def _is_value(card: Card, column: str, domain: Domain | None, code: str) -> bool:
    """Whether the card knows a code as a value of a column; of numbers without a range, any is."""
    known = known_values(card, column)
    if any(isinstance(value, str) for value in known):
        return code in known
    if not is_number(code):
        return False
    if domain is None or (domain.values is None and (domain.low is None or domain.high is None)):
        return True
    number = Fraction(code)
    if domain.values is not None:
        return number in known
    assert domain.low is not None
    assert domain.high is not None
    return domain.low <= number <= domain.high


def known_values(card: Card, column: str) -> list[Category]:
    """The categories of a column that a card knows: those of its domain, and those that its rules name."""
    holders = (*card.domains, *(item.rule for item in card.items))
    listed = [getattr(holder, "values", None) or () for holder in holders if holder.column == column]
    return list(dict.fromkeys(value for values in listed for value in values))


def as_read(card: Card, reading: Reading) -> Card:
    """Return a learned card with how a table was read in fact: as its own file, but for what was asked."""
    return card if card.reading is None else replace(card, reading=reading_for(card, reading))


def as_training_rows(card: Card, columns: Mapping[str, Cells]) -> dict[str, Cells]:
    """Return columns in memory as a file is read: codes are missing, and variants have one spelling."""
    codes = missing_codes(card)
    spellings = {name: spellings_of(card, name) for name in columns}
    return {name: _read_again(cells, codes[name], spellings[name]) for name, cells in columns.items()}


def _read_again(cells: Cells, codes: MissingCodes, spellings: Mapping[str, str]) -> Cells:
    if isinstance(cells, Objects):
        plain = [_plain(value, codes, spellings) for value in cells.distinct]
        same = all(one is other for one, other in zip(plain, cells.distinct, strict=True))
        return cells if same else read_list(plain[code] for code in cells.codes.tolist())
    coded = np.zeros(len(cells), dtype=bool)
    for number in codes.numbers:
        coded |= equal_to(cells.values, number)
    if not coded.any():
        return cells
    gone = coded if cells.missing is None else coded | cells.missing
    return Numbers(np.where(gone, cells.values.dtype.type(0), cells.values), gone)


def _plain(value: object, codes: MissingCodes, spellings: Mapping[str, str]) -> object:
    if isinstance(value, str):
        return None if value in codes.texts else spellings.get(value, value)
    if not codes.numbers or is_missing(value):
        return value
    try:
        return None if exact_value(value, "a value") in codes.numbers else value
    except InvalidDataError:  # nothing that can be a code
        return value


def spellings_of(card: Card, column: str) -> Mapping[str, str]:
    """The spellings of a column that were read as another one, which was kept."""
    if card.reading is None or not card.reading.tidies(column):
        return {}
    return card.reading.of_column(column).spellings


def spelled_out(card: Card) -> Card:
    """Return a card that asks the same, and whose rules name all spellings that were read as one category."""
    if card.reading is None or not any(one.spellings for one in card.reading.columns.values()):
        return card
    items = tuple(_item(card, item) for item in card.items)
    domains = tuple(_domain(card, domain) for domain in card.domains)
    return replace(card, items=items, domains=domains, learned=None)


def _all_spellings(card: Card, column: str, values: tuple[Category, ...]) -> tuple[Category, ...]:
    spellings = spellings_of(card, column)
    return (*values, *(text for text, spelling in spellings.items() if spelling in values and text not in values))


def _item(card: Card, item: Item) -> Item:
    if not isinstance(item.rule, IsOneOf | IsNoneOf):
        return item
    values = _all_spellings(card, item.column, item.rule.values)
    return replace(item, rule=replace(item.rule, values=values), question=item.asks)


def _domain(card: Card, domain: Domain) -> Domain:
    if domain.values is None:
        return domain
    return replace(domain, values=_all_spellings(card, domain.column, domain.values))


CardTable = CellTable
"""The columns that a card needs, by name."""


def is_person(data: object) -> bool:
    """Whether the data are one person: a mapping from column names to single values, or a row of pandas."""
    return _is_row(data) or (isinstance(data, Mapping) and not any(map(is_column, data.values())))


def _is_row(data: object) -> bool:
    is_series = getattr(data, "ndim", None) == 1 and hasattr(data, "index") and hasattr(data, "items")
    return is_series and all(isinstance(name, str) for name in data.index)  # type: ignore[attr-defined]


def person_values(card: Card, person: Mapping[str, object]) -> dict[str, object]:
    """The values that the card needs; everything else is ignored."""
    if getattr(person, "ndim", 1) != 1:
        raise InvalidDataError(
            f"{type(person).__name__} is not one person", "give a dict, or one row, such as table.iloc[0]"
        )
    by_name = {str(name): value for name, value in person.items()}
    _require(card, list(by_name))
    values = {name: by_name[name] for name in card.columns}
    if card.reading is None:
        return values
    codes = missing_codes(card)
    return {name: _plain(value, codes[name], spellings_of(card, name)) for name, value in values.items()}


def read_card_table(card: Card, data: object, names: Sequence[str] | None = None) -> CardTable:
    """Read the columns that the card needs; others are ignored, missing ones are named.

    A card that was learned from a file reads them as that file was read. Accepts a mapping of columns, any
    eager frame that narwhals reads, a numpy array with named fields, and a numpy or scipy array: with `names`
    for its columns, else with as many columns as the training table had.
    """
    source = _source(card, data, names)
    _require(card, source.names)
    table = read_columns(source, card.columns)
    if card.reading is None:
        return table
    return CellTable(as_training_rows(card, table.columns), table.n_rows)


def read_column(card: Card, data: object, name: str, names: Sequence[str] | None = None) -> list[object]:
    """Return one column of a table as a list of plain values, None where they are missing."""
    source = _source(card, data, names)
    if name not in source.names:
        raise InvalidDataError(f"the data have no column {name!r}", nearest_column(name, source.names))
    cells = source.column(name)
    if isinstance(cells, Objects):
        values = [cells.distinct[code] for code in cells.codes.tolist()]
    else:
        values = cells.values.tolist()
    if cells.missing is None:
        return values
    return [None if gone else value for value, gone in zip(values, cells.missing.tolist(), strict=True)]


def _source(card: Card, data: object, names: Sequence[str] | None) -> Source:
    if names is None and is_matrix(data):
        return ArraySource(data, _positions(card, data))
    return source_of(data, names)


def _positions(card: Card, data: Any) -> Mapping[str, int]:
    """Where the columns of the card are in an array shaped like the training table."""
    known = {i.column: i.position for i in card.items if i.position is not None}
    if card.n_columns is None or len(known) < len(card.columns):
        raise InvalidDataError(
            "this card knows its columns by name only", "give a data frame, a dict of columns, or names="
        )
    if data.ndim != 2 or data.shape[1] != card.n_columns:
        raise InvalidDataError(
            f"the array has shape {data.shape}",
            (
                f"without column names it must have the training table's {card.n_columns} columns, else "
                "give a data frame, a dict of columns, or names="
            ),
        )
    return known


def _require(card: Card, names: list[str]) -> None:
    known = set(names)
    missing = [name for name in card.columns if name not in known]
    if not missing:
        return
    listed = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
    hint = nearest_column(missing[0], names)
    raise InvalidDataError(f"the data lack {len(missing)} column(s) that the card needs: {listed}", hint)
