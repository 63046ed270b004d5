"""Scoring with a card: exact, for one person or for a table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from supersparse.base.exact import nearest_float
from supersparse.base.integer_arrays import IntArray, fits_int64, largest_magnitude, quotients
from supersparse.card.card import Card, Item, Label
from supersparse.card.checks import check_person, check_table
from supersparse.card.raw_values import CardTable, person_values, read_card_table
from supersparse.card.rules import Rule
from supersparse.table.values import Cells, Numbers, Objects, is_missing


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of many rows, exactly: the score of row i is ``numerators[i] / denominator``.

    The class is positive for scores above `limit`, and where it is `reached` for that score as well.
    """

    numerators: IntArray
    denominator: int
    limit: Fraction = Fraction(0)
    reached: bool = False

    @property
    def positive(self) -> NDArray[np.bool_]:
        limit = self.limit * self.denominator
        if self.reached:
            return np.asarray(self.numerators >= ceil(limit), dtype=bool)
        return np.asarray(self.numerators > floor(limit), dtype=bool)

    @property
    def decisive(self) -> NDArray[np.float64]:
        """The nearest floats, with the sign of the class; see `decisive_floats`."""
        return decisive_floats(self.floats, self.positive)

    @property
    def floats(self) -> NDArray[np.float64]:
        """The nearest floats, of the same sign: what is not 0 stays so, and what is finite stays so."""
        return quotients(self.numerators, self.denominator)

    def __getitem__(self, row: int) -> Fraction:
        return Fraction(int(self.numerators[row]), self.denominator)


