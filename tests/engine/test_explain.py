"""The conflict behind an infeasible problem: truly infeasible, and no part of it is."""

from itertools import combinations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from counts import examples
from strategies import ConstrainedCase, constrained_problems
from supersparse import Problem, solve
from supersparse import constraints as c
from supersparse.engine import explain
from supersparse.engine.explain import explain_infeasible
from supersparse.errors import InfeasibleError, InvalidProblemError, SolverFailedError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

X, Y = [[0, 0], [1, 0], [0, 1], [1, 1], [1, 1]], [0, 1, 1, 0, 1]


def is_feasible(problem, kept):
    """By exhaustive search, without any explanation."""
    try:
        part = problem.without(a for a in problem.asked if a not in kept)
        explain.answer(part, *explain.chosen_solver(part, "exhaustive", {}, explain.Aim.BEST))
    except InfeasibleError:
        return False
    return True


def check_smallest(problem, conflict):
    assert not is_feasible(problem, conflict.constraints)
    for size in range(len(conflict.constraints)):
        for fewer in combinations(problem.asked, size):
            assert is_feasible(problem, fewer)


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(constrained_problems())
def test_the_conflict_is_infeasible_and_no_fewer_constraints_are(case: ConstrainedCase):
    problem = case.problem
    assume(not is_feasible(problem, problem.asked))
    with pytest.raises(InfeasibleError) as caught:
        solve(problem, "exhaustive")
    conflict = explain_infeasible(problem, "exhaustive")
    assert conflict.smallest
    assert conflict.irreducible
    check_smallest(problem, conflict)
    if len(problem.asked) > 1:
        assert conflict.in_words() in str(caught.value)


@pytest.mark.parametrize("solver", ["exhaustive", "exact", "highs"])
def test_solve_says_which_constraints_conflict(solver):
    asked = [c.min_sensitivity(1), c.must_use("x0"), c.min_specificity(1), c.at_most(2, of="x*")]
    with pytest.raises(InfeasibleError) as caught:
        solve(Problem.of(X, Y, max_points=2, constraints=asked), solver)
    message = str(caught.value)
    assert "x0 used" in message.partition("The conflict")[0]
    assert message.endswith(
        "The conflict: 'sensitivity of at least 1' and 'specificity of at least 1' cannot be satisfied "
        "together, and no smaller set conflicts"
    )


def test_a_single_constraint_that_nothing_obeys_is_named_alone():
    asked = [c.min_sensitivity(0.1), c.max_error(0)]
    conflict = explain_infeasible(Problem.of(X, Y, max_points=2, constraints=asked), "exhaustive")
    assert conflict.in_words() == "'error of at most 0' cannot be satisfied, even alone"


def test_of_many_constraints_an_irreducible_set_is_given(monkeypatch):
    monkeypatch.setattr(explain, "FEW_CONSTRAINTS", 2)
    asked = [c.min_sensitivity(1), c.must_use("x0"), c.min_specificity(1)]
    problem = Problem.of(X, Y, max_points=2, constraints=asked)
    conflict = explain_infeasible(problem, "exhaustive")
    assert conflict.irreducible
    assert not conflict.smallest
    assert {a.in_words() for a in conflict.constraints} == {"sensitivity of at least 1", "specificity of at least 1"}
    assert "a smaller set may conflict too" in conflict.in_words()


def test_what_the_limits_leave_open_is_said(monkeypatch):
    asked = [c.min_sensitivity(1), c.must_use("x0"), c.min_specificity(1)]
    problem = Problem.of(X, Y, max_points=2, constraints=asked)
    with pytest.raises(SolverFailedError, match="unknown whether"):
        explain_infeasible(problem, "exhaustive", node_limit=1)
    monkeypatch.setattr(explain, "SECONDS", -1.0)
    with pytest.raises(InfeasibleError, match="some of them may not be part of the conflict"):
        solve(problem, "exhaustive")


@pytest.mark.parametrize("solver", ["exhaustive", "exact"])
def test_an_interrupt_ends_the_search_for_a_conflict(solver):
    asked = [c.min_sensitivity(1), c.must_use("x0"), c.min_specificity(1)]
    problem = Problem.of(X, Y, max_points=2, constraints=asked)
    with pytest.raises(KeyboardInterrupt):
        explain_infeasible(problem, solver, cancel=lambda: True)


def test_a_problem_that_can_be_obeyed_has_no_conflict():
    with pytest.raises(InvalidProblemError, match="nothing conflicts"):
        explain_infeasible(Problem.of(X, Y, max_points=2, max_features=1), "exhaustive")


def test_one_model_spares_the_trials_of_all_that_it_obeys(monkeypatch):
    asked = [c.at_most(k, of="x*") for k in range(1, 7)] + [c.max_error(0)]
    problem = Problem.of(X, Y, max_points=2, constraints=asked)
    trials = []
    real = explain.answer

    def counted(*args):
        trials.append(args)
        return real(*args)

    monkeypatch.setattr(explain, "answer", counted)
    conflict = explain_infeasible(problem, "exhaustive")
    assert [a.in_words() for a in conflict.constraints] == ["error of at most 0"]
    assert len(trials) <= 8  # of 127 sets
