"""Crossfit: the one loop over folds, and what is learned on each of them.

Which folds there are, and what is fitted on each, is decided before the first of them: by the rows and the
settings, never by the clock. Each fold is given an equal share of the time left. So a busy machine searches
less in each fold; it leaves folds out, the last ones, only where even that does not keep the time limit. Of a
large table, a fold learns from as many rows as its planned time allows.
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
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from supersparse.base.errors import InfeasibleError, InvalidDataError, InvalidProblemError, SolverFailedError
from supersparse.base.exact import counted, exact
from supersparse.base.integer_arrays import IntArray, integer_column
from supersparse.base.stop import Stop
from supersparse.engine.answers.penalty_grid import solve_each_penalty
from supersparse.engine.options import SolverKeywords
from supersparse.engine.pipeline import LARGE
from supersparse.engine.proving.executors import each_on, workers_of
from supersparse.engine.solution import Solution
from supersparse.learn.comparison import Measures, compared
from supersparse.learn.initial import start_from
from supersparse.learn.progress import HasTime, Watch
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import Split
from supersparse.problem.log_loss import at_threshold, slope_of
from supersparse.problem.losses import loss_of
from supersparse.problem.problem import Problem
from supersparse.problem.variants import quiet_about_penalties, with_size_penalty
from supersparse.table.sources import as_array

_START = 6.0  # seconds that processes must save: starting them takes a few
_LOADING = 120.0  # seconds below which none are started: on a busy machine, loading them takes up to a minute
_LATE = 1.25  # times its seconds that a fold may take: stopping takes a moment
_LITTLE = 0.05  # of the time limit, by which a fold may exceed its time, or that of all rather than be left out
_MOMENT = 1.0  # seconds after the end in which another process may still answer
_LEAST_SECONDS = 0.1  # for a solve on the rows that are left
_LEAST_OF_QUESTIONS = 1.0  # in which most cards of questions are proven: an unsearched fold says nothing
_SCORED_PER_LEARNED = 8  # held-out rows that are scored, for each row that is learned from
_VALUES_PER_SECOND = 2**20  # that can be prepared and searched
_LEAST_ROWS = 1000
_LEAST_OF_CLASS = 50

Floats = NDArray[np.float64]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """The rows of one split, by position."""

    name: str
    train: NDArray[np.intp]
    test: NDArray[np.intp]


def named_folds(splits: Sequence[Split]) -> list[Fold]:
    """Give splits the names that messages use."""
    return [
        Fold(name=f"fold {k} of {len(splits)}", train=train, test=test)
        for k, (train, test) in enumerate(splits, start=1)
    ]


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldTask(Generic[T]):
    """The task of learning without each fold, in this process or in another one."""

    recipe: Recipe

    def learned(self, fold: Fold, seconds: float | None) -> T:
        """Learn without a fold, within `seconds`; None means no limit."""
        raise NotImplementedError

    def accepts(self, answer: object) -> bool:
        """Whether a worker has answered with what a fold gives."""
        return True

    def __call__(self, fold: Fold, seconds: float | None, ends: float | None, must: bool) -> T | None:
        """Learn without a fold; None after `ends`, as `time.time` counts, unless it must.

        A process that starts late has less time. A fold that finds no model in its seconds
        is learned again in all that is left.
        """
        if seconds is None or ends is None:
            return self.learned(fold, None)
        left = max(0.0, ends - time.time())
        if left == 0 and not must:
            return None
        seconds = min(seconds, left)
        try:
            return self.learned(fold, seconds)
        except SolverFailedError as error:
            left = ends - time.time()
            if error.interrupted or left <= seconds:
                raise
            return self.learned(fold, left)


@dataclass(eq=False, kw_only=True)
class CrossFit(Generic[T]):
    """Folds, learned in their order until time is up, on processes or the workers of an executor.

    Unless they start `at_once`, the first fold is learned in this process, and the others too if starting
    processes would take longer than it saves.
    """

    task: FoldTask[T]
    clock: HasTime
    n_jobs: int = 1
    executor: Executor | None = None
    watch: Watch = field(default_factory=Watch)
    at_once: bool = False
    must: bool = False  # whether the next fold is learned even if time is up
    least: float = 0.0  # seconds without which no fold is begun: what one took that exceeded its time

    def __post_init__(self) -> None:
        if self.executor is not None:
            self.n_jobs = workers_of(self.executor)

    def over(self, folds: Sequence[Fold]) -> Iterator[T]:
        """Yield what each fold gives; what it leaves of its time goes to the others."""
        must, done = self.must, 0
        for results in self._each(folds):
            if results is None:  # came too late, and so would the next ones
                break
            yield results
            done += 1
        if must and not done:  # the processes came too late
            self.must = True
            yield from (results for results in self._here(folds[:1], 1) if results is not None)

    def _each(self, folds: Sequence[Fold]) -> Iterator[T | None]:
        rest = folds
        if not self.at_once or (self.n_jobs == 1 and self.executor is None):
            began = time.monotonic()
            yield from self._here(folds[:1], len(folds))
            rest = folds[1:]
            if not self._is_worth_starting(len(rest) * (time.monotonic() - began)):
                yield from self._here(rest, len(rest))
                return
        announced = self._announced(rest, ceil(len(rest) / self.n_jobs))
        if self.executor is not None:
            yield from each_on(self.executor, self.task, announced, "its fold", self.task.accepts)
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
            yield from parallel(delayed(self.task)(*one) for one in announced)
        except LateError:
            return

    def _is_worth_starting(self, seconds: float) -> bool:
        """Whether processes would save time if a fold took `seconds` here; the results are the same."""
        left = self.clock.left
        if self.executor is None and left is not None and left < _LOADING:
            return False
        return self.n_jobs > 1 and seconds * (1 - 1 / self.n_jobs) >= _START

    def _here(self, some: Sequence[Fold], rounds: int) -> Iterator[T | None]:
        for fold, seconds, ends, must in self._announced(some, rounds):
            began = time.monotonic()
            results = self.task(fold, seconds, ends, must)
            took = time.monotonic() - began
            # on a large table, reading and scoring the rows of a fold can take far longer than given
            limit = self.task.recipe.options.get("time_limit")
            if seconds is not None and took > max(_LATE * seconds, _LITTLE * (limit or 0.0)):
                self.least = took
            yield results

    def _announced(self, some: Sequence[Fold], rounds: int) -> Iterator[tuple[Fold, float | None, float | None, bool]]:
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


def thinned(chosen: NDArray[np.intp], rows: TrainingRows, seconds: float | None) -> NDArray[np.intp]:
    """Return as many of the chosen rows as are worth solving in `seconds`; all without a limit.

    Classes keep their shares. More rows are kept where one class would have hardly any.
    """
    if seconds is None or len(chosen) * rows.n_columns <= LARGE:
        return chosen
    _, of_class = np.unique(rows.y[chosen], return_inverse=True)
    rarest = int(np.bincount(of_class.reshape(-1)).min())
    least = max(_LEAST_ROWS, -(-_LEAST_OF_CLASS * len(chosen) // rarest))
    n_rows = max(least, int(seconds * _VALUES_PER_SECOND / rows.n_columns))
    return _drawn(chosen, rows.y, n_rows)


def _drawn(chosen: NDArray[np.intp], y: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    """Return `n_rows` of the chosen rows at random, or all if there are fewer; classes keep their shares."""
    if n_rows >= len(chosen):
        return chosen
    order = np.random.default_rng(0).permutation(len(chosen))
    by_class = order[np.argsort(y[chosen[order]], kind="stable")]
    places = np.linspace(0, len(chosen), n_rows, endpoint=False).astype(np.intp)
    return np.sort(chosen[by_class[places]])


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Held-out rows, by position, and the scores that they get.

    Scores are in units of their root mean square on the rows of the fit. A risk model has the log loss of
    each row as well, by its risks and by the prevalence among the rows of the fit.
    """

    rows: NDArray[np.intp]
    scores: Floats
    log_losses: Floats | None = None
    baseline_log_losses: Floats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldResult:
    """The result of one fit on one fold."""

    error: Fraction  # weight of the wrong test rows over that of all, class weights applied
    share_wrong: float  # the same without class weights
    loss: Fraction  # what C0 is chosen by: the error, or the log loss of a risk model
    score: float  # higher is better: the share that is right, or minus the log loss
    log_loss: float | None  # of a risk model, without class weights
    size: int
    gap: float
    searched: bool  # whether there was time to: an empty card that is not proven says nothing
    fit_seconds: float = 0.0
    score_seconds: float
    unseen: LeftOut
    sampled: int | None = None  # how many training rows were used, if not all
    compared: Mapping[str, Measures] | None = None  # of a card of questions, and what it is compared with


