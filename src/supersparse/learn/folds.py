"""Folds in their order until time is up, and the fits on one of them, whoever asks for them.

Which folds there are, and what is fitted on each, is decided before the first of them: by the rows and the
settings, never by the clock. Each fold is given an equal share of the time left. So a busy machine searches
less in each fold; it leaves folds out, the last ones, only where even that does not keep the time limit.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from multiprocessing import TimeoutError as LateError
from operator import mul
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from supersparse.base.errors import InfeasibleError, InvalidDataError, InvalidProblemError, SolverFailedError
from supersparse.base.exact import counted, exact
from supersparse.base.integer_arrays import integer_column
from supersparse.base.stop import Stop
from supersparse.engine.answers.penalty_grid import solve_each_penalty
from supersparse.engine.executors import each_on
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.learn.calibrating import LeftOut, left_out
from supersparse.learn.clock import Clock, loaded
from supersparse.learn.comparison import Measures, compared
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.starting import start_from
from supersparse.learn.thinning import LEAST_SECONDS, SCORED_PER_LEARNED, drawn, thinned
from supersparse.learn.watching import Unwatched, Watch
from supersparse.problem.log_loss import at_threshold
from supersparse.problem.problem import Problem
from supersparse.problem.variants import quiet_about_penalties, with_size_penalty
from supersparse.table.sources import as_array

_START = 6.0  # seconds that processes must save: starting them takes a few
_LOADING = 120.0  # seconds below which none are started: on a busy machine, loading them takes up to a minute
_LATE = 1.25  # times its seconds that a fold may take: stopping takes a moment
_LITTLE = 0.05  # of the time limit, by which a fold may exceed the time of all rather than be left out
_MOMENT = 1.0  # seconds after the end in which another process may still answer


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldResult:
    """What one fit on one fold gave."""

    error: Fraction  # weight of the wrong test rows over that of all, class weights applied
    loss: Fraction  # what C0 is chosen by: the error, or the log loss of a risk model
    score: float  # higher is better: the share that is right, or minus the log loss
    log_loss: float | None  # of a risk model, without class weights
    size: int
    gap: float
    fit_seconds: float
    score_seconds: float
    unseen: LeftOut
    sampled: int | None  # how many training rows were used, if not all
    compared: Mapping[str, Measures] | None = None  # of a card of questions, and what it is compared with


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """The rows of one split, by position."""

    name: str
    train: NDArray[np.intp]
    test: NDArray[np.intp]


def named_folds(splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]) -> list[Fold]:
    """Give splits the names that messages use."""
    return [
        Fold(name=f"fold {k} of {len(splits)}", train=train, test=test)
        for k, (train, test) in enumerate(splits, start=1)
    ]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FoldTask:
    """The fits of each fold, in this process or in another one: for each C0, or what the recipe says.

    A fold has one thread, whatever the recipe says.
    """

    recipe: Recipe
    penalties: Sequence[float]
    rows: TrainingRows
    costs: Mapping[object, Fraction]
    initial: Any = None

    def __post_init__(self) -> None:
        options: SolverKeywords = {**self.recipe.options, "n_jobs": 1, "executor": None}
        object.__setattr__(self, "recipe", replace(self.recipe, options=options))

    def __call__(self, fold: Fold, seconds: float | None, ends: float | None, must: bool) -> list[FoldResult]:
        """Fit a fold within so many seconds; nothing after `ends`, as `time.time` counts, unless it must.

        A process that had to load the solver first has less time. A fold that finds no model in its seconds
        is fitted again in all that is left.
        """
        if seconds is None or ends is None:
            return self._fitted(fold, None)
        loaded(self.recipe)
        left = max(0.0, ends - time.time())
        if left == 0 and not must:
            return []
        seconds = min(seconds, left)
        try:
            return self._fitted(fold, seconds)
        except SolverFailedError as error:
            left = ends - time.time()
            if error.interrupted or left <= seconds:
                raise
            return self._fitted(fold, left)

    def _fitted(self, fold: Fold, seconds: float | None) -> list[FoldResult]:
        recipe = self.recipe
        if seconds is not None:
            recipe = replace(recipe, options={**recipe.options, "time_limit": seconds})
        return fit_fold(recipe, self.penalties, self.rows, self.costs, fold, self.initial)


@dataclass(eq=False, kw_only=True)
class FoldsInTime:
    """Folds, learned in their order until time is up, on processes or the workers of an executor.

    Unless they start `at_once`, the first fold is learned in this process, and the others too if starting
    processes would take longer than it saves.
    """

    task: FoldTask
    clock: Clock
    n_jobs: int = 1
    executor: Executor | None = None
    watch: Watch = field(default_factory=Unwatched)
    at_once: bool = False
    must: bool = False  # whether the next fold is learned even if time is up
    least: float = 0.0  # seconds without which no fold is begun: what one took that exceeded its time

    def learned(self, folds: Sequence[Fold]) -> Iterator[list[FoldResult]]:
        """Yield the results of each fold; what a fold leaves of its time goes to the others."""
        must, done = self.must, 0
        for results in self._each(folds):
            if not results:  # came too late, and so would the next ones
                break
            yield results
            done += 1
        if must and not done:  # the processes came too late
            self.must = True
            yield from self._here(folds[:1], 1)

    def _each(self, folds: Sequence[Fold]) -> Iterator[list[FoldResult]]:
        rest = folds
        if not self.at_once or (self.n_jobs == 1 and self.executor is None):
            began = time.monotonic()
            yield from self._here(folds[:1], len(folds))
            rest = folds[1:]
            if not self._is_worth_starting(len(rest) * (time.monotonic() - began)):
                yield from self._here(rest, len(rest))
                return
        given = self._given(rest, ceil(len(rest) / self.n_jobs))
        if self.executor is not None:
            yield from each_on(self.executor, self.task, given, "its fold", are_fold_results)
            return
        processes = max(1, min(self.n_jobs, len(rest)))  # joblib would start all that it is told of
        left = self.clock.left
        parallel = Parallel(
            n_jobs=processes,
            return_as="generator",
            pre_dispatch=processes,
            timeout=None if left is None else left + _MOMENT,  # loading may take longer than that
        )
        try:
            yield from parallel(delayed(self.task)(*one) for one in given)
        except LateError:
            return

    def _is_worth_starting(self, seconds: float) -> bool:
        """Whether processes would save time if folds took so many seconds here; the results are the same."""
        left = self.clock.left
        if self.executor is None and left is not None and left < _LOADING:
            return False
        return self.n_jobs > 1 and seconds * (1 - 1 / self.n_jobs) >= _START

    def _here(self, some: Sequence[Fold], rounds: int) -> Iterator[list[FoldResult]]:
        for fold, seconds, ends, must in self._given(some, rounds):
            began = time.monotonic()
            results = self.task(fold, seconds, ends, must)
            took = time.monotonic() - began
            # on a large table, reading and scoring the rows of a fold can take far longer than given
            limit = self.task.recipe.options.get("time_limit")
            if seconds is not None and took > max(_LATE * seconds, _LITTLE * (limit or 0.0)):
                self.least = took
            yield results

    def _given(self, some: Sequence[Fold], rounds: int) -> Iterator[tuple[Fold, float | None, float | None, bool]]:
        """Announce folds one by one, each with its seconds and the end of all; none when time is up."""
        each = len(some) / rounds if some else 1.0  # folds that are learned at the same time
        for k, fold in enumerate(some):
            left, must = self.clock.left, self.must
            self.must = False
            if left is not None and (left == 0 or left < self.least) and not must:
                return
            self.watch.stage(f"{fold.name}: training on {counted(len(fold.train), 'row')}, testing on {len(fold.test)}")
            if left is None:
                yield fold, None, None, must
            else:
                yield fold, left / (rounds - int(k / each)), time.time() + left, must


def are_fold_results(answer: object) -> bool:
    """Whether a worker has answered with what a fold gives."""
    return isinstance(answer, list) and all(isinstance(result, FoldResult) for result in answer)


def fit_fold(
    recipe: Recipe,
    Cs: Sequence[float],
    rows: TrainingRows,
    costs: Mapping[object, Fraction],
    fold: Fold,
    initial: Any = None,
) -> list[FoldResult]:
    """Fit each C0 on the fold's training rows and weigh the errors on its test rows.

    Without any Cs it fits what the recipe says. The fits share their work; each is reported to have taken
    its share of the time. Of a large table, only as many rows are used as a time limit allows.
    """
    began = time.perf_counter()
    limit = recipe.options.get("time_limit")
    solves = max(1, len(Cs))
    learned_from = thinned(fold.train, rows, None if recipe.plan is None else recipe.plan / solves)
    is_sample = len(learned_from) < len(fold.train)
    train = rows.take(learned_from)
    with quiet_about_penalties():  # the useful range differs a little from fold to fold; the final fit warns
        try:
            asked = recipe.settled(rows)
            asked = asked.asking(C0=Cs[0]) if Cs else asked
            question = asked.question(train)
            start = start_from(initial, question.problem, required=False)
            options: SolverKeywords = {**recipe.options, "initial": start}
            options["branching_priorities"] = {}  # those of all rows and their questions
            if limit is not None:
                least = LEAST_SECONDS * solves if is_sample else 0.0
                options["time_limit"] = max(least, limit - (time.perf_counter() - began))
            if Cs and recipe.slack is not None:
                solutions = _each_tie_break(question, Cs, options)
            elif Cs:
                solutions = solve_each_penalty(question.problem, Cs, **options)
            else:
                solutions = (question.solve(**options),)
                if solutions[0].stop is Stop.INTERRUPTED:
                    raise KeyboardInterrupt
        except (InvalidDataError, InvalidProblemError, InfeasibleError) as error:
            raise type(error)(f"the training rows of {fold.name}: {error}") from None
        except SolverFailedError as error:
            if error.interrupted or limit is None:
                raise
            raise SolverFailedError(
                f"the training rows of {fold.name}, in {limit:.2g} s, its share of the time: {error}, relax "
                "the constraints, or use fewer folds"
            ) from None
    fit_seconds = (time.perf_counter() - began) / len(solutions)
    scored = drawn(fold.test, rows.y, SCORED_PER_LEARNED * len(learned_from)) if is_sample else fold.test
    test, results = rows.take(scored), []
    positive = question.problem.rows.classes[1]
    for solution in solutions:
        began = time.perf_counter()
        unseen = question.scores(solution, test.X)
        wrong = (unseen > 0) != (test.y == positive)
        missed = weighted_mean(wrong.astype(float), test.y, test.sample_weight, costs, fold)
        loss, log_loss = missed, None
        of_rows, usual = None, None
        if solution.slope is not None:
            logit = solution.slope * (unseen + _moved(question, solution))
            of_rows = np.logaddexp(0.0, np.where(test.y == positive, -logit, logit))
            usual = _usual_log_loss(question.problem, test.y == positive)
            loss = weighted_mean(of_rows, test.y, test.sample_weight, costs, fold)
            alike = dict.fromkeys(costs, Fraction(1))
            log_loss = float(weighted_mean(of_rows, test.y, test.sample_weight, alike, fold))
        score_seconds = time.perf_counter() - began
        results.append(
            FoldResult(
                error=missed,
                loss=loss,
                score=float(1 - missed) if solution.slope is None else -float(loss),
                log_loss=log_loss,
                size=len(solution.points.support),
                gap=solution.gap,
                fit_seconds=fit_seconds,
                score_seconds=score_seconds,
                unseen=left_out(
                    scored, unseen, question.scores(solution, train.X), train.sample_weight, (of_rows, usual)
                ),
                sampled=len(learned_from) if is_sample else None,
                compared=_compared(question, solution, train, test, options) if question.problem.questions else None,
            )
        )
    return results


def _compared(
    question: PreparedProblem, solution: Solution, train: TrainingRows, test: TrainingRows, options: SolverKeywords
) -> Mapping[str, Measures]:
    """Compare a card of questions with what else can be learned from the same rows."""
    kept = ("solver", "time_limit", "node_limit", "memory_limit", "n_jobs", "random_state", "cancel")
    of_sizes = cast(SolverKeywords, {name: value for name, value in options.items() if name in kept})
    return compared(question, solution, train, test, **of_sizes)


def _each_tie_break(question: PreparedProblem, Cs: Sequence[float], options: SolverKeywords) -> tuple[Solution, ...]:
    """Answer for each C0 by the least log loss within the slack; they share the time limit."""
    limit, began, solutions = options.get("time_limit"), time.monotonic(), []
    for at, C0 in enumerate(Cs):
        asked = replace(question, problem=with_size_penalty(question.problem, exact(C0, "C0")))
        if limit is not None:
            left = max(0.0, limit - (time.monotonic() - began))
            options = {**options, "time_limit": left / (len(Cs) - at)}
        solutions.append(asked.solve(**options))
        if solutions[-1].stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
    return tuple(solutions)


def _moved(question: PreparedProblem, solution: Solution) -> float:
    """What a score lacks of that of the risk model, which is 0 at a risk of one half.

    Cards of prepared columns have a rounder threshold, and others that of the problem.
    """
    if question.prepare is None:
        used = at_threshold(question.problem, solution.points).intercept_value
    else:
        used = question.scoring_card(solution).as_learned.intercept
    return float(solution.points.intercept_value - used)


def _usual_log_loss(problem: Problem, positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The log loss of each row where everyone's risk is the prevalence among the training rows."""
    of_negative, of_positive = map(mul, problem.class_weights, problem.class_totals)
    with np.errstate(divide="ignore"):  # a class of weight 0 has the risk 0
        log_odds = np.log(float(of_positive)) - np.log(float(of_negative))
    losses: NDArray[np.float64] = np.logaddexp(0.0, np.where(positive, -log_odds, log_odds))
    return losses


def weighted_mean(
    loss: NDArray[np.float64], y: NDArray[Any], sample_weight: Any, costs: Mapping[object, Fraction], fold: Fold
) -> Fraction:
    """Return the mean loss of the rows, sample and class weights applied; exact for losses of 0 and 1."""
    ones = np.ones(len(y), dtype=np.int8)
    weights = integer_column(ones if sample_weight is None else as_array(sample_weight))[0]
    total = missed = Fraction(0)
    for label, cost in costs.items():
        of_class = y == label
        total += cost * int(weights[of_class].sum(dtype=object))
        own = loss[of_class]
        if np.isin(own, (0.0, 1.0)).all():
            missed += cost * int(weights[of_class][own > 0].sum(dtype=object))
        else:
            missed += cost * Fraction(math.fsum((own * weights[of_class].astype(float)).tolist()))
    if total == 0:
        raise InvalidDataError(f"the test rows of {fold.name} have no weight", "use fewer folds")
    return missed / total
