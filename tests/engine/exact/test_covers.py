"""The packing bound holds for every support of a node."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.calls import pack_node
from engine.exact.enumerate import costs_by_support
from engine.exact.forms import forms
from engine.exact.oracle.packing import packing_bound, uncovered
from supersparse.engine.exact.instance import fixed_cost, instances
from supersparse.engine.exact.pairs import pair_pool
from supersparse.engine.exact.slices import _arrays
from supersparse.engine.proving.proof import CancelledError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


@st.composite
def nodes(draw):
    """An instance, the literals of a node, and those still allowed beside them."""
    instance = draw(st.sampled_from(instances(draw(forms()))))
    literals, allowed = [], instance.allowed.copy()
    for f in range(instance.n_features):
        fate = draw(st.sampled_from(["in", "open", "open", "one sign", "out"]))
        here = [name for name in (2 * f, 2 * f + 1) if instance.allowed[name]]
        if fate == "in" and here and len(literals) < instance.max_features:
            literals.append(draw(st.sampled_from(here)))
        if fate in ("in", "out"):
            allowed[2 * f : 2 * f + 2] = False
        if fate == "one sign":
            allowed[2 * f + draw(st.integers(0, 1))] = False
    return instance, tuple(literals), allowed


def within(costs, literals, allowed):
    """Supports of a node that go beyond its literals, with their costs."""
    return {
        support: cost
        for support, cost in costs.items()
        if set(literals) < set(support) and all(allowed[name] for name in set(support) - set(literals))
    }


def all_of(pool):
    return np.arange(len(pool.positive), dtype=np.int32)


def check_bound(instance, literals, allowed, pool, pairs, theta, enough):
    room = instance.max_features - len(literals)
    packed = packing_bound(instance, pool, pairs, allowed, room, theta, enough)
    load, refused, by_literal = np.zeros((3, len(allowed)), np.int64)
    bound, best_theta, _ = pack_node(
        _arrays(instance, pool, False).pairs, pairs, allowed, instance.literal_penalty, room, theta, enough, load,
        refused, by_literal,
    )  # fmt: skip
    assert (bound, best_theta) == (packed.bound, packed.theta)
    np.testing.assert_array_equal(by_literal[allowed], packed.by_literal[allowed])
    np.testing.assert_array_equal(load[allowed], packed.load[allowed])
    paid = fixed_cost(instance, literals)
    for support, cost in within(costs_by_support(instance), literals, allowed).items():
        assert paid + packed.bound <= cost
        for name in set(support) - set(literals):
            assert paid + packed.by_literal[name] <= cost


@settings(max_examples=examples(60))
@given(nodes(), st.sampled_from([0, 0, 1, 37, 10**6]), st.sampled_from([-1, 50, 2**55]), st.sampled_from([1, 16]))
def test_no_support_of_a_node_costs_less_than_its_packing_bound(node, theta, enough, most):
    instance, literals, allowed = node
    if instance.max_features <= len(literals):
        return
    pool = pair_pool(instance, literals, allowed, most=most)
    check_bound(instance, literals, allowed, pool, all_of(pool), theta, enough)


@settings(max_examples=examples(40))
@given(nodes(), st.data())
def test_the_bound_holds_on_the_pairs_that_a_child_inherits(node, draws):
    instance, literals, allowed = node
    open_literals = np.flatnonzero(allowed).tolist()
    if not open_literals or instance.max_features < len(literals) + 2:
        return
    pool = pair_pool(instance, literals, allowed)
    added = draws.draw(st.sampled_from(open_literals))
    rest = allowed.copy()
    rest[2 * (added // 2) : 2 * (added // 2) + 2] = False
    pairs = uncovered(pool, all_of(pool), added)
    check_bound(instance, tuple(sorted((*literals, added))), rest, pool, pairs, 0, 2**55)


@settings(max_examples=examples(40))
@given(nodes())
def test_the_pool_holds_opposite_points_with_their_allowed_literals(node):
    instance, literals, allowed = node
    pool = pair_pool(instance, literals, allowed)
    for q in range(len(pool.positive)):
        above, below = instance.positive[pool.positive[q]], instance.negative[pool.negative[q]]
        names = {2 * f + (a < b) for f, (a, b) in enumerate(zip(above, below, strict=True)) if a != b}
        assert not names & set(literals)
        assert set(pool.literal[pool.start[q] : pool.start[q + 1]].tolist()) == {n for n in names if allowed[n]}
        if instance.has_origin:
            assert (pool.positive[q], pool.negative[q]) != (len(instance.positive) - 1, len(instance.negative) - 1)


@given(nodes())
@settings(max_examples=3)
def test_making_pairs_can_be_given_up(node):
    instance, literals, allowed = node
    if len(instance.positive) and len(instance.negative):
        with pytest.raises(CancelledError):
            pair_pool(instance, literals, allowed, cancelled=lambda: True)
