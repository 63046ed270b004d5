"""Raw columns: kinds of values, replacements for missing values, and exact numbers."""

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import exact_value
from supersparse.base.integer_arrays import LONGEST_UNIQUE_DECIMAL, IntArray, integer_column, largest_magnitude
from supersparse.card.rules import Rule
from supersparse.card.words import category_text
from supersparse.learn.prepare.cuts import ClassTarget, Floats, sums_by_code
from supersparse.learn.prepare.settings import MissingRule
from supersparse.table.table import Rounded
from supersparse.table.values import Category, Cells, Mask, Numbers, Objects, is_beyond, is_missing, read_category


@dataclass(frozen=True, eq=False, kw_only=True)
class RawColumn:
    """One column of the training table; each cell is that of one row, or of as many as `copies` says."""

    name: str
    position: int
    cells: Cells
    copies: NDArray[np.int64] | None = None
    rounded: Rounded | None = None  # how, where there are too many different numbers

    @cached_property
    def present(self) -> Mask:
        """Which rows have a value."""
        n = len(self.cells)
        return np.ones(n, dtype=bool) if self.cells.missing is None else ~self.cells.missing

    @property
    def n_missing(self) -> int:
        return 0 if self.cells.missing is None else self._rows(self.cells.missing)

    @property
    def n_rows(self) -> int:
        return len(self.cells) if self.copies is None else int(self.copies.sum())

    def _rows(self, where: Mask) -> int:
        return int(where.sum() if self.copies is None else self.copies[where].sum())

    @cached_property
    def distinct(self) -> tuple[NDArray[np.generic], NDArray[np.intp]]:
        """The distinct numbers, ascending, and the index of each present row's number.

        Values that are below or above every number, such as <0.01, have a number in their place that lies just below
        the smallest, or one unit of the last decimal above the largest. It orders them, and is kept nowhere.
        """
        values = self._numbers
        if any(self.beyond):
            finite = values[np.isfinite(values)]
            if not len(finite):
                raise InvalidDataError(
                    f"column {self.name!r} holds values below or above a limit and no number", "leave it out"
                )
            lowest = np.nextafter(finite.min(), -np.inf)
            highest = finite.max() + 10.0 ** -max(map(_decimals, np.unique(finite)[-1000:].tolist()))
            values = np.where(values == -np.inf, lowest, np.where(values == np.inf, highest, values))
        numbers_there, codes = np.unique(values, return_inverse=True)
        return numbers_there, codes.reshape(-1)

    @cached_property
    def _numbers(self) -> NDArray[Any]:
        """The numbers of the present rows, infinite where they are beyond a limit."""
        if isinstance(self.cells, Numbers):
            return self.cells.values[self.present]
        read = [0.0 if is_missing(v) else _float(v, self.name) for v in self.cells.distinct]
        return np.array(read)[self.cells.codes[self.present]]

    @cached_property
    def beyond(self) -> tuple[int, int]:
        """How many values are below every number, and above."""
        if self._numbers.dtype.kind != "f":
            return 0, 0
        infinite = np.zeros(len(self.cells))
        infinite[self.present] = np.where(np.isinf(self._numbers), self._numbers, 0.0)
        return self._rows(infinite < 0), self._rows(infinite > 0)

    @property
    def is_finer_than_doubles(self) -> bool:
        """Whether numbers differ that have the same double, which holds 17 digits."""
        if isinstance(self.cells, Numbers):
            return False
        finite = [v for v in _used(self.cells) if not is_missing(v) and not is_beyond(v)]
        return len({exact_value(v, self.name) for v in finite}) > len(self.known_numbers)

    @property
    def known_numbers(self) -> NDArray[np.generic]:
        """The distinct numbers without what is below or above them."""
        values = self.distinct[0]
        return values[bool(self.beyond[0]) : len(values) - bool(self.beyond[1])]

    @cached_property
    def levels(self) -> tuple[list[Category], NDArray[np.intp]]:
        """The distinct categories, and the index of each present row's category."""
        if isinstance(self.cells, Numbers):
            values, codes = self.distinct
            return [read_category(v, self.name) for v in values], codes
        known: dict[Category, int] = {}
        place = np.zeros(len(self.cells.distinct), dtype=np.intp)
        for code, value in enumerate(self.cells.distinct):
            if not is_missing(value):
                place[code] = known.setdefault(read_category(value, self.name), len(known))
        return list(known), place[self.cells.codes[self.present]]


def _float(value: object, name: str) -> float:
    infinite = isinstance(value, float) and np.isinf(value)
    return float(value) if infinite else float(exact_value(value, name))  # type: ignore[arg-type]


