"""Messages other than the result, one line each, and standard streams that may be closed, full or gone.

A scheduler may start a command without standard output and error, a disk behind them may fill up, and a reader may go
away. Writing to them never stops a command: files are written all the same, and notes are dropped as with --quiet. The
command says at its end whether the result was shown: see `Streams.failure`.
"""

import errno
import io
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from supersparse.base.errors import SupersparseWarning
from supersparse.base.exact import counted
from supersparse.table.plain import one_line

if TYPE_CHECKING:
    from supersparse.card.checks import OutsideValue


_files_asked = False  # one process runs one command at a time


def files_are_asked(outputs: Iterable[Path | None]) -> None:
    """Take note of files that keep the result too; None where an option was not given."""
    global _files_asked
    _files_asked = _files_asked or any(out is not None for out in outputs)


class _Tolerant(io.RawIOBase):
    """The layer below a stream, but it takes every byte and remembers the first error, or that it is closed."""

    def __init__(self, stream: io.TextIOWrapper | None) -> None:
        super().__init__()
        self._stream = stream  # kept: one that nothing refers to closes what is below
        self._raw: Any = None
        if stream is not None and not stream.closed:
            self._raw = getattr(stream.buffer, "raw", stream.buffer)
        self.error: OSError | None = None

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._raw is not None and self._raw.isatty()

    def fileno(self) -> int:
        if self._raw is None:
            raise io.UnsupportedOperation("the stream is closed")
        return int(self._raw.fileno())

    def write(self, data: Any, /) -> int:
        if self.error is None:
            try:
                if self._raw is None:
                    raise OSError(errno.EBADF, "it is closed")
                return int(self._raw.write(data) or 0)
            except OSError as error:
                self.error = error
        return len(data)


@dataclass(frozen=True, slots=True)
class Streams:
    """Standard output and error of one command."""

    output: _Tolerant | None
    error: _Tolerant | None

    @classmethod
    def guard(cls) -> "Streams":
        """Replace the streams of this process by tolerant ones, and open those that are closed.

        The number of a closed stream goes to the next file that is opened, and a library or another process
        that prints would write into that file.
        """
        for number in range(3):
            try:
                os.fstat(number)
            except OSError:
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        sys.stdout, output = _guarded(sys.stdout)
        sys.stderr, error = _guarded(sys.stderr, by_line=True)
        return cls(output, error)

    def failure(self, *, files_are_written: bool) -> str | None:
        """Why the result is not on standard output, in a line; None if it is, or "" where its reader left.

        A closed standard output is not a failure where the result was asked for in a file as well, and is there.
        """
        are_written = _files_asked and files_are_written
        sys.stdout.flush()
        problem = None if self.output is None else self.output.error
        if problem is None or (problem.errno == errno.EBADF and are_written):
            return None
        if problem.errno == errno.EPIPE:
            return ""
        there = "; files that were asked for are written" if are_written else ""
        return f"the result could not be printed to standard output: {problem.strerror}{there}"


def _guarded(stream: TextIO | None, *, by_line: bool = False) -> tuple[TextIO, _Tolerant | None]:
    """A tolerant stream in the place of one, and what it writes to; a stream of another kind stays."""
    if stream is not None and not isinstance(stream, io.TextIOWrapper):
        return stream, None
    raw = _Tolerant(stream)
    return (
        io.TextIOWrapper(
            io.BufferedWriter(raw),
            encoding="utf-8" if stream is None else stream.encoding,
            errors="backslashreplace",  # names need not fit the terminal's encoding
            line_buffering=by_line or raw.isatty(),
            write_through=stream is not None and stream.write_through,
        ),
        raw,
    )


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
