"""Declared settings as keywords, for people, editors and type checkers; written by `make stubs`."""

from collections.abc import Mapping, Sequence
from typing import Any

class PrepareParameters:
    def __init__(
        self,
        *,
        cuts: str = "optimal",
        cut_points: Mapping[str, Sequence[float]] | None = None,
        max_cuts: int | str = "auto",
        per_variable: int | None = 2,
        intervals: bool = False,
        rare: float | str = "auto",
        missing: str = "item",
        direction: Mapping[str, str] | None = None,
        shape: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        categorical: Sequence[str] = (),
        ordered: Mapping[str, Sequence[object]] | None = None,
        units: Mapping[str, str] | None = None,
        candidates: int | str | None = "auto",
        update: Any = None,
        changes: int = 2,
        changes_of: str = "questions",
    ) -> None: ...
