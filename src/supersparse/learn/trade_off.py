"""Sweeps over the class weights, or over limits on the false positive rate, judged on held-out rows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidOptionError
from supersparse.base.schema.tree import label_text
from supersparse.base.stop import Stop
from supersparse.card.evaluate.rates import Tally
from supersparse.card.evaluate.thresholds import performance_of
from supersparse.card.evaluate.trade_off import (
    CrossValidatedPoint,
    CrossValidatedTradeOff,
    HeldOutPoint,
    HeldOutTradeOff,
)
from supersparse.engine.answers.trade_off import default_ratios, ratio_of_sensitivity, weights_of
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.learn.calibration import Pooled
from supersparse.learn.crossfit import Floats, LeftOut, named_folds
from supersparse.learn.progress import Clock, Watch
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import Folds
from supersparse.learn.training_performance import training_counts
from supersparse.learn.validation import validate
from supersparse.problem.constraints.rates import max_false_positive_rate
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import evaluate
from supersparse.problem.penalties import DEFAULT_C0
from supersparse.problem.variants import quiet_about_penalties, with_class_weights

Judge = Callable[[PreparedProblem, Solution], Tally]
"""A function that measures an answer on rows that were held out."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Sweep:
    """The cases to try: a recipe without weights of its own, and the ratios or limits in rising order."""

    recipe: Recipe
    plain: PreparedProblem  # with equal weights, and without a limit
    values: tuple[Fraction, ...]
    of_limits: bool

    @classmethod
    def of(
        cls, recipe: Recipe, rows: TrainingRows, ratios: Iterable[Fraction] | None, limits: Iterable[Fraction] | None
    ) -> "_Sweep":
        """C0 is the one of the settings, by default 0.01; the default ratios lie around the balanced one."""
        recipe.refuse_blended_errors("a trade-off")
        settled = recipe.settled(rows)
        if settled.settings.C0 is None and settled.settings.levels is None:
            settled = settled.asking(C0=DEFAULT_C0)
        settled = settled.asking(class_weight=None, objective="errors", risk_threshold=None)
        plain = settled.question(rows)
        if limits is not None and loss_of(plain.problem).gives_risks:
            raise InvalidOptionError(
                "limits on the false positive rate: goal 'risk' minimises the log loss, so a limit does not "
                "ask for the most sensitive card",
                "use goal 'errors', or sweep ratios",
            )
        asked = limits if limits is not None else ratios
        values = default_ratios(plain.problem) if asked is None else sorted(set(asked))
        return cls(recipe=settled, plain=plain, values=tuple(values), of_limits=limits is not None)

    @property
    def positive(self) -> object:
        return self.plain.problem.rows.classes[1]

    def _ratio(self, value: Fraction) -> Fraction:
        return ratio_of_sensitivity(self.plain.problem) if self.of_limits else value

    def question(self, value: Fraction) -> PreparedProblem:
        """The question of all rows for a ratio or limit; its features are those of `plain`."""
        problem = with_class_weights(self.plain.problem, *weights_of(self._ratio(value)))
        if self.of_limits:
            problem = problem.asking(constraints=max_false_positive_rate(value))
        return replace(self.plain, recipe=self.asking(value), problem=problem)

    def asking(self, value: Fraction) -> Recipe:
        """The recipe for a ratio, or for a limit: the most sensitive card within it."""
        classes = map(label_text, self.plain.problem.rows.classes)
        weighted = self.recipe.with_plan(1 / len(self.values)).asking(
            class_weight=dict(zip(classes, weights_of(self._ratio(value)), strict=True))
        )
        if not self.of_limits:
            return weighted
        limit = max_false_positive_rate(value)
        return weighted.asking(constraints=(*weighted.settings.constraints, limit))

    def in_words(self, k: int) -> str:
        what = "false positive rate at most" if self.of_limits else "W+/W- ="
        return f"{what} {float(self.values[k]):.4g}, {k + 1} of {len(self.values)}"


