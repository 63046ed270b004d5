"""Constraints on the signs of points: those of one variable only rise, or only fall."""

from collections.abc import Mapping
from dataclasses import dataclass

from supersparse.base.errors import InvalidProblemError
from supersparse.problem.constraints.support import Names
from supersparse.problem.limits import Constraint, SignLimit
from supersparse.problem.naming import matching, names_or_patterns
from supersparse.problem.rows import Rows


@dataclass(frozen=True, kw_only=True, repr=False)
class SameSign(Constraint):
    """The features of each group, such as a raw variable, have points of one sign, all >= 0 or all <= 0."""

    variables: tuple[tuple[str, tuple[str, ...]], ...]

    def in_words(self) -> str:
        """Describe the constraint."""
        named = ", ".join(name for name, _ in self.variables)
        return f"points of one sign for {f'{named} together' if self.is_list else f'each of {named}'}"

    @property
    def is_list(self) -> bool:
        """Whether it is one group that was given as a list, without a name."""
        return len(self.variables) == 1 and self.variables[0] == _listed(self.variables[0][1])

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SignLimit, ...]:
        """One limit per variable."""
        found = []
        for variable, of in self.variables:
            members = set(matching(of, rows.names, f"same_sign: {variable!r}"))
            together = tuple(j in members for j in range(rows.n_features))
            found.append(SignLimit(together=together, source=self))
        return tuple(found)


def same_sign(variables: Mapping[str, Names] | Names) -> SameSign:
    """Give features points of one sign, all 0 or more or all 0 or less; the solver chooses which.

    A list of names and patterns is one group; a mapping has a group for each raw variable. If the features
    of a group are thresholds of one variable, ``age >= 40`` and ``age >= 60``, its points then only rise with
    the variable, or only fall.

    >>> same_sign(["age >= 40", "age >= 60"]).in_words()
    'points of one sign for age >= 40, age >= 60 together'
    >>> same_sign({"age": ["age >= 40", "age >= 60"], "bmi": "bmi >=*"}).in_words()
    'points of one sign for each of age, bmi'
    """
    if isinstance(variables, Mapping):
        if not variables:
            raise InvalidProblemError("same_sign names no variable; give {variable: its features}")
        read = tuple(
            (str(name), names_or_patterns(of, f"same_sign: {name!r}")) for name, of in variables.items()
        )
    else:
        read = (_listed(names_or_patterns(variables, "same_sign")),)
    return SameSign(variables=read)


def _listed(of: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The group of a list, which has no name of its own."""
    return ", ".join(of), of
