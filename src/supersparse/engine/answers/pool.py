"""Pool: all models almost as good as the best (the Rashomon set), with every intercept that keeps them so."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from typing import Any, Unpack

import numpy as np

from supersparse.base.errors import InvalidOptionError, SolverFailedError, did_you_mean
from supersparse.base.exact import exact, read_whole, shown
from supersparse.base.integer_arrays import Flags, IntArray
from supersparse.base.stop import Stop
from supersparse.engine.answers.words import named_points
from supersparse.engine.options import SolveKeywords
from supersparse.engine.presolve import MergeRows
from supersparse.engine.solve import solve_all_within
from supersparse.engine.verify import Models, VerifiedModel, verified
from supersparse.problem.intercept import InterceptChoice, gaps_of, nearest_to_middle
from supersparse.problem.log_loss import PROOF_TOLERANCE, slope_of
from supersparse.problem.losses import loss_of
from supersparse.problem.near_totals import integer_totals, step_of
from supersparse.problem.objective import classified, intercept_choice, row_costs, with_threshold_in
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.table.small_table import ResultTable, SmallTable, cell


@dataclass(frozen=True, slots=True)
class WithIntercept:
    """One choice of b, in the problem's unit, with its cost and its prediction for each row."""

    intercept: int | Fraction
    objective: Fraction
    l1: Fraction
    predicted: bytes  # one bit per row: score > 0


def intercepts_within(problem: Problem, coefficients: Sequence[int], limit: Fraction) -> Iterator[WithIntercept]:
    """Yield one b for each way to classify the rows with F <= limit that satisfies all constraints.

    b is chosen like the best intercept: for a free threshold, the roundest number between two totals; in a range of
    whole b, the one nearest the middle of its interval. If b is penalised, every allowed value is used.
    """
    totals = integer_totals(problem, coefficients)
    if problem.intercept.mode == "free":
        thresholds = _thresholds(problem, coefficients, totals, limit)
    else:
        thresholds = _restricted(problem, coefficients, totals, limit)
    for choice, wrong in thresholds:
        if choice.objective <= limit and _obeys(problem, coefficients, choice.intercept, wrong):
            yield choice


def _thresholds(
    problem: Problem, coefficients: Sequence[int], totals: IntArray, limit: Fraction
) -> Iterator[tuple[WithIntercept, Flags]]:
    spent, l1 = _without_intercept(problem, coefficients)
    costs = _Costs(problem, limit - spent)
    gaps = gaps_of(totals, *costs.by_class)
    for gap in np.flatnonzero((gaps.losses <= costs.cap).astype(bool)).tolist():
        points = with_threshold_in(problem, coefficients, *gaps.ends(gap))
        above, below = classified(problem, points)
        wrong = np.where(problem.rows.positive, ~above, ~below)
        objective = costs.value(int(gaps.losses[gap])) + spent
        yield WithIntercept(points.intercept, objective, l1, np.packbits(above).tobytes()), wrong


