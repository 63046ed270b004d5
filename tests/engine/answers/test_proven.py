"""What sizes prove of F, and F of sizes: never more than is true, and all that is."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import Problem, frontier, solve
from supersparse.engine.answers.shared_bounds import bound_of_size, bound_of_sizes, with_bound, with_model
from supersparse.problem.variants import errors_only, quiet_about_penalties


@st.composite
def problems(draw):
    rows = draw(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=4, max_size=8))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=len(rows) - 2, max_size=len(rows) - 2))]
    price = st.sampled_from([0, Fraction(1, 20), Fraction(1, 7), Fraction(1, 3)])
    intercept = draw(st.sampled_from(["free", "paper", (-2, 2)]))
    each = st.tuples(price, price, price).map(list)
    asked = {
        "C0": draw(price if intercept == "paper" else st.one_of(price, each)),
        "C1": draw(st.sampled_from(["auto", 0.01])),
        "intercept": intercept,
    }
    return Problem.of(np.array(rows), y, max_points=1, **asked)


@settings(max_examples=examples(60), deadline=None)
@given(problems(), st.integers(0, 3))
def test_a_bound_is_never_more_than_the_optimum_and_all_sizes_prove_it(problem, most):
    with quiet_about_penalties():
        best, sizes = solve(problem, "exhaustive"), frontier(problem, most, "exhaustive")
    bound = bound_of_sizes(sizes)
    assert bound <= best.objective
    if sizes.reaches_all and len(set(problem.C0)) == 1 and not problem.intercept.is_penalised:
        assert bound == best.objective
    for row in sizes.rows:
        if row.solution is not None:
            assert bound_of_size(problem, best.lower_bound, row.size) <= row.solution.objective


def tiny():
    # feature 0 saves two rows of ten, features 0 and 1 all four
    X = [[1, 0], [1, 0], [0, 1], [0, 1], *[[0, 0]] * 6]
    return Problem.of(X, [1] * 4 + [0] * 6, C0=0.15, max_points=1)


def without_proofs(sizes):
    return replace(sizes, rows=tuple(replace(row, lower_bound=Fraction(0)) for row in sizes.rows))


def test_what_is_proven_of_the_card_is_proven_of_its_size():
    problem = tiny()
    best, sizes = solve(problem, "exhaustive"), frontier(problem, 2, "exhaustive")
    assert (best.evaluation.size, best.objective) == (2, Fraction(3, 10))
    forgotten = without_proofs(sizes)
    assert [row.proven for row in forgotten.rows] == [False, False, True]  # no error at all needs no proof
    told = with_bound(forgotten, best.lower_bound)
    assert [row.lower_bound for row in told.rows] == [Fraction(3, 10), Fraction(3, 20), Fraction(0)]
    assert bound_of_sizes(sizes) == best.objective


def test_a_card_that_is_better_than_those_of_its_size_takes_their_place():
    problem = tiny()
    with quiet_about_penalties():
        constant = solve(errors_only(problem).asking(max_features=0), "exhaustive")
    best, sizes = solve(problem, "exhaustive"), frontier(problem, 2, "exhaustive")
    worse = replace(sizes, rows=tuple(replace(row, solution=constant) for row in sizes.rows))
    worse = with_model(without_proofs(worse), best)
    assert [row.solution.evaluation.training_errors for row in worse.rows] == [4, 4, 0]
    assert [row.proven for row in worse.rows] == [False, False, True]


@pytest.mark.parametrize("C0", [0.01, 0.2])
def test_levels_prove_nothing_here(C0):
    problem = Problem.of([[0], [1], [1]], [0, 1, 1], levels=[([-1, 1], C0)])
    sizes = frontier(problem, 1, "exhaustive")
    assert bound_of_sizes(sizes) == 0
    assert bound_of_size(problem, Fraction(1, 3), 1) == 0
