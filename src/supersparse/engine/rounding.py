"""A starting point from a linear model: its coefficients rounded to the coefficient sets (section 3.5).

Any positive multiple of a linear model classifies the same way. So several multiples are rounded, with all features and
with only the most important ones; the threshold is chosen again, and the exact objective decides.
"""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from supersparse.base.errors import InvalidOptionError
from supersparse.engine.presolve import MergeRows
from supersparse.engine.solution import Solution
from supersparse.problem.conflicts import asked_in_words
from supersparse.problem.objective import completed, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

_MULTIPLES = 9  # of the coefficients, for each number of features


@runtime_checkable
class OnFeatures(Protocol):
    """Points by feature name, as in a `ScoringSystem`."""

    @property
    def classes(self) -> tuple[object, object]:
        """(negative, positive)."""
        ...

    def points_on(self, features: Sequence[str]) -> Points:
        """The points as coefficients of these features."""
        ...


class LinearModel(Protocol):
    """Anything with one coefficient a feature, such as a fitted linear model of scikit-learn."""

    coef_: Any


Start = Solution | Points | OnFeatures | LinearModel | ArrayLike
"""Anything that a search can start from."""


def rounded(problem: Problem, model: Start) -> Points:
    """Round a linear model to what the problem allows, for ``solve(problem, initial=...)``.

    The model is an array with one coefficient per feature; a fitted scikit-learn linear model, or anything else with
    ``coef_``; or a scoring system, even with points that the problem does not allow. The intercept is chosen again.
    Several multiples and numbers of features are tried. Returns the one with the smallest objective that satisfies the
    sets, `max_features` and the constraints, and raises an error if there is none.

    >>> X, y = [[0, 1], [1, 0], [2, 1], [3, 0]], [0, 0, 1, 1]
    >>> problem = Problem.of(X, y, C0=0.1, max_points=3)
    >>> rounded(problem, [0.61, 0.02]).coefficients
    (1, 0)
    """
    if not isinstance(problem, Problem):
        raise InvalidOptionError(
            f"the first argument is a {type(problem).__name__}, not a Problem", "call rounded(problem, model)"
        )
    coefficients = linear_coefficients(problem, model)
    merged = MergeRows.apply(problem)
    best: tuple[Fraction, Fraction, Points] | None = None
    tried = set()
    for candidate in _candidates(problem, coefficients):
        if candidate in tried:
            continue
        tried.add(candidate)
        points = completed(merged, candidate)
        if points is not None:
            evaluation = evaluate(merged, points)
            if best is None or (evaluation.objective, evaluation.l1) < best[:2]:
                best = evaluation.objective, evaluation.l1, points
    if best is None:
        raise InvalidOptionError(
            f"no rounded linear model satisfies the constraints{asked_in_words(problem)}",
            "start from points that do, or without a model",
        )
    return best[2]


def linear_coefficients(problem: Problem, model: object) -> tuple[Fraction, ...]:
    """Return one coefficient per feature, towards the positive class of the problem."""
    names = problem.rows.names
    if isinstance(model, Solution):
        model = model.points
    if isinstance(model, OnFeatures):
        values = model.points_on(names).values
        return _towards_positive(problem, values, tuple(map(str, model.classes)), "the scoring system")
    values = model.values if isinstance(model, Points) else _in_order_of(names, model, _read_array(model))
    if len(values) != len(names):
        raise InvalidOptionError(
            f"the linear model has {len(values)} coefficients for {len(names)} features", "give one per feature"
        )
    classes = getattr(model, "classes_", None)
    if classes is None:
        return values
    return _towards_positive(problem, values, tuple(map(str, classes)), "the linear model")


def _read_array(model: object) -> tuple[Fraction, ...]:
    what = f"a {type(model).__name__}" if hasattr(model, "fit") else repr(model)
    if hasattr(model, "fit") and not hasattr(model, "coef_"):
        raise InvalidOptionError(
            f"{what} has no coef_", "fit it first, or give a linear model with one coefficient per feature"
        )
    coefficients = getattr(model, "coef_", model)
    try:
        array = np.asarray(
            coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients, dtype=np.float64
        )
    except (TypeError, ValueError):
        raise InvalidOptionError(
            f"{what} is not a linear model",
            ("give a solution, points, a scoring system, one coefficient per feature, or a fitted model with coef_"),
        ) from None
    if array.ndim == 2 and len(array) == 1:
        array = array[0]
    if array.ndim != 1:
        raise InvalidOptionError(
            f"the linear model has coefficients of shape {array.shape}", "give one coefficient per feature"
        )
    if not np.isfinite(array).all():
        raise InvalidOptionError("the linear model has NaN or infinite coefficients", "give finite ones")
    return tuple(Fraction(float(v)) for v in array)


