"""verify: each kind of lie is caught, with both numbers in the message."""

from dataclasses import replace
from fractions import Fraction

import pytest

from supersparse import constraints as c
from supersparse.base.stop import Stop
from supersparse.engine.solution import Claim, Trace
from supersparse.engine.verify import verify
from supersparse.errors import VerificationError
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

X = [[0, 1], [1, 0], [1, 1], [0, 0]]
Y = [0, 1, 1, 0]
PROBLEM = Problem.of(X, Y, C0=0.25, points=[-2, -1, 0, 1, 2], max_features=1, intercept=(-1, 1))
HONEST = Claim(
    points=Points((2, 0), -1),
    objective=Fraction(1, 4),
    lower_bound=Fraction(1, 4),
    smallest=True,
    stop=Stop.OPTIMAL,
    nodes=7,
    seconds=0.5,
    trace=Trace(),
)


def test_an_honest_claim_becomes_a_solution():
    solution = verify(PROBLEM, HONEST, solver="honest")
    assert solution.objective == Fraction(1, 4)
    assert solution.evaluation.training_errors == 0
    assert (solution.proven_optimal, solution.proven_smallest, solution.gap) == (True, True, 0.0)
    assert (solution.solver, solution.nodes, solution.stop) == ("honest", 7, Stop.OPTIMAL)


def test_a_solver_without_an_opinion_on_the_objective_is_given_the_exact_one():
    assert verify(PROBLEM, replace(HONEST, objective=None), solver="s").objective == Fraction(1, 4)


def test_a_claim_may_be_too_modest():
    # a float solver may believe its model costs more, or its bound to be weaker, than is true
    solution = verify(PROBLEM, replace(HONEST, objective=Fraction(1, 2), lower_bound=Fraction(1, 8)), solver="s")
    assert (solution.objective, solution.gap) == (Fraction(1, 4), 0.5)
    assert not solution.proven_optimal
    assert not solution.proven_smallest


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        ({"points": Points((1, 0), 0), "objective": Fraction(1, 4)}, r"0.25 .*= 1/4.* costs 0.75 .*2 errors"),
        ({"lower_bound": Fraction(1, 2)}, r"no model costs less than 0.5 .* its own costs 0.25"),
        ({"points": Points((3, 0), -1)}, r"'x0' the value 3, which is not in CoefficientSet"),
        ({"points": Points((3, 0), -1, 2)}, r"'x0' the value 3/2, which is not in"),
        ({"points": Points((1, 1), -1)}, "a model of size 2; the limit is 1"),
        ({"points": Points((2, 0), -2)}, "the intercept -2, which intercept='range' forbids"),
        ({"points": Points((4, 0), -1, 2)}, "the intercept -1/2, which intercept='range' forbids"),
        ({"points": Points((2,), -1)}, "gave 1 coefficients for 2 features"),
    ],
)
def test_a_lie_is_caught_with_both_numbers(lie, message):
    with pytest.raises(VerificationError, match=rf"^liar .*{message}"):
        verify(PROBLEM, replace(HONEST, **lie), solver="liar")


@pytest.mark.parametrize(
    ("intercept", "b"), [("none", 1), ("paper", 3)], ids=["an intercept where none is", "an intercept outside L"]
)
def test_the_intercept_obeys_its_mode(intercept, b):
    problem = Problem.of(X, Y, points=[-2, 0, 2], intercept=intercept)
    claim = replace(HONEST, points=Points((2, 0), b), objective=None, lower_bound=Fraction(0))
    with pytest.raises(VerificationError, match=f"the intercept {b}, which intercept='{intercept}' forbids"):
        verify(problem, claim, solver="s")


def test_the_papers_intercept_counts_in_the_size():
    problem = Problem.of(X, Y, points=[-1, 0, 2], intercept="paper", max_features=1)
    claim = replace(HONEST, objective=None, lower_bound=Fraction(0))
    with pytest.raises(VerificationError, match="a model of size 2; the limit is 1"):
        verify(problem, claim, solver="s")


def test_errors_are_recounted_where_floating_point_sees_a_margin():
    # 3·0.1 - 0.3 = 5.6e-17 > 0 in floating point: a float solver counts no error, decimals count one
    problem = Problem.of([[0.1, 0.3], [0, 1]], [1, 0], points=[-1, 3], intercept="none", C0=0)
    claim = replace(HONEST, points=Points((3, -1), 0), objective=Fraction(0), lower_bound=Fraction(0))
    with pytest.raises(VerificationError, match=r"an objective of 0 .* costs 0.5 .*1 errors"):
        verify(problem, claim, solver="float solver")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"constraints": c.at_least(1, of="x1")}, "'at least 1 of x1'"),
        ({"constraints": c.min_specificity(0.9)}, "'specificity of at least 0.9'"),
        (
            {"constraints": c.min_specificity(0.9, group="g"), "rate_groups": {"g": [0, 0, 1, 1]}},
            "'specificity of at least 0.9 in every group of g'",
        ),
        ({"constraints": c.max_total_score(1)}, "'a total score of at most 1'"),
        ({"min_features": 2}, "'at least 2 features'"),
    ],
)
def test_a_model_that_breaks_a_constraint_is_refused_in_its_words(asked, words):
    problem = Problem.of(X, Y, C0=0.25, points=[-2, -1, 0, 1, 2], **asked)
    claim = replace(HONEST, points=Points((2, 0), 0), objective=None, lower_bound=Fraction(0))
    with pytest.raises(VerificationError, match=f"liar gave a model that violates constraints: {words}"):
        verify(problem, claim, solver="liar")
