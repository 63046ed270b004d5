"""What was asked of a scoring system, for readers of the card: short, and in their words."""

from typing import TYPE_CHECKING

from supersparse.exact import counted
from supersparse.faces.naming import enumerated

if TYPE_CHECKING:
    from supersparse.problem.limits import Constraint

_FEW = 3  # columns that are named


def limit_in_words(constraint: "Constraint") -> str:
    """Say what one constraint allows."""
    from supersparse.problem.constraints.signs import SameSign
    from supersparse.problem.constraints.support import MaxFeatures, MinFeatures, ThresholdsPerVariable

    if isinstance(constraint, MaxFeatures):
        return f"at most {counted(constraint.most, 'feature')}"
    if isinstance(constraint, MinFeatures):
        return f"at least {counted(constraint.least, 'feature')}"
    if isinstance(constraint, ThresholdsPerVariable) and len(constraint.variables) > _FEW:
        cuts = counted(constraint.most, "cut point")
        return f"at most {cuts} for each of {len(constraint.variables)} columns"
    if isinstance(constraint, SameSign):
        columns = [name for name, _ in constraint.variables]
        named = enumerated(columns) if len(columns) <= _FEW else f"each of {len(columns)} columns"
        return f"points monotone in {named}"
    return constraint.in_words()
