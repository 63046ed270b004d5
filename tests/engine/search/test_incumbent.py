"""The incumbent search: feasible, repeatable, honest about what it found."""

import numpy as np
import pytest
from hypothesis import given, settings

from counts import examples
from engine.exact.hard import medium, noisy
from strategies import cases
from supersparse.constraints import must_use
from supersparse.engine.integer_form import integer_form
from supersparse.engine.options import SolveOptions
from supersparse.engine.presolve import presolve
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.search.incumbent import Search, search, smallest_coefficients
from supersparse.engine.search.kernels import search_data
from supersparse.engine.search.paths import Surrogate, backward_path, roundings
from supersparse.engine.solve import solve
from supersparse.engine.verify import check_points
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def searched(problem, work=2_000_000, **options):
    small = presolve(problem)
    monitor = Monitor(small.problem, SolveOptions(**options), small.restore)
    search(small.problem, monitor, work)
    return monitor


@settings(max_examples=examples(30))
@given(cases())
def test_whatever_it_reports_is_feasible_and_no_better_than_the_optimum(case):
    events = []
    found = searched(case.problem, on_progress=events.append)
    best = solve(case.problem, "exact")
    for event in events:
        if event.points is not None:
            check_points(case.problem, event.points, "what the search reports")
            assert event.objective >= best.objective
    assert found.best_evaluation.objective >= best.objective


def test_it_finds_the_optimum_of_most_small_problems():
    hits = 0
    for seed in range(6):
        problem = medium(seed=seed)
        hits += searched(problem, 20_000_000).best_evaluation.objective == solve(problem, "exact").objective
    assert hits >= 5


def test_the_same_seed_finds_the_same_models_and_another_seed_walks_elsewhere():
    first, again = (searched(noisy(), random_state=3) for _ in range(2))
    assert [e.points for e in first._events] == [e.points for e in again._events]
    other = searched(noisy(), 20_000_000, random_state=4)
    same = searched(noisy(), 20_000_000, random_state=3)
    assert [e.points for e in other._events] != [e.points for e in same._events]


def test_more_work_is_never_worse():
    values = [searched(noisy(), work).best_evaluation.objective for work in (1, 10**6, 10**7)]
    assert values == sorted(values, reverse=True)


def test_a_search_can_be_continued():
    small = presolve(noisy()).problem
    monitor = Monitor(small, SolveOptions(), lambda points: points)
    running = Search(integer_form(small), monitor)
    running.run(1)
    spent = int(running.spent[0])
    assert spent > 0
    running.run(10**6)
    assert running.spent[0] >= spent + 10**6


def test_it_stops_when_told():
    found = searched(noisy(), 10**12, cancel=lambda: True)
    assert found.best is not None


def test_a_feature_that_must_be_used_is_kept():
    problem = Problem.of(
        [[0, 1], [1, 1], [1, 0]], [0, 1, 0], points={"x0": [-3, -2, 5], "x1": 2}, C0=0.1, constraints=[must_use("x0")]
    )
    assert smallest_coefficients(problem) == [-2, 0]
    assert searched(problem).best.coefficients[0] != 0


def _factor(form, data):
    """By how much the search multiplies all costs."""
    heaviest = int(np.argmax(form.positive + form.negative))
    return int((data.positive + data.negative)[heaviest] // max(1, (form.positive + form.negative)[heaviest]))


@settings(max_examples=examples(30))
@given(cases())
def test_search_data_hold_the_sets_and_rank_ties_below_everything_else(case):
    form = integer_form(presolve(case.problem).problem)
    data = search_data(form)
    sets = [values.sample for values in form.values]
    for j, values in enumerate(sets):
        assert data.values[j, : data.n_values[j]].tolist() == values.tolist()
        assert data.zero[j] == (values.tolist().index(0) if 0 in values else -1)
    longest = sum(sorted((int(np.abs(v).max()) for v in sets), reverse=True)[: form.max_size])
    weights = np.concatenate([data.positive, data.negative])
    factor = _factor(form, data)
    tie = data.l1_penalty - factor * form.l1_penalty
    assert tie > 0
    assert tie * longest < max(1, int(weights[weights > 0].min(initial=2**60)))
    for j, values in enumerate(sets):
        own = np.array([form.penalties[j].of(form.values[j], int(v)) for v in values])
        expected = factor * own + data.l1_penalty * np.abs(values)
        assert data.value_penalty[j, : len(values)].tolist() == expected.tolist()
    narrow = search_data(form, largest=1)
    assert all(np.abs(narrow.values[j]).max() <= 1 or np.abs(v).min() > 1 for j, v in enumerate(sets))


@settings(max_examples=examples(30))
@given(cases())
def test_roundings_of_a_path_are_indices_into_the_sets(case):
    form = integer_form(presolve(case.problem).problem)
    surrogate = Surrogate(form)
    sizes = []
    for features, w in backward_path(surrogate, form.n_features):
        sizes.append(len(features))
        assert len(w) == len(features)
        assert np.isfinite(w).all()
        for index in roundings(form, surrogate, features, w):
            assert all(0 <= i < len(v.sample) for i, v in zip(index, form.values, strict=True))
    assert sizes == sorted(set(sizes), reverse=True)
