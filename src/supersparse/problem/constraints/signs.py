"""Constraints on the signs of points: those of one variable only rise, or only fall."""

from collections.abc import Mapping
from dataclasses import dataclass

from supersparse.errors import InvalidProblemError
from supersparse.problem.constraints.support import Names
from supersparse.problem.limits import Constraint, SignLimit
from supersparse.problem.naming import matching, names_or_patterns
from supersparse.problem.rows import Rows


@dataclass(frozen=True, kw_only=True, repr=False)
class SameSign(Constraint):
    """The features of each raw variable have points of one sign: none below 0, or none above."""

    variables: tuple[tuple[str, tuple[str, ...]], ...]

    def in_words(self) -> str:
        """Describe the constraint."""
        return f"points of one sign for each of {', '.join(name for name, _ in self.variables)}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SignLimit, ...]:
        """One limit per variable."""
        found = []
        for variable, of in self.variables:
            members = set(matching(of, rows.names, f"same_sign: {variable!r}"))
            together = tuple(j in members for j in range(rows.n_features))
            found.append(SignLimit(together=together, source=self))
        return tuple(found)


def same_sign(variables: Mapping[str, Names] | Names) -> SameSign:
    """Give the features of each raw variable points of one sign; the solver chooses which.

    If the features are thresholds of one variable, ``age >= 40`` and ``age >= 60``, its points then only
    rise with the variable, or only fall. In a list of patterns, each pattern stands for one variable.

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
        read = tuple((pattern, (pattern,)) for pattern in names_or_patterns(variables, "same_sign"))
    return SameSign(variables=read)
