"""How results name points and what they have least of, the same in every table."""

from typing import Any

from supersparse.exact import shown
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solving.solution import Solution


def named_points(names: tuple[str, ...], points: Points) -> dict[str, str]:
    """Return the points of the features in use by name, as exact decimals or fractions."""
    return {names[j]: shown(points.values[j]) for j in points.support}


def points_by_name(solution: Solution) -> dict[str, str]:
    """Return the points of a solution by feature name."""
    return named_points(solution.problem.rows.names, solution.points)


def to_pandas(table: list[dict[str, Any]]) -> Any:
    """Return a table as a pandas data frame; pandas is loaded when used."""
    import pandas as pd

    return pd.DataFrame(table)


def what_is_least(problem: Problem) -> str:
    """What the rows have least of."""
    return "log loss" if problem.goal == "risk" else "errors"


def least_of(solution: Solution) -> str:
    """Return the log loss or the errors of a solution, as tables print them."""
    found = solution.evaluation
    return f"{float(found.loss):.4f}" if solution.problem.goal == "risk" else shown(found.training_errors)


def points_text(solution: Solution) -> str:
    """Return the points of a solution in one line."""
    return ", ".join(f"{points} {name}" for name, points in points_by_name(solution).items())
