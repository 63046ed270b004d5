"""Columns of a lazy frame, and how each row gets a number by its value in one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import narwhals as nw

_NO_TEXTS: Mapping[str, int] = {}
_FEW_TEXTS = 32  # that are compared one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyColumn:
    """A column of a lazy frame; numbers in `gone` stand for a missing value."""

    name: str
    dtype: Any
    gone: tuple[float, ...] = ()

    @property
    def holds_numbers(self) -> bool:
        """Whether its values are numbers, or true and false."""
        return self.dtype.is_numeric() or str(self.dtype) == "Boolean"

    @property
    def numpy_type(self) -> np.dtype[Any]:
        """The type in which its numbers are compared."""
        if str(self.dtype) == "Float32":
            return np.dtype(np.float32)
        return np.dtype(np.int64 if self.dtype.is_integer() else np.float64)

    def value(self) -> "nw.Expr":
        """The values, null where one is missing."""
        import narwhals as nw

        value = nw.col(self.name)
        if str(self.dtype) == "Boolean":
            return value.cast(nw.Int8)
        if self.dtype.is_decimal():
            value = value.cast(nw.Float64)
        if not self.dtype.is_numeric():
            return value if str(self.dtype) == "String" else value.cast(nw.String)
        known = [~value.is_nan()] if self.dtype.is_float() or self.dtype.is_decimal() else []
        known += [value != code for code in self.gone]
        return nw.when(all_of(known)).then(value) if known else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """A whole number for each value of a column: of numbers from each start on, or of single texts.

    There is one number more than `starts`, the first for values below all of them. Texts that are not listed
    have the number `other`.
    """

    column: LazyColumn
    missing: int
    starts: tuple[float, ...] = ()
    codes: tuple[int, ...] = (0,)
    texts: Mapping[str, int] = field(default_factory=lambda: _NO_TEXTS)
    other: int = 0

    @classmethod
    def of(cls, column: LazyColumn, values: Sequence[Any], codes: Sequence[int]) -> "Coding":
        """Give each value that occurs its number; None is a missing one."""
        known = [(v, int(c)) for v, c in zip(values, codes, strict=True) if v is not None]
        missing = next((int(c) for v, c in zip(values, codes, strict=True) if v is None), 0)
        if column.holds_numbers:
            return cls._of_numbers(column, sorted(known), missing)
        by_code: dict[int, list[str]] = {}
        for text, code in known:
            by_code.setdefault(code, []).append(text)
        other = max(by_code, key=lambda code: len(by_code[code]), default=0)
        texts = {str(text): code for text, code in known if code != other}
        return cls(column=column, missing=missing, texts=texts, other=other)

    @classmethod
    def _of_numbers(cls, column: LazyColumn, known: Sequence[tuple[Any, int]], missing: int) -> "Coding":
        starts: list[float] = []
        found: list[int] = [known[0][1] if known else 0]
        for value, code in known[1:]:
            if code != found[-1]:
                starts.append(value)
                found.append(code)
        return cls(column=column, missing=missing, starts=tuple(starts), codes=tuple(found))

    def expression(self, value: "nw.Expr") -> "nw.Expr":
        """The number of each row, from its value in this column."""
        import narwhals as nw

        if self.column.holds_numbers:
            body = _from_on(value, self.starts, self.codes)
        else:
            body = nw.lit(self.other)
            for code in sorted(set(self.texts.values())):
                some = [text for text, own in self.texts.items() if own == code]
                body = nw.when(_is_one_of(value, some)).then(nw.lit(code)).otherwise(body)
        return nw.when(value.is_null()).then(nw.lit(self.missing)).otherwise(body)


def all_of(conditions: Sequence["nw.Expr"]) -> "nw.Expr":
    """Whether all conditions hold."""
    return reduce(lambda one, other: one & other, conditions)


def _from_on(value: "nw.Expr", starts: Sequence[float], codes: Sequence[int]) -> "nw.Expr":
    """Compare with the middle one first, so that few comparisons tell where a value lies."""
    import narwhals as nw

    if not starts:
        return nw.lit(codes[0])
    k = len(starts) // 2
    above, below = (
        _from_on(value, starts[k + 1 :], codes[k + 1 :]),
        _from_on(value, starts[:k], codes[: k + 1]),
    )
    return nw.when(value >= starts[k]).then(above).otherwise(below)


def _is_one_of(value: "nw.Expr", texts: Sequence[str]) -> "nw.Expr":
    if len(texts) > _FEW_TEXTS:
        return value.is_in(list(texts))
    found = value == texts[0]
    for text in texts[1:]:
        found = found | (value == text)
    return found
