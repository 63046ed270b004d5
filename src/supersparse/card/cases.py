"""Cases: rows of a file for a saved card, text or numbers as its rules expect."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted
from supersparse.card.card import Card, Label
from supersparse.card.checks import expectations, left_open
from supersparse.card.raw_values import known_values, reading_for
from supersparse.card.words import category_text
from supersparse.table.cells import beyond, is_number, plain_number, possible_signs, read_numbers
from supersparse.table.collecting import Limit, first_row, open_text
from supersparse.table.files import na_words, read_table, undecided_text
from supersparse.table.reading import Reading
from supersparse.table.roles import Target, rest_of, weight_column
from supersparse.table.table import Kind, Table
from supersparse.table.tidying import same_text, tidied, variants_of
from supersparse.table.values import Category, objects


def _remedy(na: str | None, _name: str) -> str:
    return "correct them" if na is None else f"treat as missing with --na {na}, or correct them"


def _ignore(note: str) -> None:
    pass


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cases:
    """The columns that a card needs and some others, row by row."""

    columns: dict[str, NDArray[Any]]
    n_rows: int
    table: Table

    def place(self, row: int) -> str:
        """Say where a row, counted from 0, stands in the file."""
        return self.table.place(row)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabelledCases:
    """The same for labelled rows."""

    columns: dict[str, NDArray[Any]]
    y: list[Label]
    weights: NDArray[Any] | None
    table: Table
    rows: NDArray[np.bool_]  # of the table: those that are labelled

    def place(self, row: int) -> str:
        """Say where a labelled row, counted from 0, stands in the file."""
        return self.table.place(int(np.flatnonzero(self.rows)[row]))


def read_cases(
    path: Path, reading: Reading, card: Card, others: Sequence[str] = (), *, note: Callable[[str], None] = _ignore
) -> Cases:
    """Read the columns a card needs, as text or numbers according to its rules, and `others` as text.

    `note` is told what is odd about the file.
    """
    table = _read(path, reading, card, dict.fromkeys(others, Kind.TEXT), note)
    columns = _columns(table, card) | {name: table.values(name) for name in others}
    return Cases(columns=columns, n_rows=table.n_rows, table=table)


def read_as_written(path: Path, reading: Reading, card: Card, names: Collection[str]) -> dict[str, NDArray[Any]]:
    """Read some columns of a file that a card has read, as texts that are not tidied."""
    expected = dict.fromkeys(names, Kind.TEXT)
    reading = reading_for(card, reading)
    table = read_table(path, reading, wanted=names.__contains__, expected=expected, verbatim=names)
    return {name: table.values(name) for name in names}


def read_labelled(
    path: Path,
    reading: Reading,
    card: Card,
    target: str,
    others: Sequence[str] = (),
    weights: str | None = None,
    *,
    perhaps: Collection[str] = (),
    texts: Collection[str] = (),
    lack: str = "column {name}",
    note: Callable[[str], None] = _ignore,
) -> LabelledCases:
    """Read the labelled rows of a table, with the classes of a card.

    Columns in `perhaps` are read where the file has them, those in `texts` as text. A card keeps nothing of
    columns that it does not use, so codes and spellings are looked for in these as `fit` does. `lack` says
    what the file has not where the target is missing, with {name} in it.
    """
    if target in card.columns:
        raise InvalidDataError(f"the scoring system uses {target!r}, so it cannot be the target")
    if target == weights:
        raise InvalidDataError(f"{target!r} is the target, so it cannot hold weights")
    more: dict[str, Kind | None] = dict.fromkeys(perhaps)
    more |= dict.fromkeys([*(name for name in others if name not in perhaps), *texts, target], Kind.TEXT)
    if weights is not None:
        more[weights] = Kind.NUMBER
    table = _read(path, reading, card, more, note, target, weights)
    columns = _columns(table, card)
    classes = read_class_column(table, target, card, lack)
    columns |= {name: table.values(name) for name in others}
    columns |= {name: table.values(name) for name in perhaps if name in table.columns}
    if not columns:  # a card that asks nothing: a column all the same, so that rows can be counted
        columns[target] = table.values(target)
    for text in (*(text for name in others for text in table.column_notes.get(name, ())), *classes.notes):
        note(text)
    return LabelledCases(
        columns={name: values[classes.rows] for name, values in columns.items()},
        y=classes.labels.tolist(),
        weights=None if weights is None else weight_column(table, weights)[classes.rows],
        table=table,
        rows=classes.rows,
    )


def with_its_codes(cases: LabelledCases, card: Card, reading: Reading, note: Callable[[str], None]) -> LabelledCases:
    """Return the cases with the codes for missing values that this file has among its numbers, as in `fit`.

    A card that keeps no range of its columns cannot tell -99 from a value.
    """
    unsettled = replace(reading_for(card, reading), settled=False)
    columns = dict(cases.columns)
    for name in card.columns:
        column = cases.table.columns[name]
        tidy = tidied(column, unsettled, None) if column.kind is Kind.NUMBER else None
        if tidy is not None and tidy.notes:
            columns[name] = tidy.column.values[cases.rows]
            for text in tidy.notes:
                note(text)
    return replace(cases, columns=columns)


def _read(
    path: Path,
    reading: Reading,
    card: Card,
    more: Mapping[str, Kind | None],
    note: Callable[[str], None],
    target: str | None = None,
    weights: str | None = None,
) -> Table:
    """Read the columns that a card needs, and more of the kinds that are expected."""
    needed = {*card.columns, *more}
    asked = reading_for(card, reading)
    if target is not None and card.reading is not None:
        asked = asked.finding(set(more) - {*card.columns, target, weights})
    expected = {name: kind for name, kind in more.items() if kind is not None} | expected_kinds(card)
    table = read_table(
        path,
        asked,
        wanted=needed.__contains__,
        expected=expected,
        known=known_texts(card, target),
        weights=weights,
        remedy=_remedy,
    )
    _check_limits(table, card)
    for text in table.notes:
        note(text)
    return table


def _check_limits(table: Table, card: Card) -> None:
    """Refuse values such as <80 where the card asks whether they are 45 or more."""
    for name in card.columns:
        asked = {limit: item for limit in table.limits.get(name, ()) if (item := left_open(card, name, limit))}
        if asked:
            complaint = open_text(name, list(asked), next(iter(asked.values())).asks)
            place = table.place(first_row(list(asked)))
            remedy = _remedy(na_words([limit.cell for limit in asked]), name)
            raise InvalidDataError(f"{table.name}: {complaint}, the first in {place}", remedy, subject=table.name)


def known_texts(card: Card, target: str | None = None) -> dict[str, list[str]]:
    """The texts that a card knows in each column, whose variants are read as these; none if made by hand.

    A card that was learned from a file holds one spelling of each category, and how the file was read.
    """
    if card.reading is None:
        return {}
    texts_of: dict[str, list[str]] = {}
    for column in dict.fromkeys((*(domain.column for domain in card.domains), *card.columns)):
        texts_of[column] = [value for value in known_values(card, column) if isinstance(value, str)]
    if target is not None:
        texts_of[target] = [str(label) for label in card.classes]
    return {column: list(dict.fromkeys(texts)) for column, texts in texts_of.items() if texts}


def _columns(table: Table, card: Card) -> dict[str, NDArray[Any]]:
    lack = "column {name}, which the scoring system needs"
    return {name: table.values(name, lack) for name in card.columns}


def expected_kinds(card: Card) -> dict[str, Kind]:
    """The kind of value that the rules of a card expect in each column, where they expect one."""
    kinds = {}
    for expected in expectations(card):
        if "text" in expected.kinds:
            kinds[expected.column] = Kind.TEXT
        elif expected.needs_value:
            kinds[expected.column] = Kind.NUMBER
    return kinds


def person_of(card: Card, words: dict[str, str], reading: Reading) -> dict[str, object]:
    """Read one person from texts by column: values, or the words that the card has for them."""
    kinds, reading, known = expected_kinds(card), reading_for(card, reading), known_texts(card)
    of_numbers = {domain.column for domain in card.domains if domain.values is None}
    person: dict[str, object] = {}
    for name, text in words.items():
        meant: object = _worded_value(card, name, reading.plain(text))
        if meant is None:
            kind = kinds.get(name)
            if kind is None and name in of_numbers and possible_signs(reading.plain(text)):
                kind = Kind.NUMBER  # the card asks only whether it is known
            meant = _value(name, text, kind, reading, known.get(name, []), card)
        person[name] = meant
    return person


def _worded_value(card: Card, column: str, text: str) -> Category | None:
    """The value that the card's words call so; None if there is none, or several, or if it is a value."""
    answers = card.wording.of(column).answers
    known = (*answers, *known_values(card, column))
    if any(text == (value if isinstance(value, str) else category_text(value)) for value in known):
        return None
    meant = [value for value, word in answers.items() if word == text]
    return meant[0] if len(meant) == 1 else None