@dataclass(frozen=True, eq=False, kw_only=True)
class FitsOfFold(FoldTask[list[FoldResult]]):
    """The fits of each fold: for each C0, or what the recipe says.

    A fold has one thread, whatever the recipe says. `costs` are those of an error in each class.
    """

    rows: TrainingRows
    costs: Mapping[object, Fraction]
    Cs: Sequence[float] = ()
    initial: Any = None
    taught: Mapping[str, Floats] | None = None  # by fold, where known: the teacher's risks of its training rows

    def __post_init__(self) -> None:
        options: SolverKeywords = {**self.recipe.options, "n_jobs": 1, "executor": None}
        object.__setattr__(self, "recipe", replace(self.recipe, options=options))

    def accepts(self, answer: object) -> bool:
        return isinstance(answer, list) and all(isinstance(result, FoldResult) for result in answer)

    def learned(self, fold: Fold, seconds: float | None) -> list[FoldResult]:
        """Fit on the fold's training rows, and weigh the errors on its test rows.

        The fits share their work; each is reported to have taken its share of the time. Of a large table,
        only as many rows are used as a time limit allows.
        """
        began, recipe, rows = time.perf_counter(), self.recipe, self.rows
        n_fits = max(1, len(self.Cs))
        learned_from = thinned(fold.train, rows, None if recipe.plan is None else recipe.plan / n_fits)
        sampled = len(learned_from) if len(learned_from) < len(fold.train) else None
        train = rows.part(learned_from)
        known = (self.taught or {}).get(fold.name)
        if known is not None:
            train = replace(train, risks=known[learned_from])
        with quiet_about_penalties():  # the useful range differs a little from fold to fold; the final fit warns
            try:
                asked = recipe.settled(rows)
                question = (asked.asking(C0=self.Cs[0]) if self.Cs else asked).question(train)
                start = start_from(self.initial, question.problem, required=False)
                # the priorities are those of all rows and their questions
                options: SolverKeywords = {**recipe.options, "initial": start, "branching_priorities": {}}
                if seconds is not None:
                    least = 0.0 if sampled is None else _LEAST_SECONDS * n_fits
                    if question.problem.questions and sampled is None:
                        least = min(_LEAST_OF_QUESTIONS, _LITTLE * (recipe.options.get("time_limit") or 0.0))
                    options["time_limit"] = max(least, seconds - (time.perf_counter() - began))
                solutions = self._solutions(question, options)
            except (InvalidDataError, InvalidProblemError, InfeasibleError) as error:
                raise type(error)(f"the training rows of {fold.name}: {error}") from None
            except SolverFailedError as error:
                if error.interrupted or seconds is None:
                    raise
                raise SolverFailedError(
                    f"the training rows of {fold.name}, in {seconds:.2g} s, its share of the time: {error}, relax "
                    "the constraints, or use fewer folds"
                ) from None
        fit_seconds = (time.perf_counter() - began) / len(solutions)
        scored = fold.test if sampled is None else _drawn(fold.test, rows.y, _SCORED_PER_LEARNED * sampled)
        results = []
        for solution in solutions:
            result = result_of(question, solution, train, rows, scored, self.costs, fold.name)
            compares = self.taught is None and question.problem.questions
            of_others = _compared(question, solution, train, rows.part(scored), options) if compares else None
            results.append(replace(result, fit_seconds=fit_seconds, sampled=sampled, compared=of_others))
        return results

    def _solutions(self, question: PreparedProblem, options: SolverKeywords) -> tuple[Solution, ...]:
        if self.Cs and question.recipe.slack is not None:
            return _each_tie_break(question, self.Cs, options)
        if self.Cs:
            return solve_each_penalty(question.problem, self.Cs, **options)
        return (_uninterrupted(question, options),)


