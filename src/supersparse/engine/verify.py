"""verify: recompute every claim from the original rows before it is reported."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from supersparse.base.errors import VerificationError
from supersparse.base.exact import nearest_float
from supersparse.base.stop import Stop
from supersparse.engine.solution import Claim, Solution, TraceEvent
from supersparse.problem.log_loss import EFFECT_CAP, largest_slope, slope_of
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import PointsEvaluation, evaluate, intercept_choice, violated
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.table.small_table import SmallTable, Tabular


def verify(problem: Problem, claim: Claim, *, solver: str) -> Solution:
    """Confirm a claim in exact arithmetic, or raise with both numbers.

    It checks that the points are in their sets, that the size, the intercept and the rows satisfy all
    constraints, that the model costs no more than claimed, and that the bound does not exceed its cost.
    A log loss whose bound proves less than a complete search should is left open by `Stop.ROUNDING`.
    """
    check_points(problem, claim.points, solver)
    evaluation = evaluate(problem, claim.points)
    if claim.objective is not None and evaluation.objective > claim.objective:
        raise VerificationError(
            f"{solver} claims an objective of {_shown(claim.objective)}, but its model costs "
            f"{_shown(evaluation.objective)} ({evaluation.training_errors} errors on the rows)",
            "the solver's tolerances are too loose for this data",
        )
    if claim.lower_bound > evaluation.objective:
        raise VerificationError(
            f"{solver} claims that no model costs less than {_shown(claim.lower_bound)}, but its own "
            f"costs {_shown(evaluation.objective)}"
        )
    stop, loss = claim.stop, loss_of(problem)
    if stop is Stop.OPTIMAL and loss.tolerance and not loss.proves(evaluation.objective, claim.lower_bound):
        stop = Stop.ROUNDING
    ended = TraceEvent(
        seconds=claim.seconds,
        nodes=claim.nodes,
        objective=evaluation.objective,
        lower_bound=claim.lower_bound,
        points=None,
    )
    return Solution(
        problem=problem,
        solver=solver,
        points=claim.points,
        evaluation=evaluation,
        lower_bound=claim.lower_bound,
        smallest=claim.smallest,
        stop=stop,
        nodes=claim.nodes,
        seconds=claim.seconds,
        trace=claim.trace.to(ended),
        tuned_options=claim.tuned_options,
        projection=claim.projection,
    )


def check_points(problem: Problem, points: Points, who: str) -> None:
    """Raise unless the points satisfy the sets, every constraint and the rule for the intercept."""
    if len(points.coefficients) != problem.n_features:
        raise VerificationError(f"{who} gave {len(points.coefficients)} coefficients for {problem.n_features} features")
    if problem.questions or points.answers is not None:
        _check_answers(problem, points, who)
    for name, allowed, value in zip(problem.rows.names, problem.sets, points.values, strict=True):
        if value not in allowed:
            raise VerificationError(f"{who} gave feature {name!r} the value {value}, which is not in {allowed}")
    features = len(points.support)
    size = features + (problem.intercept.is_penalised and points.intercept != 0)
    if problem.max_features is not None and size > problem.max_features:
        raise VerificationError(f"{who} gave a model of size {size}", f"the limit is {problem.max_features}")
    broken = violated(problem, points)
    if broken:
        words = ", ".join(repr(constraint.in_words()) for constraint in broken)
        raise VerificationError(f"{who} gave a model that violates constraints: {words}")
    _check_intercept(problem, points, features, who)
    _check_slope(problem, points, who)


def _check_answers(problem: Problem, points: Points, who: str) -> None:
    if points.answers is None or not problem.questions:
        raise VerificationError(f"{who} gave points by answer for features, or by feature for questions")
    for name, question, answer in zip(problem.rows.names, problem.questions, points.answers, strict=True):
        if any(answer) and not question.admits(answer):
            raise VerificationError(f"{who} gave question {name!r} the points {answer}, which it does not allow")
    if points.coefficients != tuple(max(answer) for answer in points.answers):
        raise VerificationError(f"{who} gave coefficients that are not the largest points of their questions")


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
            f"{who} gave the intercept {points.intercept_value}, which intercept={problem.intercept.mode!r} forbids"
        )


def _check_slope(problem: Problem, points: Points, who: str) -> None:
    loss = loss_of(problem)
    if not loss.has_form(points):
        raise VerificationError(f"{who} gave the slope {points.slope} for goal {problem.goal!r}")
    if not loss.gives_risks:
        return
    slope = slope_of(points)
    if problem.slope == 1 and (slope != 1 or points.intercept_value.denominator != 1):
        raise VerificationError(
            f"{who} gave the slope {points.slope} and the intercept {points.intercept_value}",
            "slope=1 needs 1 and a whole number",
        )
    most = largest_slope(problem, points.coefficients, points.denominator, points.answers)
    if problem.slope == "free" and not 0 < float(slope) <= most * (1 + 1e-9):
        raise VerificationError(
            f"{who} gave the slope {float(slope):.6g}", f"effects of at most {EFFECT_CAP:g} allow up to {most:.6g}"
        )


def _shown(value: Fraction) -> str:
    near = nearest_float(value)
    return f"{near:.9g} (= {value})" if value.denominator < 10**9 and abs(near) < 1e30 else f"{near:.12g}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class VerifiedModel(Tabular):
    """A model and its exact evaluation on the rows."""

    points: Points
    evaluation: PointsEvaluation

    def _brief(self) -> str:
        return f"{self.points._brief()}; {self.evaluation._brief()}"

    def _small_table(self) -> SmallTable:
        rows = [*self.points._small_table().rows, *self.evaluation._small_table().rows]
        return SmallTable((), rows)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Models(Tabular):
    """Verified models; `complete` is the solver's claim that none is missing or can be improved."""

    models: tuple[VerifiedModel, ...]
    complete: bool
    solver: str
    stop: Stop
    nodes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SizedModels(Models):
    """The best model found of each size, and its bound.

    ``bounds[s]`` is a lower bound on F of feasible models of exactly size s; None if there is no such model.
    """

    bounds: tuple[Fraction | None, ...]
    smallest: frozenset[int]  # the sizes whose model is proven to have the smallest l1 for its F


def verified(problem: Problem, points: Iterable[Points], solver: str) -> tuple[VerifiedModel, ...]:
    """Confirm that every model is feasible and evaluate it again, or raise."""
    models = []
    for model in points:
        check_points(problem, model, solver)
        models.append(VerifiedModel(points=model, evaluation=evaluate(problem, model)))
    return tuple(models)


def bounds_by_size(
    models: Iterable[VerifiedModel], claimed: tuple[Fraction | None, ...], *, complete: bool, sizes: int, solver: str
) -> tuple[Fraction | None, ...]:
    """Return one bound per size from 0 on, and raise if a model refutes one."""
    objectives = {model.evaluation.size: model.evaluation.objective for model in models}
    bounds: list[Fraction | None] = list(claimed)
    for size in range(len(claimed), sizes):
        bounds.append(objectives.get(size) if complete else Fraction(0))
    for size, objective in objectives.items():
        bound = bounds[size]
        if bound is None or bound > objective:
            raise VerificationError(
                f"{solver} claims that no model of size {size} costs less than {bound}, but its own costs {objective}"
            )
    return tuple(bounds)
