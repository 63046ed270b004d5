"""What the tables of several results share."""

from typing import Any

from supersparse.decimals import shown
from supersparse.problem.points import Points
from supersparse.solution.solution import Solution


def named_points(names: tuple[str, ...], points: Points) -> dict[str, str]:
    """Return the points of the features in use by name, as exact decimals or fractions."""
    return {names[j]: shown(points.values[j]) for j in points.support}


def points_by_name(solution: Solution) -> dict[str, str]:
    """Return the points of a solution by feature name."""
    return named_points(solution.problem.rows.names, solution.points)


def as_frame(table: list[dict[str, Any]]) -> Any:
    """Return a table as a pandas data frame; pandas is loaded when used."""
    import pandas as pd

    return pd.DataFrame(table)
