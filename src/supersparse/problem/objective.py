"""The only evaluator: the objective of a scoring system, and the constraints it breaks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, lcm

import numpy as np

from supersparse.base.integer_arrays import Flags, IntArray, fits_int64
from supersparse.problem.constraints.support import MaxFeatures, OfAnswers
from supersparse.problem.intercept import InterceptChoice, best_gap, best_intercept, gaps_of, rank_of, threshold_between
from supersparse.problem.limits import Constraint
from supersparse.problem.log_loss import at_threshold, with_best_risk
from supersparse.problem.losses import loss_of
from supersparse.problem.near_totals import NearTotals, integer_totals, step_of
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.questions import Answers, price_of
from supersparse.table.small_table import Tabular, number

_MANY_GAPS = 1000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PointsEvaluation(Tabular):
    """Errors, penalties and objective of one scoring system on the training rows, by sample weight."""

    __module__ = "supersparse"

    objective: Fraction
    loss: Fraction  # the first term of F, including class weights; a log loss is rounded up
    wrong_positive: Fraction  # weight of the positive rows with score <= 0
    wrong_negative: Fraction  # weight of the negative rows with score >= 0
    zero_negative: Fraction  # of those, the weight with score exactly 0
    positive: Fraction  # weight of all positive rows
    negative: Fraction  # weight of all negative rows
    size: int  # ‖λ‖0 as the problem counts it: including b for intercept="paper"
    features: int
    l1: Fraction

    _facts = "objective~ errors=training_errors predicted_errors rows sensitivity~ specificity~ size l1"

    @property
    def training_errors(self) -> Fraction:
        """Weight of the rows in error when a score of 0 is wrong for both classes."""
        return self.wrong_positive + self.wrong_negative

    @property
    def predicted_errors(self) -> Fraction:
        """Weight of the rows that `predict` gets wrong: a score of 0 predicts the negative class."""
        return self.training_errors - self.zero_negative

    @property
    def sensitivity(self) -> Fraction:
        """Share of the positive rows that are correct; a score of 0 is wrong."""
        return 1 - self.wrong_positive / self.positive

    @property
    def specificity(self) -> Fraction:
        """Share of the negative rows that are correct; a score of 0 is wrong."""
        return 1 - self.wrong_negative / self.negative

    @property
    def rows(self) -> Fraction:
        """The weight of all rows."""
        return self.positive + self.negative

    def _brief(self) -> str:
        wrong = f"{number(self.training_errors)} of {number(self.rows)} wrong"
        return f"{wrong}, size {self.size}, objective {float(self.objective):.6g}"


def evaluate(problem: Problem, points: Points) -> PointsEvaluation:
    """Weighted training errors plus the penalties, computed exactly.

    The only evaluator in the package: solvers return coefficients and a bound, never an
    objective of their own. A row is an error when ``y * score <= 0``, so a score of zero
    counts against both classes; with a free threshold no row has one.
    """
    rows = problem.rows
    above, below = classified(problem, points)
    weights, positive = rows.weights, rows.positive
    dtype = np.int64 if fits_int64(problem.total_weight) else object
    wrong_positive = Fraction(int(weights[positive & ~above].sum(dtype=dtype)))
    wrong_negative = Fraction(int(weights[~positive & ~below].sum(dtype=dtype)))
    zero_negative = Fraction(int(weights[~positive & ~above & ~below].sum(dtype=dtype)))
    loss = loss_of(problem).of(problem, points, (wrong_negative, wrong_positive))
    counts_intercept = problem.intercept.is_penalised and points.intercept != 0
    support = points.support
    l1 = Fraction(sum(abs(points.coefficients[j]) for j in support), points.denominator)
    if counts_intercept:
        l1 += abs(points.intercept_value)
    return PointsEvaluation(
        objective=loss + total_penalty(problem, points) + (problem.C1 or 0) * l1,
        loss=loss,
        wrong_positive=wrong_positive * rows.weight_unit,
        wrong_negative=wrong_negative * rows.weight_unit,
        zero_negative=zero_negative * rows.weight_unit,
        positive=problem.class_totals[1],
        negative=problem.class_totals[0],
        size=len(support) + counts_intercept,
        features=len(support),
        l1=l1,
    )


def total_penalty(problem: Problem, points: Points) -> Fraction:
    """The penalty of the coefficients and a penalised intercept, without the C1 term."""
    if points.answers is not None:
        return price_of(problem.questions, problem.C0, problem.change_price, points.answers)
    start = problem.intercept_penalty(points.intercept_value) if problem.intercept.is_penalised else Fraction(0)
    if not problem.has_levels:
        return sum((problem.C0[j] for j in points.support), start)
    return sum((problem.penalty(j, value) for j, value in enumerate(points.values)), start)


@dataclass(frozen=True, eq=False)
class InterceptCosts:
    """The costs by which an intercept is chosen, in whole multiples of one unit; the same for all coefficients."""

    scale: int  # units in 1
    of_positive: IntArray  # for each row, its cost if it is positive and wrong
    of_negative: IntArray
    penalties: dict[Fraction, Fraction]  # of b, not in units
    magnitude: int  # of 1/unit of b

    @classmethod
    def of(cls, problem: Problem) -> "InterceptCosts":
        """Compute them for a problem that counts errors."""
        unit = Fraction(1, problem.total_weight)
        negative, positive = (w * unit for w in problem.class_weights)
        penalties = intercept_penalties(problem)
        l1 = Fraction(problem.C1 or 0, problem.unit) if problem.intercept.is_penalised else Fraction(0)
        scale = lcm(*(v.denominator for v in (negative, positive, l1, *penalties.values())))
        of_positive, of_negative = row_costs(problem, int(positive * scale), int(negative * scale))
        return cls(scale, of_positive, of_negative, penalties, int(l1 * scale))


def row_costs(problem: Problem, of_positive: int, of_negative: int) -> tuple[IntArray, IntArray]:
    """The cost of each row if it is positive and wrong, and if it is negative and wrong, by its weight."""
    kind = np.int64 if fits_int64(problem.total_weight * max(1, of_positive, of_negative)) else object
    weights, positive = problem.rows.weights.astype(kind), problem.rows.positive
    none = np.zeros_like(weights)
    return np.where(positive, weights * of_positive, none), np.where(positive, none, weights * of_negative)


def with_best_intercept(
    problem: Problem, coefficients: Sequence[int], costs: InterceptCosts | None = None
) -> Points | None:
    """Add the intercept that the conventions choose to coefficients in the problem's unit.

    Returns None if, with these coefficients, no allowed intercept satisfies the rate and size limits; never
    for a plain problem and a model of allowed size. A risk model gets the slope and the intercept of least
    loss, which do not yield to limits on rates: it satisfies them at these or not at all. Whoever tries many
    vectors passes the `costs` of the problem, which are computed here otherwise.
    """
    if not loss_of(problem).counts_rows:
        points = with_best_risk(problem, coefficients)
        return None if next(_broken_rates(problem, points), None) else points
    costs = costs or InterceptCosts.of(problem)
    scale, of_positive, of_negative = costs.scale, costs.of_positive, costs.of_negative
    if problem.intercept.mode == "free":
        near = _with_near_threshold(problem, coefficients, of_positive, of_negative)
        if near is not _UNKNOWN:
            return near
    totals = integer_totals(problem, coefficients)
    if problem.intercept.mode == "free":
        gaps = gaps_of(totals, of_positive, of_negative, problem.wrong_limits)
        gap = best_gap(gaps)
        return None if gap is None else with_threshold_in(problem, coefficients, *gaps.ends(gap))
    choice = intercept_choice(
        problem,
        features=sum(1 for c in coefficients if c),
        cost_nonzero=int(problem.intercept_C0 * scale),
        cost_magnitude=costs.magnitude,
    )
    if choice.allowed is not None:
        allowed = _intercepts_allowed_by(problem, coefficients, choice.allowed)
        choice = replace(choice, allowed=allowed)
        if problem.intercept_levels is not None:
            penalties = (costs.penalties[Fraction(b, problem.unit)] for b in allowed.tolist())
            choice = replace(choice, costs=tuple(int(penalty * scale) for penalty in penalties))
    step = step_of(problem, coefficients)
    b = best_intercept(choice, totals, step, of_positive, of_negative, problem.wrong_limits)
    return None if b is None else Points(tuple(coefficients), b, problem.unit)


_UNKNOWN = Points((), 0)  # stands for: not found this way


def _with_near_threshold(
    problem: Problem, coefficients: Sequence[int], of_positive: IntArray, of_negative: IntArray
) -> Points | None:
    """Choose a free threshold by totals that are exact where it matters; `_UNKNOWN` if that is everywhere."""
    near = NearTotals.of(problem, coefficients)
    ranked = None if near is None else near.ranks()
    if near is None or ranked is None:
        return _UNKNOWN
    ranks, row = ranked
    gaps = gaps_of(ranks, of_positive, of_negative, problem.wrong_limits)
    usable = np.flatnonzero(gaps.obeyed)
    if len(usable) == 0:
        return None
    losses = gaps.losses[usable]
    best = usable[(losses == losses.min()).astype(bool)]
    if len(best) > _MANY_GAPS:
        return _UNKNOWN
    ends = sorted({end for gap in best.tolist() for end in (gap - 1, gap) if 0 <= end < len(row)})
    exact, scale = near.exact(row[ends])
    totals = dict(zip(ends, exact, strict=True))
    chosen = min(best.tolist(), key=lambda gap: rank_of(totals.get(gap - 1), totals.get(gap), gap))
    low, high = (
        None if end is None else Fraction(end, scale * problem.unit)
        for end in (totals.get(chosen - 1), totals.get(chosen))
    )
    whole = all(c % problem.unit == 0 and problem.rows.is_whole(j) for j, c in enumerate(coefficients) if c)
    threshold = threshold_between(low, high, whole=whole)
    return Points(tuple(coefficients), -threshold * problem.unit, problem.unit)


def with_threshold_in(problem: Problem, coefficients: Sequence[int], low: int | None, high: int | None) -> Points:
    """Put the threshold between two totals in the units of `integer_totals`; None for an open end."""
    scale = problem.unit * step_of(problem, coefficients)
    ends = [None if end is None else Fraction(end, scale) for end in (low, high)]
    whole = all(c % problem.unit == 0 and problem.rows.scales[j] == 1 for j, c in enumerate(coefficients) if c)
    threshold = threshold_between(ends[0], ends[1], whole=whole)
    return Points(tuple(coefficients), -threshold * problem.unit, problem.unit)


def intercept_penalties(problem: Problem) -> dict[Fraction, Fraction]:
    """The penalty of each allowed value of a penalised intercept; a single one without levels."""
    if problem.intercept_levels is None:
        return {Fraction(1): problem.intercept_C0}
    assert problem.intercept.allowed is not None
    return {v: problem.intercept_penalty(v) for v in problem.intercept.allowed.values}


def _intercepts_allowed_by(problem: Problem, coefficients: Sequence[int], allowed: IntArray) -> IntArray:
    """Keep the values of b that satisfy the limits that include b."""
    for limit in problem.support_limits:
        if limit.intercept_weight:
            total = limit.total(coefficients)
            if total > limit.at_most:
                allowed = allowed[allowed != 0]
            if total + limit.intercept_weight > limit.at_most:
                allowed = allowed[allowed == 0]
    return allowed


def intercept_choice(
    problem: Problem, *, features: int, cost_nonzero: int = 0, cost_magnitude: int = 0
) -> InterceptChoice:
    """Return the allowed integers for a restricted b, in the problem's unit, for a model of this size."""
    rule, unit = problem.intercept, problem.unit
    if rule.mode == "none":
        return InterceptChoice(low=0, high=0, allowed=None)
    if rule.mode == "range":
        assert rule.low is not None
        assert rule.high is not None
        return InterceptChoice(low=ceil(rule.low * unit), high=floor(rule.high * unit), allowed=None)
    assert rule.allowed is not None
    dtype = np.int64 if fits_int64(int(rule.allowed.largest_magnitude * unit)) else object
    allowed = np.array(rule.allowed.over(unit), dtype=dtype)
    if rule.allowed.without_zero:
        allowed = allowed[allowed != 0]
    if problem.max_features is not None and features >= problem.max_features:
        allowed = allowed[allowed == 0]
    return InterceptChoice(
        low=None, high=None, allowed=allowed, cost_nonzero=cost_nonzero, cost_magnitude=cost_magnitude
    )


