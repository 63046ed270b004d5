"""Fit: from a question to a card that was judged on held-out rows, within one time limit; the one learner.

If the folds choose C0, a first card is learned in a tenth of the time, then the folds choose in 54 % of it; the rest
is kept for the final card, and what that leaves goes to the folds that lack time. If C0 is given, the card comes
first and the folds judge it. What any step proved of the final card, the card says. With a file for the folds, a
fit that was stopped goes on from there.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from supersparse.base.errors import SupersparseError
from supersparse.base.stop import Stop
from supersparse.base.writing import write_file
from supersparse.card.card import Card
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.learn.calibration import RISKS, judged
from supersparse.learn.initial import start_from
from supersparse.learn.progress import Clock, Watch
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import Folds
from supersparse.learn.validation import Validation, from_text, validate
from supersparse.problem.losses import loss_of
from supersparse.problem.variants import quiet_about_penalties

_FIRST, _FOLDS = 0.1, 0.6  # shares of the time that is left
_LEAST = 0.1  # share of the whole limit that every search has: preparing a large table may have taken all of it
FIRST, FINAL, INTERRUPTED = "first card", "final card", "interrupted"
_TOO_LITTLE_TIME = "the time limit leaves too little time for the folds; raise it"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fitted:
    """A card, the question that it answers, and what the folds said."""

    question: PreparedProblem
    solution: Solution
    card: Card
    validation: Validation | None
    unjudged: str | None = None  # why the card was not judged on held-out rows, though that was asked


def _solved(question: PreparedProblem, options: SolverKeywords) -> Solution:
    return question.solve(**options)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Learner:
    """How a card is learned and judged: by which folds, who is told, and how each search is made."""

    folds: Folds | None = None  # None for no judging
    watch: Watch = field(default_factory=Watch)
    method: str | None = RISKS  # how scores become risks; None for none
    initial: Any = None  # where the search starts
    solve: Callable[[PreparedProblem, SolverKeywords], Solution] = _solved
    kept: Path | None = None  # the file of what the folds gave

    def fit(self, question: PreparedProblem, rows: TrainingRows, clock: Clock) -> Fitted:
        """Learn a card, and judge it on the rows that each split leaves out.

        Ctrl-C ends what is being done: a search keeps its best card, and folds keep those that are finished.
        """
        clock = clock.reserving(question.seconds_again)  # making the card, and judging it, reads the rows again
        folds = self.folds
        if folds is None or not folds.splits:
            return _unjudged(question, self._answer(question, clock), rows, None)
        known = self._known(folds, question, rows)
        if folds.choose(question.recipe.settings.leaves_penalty):
            return self._choosing(folds, question, rows, clock, known)
        self.watch.stage("learning")
        solution = self._answer(question, clock.part(0.5) if known is None else clock)
        if solution.stop is Stop.INTERRUPTED:
            return _unjudged(question, solution, rows, INTERRUPTED)
        return self._judged(folds, question, solution, rows, known or self._validated(folds, question, rows, clock))

    def _choosing(
        self, folds: Folds, question: PreparedProblem, rows: TrainingRows, clock: Clock, known: Validation | None
    ) -> Fitted:
        """Learn a first card, choose C0 by the folds, and learn the final card."""
        first = None
        start_from(self.initial, question.problem)  # before the folds, so that errors show at once
        # without a limit, the first card could take as long as the last
        if clock.ends is not None and folds.is_auto and known is None:
            self.watch.stage(FIRST)
            with quiet_about_penalties():  # nobody asked for its C0
                first = self._answer(question, clock.part(_FIRST), is_first=True)
            if first.stop is Stop.INTERRUPTED:
                return _unjudged(question, first, rows, INTERRUPTED)
        validation = known or self._validated(folds, question, rows, clock.part(_FOLDS))
        chosen = question
        if isinstance(validation, Validation):
            assert validation.chosen.C0 is not None, "C0 is chosen among numbers"
            chosen = question.with_penalty(validation.chosen.C0)
        self.watch.stage(FINAL)
        solution = answered_again(chosen, first, lambda start: self._answer(chosen, clock, start))
        if isinstance(validation, Validation) and validation.is_unfinished and solution.stop is not Stop.INTERRUPTED:
            more = self._validated(folds, question, rows, clock, validation)  # in the time that the card has left
            validation = more if isinstance(more, Validation) else validation
        return self._judged(folds, chosen, solution, rows, validation)

    def _answer(
        self, question: PreparedProblem, clock: Clock, start: Solution | None = None, *, is_first: bool = False
    ) -> Solution:
        options: SolverKeywords = {**clock.limited(question.recipe).options, "on_progress": self.watch}
        left, limit = options.get("time_limit"), question.recipe.options.get("time_limit")
        if left is not None and limit is not None:
            options["time_limit"] = max(left, _LEAST * limit)
        if is_first:
            options["checkpoint"] = None  # which is of the final card
        points = start_from(self.initial, question.problem) if start is None else start.points
        if points is not None:
            options["initial"] = points
        return self.solve(question, options)

    def _known(self, folds: Folds, question: PreparedProblem, rows: TrainingRows) -> Validation | None:
        """Read the results of the folds from before the fit was stopped; None if there are none."""
        if self.kept is not None:
            with suppress(OSError, ValueError, TypeError, KeyError):
                return from_text(self.kept.read_text(encoding="utf-8"), folds, question, rows)
        return None

    def _validated(
        self,
        folds: Folds,
        question: PreparedProblem,
        rows: TrainingRows,
        clock: Clock,
        so_far: Validation | None = None,
    ) -> Validation | str:
        """Return what the finished folds say, or why there is nothing to say."""
        recipe, problem = question.recipe.with_plan(0.5), question.problem  # the other half is for the card
        try:
            validation = validate(recipe, rows, folds, self.watch, clock=clock, problem=problem, so_far=so_far)
        except SupersparseError as error:
            if folds.must:
                raise
            return str(error)
        if validation is None:
            return _TOO_LITTLE_TIME if clock.left == 0 else INTERRUPTED
        if not validation.searched and not folds.must:
            return _TOO_LITTLE_TIME  # to find any model: such folds say nothing about C0, or about the card
        if self.kept is not None and not validation.interrupted:
            write_file(self.kept, validation.to_text())
        return validation

    def _judged(
        self,
        folds: Folds,
        question: PreparedProblem,
        solution: Solution,
        rows: TrainingRows,
        validation: Validation | str,
    ) -> Fitted:
        """Judge an answer by complete divisions of the rows; without one, it has no risks."""
        if isinstance(validation, str):
            return _unjudged(question, solution, rows, validation)
        fitted = replace(_unjudged(question, solution, rows, None), validation=validation)
        unseen = validation.chosen.unseen if folds.must else validation.unseen
        if not unseen:
            return replace(fitted, unjudged=INTERRUPTED if validation.interrupted else _TOO_LITTLE_TIME)
        positive, seen = question.problem.rows.classes[1], question.scores(solution, rows.X)
        method = None if loss_of(question.problem).gives_risks else self.method  # a risk model has its risks
        weights, cut = question.problem.class_weights, validation.cut_of(unseen)
        compared = () if validation.comparison is None else validation.comparison.kept
        try:
            card = judged(fitted.card, seen, rows, positive, unseen, method, weights, cut, compared)
            return replace(fitted, card=card)
        except SupersparseError as error:
            if folds.must:
                raise
            card = judged(fitted.card, seen, rows, positive, unseen, None, weights, cut, compared)
            return replace(fitted, card=card, unjudged=str(error))


def fit(
    question: PreparedProblem, rows: TrainingRows, folds: Folds | None = None, *, clock: Clock | None = None
) -> Fitted:
    """Learn a card as `supersparse fit` does."""
    return Learner(folds=folds).fit(question, rows, Clock.of(question.recipe) if clock is None else clock)


def _unjudged(question: PreparedProblem, solution: Solution, rows: TrainingRows, why: str | None) -> Fitted:
    return Fitted(
        question=question,
        solution=solution,
        card=question.card(solution, rows.title, rows),
        validation=None,
        unjudged=why,
    )


def answered_again(
    question: PreparedProblem, first: Solution | None, solve: Callable[[Solution | None], Solution]
) -> Solution:
    """Answer a question with the chosen C0, from the first card on.

    If that was learned with the same C0, what it proved stays: a complete search is not done again.
    """
    if first is None or first.problem.C0 != question.problem.C0:
        return solve(first)
    if first.stop.is_complete:
        return first
    last = solve(first)
    if question.recipe.slack is None and first.objective < last.objective:
        first, last = last, first  # some solvers do not begin where they are told to
    return last.with_proof_of(first)
