"""Large tables: columns are made exact when they are used, and totals are floats with a margin."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supersparse import Problem, solve
from supersparse.base.integer_arrays import distinct_of, integer_column
from supersparse.problem import rows as rows_module
from supersparse.problem.near_totals import NearTotals, integer_totals
from supersparse.problem.objective import evaluate, with_best_intercept


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=1, max_size=20))
def test_an_integer_column_holds_the_decimals_that_python_writes(values):
    integers, scale = integer_column(np.array(values))
    assert [Fraction(int(i), scale) for i in integers] == [Fraction(repr(v)) for v in values]


def test_decimals_near_powers_of_two_and_ten_are_those_that_python_writes():
    powers = [*(2.0**k for k in range(-20, 60)), *(10.0**k for k in range(-8, 18))]
    near = [v for p in powers for v in (p, np.nextafter(p, 0), np.nextafter(p, np.inf), -p / 3)]
    random = np.random.default_rng(0)
    values = [*near, *random.normal(size=3000), *10 ** random.uniform(-7, 16, 3000), 0.1 + 0.2]
    integers, scale = integer_column(np.array(values))
    assert [Fraction(int(i), scale) for i in integers] == [Fraction(repr(float(v))) for v in values]


def test_distinct_values_beyond_64_bits_are_told_apart():
    values = np.array([2**80 + 1, 2**80, -(2**90), 2**80 + 1, 0], dtype=object)
    distinct, place = distinct_of(values)
    assert distinct.tolist() == [-(2**90), 0, 2**80, 2**80 + 1]
    assert distinct[place].tolist() == values.tolist()


def both(monkeypatch, X, y, **asked):
    """The same problem, read at once and as a large table."""
    small = Problem.of(X, y, **asked)
    monkeypatch.setattr(rows_module, "LARGE", 0)
    large = Problem.of(X, y, **asked)
    assert small.rows.raw is None
    assert large.rows.raw is not None
    return small, large


def test_problems_and_answers_are_pickled_with_what_was_made_of_them(monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3)).round(2)
    for problem in both(monkeypatch, X, (X[:, 0] > 0).astype(int), C0=0.1, max_points=2):
        solution = solve(problem)
        again = pickle.loads(pickle.dumps(solution))
        assert (again.points, again.objective) == (solution.points, solution.objective)
        for own, other in ((problem.rows, again.problem.rows), (problem.rows.with_columns([2, 0]),) * 2):
            read = pickle.loads(pickle.dumps(other))
            assert [column.tolist() for column in read.columns] == [c.tolist() for c in own.columns]
            assert (tuple(read.scales), tuple(read.magnitudes)) == (tuple(own.scales), tuple(own.magnitudes))


@pytest.mark.parametrize("intercept", ["free", "none", (-3, 3)])
@pytest.mark.parametrize("kind", ["continuous", "few values", "near ties"])
def test_a_large_table_gives_the_same_threshold_and_evaluation(monkeypatch, intercept, kind):
    random = np.random.default_rng(len(kind))
    for _ in range(15):
        X = random.normal(size=(40, 3))
        if kind == "few values":
            X = X.round(0) / 3
        if kind == "near ties":
            X[20:] = np.nextafter(X[:20], random.choice([-9, 9]))
        y = np.arange(40) % 2
        small, large = both(monkeypatch, X, y, intercept=intercept)
        monkeypatch.undo()
        for coefficients in random.integers(-3, 4, (4, 3)).tolist():
            points = with_best_intercept(small, coefficients)
            assert with_best_intercept(large, coefficients) == points
            assert evaluate(large, points) == evaluate(small, points)


def test_rows_too_close_for_floats_are_ranked_exactly(monkeypatch):
    X = np.array([[0.1, 0.2], [0.2, 0.1], [0.3, 0.0], [0.1, np.nextafter(0.2, 1)], [0.0, 0.4]])
    small, large = both(monkeypatch, X, [0, 1, 0, 1, 1])
    near = NearTotals.of(large, [1, 1])
    ranks, row = near.ranks()
    distinct, place = distinct_of(integer_totals(small, [1, 1]))
    assert ranks.tolist() == place.tolist() == [0, 0, 0, 1, 2]  # 0.3 three times, then a hair more
    assert len(row) == len(distinct)
