"""A sweep over the class weights: a card for each ratio and fold, judged on the held-out rows."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import mean

from supersparse.errors import InvalidOptionError
from supersparse.evaluate.performance import performance_of
from supersparse.evaluate.trade_off import CrossValidatedPoint, CrossValidatedTradeOff
from supersparse.forms.labels import label_text
from supersparse.learning.calibrating import Pooled
from supersparse.learning.clock import Clock
from supersparse.learning.recipe import Recipe
from supersparse.learning.rows import TrainingRows
from supersparse.learning.splits import Split
from supersparse.learning.validating import validate
from supersparse.learning.watching import Unwatched, Watch
from supersparse.problem.penalties import DEFAULT_C0
from supersparse.results.trade_off import default_ratios


def sweep(
    recipe: Recipe,
    rows: TrainingRows,
    splits: Sequence[Split],
    ratios: Iterable[Fraction] | None = None,
    *,
    repeats: int = 1,
    watch: Watch | None = None,
    n_jobs: int = 1,
) -> CrossValidatedTradeOff:
    """Learn for each ratio and fold, and judge on the held-out rows, all within the recipe's time limit.

    C0 is the one of the settings, by default 0.01. Ctrl-C interrupts.
    """
    watch, clock = watch or Unwatched(), Clock.of(recipe)
    settled = recipe.settled(rows)
    if settled.settings.C0 is None and settled.settings.levels is None:
        settled = settled.asking(C0=DEFAULT_C0)
    settled = settled.asking(class_weight=None, objective="errors", risk_threshold=None)
    problem = settled.question(rows).problem
    values = default_ratios(problem) if ratios is None else sorted(set(ratios))
    classes = tuple(map(label_text, problem.rows.classes))
    points = []
    for k, ratio in enumerate(values):
        watch.stage(f"W+/W- = {float(ratio):.4g}, {k + 1} of {len(values)}")
        weights = (2 / (1 + ratio), 2 * ratio / (1 + ratio))
        weighted = settled.with_plan(1 / len(values)).asking(
            class_weight=dict(zip(classes, weights, strict=True))
        )
        part = clock.part(1 / (len(values) - k))
        found = validate(weighted, rows, splits, repeats=repeats, clock=part, n_jobs=n_jobs)
        if (found is None and part.left != 0) or (found is not None and found.interrupted):
            raise KeyboardInterrupt
        if found is None or not found.unseen:
            raise InvalidOptionError(
                "the time limit leaves too little time for the folds of each ratio; raise it, or use fewer "
                "ratios or folds"
            )
        pooled = Pooled.of(rows, problem.rows.classes[1], found.unseen)
        points.append(
            CrossValidatedPoint(
                ratio=ratio,
                features=mean(found.chosen.sizes),
                performance=replace(
                    performance_of(pooled.tally(1.0, Fraction(0)), "cross-validation"), folds=found.cut
                ),
            )
        )
    return CrossValidatedTradeOff(points=tuple(points), folds=len(splits) // repeats, repeats=repeats)
