"""After the search: learn again without each fold, and keep on the card what that says of it."""

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from supersparse.cli.say import remark
from supersparse.errors import SupersparseError
from supersparse.stop import Stop

if TYPE_CHECKING:
    from supersparse.card.card import Card
    from supersparse.learning.recipe import Question, Recipe
    from supersparse.learning.rows import TrainingRows
    from supersparse.learning.validating import Validation
    from supersparse.solving.solution import Solution


@dataclass(slots=True)
class Clock:
    """The time limit of a whole call, shared evenly among the phases that are left."""

    ends: float | None  # as `time.monotonic` counts
    phases: int

    @classmethod
    def of(cls, recipe: "Recipe", *, phases: int) -> "Clock":
        """Start now; a limit that is none is left to the solver, which refuses it."""
        limit = recipe.options.get("time_limit")
        return cls(None if limit is None or not limit >= 0 else time.monotonic() + limit, phases)

    def next_phase(self) -> float | None:
        """Begin a phase, and return when it ends; what it leaves goes to the others. The last takes all."""
        if self.ends is None:
            return None
        now, phases = time.monotonic(), max(1, self.phases)
        self.phases -= 1
        return now + max(0.0, self.ends - now) / phases

    def limited(self, recipe: "Recipe") -> "Recipe":
        """Return the recipe with the time limit of the next phase."""
        ends = self.next_phase()
        if ends is None:
            return recipe
        return replace(recipe, options={**recipe.options, "time_limit": ends - time.monotonic()})


def judge(
    card: "Card", question: "Question", solution: "Solution", rows: "TrainingRows", clock: Clock
) -> "Card":
    """Return the card with the performance on rows left out, and risks; the card as it is if that fails."""
    from supersparse.learning.calibrating import weighty_folds, without_fold
    from supersparse.learning.judging import RISKS, judged

    if solution.stop is Stop.INTERRUPTED:
        return card
    positive, ends = question.problem.rows.classes[1], clock.next_phase()
    unseen = []
    try:
        folds = weighty_folds(rows, positive)
        for k in range(len(folds)):
            remark(f"judging: fold {k + 1} of {len(folds)}")
            now = time.monotonic()
            until = None if ends is None else now + max(0.0, ends - now) / (len(folds) - k)
            unseen.append(without_fold(question.recipe, rows, folds, k, until=until))
        method = RISKS if solution.slope is None else None  # a risk model has its risks
        return judged(card, question.scores(solution, rows.X), rows, positive, unseen, method)
    except KeyboardInterrupt:
        remark("Interrupted while judging. The scoring system is complete, but has no risks.")
    except SupersparseError as error:
        remark(f"note: the card could not be judged on rows left out, so it has no risks: {error}")
    return card


def keep_judged(
    card: "Card",
    question: "Question",
    solution: "Solution",
    rows: "TrainingRows",
    validation: "Validation",
) -> "Card":
    """Return the card with what a finished cross-validation says of it."""
    from supersparse.learning.judging import RISKS, judged

    if validation.folds < validation.folds_asked:
        return card
    positive = question.problem.rows.classes[1]
    seen = question.scores(solution, rows.X)
    try:
        method = RISKS if solution.slope is None else None  # a risk model has its risks
        return judged(card, seen, rows, positive, validation.chosen.unseen, method)
    except SupersparseError as error:
        remark(f"note: the card has no risks: {error}")
    return judged(card, seen, rows, positive, validation.chosen.unseen, None)


def say_if_useless(card: "Card", question: "Question") -> None:
    """Warn about a card that errs no less than whoever always predicts the commoner class."""
    from supersparse.learning.judging import no_better_than_baseline

    useless = no_better_than_baseline(card, question.problem.class_weights)
    if useless is not None:
        remark(f"warning: {useless}")
