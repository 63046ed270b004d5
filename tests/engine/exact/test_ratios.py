"""The ratio bound, boxes of all coefficients: never above the optimum, exact at the end, and its turns."""

import threading
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from counts import examples
from engine.exact.box_problems import boxes_of, small_problems, table
from supersparse.base.stop import Stop
from supersparse.engine.core import choose_loops, loops
from supersparse.engine.exact import ratios
from supersparse.engine.exact.bounds import SHARES
from supersparse.engine.exact.cuts import Cuts
from supersparse.engine.exact.engine import ErrorsRun
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.ratio_data import (
    DONE,
    FOUND,
    NEXT,
    TOP,
    first_box,
    first_literals,
    least_gap,
    point_pairs,
    run_ratio_boxes,
    stack_for,
)
from supersparse.engine.exact.ratios import RatioBoxes, RatioProof
from supersparse.engine.exhaustive import _all_points
from supersparse.engine.integer_form import integer_form
from supersparse.engine.options import SolveOptions
from supersparse.engine.presolve import MergeRows
from supersparse.engine.proving.bounds import Known, Turns
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.proving.proof import Budget
from supersparse.engine.search.incumbent import smallest_coefficients
from supersparse.engine.solve import solve
from supersparse.problem.objective import completed, evaluate
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.long
@settings(max_examples=examples(30), deadline=None)
@given(small_problems())
def test_it_ends_at_the_optimum_of_exhaustive_search(problem):
    merged = MergeRows.apply(problem)
    bound, monitor = boxes_of(merged)
    if bound is None:
        return
    best = min(evaluate(merged, points).objective for points in _all_points(merged))
    seen = []
    while not bound.is_done:
        bound.run(20_000, lambda: False)
        assert min(bound.lower_bound, monitor.best_evaluation.objective) <= best
        seen.append(bound.lower_bound)
    assert seen == sorted(seen)
    assert monitor.best_evaluation.objective == best
    assert bound.lower_bound >= best


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 10**15), st.integers(1, 2))
def test_rows_that_can_both_be_right_have_the_gap_in_32_bits_too(seed, scale, gap):
    rng = np.random.default_rng(seed)
    columns, most = rng.integers(-scale, scale + 1, (3, 8)), int(rng.integers(1, 11))
    points = np.column_stack([rng.integers(-10, 11, (200, 2)), rng.integers(1, most + 1, 200)])
    ratios = points / points[:, 2:]
    needed = least_gap(columns, np.abs(ratios).max(axis=0), gap, most)
    exact = points @ columns
    d = (columns[:, :, None] - columns[:, None, :]).astype(np.float32)
    sums = np.zeros((len(points), 8, 8), np.float32)
    for f in range(3):
        sums += ratios.astype(np.float32)[:, f, None, None] * d[f]
    assert sums.dtype == needed.dtype == np.float32
    above = exact[:, :, None] - exact[:, None, :] >= gap
    assert sums[above].min(initial=needed) >= needed
    for up, down in (([0, 1], [2]), ([0], [1, 2, 3]), ([0, 1, 2], [3, 4, 5])):  # groups: all above all
        means = [c[up].mean() - c[down].mean() for c in (columns - columns[:, :1]).astype(np.float64)]
        sums = np.zeros(len(points), np.float32)
        for f in range(3):
            sums += ratios.astype(np.float32)[:, f] * np.float32(means[f])
        right = (exact[:, up].min(axis=1) - exact[:, down].max(axis=1)) >= gap
        assert sums[right].min(initial=needed) >= needed


def ratios_in(box, vector):
    """Whether the ratios of a vector's coefficients to the base are in a box."""
    ratios, low, high, base, sign = box
    if vector[base] * sign <= 0:
        return False
    places = [np.searchsorted(ratios.exact, abs(v) / abs(vector[base])) for v in vector]
    return all(a <= np.sign(v) * place <= b for a, b, place, v in zip(low, high, places, vector, strict=True))


@settings(max_examples=examples(15), deadline=None)
@given(small_problems())
def test_every_model_is_in_one_of_the_first_boxes(problem):
    (case,) = instances(integer_form(MergeRows.apply(problem)))
    literals = first_literals(case)
    boxes = [(*first_box(case, literals, at), *literals[at]) for at in range(len(literals))]
    sides = [(v.of_sign(-1).largest, v.of_sign(1).largest) for v in case.form.values]
    for vector in product(*(range(-a, b + 1) for a, b in sides)):
        assert not any(vector) or any(ratios_in(box, vector) for box in boxes)


def test_beside_the_tree_it_closes_the_proof_and_says_that_ties_were_left_open(monkeypatch):
    X, y = table()
    problem = Problem.of(X, y, C0=0.02, max_points=5)
    expected = solve(problem, "exact")
    assert expected.stop is Stop.OPTIMAL
    monkeypatch.setitem(SHARES, "ratios", replace(SHARES["ratios"], after=1, part=10_000))
    beside = solve(problem, "exact")
    assert beside.stop is Stop.BOUND
    assert beside.objective == beside.lower_bound == expected.objective


