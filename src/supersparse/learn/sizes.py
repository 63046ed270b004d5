"""Sizes: the best card of each size, on all rows and without each fold.

Small sizes come first: they are proven soon, and the card of one size starts the search for the next.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from sklearn.metrics import roc_auc_score

from supersparse.base.errors import InfeasibleError, InvalidOptionError, SolverFailedError, SupersparseError
from supersparse.base.stop import Stop
from supersparse.engine.answers.frontier import frontier
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.learn.clock import Clock
from supersparse.learn.crossfit import Fold, FoldResult, FoldTask, result_of
from supersparse.learn.rows import TrainingRows
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import errors_only


def best_of_each_size(
    problem: Problem, most: int, clock: Clock, options: SolverKeywords, begin: Callable[[int], None] | None = None
) -> Iterator[tuple[int, Solution | None]]:
    """Yield the best card of at most each size, at no price; None where no card obeys the constraints.

    The sizes share the time that the clock leaves, and `begin` is called before each; those of questions come
    from one search.
    """
    if problem.questions:
        if begin is not None:
            begin(most)
        timed: SolverKeywords = {**options, "time_limit": clock.left}
        for row in frontier(problem, max_features=most, **timed).rows:
            yield row.size, row.solution
        return
    free, start = errors_only(problem), None
    for size in range(most + 1):
        left = clock.left
        if left == 0 and size > 0:
            return
        if begin is not None:
            begin(size)
        limited: SolverKeywords = {**options, "time_limit": None if left is None else left / (most + 1 - size)}
        try:
            solution = _started(free.asking(max_features=size), start, limited)
        except InfeasibleError:
            yield size, None
            continue
        except SolverFailedError:
            return
        start = solution.points
        yield size, solution
        if solution.stop is Stop.INTERRUPTED:
            return


def _started(problem: Problem, start: Points | None, options: SolverKeywords) -> Solution:
    if start is not None:
        try:
            from_start: SolverKeywords = {**options, "initial": start}
            return solve(problem, **from_start)
        except InvalidOptionError:  # the constraints allow it no more
            pass
    return solve(problem, **options)


@dataclass(frozen=True, eq=False, kw_only=True)
class SizesOfFold(FoldTask[dict[int, FoldResult]]):
    """The results of the best card of each size on a fold; `costs` are those of an error in each class."""

    rows: TrainingRows
    costs: Mapping[object, Fraction]
    most: int

    def learned(self, fold: Fold, seconds: float | None) -> dict[int, FoldResult]:
        """Learn without a fold; nothing where too few rows are left for any question."""
        train = self.rows.take(fold.train)
        try:
            question = self.recipe.settled(self.rows).question(train)
        except SupersparseError:
            return {}
        clock = Clock.ending_in(seconds)
        found = {}
        for size, one in best_of_each_size(question.problem, self.most, clock, self.recipe.options):
            if one is not None and one.stop is Stop.INTERRUPTED:
                raise KeyboardInterrupt
            if one is not None:
                found[size] = result_of(question, one, train, self.rows, fold.test, self.costs, fold.name)
        return found


def auc_of(one: FoldResult, rows: TrainingRows, positive: object) -> float | None:
    """The AUC on the rows of a fold; None where they are of one class."""
    held_out = rows.take(one.unseen.rows)
    is_positive = np.asarray(held_out.y == positive)
    if is_positive.all() or not is_positive.any():
        return None
    return float(roc_auc_score(is_positive, one.unseen.scores, sample_weight=held_out.sample_weight))