def classified(problem: Problem, points: Points) -> tuple[Flags, Flags]:
    """Return the rows with a score above 0 and those below; the others have a score of exactly 0.

    The score of a risk model is above 0 where its risk is above the problem's `risk_threshold`.
    """
    points = at_threshold(problem, points)
    near = NearTotals.of(problem, points.coefficients)
    quick = None if near is None else near.classified(-Fraction(points.intercept))
    if quick is not None:
        return quick
    totals = integer_totals(problem, points.coefficients, points.answers)
    threshold = -Fraction(points.intercept) * step_of(problem, points.coefficients)
    above, below = totals > floor(threshold), totals < ceil(threshold)
    return np.asarray(above, dtype=bool), np.asarray(below, dtype=bool)


def violated(problem: Problem, points: Points) -> list[Constraint]:
    """Return the constraints that a model breaks, in order, each once.

    >>> from supersparse.problem import constraints as c
    >>> problem = Problem.of([[0], [1]], [0, 1], constraints=[c.min_sensitivity(1), c.must_use("x0")])
    >>> [broken.in_words() for broken in violated(problem, Points((0,), 1))]
    ['x0 used']
    """
    broken = set(_broken(problem, points))
    return [constraint for constraint in problem.asked if constraint in broken]


def with_answers(problem: Problem, answers: Answers) -> Points:
    """Points of a card of questions, with the slope and the offset of least loss."""
    return with_best_risk(problem, [max(of_question) for of_question in answers], answers)


