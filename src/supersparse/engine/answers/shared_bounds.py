"""The bounds that a card and the best cards of each size prove for each other.

Without levels, F = loss + penalties, none of them below 0. Let B be a bound on F. Models of at most k features pay at
most the k largest penalties, so their loss is at least B less these. The other way round, models of exactly k features
have at least the loss that is proven for at most k, and pay at least the k smallest penalties; models larger than the
frontier have at least the loss of its floor. The least of these sums is a bound on F.
"""

from dataclasses import replace
from fractions import Fraction

from supersparse.engine.answers.frontier import Frontier, FrontierRow
from supersparse.engine.solution import Solution, Trace
from supersparse.problem.objective import evaluate
from supersparse.problem.problem import Problem
from supersparse.problem.variants import errors_only


def bound_of_sizes(frontier: Frontier) -> Fraction:
    """Return a bound on F of the problem, with its penalties, from the bounds of each size.

    >>> from supersparse import frontier
    >>> problem = Problem.of([[0, 1], [0, 0], [1, 1], [1, 0]], [0, 0, 1, 0], C0=0.2, max_points=3)
    >>> str(bound_of_sizes(frontier(problem, solver="exhaustive")))
    '1/4'
    """
    problem = frontier.problem
    if problem.has_levels:
        return Fraction(0)
    cheapest = sorted(_penalties(problem))
    proven = [
        row.lower_bound + sum(cheapest[: row.size], Fraction(0)) for row in frontier.rows if row.lower_bound is not None
    ]
    if not frontier.reaches_all:
        proven.append(frontier.floor + sum(cheapest[: len(frontier.rows)], Fraction(0)))
    return min(proven, default=Fraction(0))


def bound_of_size(problem: Problem, bound: Fraction, size: int) -> Fraction:
    """Return a bound on the loss of models of at most this size, from one on F of all models.

    >>> problem = Problem.of([[0, 1], [0, 0], [1, 1], [1, 0]], [0, 0, 1, 0], C0=0.2, max_points=3)
    >>> [str(bound_of_size(problem, Fraction(1, 4), size)) for size in (0, 1, 2)]
    ['1/4', '1/20', '0']
    """
    if problem.has_levels:
        return Fraction(0)
    dearest = sorted(_penalties(problem), reverse=True)
    return max(Fraction(0), bound - sum(dearest[:size], Fraction(0)))


def reconciled(solution: Solution, frontier: Frontier) -> tuple[Solution, Frontier]:
    """Return an answer and the best models of each size of its problem, each with what the other proves."""
    frontier = with_model(frontier, solution)
    bound = min(max(solution.lower_bound, bound_of_sizes(frontier)), solution.objective)
    return replace(solution, lower_bound=bound), with_bound(frontier, bound)


def with_bound(frontier: Frontier, bound: Fraction) -> Frontier:
    """Return the frontier with the bounds that a bound on F implies for each size, where they are better."""
    return replace(frontier, rows=tuple(_with_bound(frontier.problem, row, bound) for row in frontier.rows))


def with_model(frontier: Frontier, solution: Solution) -> Frontier:
    """Return the frontier with a model that is known from elsewhere, at the sizes where it is the best."""
    free = errors_only(frontier.problem)
    evaluation = evaluate(free, solution.points)
    size = evaluation.size
    known = replace(
        solution, problem=free.asking(max_features=size), evaluation=evaluation, smallest=False, trace=Trace()
    )

    def better(row: FrontierRow) -> FrontierRow:
        if row.lower_bound is None or row.size < size:
            return row
        if row.solution is not None and row.solution.objective <= known.objective:
            return row
        bound = min(row.lower_bound, known.objective)
        return replace(row, solution=replace(known, lower_bound=bound), lower_bound=bound)

    return replace(frontier, rows=tuple(map(better, frontier.rows)))


def _with_bound(problem: Problem, row: FrontierRow, bound: Fraction) -> FrontierRow:
    if row.lower_bound is None or row.solution is None:
        return row
    raised = min(bound_of_size(problem, bound, row.size), row.solution.objective)
    return replace(row, lower_bound=max(row.lower_bound, raised))


def _penalties(problem: Problem) -> list[Fraction]:
    """The penalty of each feature, and of the intercept where it counts as one."""
    return [*problem.C0, *([problem.intercept_C0] if problem.intercept.is_penalised else [])]
