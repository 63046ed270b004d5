"""The words of a card from the command line: a title, and a file of names."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from supersparse.card.card import Card
from supersparse.card.names_file import Names, read_names, worded
from supersparse.show.cli.options import WordingOptions
from supersparse.show.cli.say import note
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
    unused = names.check(_values(rows), np.unique(rows.y).tolist())
    if unused:
        note(f"{asked.names} names columns that are not used: {', '.join(map(repr, unused))}")
    return names


def with_words(card: Card, asked: WordingOptions, names: Names | None) -> Card:
    """Return the card with the words that were asked for."""

    if names is not None:
        card = worded(card, names, checked=True)
    return card if asked.title is None else replace(card, title=asked.title)


def _values(rows: "TrainingRows") -> dict[str, list[object] | None]:
    """The different values of each training column; None where they are many."""

    columns = rows.X if rows.names is None else dict(zip(rows.names, rows.X.T, strict=True))
    found: dict[str, list[object] | None] = {}
    for name, values in columns.items():
        distinct = {value for value in values.tolist() if not is_missing(value)}
        found[name] = list(distinct) if len(distinct) <= _MANY else None
    return found
