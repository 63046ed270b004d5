"""The trace and the words of a solution."""

from fractions import Fraction

import pytest

from supersparse.engine.solution import Trace, TraceEvent, relative_gap
from supersparse.engine.solve import solve
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem


def event(objective, bound, points=None):
    return TraceEvent(seconds=0.0, nodes=0, objective=objective, lower_bound=bound, points=points)


def test_the_gap_is_relative_to_the_incumbent_and_zero_for_a_free_one():
    assert relative_gap(Fraction(1, 2), Fraction(1, 8)) == 0.75
    assert relative_gap(Fraction(0), Fraction(0)) == 0.0
    assert event(Fraction(1, 2), Fraction(1, 2)).gap == 0.0
    assert event(None, Fraction(0)).gap is None


def test_incumbents_are_the_events_with_points():
    first, bound = event(Fraction(1), Fraction(0), Points((1,), 0)), event(Fraction(1), Fraction(1, 2))
    assert Trace((first, bound)).incumbents == (first,)


def test_the_trace_of_a_solve_only_improves_and_ends_with_the_answer():
    problem = Problem.of([[0, 3], [1, 1], [2, 2], [3, 0]], [0, 1, 0, 1], C0=0.26, max_points=2)
    solution = solve(problem, "exhaustive")
    objectives = [e.objective for e in solution.trace.incumbents]
    bounds = [e.lower_bound for e in solution.trace.events]
    times = [e.seconds for e in solution.trace.events]
    assert objectives == sorted(objectives, reverse=True)
    assert bounds == sorted(bounds)
    assert times == sorted(times)
    assert solution.trace.incumbents[-1].points == solution.points
    assert solution.trace.events[-1].gap == 0.0


@pytest.mark.parametrize(("goal", "node_limit"), [("errors", None), ("errors", 1), ("risk", None)])
def test_the_last_event_is_the_end_of_the_search(goal, node_limit):
    rows = [[(7 * i + j * j) % 5 for j in range(4)] for i in range(30)]
    problem = Problem.of(rows, [i % 3 == 0 for i in range(30)], C0=0.04, max_points=2, goal=goal)
    solution = solve(problem, node_limit=node_limit)
    last = solution.trace.events[-1]
    assert (last.seconds, last.nodes) == (solution.seconds, solution.nodes)
    assert (last.objective, last.lower_bound) == (solution.objective, solution.lower_bound)
    assert last.gap == solution.gap


def test_the_end_stands_in_a_trace_once():
    end = event(Fraction(1), Fraction(1), Points((1,), 0))
    assert Trace((end,)).to(end) == Trace((end,))
    assert Trace().to(end) == Trace((end,))


def test_a_traced_incumbent_has_a_coefficient_for_each_column_of_the_user():
    problem = Problem.of([[0, 7], [1, 7], [1, 7]], [0, 1, 1], C0=Fraction(1, 3), max_points=2)
    solution = solve(problem, "exhaustive")
    assert {len(e.points.coefficients) for e in solution.trace.incumbents} == {2}


def test_a_solution_says_in_one_line_what_it_is():
    problem = Problem.of([[0], [1], [1]], [0, 1, 1], C0=Fraction(1, 3), max_points=2)
    assert repr(solve(problem, "exhaustive")) == (
        "Solution(objective=0.333333, proven optimal, errors=1, sensitivity=1, specificity=0, "
        "size=0, l1=0, solver='exhaustive', stop=OPTIMAL)"
    )
