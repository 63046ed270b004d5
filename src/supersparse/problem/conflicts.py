"""Conflicts between limits that are visible without a search, and data that log loss cannot be asked of."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np

from supersparse.base.errors import InfeasibleError, InvalidDataError, InvalidProblemError
from supersparse.base.exact import nearest_float, shown
from supersparse.problem.constraints.support import FixedAnswers, MaxFeatures
from supersparse.problem.limits import Constraint, ScoreLimit, SignLimit, SupportLimit
from supersparse.problem.problem_data import ProblemData

FEW = 8  # up to this many constraints, all subsets are checked


def infeasible(problem: ProblemData, *, proved_by: str | None = None) -> InfeasibleError:
    """The error of a solver that has proven that no scoring system satisfies all constraints."""
    proved = "" if proved_by is None else f", as {proved_by} proved"
    return InfeasibleError(
        f"no scoring system satisfies all constraints{asked_in_words(problem)}{proved}", "drop or relax a constraint"
    ).blaming(problem.asked)


def asked_in_words(problem: ProblemData) -> str:
    """The constraints in brackets, for a message; nothing if there are none."""
    asked = ", ".join(repr(constraint.in_words()) for constraint in problem.asked)
    if problem.goal == "risk" and problem.rate_limits:
        asked += f" at a risk_threshold of {shown(problem.risk_threshold)}"
    return f" ({asked})" if asked else ""


def check_feasible(problem: ProblemData) -> None:
    """Raise if the sets and one of the limits already exclude every scoring system."""
    _check_size(problem)
    _check_intercept(problem)
    for support_limit in problem.support_limits:
        _check_support(problem, support_limit)
    for sign_limit in problem.sign_limits:
        _check_signs(problem, sign_limit)
    for score_limit in problem.score_limits:
        _check_score(problem, score_limit)
    for constraint in problem.asked:
        if isinstance(constraint, FixedAnswers):
            _check_answers(problem, constraint)


def smallest_conflict(
    asked: tuple[Constraint, ...],
    error: InfeasibleError,
    conflict_of: Callable[[tuple[Constraint, ...]], InfeasibleError | None],
) -> InfeasibleError:
    """Describe a smallest subset of the constraints that is visibly infeasible.

    `conflict_of` says what is wrong with some of them alone. With more than `FEW` constraints, a subset
    from which none can be removed.
    """
    if len(asked) <= FEW:
        for size in range(1, len(asked)):
            for subset in combinations(asked, size):
                smaller = conflict_of(subset)
                if smaller is not None:
                    return smaller
        return error
    subset = asked
    for constraint in asked:
        fewer = tuple(c for c in subset if c != constraint)
        smaller = conflict_of(fewer)
        if smaller is not None:
            subset, error = fewer, smaller
    return error


def _check_size(problem: ProblemData) -> None:
    needed = len(problem.forced)
    if problem.max_features is None or needed <= problem.max_features:
        return
    forcing = _on_values(problem, set(problem.forced), used=True)
    if forcing:
        raise _conflict([*_size_limit(problem), *forcing])
    raise InfeasibleError(
        f"{needed} coefficient set(s) exclude 0, but max_features is {problem.max_features}",
        f"allow 0 for some of {[problem.rows.names[j] for j in problem.forced]} or raise max_features",
    )


def _check_intercept(problem: ProblemData) -> None:
    rule = problem.intercept
    if rule.mode == "range":
        assert rule.low is not None
        assert rule.high is not None
        if math.ceil(rule.low * problem.unit) > math.floor(rule.high * problem.unit):
            raise InfeasibleError(
                f"no multiple of 1/{problem.unit} is in the intercept's range ({rule.low}, {rule.high})", "widen it"
            )


def _check_support(problem: ProblemData, limit: SupportLimit) -> None:
    """Compare the limit with the smallest total of any support of allowed size."""
    forced = set(problem.forced)
    least: Fraction | int = sum(limit.weights[j] for j in forced)
    options = [
        w for j, (w, s) in enumerate(zip(limit.weights, problem.sets, strict=True))
        if w < 0 and j not in forced and len(s) > 1
    ]  # fmt: skip
    room = math.inf if problem.max_features is None else problem.max_features - len(forced)
    if limit.intercept_weight < 0 and problem.intercept.allowed is not None:
        options += [limit.intercept_weight] if len(problem.intercept.allowed) > 1 else []
    helping = sorted(options)[: len(options) if room == math.inf else max(0, int(room))]
    if least + sum(helping) <= limit.at_most:
        return
    against = {j for j, w in enumerate(limit.weights) if w > 0}
    needed = {j for j, w in enumerate(limit.weights) if w < 0}
    blame = _on_values(problem, against, used=True) + _on_values(problem, needed, used=False)
    if len(helping) < len(options):
        blame += _size_limit(problem)
    raise _conflict([limit.source, *blame], _names(problem, against & forced), _names(problem, needed))


def _check_signs(problem: ProblemData, limit: SignLimit) -> None:
    """Compare the features that are always positive with those that are always negative."""
    members = {j for j in problem.forced if limit.together[j]}
    ends = {j: (min(problem.sets[j].turning_points), max(problem.sets[j].turning_points)) for j in members}
    positive = {j for j, (low, _) in ends.items() if low > 0}
    negative = {j for j, (_, high) in ends.items() if high < 0}
    if positive and negative:
        blame = _on_values(problem, positive | negative, used=True)
        raise _conflict([limit.source, *blame], _names(problem, positive), _names(problem, negative))


def _check_score(problem: ProblemData, limit: ScoreLimit) -> None:
    least = sum(min(limit.term(j, v) for v in s.turning_points) for j, s in enumerate(problem.sets))
    if least > limit.at_most:
        everything = set(range(problem.n_features))
        blame = _on_values(problem, everything, used=True) + _on_values(problem, everything, used=False)
        raise _conflict([limit.source, *blame], _names(problem, set(problem.forced)))


def _check_answers(problem: ProblemData, fixed: FixedAnswers) -> None:
    question = problem.questions[problem.rows.names.index(fixed.question)]
    points = [value for value in fixed.points if value is not None]
    if any(value not in question.points for value in points):
        why = f"its answers may have {', '.join(map(str, question.points))}"
    elif any(points) and len(points) == len(fixed.points) and not question.admits(points):
        run = {"up": "rise", "down": "fall", "either": "rise or fall"}.get(question.shape)
        why = "the smallest of its points is 0" + ("" if run is None else f", and they {run} along its answers")
    else:
        return
    raise InfeasibleError(
        f"question {fixed.question!r}: {fixed.in_words()!r} is not allowed: {why}",
        "drop the constraint, or allow these points",
    ).blaming([fixed])


def _on_values(problem: ProblemData, features: set[int], *, used: bool) -> list[Constraint]:
    """The constraints that force some of these features in or out."""
    names = {problem.rows.names[j] for j in features}
    return [
        limit.source
        for limit in problem.value_limits
        if limit.name in names and (limit.equals != 0 if used else limit.equals == 0)
    ]


def _size_limit(problem: ProblemData) -> list[Constraint]:
    return [c for c in problem.asked if isinstance(c, MaxFeatures)]


def _names(problem: ProblemData, features: set[int]) -> list[str]:
    return [problem.rows.names[j] for j in sorted(features)]


def _conflict(constraints: list[Constraint], *features: list[str]) -> InfeasibleError:
    words = list(dict.fromkeys(repr(c.in_words()) for c in constraints))
    if len(words) > 1:
        return InfeasibleError(
            f"no scoring system satisfies {' and '.join(words)} together", "drop or relax one of them"
        ).blaming(constraints)
    about = sorted({name for names in features for name in names})
    return InfeasibleError(
        f"no scoring system satisfies {words[0]} with the points allowed for {about}",
        "relax it, or allow other points for these features",
    ).blaming(constraints)


_LARGEST = 10**145  # of a value, and of a column's whole numbers: their squares must be doubles
_LARGEST_TOTAL = 10**300  # of a total in whole numbers, which becomes a double


def check_log_loss(problem: ProblemData) -> None:
    """Raise if no log loss can be computed, or if none is the least."""
    for label, weight in zip(problem.rows.classes, problem.class_weights, strict=True):
        if weight == 0:
            raise InvalidProblemError(
                f"class_weight gives class {label!r} the weight 0, so the log loss falls however far the "
                "intercept goes and none is best",
                f"give {label!r} a weight above 0",
            )
    if problem.rows.raw is None:
        _check_whole_columns(problem)
        return
    for name, raw in zip(problem.rows.names, problem.rows.raw, strict=True):
        if raw.dtype == np.float64:
            _check_largest(name, Fraction(max(float(raw.max()), -float(raw.min()))))


def _check_whole_columns(problem: ProblemData) -> None:
    rows = problem.rows
    largest = [Fraction(m, scale) for m, scale in zip(rows.magnitudes, rows.scales, strict=True)]
    for name, most in zip(rows.names, largest, strict=True):
        _check_largest(name, most)
    most = max(Fraction(1), *largest)
    if max(rows.magnitudes) > _LARGEST or most * problem.score_step > _LARGEST_TOTAL:
        finest = max(range(len(rows.names)), key=lambda j: rows.scales[j])
        decimals = len(str(rows.scales[finest])) - 1
        raise InvalidDataError(
            f"column {rows.names[finest]!r} has values with {decimals} decimals, and values of up to "
            f"{nearest_float(most):.3g}",
            ("the log loss is computed in doubles: rescale the column, say by a power of ten, or round it"),
        )


def _check_largest(name: str, largest: Fraction) -> None:
    if largest > _LARGEST:
        raise InvalidDataError(
            f"column {name!r} has values as large as {nearest_float(largest):.3g}",
            f"the log loss is computed in doubles and needs values below {float(_LARGEST):.0e}: rescale the column, "
            "for example by a power of ten",
        )
