"""The exact solver for cards of questions: a problem in the core's form, its limits, and what came out."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from supersparse.base.stop import Stop
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving import checkpoint
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.questions.search import QuestionCard, QuestionProblem, SearchOptions, SearchOutcome, search
from supersparse.engine.solution import Claim
from supersparse.engine.solvers import RATES, SIGNS, SUPPORT, Aim, Capabilities, ClaimedModels
from supersparse.problem.conflicts import infeasible
from supersparse.problem.constraints.support import CloseTo, FixedAnswers, MinFeatures
from supersparse.problem.limits import SupportLimit, in_whole_numbers
from supersparse.problem.log_loss import EFFECT_CAP
from supersparse.problem.objective import violated, with_answers
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.questions import Answers, Question
from supersparse.problem.sets import NOTHING_ALLOWED_BUT_ZERO

_FORMAT = "supersparse questions checkpoint 1"
_NODE = 10_000  # rows of columns read: what a limit on nodes counts
_SLICE = 10.0  # seconds between checkpoints
_MOST_KEPT = 100_000  # cards of a pool
_SEARCHED = 0.5  # share of the time of a pool
_VERIFIED = 0.6  # what verifying the cards of a pool takes, over making their risks
_ROUNDING = Fraction(1, 10**10)  # of bounds, in the core's unit
_NO_CARD = 1e300  # an objective from here on stands for none


class QuestionsSolver:
    """Branch and bound over sets of questions, then their points: no allowed card is better by more than 1e-9."""

    name: ClassVar[str] = "questions"
    capabilities: ClassVar[Capabilities] = Capabilities(
        questions=frozenset(Aim),
        asks=True,
        constraints=frozenset({SUPPORT, SIGNS, RATES}),
        wants_start=False,
        checkpoints=True,
        goals=frozenset(),
    )

    def check(self, problem: Problem, options: SolveOptions) -> None:
        checkpoint.check_place(options.checkpoint)

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        with checkpoint.locked(options.checkpoint):
            return _Run(problem, options, monitor).claim()

    def best_per_size(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        """Find the best card of each size in one search; prices must be 0."""
        run = _Run(problem, options, monitor)
        outcome = run.search_once(by_size=True)
        best = [outcome.best_of_size(size) for size in range(len(outcome.bounds))]
        return ClaimedModels(
            models=tuple(
                run.points(card) for size, card in enumerate(best) if card is not None and len(card.asked) == size
            ),
            complete=False,
            bounds=tuple(
                None if outcome.proven and best[size] is None else run.bound(bound)
                for size, bound in enumerate(outcome.bounds)
            ),
            stop=Stop.OPTIMAL if outcome.proven else None,
        )

    def all_within(self, problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        """List every card within a factor of the best, as far as the limits allow; one a set of risks.

        Half of the time is for the search: with many cards, making their risks, the best ones first,
        and verifying them takes longer.
        """
        run = _Run(problem, options, monitor)
        left = monitor.seconds_left
        run.part = 1.0 if left is None else _SEARCHED
        outcome = run.search_once(slack=float(epsilon) * (1 + 1e-12) + 1e-12, most_kept=_MOST_KEPT)
        began, points = monitor.seconds, list[Points]()
        for card in sorted(outcome.cards, key=lambda one: one.objective):
            left = monitor.seconds_left
            if points and left is not None and left < _VERIFIED * (monitor.seconds - began):
                break
            points.append(run.points(card))
        complete = outcome.complete and len(points) == len(outcome.cards)
        stop = None if complete or left is None else Stop.TIME_LIMIT
        return ClaimedModels(models=tuple(points), complete=complete, stop=stop)


class _Run:
    """One solve, in slices where a checkpoint is kept."""

    def __init__(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> None:
        self.problem, self.options, self.monitor = problem, options, monitor
        self.scale = _scale(problem)
        self.fixed = _fixed(problem)
        self.form = _form(problem, self.scale, self.fixed)
        self.file = checkpoint.Checkpoint(options.checkpoint, _FORMAT, problem)
        self.part = 1.0  # of the seconds that are left, which a search has
        self._heard: tuple[float, float] | None = None  # the core's bound and objective
        monitor.progress = lambda: self._heard

    def claim(self) -> Claim:
        """Search until nothing is open or a limit is reached."""
        saved = self.file.load(lambda content: b64decode(content["search"], validate=True)) or b""
        known = self.monitor.best
        answers = None if known is None or self.fixed else known.answers
        start = [QuestionCard(one, 0.0, 0.0, 0.0, 0.0) for one in (answers, self.form.reference) if one is not None]
        while True:
            outcome = self._slice(start, saved)
            self._report(outcome)
            stop = Stop.OPTIMAL if outcome.proven else self.monitor.stop_reason()
            if outcome.proven:
                self.file.remove()
            elif self.file.is_wanted:
                self.file.save({"search": b64encode(outcome.checkpoint).decode()})
            if stop is not None:
                break
            start, saved = [], outcome.checkpoint
        if outcome.proven and self.monitor.best is None:
            raise infeasible(self.problem)
        return self.monitor.claim(stop=stop, smallest=outcome.proven)

    def search_once(self, **modes: Any) -> SearchOutcome:
        """One search with other modes than those of a solve."""
        outcome = self._slice((), b"", **modes)
        if outcome.proven and not outcome.cards:
            raise infeasible(self.problem)
        return outcome

    def _slice(self, start: Sequence[QuestionCard], saved: bytes, **modes: Any) -> SearchOutcome:
        left = self.monitor.seconds_left
        limit = self.options.node_limit
        options = SearchOptions(
            **modes,
            threads=self.options.n_jobs,
            seconds=min(math.inf if left is None else self.part * left, _SLICE if self.file.is_wanted else math.inf),
            work_limit=None if limit is None else max(0, limit - self.monitor.nodes) * _NODE,
        )
        asked = self.problem
        fixed = any(isinstance(one, FixedAnswers) for one in asked.asked)
        judged = asked.support_limits or asked.rate_limits or asked.sign_limits or fixed
        outcome = search(
            self.form, options, start=start, checkpoint=saved, judge=self._obeys if judged else None,
            progress=self._hear, stop=lambda: self.monitor.stop_reason() is not None,
        )  # fmt: skip
        self.monitor.nodes += -(-outcome.work["work"] // _NODE)
        return outcome

    def _obeys(self, card: QuestionCard) -> bool:
        """Whether a card satisfies all limits at the slope and the offset that it is evaluated with."""
        return not violated(self.problem, self.points(card))

    def points(self, card: QuestionCard) -> Points:
        """A card of the core as points of the problem."""
        answers = tuple(
            self.fixed[j] if any(points_of_card) and j in self.fixed else points_of_card[: question.answers]
            for j, (points_of_card, question) in enumerate(zip(card.points, self.problem.questions, strict=True))
        )
        return with_answers(self.problem, answers)

    def _hear(self, objective: float, bound: float, _open_parts: int) -> None:
        if math.isfinite(bound):
            self.monitor.bound(self.bound(bound))
            self._heard = (bound, objective) if objective < _NO_CARD else None

    def _report(self, outcome: SearchOutcome) -> None:
        if outcome.best is not None:
            self.monitor.incumbent(self.points(outcome.best))
        if math.isfinite(outcome.bound) and (outcome.best is not None or not outcome.proven):
            self.monitor.bound(self.bound(outcome.bound))

    def bound(self, bound: float) -> Fraction:
        """A bound of the core as one of the problem's objective."""
        return max(Fraction(0), (Fraction(bound) - _ROUNDING) * self.scale)


