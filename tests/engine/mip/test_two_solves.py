"""What is made of a solver's words: a fake back end tells the truth, half of it, or lies."""

from fractions import Fraction

import numpy as np
import pytest

from engine.mip.fakes import FakeSolver, claim_of
from supersparse import constraints as c
from supersparse.base.stop import Stop
from supersparse.engine.mip.run import BoundReport, Outcome
from supersparse.engine.verify import verify
from supersparse.errors import InfeasibleError, SolverFailedError, VerificationError
from supersparse.problem.objective import with_best_intercept
from supersparse.problem.problem import Problem

# Ten rows that x separates: without the feature 4 errors, with it none. F of the best is C0 = 0.1.
PROBLEM = Problem.of([[0]] * 6 + [[1]] * 4, [0] * 6 + [1] * 4, C0=0.1, max_points=3)
NOTHING = with_best_intercept(PROBLEM, [0])
BEST = with_best_intercept(PROBLEM, [2])
UNIT = Fraction(1, 10)


def outcome(stop=Stop.OPTIMAL, values=None, bound=None, nodes=0):
    return lambda model, settings, talk: Outcome(stop=stop, values=values, bound=bound, nodes=nodes)


def vector(model, k, b, z):
    """Layout of this problem: k, alpha, b, then z of each row; the second program adds beta after alpha."""
    values = np.zeros(model.n_variables)
    values[0], values[1] = k, k != 0
    values[model.n_variables - len(PROBLEM.rows.positive) - 1] = b
    values[-len(PROBLEM.rows.positive) :] = z
    return values


def honest(model, settings, talk):
    found = vector(model, 2, -1, 0)
    return Outcome(stop=Stop.OPTIMAL, values=found, bound=float(model.cost @ found + model.cost_offset), nodes=3)


def liar(model, settings, talk):
    """Claims no error at all for the model without features, which makes four."""
    found = vector(model, 0, -1, 0)
    return Outcome(stop=Stop.OPTIMAL, values=found, bound=0.0, nodes=3)


def test_an_honest_optimum_is_proven():
    solver = FakeSolver(honest, outcome(bound=2.0, values=None, nodes=4))
    claim = claim_of(solver, PROBLEM, start=NOTHING)
    solution = verify(PROBLEM, claim, solver="fake")
    assert solution.objective == UNIT
    assert solution.proven_smallest  # the second solve: no model of l1 below 2
    assert claim.objective == UNIT
    assert solution.nodes == 3 + 4


def test_a_lie_about_the_errors_is_caught_with_both_numbers():
    claim = claim_of(FakeSolver(liar), PROBLEM)
    assert claim.objective == 0
    with pytest.raises(VerificationError, match=r"claims an objective of 0 .* costs 0\.4 .*4 errors"):
        verify(PROBLEM, claim, solver="fake")


def test_a_lie_is_caught_even_when_a_better_model_is_known():
    claim = claim_of(FakeSolver(liar), PROBLEM, start=BEST)
    with pytest.raises(VerificationError, match=r"claims an objective of 0 .* costs 0\.1 "):
        verify(PROBLEM, claim, solver="fake")


def test_a_bound_above_a_known_model_is_a_failure():
    too_high = outcome(stop=Stop.TIME_LIMIT, bound=3.0)
    with pytest.raises(SolverFailedError, match=r"no model has an objective below 0\.3, but one of 0\.1"):
        claim_of(FakeSolver(too_high), PROBLEM, start=BEST)


def test_an_l1_bound_above_a_known_model_is_a_failure():
    with pytest.raises(SolverFailedError, match=r"no model has an l1 below 3, but one of 2"):
        claim_of(FakeSolver(honest, outcome(bound=3.0)), PROBLEM)


def test_no_solution_although_one_is_known_is_a_failure():
    with pytest.raises(SolverFailedError, match="but one is known"):
        claim_of(FakeSolver(outcome(stop=None)), PROBLEM, start=NOTHING)


def test_no_solution_is_infeasible_when_none_is_known():
    with pytest.raises(InfeasibleError):
        claim_of(FakeSolver(outcome(stop=None)), PROBLEM)


LIMITED = Problem.of([[0]] * 6 + [[1]] * 4, [0] * 6 + [1] * 4, C0=0.1, max_points=3, constraints=c.min_sensitivity(1))


def test_no_solution_is_said_in_the_words_of_what_was_asked():
    with pytest.raises(InfeasibleError, match=r"\('sensitivity of at least 1'\), as fake proved; drop or relax"):
        claim_of(FakeSolver(outcome(stop=None)), LIMITED)


def test_a_best_model_that_breaks_what_was_asked_is_a_failure():
    # all ten rows wrong is no way to reach a sensitivity of 1, and no intercept beside -1 is
    def work(model, settings, talk):
        return Outcome(stop=Stop.OPTIMAL, values=vector(model, -1, 0, 0), bound=0.0, nodes=0)

    asked = [c.min_sensitivity(1), c.min_specificity(1)]
    problem = Problem.of([[0]] * 6 + [[1]] * 4, [0] * 6 + [1] * 4, C0=0.1, max_points=3, constraints=asked)
    with pytest.raises(
        SolverFailedError, match="the best model of fake violates the constraints once its numbers are rounded"
    ):
        claim_of(FakeSolver(work), problem)


