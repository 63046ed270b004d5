"""Editing a card of questions by hand: the points of its answers, its questions, and the cuts of a number.

Points are those of all answers of a question, in order. A question that is added without points, or swapped in, gets
the best ones for it, proven, while all others stay as they are. Slope and offset of an edited card are fitted to the
labels that it was learned from, blended or not, so that prices compare.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from supersparse.base.errors import InvalidInputError, InvalidOptionError, did_you_mean
from supersparse.base.exact import counted, exact, shown
from supersparse.card.card import Card
from supersparse.card.rules import InRange, Rule
from supersparse.card.words import condition
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.learn.prepare.bands import ColumnQuestion
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.problem.constraints.single import fixed, must_not_use, must_use
from supersparse.problem.objective import evaluate, violated, with_answers
from supersparse.problem.points import CoefficientSet, Points
from supersparse.problem.problem import Problem
from supersparse.problem.questions import LARGEST_POINT, Answers
from supersparse.problem.variants import quiet_about_penalties

_SECONDS = 10.0  # for the best points of one question

AnswerPoints = tuple[int, ...]
Filling = Callable[["EditedAnswers", str], AnswerPoints]


@dataclass(frozen=True, slots=True)
class EditedAnswers:
    """An edited card: points of the questions that it asks, and those whose cuts were moved."""

    answers: Mapping[str, AnswerPoints]
    moved: Mapping[str, ColumnQuestion]
    touched: frozenset[str]

    @classmethod
    def of(cls, solution: Solution) -> "EditedAnswers":
        points = solution.points
        assert points.answers is not None, "a card of questions has points by answer"
        return cls({solution.problem.rows.names[j]: points.answers[j] for j in points.support}, {}, frozenset())

    @classmethod
    def of_every_question(cls, question: PreparedProblem) -> "EditedAnswers":
        """A card that asks everything, on which any change is possible."""
        problem = question.problem
        every = {
            name: (0,) * (one.answers - 1) + (1,)
            for name, one in zip(problem.rows.names, problem.questions, strict=True)
        }
        return cls(every, {}, frozenset())

    @property
    def recut(self) -> list[ColumnQuestion]:
        """The questions of the card that the table offered with other cuts."""
        return [self.moved[name] for name in self.answers if name in self.moved]

    def changed(
        self, question: PreparedProblem, kind: str, what: Any, best: Filling | None = None
    ) -> tuple["EditedAnswers", str]:
        """Return the card after a change, and the change in words; `best` finds the points of a new question."""
        if kind == "threshold":
            raise refused(kind, what, "cannot be set on a card of risks", "set risk_threshold instead")
        if kind == "drop":
            self._check_asked(what)
            return self._with(what, None), f"{what!r} dropped"
        if not isinstance(what, Mapping):
            raise refused("change", kind, "is not understood", "name its question")
        name = str(what.get("question"))
        if kind == "add":
            return self._with_added(question, name, what.get("points"), best)
        self._check_asked(name)
        if kind == "swap":
            other = str(what.get("for"))
            self._check_new(question, other)
            after, text = self._with(name, None)._with_added(question, other, None, best)
            return replace(after, touched=after.touched | {name}), f"{name!r} swapped for {text}".replace(" added", "")
        if kind == "cut":
            return self._with_cut(question, name, what)
        points = self._points_of(question, name, what)
        if not any(points):
            return self._with(name, None), f"{name!r} dropped"
        return self._with(name, points), f"points of {name!r} from {_listed(self.answers[name])} to {_listed(points)}"

    def _with(self, name: str, points: AnswerPoints | None) -> "EditedAnswers":
        answers = {one: kept for one, kept in self.answers.items() if points is not None or one != name}
        if points is not None:
            answers[name] = points
        return replace(self, answers=answers, touched=self.touched | {name})

    def _with_added(
        self, question: PreparedProblem, name: str, asked: Any, best: Filling | None
    ) -> tuple["EditedAnswers", str]:
        self._check_new(question, name)
        if asked is not None:
            points = _read_points(name, asked, len(self.question(question, name).rules))
            if not any(points):
                raise refused("points", asked, "ask nothing", "give one answer points")
        elif best is None:
            points = (0,) * (len(self.question(question, name).rules) - 1) + (1,)
        else:
            points = best(self, name)
        return self._with(name, points), f"{name!r} added with {_listed(points)} points"

    def _points_of(self, question: PreparedProblem, name: str, what: Mapping[str, Any]) -> AnswerPoints:
        """The new points of a question: of all its answers, or with one of them changed."""
        old, to, answer = self.answers[name], what.get("to"), what.get("answer")
        if answer is None:
            return _read_points(name, to, len(old))
        texts = [condition(rule) for rule in self.question(question, name).rules]
        if isinstance(answer, int) and not isinstance(answer, bool) and 1 <= answer <= len(old):
            at = answer - 1
        elif str(answer) in texts:
            at = texts.index(str(answer))
        else:
            known = f"it has {counted(len(old), 'answer')}: {', '.join(texts)}"
            raise refused("answer", answer, f"is not an answer of {name!r}", known)
        return _read_points(name, [*old[:at], to, *old[at + 1 :]], len(old))

    def _with_cut(self, question: PreparedProblem, name: str, what: Mapping[str, Any]) -> tuple["EditedAnswers", str]:
        one = self.question(question, name)
        cuts = cuts_of(one)
        if not cuts:
            raise refused("question", name, "has no cut to move", "choose one about a number")
        old = cuts[0] if what.get("from") is None and len(cuts) == 1 else number_of(what.get("from"), "cut")
        if old not in cuts:
            raise refused("cut", shown(old), f"is not a cut of {name!r}", f"it has {', '.join(map(shown, cuts))}")
        new = number_of(what.get("to"), "cut")
        others = [new if cut == old else cut for cut in cuts]
        if any(a >= b for a, b in pairwise(others)):
            raise refused("cut", shown(new), "passes its neighbour", "keep the cuts in order")
        return (
            replace(self, moved={**self.moved, name: with_cuts(one, others)}, touched=self.touched | {name}),
            f"cut of {name!r} moved from {shown(old)} to {shown(new)}",
        )

    def _check_asked(self, name: object) -> None:
        if not isinstance(name, str) or name not in self.answers:
            asked = f"it asks {', '.join(map(repr, self.answers))}" if self.answers else "it has no questions"
            raise refused("question", name, "is not on the card", asked)

    def _check_new(self, question: PreparedProblem, name: str) -> None:
        if name in self.answers:
            raise refused("question", name, "is on the card already", "change its points")
        names = question.problem.rows.names
        if name not in names:
            raise refused("question", name, "is not among those of the table", did_you_mean(name, names))

    def question(self, question: PreparedProblem, name: str) -> ColumnQuestion:
        """The question of this name, with its cuts as they are now."""
        if name in self.moved:
            return self.moved[name]
        assert question.prepare is not None, "questions are of raw columns"
        return next(one for one in question.prepare.questions_ if one.column == name)

    def points(self, problem: Problem) -> Answers:
        """The points of every question of a problem."""
        return tuple(
            self.answers.get(name, (0,) * one.answers)
            for name, one in zip(problem.rows.names, problem.questions, strict=True)
        )

    def solution(self, problem: Problem, best: Solution) -> Solution:
        """Evaluate the card; the bound of the search holds for it if it obeys all that was asked."""
        points = with_answers(problem, self.points(problem))
        return evaluated(best, problem, points, is_allowed=not self.recut and not outside(problem, points.answers))


def evaluated(best: Solution, problem: Problem, points: Points, *, is_allowed: bool) -> Solution:
    """Evaluate edited points; the bound of the search holds for them if they obey all that was asked."""
    evaluation = evaluate(problem, points)
    bound = best.lower_bound if is_allowed and not violated(problem, points) else Fraction(0)
    return replace(
        best,
        problem=problem,
        points=points,
        evaluation=evaluation,
        lower_bound=min(bound, evaluation.objective),
        smallest=False,
    )


def outside(problem: Problem, answers: Answers | None) -> list[str]:
    """The questions that have points which the problem does not allow."""
    if answers is None:
        return []
    return [
        name
        for name, one, points in zip(problem.rows.names, problem.questions, answers, strict=True)
        if any(points) and not one.admits(points)
    ]


def best_points(question: PreparedProblem, rows: TrainingRows) -> Filling:
    """Return what finds the best points of one more question, all others staying as they are."""

    def found(state: EditedAnswers, name: str) -> AnswerPoints:
        problem = question.with_questions(rows, state.recut).problem
        kept = state.points(problem)
        free = _allowing(problem.without(problem.asked), kept)
        others = [one for one in problem.rows.names if one != name and one not in state.answers]
        limits = [*(fixed(one, own) for one, own in state.answers.items()), must_use(name)]
        with quiet_about_penalties():
            answer = solve(
                free.asking([*limits, *([must_not_use(others)] if others else [])]), time_limit=_SECONDS
            ).points.answers
        assert answer is not None, "a card of questions has points by answer"
        return answer[problem.rows.names.index(name)]

    return found


def _allowing(problem: Problem, answers: Answers) -> Problem:
    """The same problem, in which questions may have the points that somebody gave them."""
    questions, sets = list(problem.questions), list(problem.given_sets)
    for j, (question, points) in enumerate(zip(problem.questions, answers, strict=True)):
        if any(points) and not question.admits(points):
            allowed = tuple(sorted({0, *points}))
            questions[j] = replace(question, shape="free", equal_steps=False, points=allowed)
            sets[j] = CoefficientSet.of(allowed)
    return replace(problem, questions=tuple(questions), given_sets=tuple(sets), sets=tuple(sets))


def cuts_of(question: ColumnQuestion) -> list[Fraction]:
    """The cuts of a question about a number, in order."""
    return [Fraction(rule.low) for rule in question.rules if isinstance(rule, InRange) and rule.low is not None]


def with_cuts(question: ColumnQuestion, cuts: Sequence[Fraction]) -> ColumnQuestion:
    """The same question with its cuts at these numbers."""
    bands = zip([None, *cuts], [*cuts, None], strict=True)
    rules: list[Rule] = [InRange(question.column, low, high) for low, high in bands]
    return replace(question, rules=(*rules, *question.rules[len(rules) :]))


def recut_questions(card: Card, question: PreparedProblem) -> list[ColumnQuestion]:
    """The questions of an edited card whose cuts the table does not offer, as far as its points show them."""
    assert question.prepare is not None, "questions are of raw columns"
    recut = []
    for one in question.prepare.questions_:
        rules = [item.rule for item in card.as_learned.items if item.column == one.column]
        ends = {end for rule in rules if isinstance(rule, InRange) for end in (rule.low, rule.high) if end is not None}
        if not ends <= set(cuts_of(one)):
            recut.append(with_cuts(one, sorted(map(Fraction, ends))))
    return recut


def number_of(value: object, what: str) -> Fraction:
    """Read a number of a change."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise refused(what, value, "is not a number", "give a number")
    try:
        return exact(float(value) if isinstance(value, str) else value, what)
    except (InvalidInputError, ValueError):
        raise refused(what, value, "is not a number", "give a number") from None


def refused(thing: str, value: object, why: str, remedy: str) -> InvalidOptionError:
    """The error about one thing of a change."""
    text = value if isinstance(value, str) else f"{value}"
    return InvalidOptionError(f"{thing}: {text[:80]!r} {why}", remedy, subject=thing)


def _read_points(name: str, asked: object, answers: int) -> AnswerPoints:
    if isinstance(asked, str) or not isinstance(asked, Sequence):
        raise refused("points", asked, f"are not those of the answers of {name!r}", f"give {answers} points in a list")
    if len(asked) != answers:
        raise refused("points", list(asked), f"are {len(asked)}, but {name!r} has {answers} answers", "give one each")
    points = []
    for one in asked:
        value = number_of(one, "points")
        if value.denominator != 1 or not 0 <= value <= LARGEST_POINT:
            raise refused("points", one, "are not allowed", f"give a whole number from 0 to {LARGEST_POINT}")
        points.append(int(value))
    if min(points):
        lower = [value - min(points) for value in points]
        raise refused("points", points, "do not begin at 0", f"give {lower}, which says the same")
    return tuple(points)


def _listed(points: AnswerPoints) -> str:
    return "/".join(map(str, points))