def _value(name: str, text: str, kind: Kind | None, reading: Reading, known: Sequence[str], card: Card) -> object:
    bare, how = reading.plain(text), reading.of_column(name)
    if not bare:
        return None
    if kind is not Kind.NUMBER:
        spelling = how.spellings.get(bare, bare) if reading.tidies(name) else bare
        merged = variants_of([spelling], known) if reading.tidies(name) else {}
        return None if spelling in how.missing and reading.tidies(name) else merged.get(spelling, spelling)
    if bare.casefold() in ("true", "false"):
        return bare.casefold() == "true"
    signs, usual = possible_signs(bare), how.decimal or "."
    if reading.decimal is None and len(signs) == 2 and usual not in bare:
        raise InvalidDataError(undecided_text({name: bare}))
    decimal = reading.decimal or (signs[0] if len(signs) == 1 else usual)
    limit, pointed = Limit.of(bare, decimal), plain_number(bare, decimal)
    if limit is not None:
        item = left_open(card, name, limit)
        if item is not None:
            raise InvalidDataError(
                f"column {name!r} is {text!r}, which leaves {item.asks!r} open",
                "enter a number, or leave it empty if missing",
            )
        return beyond(bare, decimal)
    if pointed is None:
        raise InvalidDataError(f"column {name!r} is {text!r}", "enter a number, or leave it empty if missing")
    number = read_numbers([pointed]).tolist()[0]
    codes = [float(code) for code in how.missing if is_number(code)] if reading.tidies(name) else []
    return None if float(number) in codes else number