def test_threads_take_its_steps_too(monkeypatch):
    X, y = table(80, 6)
    problem = Problem.of(X, y, C0=0.02, max_points=5)
    expected = solve(problem, "exact").objective
    monkeypatch.setitem(SHARES, "ratios", replace(SHARES["ratios"], after=1, part=10_000))
    monkeypatch.setattr(ErrorsRun, "alone_before_threads", 0)
    monkeypatch.setattr(ratios, "_WORK_PER_STEP", 100_000)
    names, run, second_came = set(), RatioBoxes.run, threading.Event()

    def noted(self, *args):
        name = threading.current_thread().name
        if name.startswith("proof-") and name not in names:
            names.add(name)
            if len(names) > 1:
                second_came.set()
            second_came.wait(60)  # alone, the first might be done before another one has its turn
        run(self, *args)

    monkeypatch.setattr(RatioBoxes, "run", noted)
    beside = solve(problem, "exact", n_jobs=3)
    assert beside.objective == expected
    assert beside.proven_optimal
    assert second_came.is_set()


@pytest.mark.parametrize("seed", [1, *(pytest.param(s, marks=pytest.mark.long) for s in range(2, 12))])
def test_several_threads_prove_what_one_does(seed):
    X, y = table(60, 5, seed, 0.15)
    problem = MergeRows.apply(Problem.of(X, y, C0=0.01, max_points=3))
    alone, monitor = boxes_of(problem)
    while not alone.is_done:
        alone.run(10**9, lambda: False)
    shared, other = boxes_of(problem, threads=3)

    def work():
        while not shared.is_done:
            shared.run(20_000, lambda: False)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert monitor.best_evaluation.objective == other.best_evaluation.objective
    assert shared.lower_bound == alone.lower_bound == other.best_evaluation.objective


def test_a_thread_waits_for_boxes_that_others_have_and_for_no_more_than_memory_allows(monkeypatch):
    X, y = table(60, 5)
    bound, _ = boxes_of(MergeRows.apply(Problem.of(X, y, C0=0.01, max_points=3)), threads=64)
    assert not bound.wait(60)  # boxes are there
    taken = []
    while bound.has_room:
        taken.append(bound.proof.take(1))
    count_idle = bound.proof._count_idle

    def waiting(change):  # holds the lock, so what is put back comes while the thread waits
        count_idle(change)
        if change > 0:
            monkeypatch.undo()
            threading.Thread(target=bound.proof.put_back, args=(taken[0],)).start()

    monkeypatch.setattr(bound.proof, "_count_idle", waiting)
    assert bound.wait(600)
    assert bound.has_room
    assert not bound.wait(60)
    again = bound.proof.take(1)
    bound.proof.threads = bound.proof.takers
    assert not bound.wait(60)  # whoever came would find no room: there is the tree
    bound.proof.put_back(again)


def proof_on(form, problem, threads=1):
    """The bound beside a tree, a model without features being known, and its turns."""
    monitor = Monitor(problem, SolveOptions(), lambda points: points)
    monitor.incumbent(completed(problem, smallest_coefficients(problem)))
    bound = RatioProof(instances(form), Cuts(form, monitor), threads)
    turns = Turns({"ratios": replace(SHARES["ratios"], make=lambda _: bound)}, None)
    return bound, turns, Known(monitor.best_evaluation.objective, Fraction(0))


@pytest.mark.parametrize("course", ["has_just_begun", "is_on_course", None])
def test_only_while_boxes_promise_more_than_the_tree_are_they_waited_for(course, monkeypatch):
    X, y = table(60, 5)
    problem = MergeRows.apply(Problem.of(X, y, C0=0.01, max_points=3))
    bound, _, known = proof_on(integer_form(problem), problem, threads=4)
    assert not bound.wait()
    bound.step(known, Budget(1, lambda: False))
    for name in ("has_just_begun", "is_on_course"):
        monkeypatch.setattr(RatioBoxes, name, name == course)
    monkeypatch.setattr(RatioBoxes, "wait", lambda self, seconds: True)
    assert bound.wait() == (course is not None)


def test_no_more_threads_work_on_boxes_than_memory_allows(monkeypatch):
    X, y = table(60, 5)
    problem = MergeRows.apply(Problem.of(X, y, C0=0.01, max_points=3))
    bound, _ = boxes_of(problem, threads=4)
    monkeypatch.setattr(ratios, "_MOST_BYTES", 2 * bound.rooms.pairs.difference.nbytes)
    bound, monitor = boxes_of(problem, threads=4)
    first = bound.proof.take(1)
    assert bound.has_room
    second = bound.proof.take(1)
    assert not bound.has_room
    for taken in (first, second):
        bound.proof.put_back(taken)
    while not bound.is_done:
        bound.run(10**9, lambda: False)
    assert bound.lower_bound == monitor.best_evaluation.objective


