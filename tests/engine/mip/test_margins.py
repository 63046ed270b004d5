from hypothesis import given, settings

from counts import examples
from strategies import cases
from supersparse import constraints
from supersparse.engine.mip.precision import loss_rows
from supersparse.engine.mip.terms import read_terms
from supersparse.problem.problem import Problem


def tiny_problem(X, y, bounds, **options):
    return Problem.of(X, y, bounds=bounds, intercept="none", **options)


def rows_of(problem):
    return loss_rows(problem, read_terms(problem))


def test_big_m_covers_a_coefficient_that_can_only_be_negative():
    # y=+1, x=1, points in [-10, 0]: the worst margin is -10 and gamma is 1,
    # so M = 10 would already cut off the coefficient -10
    problem = tiny_problem(X=[[1], [1]], y=[1, 0], bounds=[(-10, 0)])
    assert rows_of(problem).big_m[0] == 11


def test_a_row_is_divided_by_what_its_terms_share():
    # every score of the first row is a multiple of 5/2, so gamma = 5/2 there: M is as for x = 1
    problem = tiny_problem(X=[[2.5], [1]], y=[1, 0], bounds=[(-3, 3)])
    assert rows_of(problem).factors.tolist() == [[1], [-1]]
    assert rows_of(problem).big_m.tolist() == [4, 4]


def test_a_constant_part_moves_what_is_needed():
    # coefficient in {-1, 1} = 1 + 2k with k in {-1, 0}; y=+1, x=1 is right when 1 + 2k >= 1, i.e. k >= 0
    required = [constraints.must_use("x0")]
    problem = tiny_problem(X=[[1], [2]], y=[1, 0], bounds=[None], points=[-1, 1], constraints=required)
    rows = rows_of(problem)
    assert rows.needed.tolist() == [0, 1]
    assert (rows.factors @ [0] >= rows.needed).tolist() == [True, False]
    assert (rows.factors @ [-1] >= rows.needed).tolist() == [False, True]


def test_rows_that_cannot_change_are_known():
    # coefficient in 1..3, no intercept: a positive x is always scored positive
    required = [constraints.must_use("x0")]
    problem = tiny_problem(X=[[2], [3], [0]], y=[1, 0, 0], bounds=[(1, 3)], constraints=required)
    rows = rows_of(problem)
    assert rows.is_open.tolist() == [False, False, False]
    assert rows.is_always_wrong.tolist() == [False, True, True]


@settings(max_examples=examples(100), deadline=None, derandomize=True)
@given(case=cases())
def test_worst_and_best_enclose_zero_margin_exactly_where_a_row_is_open(case):
    rows = rows_of(case.problem)
    assert (rows.worst <= rows.best).all()
    assert (rows.big_m[rows.is_open] >= 1).all()
