"""A risk problem as its proof puts it: every feature that is 0 or 1 is a question with two answers.

Points of -3 for a yes are 3 points for a no, and an offset that is lower by 3 points.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from supersparse.base.errors import UnsupportedProblemError
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.questions import LARGEST_POINT, Question
from supersparse.problem.sets import NOTHING_ALLOWED_BUT_ZERO


def questions_of(problem: Problem) -> tuple[Question, ...]:
    """The questions, with their prices; an UnsupportedProblemError names what proofs do not know."""
    if problem.questions:
        return tuple(one.priced(price) for one, price in zip(problem.questions, problem.C0, strict=True))
    if problem.slope != "free" or problem.intercept.mode != "free":
        raise _unsupported("a slope of 1, or an intercept with limits", "use slope='free' and intercept='free'")
    if problem.unit != 1:
        raise _unsupported("points that are not whole numbers", "use whole points")
    return tuple(_question(problem, j) for j in range(problem.n_features))


def answers_of(problem: Problem) -> list[list[int]]:
    """The number of each row's answer, by question."""
    scales = [1] * problem.n_features if problem.questions else problem.rows.scales
    return [[int(x) // scale for x in column] for column, scale in zip(problem.rows.columns, scales, strict=True)]


def card_of(points: Points, slope: Fraction, offset: Fraction) -> tuple[dict[int, tuple[int, ...]], Fraction, Fraction]:
    """The card: points by question and answer, the smallest of each 0; slope and offset of these."""
    if points.answers is not None:
        asked = {j: points_by_answer for j, points_by_answer in enumerate(points.answers) if any(points_by_answer)}
    else:
        values = points.over(1).coefficients
        asked = {j: (max(0, -v), max(0, v)) for j, v in enumerate(values) if v}
        offset += slope * sum(min(0, v) for v in values)
    return asked, slope, offset


def alike(problem: Problem) -> list[list[int]]:
    """Questions none of which may fall while another rises."""
    return [[j for j, member in enumerate(limit.together) if member] for limit in problem.sign_limits]


def _question(problem: Problem, j: int) -> Question:
    name, column, scale = problem.rows.names[j], problem.rows.columns[j], problem.rows.scales[j]
    if not set(np.unique(column).tolist()) <= {0, scale}:
        raise _unsupported(f"a feature that is not 0 or 1 ({name!r})", "cut the column, or let the card ask questions")
    if problem.sets[j] == NOTHING_ALLOWED_BUT_ZERO:
        return Question(2, points=(0,))
    values = [v for v in problem.sets[j].over(1) if v]
    rising, falling = ([abs(v) for v in values if v * sign > 0] for sign in (1, -1))
    if rising and falling and sorted(rising) != sorted(falling):
        raise _unsupported(f"positive and negative points that differ in size ({name!r})", "give points from -M to M")
    prices = {problem.penalty(j, Fraction(v)) + (problem.C1 or 0) * abs(v) for v in values}
    if len(prices) > 1 or problem.penalty(j, Fraction(0)):
        raise _unsupported(f"prices that differ by points ({name!r})", "give C0 instead of levels, and no C1")
    if max(rising + falling) > LARGEST_POINT:
        raise _unsupported(f"points beyond {LARGEST_POINT} ({name!r})", "give a smaller max_points")
    shape = "either" if rising and falling else "up" if rising else "down"
    return Question(2, None, shape, False, (0, *sorted(rising or falling)), prices.pop())


def _unsupported(what: str, remedy: str) -> UnsupportedProblemError:
    return UnsupportedProblemError(f"certificates of risk scores do not support {what}", remedy)


def two_rules(rule: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """A rule of a card that is true or not, and before it the one that is true otherwise."""
    column, kind = rule["column"], rule["rule"]
    opposite = {"at_least": "below", "above": "at_most", "at_most": "above", "below": "at_least"}
    ends = [end for end in opposite if end in rule]
    if kind == "range" and len(ends) == 1:
        other = {"rule": "range", "column": column, opposite[ends[0]]: rule[ends[0]]}
    elif kind in ("category", "other"):
        other = {**rule, "rule": "other" if kind == "category" else "category"}
    elif kind == "missing":
        other = {"rule": "other", "column": column, "values": []}
    elif kind == "value":
        other, rule = ({"rule": "category", "column": column, "values": [k]} for k in (0, 1))
    else:
        raise _unsupported(f"ranges with two ends, as of {column!r}", "leave intervals out")
    return other, rule
