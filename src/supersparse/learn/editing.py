"""Editing a card by hand: its points, questions, cuts and threshold.

A change is a mapping with one key, as in the section ``edits`` of a settings file: ``{"points": {"question": "age >=
60", "to": 2}}``, ``{"drop": "age >= 60"}``, ``{"add": {"question": ..., "points": 1}}``, ``{"swap": {"question": ...,
"for": ...}}``, ``{"cut": {"question": ..., "to": 65}}`` or ``{"threshold": 4}``. On a card of questions, points are by
answer: ``{"points": {"question": "age", "to": [0, 1, 3]}}``.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

from supersparse.base.errors import InvalidInputError, InvalidOptionError, did_you_mean
from supersparse.base.exact import shown
from supersparse.base.stop import Stop
from supersparse.card.card import Card, Item
from supersparse.card.provenance import CardEdit
from supersparse.card.rules import InRange, Rule
from supersparse.card.words import question as question_in_words
from supersparse.engine.answers.edit import Edit
from supersparse.engine.solution import Solution, Trace
from supersparse.learn.edited_answers import EditedAnswers, best_points, cuts_of, evaluated, number_of, refused
from supersparse.learn.fit import Fitted
from supersparse.learn.prepare.feature import Feature
from supersparse.learn.prepare.fitting import PreparedColumns
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.problem.losses import Loss, loss_called, loss_of
from supersparse.problem.near_totals import integer_totals, step_of
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

KINDS = ("points", "drop", "add", "swap", "cut", "threshold")
_KNOWN = f"give one of {', '.join(KINDS)}"


@dataclass(frozen=True, slots=True)
class Edited:
    """An edited model: points by question, cuts that were moved, and the threshold if somebody set it."""

    points: Mapping[str, Fraction]
    moved: Mapping[str, Feature]  # questions that the table did not offer
    threshold: Fraction | None
    touched: frozenset[str]

    @classmethod
    def of(cls, solution: Solution) -> "Edited":
        names, points = solution.problem.rows.names, solution.points
        return cls({names[j]: points.values[j] for j in points.support}, {}, None, frozenset())

    @property
    def new_questions(self) -> list[Feature]:
        """The questions of the card that the table did not offer."""
        return [self.moved[name] for name in self.points if name in self.moved]


def begun(solution: Solution) -> Edited | EditedAnswers:
    return EditedAnswers.of(solution) if solution.problem.questions else Edited.of(solution)


def with_changes(
    fitted: Fitted, rows: TrainingRows, edits: Sequence[Mapping[str, Any]]
) -> tuple[Fitted, tuple[Edit, ...]]:
    """Change a card that was learned, as the section ``edits`` of a settings file says; return what each costs.

    What the folds said is about the card as it was learned, so the card keeps none of it.
    """
    state = begun(fitted.solution)
    question, solution = fitted.question, fitted.solution
    made, prices = [], []
    for number, edit in enumerate(edits, start=1):
        with _entry(number):
            state, text = changed(fitted.question, state, _change(edit), rows)
        question = asked_of(fitted.question, rows, state)
        before, solution = solution, edited_solution(question, rows, state, fitted.solution)
        prices.append(Edit(before=before, after=solution, asked=(text,)))
        made.append(CardEdit(change=text, reason=edit.get("reason", ""), at=edit.get("at")))
    card = with_edits(question.card(solution, rows.title, rows), made)
    return replace(fitted, question=question, solution=solution, card=card), tuple(prices)


def check_edits(goal: str, edits: Sequence[Mapping[str, Any]]) -> None:
    """Raise for changes that no card of this goal allows."""
    for number, edit in enumerate(edits, start=1):
        with _entry(number):
            if "threshold" in edit:
                check_threshold(loss_called(goal), edit["threshold"])


def check_possible(question: PreparedProblem, edits: Sequence[Mapping[str, Any]]) -> None:
    """Raise for changes that no card of this question allows, before one is learned.

    Whatever a change needs on the card is taken to be there.
    """
    state = Edited({}, {}, None, frozenset())
    for number, edit in enumerate(edits, start=1):
        with _entry(number):
            for kind, what in _change(edit).items():
                if question.problem.questions:
                    _check_possible(question, kind, what)
                    continue
                if kind in ("points", "drop", "swap", "cut"):
                    name = str(what.get("question") if isinstance(what, Mapping) else what)
                    _check_known(question, state, name)
                    state = replace(state, points={name: Fraction(1), **state.points})
                state, _ = _changed(question, state, kind, what)


def _check_possible(question: PreparedProblem, kind: str, what: Any) -> None:
    """Raise for a change that no card of questions allows; cuts may have been moved before."""
    every = EditedAnswers.of_every_question(question)
    named = what.get("for" if kind == "swap" else "question") if isinstance(what, Mapping) else what
    if kind in ("add", "swap") and named in every.answers:
        every = replace(every, answers={name: points for name, points in every.answers.items() if name != named})
    if kind == "cut" and isinstance(what, Mapping) and named in every.answers:
        cuts = cuts_of(every.question(question, str(named)))
        number_of(what.get("to"), "cut")
        if cuts:
            return
    every.changed(question, kind, what)


def _change(edit: Mapping[str, Any]) -> dict[str, Any]:
    """The change of an entry, without its reason and date."""
    return {name: value for name, value in edit.items() if name in KINDS}


@contextmanager
def _entry(number: int) -> Iterator[None]:
    """Name the entry of the settings file in what is refused."""
    try:
        yield
    except InvalidInputError as error:
        raise InvalidOptionError.of(error, f"edits, entry {number}: ") from None


def with_edits(card: Card, edits: Sequence[CardEdit]) -> Card:
    """Return the card with what people changed by hand in its provenance."""
    if not edits or card.provenance is None:
        return card
    return replace(card, provenance=replace(card.provenance, edits=tuple(edits)))


def cut_of(rule: Rule | None) -> float | None:
    """The cut of a question that asks for so much or more; None for others."""
    if not isinstance(rule, InRange) or rule.low is None or rule.high is not None:
        return None
    return float(rule.low)


def feature_of(question: PreparedProblem, name: object) -> Feature | None:
    """The feature of a question by its name."""
    prepare = question.prepare
    return next((f for f in ([] if prepare is None else prepare.features_) if f.name == name), None)


def words_of(question: PreparedProblem, state: Edited, name: str) -> str:
    """A question in the words of the card, as a part of a sentence."""
    feature = state.moved.get(name) or feature_of(question, name)
    return name if feature is None else question_in_words(feature.rule, feature.unit).removesuffix("?")


def changed(
    question: PreparedProblem, state: Edited | EditedAnswers, change: object, rows: TrainingRows
) -> tuple[Edited | EditedAnswers, str]:
    """Return the state after a change, and the change in words."""
    if not isinstance(change, Mapping) or len(change) != 1:
        raise refused("change", change, "is not understood", _KNOWN)
    ((kind, what),) = change.items()
    if kind not in KINDS:
        raise refused("change", kind, "is not understood", _KNOWN)
    if isinstance(state, EditedAnswers):
        return state.changed(question, kind, what, best_points(question, rows))
    return _changed(question, state, kind, what)


def _changed(question: PreparedProblem, state: Edited, kind: str, what: Any) -> tuple[Edited, str]:
    if kind == "threshold":
        return _with_threshold(question, state, what)
    if kind == "drop":
        _check_used(state, what)
        points = {name: value for name, value in state.points.items() if name != what}
        return _next(state, points, what), f"{words_of(question, state, what)!r} dropped"
    if not isinstance(what, Mapping):
        raise refused("change", kind, "is not understood", _KNOWN)
    name = str(what.get("question"))
    if kind == "add":
        _check_known(question, state, name)
        if name in state.points:
            raise refused("question", name, "is on the card already", "change its points")
        value = _points(question, what.get("points", 1))
        text = f"{words_of(question, state, name)!r} added with {shown(value)} point{'' if abs(value) == 1 else 's'}"
        return _next(state, {**state.points, name: value}, name), text
    _check_used(state, name)
    old = state.points[name]
    if kind == "points":
        value = _points(question, what.get("to"))
        if value == 0:
            points = {one: v for one, v in state.points.items() if one != name}
            return _next(state, points, name), f"{words_of(question, state, name)!r} dropped"
        text = f"points of {words_of(question, state, name)!r} from {shown(old)} to {shown(value)}"
        return _next(state, {**state.points, name: value}, name), text
    if kind == "swap":
        other = str(what.get("for"))
        _check_known(question, state, other)
        if other in state.points:
            raise refused("question", other, "is on the card already", "choose another one")
        text = f"{words_of(question, state, name)!r} swapped for {words_of(question, state, other)!r}"
        return _next(state, _renamed(state.points, name, other), name, other), text
    return _with_cut(question, state, name, what.get("to"))


def _next(state: Edited, points: Mapping[str, Fraction], *touched: str) -> Edited:
    return replace(state, points=points, touched=state.touched | set(touched))


def _renamed(points: Mapping[str, Fraction], old: str, new: str) -> dict[str, Fraction]:
    return {new if name == old else name: value for name, value in points.items()}


def check_threshold(loss: Loss, what: object) -> None:
    """Raise for a threshold of a card of risks."""
    if loss.gives_risks:
        raise refused("threshold", what, "cannot be set on a card of risks", "set risk_threshold instead")


def _with_threshold(question: PreparedProblem, state: Edited, what: object) -> tuple[Edited, str]:
    check_threshold(loss_of(question.problem), what)
    if what is None:
        return replace(state, threshold=None), "threshold chosen again"
    value = number_of(what, "threshold")
    return replace(state, threshold=value), f"threshold set to {shown(value)}"


def _with_cut(question: PreparedProblem, state: Edited, name: str, to: object) -> tuple[Edited, str]:
    value = number_of(to, "cut")
    feature = state.moved.get(name) or feature_of(question, name)
    if feature is None or cut_of(feature.rule) is None:
        raise refused("question", name, "has no cut to move", "choose one that asks for so much or more")
    new = replace(feature, rule=InRange(feature.column, low=value))
    if new.name in state.points and new.name != name:
        raise refused("cut", shown(value), "is on the card already", "choose another one")
    moved = dict(state.moved)
    if feature_of(question, new.name) is None:
        moved[new.name] = new
    return (
        _next(replace(state, moved=moved), _renamed(state.points, name, new.name), name, new.name),
        f"cut of {words_of(question, state, name)!r} moved to {shown(value)}",
    )


def _points(question: PreparedProblem, asked: object) -> Fraction:
    value = number_of(asked, "points")
    unit = question.problem.unit
    if (value * unit).denominator != 1 or abs(value) > 10**6:
        allowed = "a whole number" if unit == 1 else f"a multiple of 1/{unit}"
        raise refused("points", asked, "are not allowed", f"give {allowed}")
    return value


def _check_used(state: Edited, name: object) -> None:
    if not isinstance(name, str) or name not in state.points:
        its = f"its questions are {', '.join(map(repr, state.points))}" if state.points else "it has no questions"
        raise refused("question", name, "is not on the card", its)


def _check_known(question: PreparedProblem, state: Edited, name: object) -> None:
    names = (*question.problem.rows.names, *state.moved)
    if name not in names:
        raise refused("question", name, "is not among those of the table", did_you_mean(str(name), names))


def asked_of(question: PreparedProblem, rows: TrainingRows, state: Edited | EditedAnswers) -> PreparedProblem:
    """Return the question with what an edited card asks that the table did not offer."""
    if isinstance(state, EditedAnswers):
        return question.with_questions(rows, state.recut)
    return question_with(question, rows, state.new_questions)


def question_with(question: PreparedProblem, rows: TrainingRows, new: Sequence[Feature]) -> PreparedProblem:
    """Return the question with some features added to those of the table."""
    prepare = question.prepare
    if not new or prepare is None:
        return question
    more = Prepare.of_prepared(
        prepare.recorded,
        PreparedColumns(
            features=(*prepare.features_, *new),
            constraints=prepare.constraints_,
            notes=tuple(prepare.notes_),
            domains={domain.column: domain for domain in prepare.raw_questions.domains},
            n_candidates=prepare.n_candidates_ + len(new),
        ),
    )
    names = [feature.name for feature in more.features_]
    recipe = question.recipe
    problem = recipe.problem_of_features(more, rows, names, question.labels)
    return replace(question, problem=problem, prepare=more)


def moved_cuts(card: Card, question: PreparedProblem) -> list[Feature]:
    """The features of an edited card that the table did not offer, as `question_with` added them."""
    made, prepare = card.provenance, question.prepare
    if made is None or not made.edits or made.features is None or prepare is None:
        return []
    items = {item.name: item for item in card.as_learned.items if cut_of(item.rule) is not None}
    offered = {feature.name for feature in prepare.features_}
    moved = [items[name] for name in made.features if name in items and name not in offered]
    beside = {f.column: f for f in prepare.features_ if cut_of(f.rule) is not None}
    return [_as_feature(item, beside[item.column]) for item in moved if item.column in beside]


def _as_feature(item: Item, beside: Feature) -> Feature:
    """The feature of an item; `beside` is another cut of its column."""
    missing = None if item.missing is None else item.missing / item.points
    return replace(beside, rule=item.rule, when_missing=missing)


def edited_solution(
    question: PreparedProblem, rows: TrainingRows, state: Edited | EditedAnswers, best: Solution
) -> Solution:
    """Evaluate the edited model; the bound of the search holds for it if it obeys all that was asked."""
    problem = question.problem
    if isinstance(state, EditedAnswers):
        return state.solution(problem, best)
    points = _with_intercept(question, rows, state)
    is_allowed = not state.moved and all(points.values[j] in problem.sets[j] for j in points.support)
    return evaluated(best, problem, points, is_allowed=is_allowed)


def _with_intercept(question: PreparedProblem, rows: TrainingRows, state: Edited) -> Points:
    problem = question.problem
    values = [state.points.get(name, Fraction(0)) for name in problem.rows.names]
    coefficients = [int(value * problem.unit) for value in values]
    points = with_best_intercept(problem, coefficients)
    if points is None:  # no threshold satisfies every wish: take the best one, and say what is broken
        points = with_best_intercept(problem.without(problem.asked), coefficients)
    if points is None:
        points = Points(tuple(coefficients), 0, problem.unit)
    if state.threshold is None:
        return points
    draft = Solution(
        problem=problem, solver="by hand", points=points, evaluation=evaluate(problem, points),
        lower_bound=Fraction(0), smallest=False, stop=Stop.SEARCH_ENDED, nodes=0, seconds=0.0, trace=Trace(),
    )  # fmt: skip
    card = question.card(draft, rows.title)
    shift = card.intercept - card.as_learned.intercept
    whole = card.totals_are_whole
    least = Fraction(ceil(state.threshold)) if whole else state.threshold
    below = _below(problem, points, least + shift, whole=whole)
    return replace(points, intercept=-below * problem.unit)


def _below(problem: Problem, points: Points, least: Fraction, *, whole: bool) -> Fraction:
    """The threshold of a model whose scores are above 0 where a total is so much or more.

    It is that total, unless rows have it: a score of 0 is wrong for both classes.
    """
    if whole:
        return least - Fraction(1, 2)
    scale = points.denominator * step_of(problem, points.coefficients)
    rows_have_it = bool((integer_totals(problem, points.coefficients) == least * scale).any())
    return least - Fraction(1, 2 * scale) if rows_have_it else least
