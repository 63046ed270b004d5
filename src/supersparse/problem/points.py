"""Points: the coefficients and the intercept of one scoring system, exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from supersparse.errors import InvalidProblemError


@dataclass(frozen=True, slots=True)
class Points:
    """Coefficients and the intercept in units of 1/denominator.

    The coefficients are whole in that unit. So is the intercept, unless the threshold lies anywhere
    (``intercept="free"``): 7/2 units below the total, say.
    """

    coefficients: tuple[int, ...]
    intercept: int | Fraction
    denominator: int = 1

    def __post_init__(self) -> None:
        # Solvers hand over numpy integers; Python's own never overflow.
        object.__setattr__(self, "coefficients", tuple(int(c) for c in self.coefficients))
        whole = not isinstance(self.intercept, Fraction) or self.intercept.denominator == 1
        object.__setattr__(self, "intercept", int(self.intercept) if whole else self.intercept)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The coefficients as fractions."""
        return tuple(Fraction(c, self.denominator) for c in self.coefficients)

    @property
    def intercept_value(self) -> Fraction:
        """The intercept as a fraction."""
        return Fraction(self.intercept) / self.denominator

    @property
    def support(self) -> tuple[int, ...]:
        """Indices of the features in use."""
        return tuple(j for j, c in enumerate(self.coefficients) if c)

    def over(self, denominator: int) -> "Points":
        """Return the same values over another denominator."""
        scaled = [v * denominator for v in self.values]
        if any(v.denominator != 1 for v in scaled):
            raise InvalidProblemError(f"{self} holds values that are no multiples of 1/{denominator}")
        return Points(tuple(int(v) for v in scaled), self.intercept_value * denominator, denominator)

    @classmethod
    def at(
        cls,
        support: Sequence[int],
        values: Sequence[int],
        n_features: int,
        intercept: int | Fraction,
        denominator: int = 1,
    ) -> "Points":
        """Place values at the given features and 0 elsewhere."""
        coefficients = [0] * n_features
        for j, value in zip(support, values, strict=True):
            coefficients[j] = value
        return cls(tuple(coefficients), intercept, denominator)
