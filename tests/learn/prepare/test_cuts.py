from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse.learn.prepare.cuts import ClassCounts, by_gain, optimal_cuts, surprise, tree_cuts

bin_counts = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=8).map(
    lambda pairs: ClassCounts(*np.array(pairs, dtype=float).T)
)


def impurity(bins, cuts, least=0.0):
    """The entropy within the parts, None where a part is too small."""
    starts = [0, *(c + 1 for c in sorted(cuts))]
    negative, positive = (np.add.reduceat(c, starts) for c in (bins.negative, bins.positive))
    return None if (negative + positive < least).any() else float(surprise(negative, positive).sum())


def best(bins, n_cuts, least):
    every = [impurity(bins, cuts, least) for cuts in combinations(range(len(bins.negative) - 1), n_cuts)]
    return min((value for value in every if value is not None), default=None)


@given(bin_counts, st.sampled_from([0.0, 1.0, 4.0]))
@settings(max_examples=examples(60))
def test_the_first_cut_is_the_best_single_one_and_the_next_make_the_best_pair(bins, least):
    offered = optimal_cuts(bins, 3, least)
    single = best(bins, 1, least)
    alone = impurity(bins, [])
    if single is None or single > alone - 1e-7:
        assert offered == []
        return
    assert impurity(bins, offered[:1], least) == pytest.approx(single)
    pair = best(bins, 2, least)
    if pair is not None and pair < single - 1e-7:
        assert min(
            value for cuts in combinations(offered, 2) if (value := impurity(bins, cuts, least)) is not None
        ) == pytest.approx(pair)


@given(bin_counts, st.integers(1, 4), st.sampled_from([0.0, 3.0]))
@settings(max_examples=examples(40))
def test_cuts_are_few_and_each_leaves_enough_on_both_sides(bins, most, least):
    for method in (optimal_cuts, tree_cuts):
        offered = method(bins, most, least) if bins.both.sum() and bins.positive.any() else []
        assert len(offered) == len(set(offered)) <= most
        for cut in offered:
            assert min(bins.both[: cut + 1].sum(), bins.both[cut + 1 :].sum()) >= least


def test_a_tree_cuts_where_the_class_changes():
    bins = ClassCounts(np.array([5.0, 5.0, 0.0, 0.0]), np.array([0.0, 0.0, 4.0, 4.0]))
    assert tree_cuts(bins, 3, 0.0) == [1]


def test_without_labels_the_most_even_cut_comes_first():
    bins = ClassCounts(np.array([1.0, 4.0, 4.0, 1.0]), np.zeros(4))
    assert by_gain(bins, [0, 1, 2]) == [1, 0, 2]
