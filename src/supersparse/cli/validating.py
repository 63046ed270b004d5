"""Cross-validation of a recipe: it is followed anew without each fold, and judged on that fold."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean, pstdev
from typing import TYPE_CHECKING, Any

from supersparse.cli.recipe import Recipe
from supersparse.cli.say import remark
from supersparse.cli.training import Training
from supersparse.errors import InvalidInputError, PenaltyRangeWarning
from supersparse.exact import exact, shown
from supersparse.learning.choosing import Candidate, choose
from supersparse.learning.splits import Split
from supersparse.results.penalty_grid import solve_each_penalty
from supersparse.solving.solve import solve
from supersparse.stop import Stop

if TYPE_CHECKING:
    from supersparse.evaluate.evaluation import Evaluation
    from supersparse.solving.solution import Solution

GRID = (0.0025, 0.005, 0.01, 0.02, 0.04)  # what is tried where no C0 is given
_MEASURES = ("error", "sensitivity", "specificity", "auc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What one C0, or costs by feature (None), gave on the folds that it had not seen."""

    C0: float | None
    sizes: tuple[int, ...]
    costs: tuple[Fraction, ...]  # of errors, class weights applied, over the weight of the rows
    evaluations: "tuple[Evaluation, ...]"

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
        lines = [f"Cross-validated on {folds}, each by what was learned without it:", ""]
        penalties = ["own" if tried.C0 is None else shown(exact(tried.C0, "C0")) for tried in self.tried]
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


def validate(recipe: Recipe, training: Training, splits: Sequence[Split]) -> Validation | None:
    """Follow the recipe on the training rows of each split, for each C0 that is open.

    Ctrl-C ends it with the folds that are done; None where there are none.
    """
    penalties = _penalties(recipe)
    limit = recipe.options.get("time_limit")
    # a checkpoint is of the final fit: folds are other problems
    own = {"time_limit": None if limit is None else limit / len(splits), "checkpoint": None}
    options = {**recipe.options, **own}
    by_fold = []
    for k, (train, test) in enumerate(splits, start=1):
        remark(f"fold {k} of {len(splits)}: {len(train)} rows to learn from, {len(test)} to judge by")
        try:
            by_fold.append(_fold(recipe, training.take(train), training.take(test), penalties, options))
        except InvalidInputError as error:
            raise type(error)(f"fold {k} of {len(splits)}: {error}") from None
        except KeyboardInterrupt:
            remark(
                f"Interrupted in fold {k} of {len(splits)}, which ends the cross-validation. The scoring "
                "system is learned now; Ctrl-C again stops that and keeps the best found."
            )
            break
    if not by_fold:
        return None
    tried = tuple(
        Tried(
            C0=C0,
            sizes=tuple(size for size, _, _ in found),
            costs=tuple(cost for _, cost, _ in found),
            evaluations=tuple(evaluation for _, _, evaluation in found),
        )
        for C0, found in zip(penalties or (_own_penalty(recipe),), zip(*by_fold, strict=True), strict=True)
    )
    return Validation(folds=len(by_fold), folds_asked=len(splits), tried=tried, chosen=tried[_choice(tried)])


def _penalties(recipe: Recipe) -> list[float]:
    """The values of C0 to try; none where the recipe says by itself what features cost."""
    settings = recipe.settings
    if settings.levels is not None or settings.C0 is not None:
        return []
    return list(GRID)


def _own_penalty(recipe: Recipe) -> float | None:
    own = recipe.settings.C0
    return float(own) if isinstance(own, Fraction) else None


def _fold(
    recipe: Recipe, train: Training, test: Training, penalties: Sequence[float], options: dict[str, Any]
) -> "list[tuple[int, Fraction, Evaluation]]":
    question = recipe.question(train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenaltyRangeWarning)  # the range differs from fold to fold
        solutions: Sequence[Solution]
        if penalties:
            solutions = solve_each_penalty(question.problem, penalties, **options)
        else:
            solutions = [solve(question.problem, **options)]
            if solutions[0].stop is Stop.INTERRUPTED:
                raise KeyboardInterrupt
    found = []
    for solution in solutions:
        system = question.system(solution, "")
        evaluation = system.evaluate(test.raw, test.y.tolist(), sample_weight=test.weights)
        found.append((len(system.card.items), _cost(evaluation, question.problem.class_weights), evaluation))
    return found


def _cost(evaluation: "Evaluation", weights: tuple[Fraction, Fraction]) -> Fraction:
    wrong, (negative, positive) = evaluation.confusion, weights
    return (negative * wrong.false_positives + positive * wrong.false_negatives) / wrong.n


def _choice(tried: Sequence[Tried]) -> int:
    return choose([Candidate(C0=t.C0 or 0.0, errors=t.costs, sizes=t.sizes) for t in tried], "best")
