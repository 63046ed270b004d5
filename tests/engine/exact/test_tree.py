"""The oracle's tree: what it drops cannot be in a model as good as the best, and it drops nothing else."""

import pytest
from hypothesis import given, settings

from counts import examples
from engine.exact.enumerate import costs_by_support, cuts_of
from engine.exact.forms import forms
from engine.exact.oracle.tree import Support, expand, has_order, root
from supersparse.engine.exact.instance import fixed_cost, instances
from supersparse.engine.proving.open_parts import OpenParts

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def whole_tree(instance, cuts):
    """Expand everything at fixed cuts; return (bound, support) of every support reached."""
    tasks, supports = OpenParts(), []
    tasks.push(fixed_cost(instance, ()), root(instance))
    while (taken := tasks.take()) is not None:
        ((at, work),) = taken.left
        for bound, part in expand(work, at, cuts):
            assert bound >= at
            if isinstance(part, Support):
                supports.append((bound, part.literals))
            elif bound <= cuts.tie:
                tasks.push(bound, part)
    return supports


def obeys_order(instance, support):
    """Whether what must be used first is used, in an order in which it can be: see `exchanges.py`."""
    used = set()
    while more := [
        name
        for name in set(support) - used
        if (instance.twin_of[name // 2] < 0 or instance.twin_of[name // 2] in {x // 2 for x in used})
        and (instance.after[name] < 0 or instance.after[name] in used)
    ]:
        used.update(more)
    return used == set(support)


@settings(max_examples=examples(60))
@given(forms())
def test_every_support_as_good_as_the_best_model_is_reached_once(form):
    cuts = cuts_of(form)
    for instance in instances(form):
        supports = whole_tree(instance, cuts)
        reached = [tuple(sorted(literals)) for _, literals in supports]
        assert len(set(reached)) == len(reached)
        costs = costs_by_support(instance)
        for support, cost in costs.items():
            if support and cost <= cuts.tie and obeys_order(instance, support):
                assert support in reached
        for bound, literals in supports:
            if tuple(sorted(literals)) in costs:
                assert bound <= costs[tuple(sorted(literals))]


@settings(max_examples=examples(60))
@given(forms())
def test_the_order_of_use_leaves_a_best_model(form):
    # what makes it safe to look at one of the two only
    for instance in instances(form):
        costs = costs_by_support(instance)
        if not has_order(instance):
            continue
        best = min(costs.values())
        assert best == min(c for s, c in costs.items() if obeys_order(instance, s))