def _uninterrupted(question: PreparedProblem, options: SolverKeywords) -> Solution:
    solution = question.solve(**options)
    if solution.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return solution


def _each_tie_break(question: PreparedProblem, Cs: Sequence[float], options: SolverKeywords) -> tuple[Solution, ...]:
    """Answer for each C0 by the least log loss within the slack; they share the time limit."""
    limit, began, solutions = options.get("time_limit"), time.monotonic(), list[Solution]()
    for at, C0 in enumerate(Cs):
        asked = replace(question, problem=with_size_penalty(question.problem, exact(C0, "C0")))
        if limit is not None:
            left = max(0.0, limit - (time.monotonic() - began))
            options = {**options, "time_limit": left / (len(Cs) - at)}
        solutions.append(_uninterrupted(asked, options))
    return tuple(solutions)


def result_of(
    question: PreparedProblem,
    solution: Solution,
    train: TrainingRows,
    rows: TrainingRows,
    scored: NDArray[np.intp],
    costs: Mapping[object, Fraction],
    fold: str,
) -> FoldResult:
    """Weigh the errors of an answer, learned from the training rows, on other rows by their position."""
    began, test = time.perf_counter(), rows.part(scored)
    of_rows = usual = log_loss = None
    seen, unseen = question.scores(solution, train.X), question.scores(solution, test.X)
    positive = test.y == question.problem.rows.classes[1]

    def mean_of(losses: Floats, costs: Mapping[object, Fraction]) -> Fraction:
        return _weighted_mean(losses, test.y, test.sample_weight, costs, fold)

    alike, wrong = dict.fromkeys(costs, Fraction(1)), ((unseen > 0) != positive).astype(float)
    loss = missed = mean_of(wrong, costs)
    gives_risks = loss_of(question.problem).gives_risks
    if gives_risks:
        logit = float(slope_of(solution.points)) * (unseen + _moved(question, solution))
        of_rows = np.logaddexp(0.0, np.where(positive, -logit, logit))
        usual = _usual_log_loss(question.problem, positive)
        loss = mean_of(of_rows, costs)
        log_loss = float(mean_of(of_rows, alike))
    size = len(solution.points.support)
    weights = None if train.sample_weight is None else as_array(train.sample_weight)
    unit = root_mean_square(seen, weights) or 1.0
    return FoldResult(
        error=missed,
        share_wrong=float(mean_of(wrong, alike)),
        loss=loss,
        score=-float(loss) if gives_risks else float(1 - missed),
        log_loss=log_loss,
        size=size,
        gap=solution.gap,
        searched=size > 0 or solution.proven_optimal,
        score_seconds=time.perf_counter() - began,
        unseen=LeftOut(rows=scored, scores=unseen / unit, log_losses=of_rows, baseline_log_losses=usual),
    )


