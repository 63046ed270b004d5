"""First models of large tables, from samples: so that a time limit is kept and leaves a model worth having.

Samples of rows, and in wide tables of the columns that separate their classes best, are solved one after the
other, each four times as large as the one before. Every model is evaluated exactly on all rows, where its
threshold is chosen too. A sample proves nothing, so the bound stays where it was.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InfeasibleError, SolverFailedError
from supersparse.base.integer_arrays import IntArray, fits_int64
from supersparse.base.stop import OutOfTime, Stop, deadline
from supersparse.engine.exact.engine import ExactSolver
from supersparse.engine.options import SolveOptions
from supersparse.engine.presolve import DropColumns, MergeRows
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.risk.engine import RiskSolver
from supersparse.engine.search.incumbent import smallest_coefficients
from supersparse.engine.solvers import Solver
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import completed, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

FIRST_VALUES = 2**16  # values of the first sample
_GROWTH = 4
LEAST_ROWS = 2000
MOST_COLUMNS = 64  # of the first sample; later ones have twice as many each
_RANKED = 2**25  # values by which columns are ranked, about a third of a second
LEAST_SECONDS = 0.5  # for a sample, though time may be up: a card without features helps nobody
LEAST_AGAIN = 0.1  # the same where a model is known, or all rows come next
_SHARE = 0.25  # of the time left that a sample may be searched for
_SHARE_BEFORE_ALL = 0.125  # of the time that all rows take to prepare, where they come next
_PREPARING = 4  # times as long as the search, at most, to prepare a sample
_AT_ONCE = 500  # columns that are compared at once
WORTH = 0.5  # of the time left that preparing the whole table may take
_RESERVED = 0.25  # of the time limit, at most, for a model to be evaluated once more at the end


def first_models(problem: Problem, monitor: Monitor) -> bool:
    """Report models from samples to the monitor; return whether there is time to go on with all rows.

    The time that a sample took to prepare and its models to evaluate tells what all rows would take. The
    search starts from the model that is known already, if there is one, and then takes less time.
    """
    known = monitor.best
    least = LEAST_SECONDS if known is None else LEAST_AGAIN
    _report(monitor, smallest_coefficients(problem))
    values, columns = FIRST_VALUES, MOST_COLUMNS
    ranked = _by_separation(problem, monitor.options.random_state)
    while monitor.stop_reason() is None or (values == FIRST_VALUES and monitor.stop_reason() is Stop.TIME_LIMIT):
        began = time.perf_counter()
        sample = _Sample.of(problem, values, ranked[:columns], monitor.options.random_state, known)
        seconds_left = monitor.seconds_left or 0.0
        whole = sample.preparing * problem.rows.n_rows * problem.n_features / sample.n_values
        if whole < WORTH * seconds_left and monitor.best is not None and values > FIRST_VALUES:
            return True
        searched = time.perf_counter()
        seconds = max(least, _SHARE * seconds_left)
        if whole < WORTH * seconds_left:  # all rows come next, and bring a better model soon
            seconds = min(seconds, max(LEAST_AGAIN, _SHARE_BEFORE_ALL * whole))
        coefficients = sample.solve(monitor, seconds)
        searched = time.perf_counter() - searched
        if coefficients is not None:
            _report(monitor, coefficients)
        overhead = time.perf_counter() - began - searched
        seconds_left = monitor.seconds_left or 0.0
        if whole < WORTH * seconds_left:
            return True
        if sample.is_whole or 2 * overhead + _GROWTH * sample.preparing + least > WORTH * seconds_left:
            rest = seconds_left - 3 * overhead  # of the time, for this sample: a larger one takes too long
            if not sample.is_solved and rest > least and monitor.stop_reason() is None:
                coefficients = sample.solve(monitor, rest)
                if coefficients is not None:
                    _report(monitor, coefficients)
            return False
        values, columns = _GROWTH * values, 2 * columns
    return False


def _report(monitor: Monitor, coefficients: Sequence[int]) -> None:
    """Evaluate a model on all rows, and reserve as much time: the last one is evaluated once more."""
    began, limit = time.perf_counter(), monitor.options.time_limit
    if monitor.best is not None and monitor.best.coefficients == tuple(coefficients):
        return
    monitor.incumbent(completed(monitor.problem, coefficients))
    if limit is not None:
        monitor.reserved = max(monitor.reserved, min(time.perf_counter() - began, _RESERVED * limit))


class _Sample:
    """Some rows and columns of a problem, presolved, and the time that this took."""

    def __init__(self, problem: Problem, kept: Sequence[int], small: Problem, n_values: int) -> None:
        self._whole, self._kept, self._small = problem, kept, small
        self.n_values = n_values
        self.is_whole = n_values >= problem.rows.n_rows * problem.n_features
        self.preparing = 0.0
        self.is_solved = False
        self._best: Points | None = None  # so far, where a search goes on

    @classmethod
    def of(cls, problem: Problem, values: int, columns: Sequence[int], seed: int, known: Points | None) -> "_Sample":
        """Draw about this number of values, in these columns, those that a model needs and those of a known one."""
        used = () if known is None else known.support
        rows, kept = problem.rows, sorted({*columns, *_needed(problem), *used})
        n_rows = min(rows.n_rows, max(LEAST_ROWS, values // len(kept)))
        chosen, weights = _drawn(problem, n_rows, np.random.default_rng(seed))
        began = time.perf_counter()
        narrow = DropColumns(tuple(kept), problem.n_features)
        part = narrow.apply(problem) if narrow.accepts(problem) else problem
        small = replace(
            part,
            rows=part.rows.with_rows(chosen, weights),
            rate_limits=tuple(
                replace(limit, weights=limit.weights[chosen], at_most=limit.at_most * len(chosen) // rows.n_rows)
                for limit in part.rate_limits
            ),
        )
        sample = cls(problem, kept, MergeRows.apply(small), len(chosen) * len(kept))
        if known is not None:
            sample._best = with_best_intercept(sample._small, [known.coefficients[j] for j in kept])
        # the integer form and what follows it take about four times as long as merging the rows
        sample.preparing = 5 * (time.perf_counter() - began)
        return sample

    def solve(self, monitor: Monitor, seconds: float) -> list[int] | None:
        """Return the best coefficients found in this time, over all columns."""
        options = SolveOptions(
            time_limit=seconds,
            random_state=monitor.options.random_state,
            initial=self._best,
            cancel=lambda: monitor.stop_reason() not in (None, Stop.TIME_LIMIT),
        )
        monitor_of_sample = Monitor(self._small, options, lambda points: points)
        if self._best is not None:
            monitor_of_sample.incumbent(self._best)
        is_risk = loss_of(self._small).gives_risks
        solver: Solver = RiskSolver() if is_risk else ExactSolver()
        try:
            # samples for a risk model take long to prepare
            with deadline(time.perf_counter() + _PREPARING * seconds if is_risk else None):
                claim = solver.solve(self._small, options, monitor_of_sample)
            self.is_solved = claim.stop is Stop.OPTIMAL
            self._best = claim.points
        except (InfeasibleError, SolverFailedError):  # of the sample: all rows may allow a model
            return None
        except OutOfTime:
            if monitor_of_sample.best is None:
                return None
            self._best = monitor_of_sample.best
        coefficients = smallest_coefficients(self._whole)
        for j, value in zip(self._kept, self._best.coefficients, strict=True):
            coefficients[j] = int(value)
        return coefficients


def _drawn(problem: Problem, n_rows: int, random: np.random.Generator) -> tuple[NDArray[np.intp], IntArray]:
    """Draw rows, up to half of them of the rarer class, and weigh them so that classes keep their shares."""
    rows = problem.rows
    members = [np.flatnonzero(rows.positive), np.flatnonzero(~rows.positive)]
    rarer = min(len(m) for m in members)
    sizes = [min(len(m), max(n_rows // 2, n_rows - rarer)) for m in members]
    drawn, weights = [], []
    for of_class, size in zip(members, sizes, strict=True):
        chosen = np.sort(random.choice(of_class, size=size, replace=False))
        drawn.append(chosen)
        share = round(Fraction(len(of_class), size) * 100)
        dtype = np.int64 if fits_int64(problem.total_weight * 100 * rows.n_rows) else object
        weights.append(rows.weights[chosen].astype(dtype) * share)
    return np.concatenate(drawn), np.concatenate(weights)


def _needed(problem: Problem) -> set[int]:
    """The columns without which a model may break a constraint."""
    counted = {j for limit in problem.support_limits for j, w in enumerate(limit.weights) if w < 0}
    return {*problem.forced, *counted}


def _by_separation(problem: Problem, seed: int) -> list[int]:
    """Rank the columns by how well each alone separates the classes, in as many rows as are read quickly."""
    rows = problem.rows
    if problem.n_features <= MOST_COLUMNS:
        return list(range(problem.n_features))
    n_rows = min(rows.n_rows, max(LEAST_ROWS, _RANKED // problem.n_features))
    chosen = np.sort(np.random.default_rng(seed).choice(rows.n_rows, size=n_rows, replace=False))
    positive = rows.positive[chosen]
    distance = np.zeros(problem.n_features)
    columns = rows.raw or rows.columns
    for start in range(0, problem.n_features, _AT_ONCE):
        some = range(start, min(start + _AT_ONCE, problem.n_features))
        values = np.array([columns[j][chosen] for j in some], dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            distances = np.abs(values[:, positive].mean(axis=1) - values[:, ~positive].mean(axis=1))
            distance[start : some.stop] = np.nan_to_num(distances / values.std(axis=1), posinf=0.0)
    distance[[len(allowed) <= 1 for allowed in problem.sets]] = 0.0
    return [int(j) for j in np.argsort(-distance, kind="stable")]