def test_a_model_on_the_way_that_breaks_what_was_asked_is_no_incumbent():
    def work(model, settings, talk):
        talk.report(BoundReport(values=vector(model, 0, -1, 0), nodes=1))
        talk.report(BoundReport(values=vector(model, 2, -1, 0), nodes=2))
        return Outcome(stop=Stop.TIME_LIMIT, values=None, bound=None, nodes=2)

    asked = [c.min_sensitivity(1), c.min_specificity(0.5)]
    problem = Problem.of([[0]] * 6 + [[1]] * 4, [0] * 6 + [1] * 4, C0=0.1, max_points=3, constraints=asked)
    claim = claim_of(FakeSolver(work), problem)
    assert [e.points for e in claim.trace.incumbents] == [BEST]


def test_optimal_without_a_solution_is_a_failure():
    with pytest.raises(SolverFailedError, match="returns no solution"):
        claim_of(FakeSolver(outcome(bound=1.0)), PROBLEM, start=BEST)


@pytest.mark.parametrize("stop", [Stop.NODE_LIMIT, Stop.INTERRUPTED])
def test_a_stop_before_any_model_is_a_failure_that_says_why(stop):
    with pytest.raises(SolverFailedError, match=f"before it found a scoring system: {stop.value}") as failed:
        claim_of(FakeSolver(outcome(stop=stop, bound=0.0)), PROBLEM)
    assert failed.value.interrupted == (stop is Stop.INTERRUPTED)


def test_a_limit_keeps_the_best_model_and_the_bound():
    claim = claim_of(FakeSolver(outcome(stop=Stop.NODE_LIMIT, bound=0.4, nodes=7)), PROBLEM, start=NOTHING)
    assert (claim.points, claim.stop, claim.nodes) == (NOTHING, Stop.NODE_LIMIT, 7)
    assert claim.objective is None
    assert not claim.smallest
    assert claim.lower_bound == UNIT  # 0.4 errors cannot be: the next F is 1/10, one error or one feature


def test_incumbents_and_bounds_on_the_way_are_recorded():
    def work(model, settings, talk):
        talk.report(BoundReport(bound=0.2, nodes=1))
        talk.report(BoundReport(values=vector(model, 2, -1, 0), nodes=2))
        return Outcome(stop=Stop.TIME_LIMIT, values=None, bound=None, nodes=2)

    claim = claim_of(FakeSolver(work), PROBLEM, start=NOTHING)
    assert claim.points == BEST
    assert [e.points for e in claim.trace.incumbents] == [NOTHING, BEST]
    assert [e.lower_bound for e in claim.trace.events] == [0, UNIT, UNIT]


def test_a_vector_is_rounded_and_its_intercept_chosen_anew():
    def work(model, settings, talk):
        return Outcome(stop=Stop.TIME_LIMIT, values=vector(model, 1.9999999, 0.0000001, 1), bound=None, nodes=0)

    assert claim_of(FakeSolver(work), PROBLEM).points == BEST


def test_both_solves_share_the_node_limit():
    solver = FakeSolver(honest, outcome(stop=Stop.NODE_LIMIT, nodes=7))
    claim = claim_of(solver, PROBLEM, node_limit=10)
    assert [s.nodes for s in solver.settings] == [10, 7]
    assert (claim.stop, claim.smallest, claim.nodes) == (Stop.NODE_LIMIT, False, 10)
    assert claim.lower_bound == UNIT  # F stays proven


def test_there_is_no_second_solve_when_the_budget_is_spent():
    claim = claim_of(FakeSolver(honest), PROBLEM, node_limit=3)
    assert (claim.stop, claim.smallest) == (Stop.NODE_LIMIT, False)


def test_there_is_no_second_solve_for_the_smallest_model_of_all():
    problem = Problem.of([[0], [1]], [0, 1], C0=0.9, max_points=3)

    def work(model, settings, talk):
        return Outcome(stop=Stop.OPTIMAL, values=settings.start, bound=float(model.cost @ settings.start), nodes=0)

    claim = claim_of(FakeSolver(work), problem, start=with_best_intercept(problem, [0]))
    assert claim.smallest


def test_a_gap_does_not_keep_a_proven_optimum_from_its_second_solve():
    claim = claim_of(FakeSolver(honest, outcome(bound=2.0)), PROBLEM, gap=0.5)
    assert (claim.stop, claim.lower_bound, claim.smallest) == (Stop.OPTIMAL, UNIT, True)


def test_the_known_model_is_the_start():
    solver = FakeSolver(outcome(stop=Stop.TIME_LIMIT))
    claim_of(solver, PROBLEM, start=BEST)
    assert solver.settings[0].start[0] == 2


def test_a_gap_is_passed_on_and_named_as_the_reason():
    def work(model, settings, talk):
        return Outcome(stop=Stop.OPTIMAL, values=settings.start, bound=2.5, nodes=0)

    solver = FakeSolver(work)
    claim = claim_of(solver, PROBLEM, start=NOTHING, gap=0.5, absolute_gap=0.2)
    assert (solver.settings[0].relative_gap, solver.settings[0].absolute_gap) == (0.5, 2.0)  # 0.2 is two errors
    assert (claim.stop, claim.lower_bound, claim.smallest) == (Stop.GAP, 3 * UNIT, False)