def root_mean_square(scores: Floats, weights: Any) -> float:
    """Return the root of the mean of the squares, by weight."""
    largest = float(np.abs(scores).max(initial=0.0))
    if largest == 0:
        return 0.0
    by = None if weights is None else np.asarray(weights, dtype=np.float64)
    if by is not None:
        by = by / by.max()  # scaling all weights changes nothing, not even by rounding
    return largest * float(np.sqrt(np.average((scores / largest) ** 2, weights=by)))  # no overflow


def _compared(
    question: PreparedProblem, solution: Solution, train: TrainingRows, test: TrainingRows, options: SolverKeywords
) -> Mapping[str, Measures]:
    """Compare a card of questions with what else can be learned from the same rows."""
    kept = ("solver", "time_limit", "node_limit", "memory_limit", "n_jobs", "random_state", "cancel")
    of_sizes = cast(SolverKeywords, {name: value for name, value in options.items() if name in kept})
    return compared(question, solution, train, test, **of_sizes)


def _moved(question: PreparedProblem, solution: Solution) -> float:
    """How far a score lies below that of the risk model, which is 0 at a risk of one half.

    Cards of prepared columns have a rounder threshold, and others that of the problem.
    """
    if question.prepare is None:
        used = at_threshold(question.problem, solution.points).intercept_value
    else:
        used = question.scoring_card(solution).as_learned.intercept
    return float(solution.points.intercept_value - used)


def _usual_log_loss(problem: Problem, positive: NDArray[np.bool_]) -> Floats:
    """The log loss of each row where everyone's risk is the prevalence among the training rows."""
    of_negative, of_positive = map(mul, problem.class_weights, problem.class_totals)
    with np.errstate(divide="ignore"):  # a class of weight 0 has the risk 0
        log_odds = np.log(float(of_positive)) - np.log(float(of_negative))
    losses: Floats = np.logaddexp(0.0, np.where(positive, -log_odds, log_odds))
    return losses


def row_weights(sample_weight: Any, n_rows: int) -> tuple[IntArray, int]:
    """Return the weights as whole numbers over one unit."""
    return integer_column(np.ones(n_rows, dtype=np.int8) if sample_weight is None else as_array(sample_weight))


def _weighted_mean(
    loss: Floats, y: NDArray[Any], sample_weight: Any, costs: Mapping[object, Fraction], fold: str
) -> Fraction:
    """Return the mean loss of the rows, sample and class weights applied; exact for losses of 0 and 1."""
    weights = row_weights(sample_weight, len(y))[0]
    total = missed = Fraction(0)
    for label, cost in costs.items():
        of_class = y == label
        total += cost * int(weights[of_class].sum(dtype=object))
        of_rows = loss[of_class]
        if np.isin(of_rows, (0.0, 1.0)).all():
            missed += cost * int(weights[of_class][of_rows > 0].sum(dtype=object))
        else:
            missed += cost * Fraction(math.fsum((of_rows * weights[of_class].astype(float)).tolist()))
    if total == 0:
        raise InvalidDataError(f"the test rows of {fold} have no weight", "use fewer folds")
    return missed / total
