"""Talking to the user beside the result: remarks, complaints and warnings, one line each."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import typer

from supersparse.errors import InvalidOptionError, SupersparseWarning

_LARGE = 20_000_000  # bytes, about a second
_hushed = False  # one process runs one command


def hush() -> None:
    """Say nothing from now on but results and complaints."""
    global _hushed
    _hushed = True


def is_hushed() -> bool:
    """Whether only results and complaints are wanted."""
    return _hushed


def remark(text: str) -> None:
    """Say something that is not the result."""
    if not _hushed:
        typer.echo(one_line(text), err=True)


def complain(text: str) -> None:
    """Say why it cannot be done."""
    typer.echo(f"supersparse: {one_line(text)}", err=True)


def count(number: int, noun: str) -> str:
    """Write a number of things: 1 row, 2 rows."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def one_line(text: str) -> str:
    r"""Escape whatever would break the line or steer the terminal.

    >>> one_line("a\nb")
    'a\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def check_writable(out: Path | None) -> None:
    """Refuse a place that cannot be written to before any work is done for it."""
    if out is not None and not out.absolute().parent.is_dir():
        raise InvalidOptionError(f"{str(out)!r} cannot be written: there is no folder {str(out.parent)!r}")


def say_size(path: Path) -> None:
    """Say that a large file is read, which takes a while."""
    size = path.stat().st_size if path.is_file() else 0
    if size > _LARGE:
        remark(f"reading {path}, {size / 1e6:.0f} MB ...")


def check_no_input(out: Path | None, *inputs: Path) -> None:
    """Refuse to write over a file that is read."""
    if out is not None and out.exists() and any(path.exists() and out.samefile(path) for path in inputs):
        raise InvalidOptionError(f"--out {out} would overwrite an input; choose another name")


@contextmanager
def warnings_as_remarks() -> Iterator[None]:
    """Show the package's own warnings as lines that a user of the command can act on."""

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, SupersparseWarning):
            remark(f"note: {message}")
        else:
            usual(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.simplefilter("always", SupersparseWarning)
        warnings.showwarning = show
        yield
