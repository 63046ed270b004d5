"""Presolve: dead columns dropped, equal rows merged, nothing changed that counts."""

from fractions import Fraction

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from problem.reference import data, values
from strategies import constrained_problems
from supersparse import constraints as c
from supersparse.base.integer_arrays import row_groups
from supersparse.engine.presolve import DropColumns, MergeRows, presolve
from supersparse.problem.objective import evaluate, violated, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem


def contents(problem):
    rows = problem.rows
    return (
        [c.tolist() for c in rows.columns],
        rows.positive.tolist(),
        rows.weights.tolist(),
        rows.weight_unit,
        rows.scales,
    )


def test_equal_rows_of_one_class_become_one_with_the_sum_of_their_weights():
    problem = Problem.of([[1, 2], [0, 5], [1, 2], [1, 2]], [1, 0, 1, 0], sample_weight=[1, 2, 3, 4])
    merged = MergeRows.apply(problem)
    assert contents(merged) == ([[0, 1, 1], [5, 2, 2]], [False, False, True], [1, 2, 2], 2, (1, 1))


@st.composite
def copies_and_order(draw):
    X, y = draw(data(value=st.one_of(st.integers(-1, 1), values)))
    copies = draw(st.lists(st.integers(1, 3), min_size=len(y), max_size=len(y)))
    spread = [i for i, k in enumerate(copies) for _ in range(k)]
    return X, y, copies, draw(st.permutations(spread))


@given(copies_and_order())
def test_copies_weights_and_any_order_of_rows_give_the_same_problem(case):
    X, y, copies, order = case
    weighted = MergeRows.apply(Problem.of(X, y, sample_weight=[k * 0.5 for k in copies]))
    repeated = MergeRows.apply(Problem.of([X[i] for i in order], [y[i] for i in order]))
    assert contents(weighted)[:3] == contents(repeated)[:3]
    assert weighted.rows.weight_unit * 2 == repeated.rows.weight_unit


@given(
    data(value=st.one_of(st.integers(-1, 1), values)),
    st.lists(st.integers(-2, 2), min_size=3, max_size=3),
    st.integers(-2, 2),
)
def test_the_objective_of_any_points_is_unchanged(case, coefficients, b):
    X, y = case
    problem = Problem.of(X, y, C0=0.1, class_weight="balanced", sample_weight=[0.3 + i for i in range(len(y))])
    small = presolve(problem)
    kept = [0 if j in problem.ignored else c for j, c in enumerate(coefficients[: len(X[0])])]
    points = Points(tuple(kept), b)
    assert evaluate(small.problem, small.reduce(points)) == evaluate(problem, points)
    assert small.restore(small.reduce(points)) == points


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(st.data(), constrained_problems())
def test_merging_and_dropping_change_no_cost_and_no_constraint(data, case):
    problem = case.problem
    small = presolve(problem)
    assert small.problem.unit == problem.unit
    values = [data.draw(st.sampled_from(s.values)) for s in problem.sets]
    allowed = problem.intercept.allowed
    b = data.draw(st.integers(-4, 4).map(Fraction) if allowed is None else st.sampled_from(allowed.values))
    points = Points(tuple(int(v * problem.unit) for v in values), int(b * problem.unit), problem.unit)
    reduced = small.reduce(points)
    assert small.restore(reduced) == points
    assert evaluate(small.problem, reduced) == evaluate(problem, points)
    assert violated(small.problem, reduced) == violated(problem, points)
    chosen = with_best_intercept(small.problem, reduced.coefficients)
    best = with_best_intercept(problem, points.coefficients)
    assert (chosen and small.restore(chosen)) == best


def test_limits_on_wrong_rows_are_summed_over_merged_rows_of_several_groups():
    problem = Problem.of(
        [[1], [0], [1], [1], [0]],
        [1, 0, 1, 1, 0],
        rate_groups={"sex": ["f", "f", "f", "m", "m"]},
        constraints=c.max_difference("sensitivity", group="sex", at_most=0.5),
    )
    merged = MergeRows.apply(problem)
    assert merged.rows.n_rows == 2
    assert [limit.weights.tolist() for limit in problem.rate_limits] == [[1, 0, 1, -2, 0], [-1, 0, -1, 2, 0]]
    assert [limit.weights.tolist() for limit in merged.rate_limits] == [[0, 0], [0, 0]]  # f and m err together


def test_a_column_whose_zero_costs_something_is_not_dropped():
    problem = Problem.of(
        [[0, 3], [1, 4]],
        [0, 1],
        levels={"x0": [([1], 0.1)], "x1": [([1], 0), ([0], 0.25)]},
        constraints=c.must_not_use("x1"),
    )
    assert DropColumns.of(problem).kept == (0, 1)
    assert evaluate(presolve(problem).problem, Points((1, 0), 0)).objective == Fraction(1, 2) + Fraction(35, 100)


def test_dead_columns_are_dropped_and_restored_with_coefficient_zero():
    problem = Problem.of([[0, 7, 1], [1, 7, 0]], [0, 1], points={"x0": [0], "x2": 3}, C0=0.2)
    drop = DropColumns.of(problem)
    assert drop.kept == (2,)
    assert drop.apply(problem).rows.names == ("x2",)
    assert drop.restore(Points((3,), -1)) == Points((0, 0, 3), -1)


def test_a_problem_without_live_columns_keeps_one():
    problem = Problem.of([[7, 7], [7, 7]], [0, 1])
    small = presolve(problem)
    assert small.problem.n_features == 1
    assert small.restore(Points((0,), 1)) == Points((0, 0), 1)


def test_many_wide_columns_are_still_told_apart():
    # 40 columns of 50 distinct values: the mixed code is ranked anew many times over
    X = np.random.default_rng(0).integers(0, 50, size=(60, 40))
    X[30:] = X[:30]
    merged = MergeRows.apply(Problem.of(X, np.r_[np.ones(59), 0]))
    assert merged.rows.n_rows == len(np.unique(np.c_[X, np.r_[np.ones(59), 0]], axis=0))
    assert int(merged.rows.weights.sum()) * merged.rows.weight_unit == Fraction(60)


@settings(max_examples=examples(50))
@given(st.lists(st.tuples(*[st.integers(0, 2**40)] * 3), min_size=1, max_size=12), st.integers(1, 2))
def test_groups_are_those_of_whole_rows_in_rising_order(rows, copies):
    table = np.array(rows * copies)
    group, first = row_groups(list(np.tile(table, 8).T))  # more columns than one code holds
    distinct = sorted(set(rows))
    assert [distinct[g] for g in group] == rows * copies
    assert [tuple(table[row]) for row in first] == distinct
