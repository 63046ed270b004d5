"""What can be seen without search: that nothing obeys the sets and the limits."""

import math
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from supersparse.errors import InfeasibleError
from supersparse.problem.constraints.support import MaxFeatures
from supersparse.problem.limits import Constraint, ScoreLimit, SupportLimit

if TYPE_CHECKING:
    from supersparse.problem.problem import Problem

FEW = 8  # constraints of which all parts are looked at


def check_feasible(problem: "Problem") -> None:
    """Raise when no scoring system can obey the sets together with one of the limits."""
    _check_size(problem)
    _check_intercept(problem)
    for support_limit in problem.support_limits:
        _check_support(problem, support_limit)
    for score_limit in problem.score_limits:
        _check_score(problem, score_limit)


def smallest_conflict(problem: "Problem", error: InfeasibleError) -> InfeasibleError:
    """Return what is wrong with a smallest part of what is asked that can be seen to be infeasible.

    Of more than `FEW` constraints, of a part from which none can be left out.
    """
    asked = problem.asked
    if len(asked) <= FEW:
        for size in range(1, len(asked)):
            for kept in combinations(asked, size):
                smaller = _seen(problem, kept)
                if smaller is not None:
                    return smaller
        return error
    kept = asked
    for constraint in asked:
        fewer = tuple(c for c in kept if c != constraint)
        smaller = _seen(problem, fewer)
        if smaller is not None:
            kept, error = fewer, smaller
    return error


def _seen(problem: "Problem", kept: tuple[Constraint, ...]) -> InfeasibleError | None:
    """What is wrong with these constraints alone, None where nothing can be seen."""
    try:
        problem.without(c for c in problem.asked if c not in kept)
    except InfeasibleError as error:
        return error
    return None


def _check_size(problem: "Problem") -> None:
    needed = len(problem.forced)
    if problem.max_features is None or needed <= problem.max_features:
        return
    forcing = _on_values(problem, set(problem.forced), used=True)
    if forcing:
        raise _conflict([*_size_limit(problem), *forcing])
    raise InfeasibleError(
        f"{needed} coefficient set(s) leave out 0 but max_features is {problem.max_features}; "
        f"allow 0 for some of {[problem.rows.names[j] for j in problem.forced]} or raise max_features"
    )


def _check_intercept(problem: "Problem") -> None:
    rule = problem.intercept
    if rule.mode == "range":
        assert rule.low is not None
        assert rule.high is not None
        if math.ceil(rule.low * problem.unit) > math.floor(rule.high * problem.unit):
            raise InfeasibleError(
                f"no multiple of 1/{problem.unit} lies in the intercept's range "
                f"({rule.low}, {rule.high}); widen it"
            )


def _check_support(problem: "Problem", limit: SupportLimit) -> None:
    """Compare the limit with the least total of any support of allowed size."""
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


def _check_score(problem: "Problem", limit: ScoreLimit) -> None:
    least = sum(min(limit.term(j, v) for v in s.turning_points) for j, s in enumerate(problem.sets))
    if least > limit.at_most:
        everything = set(range(problem.n_features))
        blame = _on_values(problem, everything, used=True) + _on_values(problem, everything, used=False)
        raise _conflict([limit.source, *blame], _names(problem, set(problem.forced)))


def _on_values(problem: "Problem", features: set[int], *, used: bool) -> list[Constraint]:
    """The constraints that put some of these features into every model, or keep them out."""
    names = {problem.rows.names[j] for j in features}
    return [
        limit.source
        for limit in problem.value_limits
        if limit.name in names and (limit.equals != 0 if used else limit.equals == 0)
    ]


def _size_limit(problem: "Problem") -> list[Constraint]:
    return [c for c in problem.asked if isinstance(c, MaxFeatures)]


def _names(problem: "Problem", features: set[int]) -> list[str]:
    return [problem.rows.names[j] for j in sorted(features)]


def _conflict(constraints: list[Constraint], *features: list[str]) -> InfeasibleError:
    words = list(dict.fromkeys(repr(c.in_words()) for c in constraints))
    if len(words) > 1:
        return InfeasibleError(
            f"no scoring system obeys {' and '.join(words)} together; drop or relax one of them"
        )
    about = sorted({name for names in features for name in names})
    return InfeasibleError(
        f"no scoring system obeys {words[0]} with the coefficient sets of {about}; "
        "relax it, or change what these features may take"
    )
