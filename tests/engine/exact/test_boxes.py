"""The box kernels: bounds hold for every vector, and the compiled search follows the plain one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.calls import evaluate_vector, least_l1, loss_bound, magnitude, run_boxes, split_at, widest
from engine.exact.enumerate import cuts_of, intercepts_for
from engine.exact.forms import forms, loss_of
from engine.exact.oracle.box_search import loss_bound_reference, run_boxes_reference
from engine.exact.oracle.support_search import SupportSearch
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.tree_data import FOUND, FULL
from supersparse.engine.integer_form import integer_form
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


@st.composite
def coarse_forms(draw):
    """Forms that 64 bits cannot hold: entries are rounded."""
    entry = st.sampled_from([1e-12, 2e-12, -3e-12, 0.1, 5e11, -7e11, 3e12, 3e12 + 1, 0.0])
    n = draw(st.integers(4, 9))
    X = draw(st.lists(st.tuples(entry, entry), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))
    intercept = draw(st.sampled_from(["free", "none", (-2, 3), "paper"]))
    form = integer_form(Problem.of([list(r) for r in X], y, C0=0.01, max_points=3, intercept=intercept))
    assume(form.slack == 1)
    return form


@st.composite
def supports(draw, source=None):
    """A signed support of a random problem as the kernels see it."""
    form = draw(forms() if source is None else source)
    instance = draw(st.sampled_from(instances(form)))
    literals = []
    for f in range(instance.n_features):
        here = [name for name in (2 * f, 2 * f + 1) if instance.allowed[name]]
        if here and draw(st.booleans()):
            literals.append(draw(st.sampled_from(here)))
    assume(literals)
    return SupportSearch(instance, tuple(literals), cuts_of(form))


@st.composite
def boxes(draw, support):
    _, high = support.whole()
    ends = [sorted((draw(st.integers(0, n)), draw(st.integers(0, n)))) for n in high.tolist()]
    return np.array([a for a, _ in ends], np.int64), np.array([b for _, b in ends], np.int64)


def vectors_in(data, low, high):
    return product(
        *([int(magnitude(data, f, at)) for at in range(low[f], high[f] + 1)] for f in range(len(data.first)))
    )


def intercepts_in(data, low, high, scores):
    if len(data.intercepts):
        return data.intercepts[low[-1] : high[-1] + 1].tolist()
    return intercepts_for(scores, data.step, data.intercept_low, data.intercept_high)


@settings(max_examples=examples(60))
@given(supports(), st.data())
def test_the_bound_of_a_box_holds_for_every_vector_in_it(support, draws):
    data = support.data
    low, high = draws.draw(boxes(support))
    bound = loss_bound_reference(data, low, high)[0]
    least = min(
        loss_of(data.positive, data.negative, scores + b * data.step, data.half)
        for v in vectors_in(data, low, high)
        for scores in [data.cell_x @ np.array(v)]
        for b in intercepts_in(data, low, high, scores)
    )
    assert data.base_loss + bound <= least


@settings(max_examples=examples(40))
@given(supports(coarse_forms()), st.data())
def test_the_bound_of_a_box_allows_for_rounded_entries(support, draws):
    data, problem = support.data, support.instance.form.problem
    low, high = draws.draw(boxes(support))
    bound = loss_bound_reference(data, low, high)[0]
    columns = [
        [int(x) * (problem.score_step // s) for x in c]
        for c, s in zip(problem.rows.columns, problem.rows.scales, strict=True)
    ]
    weights = [support.instance.form.positive, support.instance.form.negative]
    rows = list(dict.fromkeys(zip(*columns, strict=True)))
    least = None
    for v in vectors_in(data, low, high):
        exact = [
            sum(m * s * row[f] for m, s, f in zip(v, support.signs, support.features, strict=True)) for row in rows
        ]
        # twice what is added to the totals: a free threshold lies half a unit beside one of them
        if data.half:
            shifts = {side - 2 * score for score in exact for side in (-1, 1)}
        elif len(data.intercepts):
            shifts = {2 * b * problem.score_step for b in intercepts_in(data, low, high, exact)}
        else:
            step = problem.score_step
            shifts = {2 * b * step for b in intercepts_for(exact, step, data.intercept_low, data.intercept_high)}
        for shift in shifts:
            loss = 0
            for score, row in zip(exact, rows, strict=True):
                total = 2 * score + shift
                at = [i for i, own in enumerate(zip(*columns, strict=True)) if own == row]
                for i in at:
                    wrong = total <= 0 if problem.rows.positive[i] else total >= 0
                    loss += int(problem.rows.weights[i]) if wrong else 0
            least = loss if least is None else min(least, loss)
    # both sides in units of one row's weight
    unit = max(int(w.max()) for w in weights) // max(1, max(_copies(problem)))
    assert data.base_loss + bound <= least * unit


def _copies(problem):
    rows = list(zip(*(c.tolist() for c in problem.rows.columns), problem.rows.positive.tolist(), strict=True))
    return [rows.count(r) for r in rows]


@settings(max_examples=examples(60))
@given(supports(), st.data())
def test_the_compiled_bound_exceeds_a_limit_exactly_when_the_plain_one_does(support, draws):
    data = support.data
    low, high = draws.draw(boxes(support))
    bound, matches, single = loss_bound_reference(data, low, high)
    assert bound == sum(u for *_, u in matches) + sum(w for _, w in single)
    for enough in sorted({-1, 0, bound // 2, bound - 1, bound, bound + 1}):
        found = loss_bound(data, low, high, enough)
        assert found <= bound
        assert (found > enough) == (bound > enough) or enough < 0


@settings(max_examples=examples(60))
@given(supports(), st.data())
def test_a_vector_is_evaluated_at_its_best_intercept(support, draws):
    data = support.data
    low, high = draws.draw(boxes(support))
    vector = np.array([magnitude(data, f, low[f]) for f in range(len(data.first))])
    scores = data.cell_x @ vector
    found, b = evaluate_vector(data, vector, low[-1], high[-1])

    def cost(c):
        length = data.counts_b * data.l1_penalty * abs(c)
        return loss_of(data.positive, data.negative, scores + c * data.step, data.half) + length

    allowed = intercepts_in(data, low, high, scores)
    assert found == min(map(cost, allowed)) == cost(b)
    if len(data.intercepts):
        assert b in allowed
        if data.counts_b:
            assert abs(b) == min(abs(c) for c in allowed if cost(c) == found)
    else:
        assert data.intercept_low <= b <= data.intercept_high


@settings(max_examples=examples(60))
@given(supports(), st.data())
def test_the_least_l1_of_a_box_is_met_and_a_split_cuts_it_in_two(support, draws):
    data = support.data
    low, high = draws.draw(boxes(support))
    k = len(data.first)
    lengths = [sum(v) for v in vectors_in(data, low, high)]
    of_b = data.intercepts[low[k] : high[k] + 1].tolist() if data.counts_b else [0]
    # between an intercept below 0 and one above it counts as 0, allowed or not: a bound may be weak
    shortest_b = 0 if min(of_b) < 0 < max(of_b) else min(map(abs, of_b))
    assert least_l1(data, low, high) == min(lengths) + shortest_b
    if (low < high).any():
        d = widest(data, low, high)
        assert low[d] < high[d]
        assert low[d] <= split_at(data, d, low[d], high[d]) < high[d]


@settings(max_examples=examples(100))
@given(st.one_of(supports(), supports(coarse_forms())), st.booleans(), st.sampled_from([1, 7, 10_000]), st.data())
def test_the_compiled_search_takes_the_same_steps_as_the_plain_one(support, ties, budget, draws):
    data = support.data
    low, high = support.whole()
    worst = data.fixed_cost + int(data.up_weight.sum() + data.down_weight.sum())
    cut = draws.draw(st.integers(data.fixed_cost - 1, worst))
    best_l1 = draws.draw(st.integers(1, sum(magnitude(data, f, n - 1) for f, n in enumerate(support.sizes)) + 2))
    stacks = [support.laid_out([(low, high)])[0] for _ in range(2)]
    k = len(data.first)
    found = [np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)]
    tops = [1, 1]
    for _ in range(40):
        compiled = run_boxes(data, stacks[0], tops[0], cut, best_l1, ties, budget, found[0])
        plain = run_boxes_reference(data, stacks[1], tops[1], cut, best_l1, ties, budget, found[1])
        assert compiled == plain
        tops = [compiled[1], plain[1]]
        assert (stacks[0][: tops[0]] == stacks[1][: tops[1]]).all()
        if compiled[0] == FOUND:
            assert found[0].tolist() == found[1].tolist()
        if tops[0] == 0:
            break


@settings(max_examples=examples(60))
@given(supports(), st.data())
def test_the_search_finds_a_vector_exactly_when_one_is_cheap_enough(support, draws):
    data = support.data
    low, high = support.whole()
    k = len(data.first)
    costs = {}
    for index in product(*(range(n) for n in support.sizes)):
        vector = np.array([magnitude(data, f, i) for f, i in enumerate(index)])
        loss, _ = evaluate_vector(data, vector, 0, high[-1])
        costs[index] = data.fixed_cost - data.base_loss + data.l1_penalty * int(vector.sum()) + int(loss)
    cut = draws.draw(st.sampled_from(sorted(set(costs.values())))) - draws.draw(st.integers(0, 1))
    stack = np.zeros((2, 2, len(low)), np.int64)  # as short as can be: it has to be made longer on the way
    stack[0] = low, high
    top, found, hits = 1, np.zeros(k + 1, np.int64), []
    while top:
        state, top, _ = run_boxes(data, stack, top, cut, 2**60, False, 10**9, found)
        assert state != FULL or top == len(stack)
        if state == FULL:
            stack = np.concatenate([stack, np.zeros_like(stack[:1])])
        if state == FOUND:
            hits.append(tuple(found[:k].tolist()))
    assert set(hits) == {index for index, cost in costs.items() if cost <= cut}
    if not len(data.intercepts):
        assert len(set(hits)) == len(hits)
