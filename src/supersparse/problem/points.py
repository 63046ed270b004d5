"""Points: the coefficients and the intercept of one scoring system, exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from supersparse.errors import InvalidProblemError


@dataclass(frozen=True, slots=True)
class Points:
    """Integers over one common denominator, the intercept included."""

    coefficients: tuple[int, ...]
    intercept: int
    denominator: int = 1

    def __post_init__(self) -> None:
        # Solvers hand over numpy integers; Python's own never overflow.
        object.__setattr__(self, "coefficients", tuple(int(c) for c in self.coefficients))
        object.__setattr__(self, "intercept", int(self.intercept))

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The coefficients as fractions."""
        return tuple(Fraction(c, self.denominator) for c in self.coefficients)

    @property
    def intercept_value(self) -> Fraction:
        """The intercept as a fraction."""
        return Fraction(self.intercept, self.denominator)

    @property
    def support(self) -> tuple[int, ...]:
        """Indices of the features in use."""
        return tuple(j for j, c in enumerate(self.coefficients) if c)

    def over(self, denominator: int) -> "Points":
        """Return the same values over another denominator."""
        scaled = [v * denominator for v in (*self.values, self.intercept_value)]
        if any(v.denominator != 1 for v in scaled):
            raise InvalidProblemError(f"{self} holds values that are no multiples of 1/{denominator}")
        return Points(tuple(int(v) for v in scaled[:-1]), int(scaled[-1]), denominator)

    @classmethod
    def at(
        cls,
        support: Sequence[int],
        values: Sequence[int],
        n_features: int,
        intercept: int,
        denominator: int = 1,
    ) -> "Points":
        """Place values at the given features and 0 elsewhere."""
        coefficients = [0] * n_features
        for j, value in zip(support, values, strict=True):
            coefficients[j] = value
        return cls(tuple(coefficients), intercept, denominator)