def _restricted(
    problem: Problem, coefficients: Sequence[int], totals: IntArray, limit: Fraction
) -> Iterator[tuple[WithIntercept, Flags]]:
    step, positive = step_of(problem, coefficients), problem.rows.positive
    predicted_from = (-totals) // step + 1
    wrong_from = -(totals // step)  # of the negative rows; a score of 0 is wrong for both classes
    choice = intercept_choice(problem, features=sum(1 for c in coefficients if c))
    candidates, ends = _candidates(choice, np.unique(np.concatenate([predicted_from, wrong_from[~positive]])))
    spent, l1 = _without_intercept(problem, coefficients)
    costs = _Costs(problem, limit - spent)
    of_positive, of_negative = costs.by_class
    loss = _total_above(predicted_from[positive], of_positive[positive], candidates) + _total_up_to(
        wrong_from[~positive], of_negative[~positive], candidates
    )
    for i in np.flatnonzero((loss <= costs.cap).astype(bool)).tolist():
        b = int(candidates[i]) if ends is None else nearest_to_middle(*ends[i], choice)
        if b is None:
            continue
        magnitude = Fraction(abs(b), problem.unit) if problem.intercept.is_penalised else Fraction(0)
        objective = (
            costs.value(int(loss[i]))
            + spent
            + problem.intercept_penalty(Fraction(b, problem.unit))
            + (problem.C1 or 0) * magnitude
        )
        predicted = (predicted_from <= b).astype(bool)
        wrong = np.where(positive, ~predicted, (wrong_from <= b).astype(bool))
        yield WithIntercept(b, objective, l1 + magnitude, np.packbits(predicted).tobytes()), wrong


class _Costs:
    """Losses in whole numbers, and their limit."""

    def __init__(self, problem: Problem, left: Fraction) -> None:
        of_negative, of_positive = problem.class_weights
        scale = lcm(of_negative.denominator, of_positive.denominator)
        self.by_class = row_costs(problem, int(of_positive * scale), int(of_negative * scale))
        self._unit = problem.total_weight * scale
        self.cap = floor(left * self._unit)

    def value(self, loss: int) -> Fraction:
        """A loss as a part of F."""
        return Fraction(loss, self._unit)


def _candidates(
    choice: InterceptChoice, starts: IntArray
) -> tuple[IntArray, list[tuple[int | None, int | None]] | None]:
    """One b per interval, with the intervals; or all values of a finite choice, and None."""
    if choice.allowed is not None:
        return choice.allowed, None
    ends = [None, *(int(s) for s in starts)]
    intervals = [(low, None if high is None else high - 1) for low, high in zip(ends, [*ends[1:], None], strict=True)]
    return np.concatenate([starts[:1] - 1, starts]), intervals


def _without_intercept(problem: Problem, coefficients: Sequence[int]) -> tuple[Fraction, Fraction]:
    """The cost of the coefficients, including the C1 term, and their l1."""
    l1 = Fraction(sum(abs(c) for c in coefficients), problem.unit)
    penalty = sum((problem.penalty(j, Fraction(c, problem.unit)) for j, c in enumerate(coefficients)), Fraction(0))
    return penalty + (problem.C1 or 0) * l1, l1


def _total_up_to(where: IntArray, weights: IntArray, at: IntArray) -> IntArray:
    """For each b in `at`, the weight of all rows with where <= b."""
    order = np.argsort(where, kind="stable")
    totals = np.concatenate([np.zeros(1, dtype=weights.dtype), np.cumsum(weights[order])])
    summed: IntArray = totals[np.searchsorted(where[order], at, side="right")]
    return summed


def _total_above(where: IntArray, weights: IntArray, at: IntArray) -> IntArray:
    """For each b in `at`, the weight of all rows with where > b."""
    rest: IntArray = weights.sum(dtype=weights.dtype) - _total_up_to(where, weights, at)
    return rest


def _obeys(problem: Problem, coefficients: Sequence[int], b: int | Fraction, wrong: Flags) -> bool:
    """Whether b satisfies the limits that include it; the coefficients already satisfy theirs."""
    return all(
        limit.total(coefficients) + limit.intercept_weight * (b != 0) <= limit.at_most
        for limit in problem.support_limits
    ) and all(limit.total(wrong) <= limit.at_most for limit in problem.rate_limits)


@dataclass(frozen=True, kw_only=True, repr=False)
class Pool(ResultTable):
    """All models with F <= (1 + within)·F*, one for each distinct set of predictions.

    Two models are alike if `predict` gives the same class for every training row. They may still differ in F, because a
    score of 0 predicts the negative class but counts as an error in F. Among alike models, the pool shows the one with
    the smallest l1, then the smallest F. Statements about features cover all models.

    For goal "risk", every card is a model of its own, F counts as equal up to 1e-9, and with a free slope
    cards whose points are multiples of one another are one card, in the smallest points.
    """

    __module__ = "supersparse"

    problem: Problem  # including the size limit
    within: Fraction
    best: Fraction  # F*, or the smallest F found if the pool is a sample
    models: tuple[VerifiedModel, ...]  # by F, then l1
    left_out: int  # distinct predictions beyond `max_models`
    count: int  # total number of scoring systems
    complete: bool  # proven: no model is missing
    by_support: tuple[tuple[VerifiedModel, ...], ...]  # for each model, alike ones, one per set of features
    tied: tuple[VerifiedModel, ...]
    in_all: frozenset[str]
    in_some: frozenset[str]
    spans: tuple[tuple[Fraction, Fraction], ...]  # smallest and largest points of each feature
    solver: str
    stop: Stop
    seconds: float

    @property
    def limit(self) -> Fraction:
        """The largest F allowed."""
        return _limit(self.problem, self.within, self.best)

    @property
    def names(self) -> tuple[str, ...]:
        """The features."""
        return self.problem.rows.names

    def always(self) -> tuple[str, ...]:
        """Return the features that every good model uses."""
        return tuple(name for name in self.names if name in self.in_all)

    def never(self) -> tuple[str, ...]:
        """Return the features that no good model uses."""
        return tuple(name for name in self.names if name not in self.in_some)

    def using(self, name: str) -> tuple[VerifiedModel, ...]:
        """Return the models that use a feature, one per set of predictions."""
        j = self._position(name)
        return self._first_of(lambda model: model.points.coefficients[j] != 0)

    def avoiding(self, name: str) -> tuple[VerifiedModel, ...]:
        """Return the models that do not use a feature, one per set of predictions."""
        j = self._position(name)
        return self._first_of(lambda model: model.points.coefficients[j] == 0)

    def ranges(self) -> dict[str, tuple[Fraction, Fraction]]:
        """Return the smallest and largest points of each feature over all good models."""
        return dict(zip(self.names, self.spans, strict=True))

    def ties(self) -> tuple[VerifiedModel, ...]:
        """Return the models with the smallest F, one per set of predictions; a log loss, up to 1e-9."""
        return self.tied

    def table(self) -> list[dict[str, Any]]:
        """Return one row per model."""
        return [
            {
                "objective": float(model.evaluation.objective),
                "errors": float(model.evaluation.training_errors),
                **self._risk_of(model),
                "size": model.evaluation.size,
                "l1": float(model.evaluation.l1),
                "sensitivity": float(model.evaluation.sensitivity),
                "specificity": float(model.evaluation.specificity),
                "points": named_points(self.names, model.points),
                "intercept": float(model.points.intercept_value),
            }
            for model in self.models
        ]

    def _risk_of(self, model: VerifiedModel) -> dict[str, float]:
        if not loss_of(self.problem).gives_risks:
            return {}
        return {"log_loss": float(model.evaluation.loss), "slope": float(slope_of(model.points))}

    def __str__(self) -> str:
        models = f"{len(self.models)} models" if len(self.models) != 1 else "1 model"
        more = f" (and {self.left_out} more, not kept)" if self.left_out else ""
        state = "complete" if self.complete else f"possibly incomplete: {self.stop.value}"
        different = ", each with different predictions" if loss_of(self.problem).counts_rows else ""
        return (
            f"{models}{more} within {shown(self.within)} of the lowest objective {float(self.best):.6g}"
            f"{different}; {state}"
        )

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise InvalidOptionError(f"there is no feature {name!r}", did_you_mean(name, self.names))
        return self.names.index(name)

    def _first_of(self, wanted: Callable[[VerifiedModel], bool]) -> tuple[VerifiedModel, ...]:
        fitting = (next(filter(wanted, alike), None) for alike in self.by_support)
        return tuple(model for model in fitting if model is not None)

    def _brief(self) -> str:
        return str(self)

    def _small_table(self) -> SmallTable:
        columns: tuple[str, ...] = ("objective", "errors", "size", "sensitivity", "specificity", "points")
        if not loss_of(self.problem).counts_rows:
            columns = ("objective", "log_loss", "size", "points", "slope")
        return SmallTable(columns, [[cell(row[name]) for name in columns] for row in self.table()])


def in_order(models: Iterable[VerifiedModel]) -> list[VerifiedModel]:
    """Sort models by F, then l1, then the points."""
    return sorted(
        models, key=lambda m: (m.evaluation.objective, m.evaluation.l1, m.points.coefficients, m.points.intercept)
    )


Rank = tuple[Fraction, Fraction, tuple[int, ...], int | Fraction]  # l1, F, coefficients, intercept


def pool(
    problem: Problem,
    within: float | Fraction = 0.01,
    max_features: int | None = None,
    max_models: int = 1000,
    solver: str = "auto",
    **options: Unpack[SolveKeywords],
) -> Pool:
    """Find all models with F <= (1 + within)·F*, where F* is the smallest F with at most `max_features`.

    Models count as different if they predict some training row differently, even if only the intercept differs; for
    goal "risk", if their points differ by more than a common factor. The best `max_models` are kept and the others
    counted. Options are those of `solve`. If a limit stops the search, the pool may be incomplete.

    >>> problem = Problem.of([[0, 0], [0, 1], [1, 1], [1, 1]], [0, 0, 1, 1], C0=0.1, max_points=2)
    >>> good = pool(problem, within=3, solver="exhaustive")
    >>> print(good)
    2 models within 3 of the lowest objective 0.1, each with different predictions; complete
    >>> good.always(), len(good.avoiding("x0"))
    ((), 1)
    """
    factor = exact(within, "within", InvalidOptionError)
    most = read_whole(max_models, "max_models")
    if most == 0:
        raise InvalidOptionError("max_models is 0", "keep at least one model", subject="max_models")
    if max_features is not None:
        problem = problem.asking(max_features=max_features)
    models = solve_all_within(problem, factor, solver, **options)
    if not models.models:
        raise SolverFailedError(f"no scoring system was found: {models.stop.value}", "raise the limits")
    pooled = _pooled if loss_of(problem).counts_rows else _pooled_risks
    return pooled(problem, factor, most, models)


def _limit(problem: Problem, within: Fraction, best: Fraction) -> Fraction:
    return (1 + within) * best + loss_of(problem).tolerance


class _EqualPredictions:
    """Models with the same predictions: the lowest-ranked of each support, and of the smallest F."""

    def __init__(self) -> None:
        self.by_support: dict[tuple[int, ...], Rank] = {}
        self.tied: Rank | None = None

    def add(self, support: tuple[int, ...], rank: Rank, *, best: Fraction) -> None:
        known = self.by_support.get(support)
        if known is None or rank < known:
            self.by_support[support] = rank
        if rank[1] == best and (self.tied is None or rank < self.tied):
            self.tied = rank

    @property
    def ranked(self) -> list[Rank]:
        """The representative first."""
        return sorted(self.by_support.values())


def _pooled(problem: Problem, within: Fraction, most: int, claimed: Models) -> Pool:
    best = min(model.evaluation.objective for model in claimed.models)
    limit = (1 + within) * best
    merged = MergeRows.apply(problem)  # equal rows have equal predictions
    by_vector: dict[bytes, _EqualPredictions] = {}
    values: list[set[int]] = [set() for _ in range(problem.n_features)]
    counted = 0
    for model in claimed.models:
        coefficients, support = model.points.coefficients, model.points.support
        for one in intercepts_within(merged, coefficients, limit):
            alike = by_vector.setdefault(one.predicted, _EqualPredictions())
            rank = (one.l1, one.objective, coefficients, one.intercept)
            alike.add(support, rank, best=best)
            counted += 1
        for seen, value in zip(values, coefficients, strict=True):
            seen.add(value)
    groups = sorted((alike.ranked for alike in by_vector.values()), key=lambda ranked: (ranked[0][1], ranked[0]))
    kept = [_verified(problem, ranked, claimed.solver) for ranked in groups[:most]]
    tied = [alike.tied for alike in by_vector.values() if alike.tied is not None]
    return _pool(
        problem,
        within,
        claimed,
        best,
        kept,
        left_out=len(groups) - len(kept),
        count=counted,
        tied=in_order(_verified(problem, tied, claimed.solver)),
        values=values,
    )


def _pooled_risks(problem: Problem, within: Fraction, most: int, claimed: Models) -> Pool:
    """The pool of a log loss: every card is a model, with its own risks."""
    best = min(model.evaluation.objective for model in claimed.models)
    limit = _limit(problem, within, best)
    good = in_order(model for model in claimed.models if model.evaluation.objective <= limit)
    return _pool(
        problem,
        within,
        claimed,
        best,
        [(model,) for model in good[:most]],
        left_out=len(good[most:]),
        count=len(good),
        tied=[m for m in good if m.evaluation.objective <= best + PROOF_TOLERANCE],
        values=[{model.points.coefficients[j] for model in good} for j in range(problem.n_features)],
    )


def _pool(
    problem: Problem,
    within: Fraction,
    claimed: Models,
    best: Fraction,
    kept: Sequence[tuple[VerifiedModel, ...]],
    *,
    left_out: int,
    count: int,
    tied: Iterable[VerifiedModel],
    values: Sequence[set[int]],
) -> Pool:
    """Make the pool; `values` are the points of each feature in all models, in the problem's unit."""
    named = list(zip(problem.rows.names, values, strict=True))
    return Pool(
        problem=problem,
        within=within,
        best=best,
        models=tuple(alike[0] for alike in kept),
        left_out=left_out,
        count=count,
        by_support=tuple(kept),
        tied=tuple(tied),
        in_all=frozenset(name for name, seen in named if 0 not in seen),
        in_some=frozenset(name for name, seen in named if seen != {0}),
        spans=tuple((Fraction(min(seen), problem.unit), Fraction(max(seen), problem.unit)) for seen in values),
        complete=claimed.complete,
        solver=claimed.solver,
        stop=claimed.stop,
        seconds=claimed.seconds,
    )


def _verified(problem: Problem, ranked: Iterable[Rank], solver: str) -> tuple[VerifiedModel, ...]:
    points = [Points(coefficients, b, problem.unit) for _, _, coefficients, b in ranked]
    return verified(problem, points, solver)
