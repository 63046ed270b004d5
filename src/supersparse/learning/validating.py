"""Cross-validation of a recipe: learn without each fold, and evaluate on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import mean, pstdev
from typing import Any

from supersparse.card.card import Card
from supersparse.evaluate.evaluation import Evaluation, evaluate_card
from supersparse.exact import counted, exact, shown
from supersparse.learning.calibrating import LeftOut
from supersparse.learning.choosing import Candidate, choose_penalty, read_values
from supersparse.learning.folds import fit_fold, named_folds
from supersparse.learning.recipe import Recipe
from supersparse.learning.rows import TrainingRows
from supersparse.learning.splits import Split
from supersparse.settings.settings import Settings
from supersparse.solving.options import SolverKeywords

VALUES = 6  # of C0 to try where none is given, as many as SLIMClassifierCV tries
_MEASURES = ("error", "sensitivity", "specificity", "auc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The held-out results of one C0; None stands for costs by feature."""

    C0: float | None
    sizes: tuple[int, ...]
    costs: tuple[Fraction, ...]  # of errors, class weights applied, over the weight of the rows
    evaluations: tuple[Evaluation, ...]
    unseen: tuple[LeftOut, ...]  # the scores of the rows left out

    def measures(self) -> dict[str, float | None]:
        """The mean of each measure over the folds that have it, and the deviation of the errors."""
        by_fold = [
            (1 - c.accuracy.value, c.sensitivity.value, c.specificity.value, e.auc.value)
            for e in self.evaluations
            for c in [e.confusion]
            if c.accuracy.value is not None
        ]
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
    folds_asked: int  # more than there are where Ctrl-C ended it
    tried: tuple[Tried, ...]
    chosen: Tried

    def as_data(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "folds": self.folds,
            "folds_asked": self.folds_asked,
            "C0": self.chosen.C0,
            **self.chosen.measures(),
            "tried": [{"C0": tried.C0, **tried.measures()} for tried in self.tried],
        }

    def in_words(self) -> str:
        """The same for a person."""
        folds = f"{self.folds} folds"
        if self.folds < self.folds_asked:
            folds = f"{self.folds} of {self.folds_asked} folds (interrupted)"
        lines = [f"Cross-validation on {folds}, each tested with a card learned without it:", ""]
        penalties = ["varies" if tried.C0 is None else shown(exact(tried.C0, "C0")) for tried in self.tried]
        wide = max(6, *map(len, penalties))
        lines.append(f"{'C0':>{wide}}  features  error          sensitivity  specificity    AUC")
        for penalty, tried in zip(penalties, self.tried, strict=True):
            m = tried.measures()
            mark = "  chosen" if tried is self.chosen and len(self.tried) > 1 else ""
            error = f"{m['error']:.3f} ± {m['error_sd']:.3f}"
            rates = "  ".join(
                f"{'-' if m[name] is None else f'{m[name]:.3f}':>{width}}"
                for name, width in (("sensitivity", 11), ("specificity", 11), ("auc", 5))
            )
            lines.append(f"{penalty:>{wide}}  {m['features']:>8.1f}  {error}  {rates}{mark}")
        return "\n".join(lines)


def validate(
    recipe: Recipe, rows: TrainingRows, splits: Sequence[Split], progress: Callable[[str], None]
) -> Validation | None:
    """Follow the recipe on the training rows of each split, for each candidate C0 if none is set.

    Each fold is announced to `progress`. Ctrl-C keeps the finished folds; None if there are none.
    """
    settings = recipe.settings
    chooses = settings.levels is None and settings.C0 is None
    problem = (recipe.asking(C0=0) if chooses else recipe).question(rows).problem
    penalties = [float(C0) for C0 in read_values(VALUES, problem)] if chooses else []
    costs = dict(zip(problem.rows.classes, problem.class_weights, strict=True))
    limit = recipe.options.get("time_limit")
    solves = len(splits) * (len(penalties) + 1)  # at most: see `solve_each_penalty`
    # a checkpoint is of the final fit: folds are other problems
    limits: SolverKeywords = {
        **recipe.options,
        "time_limit": None if limit is None else limit / solves,
        "checkpoint": None,
    }
    quick = replace(recipe, options=limits)
    by_fold = []
    for fold in named_folds(splits):
        progress(f"{fold.name}: training on {counted(len(fold.train), 'row')}, testing on {len(fold.test)}")
        try:
            results = fit_fold(quick, penalties, rows, costs, fold)
        except KeyboardInterrupt:
            break
        by_fold.append([(result, _evaluated(result.card, rows.take(fold.test))) for result in results])
    if not by_fold:
        return None
    of_each: Sequence[float | None] = penalties or [_given_penalty(settings)]
    tried = tuple(
        Tried(
            C0=C0,
            sizes=tuple(result.size for result, _ in results),
            costs=tuple(result.error for result, _ in results),
            evaluations=tuple(evaluation for _, evaluation in results),
            unseen=tuple(result.unseen for result, _ in results),
        )
        for C0, results in zip(of_each, zip(*by_fold, strict=True), strict=True)
    )
    best = choose_penalty([Candidate(C0=t.C0 or 0.0, errors=t.costs, sizes=t.sizes) for t in tried], "best")
    return Validation(folds=len(by_fold), folds_asked=len(splits), tried=tried, chosen=tried[best])


def _evaluated(card: Card, test: TrainingRows) -> Evaluation:
    return evaluate_card(card, test.X, test.y.tolist(), sample_weight=test.sample_weight, names=test.names)


def _given_penalty(settings: Settings) -> float | None:
    return float(settings.C0) if isinstance(settings.C0, Fraction) else None
