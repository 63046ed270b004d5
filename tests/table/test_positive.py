"""Which of two classes is the positive one, if nobody says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import SLIMClassifier
from supersparse.learn.splits import Folds
from supersparse.learn.validation import validate
from supersparse.problem.rows import read_labels
from supersparse.show.estimators.learning import read_training
from supersparse.table.numeric import positive_of


@pytest.mark.parametrize(
    ("first", "last", "positive"),
    [
        (0, 1, 1),
        (-1, 1, 1),
        (1, 2, 2),
        (False, True, True),
        ("0", "1", "1"),
        ("10", "9", "10"),
        ("no", "yes", "yes"),
        ("N", "Y", "Y"),
        ("ja", "nein", "ja"),
        ("non", "oui", "oui"),
        ("case", "control", "case"),
        ("Benign", "Malignant", "Malignant"),
        ("ill", "well", "ill"),
        ("alive", "dead", "dead"),
        ("died within 5 years", "survived 5 years or longer", "died within 5 years"),
        ("ill", "not ill", "ill"),
        ("no event", "some_event", "some_event"),
        ("cancer", "cancer-free", "cancer"),
    ],
)
@pytest.mark.parametrize("more", [0, 1])
def test_a_number_or_a_name_decides_whatever_the_frequency(first, last, positive, more):
    counts = {first: 5 + more, last: 6 - more}
    assert positive_of(counts).label == positive


def test_else_it_is_the_rarer_one_or_the_last():
    assert positive_of({"blue": 3, "red": 4}).label == "blue"
    assert positive_of({"blue": 4, "red": 3}).label == "red"
    assert positive_of({"dead": 3, "died": 4}).label == "dead"  # both names would do
    equal = positive_of({"blue": 3, "red": 3})
    assert (equal.label, equal.why) == ("red", "the last in alphabetical order, both being equally frequent")


@given(st.lists(st.sampled_from(["blue", "red"]), min_size=2).filter(lambda y: len(set(y)) == 2))
def test_the_order_of_the_rows_does_not_matter(y):
    assert read_labels(y, None)[1] == read_labels(y[::-1], None)[1]


def test_folds_keep_the_class_that_is_rarer_among_all_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(21, 2))
    y = np.array(["blue"] * 10 + ["red"] * 11)
    model = SLIMClassifier(C0=0.06, max_points=2, solver="exhaustive")
    recipe, rows = read_training(model, X, y, None, None)
    assert model.fit(X, y).positive_ == "blue"
    every = np.arange(21)
    train = np.setdiff1d(every, np.flatnonzero(y == "red")[:3])  # of these, red is the rarer
    part = rows.take(train)
    assert recipe.question(part).problem.rows.classes == ("blue", "red")
    question = recipe.settled(rows).question(part)
    assert question.problem.rows.classes == ("red", "blue")
    expected = question.scores(question.solve(), X)
    (found,) = validate(recipe, rows, Folds(splits=[(train, every)])).unseen
    assert np.sign(found.scores).tolist() == np.sign(expected).tolist()
