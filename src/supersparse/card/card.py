"""Card: one scoring system, complete and frozen."""

import math
from dataclasses import dataclass
from fractions import Fraction

from supersparse.card.provenance import Provenance
from supersparse.card.rules import Rule
from supersparse.errors import InvalidCardError

Label = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of a card: points times what the rule makes of a raw column."""

    rule: Rule
    points: Fraction
    position: int | None = None  # where the column stands in a table without names

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", Fraction(self.points))
        if self.points == 0:
            raise InvalidCardError(f"the item {self.rule.column!r} gives 0 points; leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A scoring system: score = Σ points·value + intercept, positive class when score > 0.

    On paper the intercept is a threshold: the positive class when the points add up to more
    than `threshold`. `n_columns` is the width of the training table; arrays without column
    names are accepted in that shape only, and not at all when it is None.
    """

    items: tuple[Item, ...]
    intercept: Fraction
    negative: Label
    positive: Label
    title: str | None = None
    n_columns: int | None = None
    provenance: Provenance | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "intercept", Fraction(self.intercept))
        for label in self.classes:
            if not isinstance(label, Label) or (isinstance(label, float) and not math.isfinite(label)):
                raise InvalidCardError(f"the class {label!r} must be text or a finite number")
        if self.negative == self.positive:
            raise InvalidCardError(f"both classes are called {self.positive!r}; they must differ")
        seen: set[Rule] = set()
        for item in self.items:
            if item.rule in seen:
                raise InvalidCardError(
                    f"two items give points for the {item.rule.kind} of {item.rule.column!r}"
                )
            seen.add(item.rule)
            if item.position is not None and not 0 <= item.position < (self.n_columns or 0):
                raise InvalidCardError(
                    f"item {item.rule.column!r} has position {item.position} of {self.n_columns} columns"
                )

    @property
    def classes(self) -> tuple[Label, Label]:
        """(negative, positive)."""
        return self.negative, self.positive

    @property
    def threshold(self) -> Fraction:
        """The points that must be exceeded for the positive class."""
        return -self.intercept

    @property
    def columns(self) -> tuple[str, ...]:
        """The raw columns that the card needs, each once."""
        return tuple(dict.fromkeys(item.rule.column for item in self.items))

    @property
    def size_with_intercept(self) -> int:
        """Items, and one more for an intercept that is not 0 (the paper counts so)."""
        return len(self.items) + (self.intercept != 0)