def completed(problem: Problem, coefficients: Sequence[int]) -> Points | None:
    """Add the intercept that the conventions choose; None if no b satisfies the limits."""
    if not problem.is_plain and not obeys_without_intercept(problem, coefficients):
        return None
    return with_best_intercept(problem, coefficients)


def obeys_without_intercept(problem: Problem, coefficients: Sequence[int]) -> bool:
    """Whether coefficients, in the problem's unit, satisfy the limits that do not include b."""
    return (
        all(
            limit.total(coefficients) <= limit.at_most for limit in problem.support_limits if not limit.intercept_weight
        )
        and all(limit.allows(coefficients) for limit in problem.sign_limits)
        and all(
            limit.total([Fraction(c, problem.unit) for c in coefficients]) <= limit.at_most
            for limit in problem.score_limits
        )
    )


def _broken(problem: Problem, points: Points) -> Iterator[Constraint]:
    values = points.values
    by_name = dict(zip(problem.rows.names, values, strict=True))
    for value_limit in problem.value_limits:
        # presolve drops columns whose coefficient is 0
        if not value_limit.allows(by_name.get(value_limit.name, Fraction(0))):
            yield value_limit.source
    counts_intercept = problem.intercept.is_penalised and points.intercept != 0
    for constraint in problem.asked:
        if isinstance(constraint, MaxFeatures) and len(points.support) + counts_intercept > constraint.most:
            yield constraint
    for support_limit in problem.support_limits:
        total = support_limit.total(values) + support_limit.intercept_weight * (points.intercept != 0)
        if total > support_limit.at_most:
            yield support_limit.source
    for sign_limit in problem.sign_limits:
        if points.answers is None:
            allowed = sign_limit.allows(values)
        else:
            ordered = [q.ordered for q in problem.questions]
            allowed = sign_limit.allows_answers([a[:k] for a, k in zip(points.answers, ordered, strict=True)])
        if not allowed:
            yield sign_limit.source
    for score_limit in problem.score_limits:
        if score_limit.total(values) > score_limit.at_most:
            yield score_limit.source
    for constraint in problem.asked:
        if isinstance(constraint, OfAnswers) and not constraint.allows(problem.rows.names, points.answers):
            yield constraint
    yield from _broken_rates(problem, points)


def _broken_rates(problem: Problem, points: Points) -> Iterator[Constraint]:
    if problem.rate_limits:
        above, below = classified(problem, points)
        wrong = np.where(problem.rows.positive, ~above, ~below)
        for rate_limit in problem.rate_limits:
            if rate_limit.total(wrong) > rate_limit.at_most:
                yield rate_limit.source
