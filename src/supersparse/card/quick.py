"""Scores of large tables: in floating point first, exactly wherever that could matter.

Exact arithmetic on full-precision floats takes microseconds a value. Here a row is decided by its
rough score when that is farther from 0 than all rounding together can move it; the others are
scored exactly. So the sign of every score, and thus every prediction, is exact.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card
from supersparse.card.scoring import add_up, exact_scores
from supersparse.card.tables import Table, read_table

_ROUNDING = 2.0**-52  # twice the most that one operation on doubles can be off, relatively
_UNITS = {"float16": 2.0**-10, "float32": 2.0**-23}
_LARGE = 10**100
_UNDERFLOW = 1e-290  # far above what is lost below the smallest doubles


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Scores as numbers, right to the last digits and in sign, and which are above 0, exactly."""

    values: NDArray[np.generic]
    positive: NDArray[np.bool_]


def decide(card: Card, data: object) -> Decided:
    """Score a table; whole-number scores come out exact, others as floats."""
    table = read_table(card, data)
    columns = [table.columns[item.rule.column] for item in card.items]
    converted = [item.rule.quick(column) for item, column in zip(card.items, columns, strict=True)]
    quick = [pair for pair in converted if pair is not None]
    if len(quick) == len(converted):
        exact = add_up(card, quick, table.n_rows)
    elif all(column.dtype.kind in "biuf" for column in columns) and _largest_points(card) < _LARGE:
        return _roughly(card, table)
    else:
        exact = exact_scores(card, table)
    return Decided(exact.values, exact.positive)


def _largest_points(card: Card) -> Fraction:
    return max(abs(card.intercept), *(abs(item.points) for item in card.items))


def _roughly(card: Card, table: Table) -> Decided:
    values = np.full(table.n_rows, float(card.intercept))
    size = np.abs(values)
    precision = _ROUNDING
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for item in card.items:
            column = table.columns[item.rule.column]
            term = column.astype(np.float64) * float(item.points)
            values += term
            size += np.abs(term)
            # a float stands for its shortest decimal, which lies within half a unit of its last place
            precision = max(precision, _UNITS.get(column.dtype.name, _ROUNDING))
        margin = size * precision * (len(card.items) + 8) + _UNDERFLOW * (1 + float(_largest_points(card)))
        sure = np.abs(values) > margin
    positive = values > 0
    unsure = np.flatnonzero(~sure)
    if len(unsure):
        exact = exact_scores(card, Table({n: c[unsure] for n, c in table.columns.items()}, len(unsure)))
        values[unsure], positive[unsure] = exact.floats, exact.positive
    return Decided(values, positive)
