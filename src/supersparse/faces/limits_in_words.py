"""What was asked of a scoring system, for readers of the card: short, and in their words."""

from typing import TYPE_CHECKING

from supersparse.exact import counted

if TYPE_CHECKING:
    from supersparse.problem.limits import Constraint
    from supersparse.problem.problem import Problem

_FEW = 3  # columns that are named


def limit_in_words(problem: "Problem", constraint: "Constraint") -> str:
    """Say what one constraint allows; features of yes or no are called questions."""
    from supersparse.problem.constraints.signs import SameSign
    from supersparse.problem.constraints.support import MaxFeatures, MinFeatures, ThresholdsPerVariable

    if isinstance(constraint, MaxFeatures):
        return f"at most {_features(problem, constraint.most)}"
    if isinstance(constraint, MinFeatures):
        return f"at least {_features(problem, constraint.least)}"
    if isinstance(constraint, ThresholdsPerVariable) and len(constraint.variables) > _FEW:
        cuts = counted(constraint.most, "cut point")
        return f"at most {cuts} in each of {len(constraint.variables)} columns"
    if isinstance(constraint, SameSign):
        columns = [name for name, _ in constraint.variables]
        named = ", ".join(columns) if len(columns) <= _FEW else f"each of {len(columns)} columns"
        return f"points that rise or fall with {named}"
    return constraint.in_words()


def _features(problem: "Problem", number: int) -> str:
    return counted(number, "question" if _all_yes_or_no(problem) else "feature")


def _all_yes_or_no(problem: "Problem") -> bool:
    rows = problem.rows
    if rows.raw is not None:
        return all(bool(((column == 0) | (column == 1)).all()) for column in rows.raw)
    return all(scale == 1 for scale in rows.scales) and all(
        largest <= 1 and column.min() >= 0
        for largest, column in zip(rows.magnitudes, rows.columns, strict=True)
    )
