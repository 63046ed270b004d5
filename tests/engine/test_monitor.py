"""The monitor: best model, best bound, limits, cancellation and Ctrl-C."""

import os
import signal
import threading
from fractions import Fraction

import pytest

from supersparse.base.stop import Stop
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.solve import solve
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

PROBLEM = Problem.of([[0], [1], [2], [3]], [0, 0, 1, 1], C0=0.25, max_points=3)
CONSTANT = Points((0,), -1)  # 2 errors: F = 1/2
LOOSE = Points((3,), -5)  # no error: F = 1/4, l1 = 3
TIGHT = Points((2,), -3)  # no error: F = 1/4, l1 = 2


def monitor(**options):
    return Monitor(PROBLEM, SolveOptions(**options), lambda points: points)


def test_only_a_better_objective_or_a_smaller_l1_is_an_improvement():
    running = monitor()
    assert [running.incumbent(p) for p in (CONSTANT, LOOSE, CONSTANT, LOOSE, TIGHT, LOOSE)] == [
        True,
        True,
        False,
        False,
        True,
        False,
    ]
    assert running.best == TIGHT
    assert running.best_evaluation.objective == Fraction(1, 4)


def test_a_bound_only_rises_and_never_above_the_incumbent():
    running = monitor()
    running.incumbent(LOOSE)
    running.bound(Fraction(1, 8))
    running.bound(Fraction(1, 16))
    assert running.lower_bound == Fraction(1, 8)
    running.bound(Fraction(9))
    assert running.lower_bound == Fraction(1, 4)


def test_every_event_is_told_and_kept():
    told = []
    running = monitor(on_progress=told.append)
    running.incumbent(CONSTANT)
    running.nodes = 5
    running.bound(Fraction(1, 8))
    claim = running.claim(stop=Stop.OPTIMAL, smallest=False)
    assert claim.trace.events == tuple(told)
    assert [(e.points, e.objective, e.lower_bound, e.nodes) for e in told] == [
        (CONSTANT, Fraction(1, 2), 0, 0),
        (None, Fraction(1, 2), Fraction(1, 8), 5),
    ]


def test_it_says_why_to_stop():
    assert monitor().stop_reason() is None
    assert monitor(time_limit=0).stop_reason() is Stop.TIME_LIMIT
    assert monitor(node_limit=0).stop_reason() is Stop.NODE_LIMIT
    assert monitor(cancel=lambda: True).stop_reason() is Stop.INTERRUPTED
    assert monitor(time_limit=1000).stop_reason() is None
    assert 0 < monitor(time_limit=1000).seconds_left <= 1000
    assert monitor().seconds_left is None


@pytest.mark.parametrize("gap", [{"gap": 0.5}, {"absolute_gap": 0.125}])
def test_it_stops_at_the_gap_asked_for_and_not_before(gap):
    running = monitor(**gap)
    assert not running.gap_reached
    running.incumbent(LOOSE)
    running.bound(Fraction(12, 100))
    assert running.stop_reason() is None
    running.bound(Fraction(1, 8))
    assert running.stop_reason() is Stop.GAP


def test_a_gap_of_zero_is_reached_by_proof_only():
    running = monitor()
    running.incumbent(LOOSE)
    running.bound(Fraction(1, 4))
    assert running.stop_reason() is None


def interrupt_after(event):
    if event.objective == Fraction(1, 4):
        os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_during_a_solve_keeps_the_best_found():
    before = signal.getsignal(signal.SIGINT)
    solution = solve(PROBLEM, "exhaustive", on_progress=interrupt_after)
    assert solution.stop is Stop.INTERRUPTED
    assert solution.objective == Fraction(1, 4)
    assert not solution.proven_optimal
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_interrupts_as_usual():
    def twice(event):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        solve(PROBLEM, "exhaustive", on_progress=twice)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_solve_outside_the_main_thread_leaves_signals_alone():
    found = []
    thread = threading.Thread(target=lambda: found.append(solve(PROBLEM, "exhaustive")))
    thread.start()
    thread.join()
    assert found[0].proven_optimal
