import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paper_study.tiny import tiny_data
from study.study_data import HOLD_OUT, fold_names, inner_names, load_study_data, split_rows
from supersparse.errors import InvalidDataError, MissingDataError


@settings(max_examples=50)
@given(negatives=st.integers(5, 40), positives=st.integers(5, 40), seed=st.integers(0, 99), order=st.randoms())
def test_folds_share_out_every_row_once_and_the_classes_evenly(negatives, positives, seed, order):
    labels = [False] * negatives + [True] * positives
    order.shuffle(labels)
    y = np.array(labels)
    tests = [split_rows(y, name, seed) for name in fold_names()]
    assert sorted(np.concatenate([split.test for split in tests]).tolist()) == list(range(len(y)))
    for split in tests:
        assert not set(split.train.tolist()) & set(split.test.tolist())
        assert len(split.train) + len(split.test) == len(y)
        assert abs(y[split.test].sum() - positives / 5) < 1
        assert abs(len(split.test) - len(y) / 5) < 1


def test_inner_folds_share_out_the_training_rows_of_the_outer_one():
    y = tiny_data().y
    outer = split_rows(y, "2/5", 0)
    inner = [split_rows(y, name, 0) for name in inner_names("2/5")]
    assert sorted(np.concatenate([split.test for split in inner]).tolist()) == outer.train.tolist()
    for split in inner:
        assert sorted([*split.train.tolist(), *split.test.tolist()]) == outer.train.tolist()


def test_the_folds_are_these_on_every_machine():
    # the lowest of the draws of random.Random(0): 0.26 of the negatives, 0.30 of the positives
    y = np.array([False, True] * 5)
    assert split_rows(y, "1/5", 0).test.tolist() == [5, 6]
    assert len(split_rows(y, HOLD_OUT, 0).test) == 2


def test_a_class_with_fewer_rows_than_folds_is_refused():
    with pytest.raises(InvalidDataError, match="a class has 1 rows, fewer than the 5 folds"):
        split_rows(np.array([True] + [False] * 20), "1/5", 0)


def test_the_fingerprint_changes_with_the_rows_and_with_the_labels():
    data = tiny_data()
    others = [tiny_data(seed=4), data.part(np.arange(59)), data.part(np.arange(60)[::-1])]
    assert len({data.fingerprint, *(other.fingerprint for other in others)}) == 4
    assert data.fingerprint == tiny_data().fingerprint


def test_a_table_that_is_not_on_this_machine_says_how_to_get_it(tmp_path):
    with pytest.raises(MissingDataError, match="supersparse datasets fetch"):
        load_study_data("internet-ads", tmp_path)
