"""The model itself, without any solver: every scoring system is a feasible vector of the right cost."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from counts import examples
from strategies import cases
from supersparse.engine.mip.build import build
from supersparse.engine.mip.precision import FLOATS, WRITTEN, refuse_too_wide
from supersparse.engine.presolve import presolve
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.problem import Problem

quick = settings(max_examples=examples(60), deadline=None, derandomize=True)


def program_of(problem, formulation="bigm", l1_within=None, precision=WRITTEN, priorities=None):
    rows = refuse_too_wide("test", problem, formulation, precision)
    return build(
        problem, rows, formulation=formulation, precision=precision, priorities=priorities or {}, l1_within=l1_within
    )


def is_feasible(model, values):
    sums = model.rows.matrix @ values
    logical = model.indicators
    asked = values[logical.binary] == logical.when
    return (
        ((model.lower <= values) & (values <= model.upper)).all()
        and ((model.rows.lower <= sums) & (sums <= model.rows.upper)).all()
        and ((logical.matrix @ values)[asked] >= logical.lower[asked]).all()
    )


def some_models(problem):
    choices = [[int(v * problem.unit) for v in s.values] for s in problem.sets]
    limit = problem.n_features + 1 if problem.max_features is None else problem.max_features
    room = limit - (problem.intercept.allowed is not None and 0 not in problem.intercept.allowed)
    for coefficients in list(product(*choices))[::7]:
        if sum(map(bool, coefficients)) <= room:
            yield with_best_intercept(problem, coefficients)


@pytest.mark.parametrize("formulation", ["bigm", "indicator"])
@quick
@given(case=cases())
def test_every_scoring_system_is_feasible_at_its_exact_cost(formulation, case):
    problem = presolve(case.problem).problem
    program = program_of(problem, formulation)
    for points in some_models(problem):
        values = program.start(points)
        assert is_feasible(program.model, values)
        assert program.claimed(values) == evaluate(problem, points).objective
        assert program.read(values) == points


@pytest.mark.parametrize("formulation", ["bigm", "indicator"])
@quick
@given(case=cases())
def test_no_error_can_be_denied(formulation, case):
    """Calling a wrong row right, or leaving a used coefficient unpaid, breaks a constraint."""
    problem = presolve(case.problem).problem
    program = program_of(problem, formulation)
    model = program.model
    for points in list(some_models(problem))[:5]:
        values = program.start(points)
        accounts = [z for _, z in program.loss_binary]
        accounts += [v.nonzero for v in program.variables if v.nonzero is not None]
        accounts += [v.magnitude[0] for v in program.variables if v.magnitude is not None]
        for j in (j for j in accounts if values[j] > 0):
            cheaper = values.copy()
            cheaper[j] -= 1
            assert not is_feasible(model, cheaper)


@quick
@given(case=cases())
def test_the_second_program_holds_the_models_that_are_as_good_and_prices_them_by_l1(case):
    problem = presolve(case.problem).problem
    models = list(some_models(problem))
    limit = sorted(evaluate(problem, p).objective for p in models)[len(models) // 2]
    program = program_of(problem, l1_within=limit)
    for points in models:
        found = evaluate(problem, points)
        values = program.start(points)
        assert is_feasible(program.model, values) == (found.objective <= limit)
        assert program.aim.unit * int(program.model.cost @ values + program.model.cost_offset) == found.l1


def test_equal_rows_of_both_classes_cannot_both_be_right():
    problem = presolve(Problem.of([[1], [1], [0]], [0, 1, 0], C0=0.1, max_points=2)).problem
    program = program_of(problem)
    model, binary = program.model, dict(program.loss_binary)
    contradicting = [row for row in binary if problem.rows.columns[0][row] == 1]
    pair = np.zeros(model.n_variables)
    pair[[binary[row] for row in contradicting]] = 1
    rows = zip(model.rows.matrix.toarray(), model.rows.lower, strict=True)
    assert len(contradicting) == 2
    assert [low for row, low in rows if (row == pair).all()] == [1]


def test_variables_are_made_only_where_needed():
    # sets 0..1 need no alpha, one sign needs no beta: two coefficients, b, and one z for each of three rows
    X, y = [[0, 1], [1, 1], [1, 0]], [0, 1, 1]
    problem = Problem.of(X, y, C0=0.1, C1=0.01, points=[0, 1])
    assert program_of(problem).model.n_variables == 6
    # -1..1 needs both
    problem = Problem.of(X, y, C0=0.1, C1=0.01, points=[-1, 0, 1])
    assert program_of(problem).model.n_variables == 10


def test_rows_of_a_class_of_weight_0_cost_nothing_and_have_no_variable():
    problem = Problem.of([[0], [1], [1]], [0, 1, 0], class_weight={0: 0, 1: 1}, points=[0, 1])
    assert len(program_of(problem).loss_binary) == 1


def test_priorities_go_to_all_variables_of_a_feature():
    problem = Problem.of(
        [[0, 1], [1, 1], [1, 0]], [0, 1, 1], C0=0.1, points={"a": 3, "b": [0, 1, 5]}, feature_names=["a", "b"]
    )
    program = program_of(problem, priorities={"a": 4, "b": 2})
    a, b = program.variables[:2]
    priorities = program.model.priorities
    assert priorities[[a.number, a.nonzero]].tolist() == [4, 4]
    assert priorities[[b.number, *(binary for _, binary in b.choice)]].tolist() == [2, 2, 2]
    assert priorities.sum() == 4 * 2 + 2 * 3


def test_a_rounded_vector_beyond_the_size_limit_is_no_model():
    problem = Problem.of([[0, 1], [1, 0]], [0, 1], C0=0.1, max_points=2, max_features=1)
    program = program_of(problem, precision=FLOATS)
    values = np.zeros(program.model.n_variables)
    values[[v.number for v in program.variables[:2]]] = 1
    assert program.read(values) is None
