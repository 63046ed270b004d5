"""Constraints on single features: used, not used, fixed to a value."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from supersparse.decimals import exact, shown
from supersparse.problem.limits import Constraint, ValueLimit
from supersparse.problem.naming import matching, names_or_patterns
from supersparse.problem.rows import Rows


@dataclass(frozen=True, kw_only=True)
class Values(Constraint):
    """Features whose coefficient is not 0 (`equals` None), or is one given value."""

    of: tuple[str, ...]
    equals: Fraction | None
    asked_as: str

    def in_words(self) -> str:
        """Say what is asked."""
        names = ", ".join(self.of)
        return f"{names} = {shown(self.equals)}" if self.equals else f"{names} {self.asked_as}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[ValueLimit, ...]:
        """One limit for each feature named."""
        return tuple(
            ValueLimit(name=rows.names[j], equals=self.equals, source=self)
            for j in matching(self.of, rows.names, repr(self.in_words()))
        )


def must_use(names: str | Sequence[str]) -> Values:
    """Every feature named is in the model.

    >>> must_use(["age", "lab*"]).in_words()
    'age, lab* used'
    """
    return Values(of=names_or_patterns(names, "must_use"), equals=None, asked_as="used")


def must_not_use(names: str | Sequence[str]) -> Values:
    """No feature named is in the model.

    >>> must_not_use("zip*").in_words()
    'zip* not used'
    """
    return Values(of=names_or_patterns(names, "must_not_use"), equals=Fraction(0), asked_as="not used")


def fixed(name: str | Sequence[str], value: float | Fraction) -> Values:
    """The coefficient of a feature is a given value of its set.

    >>> fixed("age", 2).in_words()
    'age = 2'
    """
    of = names_or_patterns(name, "fixed")
    points = exact(value, f"fixed: the value of {', '.join(of)}")
    return Values(of=of, equals=points, asked_as="fixed at 0")
