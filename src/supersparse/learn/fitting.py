"""From a question to a card that was judged on held-out rows, within one time limit.

If C0 is left open, a first card is learned in a tenth of the time, then the folds choose C0 in 54 % of it;
the rest is kept for the final card, and what that leaves goes to the folds that lack time. If C0 is given,
the card comes first and the folds judge it. What any step proved of the final card, the card says.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from supersparse.base.errors import SupersparseError
from supersparse.base.stop import Stop
from supersparse.card.card import Card
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.learn.clock import Clock
from supersparse.learn.judging import RISKS, judged
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import Split
from supersparse.learn.validating import Validation, chooses_penalty, validate
from supersparse.learn.watching import Watch
from supersparse.problem.variants import quiet_about_penalties

_FIRST, _FOLDS = 0.1, 0.6  # shares of the time that is left
_INTERRUPTED = "interrupted"
_TOO_LITTLE_TIME = "the time limit leaves too little time for the folds; raise it"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fitted:
    """A card, the question that it answers, and what the folds said."""

    question: PreparedProblem
    solution: Solution
    card: Card
    validation: Validation | None
    unjudged: str | None = None  # why the card was not judged on held-out rows, though that was asked


def fit_card(
    question: PreparedProblem,
    rows: TrainingRows,
    splits: Sequence[Split],
    watch: Watch,
    clock: Clock,
    *,
    repeats: int = 1,
    n_jobs: int = 1,
) -> Fitted:
    """Learn a card, and judge it on the rows that each split leaves out; no splits, no judging.

    Ctrl-C ends what is being done: a search keeps its best card, and folds keep those that are finished.
    """
    clock = clock.reserving(question.seconds)  # making the card, and judging it, reads the rows again
    if not splits:
        return _unjudged(question, _solve(question, clock, watch), rows, None)
    if chooses_penalty(question.recipe.settings):
        return _choosing(question, rows, _Judge(splits, repeats, n_jobs, watch), clock, watch)
    watch.stage("learning")
    solution = _solve(question, clock.part(0.5), watch)
    if solution.stop is Stop.INTERRUPTED:
        return _unjudged(question, solution, rows, _INTERRUPTED)
    judge = _Judge(splits, repeats, n_jobs, watch)
    return judge.card(question, solution, rows, judge.validated(question, rows, clock))


def _choosing(question: PreparedProblem, rows: TrainingRows, judge: "_Judge", clock: Clock, watch: Watch) -> Fitted:
    """Learn a first card, choose C0 by the folds, and learn the final card."""
    first = None
    if clock.ends is not None:  # without a limit, the first card could take as long as the last
        watch.stage("first card")
        with quiet_about_penalties():  # nobody asked for its C0
            first = _solve(question, clock.part(_FIRST), watch)
        if first.stop is Stop.INTERRUPTED:
            return _unjudged(question, first, rows, _INTERRUPTED)
    found = judge.validated(question, rows, clock.part(_FOLDS))
    chosen = question
    if isinstance(found, Validation):
        assert found.chosen.C0 is not None, "C0 is chosen among numbers"
        chosen = question.with_penalty(found.chosen.C0)
    watch.stage("final card")
    solution = answered_again(chosen, first, lambda start: _solve(chosen, clock, watch, start))
    if isinstance(found, Validation) and found.is_unfinished and solution.stop is not Stop.INTERRUPTED:
        more = judge.validated(question, rows, clock, found)  # in the time that the card has left
        found = more if isinstance(more, Validation) else found
    return judge.card(chosen, solution, rows, found)


def _unjudged(question: PreparedProblem, solution: Solution, rows: TrainingRows, why: str | None) -> Fitted:
    return Fitted(
        question=question,
        solution=solution,
        card=question.card(solution, rows.title, rows),
        validation=None,
        unjudged=why,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Judge:
    """Learns without each fold, and puts on a card what the folds say."""

    splits: Sequence[Split]
    repeats: int
    n_jobs: int
    watch: Watch

    def validated(
        self, question: PreparedProblem, rows: TrainingRows, clock: Clock, so_far: Validation | None = None
    ) -> Validation | str:
        """Return what the finished folds say, or why there is nothing to say."""
        try:
            found = validate(
                question.recipe.with_plan(0.5),  # the other half is for the card
                rows,
                self.splits,
                self.watch,
                repeats=self.repeats,
                clock=clock,
                problem=question.problem,
                n_jobs=self.n_jobs,
                so_far=so_far,
            )
        except SupersparseError as error:
            return str(error)
        if found is not None and found.sampled is not None and not any(any(t.sizes) for t in found.tried):
            return _TOO_LITTLE_TIME  # to find any model: such folds say nothing about C0
        if found is None:
            return _TOO_LITTLE_TIME if clock.left == 0 else _INTERRUPTED
        return found

    def card(
        self, question: PreparedProblem, solution: Solution, rows: TrainingRows, found: Validation | str
    ) -> Fitted:
        """Judge an answer by complete divisions of the rows; without one, it has no risks."""
        if isinstance(found, str):
            return _unjudged(question, solution, rows, found)
        fitted = replace(_unjudged(question, solution, rows, None), validation=found)
        if not found.unseen:
            return replace(fitted, unjudged=_INTERRUPTED if found.interrupted else _TOO_LITTLE_TIME)
        positive, seen = question.problem.rows.classes[1], question.scores(solution, rows.X)
        method = RISKS if solution.slope is None else None  # a risk model has its risks
        weights = question.problem.class_weights
        try:
            card = judged(fitted.card, seen, rows, positive, found.unseen, method, weights, found.cut)
            return replace(fitted, card=card)
        except SupersparseError as error:
            card = judged(fitted.card, seen, rows, positive, found.unseen, None, weights, found.cut)
            return replace(fitted, card=card, unjudged=str(error))


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


def _solve(question: PreparedProblem, clock: Clock, watch: Watch, start: Solution | None = None) -> Solution:
    options: SolverKeywords = {**clock.limited(question.recipe).options, "on_progress": watch}
    if start is not None:
        options["initial"] = start.points
    return question.solve(**options)
