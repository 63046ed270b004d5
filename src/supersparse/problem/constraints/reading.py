"""Reading the constraints of a problem."""

from collections.abc import Iterable

from supersparse.errors import InvalidProblemError
from supersparse.problem.constraints.support import MaxFeatures, MinFeatures
from supersparse.problem.limits import Constraint
from supersparse.problem.reading.numbers import count


def read_constraints(
    constraints: object, max_features: object, min_features: object
) -> tuple[Constraint, ...]:
    """Return all that is asked, each once, the two limits on the size first."""
    asked: list[Constraint] = []
    if max_features is not None:
        asked.append(MaxFeatures(most=count(max_features, "max_features", otherwise=", or None")))
    if min_features is not None:
        asked.append(MinFeatures(least=count(min_features, "min_features", otherwise=", or None")))
    if constraints is None:
        return tuple(asked)
    given = [constraints] if isinstance(constraints, Constraint) else constraints
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidProblemError(f"constraints is {given!r}; give a list of supersparse.constraints")
    for constraint in given:
        if not isinstance(constraint, Constraint):
            raise InvalidProblemError(
                f"constraints holds {constraint!r}; give what the functions of supersparse.constraints "
                "return, such as min_sensitivity(0.9)"
            )
        asked.append(constraint)
    return tuple(dict.fromkeys(asked))
