"""The model under levels and constraints, without any solver: it holds what obeys, and nothing else."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings

from counts import examples
from engine.mip.test_build import is_feasible, program_of
from strategies import constrained_problems
from supersparse import constraints as c
from supersparse.engine.mip.precision import FLOATS
from supersparse.engine.presolve import presolve
from supersparse.errors import InfeasibleError
from supersparse.problem.objective import evaluate, violated
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

quick = settings(max_examples=examples(40), deadline=None, derandomize=True)


def program_or_none(problem, formulation="bigm", **options):
    """None where the bounds of the variables already say that nothing obeys."""
    try:
        return program_of(problem, formulation, **options)
    except InfeasibleError:
        return None


def some_points(problem, program):
    """Some models of the sets, obeying or not, beside useful intercepts."""
    choices = [[int(v * problem.unit) for v in s.values] for s in problem.sets]
    choices.append(list(program.terms[-1].values) if program.terms[-1].name is None else [0])
    shared = Fraction(int(program.terms[-1].column[0]), problem.score_step)
    for *coefficients, b in list(product(*choices))[::5]:
        # a free threshold lies between two totals, so that no score is 0
        intercept = (b + Fraction(1, 2)) * shared if problem.intercept.mode == "free" else b
        yield Points(tuple(coefficients), intercept, problem.unit)


@pytest.mark.parametrize("formulation", ["bigm", "indicator"])
@quick
@given(case=constrained_problems())
def test_exactly_the_scoring_systems_that_obey_are_feasible_at_their_exact_cost(formulation, case):
    problem = presolve(case.problem).problem
    program = program_or_none(problem, formulation)
    if program is None:
        return
    for points in some_points(problem, program):
        values = program.start(points)
        obeys = not violated(problem, points)
        assert is_feasible(program.model, values) == obeys
        if obeys:
            assert program.claimed(values) == evaluate(problem, points).objective
            found = program.read(values)
            assert found.coefficients == points.coefficients
            assert not violated(problem, found)


@pytest.mark.parametrize("formulation", ["bigm", "indicator"])
@quick
@given(case=constrained_problems())
def test_nothing_that_helps_to_obey_can_be_pretended(formulation, case):
    """A right row whose being wrong would help cannot be called wrong, an unused feature not used."""
    problem = presolve(case.problem).problem
    program = program_or_none(problem, formulation)
    if program is None:
        return
    helpful = {int(i) for limit in problem.rate_limits for i in (limit.weights < 0).nonzero()[0]}
    pretended = [z for row, z in program.loss_binary if row in helpful]
    pretended += [binary for v in program.variables for binary, _ in v.signs]
    pretended += [binary for v in program.variables for _, binary in v.levels]
    for points in list(some_points(problem, program))[:8]:
        values = program.start(points)
        for j in (j for j in pretended if values[j] == 0):
            other = values.copy()
            other[j] = 1
            assert not is_feasible(program.model, other)


@quick
@given(case=constrained_problems())
def test_the_second_program_holds_those_that_obey_and_are_as_good(case):
    problem = presolve(case.problem).problem
    first = program_or_none(problem)
    if first is None:
        return
    models = [p for p in some_points(problem, first) if not violated(problem, p)]
    if not models:
        return
    limit = sorted(evaluate(problem, p).objective for p in models)[len(models) // 2]
    program = program_of(problem, l1_within=limit)
    for points in models:
        found = evaluate(problem, points)
        values = program.start(points)
        assert is_feasible(program.model, values) == (found.objective <= limit)
        assert program.aim.unit * int(program.model.cost @ values + program.model.cost_offset) == found.l1


X, Y = [[0, 1], [1, 1], [1, 0], [2, 0]], [0, 1, 1, 0]


def rows_of(problem):
    """Each row as (parts by variable, lower, upper)."""
    model = program_of(problem).model
    for row, low, high in zip(model.rows.matrix.toarray(), model.rows.lower, model.rows.upper, strict=True):
        yield {j: v for j, v in enumerate(row) if v}, low, high


def test_levels_are_the_rows_of_appendix_a():
    problem = Problem.of(X, Y, levels=[([-1, 1], 0.1), ([-5, 5], 0.2)])
    program = program_of(problem)
    variables = program.variables[0]
    assert [value for value, _ in variables.choice] == [-5, -1, 0, 1, 5]
    assert [values for values, _ in variables.levels] == [(0,), (-1, 1), (-5, 5)]
    u, s = dict(variables.choice), [binary for _, binary in variables.levels]
    rows = list(rows_of(problem))
    for values, level in variables.levels:
        assert ({**{u[v]: 1 for v in values}, level: -1}, 0, 0) in rows  # Σ_k u = s
    assert (dict.fromkeys(s, 1), 1, 1) in rows
    assert ({variables.number: -1, u[-5]: -5, u[-1]: -1, u[1]: 1, u[5]: 5}, 0, 0) in rows
    assert [program.F.unit * program.F.weights[binary] for binary in s] == [0, Fraction(1, 10), Fraction(1, 5)]


def test_one_level_costs_the_same_whatever_the_value_and_needs_no_binaries():
    problem = Problem.of(X, Y, levels=[([0, 1, 2, 3], 0.1)])
    program = program_of(problem)
    assert not any(v.choice or v.levels for v in program.variables)
    assert program.F.unit * program.F.offset == 2 * Fraction(1, 10)


def test_a_feature_that_must_count_has_a_binary_for_each_sign():
    plain = program_of(Problem.of(X, Y, C0=0.1, max_points=3))
    asked = program_of(Problem.of(X, Y, C0=0.1, max_points=3, constraints=c.at_least(1, of="x0")))
    assert plain.variables[0].nonzero is not None
    assert asked.variables[0].nonzero is None
    assert [sign for _, sign in asked.variables[0].signs] == [1, -1]
    assert asked.variables[1].nonzero is not None  # no limit speaks of x1


def test_a_budget_becomes_whole_numbers_and_its_limit_is_rounded_down():
    problem = Problem.of(X, Y, C0=0.1, max_points=3, constraints=c.budget({"x0": 1.5, "x1": 3}, at_most=4))
    used = [v.nonzero for v in program_of(problem).variables[:2]]
    assert ({used[0]: 1, used[1]: 2}, float("-inf"), 2) in rows_of(problem)


def test_a_limit_that_always_holds_has_no_row():
    free, asked = (Problem.of(X, Y, C0=0.1, max_points=3, constraints=wish) for wish in ([], [c.max_error(1)]))
    assert len(list(rows_of(asked))) == len(list(rows_of(free)))


def test_a_limit_that_no_value_of_the_variables_obeys_is_infeasible_at_once():
    problem = Problem.of([[1], [2]], [0, 1], points=[1], intercept="none", constraints=c.min_specificity(1))
    with pytest.raises(InfeasibleError, match="no scoring system satisfies 'specificity of at least 1' on these"):
        program_of(problem)


def test_a_rounded_vector_that_breaks_a_limit_is_no_model():
    problem = Problem.of(X, Y, C0=0.1, max_points=2, constraints=c.at_most(1, of="*"))
    program = program_of(problem, precision=FLOATS)
    values = program.start(Points((1, 0), 0))
    assert program.read(values) is not None
    values[program.variables[1].number] = 1
    assert program.read(values) is None
