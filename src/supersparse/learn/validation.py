"""Cross-validation of a recipe: learn without each fold, and evaluate on it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from operator import mul
from statistics import mean, pstdev
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from supersparse.base.errors import InvalidProblemError, SupersparseError
from supersparse.base.exact import counted, exact, shown
from supersparse.base.stop import Stop
from supersparse.card.evaluate.thresholds import performance_of
from supersparse.card.evaluate.trade_off import folds_in_words
from supersparse.card.performance import Performance
from supersparse.engine.answers.frontier import frontier
from supersparse.engine.options import SolverKeywords
from supersparse.learn.calibration import Pooled
from supersparse.learn.choice import RULES, Candidate, choose_penalty, read_values
from supersparse.learn.comparison import Comparison, Measures, comparison_of
from supersparse.learn.crossfit import (
    CrossFit,
    FitsOfFold,
    Floats,
    Fold,
    FoldResult,
    FoldTask,
    LeftOut,
    named_folds,
    result_of,
)
from supersparse.learn.progress import Clock, Watch
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds
from supersparse.problem.losses import loss_called, loss_of
from supersparse.problem.problem import Problem
from supersparse.problem.variants import of_classes, with_size_penalty

VALUES = 6  # of C0 to try where none is given, as many as SLIMClassifierCV tries
_USUAL = 0.01  # the C0 where folds choose none
_OF_RISKS = ("log_losses", "baseline_log_losses")
_MEASURES = ("error", "sensitivity", "specificity", "auc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The held-out results of one C0; None stands for costs by feature."""

    C0: float | None
    sizes: tuple[int, ...]
    costs: tuple[Fraction, ...]  # what C0 is chosen by: errors or log loss, class weights applied
    log_losses: tuple[float, ...]  # of a risk model, of the rows as they are, like the other measures
    weighted_errors: tuple[float, ...]  # the mean costs of the rows, where those of the two classes differ
    performances: tuple[Performance, ...]
    unseen: tuple[LeftOut, ...]  # the scores of the held-out rows
    unproven: int  # how many of the cards are not proven best for their fold

    def measures(self) -> dict[str, float | None]:
        """The mean of each measure over the folds that have it, and the deviation of the errors."""
        measures: dict[str, float | None] = {}
        for name in _MEASURES:
            known = [float(value) for one in self.performances if (value := getattr(one, name)) is not None]
            measures[name] = mean(known) if known else None
        measures["error_sd"] = pstdev(float(one.error) for one in self.performances)
        measures["features"] = mean(self.sizes)
        return measures


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """The candidates that were tried, on how many folds, and the one that was chosen."""

    folds: int
    folds_asked: int  # in all divisions; more than there are where Ctrl-C or the time limit ended it
    repeats: int = 1  # how often the rows are divided into folds
    interrupted: bool = False
    sampled: int | None = None  # the fewest training rows of a fold, where some did not use all
    searched: bool = True  # whether any fold had the time to search
    goal: str = "errors"
    tried: tuple[Tried, ...]
    chosen: Tried
    choices: Mapping[str, int]  # of each rule
    penalties: tuple[float, ...]  # the values of C0 that were tried; none if the recipe has its own
    by_fold: tuple[list[FoldResult], ...]  # what `validate` goes on from
    least: float = 0.0  # seconds without which it begins no further fold

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of a card of questions with other models; None for other cards."""
        return comparison_of([results[0].compared for results in self.by_fold])

    @property
    def is_unfinished(self) -> bool:
        """Whether the time ended before the last fold."""
        return self.folds < self.folds_asked and not self.interrupted

    @property
    def unseen(self) -> tuple[LeftOut, ...]:
        """Scores of the held-out rows, by the chosen C0, of the repeats in which every row was left out."""
        return self.chosen.unseen[: self.folds - self.folds % (self.folds_asked // self.repeats)]

    def cut_of(self, unseen: Sequence[LeftOut]) -> tuple[int, int] | None:
        """How many folds judge a card, of how many planned; None where all do."""
        return None if self.folds == self.folds_asked else (len(unseen), self.folds_asked)

    def to_text(self) -> str:
        """The results of the folds as a file keeps them."""
        of_folds = [[asdict(result) for result in results] for results in self.by_fold]
        content = {"penalties": self.penalties, "choices": dict(self.choices), "by_fold": of_folds}
        return json.dumps(content, default=lambda one: str(one) if isinstance(one, Fraction) else one.tolist())

    def as_data(self) -> dict[str, Any]:
        return {
            "folds": self.folds,
            "folds_asked": self.folds_asked,
            "repeats": self.repeats,
            "sampled": self.sampled,
            "C0": self.chosen.C0,
            **self._loss(self.chosen),
            **self.chosen.measures(),
            **({} if self.comparison is None else {"compared": self.comparison.as_data()}),
            "tried": [{"C0": tried.C0, **self._loss(tried), **tried.measures()} for tried in self.tried],
        }

    def _loss(self, tried: Tried) -> dict[str, float]:
        """The loss that was minimised, where that is not the error, on the held-out rows."""
        if loss_called(self.goal).gives_risks:
            return {"log_loss": mean(tried.log_losses)}
        return {"weighted_error": mean(tried.weighted_errors)} if tried.weighted_errors else {}

    def in_words(self) -> str:
        """The same for a person."""
        folds = folds_in_words(self.folds // self.repeats, self.repeats)
        if self.folds < self.folds_asked:
            folds = f"{self.folds} of {self.folds_asked} folds (the others were skipped)"
        sample = "" if self.sampled is None else f", from a sample of {counted(self.sampled, 'row')}"
        head = f"Cross-validation on {folds}, each tested with a card learned without it{sample}"
        if self.comparison is not None:
            return f"{head}, by the true classes:\n\n{self.comparison.in_words()}"
        lines = [f"{head}:", ""]
        penalties = ["varies" if tried.C0 is None else shown(exact(tried.C0, "C0")) for tried in self.tried]
        wide = max(6, *map(len, penalties))
        losses = [name.replace("_", " ") for name in self._loss(self.chosen)]
        titles = "".join(f"{name}  " for name in losses)
        lines.append(f"{'C0':>{wide}}  features  {titles}error          sensitivity  specificity    AUC")
        for penalty, tried in zip(penalties, self.tried, strict=True):
            m = tried.measures()
            mark = "  chosen" if tried is self.chosen and len(self.tried) > 1 else ""
            error = f"{m['error']:.3f} ± {m['error_sd']:.3f}"
            rates = "  ".join(
                f"{'-' if m[name] is None else f'{m[name]:.3f}':>{width}}"
                for name, width in (("sensitivity", 11), ("specificity", 11), ("auc", 5))
            )
            values = zip(losses, self._loss(tried).values(), strict=True)
            loss = "".join(f"{value:>{len(name)}.4f}  " for name, value in values)
            lines.append(f"{penalty:>{wide}}  {m['features']:>8.1f}  {loss}{error}  {rates}{mark}")
        if self.chosen.unproven:
            chosen = "" if len(self.tried) == 1 else " at the chosen C0"
            lines += [
                "",
                f"{self.chosen.unproven} of the {self.folds} cards{chosen} are not proven best for their fold;"
                " a longer search may change these figures.",
            ]
        return "\n".join(lines)


def validate(
    recipe: Recipe,
    rows: TrainingRows,
    folds: Folds,
    watch: Watch | None = None,
    *,
    clock: Clock | None = None,
    problem: Problem | None = None,
    so_far: "Validation | None" = None,
    taught: Mapping[str, Floats] | None = None,
) -> Validation | None:
    """Follow the recipe on the training rows of each split, for each C0 that is tried.

    All folds share the time that the clock leaves, by default the time limit of the recipe. `problem` is that
    of all rows, where it is known already. Ctrl-C, or the end of the time, keeps the finished folds, which are
    the first ones; None if there are none. With an unfinished validation `so_far` of the same, only the folds
    that it lacks are learned, and its choice of C0 stays.
    Where it is known what the teacher `taught` each fold, a card of questions is not compared with other models.
    """
    watch, splits = watch or Watch(), folds.splits
    if problem is None:
        problem = recipe.question(rows).problem
    problem = of_classes(problem)
    penalties = _penalties(recipe.settings, folds, problem) if so_far is None else so_far.penalties
    # a checkpoint is of the final fit: folds are other problems
    of_folds = replace(recipe, options={**recipe.options, "checkpoint": folds.checkpoint}).with_plan(1 / len(splits))
    costs = dict(zip(problem.rows.classes, problem.class_weights, strict=True))
    crossfit = CrossFit(
        task=FitsOfFold(recipe=of_folds, Cs=penalties, rows=rows, costs=costs, initial=folds.initial, taught=taught),
        clock=clock or Clock.of(recipe),
        n_jobs=folds.n_jobs,
        executor=recipe.options.get("executor"),
        watch=watch,
        at_once=folds.at_once,
        must=folds.must and so_far is None,
        least=0.0 if so_far is None else so_far.least,
    )
    by_fold: list[list[FoldResult]] = [] if so_far is None else list(so_far.by_fold)
    interrupted = False
    try:
        for results in crossfit.over(named_folds(splits)[len(by_fold) :]):
            by_fold.append(results)
            watch.cross_validated(float(min(mean(r.error for r in results) for results in zip(*by_fold, strict=True))))
    except KeyboardInterrupt:
        if folds.must:
            raise
        interrupted = True
    if not by_fold:
        return None
    choices = None if so_far is None else so_far.choices
    validation = _validation(recipe, rows, folds, problem, penalties, by_fold, choices)
    return replace(validation, interrupted=interrupted, least=crossfit.least)


def _penalties(settings: Settings, folds: Folds, problem: Problem) -> tuple[float, ...]:
    """The values of C0 to try; none where the recipe has its own."""
    if not folds.choose(settings.leaves_penalty):
        return ()
    if all(levels is not None for levels in problem.levels):
        raise InvalidProblemError("every feature has levels, so there is no C0 to choose", "use SLIMClassifier")
    asked = VALUES if folds.is_auto else folds.Cs
    return tuple(map(float, read_values(asked, with_size_penalty(problem, Fraction(0)))))


def _validation(
    recipe: Recipe,
    rows: TrainingRows,
    folds: Folds,
    problem: Problem,
    penalties: Sequence[float],
    by_fold: Sequence[list[FoldResult]],
    choices: Mapping[str, int] | None,
) -> Validation:
    """Put the folds together, and choose."""
    pooled = [Pooled.of(rows, problem.rows.classes[1], [results[0].unseen]) for results in by_fold]
    C0_asked = recipe.settings.C0
    of_each: Sequence[float | None] = penalties or [float(C0_asked) if isinstance(C0_asked, Fraction) else None]
    tried = tuple(
        Tried(
            C0=C0,
            sizes=tuple(result.size for result in results),
            costs=tuple(result.loss for result in results),
            log_losses=tuple(r.log_loss for r in results if r.log_loss is not None),
            weighted_errors=_weighted_errors(problem, results),
            performances=tuple(
                performance_of(pool.with_scores(r.unseen.scores).tally(1.0, Fraction(0)), "cross-validation")
                for pool, r in zip(pooled, results, strict=True)
            ),
            unseen=tuple(result.unseen for result in results),
            unproven=sum(result.gap > 0 for result in results),
        )
        for C0, results in zip(of_each, zip(*by_fold, strict=True), strict=True)
    )
    if choices is None:
        choices = _choices(of_each, by_fold)
    return Validation(
        folds=len(by_fold),
        folds_asked=len(folds.splits),
        repeats=folds.repeats,
        sampled=min((r.sampled for results in by_fold for r in results if r.sampled), default=None),
        searched=any(r.searched for results in by_fold for r in results),
        goal=recipe.settings.goal,
        tried=tried,
        chosen=tried[choices[folds.rule]],
        choices=choices,
        penalties=tuple(penalties),
        by_fold=tuple(by_fold),
    )


def from_text(text: str, folds: Folds, question: PreparedProblem, rows: TrainingRows) -> Validation:
    """Read what the folds of the same fit gave before."""
    kept = json.loads(text)
    by_fold = [[_result_of(one) for one in results] for results in kept["by_fold"]]
    return _validation(
        question.recipe, rows, folds, of_classes(question.problem), kept["penalties"], by_fold, kept["choices"]
    )


def _result_of(kept: dict[str, Any]) -> FoldResult:
    compared, unseen = kept["compared"], dict[str, Any](kept["unseen"])
    losses = {name: None if unseen[name] is None else np.array(unseen[name], float) for name in _OF_RISKS}
    rows, scores = np.array(unseen["rows"], np.intp), np.array(unseen["scores"], float)
    known = {
        "error": Fraction(kept["error"]),
        "loss": Fraction(kept["loss"]),
        "unseen": LeftOut(rows=rows, scores=scores, **losses),
        "compared": None if compared is None else {name: Measures(**one) for name, one in compared.items()},
    }
    return FoldResult(**{**kept, **known})


def _choices(Cs: Sequence[float | None], by_fold: Sequence[Sequence[FoldResult]]) -> dict[str, int]:
    """The choice of each rule, by the folds that had time to search; the usual C0 where none had."""
    counted = [results for results in by_fold if all(result.searched for result in results)]
    if not counted:
        usual = min(range(len(Cs)), key=lambda k: (abs((Cs[k] or 0.0) - _USUAL), k))
        return dict.fromkeys(RULES, usual)
    candidates = [
        Candidate(C0=C0 or 0.0, errors=tuple(r.loss for r in results), sizes=tuple(r.size for r in results))
        for C0, results in zip(Cs, zip(*counted, strict=True), strict=True)
    ]
    return {rule: choose_penalty(candidates, rule) for rule in RULES}


def _weighted_errors(problem: Problem, results: Sequence[FoldResult]) -> tuple[float, ...]:
    """Return the weighted error on each fold, on the scale of the objective; none if errors cost the same."""
    if loss_of(problem).name(problem) != "weighted error":
        return ()
    of_all = sum(map(mul, problem.class_weights, problem.class_totals)) / sum(problem.class_totals)
    return tuple(float(of_all * result.error) for result in results)


@dataclass(frozen=True, eq=False, kw_only=True)
class SizesOfFold(FoldTask[dict[int, FoldResult]]):
    """The results of the best card of each size on a fold; `costs` are those of an error in each class."""

    rows: TrainingRows
    costs: Mapping[object, Fraction]
    most: int

    def learned(self, fold: Fold, seconds: float | None) -> dict[int, FoldResult]:
        """Learn without a fold; nothing where too few rows are left for any question."""
        train = self.rows.part(fold.train)
        try:
            question = self.recipe.settled(self.rows).question(train)
        except SupersparseError:
            return {}
        options: SolverKeywords = {**self.recipe.options, "time_limit": seconds}
        sizes = frontier(question.problem, max_features=self.most, **options)
        if sizes.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        return {
            row.size: result_of(question, row.solution, train, self.rows, fold.test, self.costs, fold.name)
            for row in sizes.rows
            if row.solution is not None
        }


def auc_of(one: FoldResult, rows: TrainingRows, positive: object) -> float | None:
    """The AUC on the rows of a fold; None where they are of one class."""
    held_out = rows.part(one.unseen.rows)
    is_positive = np.asarray(held_out.y == positive)
    if is_positive.all() or not is_positive.any():
        return None
    return float(roc_auc_score(is_positive, one.unseen.scores, sample_weight=held_out.sample_weight))