def _scale(problem: Problem) -> Fraction:
    """The problem's objective over the core's, in which the weights of all rows' halves add up to 1."""
    labels = problem.rows.labels
    weights = np.array(problem.rows.weights, dtype=float)
    negative, positive = problem.class_weights
    whole = positive * Fraction(math.fsum((weights * labels).tolist()))
    whole += negative * Fraction(math.fsum((weights * (1 - labels)).tolist()))
    return whole / problem.total_weight


def _fixed(problem: Problem) -> dict[int, tuple[int, ...]]:
    """Points of questions that are fixed as a whole, for which the core knows one choice.

    To it such a question has an answer for each number of points. Where changes count, the evaluator keeps them.
    """
    if problem.change_price or any(isinstance(c, CloseTo) for c in problem.asked):
        return {}
    answers: dict[int, tuple[int, ...]] = {}
    for one in problem.asked:
        if isinstance(one, FixedAnswers) and None not in one.points and any(one.points):
            answers.setdefault(problem.rows.names.index(one.question), tuple(v for v in one.points if v is not None))
    return answers


def _form(problem: Problem, scale: Fraction, fixed: Mapping[int, tuple[int, ...]]) -> QuestionProblem:
    """The problem for the core; limits that it does not know are left to `_Run._obeys`."""
    rows, limits = problem.rows, problem.support_limits
    close = next((c for c in problem.asked if isinstance(c, CloseTo)), None)
    points_by_name = {} if close is None else dict(close.card)
    reference = tuple(
        points_by_name.get(name, ())[: question.answers] or (0,) * question.answers
        for name, question in zip(rows.names, problem.questions, strict=True)
    )
    negative, positive = (float(weight) for weight in problem.class_weights)
    questions, columns = list(problem.questions), [column.astype(np.uint8) for column in rows.columns]
    for j, points in fixed.items():
        questions[j] = Question(max(points) + 1, None, "up", True, tuple(range(max(points) + 1)))
        columns[j] = np.array(points, np.uint8)[columns[j]]
    return QuestionProblem(
        tuple(one.priced(float(price / scale)) for one, price in zip(questions, problem.C0, strict=True)),
        np.array(columns),
        rows.labels,
        np.array(rows.weights, dtype=float),
        class_weights=(positive, negative),
        min_questions=max((c.least for c in problem.asked if isinstance(c, MinFeatures)), default=0),
        max_questions=problem.n_features if problem.max_features is None else problem.max_features,
        change_price=float(problem.change_price / scale),
        effect_limit=EFFECT_CAP,
        must=frozenset(problem.forced),
        must_not=frozenset(j for j, values in enumerate(problem.sets) if values == NOTHING_ALLOWED_BUT_ZERO),
        limits=(*filter(None, map(_whole, limits)), *_of_changes(close, reference)),
        reference=None if close is None else reference,
        most_questions_changed=None if close is None else close.questions,
        most_answers_changed=None if close is None else close.answers,
    )  # fmt: skip


def _of_changes(close: CloseTo | None, reference: Answers) -> Iterator[tuple[tuple[int, ...], int]]:
    """The sets of questions that changes of a card in use allow: one that is added or dropped is a change.

    Of answers, adding a question changes one at least, and dropping it all that have points.
    """
    for most, of_answers in () if close is None else ((close.questions, False), (close.answers, True)):
        if most is not None:
            held = [sum(map(bool, points)) if of_answers else any(points) for points in reference]
            yield tuple(-int(points) if points else 1 for points in held), most - sum(held)


def _whole(limit: SupportLimit) -> tuple[tuple[int, ...], int] | None:
    """A limit in whole numbers, which may be none where they are large."""
    whole, most = in_whole_numbers(limit.weights, limit.at_most)
    fits = max(map(abs, whole), default=0) <= 2**44
    return (whole, max(-(2**62), min(2**62, most))) if fits else None