def sweep(
    recipe: Recipe,
    rows: TrainingRows,
    folds: Folds,
    ratios: Iterable[Fraction] | None = None,
    *,
    limits: Iterable[Fraction] | None = None,
    watch: Watch | None = None,
) -> CrossValidatedTradeOff:
    """Learn for each ratio or limit without each fold, and judge on it, within the recipe's time limit.

    Ctrl-C interrupts.
    """
    watch, clock = watch or Watch(), Clock.of(recipe)
    tried = _Sweep.of(recipe, rows, ratios, limits)
    taught, points = risks_by_fold(tried.recipe, rows, folds, tried.positive), []
    for k, value in enumerate(tried.values):
        watch.stage(tried.in_words(k))
        part = clock.part(1 / (len(tried.values) - k))
        asked, problem = tried.asking(value), tried.question(value).problem
        validation = validate(asked, rows, folds, clock=part, problem=problem, taught=taught)
        if validation is not None and validation.is_unfinished and clock.left != 0:
            validation = validate(asked, rows, folds, clock=clock, problem=problem, taught=taught, so_far=validation)
        if (validation is None and part.left != 0) or (validation is not None and validation.interrupted):
            raise KeyboardInterrupt
        if validation is None or not validation.unseen:
            raise InvalidOptionError(
                "the time limit leaves too little time for the folds of each ratio",
                "raise it, or use fewer ratios or folds",
            )
        pooled = Pooled.of(rows, tried.positive, validation.unseen)
        points.append(
            CrossValidatedPoint(
                ratio=None if tried.of_limits else value,
                limit=value if tried.of_limits else None,
                features=mean(validation.chosen.sizes),
                performance=replace(
                    performance_of(pooled.tally(1.0, Fraction(0)), "cross-validation"),
                    folds=validation.cut_of(validation.unseen),
                ),
            )
        )
    return CrossValidatedTradeOff(points=tuple(points), folds=len(folds.splits) // folds.repeats, repeats=folds.repeats)


def risks_by_fold(recipe: Recipe, rows: TrainingRows, folds: Folds, positive: object) -> dict[str, Floats]:
    """The teacher's risks of the training rows of each fold, which no ratio changes."""
    risks = dict[str, Floats]()
    if not recipe.settings.asks_questions or rows.risks is not None:
        return risks
    for fold in named_folds(folds.splits):
        train = rows.part(fold.train)
        teacher = recipe.teacher_of(train, positive)
        if teacher is not None:
            risks[fold.name] = np.full(len(rows.y), np.nan)
            risks[fold.name][fold.train] = teacher.risks(train)
    return risks


def sweep_held_out(
    recipe: Recipe,
    rows: TrainingRows,
    judge: Judge,
    ratios: Iterable[Fraction] | None = None,
    *,
    limits: Iterable[Fraction] | None = None,
    watch: Watch | None = None,
) -> HeldOutTradeOff:
    """Learn from all rows for each ratio or limit, and judge on others, within the recipe's time limit.

    Each search starts from the best card so far. Ctrl-C interrupts.
    """
    watch, clock = watch or Watch(), Clock.of(recipe)
    tried = _Sweep.of(recipe, rows, ratios, limits)
    points: list[HeldOutPoint] = []
    solutions: list[Solution] = []
    for k, value in enumerate(tried.values):
        watch.stage(tried.in_words(k))
        part = clock.part(1 / (len(tried.values) - k))
        question = tried.question(value)
        known = [(evaluate(question.problem, one.points).objective, one.points) for one in solutions]
        start = min(known, key=lambda pair: pair[0], default=None)
        options: SolverKeywords = {**part.limited(question.recipe).options, "on_progress": watch}
        if start is not None:
            options["initial"] = start[1]
        with quiet_about_penalties():  # at the ends of the sweep one class has almost no weight: intended
            solution = question.solve(**options)
        if solution.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        solutions.append(solution)
        points.append(
            HeldOutPoint(
                ratio=None if tried.of_limits else value,
                limit=value if tried.of_limits else None,
                features=solution.evaluation.features,
                performance=performance_of(judge(question, solution), "validation"),
                training=training_counts(solution.evaluation),
                proven=solution.proven_optimal,
            )
        )
    return HeldOutTradeOff(points=tuple(points))


def judged_on(rows: TrainingRows, held_out: NDArray[np.intp]) -> Judge:
    """Judge on some rows of the same table, which the question was not asked of."""
    X = rows.take(held_out).X

    def judge(question: PreparedProblem, solution: Solution) -> Tally:
        unseen = LeftOut(rows=held_out, scores=question.scores(solution, X))
        return Pooled.of(rows, question.problem.rows.classes[1], [unseen]).tally(1.0, Fraction(0))

    return judge