def _decimals(number: float) -> int:
    """How many decimals a number is written with."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def kind_of_column(cells: Cells) -> str:
    """The kind of a column: "yes or no", "numbers", "categories", "nothing", or a description if unusable.

    As elsewhere in the package, text is never a number; a column that mixes both is categorical.
    """
    if isinstance(cells, Numbers):
        if cells.missing is not None and cells.missing.all():
            return "nothing"
        values = cells.values if cells.missing is None else cells.values[~cells.missing]
        if values.dtype.kind == "b" or np.isin(values, (0, 1)).all():
            return "yes or no"
        return "numbers"
    held = [v for v in _used(cells) if not is_missing(v)]
    if not held:
        return "nothing"
    strange = [v for v in held if not isinstance(v, str | bool | np.bool_ | numbers.Number | Decimal)]
    if strange:
        return f"values such as {strange[0]!r}"
    if any(isinstance(v, str) for v in held):
        return "categories"
    return "yes or no" if all(v in (0, 1) for v in held) else "numbers"


def _used(cells: Objects) -> list[object]:
    seen = np.bincount(cells.codes, minlength=len(cells.distinct)) > 0
    return [value for value, used in zip(cells.distinct, seen.tolist(), strict=True) if used]


def stand_in(column: RawColumn, target: ClassTarget, missing: MissingRule, *, has_order: bool) -> Category | None:
    """Return the replacement for missing values, or None if there is none.

    The median is a value that occurs: the smallest with half of the weight at or below it. If there are
    several modes, the smallest is used. Categories have no median, so the mode is used.
    """
    if missing not in ("median", "mode"):
        return None
    if column.rounded is not None and missing == "mode":
        raise InvalidDataError(
            f"column {column.name!r} has too many different values to find the most frequent one",
            "use missing='item' or 'median'",
        )
    weights = target.take(column.present).weights
    if has_order:
        values, codes = column.distinct
        reached = sums_by_code(codes, weights, len(values))
        place = _middle(reached) if missing == "median" else int(reached.argmax())
        if (place == 0 and column.beyond[0]) or (place == len(values) - 1 and column.beyond[1]):
            raise InvalidDataError(
                f"the {missing} of column {column.name!r} is below or above every number, so it cannot stand "
                "in for missing values",
                "use missing='item'",
            )
        return exact_value(values[place], f"a value of column {column.name!r}")
    levels, codes = column.levels
    by_level = sums_by_code(codes, weights, len(levels))
    return min(levels, key=lambda level: (-by_level[levels.index(level)], category_text(level)))


def _middle(weights: Floats) -> int:
    reached = np.cumsum(weights)
    return int(np.searchsorted(reached, reached[-1] / 2))


def counts_as(rule: Rule, missing: MissingRule, value: Category | None, *, seen: bool) -> Fraction | None:
    """Return the number that a missing value counts as under a rule; None where it is refused.

    Where the training rows had no missing value (`seen` is false), nothing was learned about it.
    """
    if value is not None:
        return rule.of_one(value, f"column {rule.column!r}")
    return Fraction(0) if missing == "item" and seen else None


_EXACT_IN_A_DOUBLE = 2**53


def as_numbers(integers: IntArray, scale: int) -> NDArray[Any]:
    """Return integers over a scale as numbers: small integers if they are whole, otherwise doubles.

    A short decimal becomes the double that represents it; other numbers become fractions.
    """
    if scale == 1:
        return integer_column(integers)[0]
    if LONGEST_UNIQUE_DECIMAL % scale == 0 and largest_magnitude(integers) < LONGEST_UNIQUE_DECIMAL:
        quotients: NDArray[Any] = integers.astype(np.float64) / float(scale)
        return quotients
    return np.array([Fraction(int(n), scale) for n in integers], dtype=object)


def filled(column: NDArray[Any], missing: Mask, value: Fraction) -> NDArray[Any]:
    """Return the column with its missing values replaced."""
    if value in (0, 1):
        held: Any = int(value)
    elif column.dtype.kind == "f" and Fraction(str(column.dtype.type(float(value)))) == value:
        held = float(value)
    elif column.dtype.kind in "iu" and value.denominator == 1 and _fits(int(value), column.dtype):
        held = int(value)
    else:
        column, held = np.array([Fraction(str(v)) for v in column], dtype=object), value
    result = column.astype(np.int8) if column.dtype.kind == "b" else column.copy()
    result[missing] = held
    return result


def _fits(value: int, dtype: np.dtype[Any]) -> bool:
    info = np.iinfo(dtype)
    return int(info.min) <= value <= int(info.max)


def stack(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Put columns side by side in the smallest type that holds all of them exactly."""
    columns = [
        _doubles(c) if c.dtype.kind == "f" else c if c.dtype == object else integer_column(c)[0] for c in columns
    ]
    has_floats = any(c.dtype.kind == "f" for c in columns)
    if has_floats and any(c.dtype.kind == "i" and largest_magnitude(c) > _EXACT_IN_A_DOUBLE for c in columns):
        columns = [c.astype(object) for c in columns]
    return np.column_stack(columns)


def _doubles(column: NDArray[Any]) -> NDArray[Any]:
    """Return doubles with the same decimals: 0.1 in single precision becomes 0.1 in double precision."""
    if column.dtype == np.float64:
        return column
    values, codes = np.unique(column, return_inverse=True)
    return np.array([float(str(v)) for v in values])[codes.reshape(-1)]