def class_of(card: Card, text: str) -> Label | None:
    """Return the class of a card that a text means, None if none: equal numbers are the same class."""
    labels = {str(label): label for label in card.classes}
    meant = same_text(text, list(labels))
    return None if meant is None else labels[meant]


def read_class_column(table: Table, name: str, card: Card, lack: str = "column {name}") -> Target:
    """Read a column that holds the classes of a card."""
    cells: Sequence[str | None] = table.column(name, lack).values.tolist()
    known: dict[str | None, Label] = {}
    for cell in dict.fromkeys(cells):
        label = None if cell is None else class_of(card, cell)
        if label is not None:
            known[cell] = label
    rest = str(card.negative) == rest_of(str(card.positive))
    rows = np.array([cell is not None for cell in cells], dtype=bool)
    for row, cell in enumerate(cells):
        if cell is not None and cell not in known and not rest:
            raise InvalidDataError(
                f"{table.name}, {table.place(row)}: the target {name!r} is {cell!r}",
                (f"the classes of the scoring system are {str(card.negative)!r} and {str(card.positive)!r}"),
            )
    labels = objects(known.get(cell, card.negative) for cell in cells if cell is not None)
    left_out = len(cells) - len(labels)
    notes = (f"{counted(left_out, 'row')} skipped: the target {name!r} is blank",) if left_out else ()
    return Target(labels=labels, rows=rows, notes=notes)
