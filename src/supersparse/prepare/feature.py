"""Feature: one prepared column, with the rule on a raw column that it stands for."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Item
from supersparse.card.cells import Cells, Numbers
from supersparse.card.rules import IsMissing, Rule, ValueOf
from supersparse.card.scoring import multiplied
from supersparse.card.words import condition
from supersparse.prepare.matrix import as_numbers, filled

Direction = Literal["up", "down"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What a card's item multiplies by points: a condition on a raw column, or its value.

    `when_missing` is what a missing value counts as, None where it is refused.
    """

    rule: Rule
    position: int  # of the raw column in the training table
    when_missing: Fraction | None
    unit: str | None = None
    direction: Direction | None = None  # "up": points of 0 or more only

    @property
    def name(self) -> str:
        """A short name such as "age >= 60", "smoker = yes" or "bmi missing"."""
        return condition(self.rule)

    @property
    def column(self) -> str:
        """The raw column."""
        return self.rule.column

    @property
    def bounds(self) -> tuple[int | None, int | None] | None:
        """What its points may be, as `Problem.of` reads bounds; None is no limit."""
        return None if self.direction is None else ((0, None) if self.direction == "up" else (None, 0))

    def item(self, points: Fraction) -> Item:
        """The item of a card on the raw column, for so many points."""
        missing = None
        if self.when_missing is not None and not isinstance(self.rule, IsMissing):
            missing = points * self.when_missing
        return Item(rule=self.rule, points=points, missing=missing, unit=self.unit, position=self.position)

    def of_cells(self, cells: Cells) -> NDArray[Any]:
        """The feature for every row: 0 or 1, or numbers in a type that holds them exactly."""
        if isinstance(self.rule, IsMissing):
            gone = np.zeros(len(cells), dtype=bool) if cells.missing is None else cells.missing
            return gone.astype(np.int8)
        if isinstance(self.rule, ValueOf) and isinstance(cells, Numbers):
            column = cells.values
        else:
            column = as_numbers(*multiplied(self.rule, cells))
        if cells.missing is None or self.when_missing is None:
            return column
        return filled(column, cells.missing, self.when_missing)
