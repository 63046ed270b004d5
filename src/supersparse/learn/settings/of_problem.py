"""The settings that a problem was made with, so that it can be asked again of other rows."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from supersparse.base.schema.tree import ByName, label_text
from supersparse.engine.options import SOLVERS
from supersparse.learn.settings.settings import Settings, fold_sizes
from supersparse.problem.asked import Ends
from supersparse.problem.constraints.forms import with_text_label
from supersparse.problem.constraints.support import MaxQuestions, MinQuestions
from supersparse.problem.naming import INTERCEPT
from supersparse.problem.penalties import Levels, read_class_weight
from supersparse.problem.problem import Problem

T = TypeVar("T")


def settings_of(problem: Problem, *, solver: str | None = None, seed: int | None = None) -> Settings | None:
    """Return settings that make the same problem from the same rows; of a problem not yet presolved.

    Sets and penalties are said by feature unless all are alike. Class weights that are the balanced ones
    of these rows are said to be balanced, so that other rows get their own. Sample weights are data
    and left out. None where one name stands for a feature and for a penalised intercept.

    >>> problem = Problem.of([[0], [1]], [0, 1], C0=0.1, max_points=5, max_features=1)
    >>> settings_of(problem, seed=0).to_dict()
    {'C0': 0.1, 'points': '-5..5', 'max_features': 1, 'positive': '1', 'solve': {'random_state': 0}}
    """
    names, intercept = problem.rows.names, problem.intercept
    if intercept.is_penalised and INTERCEPT in names:
        return None
    levels: Sequence[Levels | None] = problem.levels
    costs: Sequence[Fraction] = problem.C0
    sets = problem.given_sets
    if intercept.is_penalised:
        assert intercept.allowed is not None, "a penalised intercept has a set"
        names = (*names, INTERCEPT)
        levels, costs = (*levels, problem.intercept_levels), (*costs, problem.intercept_C0)
        sets = (*sets, intercept.allowed)
    plain = [j for j, one in enumerate(levels) if one is None]
    asked: dict[str, Any] = {
        "C0": _one_or_by_name({names[j]: costs[j] for j in plain}, problem),
        "goal": problem.goal,
        "slope": problem.slope,
        "risk_threshold": None if problem.risk_threshold == Fraction(1, 2) else problem.risk_threshold,
        "C1": "auto" if problem.C1 is None else problem.C1,
        "points": _one_or_by_name({names[j]: sets[j] for j in plain}, problem),
        "bounds": _bounds(problem),
        "levels": _by_name({n: one for n, one in zip(names, levels, strict=True) if one is not None}),
        "constraints": tuple(map(with_text_label, problem.asked)),
        "intercept": (intercept.low, intercept.high) if intercept.mode == "range" else intercept.mode,
        "class_weight": _class_weight(problem),
        "positive": label_text(problem.rows.classes[1]),
        "rate_groups": tuple(grouping.name for grouping in problem.rows.groupings),
    }
    if problem.questions:
        asked |= _of_questions(problem)
    fold_sizes(asked)
    options = {"solver": solver if solver in SOLVERS else None, "random_state": seed}
    asked["solve"] = ByName(tuple((name, value) for name, value in options.items() if value is not None))
    return Settings(**asked)


def _of_questions(problem: Problem) -> dict[str, Any]:
    """How many questions were asked for, and at what price; their shapes come from the columns."""
    most = next((one for one in problem.asked if isinstance(one, MaxQuestions)), None)
    least = next((one for one in problem.asked if isinstance(one, MinQuestions)), None)
    others = [one for one in problem.asked if one not in (most, least)]
    return {
        "questions": True,
        "max_questions": "auto" if most is None else most.most,
        "min_questions": 0 if least is None else least.least,
        "change_price": problem.change_price,
        "constraints": tuple(map(with_text_label, others)),
        "intercept": "free",
        "slope": "free",
    }


def _by_name(values: Mapping[str, T]) -> ByName[T] | None:
    return ByName(tuple(values.items())) if values else None


def _one_or_by_name(by_name: Mapping[str, T], problem: Problem) -> ByName[T] | T | None:
    """One value where all are alike, also those that levels speak of; else by name."""
    if problem.has_levels or len(set(by_name.values())) > 1:
        return _by_name(by_name)
    return next(iter(by_name.values()), None)


def _bounds(problem: Problem) -> ByName[Ends] | None:
    """The bounds that leave out values of levels; those of other features are in the sets."""
    triples = zip(problem.rows.names, problem.given_sets, problem.levels, strict=True)
    return _by_name({n: (s.least, s.greatest) for n, s, levels in triples if levels is not None and s != levels.values})


def _class_weight(problem: Problem) -> str | ByName[Fraction] | None:
    if set(problem.class_weights) == {Fraction(1)}:
        return None
    if problem.class_weights == read_class_weight("balanced", problem.rows):
        return "balanced"
    return _by_name({label_text(c): w for c, w in zip(problem.rows.classes, problem.class_weights, strict=True)})
