"""The partition bound: never above the optimum, and strong where it is meant to be."""

import json
import time
from fractions import Fraction
from functools import cache
from itertools import count

import pytest

from engine.exact.partition.one_hot import boards, few_squares, random_problem
from supersparse.engine.exact.partition.partition import PartitionBound, read_nodes, written_nodes
from supersparse.engine.exhaustive import _all_points
from supersparse.engine.integer_form import integer_form
from supersparse.engine.presolve import MergeRows
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def optimum(problem):
    merged = MergeRows.apply(problem)
    return min(evaluate(merged, points).objective for points in _all_points(merged))


@cache
def case(seed):
    """A random problem in integers and its optimum; None for what the bound does not apply to."""
    problem = random_problem(seed)
    form = integer_form(problem)
    return (form, optimum(problem)) if PartitionBound.applies(form) else None


def applicable(seed):
    """The first case from this seed on that the bound applies to: not all rows of a class weigh nothing."""
    return next(filter(None, map(case, count(seed, 10_000))))


def run_to_the_end(bound, slice_seconds=0.001):
    seen = [bound.lower_bound]
    while not bound.done:
        bound.run(time.perf_counter() + slice_seconds)
        seen.append(bound.lower_bound)
    return seen


@pytest.mark.parametrize("seed", [*range(20), *(pytest.param(s, marks=pytest.mark.long) for s in range(20, 2000))])
def test_the_bound_is_never_above_the_optimum(seed):
    form, best = applicable(seed)
    bound = PartitionBound(form, best + [Fraction(0), Fraction(1, 7), Fraction(1)][seed % 3])
    seen = run_to_the_end(bound)
    assert seen == sorted(seen)
    assert bound.lower_bound <= best


@pytest.mark.long
def test_most_small_problems_are_covered_and_many_are_closed():
    cases = [case(seed) for seed in range(40)]
    closed = 0
    for form, best in filter(None, cases):
        bound = PartitionBound(form, best)
        run_to_the_end(bound)
        closed += bound.lower_bound == best
    covered = sum(c is not None for c in cases)
    assert covered > 25
    assert closed > covered // 3


def test_symmetric_data_is_bounded_correctly():
    problem = few_squares([0, 8], max_points=1)
    best = optimum(problem)
    bound = PartitionBound(integer_form(problem), best)
    run_to_the_end(bound)
    assert bound.lower_bound <= best


def test_it_does_not_apply_to_columns_of_many_values():
    problem = Problem.of([[v] for v in range(9)], [0, 1, 0] * 3, C0=0.01, max_points=3)
    assert not PartitionBound.applies(integer_form(problem))


def test_a_lower_target_is_taken_over_and_a_higher_one_is_not():
    bound = PartitionBound(integer_form(few_squares([4])), Fraction(1))
    bound.target = Fraction(1, 2)
    bound.target = Fraction(3, 4)
    assert bound.target == Fraction(1, 2)


def test_an_interrupted_bound_stops_and_stays_proven():
    bound = PartitionBound(integer_form(few_squares([0, 4])), Fraction(1, 2), interrupted=lambda: True)
    bound.run(time.perf_counter() + 60)
    assert not bound.done
    assert bound.lower_bound < Fraction(1, 2)


@pytest.mark.parametrize("seed", range(6))
def test_a_bound_that_starts_anew_after_every_step_ends_where_one_run_ends(seed):
    form, best = applicable(seed)
    whole = PartitionBound(form, best)
    run_to_the_end(whole)
    part = PartitionBound(form, best)
    for runs in range(1, 1000):  # ever longer ones, else a leaf would begin anew for ever
        for _ in range(runs):
            part.run(time.perf_counter() + 0.0005)
        if part.done:
            break
        left, part = part.open_nodes(), PartitionBound(form, best)
        part.resume(read_nodes(json.loads(json.dumps(written_nodes(left)))))
    assert part.done
    assert part.lower_bound == whole.lower_bound


@pytest.mark.long
def test_tic_tac_toe_with_all_squares_is_proven():
    X, y = boards()
    assert X.shape == (958, 27)
    assert y.sum() == 626
    problem = Problem.of(X, y, C0=0.01, max_points=10)
    x = [7, 8, 7, 8, 8, 8, 10, 7, 9]  # points of each square; a blank has none
    o = [-7, -10, -7, -7, -8, -8, -8, -7, -8]
    card = Points(tuple(v for square in zip(x, o, [0] * 9, strict=True) for v in square), Fraction(-9, 2))
    best = evaluate(problem, card).objective
    assert best == Fraction(12, 958) + Fraction(18, 100)
    bound = PartitionBound(integer_form(problem), best)
    run_to_the_end(bound)
    assert bound.lower_bound == best
