"""When a proof is projected: by looks at a search whose clock is made up."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.base.stop import Stop
from supersparse.engine.exact.literals import n_supports
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving import monitor as module
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.proving.projection import Look, in_time, projected, roughly
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

PROBLEM = Problem.of([[0], [1], [2], [3]], [0, 0, 1, 1], C0=0.25, max_points=3)


def steady(seconds, pace=0.01, start=0.0):
    """Looks every tenth of a second at what grows at one pace."""
    return [Look(t / 10, start + pace * t / 10) for t in range(int(seconds * 10) + 1)]


@given(st.floats(1e-4, 0.05), st.integers(1, 15))
def test_a_steady_pace_is_projected_to_the_end(pace, seconds):
    assert projected(steady(seconds, pace), 1.0).seconds == pytest.approx((1 - pace * seconds) / pace)


@pytest.mark.parametrize(
    "looks",
    [
        [],
        steady(0.9),  # too soon
        [Look(1.0, 0.5)],  # no pace
        [Look(0.0, 0.0), *(Look(t, 0.1) for t in (1.0, 2.0, 3.0))],  # stands still
        [Look(0.0, 0.0), Look(1.0, 0.0), Look(1.5, 0.01), Look(2.0, 0.9)],  # two paces
        [Look(0.0, 0.9), Look(1.0, 0.8), Look(1.5, 0.7), Look(2.0, 0.6)],  # started again
    ],
)
def test_it_is_said_where_it_cannot_be_told(looks):
    assert projected(looks, 1.0) is None
    assert in_time(projected(looks, 1.0)) == "cannot be told yet"


def test_the_first_half_of_the_time_does_not_count():
    searched = [Look(t / 10, 0.0) for t in range(50)] + [Look(5 + t / 10, 0.01 * t) for t in range(51)]
    assert projected(searched, 1.0).seconds == pytest.approx(5.0)


def test_fewer_questions_are_named_where_the_limit_takes_over_a_minute():
    assert projected(steady(10, 0.1 / 400), 0.1, 10).smaller == (7, 50.0)  # 400 s in all; half for each question less
    assert projected(steady(10, 0.02), 1.0, 10).smaller is None  # 50 s
    assert projected(steady(10, 1e-9), 1.0, 10).smaller is None  # over a minute with three as well
    assert projected(steady(10, 0.1 / 400), 0.1).smaller is None  # not a card of questions


@given(st.floats(0, 1e12))
def test_a_duration_has_one_significant_digit(seconds):
    said = roughly(seconds)
    assert said == "over a year" or said.split()[0].rstrip("0") in set("123456789")


def test_a_monitor_projects_what_it_saw(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: clock[0])
    seen = []
    running = Monitor(PROBLEM, SolveOptions(on_progress=seen.append), lambda points: points)
    running.incumbent(Points((3,), -5))  # F = 1/4
    for tick in range(1, 41):  # the bound rises by 1/40 a second
        clock[0] += 0.1
        running.bound(Fraction(tick, 400))
        assert running.stop_reason() is None
    assert seen[0].projection is None
    assert seen[-1].projection.seconds == pytest.approx(6.0, abs=0.5)  # as of the last look
    assert running.claim(stop=Stop.TIME_LIMIT, smallest=False).projection.seconds == pytest.approx(6.0, abs=0.5)
    assert running.claim(stop=Stop.OPTIMAL, smallest=False).projection is None


def test_what_an_engine_measures_itself_goes_before_the_bound(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: clock[0])
    running = Monitor(PROBLEM, SolveOptions(), lambda points: points)
    running.incumbent(Points((3,), -5))
    running.progress = lambda: (clock[0] / 50, 1.0)
    for _ in range(100):
        clock[0] += 0.1
        running.stop_reason()
    assert running.claim(stop=Stop.TIME_LIMIT, smallest=False).projection.seconds == pytest.approx(40.0, rel=0.05)


@given(st.lists(st.booleans(), min_size=2, max_size=12).filter(lambda own: len(own) % 2 == 0), st.integers(0, 7))
def test_supports_are_counted_as_they_can_be_listed(allowed, most):
    listed = {()}
    for j in range(len(allowed) // 2):
        listed |= {(*own, (j, sign)) for own in listed for sign in (0, 1) if allowed[2 * j + sign]}
    assert n_supports(np.array(allowed), most) == sum(1 for own in listed if 1 <= len(own) <= most)
