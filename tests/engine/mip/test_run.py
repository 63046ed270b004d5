import threading

import pytest

from supersparse.base.stop import Stop
from supersparse.engine.mip.run import BoundReport, Outcome, Talk, attend

DONE = Outcome(stop=Stop.OPTIMAL, values=None, bound=None, nodes=0)


def never():
    return False


def test_reports_are_heard_in_the_callers_thread():
    heard = []

    def work(talk):
        talk.report(BoundReport(nodes=1))
        talk.report(BoundReport(nodes=2))
        return DONE

    assert attend(work, lambda r: heard.append((r.nodes, threading.current_thread())), never) is DONE
    assert heard == [(1, threading.current_thread()), (2, threading.current_thread())]


def test_what_the_solver_raises_is_raised():
    def work(talk):
        raise ZeroDivisionError("inside")

    with pytest.raises(ZeroDivisionError, match="inside"):
        attend(work, lambda r: None, never)


def test_what_a_listener_raises_stops_the_solver_and_is_raised():
    stopped = threading.Event()

    def work(talk):
        with talk.interrupted_by(stopped.set):
            talk.report(BoundReport(nodes=1))
            assert stopped.wait(600)
        return DONE

    def listen(report):
        raise KeyError("listener")

    with pytest.raises(KeyError, match="listener"):
        attend(work, listen, never)
    assert stopped.is_set()


def test_a_solver_is_asked_to_stop():
    def work(talk):
        asked = threading.Event()
        with talk.interrupted_by(asked.set):
            assert asked.wait(600)
        assert talk.stopping
        return DONE

    assert attend(work, lambda r: None, lambda: True) is DONE


def test_a_request_that_came_early_is_not_forgotten():
    talk = Talk(lambda r: None)
    talk.stop()
    asked = []
    with talk.interrupted_by(lambda: asked.append(1)):
        pass
    assert asked == [1]


def test_nothing_is_interrupted_after_it_is_over():
    talk = Talk(lambda r: None)
    with talk.interrupted_by(lambda: pytest.fail("over")):
        pass
    talk.stop()
