"""Scoring with a card: exact, for one person or for a table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card, Label
from supersparse.card.numbers import IntArray, fits_int64, largest_magnitude
from supersparse.card.tables import Table, person_values, read_table


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of many rows, exactly: the score of row i is ``numerators[i] / denominator``."""

    numerators: IntArray
    denominator: int

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Which rows get the positive class: those with a score above 0, and 0 is not above 0."""
        return np.asarray(self.numerators > 0, dtype=bool)

    @property
    def values(self) -> NDArray[np.generic]:
        """The scores as numbers: whole where all are, else the nearest floats."""
        return self.numerators if self.denominator == 1 else self.floats

    @property
    def floats(self) -> NDArray[np.float64]:
        """The nearest floats, infinite where there is none."""
        return np.array([_quotient(n, self.denominator) for n in self.numerators.tolist()], dtype=np.float64)

    def __getitem__(self, row: int) -> Fraction:
        return Fraction(int(self.numerators[row]), self.denominator)


def _quotient(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def score_person(card: Card, person: Mapping[str, object]) -> Fraction:
    """Return the exact score of one person, the intercept included."""
    values = person_values(card, person)
    return sum((i.points * i.rule.of_one(values[i.rule.column]) for i in card.items), card.intercept)


def score_table(card: Card, data: object) -> Scores:
    """Return the exact scores of many rows, the intercept included."""
    return exact_scores(card, read_table(card, data))


def exact_scores(card: Card, table: Table) -> Scores:
    """Return the exact scores of a table that has been read."""
    columns = [item.rule.of_column(table.columns[item.rule.column]) for item in card.items]
    return add_up(card, columns, table.n_rows)


def add_up(card: Card, columns: Sequence[tuple[IntArray, int]], n_rows: int) -> Scores:
    """Add points times what each item multiplies, given as integers over a scale."""
    terms = [(column[0], item.points / column[1]) for item, column in zip(card.items, columns, strict=True)]
    unit = math.lcm(card.intercept.denominator, *(factor.denominator for _, factor in terms))
    start = int(card.intercept * unit)
    whole = [(integers, int(factor * unit)) for integers, factor in terms]
    largest = abs(start) + sum(abs(factor) * largest_magnitude(integers) for integers, factor in whole)
    dtype = np.int64 if fits_int64(largest) else object
    numerators = np.full(n_rows, start, dtype=dtype)
    for integers, factor in whole:
        numerators += integers.astype(dtype, copy=False) * factor
    return Scores(numerators, unit)


def predicted_label(card: Card, score: Fraction) -> Label:
    """Return the class of one score."""
    return card.positive if score > 0 else card.negative


def predicted_labels(card: Card, positive: NDArray[np.bool_]) -> NDArray[np.generic]:
    """Return the classes of many rows, given which are positive; labels keep their type."""
    labels = np.array(card.classes)
    if labels.tolist() != list(card.classes) or type(card.negative) is not type(card.positive):
        labels = np.array(card.classes, dtype=object)  # mixed types, or text that numpy would cut
    return labels[positive.astype(np.intp)]
