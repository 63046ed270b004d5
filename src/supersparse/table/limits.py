"""Values below or above a limit, such as <0.01 and >100: which there are, and what they leave open.

Such a value has no number. It is ordered below, or above, every number of its column, which is right only if
the limit is: "<80" among numbers from 1 to 99 can be any of these up to 79.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.base.exact import counted, exact_value, shown
from supersparse.table.cells import beyond, limit_of, plain_number
from supersparse.table.collecting import Coded, CollectedCells, Parsed

_MOST_LISTED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A cell that says on which side of a number its value lies."""

    cell: str
    below: bool  # else above
    included: bool  # whether the value may be the number itself, as in ≤ 5
    number: Fraction
    rows: int = 1
    first_row: int = 0  # that holds it, from 0

    @classmethod
    def of(cls, cell: str, decimal: str, *, rows: int = 1, first_row: int = 0) -> "Limit | None":
        """Read a cell; None where it has no limit.

        >>> found = Limit.of("≤ 1,5", ",")
        >>> found.below, found.included, found.number
        (True, True, Fraction(3, 2))
        """
        parted = limit_of(cell)
        number = None if parted is None else plain_number(parted[1], decimal)
        if parted is None or number is None:
            return None
        return cls(
            cell=cell,
            below=parted[0],
            included=cell[0] in "≤≥" or cell[1] == "=",
            number=Fraction(number.strip(" \t")),
            rows=rows,
            first_row=first_row,
        )

    def is_beyond(self, number: Fraction) -> bool:
        """Whether the value certainly lies below the number, or above it if this is a limit for that.

        >>> Limit.of("<5", ".").is_beyond(Fraction(5)), Limit.of("≤5", ".").is_beyond(Fraction(5))
        (True, False)
        """
        if self.number == number:
            return not self.included
        return (self.number < number) == self.below


def limits_among(cells: CollectedCells, decimal: str) -> tuple[Limit, ...]:
    """Return the different cells of a column that have a limit, the most frequent first."""
    counts: Mapping[str, tuple[int, int]] = {}
    if isinstance(cells, Parsed):
        counts = {text: (n, cells.first_limits[text]) for text, n in cells.limits.items()}
    elif isinstance(cells, Coded):
        rows = np.bincount(cells.codes, minlength=len(cells.distinct)).tolist()
        counts = {
            text: (n, int((cells.codes == code).argmax()))
            for code, (text, n) in enumerate(zip(cells.distinct, rows, strict=True))
            if beyond(text, decimal) is not None
        }
    found = (Limit.of(text, decimal, rows=n, first_row=row) for text, (n, row) in counts.items())
    return tuple(sorted((limit for limit in found if limit is not None), key=lambda one: -one.rows))


def limit_notes(name: str, limits: Sequence[Limit]) -> tuple[str, ...]:
    """Say which cells of a column are below or above all numbers."""
    notes = []
    for below, side in ((True, "below"), (False, "above")):
        some = [limit for limit in limits if limit.below == below]
        if some:
            listed = ", ".join(f"{one.cell!r} ({counted(one.rows, 'row')})" for one in some[:_MOST_LISTED])
            dots = ", ..." if len(some) > _MOST_LISTED else ""
            notes.append(f"{name!r}: {listed}{dots} {'is' if len(some) == 1 else 'are'} {side} every number")
    return tuple(notes)


def limits_inside(values: NDArray[np.generic], limits: Sequence[Limit]) -> tuple[Limit, ...]:
    """Return the limits whose values can lie among the numbers of their column."""
    ends = _ends(values) if limits else None
    if ends is None:
        return ()
    low, high = ends
    return tuple(limit for limit in limits if not limit.is_beyond(low if limit.below else high))


def _ends(values: NDArray[np.generic]) -> tuple[Fraction, Fraction] | None:
    """The smallest and the largest number; None where there is none."""
    numbers = values.tolist() if values.dtype == object else np.unique(values).tolist()
    finite = [v for v in numbers if v is not None and v == v and abs(v) != float("inf")]
    return (exact_value(min(finite), "a value"), exact_value(max(finite), "a value")) if finite else None


def inside_said(name: str, values: NDArray[np.generic], limits: Sequence[Limit]) -> str:
    """Say which limits are among the numbers of their column."""
    ends = _ends(values)
    assert ends is not None
    return _said(name, limits, f"that can lie among its numbers ({shown(ends[0])} to {shown(ends[1])})")


def open_said(name: str, limits: Sequence[Limit], question: str) -> str:
    """Say which limits do not answer what a card asks."""
    return _said(name, limits, f"that leaves {question!r} open")


def _said(name: str, limits: Sequence[Limit], what: str) -> str:
    listed = ", ".join(f"{one.cell!r} ({one.rows})" for one in limits[:_MOST_LISTED])
    dots = ", ..." if len(limits) > _MOST_LISTED else ""
    n_rows = sum(one.rows for one in limits)
    return f"column {name!r} has {counted(n_rows, 'value')} with a limit {what}: {listed}{dots}"


def first_row(limits: Sequence[Limit]) -> int:
    """The first row that holds one of them, from 0."""
    return min(limit.first_row for limit in limits)
