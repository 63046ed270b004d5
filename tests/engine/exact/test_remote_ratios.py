"""Boxes of the ratio bound elsewhere: the same optimum, and nothing lost with a worker or forged by one."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from counts import examples
from engine.exact.box_problems import boxes_of, small_problems, table
from engine.losing import Losing, killed_processes
from supersparse.base.stop import Stop
from supersparse.engine.exact import ratios
from supersparse.engine.exact.bounds import SHARES
from supersparse.engine.exact.engine import ErrorsRun
from supersparse.engine.exact.pair_covers import PairCovers
from supersparse.engine.exact.ratios import BoxOutcome, RatioBoxes
from supersparse.engine.exhaustive import _all_points
from supersparse.engine.presolve import MergeRows
from supersparse.engine.proving.cluster import RemoteParts, as_bytes
from supersparse.engine.solve import solve
from supersparse.errors import WorkerLostWarning
from supersparse.problem.objective import evaluate
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def remote_boxes_of(problem, slices=3):
    """The boxes of a problem for a cluster, the boxes themselves, and the monitor."""
    bound, monitor = boxes_of(problem)
    if bound is None:
        return None, None, monitor
    boxes = RemoteParts(bound.proof, bound)
    boxes.divide_among(slices)
    return boxes, bound, monitor


def done(boxes, taken, work):
    """What a worker hands back that has never heard of the problem."""
    function, digest, content, rest, _ = boxes.request(taken)
    return function(digest, content, *rest, work)


def proven(boxes, bound, seed=0):
    """Work on all boxes in slices, most of which leave something; a fifth of them is lost."""
    rng, slices = np.random.default_rng(seed), 0
    while not bound.is_done:
        at_once = []
        while len(at_once) < 3 and (taken := boxes.take()) is not None:
            at_once.append(taken)
        assert at_once
        for taken in at_once:
            if rng.random() < 0.2:
                boxes.put_back(taken)
            else:
                work = int(rng.choice([1, 1000, 20_000]))
                boxes.receive(taken, boxes.read(taken, done(boxes, taken, work)))
                slices += 1
    return slices


@settings(max_examples=examples(20), deadline=None)
@given(small_problems())
def test_slices_elsewhere_end_at_the_optimum_of_exhaustive_search(problem):
    merged = MergeRows.apply(problem)
    boxes, bound, monitor = remote_boxes_of(merged)
    if boxes is None:
        return
    proven(boxes, bound)
    best = min(evaluate(merged, points).objective for points in _all_points(merged))
    assert monitor.best_evaluation.objective == best
    assert bound.lower_bound >= best


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_many_slices_prove_what_one_solve_does(seed):
    X, y = table(30, 4, seed, 0.15)
    problem = MergeRows.apply(Problem.of(X, y, C0=0.01, max_points=3))
    boxes, bound, monitor = remote_boxes_of(problem)
    assert proven(boxes, bound, seed) > 10
    expected = solve(problem, "exact").objective
    assert monitor.best_evaluation.objective == bound.lower_bound == expected


class Counting(Losing):
    """Counts what is sent, and notes the most work of a slice, by the name of the function."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.sent, self.most_work = Counter(), Counter()

    def submit(self, function, /, *args, **kwargs):
        name = function.__name__
        self.sent[name] += 1
        self.most_work[name] = max(self.most_work[name], args[-1])
        return super().submit(function, *args, **kwargs)


@pytest.fixture
def at_once(monkeypatch):
    """Boxes begin at once, and slices are short, so that a small problem is cut up."""
    monkeypatch.setattr(ErrorsRun, "alone_before_executor", 0)
    for kind in (PairCovers, RatioBoxes):
        monkeypatch.setattr(kind, "least_work", 20_000)
        monkeypatch.setattr(kind, "most_work", 40_000)
    monkeypatch.setitem(SHARES, "ratios", replace(SHARES["ratios"], after=1, part=4))


def hard(seed=1):
    X, y = table(80, 6, seed)
    return Problem.of(X, y, C0=0.02, max_points=5)


@pytest.mark.parametrize("lost", [set(), {3, 4, 6, 9, 12, 20}], ids=["none lost", "some lost"])
def test_an_executor_works_on_boxes_and_on_the_tree(at_once, lost):
    expected = solve(hard(), "exact").objective
    with Counting(lost) as executor:
        found = solve(hard(), "exact", executor=executor)
    assert found.objective == found.lower_bound == expected
    assert executor.sent["run_boxes_remotely"] > executor.sent["run_remotely"] > 0
    assert executor.most_work["run_boxes_remotely"] > executor.most_work["run_remotely"] == 20_000


def test_without_the_executor_boxes_are_worked_on_here(at_once):
    expected = solve(hard(), "exact").objective
    with Counting(set(), last=12) as executor, pytest.warns(WorkerLostWarning, match="the rest is done here"):
        found = solve(hard(), "exact", executor=executor)
    assert found.objective == found.lower_bound == expected
    assert executor.sent["run_boxes_remotely"] > 0