def test_it_waits_for_the_first_proof_and_takes_its_share():
    X, y = table(20, 4)
    problem = MergeRows.apply(Problem.of(X, y, C0=0.02, max_points=2))
    bound, turns, known = proof_on(integer_form(problem), problem)
    after = SHARES["ratios"].after
    assert not turns.is_due(bound, after - 1)
    assert turns.is_due(bound, after)
    bound.step(known, Budget(1, lambda: False))
    assert bound.work > 0
    assert not turns.is_due(bound, after)


def test_it_is_on_course_once_two_rounds_say_what_to_expect_and_until_a_round_takes_far_more():
    X, y = table(60, 5, noise=0.15)
    bound, _ = boxes_of(MergeRows.apply(Problem.of(X, y, C0=0.01, max_points=3)))
    for rounds in range(2):
        assert not bound.is_on_course
        while len(bound.finished) == rounds:
            bound.run(1, lambda: False)
    (before, little), (last, much) = bound.finished
    assert last < bound.cut
    expected = much * (much / little) ** ((bound.cut - last) / (last - before))
    bound.proof.work += int(4.9 * expected)
    assert bound.is_on_course
    bound.proof.work += int(0.2 * expected)
    assert not bound.is_on_course


def test_on_course_it_gets_almost_all_of_the_work(monkeypatch):
    X, y = table(60, 5)
    problem = MergeRows.apply(Problem.of(X, y, C0=0.01, max_points=3))
    bound, turns, known = proof_on(integer_form(problem), problem)
    began = SHARES["ratios"].after
    assert turns.is_due(bound, began)
    bound.step(known, Budget(1, lambda: False))
    for is_on_course, share in ((False, 4), (True, 64)):
        monkeypatch.setattr(RatioBoxes, "is_on_course", is_on_course)
        assert turns.is_due(bound, began + bound.work // share + 1)
        assert not turns.is_due(bound, began + bound.work // share)


def test_the_search_keeps_pace_with_the_bound_that_works_most(monkeypatch):
    X, y = table(60, 5)
    problem = MergeRows.apply(Problem.of(X, y, C0=0.01, max_points=3))
    _, turns, _ = proof_on(integer_form(problem), problem)
    monkeypatch.setattr(RatioProof, "work", 4_000)
    assert turns.pace == 1_000


def test_limits_are_seen_between_its_steps(monkeypatch):
    X, y = table(80, 6, noise=0.2)
    problem = Problem.of(X, y, C0=0.005, max_points=5)
    monkeypatch.setitem(
        SHARES, "ratios", replace(SHARES["ratios"], after=1, part=10**9)
    )  # the tree never has another turn
    monkeypatch.setattr(ratios, "_WORK_PER_STEP", 1000)
    steps, run = [], RatioBoxes.run

    def counted(self, *args):
        steps.append(self.proof.work)
        run(self, *args)

    monkeypatch.setattr(RatioBoxes, "run", counted)
    found = solve(problem, "exact", cancel=lambda: len(steps) >= 20)
    assert found.stop is Stop.INTERRUPTED
    assert len(steps) == 20
    assert len(set(steps)) == 20
    steps.clear()
    found = solve(problem, "exact", node_limit=12)
    assert found.stop is Stop.NODE_LIMIT
    assert found.nodes == 12
    assert steps


@pytest.mark.parametrize(
    "options", [{"C1": 0.001}, {"intercept": "none"}, {"max_features": 1}, {"points": [-5, -1, 0, 1, 5]}]
)
def test_it_stays_out_where_its_argument_does_not_hold(options):
    X, y = table(20, 4)
    problem = MergeRows.apply(Problem.of(X, y, C0=0.02, **({"points": 3} | options)))
    assert not any(RatioBoxes.applies(case) for case in instances(integer_form(problem)))


def test_it_leaves_binary_columns_to_the_others():
    rng = np.random.default_rng(2)
    problem = Problem.of(rng.integers(0, 2, (40, 6)), rng.integers(0, 2, 40), C0=0.02, max_points=3)
    assert not any(RatioBoxes.applies(case) for case in instances(integer_form(MergeRows.apply(problem))))


def test_the_same_work_gives_the_same_bound_however_it_is_cut():
    X, y = table(40, 5)
    problem = MergeRows.apply(Problem.of(X, y, C0=0.02, max_points=4))
    whole, _ = boxes_of(problem)
    sliced, _ = boxes_of(problem)
    whole.run(3_000_000, lambda: False)
    while sliced.proof.work < whole.proof.work and not sliced.is_done:
        sliced.run(min(7_000, whole.proof.work - sliced.proof.work), lambda: False)
    assert sliced.lower_bound == whole.lower_bound
    assert sliced.cut == whole.cut


@settings(max_examples=examples(30), deadline=None)
@given(small_problems(), st.integers(0, 2**32))
def test_a_box_closes_only_where_every_vector_in_it_costs_more(problem, seed):
    merged, rng = MergeRows.apply(problem), np.random.default_rng(seed)
    form = integer_form(merged)
    (case,) = instances(form)
    if not RatioBoxes.applies(case):
        return
    literals = first_literals(case)
    at = int(rng.integers(len(literals)))
    ratios, low, high = first_box(case, literals, at)
    low = np.array([rng.integers(a, b + 1) for a, b in zip(low, high, strict=True)])
    high = np.array([rng.integers(a, b + 1) for a, b in zip(low, high, strict=True)])
    box = (ratios, low, high, *literals[at])
    sides = [(v.of_sign(-1).largest, v.of_sign(1).largest) for v in form.values]
    vectors = [v for v in product(*(range(-a, b + 1) for a, b in sides)) if ratios_in(box, v)]
    costs = {v: form.in_kernel_units(evaluate(merged, completed(merged, v)).objective) for v in vectors}
    cut = int(rng.choice(list(costs.values()) or [5])) - int(rng.integers(0, 2))
    pairs = point_pairs(case)
    stack = stack_for(pairs)
    stack.low[0], stack.high[0], stack.number[TOP] = low, high, 1
    result = run_ratio_boxes(pairs, ratios, stack, cut, 2**60)
    assert result == (FOUND if min(costs.values(), default=cut + 1) <= cut else DONE)
    if result == FOUND:
        assert costs[tuple(stack.vector.tolist())] <= cut


def groups_found(seed):
    """Search all models of a noisy table for ones better than the best, and for the best itself."""
    X, y = table(80, 6, seed, 0.2)
    merged = MergeRows.apply(Problem.of(X, y, C0=0.005, max_points=1))
    form = integer_form(merged)
    (case,) = instances(form)
    vectors = product(range(-1, 2), repeat=6)
    best = min(form.in_kernel_units(evaluate(merged, completed(merged, v)).objective) for v in vectors)
    pairs, literals = point_pairs(case), first_literals(case)
    stack, results = stack_for(pairs), []
    for at in range(len(literals)):
        for cut in (best - 1, best):
            ratios, stack.low[0], stack.high[0] = first_box(case, literals, at)
            stack.load[0], stack.number[TOP] = 0, 1
            results.append((cut, run_ratio_boxes(pairs, ratios, stack, cut, 2**60)))
    assert {result for cut, result in results if cut < best} == {DONE}
    assert (best, FOUND) in results
    return case, pairs, int(stack.number[NEXT])


@pytest.mark.parametrize("seed", [0, 2, *(pytest.param(s, marks=pytest.mark.long) for s in range(3, 60))])
def test_groups_of_several_points_are_found_and_close_no_box_with_the_best_model(seed):
    case, pairs, n = groups_found(seed)
    up, down = case.form.columns[:, case.positive_row], case.form.columns[:, case.negative_row]
    assert n > 0 or seed > 2
    for g in range(min(n, len(pairs.name))):
        members = [int(i) for i in pairs.member[pairs.n_pairs + g] if i >= 0]
        assert len(set(members)) == len(members) > 2
        first = [i for i in members if i < pairs.n_positive]
        second = [i - pairs.n_positive for i in members if i >= pairs.n_positive]
        sums = np.array([[1] * len(first) + [0] * len(second), [0] * len(first) + [1] * len(second)])
        parts = np.vstack([np.hstack([up[:, first], -down[:, second]]), 1000 * sums])  # weighted means
        d = pairs.difference[:, pairs.n_pairs + g].astype(float)
        assert nnls(parts, np.append(d, [1000.0, 1000.0]))[1] < 1e-4


def test_every_version_of_the_loops_leaves_the_same_bits():
    best, left = loops(), []
    versions = ["baseline", "avx2", "avx512"]
    try:
        for version in versions[: versions.index(best) + 1]:
            choose_loops(version)
            case, pairs, _ = groups_found(0)
            (ratios, low, high), stack = first_box(case, first_literals(case), 0), stack_for(pairs)
            stack.low[0], stack.high[0], stack.number[TOP] = low, high, 1
            run_ratio_boxes(pairs, ratios, stack, int(pairs.base_cost) * 2, 200_000)
            left.append([pairs.difference, stack.number, stack.load, stack.listed.reach, stack.prices.inverse])
    finally:
        choose_loops("best")
    for arrays in left[1:]:
        assert all(a.tobytes() == b.tobytes() for a, b in zip(left[0], arrays, strict=True))
