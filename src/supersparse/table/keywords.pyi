"""Declared settings as keywords, for people, editors and type checkers; written by `make stubs`."""

from collections.abc import Sequence
from typing import TypedDict

class ReadingKeywords(TypedDict, total=False):
    na: str | Sequence[str] | None
    default_na: bool
    separator: str | None
    encoding: str | None
    decimal: str | None
    dates: str | None
    sheet: str | None
    header_row: int | None
    as_written: tuple[str, ...]
