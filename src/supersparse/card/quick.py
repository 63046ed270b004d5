"""Totals of large tables: in floating point first, exactly wherever that could matter.

Exact arithmetic on full-precision floats takes microseconds a value. Here a row is decided by its
rough total when that is farther from the threshold than all rounding together can move it; the others are
added up exactly. So every prediction is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card
from supersparse.card.cells import Numbers
from supersparse.card.scoring import (
    Scores,
    add_up,
    checked_table,
    exact_scores,
    points_when_missing,
    quickly_multiplied,
)
from supersparse.card.tables import Table
from supersparse.decimals import IntArray, fits_int64, nearest_float, quotients

Exact = tuple[IntArray, int]  # integers over one scale

_ROUNDING = 2.0**-52  # twice the most that one operation on doubles can be off, relatively
_UNITS = {"float16": 2.0**-10, "float32": 2.0**-23}
_LARGE = 10**100
_UNDERFLOW = 1e-290  # far above what is lost below the smallest doubles


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """The totals of rows, and which rows get the positive class, exactly.

    Totals are whole numbers where all are, else floats right to the last digits. Compared with the float
    of the threshold they give the class, too.
    """

    totals: NDArray[np.generic]
    positive: NDArray[np.bool_]


def decide(card: Card, data: object, names: Sequence[str] | None = None) -> Decided:
    """Add up the points of each row of a table and decide its class."""
    table = checked_table(card, data, names)
    columns = [table.columns[item.column] for item in card.items]
    converted = [quickly_multiplied(i.rule, cells) for i, cells in zip(card.items, columns, strict=True)]
    quick = [pair for pair in converted if pair is not None]
    if len(quick) == len(converted):
        exact = add_up(card, quick, table)
    elif _largest_points(card) < _LARGE:
        return _roughly(card, table, converted)
    else:
        exact = exact_scores(card, table)
    return Decided(_on_their_side(card, exact), exact.positive)


def _on_their_side(card: Card, scores: Scores) -> NDArray[np.generic]:
    """Return the totals, none of them rounded to the other side of the threshold."""
    unit = scores.denominator
    numerators = scores.numerators + int(card.threshold * unit)
    whole = _whole_numbers(card, numerators, unit)
    if whole is not None:
        return whole
    totals = quotients(numerators, unit)
    threshold = nearest_float(card.threshold)
    least = np.nextafter(threshold, np.inf)  # that is positive
    return np.where(scores.positive, np.maximum(totals, least), np.minimum(totals, threshold))


def _whole_numbers(card: Card, numerators: IntArray, unit: int) -> IntArray | None:
    """The totals of a card of whole points where all of them are whole, though the threshold may not be."""
    if unit == 1:
        return numerators
    given = [p for item in card.items for p in (item.points, item.missing) if p is not None]
    if unit != card.intercept.denominator or any(points.denominator > 1 for points in given):
        return None
    if not fits_int64(unit):
        numerators = numerators.astype(object)
    return None if np.any(numerators % unit) else numerators // unit


def _largest_points(card: Card) -> Fraction:
    missing = [abs(item.missing) for item in card.items if item.missing is not None]
    return max(abs(card.intercept), *(abs(item.points) for item in card.items), *missing)


def _roughly(card: Card, table: Table, converted: Sequence[Exact | None]) -> Decided:
    totals = np.zeros(table.n_rows)
    size = np.full(table.n_rows, abs(float(card.intercept)))
    precision = _ROUNDING
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for item, exact in zip(card.items, converted, strict=True):
            cells = table.columns[item.column]
            # a float stands for its shortest decimal, which lies within half a unit of its last place
            if isinstance(cells, Numbers) and exact is None:
                term = cells.values.astype(np.float64) * float(item.points)
                precision = max(precision, _UNITS.get(cells.values.dtype.name, _ROUNDING))
            else:
                assert exact is not None
                term = _as_floats(exact) * float(item.points)
            if cells.missing is not None:
                term = np.where(cells.missing, float(points_when_missing(item)), term)
            totals += term
            size += np.abs(term)
        margin = size * precision * (len(card.items) + 9) + _UNDERFLOW * (1 + float(_largest_points(card)))
        scores = totals + float(card.intercept)
        sure = np.abs(scores) > margin
    positive = scores > 0
    unsure = np.flatnonzero(~sure)
    if len(unsure):
        exact_ones = exact_scores(card, table.take(unsure))
        totals[unsure], positive[unsure] = _on_their_side(card, exact_ones), exact_ones.positive
    return Decided(totals, positive)


def _as_floats(exact: Exact) -> NDArray[np.float64]:
    floats = quotients(*exact)
    # what lies beyond all floats comes as the largest: as infinity it leaves no row sure
    return np.where(np.abs(floats) == np.finfo(np.float64).max, np.copysign(np.inf, floats), floats)
