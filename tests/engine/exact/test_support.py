"""Rows merged on a support, against numpy's unique rows."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.calls import cell_weights, net_cells, spreads
from supersparse.engine.exact.tree_data import group_rows


@st.composite
def tables(draw):
    p, m = draw(st.integers(1, 4)), draw(st.integers(1, 25))
    span = draw(st.sampled_from([1, 2, 3, 20]))
    ranks = np.array(
        draw(st.lists(st.lists(st.integers(0, span), min_size=m, max_size=m), min_size=p, max_size=p)), np.int32
    )
    support = draw(st.lists(st.integers(0, p - 1), unique=True).map(lambda s: np.array(s, np.int64)))
    return ranks, support


def check_groups(ranks, support):
    cell, count = group_rows(ranks, ranks.max(axis=1).astype(np.int64) + 1, support)
    rows = [tuple(r) for r in ranks[support].T.tolist()]
    assert sorted(set(cell.tolist())) == list(range(count))
    assert len(set(rows)) == count
    assert len(set(zip(rows, cell.tolist(), strict=True))) == count
    return cell, count


@settings(max_examples=examples(80))
@given(tables())
def test_rows_share_a_cell_when_they_agree_on_the_support(case):
    check_groups(*case)


def test_columns_with_many_values_are_grouped_by_sorting():
    # 2000 rows of 2000 ranks: count * span leaves the table of names after the first column
    random = np.random.default_rng(0)
    ranks = random.integers(0, 2000, (3, 2000)).astype(np.int32)
    ranks[:, 1000:] = ranks[:, :1000]
    check_groups(ranks, np.array([2, 0, 1]))


@settings(max_examples=examples(80))
@given(tables(), st.data())
def test_cells_hold_the_weights_of_their_rows(case, draws):
    ranks, support = case
    m = ranks.shape[1]
    weights = st.lists(st.integers(0, 9), min_size=m, max_size=m).map(lambda w: np.array(w, np.int64))
    positive, negative = draws.draw(weights), draws.draw(weights)
    cell, count = check_groups(ranks, support)
    up, down, row = cell_weights(cell, count, positive, negative)
    assert up.tolist() == np.bincount(cell, positive, count).tolist()
    assert down.tolist() == np.bincount(cell, negative, count).tolist()
    assert cell[row].tolist() == list(range(count))


@settings(max_examples=examples(80))
@given(tables(), st.data())
def test_a_signed_support_sees_its_own_columns_and_net_weights(case, draws):
    ranks, support = case
    m = ranks.shape[1]
    weights = st.lists(st.integers(0, 9), min_size=m, max_size=m).map(lambda w: np.array(w, np.int64))
    positive, negative = draws.draw(weights), draws.draw(weights)
    signs = np.array([draws.draw(st.sampled_from([-1, 1])) for _ in support], np.int64)
    columns = 3 * ranks.astype(np.int64) - 5
    n_ranks = ranks.max(axis=1).astype(np.int64) + 1
    cell, count = group_rows(ranks, n_ranks, support)
    up, down, row = cell_weights(cell, count, positive, negative)
    x = np.ascontiguousarray(columns[support][:, row].T * signs)
    assert (up.sum(), down.sum()) == (positive.sum(), negative.sum())
    for heavy, light in ((up, down), (down, up)):
        net, weight = net_cells(x, heavy, light)
        which = np.flatnonzero(heavy > light)
        assert net.tolist() == x[which].tolist()
        assert weight.tolist() == (heavy - light)[which].tolist()
    if (up + down).sum() and len(support):
        mean = np.average(x, axis=0, weights=up + down)
        expected = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=up + down))
        np.testing.assert_allclose(spreads(x, up + down), expected, atol=1e-9)
