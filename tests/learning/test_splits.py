"""Folds: every row tested as it should be, groups whole, the future unseen."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.errors import InvalidDataError, InvalidOptionError
from supersparse.learning.splits import splits_of

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
