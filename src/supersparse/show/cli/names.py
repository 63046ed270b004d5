"""`supersparse names`, and the words of a card from the command line: a title, and a file of names."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from supersparse.base.schema.tree import label_text
from supersparse.base.schema.yaml_text import yaml_text
from supersparse.base.writing import write_file
from supersparse.card.card import Card
from supersparse.card.names_file import Names, read_names, worded
from supersparse.show.cli.options import DataFile, TableOptions, WordingOptions
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import note
from supersparse.table.files import read_table
from supersparse.table.table import Column, Kind
from supersparse.table.values import is_missing

if TYPE_CHECKING:
    from supersparse.learn.rows import TrainingRows


_MANY = 1000  # different values, beyond which answers are not checked


def read_words(asked: WordingOptions, rows: "TrainingRows | None") -> Names | None:
    """Read the file of names and compare it with the training rows, if any, before anything is learned."""
    if asked.names is None:
        return None

    names = read_names(asked.names)
    if rows is None:
        return names
    unused = names.check(_values_of(rows), np.unique(rows.y).tolist())
    if unused:
        note(f"{asked.names} names columns that are not used: {', '.join(map(repr, unused))}")
    return names


def with_words(card: Card, asked: WordingOptions, names: Names | None) -> Card:
    """Return the card with the words that were asked for."""
    if names is not None:
        card = worded(card, names, checked=True)
    return card if asked.title is None else replace(card, title=asked.title)


def _values_of(rows: "TrainingRows") -> dict[str, list[object] | None]:
    """The different values of each training column; None where they are many."""
    columns = rows.X if rows.names is None else dict(zip(rows.names, rows.X.T, strict=True))
    by_column: dict[str, list[object] | None] = {}
    for name, values in columns.items():
        distinct = {value for value in values.tolist() if not is_missing(value)}
        by_column[name] = list(distinct) if len(distinct) <= _MANY else None
    return by_column


_FEW = 20  # values that are listed


def names(
    data: DataFile,
    table: TableOptions,
    target: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column to predict; its values are the classes.")
    ] = None,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="Output file; default: print to the screen.")] = None,
) -> None:
    """Write a file of names to edit, for `fit --names`.

    It lists each column with its kind, and its values as answers. Delete what you do not need.

    \b
    Example:
      supersparse demo --save-data biopsies.csv
      supersparse names biopsies.csv --target diagnosis --out names.yaml
      supersparse fit biopsies.csv --target diagnosis --names names.yaml
    """
    check_outputs(("--out", out), inputs=[data])
    expected = {} if target is None else {target: Kind.TEXT}
    read = read_table(data, table.reading, expected=expected)
    lines = ["# Words for the card. Edit them, delete what you do not need, and use: supersparse fit --names"]
    lines.append(f"title: {_text(target or '')}" if target else "title:")
    if target is not None:
        lines += ["classes:", *_pairs(_values(read.column(target, "target column {name}")) or [], 2)]
    lines.append("columns:")
    for column in read.columns.values():
        if column.name != target:
            lines += _column(column)
    text = "\n".join(lines) + "\n"
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_file(out, text)


def _column(column: Column) -> Iterator[str]:
    values = _values(column)
    kind = column.kind.value if values is not None or column.kind is Kind.NUMBER else "many texts"
    if column.kind in (Kind.DATE, Kind.EMPTY, Kind.TOO_MANY):
        yield f"  # {_text(column.name)}: {column.kind.value}"
        return
    yield f"  {_text(column.name)}:  # {kind}"
    yield f"    label: {_text(column.name)}"
    if column.kind is Kind.NUMBER:
        yield "    unit:"
    if values is not None:
        yield "    answers:"
        yield from _pairs(values, 6)


def _values(column: Column) -> list[str] | None:
    """The values as texts, in sorted order; None where they are many, or numbers other than two."""
    distinct = {value for value in column.values.tolist() if not is_missing(value)}
    most = 2 if column.kind is Kind.NUMBER else _FEW
    return None if not 0 < len(distinct) <= most else [label_text(value) for value in sorted(distinct)]


def _pairs(texts: list[str], indent: int) -> Iterator[str]:
    for text in texts:
        yield f"{' ' * indent}{_text(text)}: {_text(text)}"


def _text(text: str) -> str:
    return yaml_text({"_": text}).removesuffix("\n").partition(": ")[2]
