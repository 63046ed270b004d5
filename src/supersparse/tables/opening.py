"""Opening a file of text: compressed or not, from a path or standard input, in the encoding it shows."""

import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import IO, TextIO, cast

from supersparse.errors import InvalidDataError

STANDARD_INPUT = Path("-")
_GZIP, _ZIP, _PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def shown_name(path: Path) -> str:
    """Name the file in messages."""
    return "standard input" if path == STANDARD_INPUT else str(path)


def check_file(path: Path) -> None:
    """Refuse a path that leads to no file."""
    if path == STANDARD_INPUT:
        return
    if path.is_dir():
        raise InvalidDataError(f"{path} is a folder; name a file in it")
    if not path.exists():
        beside = path.parent if path.parent.is_dir() else Path()
        by_stem = {other.stem: other for other in sorted(beside.iterdir()) if other.is_file()}
        near = get_close_matches(path.stem, by_stem, n=1)
        hint = f"did you mean {str(by_stem[near[0]])!r}?" if near else f"the folder here is {Path.cwd()}"
        raise InvalidDataError(f"there is no file {str(path)!r}; {hint}")


def is_parquet(path: Path) -> bool:
    """Whether the name, or else the first bytes, say Parquet; standard input is always text."""
    if path == STANDARD_INPUT:
        return False
    if path.suffix.lower() in (".parquet", ".pq"):
        return True
    with path.open("rb") as file:
        return file.read(4) == _PARQUET


@contextmanager
def open_text(path: Path, encoding: str | None) -> Iterator[TextIO]:
    """Open for reading; UTF-8 with or without a mark, or UTF-16 with one, unless an encoding is given."""
    with _binary(path) as raw:
        packed: io.BufferedReader | gzip.GzipFile = raw
        start = raw.peek(4)[:4]
        if start.startswith(_GZIP):
            packed = gzip.GzipFile(fileobj=raw)
            start = packed.peek(4)[:4]
        if start.startswith(_ZIP):
            raise InvalidDataError(
                f"{shown_name(path)} is a workbook or a zip archive, not text; "
                "save the sheet as 'CSV UTF-8', or unpack the archive"
            )
        if start.startswith(_PARQUET):  # compressed once more, or from standard input
            raise InvalidDataError(
                f"{shown_name(path)} holds a Parquet file; unpack it, or write it to disk, and name that file"
            )
        usual = "utf-16" if start.startswith(_UTF_16) else "utf-8-sig"
        text = io.TextIOWrapper(cast(IO[bytes], packed), encoding=encoding or usual, newline="")
        try:
            yield text
        finally:
            text.detach()  # what is below closes itself, and standard input stays open


@contextmanager
def _binary(path: Path) -> Iterator[io.BufferedReader]:
    if path == STANDARD_INPUT:
        yield cast(io.BufferedReader, sys.stdin.buffer)
        return
    with path.open("rb") as file:
        yield file
