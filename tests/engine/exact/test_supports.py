"""One support: the box search finds its best vector and can be put down and taken up again."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.enumerate import cost_of, cuts_of, literals_of
from engine.kernels.forms import forms
from supersparse.engine.exact import supports
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.supports import SupportSearch
from supersparse.engine.integer_form import integer_form
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def never():
    return False


def best_of(form):
    """(F, l1) of the best vector of each signed support, over all cases of b."""
    best = {}
    for vector in product(*(v.sample.tolist() for v in form.values)):
        support = literals_of(vector)
        if support and len(support) <= form.max_size:
            found = evaluate(form.problem, with_best_intercept(form.problem, vector))
            if form.problem.max_features is None or found.size <= form.problem.max_features:
                key = (found.objective, found.l1)
                best[support] = min(best.get(support, key), key)
    return best


@settings(max_examples=examples(40))
@given(forms(), st.data())
def test_a_finished_search_leaves_nothing_better_on_its_support(form, draws):
    best = best_of(form)
    if not best:
        return
    support = draws.draw(st.sampled_from(sorted(best)))
    cuts = cuts_of(form)
    began = cuts._monitor.best_evaluation
    for instance in instances(form):
        if len(support) <= instance.max_features:
            assert SupportSearch(instance, support, cuts).run(10**9, never)
    found = cuts._monitor.best_evaluation
    assert (found.objective, found.l1) == min((began.objective, began.l1), best[support])


@pytest.mark.parametrize("b", [1, 2, 5, -3])
@pytest.mark.parametrize("labels", [(1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 1, 0)])
def test_a_single_intercept_that_is_not_0_cannot_be_doubled(b, labels):
    # with b = -3 only the coefficient -2 gets the first three of 1, 0, 0, 1 right: it is in the lower half
    form = integer_form(
        Problem.of([[-2], [-1], [1], [3]], list(labels), C0=0.01, max_points=4, intercept=(b, b))
    )
    cuts = cuts_of(form)
    (instance,) = instances(form)
    for literal in (0, 1):
        SupportSearch(instance, (literal,), cuts).run(10**9, never)
    best = min(cost_of(instance, (v,)) for v in range(-4, 5))
    assert cuts.tie == best


@settings(max_examples=examples(30))
@given(forms(), st.data(), st.integers(1, 5))
def test_a_search_taken_up_from_its_state_ends_as_if_it_had_gone_on(form, draws, boxes):
    best = best_of(form)
    if not best:
        return
    support = draws.draw(st.sampled_from(sorted(best)))
    ends = []
    for interrupted in (False, True):
        cuts = cuts_of(form)
        for instance in instances(form):
            if len(support) > instance.max_features:
                continue
            search = SupportSearch(instance, support, cuts)
            while not search.run(boxes if interrupted else 10**9, never):
                state = search.state
                search = SupportSearch(instance, support, cuts)
                search.resume(state)
        found = cuts._monitor.best_evaluation
        ends.append((found.objective, found.l1))
    assert ends[0] == ends[1]


def test_the_state_of_a_running_search_is_the_one_it_began_its_slice_with(monkeypatch):
    # a checkpoint may be written by one thread while another is inside a kernel
    form = integer_form(Problem.of([[0, 3], [1, 1], [2, 0], [3, 2]], [0, 1, 1, 0], C0=0.01, max_points=9))
    (instance,) = instances(form)
    search = SupportSearch(instance, (0, 3), cuts_of(form))
    search.run(3, never)
    before, seen = search.state, []
    assert before[1]
    kernel = supports.run_boxes

    def looked_at_from_outside(*args):
        result = kernel(*args)
        seen.append(search.state)
        return result

    monkeypatch.setattr(supports, "run_boxes", looked_at_from_outside)
    assert not search.run(4, never)
    assert seen
    assert all(state == before for state in seen)
    assert search.state != before


def test_a_cancelled_search_stays_open():
    form = integer_form(Problem.of([[0, 3], [1, 1], [2, 0], [3, 2]], [0, 1, 1, 0], C0=0.01, max_points=9))
    (instance,) = instances(form)
    search = SupportSearch(instance, (0, 3), cuts_of(form))
    search._budget = 1
    assert not search.run(10**9, lambda: True)
    assert search.state[1]
    assert search.run(10**9, never)