def decisive_floats(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return scores that are above 0 where the class is positive, and nowhere else.

    A score of 0 whose total reaches the threshold becomes the least number above 0. Where whole totals are
    expected, one between 3 and "4 or more" does not reach it, and its score is at most 0.
    """
    least = np.finfo(np.float64).smallest_subnormal
    return np.where(positive, np.maximum(scores, least), np.minimum(scores, 0.0))


def score_person(card: Card, person: Mapping[str, object]) -> Fraction:
    """Return the exact score of one person, the intercept included."""
    values = read_person(card, person)
    return sum((item_points(item, values[item.column]) for item in card.items), card.intercept)


def read_person(card: Card, person: Mapping[str, object]) -> dict[str, object]:
    """Return the values that the card needs, after all checks."""
    values = person_values(card, person)
    check_person(card, values)
    return values


def item_points(item: Item, value: object) -> Fraction:
    """Return the points that one value gives; it has been checked."""
    if is_missing(value):
        return points_when_missing(item)
    return item.points * item.rule.of_one(value, f"column {item.column!r}")


def points_when_missing(item: Item) -> Fraction:
    """Return the points of a missing value, for an item that does not refuse it."""
    assert item.when_missing is not None
    return item.when_missing


def score_table(card: Card, data: object, names: Sequence[str] | None = None) -> Scores:
    """Return the exact scores of many rows, the intercept included."""
    return exact_scores(card, checked_table(card, data, names))


def checked_table(card: Card, data: object, names: Sequence[str] | None = None) -> CardTable:
    """Read the columns that the card needs, and refuse rows that it does not score."""
    table = read_card_table(card, data, names)
    check_table(card, table)
    return table


def exact_scores(card: Card, table: CardTable) -> Scores:
    """Return the exact scores of a table that has been checked."""
    columns = [multiplied(item.rule, table.columns[item.column]) for item in card.items]
    return add_up(card, columns, table)


def multiplied(rule: Rule, cells: Cells) -> tuple[IntArray, int]:
    """The factors of the points, row by row, as integers over one scale; arbitrary where a value is missing."""
    if isinstance(cells, Numbers):
        return rule.of_numbers(cells.values)
    return _of_objects(rule, cells)


def quickly_multiplied(rule: Rule, cells: Cells) -> tuple[IntArray, int] | None:
    """The same where that takes no loop in Python over all rows, else None."""
    return rule.quick(cells.values) if isinstance(cells, Numbers) else _of_objects(rule, cells)


def _of_objects(rule: Rule, cells: Objects) -> tuple[IntArray, int]:
    factors = [Fraction(0) if f is None else f for f in cells.each(rule.of_one, f"column {rule.column!r}")]
    scale = math.lcm(*(f.denominator for f in factors))
    whole = [f.numerator * (scale // f.denominator) for f in factors]
    fits = fits_int64(max(map(abs, whole), default=0))
    return np.array(whole, dtype=np.int64 if fits else object)[cells.codes], scale


def add_up(card: Card, columns: Sequence[tuple[IntArray, int]], table: CardTable) -> Scores:
    """Add points times what each item multiplies, or the points of a missing value."""
    terms: list[tuple[IntArray, Fraction]] = []
    for item, (integers, scale) in zip(card.items, columns, strict=True):
        missing = table.columns[item.column].missing
        if missing is not None:
            integers = np.where(missing, 0, integers)
            terms.append((missing.astype(np.int8), points_when_missing(item)))
        terms.append((integers, item.points / scale))
    unit = math.lcm(card.intercept.denominator, *(factor.denominator for _, factor in terms))
    start = int(card.intercept * unit)
    whole = [(integers, int(factor * unit)) for integers, factor in terms]
    largest = abs(start) + sum(abs(factor) * largest_magnitude(integers) for integers, factor in whole)
    dtype = np.int64 if fits_int64(largest) else object
    numerators = np.full(table.n_rows, start, dtype=dtype)
    for integers, factor in whole:
        if factor and largest_magnitude(integers):  # with zeros alone, a factor may exceed 64 bits
            numerators += integers.astype(dtype, copy=False) * factor
    cutoff = card.cutoff
    return Scores(numerators, unit, cutoff.threshold - card.zero_total, cutoff.reached)


def predicted_label(card: Card, score: Fraction) -> Label:
    return card.positive if card.cutoff.includes(score + card.zero_total) else card.negative


def predicted_labels(card: Card, positive: NDArray[np.bool_]) -> NDArray[np.generic]:
    """Return the classes of many rows, given which are positive; labels keep their type."""
    labels = np.array(card.classes)
    if labels.tolist() != list(card.classes) or type(card.negative) is not type(card.positive):
        labels = np.array(card.classes, dtype=object)  # mixed types, or text that numpy would cut
    return labels[positive.astype(np.intp)]


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
    numerators = scores.numerators + int(card.zero_total * unit)
    whole = _whole_numbers(card, numerators, unit)
    if whole is not None:
        return whole
    totals, cutoff = quotients(numerators, unit), card.cutoff
    threshold = nearest_float(cutoff.threshold)
    least = threshold if cutoff.reached else np.nextafter(threshold, np.inf)  # that is positive
    most = np.nextafter(least, -np.inf)
    return np.where(scores.positive, np.maximum(totals, least), np.minimum(totals, most))


def _whole_numbers(card: Card, numerators: IntArray, unit: int) -> IntArray | None:
    """The totals of a card of whole points where all of them are whole, though the threshold may not be."""
    if unit == 1:
        return numerators
    all_points = [p for item in card.items for p in (item.points, item.missing) if p is not None]
    if unit != card.intercept.denominator or any(points.denominator > 1 for points in all_points):
        return None
    if not fits_int64(unit):
        numerators = numerators.astype(object)
    return None if np.any(numerators % unit) else numerators // unit


def _largest_points(card: Card) -> Fraction:
    missing = [abs(item.missing) for item in card.items if item.missing is not None]
    return max(abs(card.threshold), *(abs(item.points) for item in card.items), *missing)


def _roughly(card: Card, table: CardTable, converted: Sequence[Exact | None]) -> Decided:
    totals, threshold = np.zeros(table.n_rows), float(card.threshold)
    size = np.full(table.n_rows, abs(threshold))
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
                floats = quotients(*exact)
                # what lies beyond all floats comes as the largest: as infinity it leaves no row sure
                floats = np.where(np.abs(floats) == np.finfo(np.float64).max, np.copysign(np.inf, floats), floats)
                term = floats * float(item.points)
            if cells.missing is not None:
                term = np.where(cells.missing, float(points_when_missing(item)), term)
            totals += term
            size += np.abs(term)
        margin = size * precision * (len(card.items) + 9) + _UNDERFLOW * (1 + float(_largest_points(card)))
        beyond = totals - threshold
        sure = np.abs(beyond) > margin
    positive = beyond > 0
    unsure = np.flatnonzero(~sure)
    if len(unsure):
        exact_ones = exact_scores(card, table.take(unsure))
        totals[unsure], positive[unsure] = _on_their_side(card, exact_ones), exact_ones.positive
    return Decided(totals, positive)
