"""Messages other than the result: notes, errors and warnings, one line each."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from supersparse.base.errors import SupersparseWarning
from supersparse.base.exact import counted
from supersparse.table.plain import one_line

if TYPE_CHECKING:
    from supersparse.card.checks import OutsideValue

_LARGE = 20_000_000  # bytes, about a second
_hushed = False  # one process runs one command at a time


def hush(*, quiet: bool) -> None:
    """Print only results and errors from now on, or notes too."""
    global _hushed
    _hushed = quiet


def is_hushed() -> bool:
    """Whether to print only results and errors."""
    return _hushed


def remark(text: str) -> None:
    if not _hushed:
        typer.echo(one_line(text), err=True)


def note(text: str) -> None:
    """Print to standard error what the user should know."""
    remark(f"note: {text}")


def complain(text: str) -> None:
    typer.echo(f"supersparse: {one_line(text)}", err=True)


def in_columns(lines: Sequence[Sequence[str]], *, right: int | None = None) -> list[str]:
    """Lay lines of cells out in columns; the one at `right` is aligned there, and the last is as long as it is."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = [
        [cell.rjust(w) if k == right else cell.ljust(w) for k, (cell, w) in enumerate(zip(line, widths, strict=True))]
        for line in lines
    ]
    return ["  ".join(row).rstrip() for row in rows]


def say_size(path: Path) -> None:
    """Announce that a large file is being read."""
    size = path.stat().st_size if path.is_file() else 0
    if size > _LARGE:
        remark(f"reading {path}, {size / 1e6:.0f} MB ...")


def say_outside(outside: "Sequence[OutsideValue]", of: str = "the training data", done: str = "scored") -> None:
    """Report values outside the data that a card was learned from, and what is done with them."""
    for value in outside[:10]:
        note(
            f"column {value.column!r}: {value.value!r} ({counted(value.rows, 'row')}) is outside {of}. "
            f"It was {done} as if it were a real measurement: check it."
        )
    if len(outside) > 10:
        note(f"{len(outside) - 10} more values are outside {of}")


@contextmanager
def warnings_as_remarks() -> Iterator[None]:
    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, SupersparseWarning):
            note(str(message))
        else:
            usual(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.simplefilter("always", SupersparseWarning)
        warnings.showwarning = show
        yield
