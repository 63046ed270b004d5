"""The oracle's search of one support finds its best vector."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.enumerate import cost_of, cuts_of, literals_of
from engine.exact.forms import forms
from engine.exact.oracle.support_search import SupportSearch
from supersparse.engine.exact.instance import instances
from supersparse.engine.integer_form import integer_form
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


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
            SupportSearch(instance, support, cuts).run()
    found = cuts._monitor.best_evaluation
    assert (found.objective, found.l1) == min((began.objective, began.l1), best[support])


@pytest.mark.parametrize("b", [1, 2, 5, -3])
@pytest.mark.parametrize("labels", [(1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 1, 0)])
def test_a_single_intercept_that_is_not_0_cannot_be_doubled(b, labels):
    # with b = -3 only the coefficient -2 gets the first three of 1, 0, 0, 1 right: it is in the lower half
    form = integer_form(Problem.of([[-2], [-1], [1], [3]], list(labels), C0=0.01, max_points=4, intercept=(b, b)))
    cuts = cuts_of(form)
    (instance,) = instances(form)
    for literal in (0, 1):
        SupportSearch(instance, (literal,), cuts).run()
    best = min(cost_of(instance, (v,)) for v in range(-4, 5))
    assert cuts.tie == best