def _in_order_of(names: Sequence[str], model: object, values: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Reorder the coefficients of a model with named columns to match the problem."""
    known = [str(name) for name in getattr(model, "feature_names_in_", ())]
    nameless = all(name == f"x{j}" for j, name in enumerate(names))
    if not known or nameless or len(known) != len(values):
        return values
    by_name = dict(zip(known, values, strict=True))
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise InvalidOptionError(
            f"the linear model was fitted without a column {unknown[0]!r}", "fit it to the same columns"
        )
    return tuple(by_name[name] for name in names)


def _towards_positive(
    problem: Problem, values: tuple[Fraction, ...], classes: tuple[str, ...], who: str
) -> tuple[Fraction, ...]:
    negative, positive = map(str, problem.rows.classes)
    if classes == (negative, positive):
        return values
    if classes == (positive, negative):
        return tuple(-v for v in values)
    raise InvalidOptionError(
        f"{who} has the classes {' and '.join(map(repr, classes))}, but the problem has {negative!r} and {positive!r}",
        f"give its coefficients as an array, positive ones towards {positive!r}",
    )


def _candidates(problem: Problem, coefficients: Sequence[Fraction]) -> Iterator[tuple[int, ...]]:
    """Coefficients in the problem's unit, each in its set."""
    order = _by_weight(problem, coefficients)
    needed = _needed(problem, order)
    for size in _sizes(problem, len(order)):
        support = _support(problem, coefficients, order, needed, size)
        for multiple in _multiples(problem, coefficients, support):
            values = []
            for j, allowed in enumerate(problem.sets):
                candidates = (allowed.required() if j in needed else None) or allowed
                values.append(candidates.nearest(multiple * coefficients[j] if j in support else Fraction(0)))
            yield tuple(int(v * problem.unit) for v in values)


def _by_weight(problem: Problem, coefficients: Sequence[Fraction]) -> list[int]:
    """The features by their effect on the score over the rows, largest first; unused ones are left out."""
    rows = problem.rows

    def moves(j: int) -> Fraction:
        column = rows.columns[j]
        return abs(coefficients[j]) * Fraction(int(column.max()) - int(column.min()), rows.scales[j])

    weights = {j: moves(j) for j in range(rows.n_features)}
    return sorted((j for j, weight in weights.items() if weight), key=lambda j: (-weights[j], j))


def _sizes(problem: Problem, usable: int) -> list[int]:
    """The number of usable and allowed features, half of it, and so on down to none."""
    most = usable if problem.max_features is None else min(usable, problem.max_features)
    sizes = {most, max(0, most - problem.intercept.is_penalised), 0}  # room for an intercept that counts
    while most > 1:
        most //= 2
        sizes.add(most)
    return sorted(sizes, reverse=True)


def _needed(problem: Problem, order: Sequence[int]) -> frozenset[int]:
    """The required features, and the most important of groups from which some are required."""
    chosen = set(problem.forced)
    others = [j for j in range(problem.n_features) if j not in order and problem.sets[j].required() is not None]
    for limit in problem.support_limits:
        for j in (*order, *others):
            if _total(limit.weights, chosen) <= limit.at_most:
                break
            if limit.weights[j] < 0:
                chosen.add(j)
    return frozenset(chosen)


def _support(
    problem: Problem, coefficients: Sequence[Fraction], order: Sequence[int], needed: frozenset[int], size: int
) -> frozenset[int]:
    """The most important features that together satisfy the limits on support and signs, one by one."""
    chosen = set(needed)
    for _ in range(2):  # again for features that the first round made possible, such as "only if"
        for j in order:
            if len(chosen) >= size:
                break
            if (
                j not in chosen
                and all(
                    limit.weights[j] <= 0 or _total(limit.weights, chosen | {j}) <= limit.at_most
                    for limit in problem.support_limits
                )
                and _agrees(problem, coefficients, chosen | {j})
            ):
                chosen.add(j)
    return frozenset(chosen)


def _agrees(problem: Problem, coefficients: Sequence[Fraction], chosen: Collection[int]) -> bool:
    """Whether the coefficients of these features have the signs that the limits ask for."""
    values = [c if j in chosen else Fraction(0) for j, c in enumerate(coefficients)]
    return all(limit.allows(values) for limit in problem.sign_limits)


def _total(weights: Sequence[Fraction | int], chosen: Collection[int]) -> Fraction | int:
    return sum(weights[j] for j in chosen)


def _multiples(problem: Problem, coefficients: Sequence[Fraction], support: frozenset[int]) -> Iterator[Fraction]:
    """Factors that scale the largest coefficient from the smallest to the largest magnitude of the sets."""
    strongest = max((abs(coefficients[j]) for j in support), default=Fraction(0))
    magnitudes = [abs(v) for j in support for v in problem.sets[j].turning_points if v]
    if not strongest or not magnitudes:
        yield Fraction(1)
        return
    low, high = float(min(magnitudes)), float(max(magnitudes))
    for target in np.geomspace(low, high, _MULTIPLES) if low < high else [low]:
        yield Fraction(float(target)) / strongest
