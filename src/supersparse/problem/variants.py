"""The same problem with another penalty, other class weights or other sets; of one not yet presolved."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from supersparse.problem.coefficients import CoefficientSet
from supersparse.problem.problem import Problem


def with_size_penalty(problem: Problem, C0: Fraction) -> Problem:
    """Return the problem with one C0 for all; features with levels keep them."""
    of_intercept = problem.intercept.is_penalised and problem.intercept_levels is None
    return replace(
        problem,
        C0=tuple(C0 if own is None else Fraction(0) for own in problem.levels),
        intercept_C0=C0 if of_intercept else Fraction(0),
    )


def errors_only(problem: Problem) -> Problem:
    """Return the problem in which nothing but errors (and a numeric C1) costs anything."""
    free = replace(
        problem,
        C0=(Fraction(0),) * problem.n_features,
        intercept_C0=Fraction(0),
        levels=(None,) * problem.n_features,
        intercept_levels=None,
    )
    return free.asking()  # levels may have kept a constant column in


def with_class_weights(problem: Problem, negative: Fraction, positive: Fraction) -> Problem:
    """Return the problem with other class weights."""
    return replace(problem, class_weights=(negative, positive))


def with_sets(problem: Problem, sets: Mapping[int, CoefficientSet]) -> Problem:
    """Return the problem with other sets for some features, before the constraints narrow them."""
    given = tuple(sets.get(j, own) for j, own in enumerate(problem.given_sets))
    return replace(problem, given_sets=given).asking()


def most_features(problem: Problem) -> int:
    """The largest size that the sets and the size limit allow, counted as the problem counts it."""
    usable = sum(1 for s in problem.sets if s.largest_magnitude)
    allowed = problem.intercept.allowed
    usable += problem.intercept.is_penalised and allowed is not None and bool(allowed.largest_magnitude)
    return usable if problem.max_features is None else min(usable, problem.max_features)
