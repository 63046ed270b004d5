"""verify: recompute every claim from the original rows before anyone sees it."""

from fractions import Fraction

from supersparse.errors import VerificationError
from supersparse.problem.objective import evaluate, intercept_choice
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.violations import violated
from supersparse.solution.claim import Claim
from supersparse.solution.solution import Solution


def verify(problem: Problem, claim: Claim, *, solver: str) -> Solution:
    """Confirm a claim in exact arithmetic, or raise with both numbers.

    Checked: the points lie in their sets, the size, the intercept and the rows obey what was
    asked, the model costs no more than claimed, and the bound does not exceed its cost.
    """
    check_feasible(problem, claim.points, solver)
    evaluation = evaluate(problem, claim.points)
    if claim.objective is not None and evaluation.objective > claim.objective:
        raise VerificationError(
            f"{solver} claims an objective of {_shown(claim.objective)} but its model costs "
            f"{_shown(evaluation.objective)} ({evaluation.training_errors} errors on the rows); "
            "the solver's tolerances are too loose for this data"
        )
    if claim.lower_bound > evaluation.objective:
        raise VerificationError(
            f"{solver} claims that no model costs less than {_shown(claim.lower_bound)} but its own "
            f"costs {_shown(evaluation.objective)}"
        )
    return Solution(
        problem=problem,
        solver=solver,
        points=claim.points,
        evaluation=evaluation,
        lower_bound=claim.lower_bound,
        smallest=claim.smallest,
        stop=claim.stop,
        nodes=claim.nodes,
        seconds=claim.seconds,
        trace=claim.trace,
    )


def check_feasible(problem: Problem, points: Points, who: str) -> None:
    """Raise unless the points obey the sets, every constraint and the intercept's rule."""
    if len(points.coefficients) != problem.n_features:
        raise VerificationError(
            f"{who} gave {len(points.coefficients)} coefficients for {problem.n_features} features"
        )
    for name, allowed, value in zip(problem.rows.names, problem.sets, points.values, strict=True):
        if value not in allowed:
            raise VerificationError(
                f"{who} gave feature {name!r} the value {value}, which is not in {allowed}"
            )
    features = len(points.support)
    size = features + (problem.intercept.is_penalised and points.intercept != 0)
    if problem.max_features is not None and size > problem.max_features:
        raise VerificationError(f"{who} gave a model of size {size}; the limit is {problem.max_features}")
    broken = violated(problem, points)
    if broken:
        words = ", ".join(repr(constraint.in_words()) for constraint in broken)
        raise VerificationError(f"{who} gave a model that breaks what was asked: {words}")
    _check_intercept(problem, points, features, who)


def _check_intercept(problem: Problem, points: Points, features: int, who: str) -> None:
    if problem.intercept.mode == "free":
        return
    choice = intercept_choice(problem, features=features)
    b = points.intercept_value * problem.unit
    allowed = (
        b.denominator == 1
        and (choice.low is None or b >= choice.low)
        and (choice.high is None or b <= choice.high)
        and (choice.allowed is None or int(b) in choice.allowed)
    )
    if not allowed:
        raise VerificationError(
            f"{who} gave the intercept {points.intercept_value}, "
            f"which intercept={problem.intercept.mode!r} forbids"
        )


def _shown(value: Fraction) -> str:
    return f"{float(value):.9g} (= {value})" if value.denominator < 10**9 else f"{float(value):.12g}"
