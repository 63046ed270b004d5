"""Folds: every row tested as it should be, groups whole, the future unseen."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import SLIMClassifier, SLIMClassifierCV
from supersparse.errors import InvalidDataError, InvalidOptionError
from supersparse.learn.splits import hold_out, repeated_splits, splits_of

Y = np.array([0, 1, 1] * 10)


def test_every_row_is_tested_once_and_classes_are_even():
    found = splits_of(Y, 5, seed=1)
    assert sorted(np.concatenate([test for _, test in found]).tolist()) == list(range(30))
    for train, test in found:
        assert not set(train) & set(test)
        assert len(train) + len(test) == 30
        assert Y[test].tolist().count(0) == 2
    assert [t.tolist() for _, t in found] == [t.tolist() for _, t in splits_of(Y, 5, seed=1)]
    assert [t.tolist() for _, t in found] != [t.tolist() for _, t in splits_of(Y, 5, seed=2)]


def test_groups_stay_together():
    groups = np.array([f"g{i // 3}" for i in range(30)], dtype=object)
    found = splits_of(Y, 4, groups=groups)
    assert sorted(np.concatenate([test for _, test in found]).tolist()) == list(range(30))
    for train, test in found:
        assert not set(groups[train]) & set(groups[test])


@given(st.lists(st.integers(0, 30), min_size=30, max_size=30), st.integers(2, 4))
def test_nothing_is_learned_from_the_moment_tested_or_later(times, folds):
    moments = np.array(times)
    try:
        found = splits_of(Y, folds, times=moments)
    except (InvalidOptionError, InvalidDataError):
        return
    assert len(found) == folds
    for train, test in found:
        assert moments[train].max() < moments[test].min()
    for (_, before), (train, _) in pairwise(found):
        assert set(before) <= set(train)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds is 1"),
        ({"folds": 11}, "11 folds are too many for a class with 10 rows"),
        ({"folds": 3, "groups": ["a", "b"] * 15}, "3 folds are too many for 2 groups"),
        ({"folds": 3, "times": [1, 2] * 15}, "too few different times"),
        ({"folds": 2, "times": range(30), "groups": range(30)}, "not both"),
    ],
)
def test_what_cannot_be_divided_is_named(options, message):
    with pytest.raises(InvalidOptionError, match=message):
        splits_of(Y, **options)


def test_training_rows_of_one_class_are_named():
    y = np.array([0] * 15 + [1] * 15)
    with pytest.raises(InvalidDataError, match="the training rows of fold 1 of 4 do not hold both classes"):
        splits_of(y, 4, times=range(30))


def sites():
    """A table sorted by its site, where every other site has four times as many positive rows."""
    site = np.repeat(np.arange(10), 20)
    y = (np.tile(np.arange(20), 10) < np.where(site % 2, 16, 4)).astype(int)
    return (site[:, None] == np.arange(10)).astype(int), y


@pytest.mark.parametrize("groups", [None, np.arange(200)], ids=["rows", "groups"])
def test_a_sorted_table_is_not_divided_in_its_order(groups):
    # in the order of the rows, the negative rows of a site and its positive ones are in different folds
    X, y = sites()
    for _, test in repeated_splits(y, 5, 2, groups=groups):
        assert len(set(X[test].argmax(axis=1))) > 7
    order = [repeated_splits(y, 5, 2, groups=groups) for _ in range(2)]
    assert [t.tolist() for _, t in order[0]] == [t.tolist() for _, t in order[1]]


@pytest.mark.parametrize("model", [SLIMClassifier, SLIMClassifierCV])
def test_a_sorted_table_is_judged_as_a_shuffled_one(model):
    X, y = sites()
    own = {"C0": 0.01, "calibrate": "logistic"} if model is SLIMClassifier else {"Cs": [0.01]}
    asked = {"max_points": 1, "max_features": 5, "node_limit": 2000, "time_limit": None, **own}
    mixed = np.random.default_rng(0).permutation(200)
    for rows in (np.arange(200), mixed):
        _, seen = model(**asked).fit(X[rows], y[rows]).scoring_system_.card.performance
        assert seen.auc > 0.75  # of the rates 0.8 and 0.2 themselves: 0.8; in the order of the rows, 0.5


@given(st.lists(st.booleans(), min_size=4, max_size=60), st.floats(0.05, 0.6), st.integers(0, 3))
def test_a_share_of_each_class_is_held_out(labels, share, seed):
    y = np.array(labels)
    counts = [int((y == label).sum()) for label in (False, True)]
    wanted = [max(1, round(share * count)) for count in counts]
    if min(counts) < 2 or any(n == count for n, count in zip(wanted, counts, strict=True)):
        return
    learned, held = hold_out(y, share, seed=seed)
    assert sorted([*learned, *held]) == list(range(len(y)))
    assert [int((y[held] == label).sum()) for label in (False, True)] == wanted
    assert np.array_equal(hold_out(y, share, seed=seed)[1], held)


def test_whole_groups_or_the_latest_rows_are_held_out():
    y, groups = np.tile([0, 1], 30), np.repeat(np.arange(12), 5)
    learned, held = hold_out(y, 0.25, groups=groups)
    assert not set(groups[learned]) & set(groups[held])
    assert len(held) == 15
    times = np.array([5, 1, 4, 4, 2, 3, 4, 0] * 4)
    learned, held = hold_out(np.arange(32) % 3 == 0, 0.2, times=times)
    assert set(times[held]) == {4, 5}  # rows of the same time stay together, so there are more than a fifth
    assert times[learned].max() < 4


@pytest.mark.parametrize(
    ("share", "error", "message"),
    [
        (0, InvalidOptionError, "is 0; give one between 0 and 1, such as 0.2"),
        (1.5, InvalidOptionError, "is 1.5; give one between 0 and 1"),
        ("a", InvalidOptionError, "is 'a'; give one between 0 and 1"),
        (0.9, InvalidDataError, "the rows that are left to learn from do not hold both classes"),
    ],
)
def test_a_share_that_leaves_nothing_is_refused(share, error, message):
    with pytest.raises(error, match=message):
        hold_out(np.array([0, 0, 0, 1, 1]), share)
