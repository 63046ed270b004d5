"""Domain: the values that a column is known to take, and whether others are refused."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from supersparse.card.rules import InRange, IsOneOf
from supersparse.card.values import Category, declared_category, declared_number
from supersparse.errors import InvalidCardError

Outside = Literal["accept", "refuse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """What a column may hold: known values, or numbers from `low` to `high` (ends included).

    A value outside is scored by the rules as they stand ("accept"; no category matches, so it gives
    0 points) or refused. `whole` says that the numbers are whole. A missing value is
    never outside: items say what it does.
    """

    column: str
    values: tuple[Category, ...] | None = None
    low: Fraction | None = None
    high: Fraction | None = None
    whole: bool = False
    outside: Outside = "accept"

    def __post_init__(self) -> None:
        what = f"the domain of {self.column!r}"
        if self.outside not in get_args(Outside):
            raise InvalidCardError(f"{what}: outside is {self.outside!r}; it must be 'accept' or 'refuse'")
        if self.values is not None:
            if self.low is not None or self.high is not None or self.whole:
                raise InvalidCardError(f"{what} has both values and limits; give one of the two")
            values = tuple(declared_category(v, f"a value of {what}") for v in self.values)
            object.__setattr__(self, "values", values)
            if not values or len(set(values)) < len(values):
                raise InvalidCardError(f"{what} must name one value or more, each once")
            return
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, declared_number(getattr(self, name), f"{name} of {what}"))
        if self.low is None and self.high is None and not self.whole:
            raise InvalidCardError(f"{what} says nothing; give values, low, high or whole")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InvalidCardError(f"{what} is empty: low {self.low} is above high {self.high}; swap them")

    @property
    def is_whole(self) -> bool:
        """Whether all values inside are whole numbers."""
        if self.values is None:
            return self.whole
        return all(not isinstance(v, str) and Fraction(v).denominator == 1 for v in self.values)

    @property
    def test(self) -> IsOneOf | InRange | None:
        """The rule that holds inside, apart from `whole`; None when every number is inside."""
        if self.values is not None:
            return IsOneOf(self.column, self.values)
        if self.low is None and self.high is None:
            return None
        return InRange(self.column, self.low, self.high, high_included=True)
