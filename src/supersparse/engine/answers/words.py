"""How results name points and the minimised value, the same in every table."""

from collections.abc import Iterable
from fractions import Fraction

from supersparse.base.exact import shown
from supersparse.engine.solution import Solution
from supersparse.problem.losses import loss_of
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.table.small_table import number


def named_points(names: tuple[str, ...], points: Points) -> dict[str, str]:
    """Return the points of the features in use by name, as exact decimals or fractions.

    Those of a question are listed by answer, as 0/1/3.
    """
    if points.answers is not None:
        return {names[j]: "/".join(map(str, points.answers[j])) for j in points.support}
    return {names[j]: shown(points.values[j]) for j in points.support}


def points_by_name(solution: Solution) -> dict[str, str]:
    return named_points(solution.problem.rows.names, solution.points)


def what_is_least(problem: Problem) -> str:
    """The name of the quantity that is minimised for a number of features: the loss and a numeric C1, but no C0.

    Errors count rows by sample weight. Where errors of the two classes cost differently, as they do for net
    benefit, a card with the least weighted error may make more errors than others.
    """
    what = loss_of(problem).name(problem)
    if not problem.C1:
        return what
    return f"{'error' if what == 'errors' else what} + C1"


def counts_errors(problem: Problem) -> bool:
    return what_is_least(problem) == "errors"


def least_value(solution: Solution) -> Fraction:
    """Return the errors of a solution, or its loss where another loss is least."""
    evaluation, problem = solution.evaluation, solution.problem
    if counts_errors(problem):
        return evaluation.training_errors
    return evaluation.loss + (problem.C1 or 0) * evaluation.l1


def least_of(solution: Solution) -> str:
    """Return the errors or the loss of a solution, as tables print them."""
    least = least_value(solution)
    return shown(least) if counts_errors(solution.problem) else f"{float(least):.4f}"


def least_in_words(solution: Solution) -> str:
    """Return the minimised value of a solution, with its name."""
    least = least_of(solution)
    if counts_errors(solution.problem):
        return f"{least} error" if least == "1" else f"{least} errors"
    return f"{what_is_least(solution.problem)} {least}"


def least_span(solutions: Iterable[Solution | None]) -> str:
    """Return the range of the minimised value, with its name."""
    solved = [solution for solution in solutions if solution is not None]
    if not solved:
        return "no model found"
    least = [least_value(solution) for solution in solved]
    return f"{what_is_least(solved[0].problem)} from {number(max(least))} to {number(min(least))}"


_PLAIN_ERRORS = "errors (not minimised)"


def size_columns(problem: Problem | None) -> tuple[str, ...]:
    """The titles of a table of the best cards by size; weighted errors are followed by the plain ones."""
    if problem is None or counts_errors(problem):
        return ("size", "errors", "proven", "points")
    plain = (_PLAIN_ERRORS,) if loss_of(problem).counts_rows else ()
    return ("size", what_is_least(problem), "proven", *plain, "points")


def size_cells(size: int, best: Solution | None, proven: bool, columns: tuple[str, ...]) -> tuple[str, ...]:
    proof = "yes" if proven else "no"
    if best is None:
        return (str(size), "-", proof, *("-" for _ in columns[3:-1]), "")
    plain = [shown(best.evaluation.training_errors) for title in columns if title == _PLAIN_ERRORS]
    return (str(size), least_of(best), proof, *plain, points_text(best))


def size_lines(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table of sizes as text, numbers to the right."""
    wide = [max(6, len(title)) if at == 1 else len(title) for at, title in enumerate(columns)]
    lines = [
        "  ".join(
            f"{cell:<{width}}" if title in ("proven", "points") else f"{cell:>{width}}"
            for cell, width, title in zip(cells, wide, columns, strict=True)
        ).rstrip()
        for cells in (columns, *rows)
    ]
    return "\n".join(lines)


def points_text(solution: Solution) -> str:
    return ", ".join(f"{points} {name}" for name, points in points_by_name(solution).items())
