"""Solvers in a process of their own."""

import os
import subprocess
import sys

import numpy as np
import pytest

from solvers import require_solver
from supersparse.errors import InvalidOptionError, SolverFailedError
from supersparse.problem.problem import Problem
from supersparse.solving.mip.build import build
from supersparse.solving.mip.child import run_in_child
from supersparse.solving.mip.precision import INTEGERS, refuse_too_wide
from supersparse.solving.mip.run import BoundReport, Outcome, RunSettings, Talk
from supersparse.stop import Stop


def some_model():
    problem = Problem.of([[0], [1]], [0, 1], max_points=1)
    rows = refuse_too_wide("test", problem, "bigm", INTEGERS)
    return build(problem, rows, formulation="bigm", precision=INTEGERS, priorities={}).model


def settings_of(**own):
    return RunSettings(
        seconds=None, nodes=None, relative_gap=0.0, absolute_gap=0.0, threads=1, seed=0, start=None, own=own
    )


def answer(model, settings, talk):
    """What the child is asked to call."""
    if settings.own.get("fail"):
        raise SolverFailedError("as asked")
    if settings.own.get("die"):
        os._exit(7)
    talk.report(BoundReport(bound=1.0))
    while settings.own.get("wait") and not talk.stopping:
        pass
    return Outcome(stop=Stop.OPTIMAL, values=np.array(model.lower), bound=2.0, nodes=5)


TARGET = "solving.mip.test_child:answer"


def test_reports_and_outcome_come_back():
    heard = []
    outcome = run_in_child(TARGET, some_model(), settings_of(), Talk(heard.append))
    assert (outcome.stop, outcome.bound, outcome.nodes) == (Stop.OPTIMAL, 2.0, 5)
    assert [r.bound for r in heard] == [1.0]


def test_a_request_to_stop_reaches_the_child():
    talk = Talk(lambda report: talk.stop())
    assert run_in_child(TARGET, some_model(), settings_of(wait=True), talk).nodes == 5


def test_what_the_child_raises_is_raised_here():
    with pytest.raises(SolverFailedError, match="as asked"):
        run_in_child(TARGET, some_model(), settings_of(fail=True), Talk(lambda report: None))


def test_an_order_is_the_same_after_the_pipe():
    import io

    from supersparse.solving.mip.messages import Order, read_message, write_message

    settings = RunSettings(
        seconds=1.5, nodes=None, relative_gap=0.0, absolute_gap=0.1, threads=2, seed=3,
        start=np.array([1.0, -2.0]), own={"a": True, "b": [1, 2.5], "c": "text", "d": np.int64(4)},
    )  # fmt: skip
    model, pipe = some_model(), io.BytesIO()
    write_message(pipe, Order("module:function", model, settings))
    write_message(pipe, BoundReport(values=np.array([0.5]), bound=float("-inf")))
    pipe.seek(0)
    order, report = read_message(pipe), read_message(pipe)
    assert (order.target, order.settings.own) == ("module:function", {**settings.own, "d": 4})
    assert (order.settings.seconds, order.settings.nodes) == (1.5, None)
    np.testing.assert_array_equal(order.settings.start, settings.start)
    np.testing.assert_array_equal(order.model.upper, model.upper)
    assert order.model.upper.flags.writeable
    assert (order.model.rows.matrix != model.rows.matrix).nnz == 0
    assert order.model.indicators.when.dtype == bool
    assert (report.values.tolist(), report.bound, report.nodes) == ([0.5], float("-inf"), None)
    with pytest.raises(EOFError):
        read_message(pipe)


def test_an_option_that_no_message_can_hold_is_refused():
    with pytest.raises(InvalidOptionError, match="solver_options"):
        run_in_child(TARGET, some_model(), settings_of(what=object()), Talk(lambda report: None))


def test_a_child_that_dies_is_a_failure_not_a_hang():
    with pytest.raises(SolverFailedError, match="ended with code 7"):
        run_in_child(TARGET, some_model(), settings_of(die=True), Talk(lambda report: None))


@pytest.mark.long
def test_highs_and_cpsat_work_in_one_process_in_either_order():
    for name in ("highs", "cpsat"):
        require_solver(name)
    code = (
        "from supersparse.problem.problem import Problem\n"
        "from supersparse.solving.search import incumbent\n"
        "from supersparse.solving.solve import solve\n"
        "incumbent.search = lambda problem, monitor: None\n"
        "problem = Problem.of([[0], [1], [1]], [0, 1, 1], C0=0.2, max_points=3)\n"
        "for name in {order}:\n"
        "    assert solve(problem, name).proven_smallest\n"
    )
    for order in (["highs", "cpsat", "highs"], ["cpsat", "highs"]):
        subprocess.run([sys.executable, "-c", code.format(order=order)], check=True)
