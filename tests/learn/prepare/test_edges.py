from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse.learn.prepare.cuts import ClassTarget, find_edges, quantile_edges


def edges_of(values, least=0.0, weights=None):
    values = np.asarray(values)
    target = ClassTarget(np.ones(len(values)) if weights is None else np.asarray(weights, float), None)
    distinct, codes = np.unique(values, return_inverse=True)
    return find_edges(distinct, target.by_code(codes, len(distinct)), least, "x")


@given(st.lists(st.integers(-1000, 1000).map(lambda n: n / 10), min_size=2, max_size=30))
@settings(max_examples=examples(60))
def test_a_column_of_few_values_has_an_edge_in_every_gap(values):
    edges = edges_of(values)
    distinct = sorted(set(values))
    assert len(edges.cuts) == len(distinct) - 1
    for low, cut, high in zip(distinct[:-1], edges.cuts, distinct[1:], strict=True):
        assert Fraction(str(low)) < cut <= Fraction(str(high))
    assert edges.bins.both.tolist() == [values.count(v) for v in distinct]


def test_a_column_of_many_values_has_few_edges_that_people_use():
    rng = np.random.default_rng(0)
    edges = edges_of(rng.normal(60, 15, 5000))
    assert 40 <= len(edges.cuts) < 100
    assert all((cut * 10).denominator == 1 for cut in edges.cuts)
    assert Fraction(60) in edges.cuts
    assert edges.bins.both.sum() == 5000


def test_edges_leave_enough_on_both_sides_even_at_a_heavy_tail():
    values = np.concatenate([np.arange(990) / 10, [1e6] * 10])
    edges = edges_of(values, least=20.0)
    for cut in edges.cuts:
        assert min((values < float(cut)).sum(), (values >= float(cut)).sum()) >= 20


def test_weights_count_as_copies():
    values, weights = [1.5, 2.5, 2.5, 7, 9], [3, 1, 2, 1, 4]
    copied = edges_of(np.repeat(values, weights), least=2.0)
    weighted = edges_of(values, least=2.0, weights=weights)
    assert copied.cuts == weighted.cuts
    assert copied.bins.both.tolist() == weighted.bins.both.tolist()


def test_quantiles_are_moved_to_round_numbers_but_not_far():
    ages = np.repeat(np.arange(20, 90), 10)
    target = ClassTarget(np.ones(len(ages)), None)
    distinct, codes = np.unique(ages, return_inverse=True)
    edges = quantile_edges(distinct, target.by_code(codes, len(distinct)), 0.0, 3, "age")
    assert [int(c) for c in edges.cuts] == [40, 50, 70]  # the quartiles are 37.5, 55 and 72.5
