"""The pool against trying every coefficient vector with every intercept."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from engine.answers.answering import SOLVERS, require_answer
from strategies import Case, ConstrainedCase, cases, constrained_problems
from supersparse import Problem, solve
from supersparse.engine.answers.pool import pool
from supersparse.engine.solvers import Aim
from supersparse.engine.verify import check_points
from supersparse.errors import InfeasibleError, InvalidOptionError, SolverFailedError, VerificationError
from supersparse.problem.near_totals import integer_totals
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
slowly = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))

X = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [2, 1, 1], [2, 0, 1], [1, 1, 1]]
Y = [0, 0, 0, 1, 1, 0, 1]


def everything(problem):
    """Every feasible model with its evaluation and its predictions; b as far as it can matter."""
    unit = problem.unit
    values = [[int(v * unit) for v in s.values] for s in problem.sets]
    for coefficients in product(*values):
        if problem.intercept.allowed is not None:
            intercepts = [int(v * unit) for v in problem.intercept.allowed.values]
        elif problem.intercept.mode == "free":  # one threshold in each gap between totals, and beyond them
            totals = sorted({int(t) for t in integer_totals(problem, coefficients)})
            ends = [totals[0] - 2, *totals, totals[-1] + 2]
            intercepts = {Fraction(-low - high, 2 * problem.score_step) for low, high in pairwise(ends)}
        else:
            # near each zero of a score, and at the ends: between them nothing changes
            zeros = {-int(s) // problem.score_step for s in integer_totals(problem, coefficients)}
            ends = [v for v in (problem.intercept.low, problem.intercept.high) if v is not None]
            intercepts = {z + k for z in zeros for k in (-1, 0, 1, 2)} | {0}
            intercepts |= {int(v * unit) for v in ends}
        for b in intercepts:
            points = Points(coefficients, b, unit)
            try:
                check_points(problem, points, "the test")
            except VerificationError:
                continue
            yield points, evaluate(problem, points), predictions(problem, points)


def predictions(problem, points):
    totals = integer_totals(problem, points.coefficients).tolist()
    return tuple(total + points.intercept * problem.score_step > 0 for total in totals)


def check_pool(problem, within, solver, most=None):
    try:
        found = pool(problem, within, max_features=most, max_models=10**6, solver=solver)
    except InfeasibleError:
        return
    problem = found.problem
    models = list(everything(problem))
    best = min(e.objective for _, e, _ in models)
    good = [(p, e, v) for p, e, v in models if e.objective <= (1 + Fraction(str(within))) * best]
    assert found.complete
    assert found.best == best
    assert found.left_out == 0
    least = {}
    for _, e, vector in good:
        least[vector] = min(least.get(vector, (e.l1, e.objective)), (e.l1, e.objective))
    assert {predictions(problem, m.points): (m.evaluation.l1, m.evaluation.objective) for m in found.models} == least
    assert len(found.models) == len(least)
    names = problem.rows.names
    for j, name in enumerate(names):
        values = {p.values[j] for p, _, _ in good}
        assert (name in found.always()) == (0 not in values)
        assert (name in found.never()) == (values == {0})
        assert found.ranges()[name] == (min(values), max(values))
        for asked, used in ((found.using(name), True), (found.avoiding(name), False)):
            expected = {v for p, _, v in good if (p.coefficients[j] != 0) == used}
            assert {predictions(problem, m.points) for m in asked} == expected
            assert all((m.points.coefficients[j] != 0) == used for m in asked)
    ties = {v for _, e, v in good if e.objective == best}
    assert {predictions(problem, m.points) for m in found.ties()} == ties
    assert all(m.evaluation.objective == best for m in found.ties())


@pytest.mark.parametrize("solver", SOLVERS)
@slowly
@given(case=cases(), within=st.sampled_from([0, 0.01, 0.1, 0.5]), most=st.none() | st.integers(0, 3))
def test_the_pool_is_that_of_trying_everything(solver, case: Case, within, most):
    require_answer(solver, Aim.ALL_WITHIN)
    try:
        case.problem.asking(max_features=most)
    except InfeasibleError:
        return
    check_pool(case.problem, within, solver, most)


@pytest.mark.parametrize("solver", SOLVERS)
@slowly
@given(case=constrained_problems(), within=st.sampled_from([0, 0.1, 0.5]))
def test_every_model_of_the_pool_obeys(solver, case: ConstrainedCase, within):
    require_answer(solver, Aim.ALL_WITHIN)
    check_pool(case.problem, within, solver)


@pytest.mark.parametrize("goal", ["errors", "risk"])
def test_a_limit_above_every_model_may_be_as_large_as_one_likes(goal):
    problem = Problem.of(X, Y, C0=Fraction(1, 10**9), max_points=1, goal=goal)
    sizes = {len(pool(problem, within=within).models) for within in (10**10, 10**400)}
    assert len(sizes) == 1


def test_what_does_not_fit_is_counted():
    problem = Problem.of(X, Y, max_points=2)
    whole = pool(problem, 9, solver="exhaustive")
    assert len(whole.models) > 2
    assert whole.left_out == 0
    few = pool(problem, 9, max_models=2, solver="exhaustive")
    assert [m.points for m in few.models] == [m.points for m in whole.models[:2]]
    assert few.left_out == len(whole.models) - 2
    assert (few.always(), few.ranges(), few.count) == (whole.always(), whole.ranges(), whole.count)
    assert f"2 models (and {few.left_out} more, not kept)" in str(few)
    assert str(few).endswith("complete")


def test_a_search_that_stops_early_gives_a_sample():
    found = pool(Problem.of(X, Y, max_points=2), 0.5, solver="exhaustive", node_limit=30)
    assert not found.complete
    assert "possibly incomplete: the node limit was reached" in str(found)
    asked = Problem.of(X, Y, max_points=2, min_features=1)
    with pytest.raises(SolverFailedError, match="no scoring system was found: the node limit"):
        pool(asked, solver="exhaustive", node_limit=1)


def test_the_best_model_comes_first_and_the_table_shows_all():
    problem = Problem.of(X, Y, max_points=2, C0=0.05)
    found = pool(problem, 0.5, solver="exhaustive")
    assert found.models[0].evaluation.objective == found.best == solve(problem, "exhaustive").objective
    frame = found.to_frame()
    assert frame["objective"].is_monotonic_increasing
    assert len(frame) == len(found.models)


def test_a_score_of_zero_predicts_the_negative_class_and_tells_no_models_apart():
    # x > 0 and 2x > 1 give row 1 the class 0 alike; the first has a score of exactly 0 there, an error
    problem = Problem.of([[0], [1], [1]], [0, 1, 1], C0=0.01, max_points=2, intercept=(-3, 3))
    found = pool(problem, 99, solver="exhaustive")
    right = [m for m in found.models if m.evaluation.predicted_errors == 0]
    assert len(right) == 1
    assert right[0].points.coefficients == (1,)  # the least l1, although its F is larger
    assert right[0].evaluation.training_errors == 1
    assert found.ties()[0].points.coefficients == (2,)


def test_impossible_questions_are_refused():
    problem = Problem.of(X, Y, max_points=2)
    found = pool(problem, solver="exhaustive")
    with pytest.raises(InvalidOptionError, match="there is no feature 'y'; known: x0, x1, x2"):
        found.using("y")
    with pytest.raises(InvalidOptionError, match="max_models is 0"):
        pool(problem, max_models=0, solver="exhaustive")
    with pytest.raises(InvalidOptionError, match="negative"):
        pool(problem, -0.1, solver="exhaustive")