def test_boxes_that_prove_nothing_leave_the_executor_to_the_tree(at_once, monkeypatch):
    expected = solve(hard(), "exact")
    monkeypatch.setattr(ratios.RatioProof, "bound", Fraction(0))
    monkeypatch.setitem(SHARES, "ratios", replace(SHARES["ratios"], after=1, part=10_000))
    with Counting() as executor:
        found = solve(hard(), "exact", executor=executor)
    assert (found.stop, found.objective) == (Stop.OPTIMAL, expected.objective)
    assert executor.sent["run_boxes_remotely"] > 0


class LosingBoxes(Counting):
    """Loses every slice of boxes."""

    def submit(self, function, /, *args, **kwargs):
        if function.__name__ == "run_boxes_remotely":
            self.lost = {*self.lost, self.n + 1}
        return super().submit(function, *args, **kwargs)


def test_boxes_that_fail_everywhere_are_worked_on_here(at_once):
    expected = solve(hard(), "exact").objective
    with LosingBoxes(set()) as executor, pytest.warns(WorkerLostWarning):
        found = solve(hard(), "exact", executor=executor)
    assert found.objective == found.lower_bound == expected
    assert executor.sent["run_boxes_remotely"] > 3


@pytest.mark.long
def test_processes_that_are_killed_lose_no_boxes(at_once):
    X, y = table(120, 8, 3, 0.15)
    problem = Problem.of(X, y, C0=0.01, max_points=5)
    with killed_processes() as executor:
        found = solve(problem, "exact", executor=executor)
    assert found.proven_optimal
    assert found.objective == solve(problem, "exact").objective


def test_a_worker_asks_for_pairs_that_it_does_not_know():
    X, y = table(20, 4)
    boxes, _, _ = remote_boxes_of(MergeRows.apply(Problem.of(X, y, C0=0.02, max_points=2)))
    function, _, content, rest, _ = boxes.request(boxes.take())
    assert function("another digest", None, *rest, 1000) is None
    assert function("another digest", content, *rest, 1000).work > 0


def forged(taken, change):
    """The boxes that were sent, the last ones changed, as what a worker has left."""
    *others, last = taken.parts
    arrays = {"low": last.low.copy(), "high": last.high.copy(), "load": last.load.copy()}
    change(arrays)
    written = [[*boxes.ratios, boxes.low, boxes.high, boxes.load] for boxes in others]
    return tuple(map(as_bytes, [*written, [*last.ratios, *arrays.values()]]))


def wider(arrays):
    arrays["high"] += 1


def upside_down(arrays):
    arrays["low"], arrays["high"] = arrays["high"] + 1, arrays["low"] - 1


def of_other_features(arrays):
    for name, array in arrays.items():
        arrays[name] = array[..., :-1]


def of_other_numbers(arrays):
    arrays["load"] = arrays["load"].astype(np.int32)


def without_an_end(arrays):
    arrays["high"] = arrays["high"][:0]


@pytest.mark.parametrize(
    "change", [wider, upside_down, of_other_features, of_other_numbers, without_an_end], ids=lambda f: f.__name__
)
def test_boxes_that_no_slice_can_have_left_are_refused(change):
    X, y = table(20, 4)
    boxes, _, _ = remote_boxes_of(MergeRows.apply(Problem.of(X, y, C0=0.02, max_points=2)))
    taken = boxes.take()
    assert boxes.read(taken, BoxOutcome(forged(taken, lambda arrays: None), (), 1, b""))
    with pytest.raises(ValueError, match="box"):
        boxes.read(taken, BoxOutcome(forged(taken, change), (), 1, b""))


@pytest.mark.parametrize(
    ("found", "work", "why"),
    [
        ((1, 0, 0), 1, "a model needs 4 coefficients"),
        ((3, 0, 0, 0), 1, "the coefficient 3 is not allowed"),
        ((0.5, 0, 0, 0), 1, "0.5 is not a whole number"),
        (None, 1, "a model needs 4 coefficients"),
        ((), -1, "-1 is not how much a slice can do"),
        ((), None, "None is not how much a slice can do"),
    ],
)
def test_a_model_and_work_of_no_slice_are_refused(found, work, why):
    X, y = table(20, 4)
    boxes, _, _ = remote_boxes_of(MergeRows.apply(Problem.of(X, y, C0=0.02, max_points=2)))
    taken = boxes.take()
    written = forged(taken, lambda arrays: None)
    assert boxes.read(taken, BoxOutcome(written, (1, 0, 0, -2), 1, b"")).found == [1, 0, 0, -2]
    with pytest.raises(ValueError, match=why):
        boxes.read(taken, BoxOutcome(written, found, work, b""))
