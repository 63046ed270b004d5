"""Cross-validation of a recipe: learn without each fold, and evaluate on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import mul
from statistics import mean, pstdev
from typing import Any

from supersparse.base.exact import counted, exact, shown
from supersparse.card.evaluate.thresholds import performance_of
from supersparse.card.evaluate.trade_off import folds_in_words
from supersparse.card.performance import Performance
from supersparse.engine.answers.words import loss_name
from supersparse.engine.executors import workers_of
from supersparse.learn.calibrating import LeftOut, Pooled
from supersparse.learn.choosing import Candidate, choose_penalty, read_values
from supersparse.learn.clock import Clock
from supersparse.learn.comparison import Comparison, comparison_of
from supersparse.learn.folds import FoldResult, FoldsInTime, FoldTask, named_folds
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Split
from supersparse.learn.watching import Unwatched, Watch
from supersparse.problem.problem import Problem
from supersparse.problem.variants import with_size_penalty

VALUES = 6  # of C0 to try where none is given, as many as SLIMClassifierCV tries
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

    def measures(self) -> dict[str, float | None]:
        """The mean of each measure over the folds that have it, and the deviation of the errors."""
        by_fold = [(float(p.error), _float(p.sensitivity), _float(p.specificity), p.auc) for p in self.performances]
        found: dict[str, float | None] = {}
        for name, values in zip(_MEASURES, zip(*by_fold, strict=True), strict=True):
            known = [value for value in values if value is not None]
            found[name] = mean(known) if known else None
        found["error_sd"] = pstdev(row[0] for row in by_fold)
        found["features"] = mean(self.sizes)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What was tried on how many folds, and which was chosen."""

    folds: int
    folds_asked: int  # in all divisions; more than there are where Ctrl-C or the time limit ended it
    repeats: int = 1  # how often the rows are divided into folds
    interrupted: bool = False
    sampled: int | None = None  # the fewest training rows of a fold, where some did not use all
    goal: str = "errors"
    tried: tuple[Tried, ...]
    chosen: Tried
    by_fold: tuple[list[FoldResult], ...]  # what `validate` goes on from
    least: float  # seconds without which it begins no further fold

    @property
    def comparison(self) -> Comparison | None:
        """What the card of questions is compared with; None for other cards."""
        return comparison_of([results[0].compared for results in self.by_fold])

    @property
    def is_unfinished(self) -> bool:
        """Whether the time ended before the last fold."""
        return self.folds < self.folds_asked and not self.interrupted

    @property
    def unseen(self) -> tuple[LeftOut, ...]:
        """Scores of the held-out rows, by the chosen C0, of the repeats in which every row was left out."""
        return self.chosen.unseen[: self.folds - self.folds % (self.folds_asked // self.repeats)]

    @property
    def cut(self) -> tuple[int, int] | None:
        """How many folds judge a card, of how many planned; None where all do."""
        return None if self.folds == self.folds_asked else (len(self.unseen), self.folds_asked)

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
        """What was minimised, where that is not the error, on the held-out rows."""
        if self.goal == "risk":
            return {"log_loss": mean(tried.log_losses)}
        return {"weighted_error": mean(tried.weighted_errors)} if tried.weighted_errors else {}

    def in_words(self) -> str:
        """The same for a person."""
        folds = folds_in_words(self.folds // self.repeats, self.repeats)
        if self.folds < self.folds_asked:
            folds = f"{self.folds} of {self.folds_asked} folds (the others were skipped)"
        sample = "" if self.sampled is None else f", from a sample of {counted(self.sampled, 'row')}"
        lines = [f"Cross-validation on {folds}, each tested with a card learned without it{sample}:", ""]
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
        if self.comparison is not None:
            lines[2:] = [self.comparison.in_words()]
        return "\n".join(lines)


def chooses_penalty(settings: Settings) -> bool:
    """Whether the settings leave C0 to cross-validation."""
    return settings.levels is None and settings.C0 is None and not settings.asks_questions


def validate(
    recipe: Recipe,
    rows: TrainingRows,
    splits: Sequence[Split],
    watch: Watch | None = None,
    *,
    repeats: int = 1,
    clock: Clock | None = None,
    problem: Problem | None = None,
    n_jobs: int = 1,
    so_far: Validation | None = None,
) -> Validation | None:
    """Follow the recipe on the training rows of each split, for each candidate C0 if none is set.

    `repeats` says how often the splits divide the rows, one division after another. All folds share the time
    that the clock leaves, by default the time limit of the recipe, on at most `n_jobs` processes or the
    workers of the recipe's executor. `problem` is that of all rows, where it is known already. Ctrl-C, or the
    end of the time, keeps the finished folds, which are the first ones; None if there are none. With an
    unfinished validation `so_far` of the same, only the folds that it lacks are learned, and its choice of C0
    stays.
    """
    watch = watch or Unwatched()
    settings = recipe.settings
    chooses = chooses_penalty(settings)
    if problem is None:
        problem = recipe.question(rows).problem
    penalties = []
    if so_far is not None and chooses:
        penalties = [float(tried.C0 or 0.0) for tried in so_far.tried]
    elif chooses:
        penalties = [float(C0) for C0 in read_values(VALUES, with_size_penalty(problem, Fraction(0)))]
    costs = dict(zip(problem.rows.classes, problem.class_weights, strict=True))
    executor = recipe.options.get("executor")
    # a checkpoint is of the final fit: folds are other problems
    of_folds = replace(recipe, options={**recipe.options, "checkpoint": None}).with_plan(1 / len(splits))
    folds = FoldsInTime(
        task=FoldTask(recipe=of_folds, penalties=penalties, rows=rows, costs=costs),
        clock=clock or Clock.of(recipe),
        n_jobs=n_jobs if executor is None else workers_of(executor),
        executor=executor,
        watch=watch,
        least=0.0 if so_far is None else so_far.least,
    )
    by_fold: list[list[FoldResult]] = [] if so_far is None else list(so_far.by_fold)
    interrupted = False
    try:
        for results in folds.learned(named_folds(splits)[len(by_fold) :]):
            by_fold.append(results)
            watch.cross_validated(float(min(mean(costs) for costs in _errors(by_fold))))
    except KeyboardInterrupt:
        interrupted = True
    if not by_fold:
        return None
    positive = problem.rows.classes[1]
    pooled = [Pooled.of(rows, positive, [results[0].unseen]) for results in by_fold]
    of_each: Sequence[float | None] = penalties or [_given_penalty(settings)]
    tried = tuple(
        Tried(
            C0=C0,
            sizes=tuple(result.size for result in results),
            costs=tuple(result.loss for result in results),
            log_losses=tuple(r.log_loss for r in results if r.log_loss is not None),
            weighted_errors=_weighted_errors(problem, results),
            performances=tuple(_performance(*pair) for pair in zip(pooled, results, strict=True)),
            unseen=tuple(result.unseen for result in results),
        )
        for C0, results in zip(of_each, zip(*by_fold, strict=True), strict=True)
    )
    if so_far is None:
        candidates = [Candidate(C0=t.C0 or 0.0, errors=t.costs, sizes=t.sizes) for t in tried]
        best = choose_penalty(candidates, "best")
    else:
        best = [t.C0 for t in so_far.tried].index(so_far.chosen.C0)
    return Validation(
        folds=len(by_fold),
        folds_asked=len(splits),
        repeats=repeats,
        interrupted=interrupted,
        sampled=min((r.sampled for results in by_fold for r in results if r.sampled), default=None),
        goal=settings.goal,
        tried=tried,
        chosen=tried[best],
        by_fold=tuple(by_fold),
        least=folds.least,
    )


def _weighted_errors(problem: Problem, results: Sequence[FoldResult]) -> tuple[float, ...]:
    """Return the weighted error on each fold, on the scale of the objective; none if errors cost the same."""
    if loss_name(problem) != "weighted error":
        return ()
    of_all = sum(map(mul, problem.class_weights, problem.class_totals)) / sum(problem.class_totals)
    return tuple(float(of_all * result.error) for result in results)


def _errors(by_fold: Sequence[Sequence[FoldResult]]) -> Iterable[list[Fraction]]:
    """Return the errors of each C0 in the folds so far."""
    return ([result.error for result in results] for results in zip(*by_fold, strict=True))


def _performance(pooled: Pooled, result: FoldResult) -> Performance:
    return performance_of(pooled.with_scores(result.unseen.scores).tally(1.0, Fraction(0)), "cross-validation")


def _float(share: Fraction | None) -> float | None:
    return None if share is None else float(share)


def _given_penalty(settings: Settings) -> float | None:
    return float(settings.C0) if isinstance(settings.C0, Fraction) else None
