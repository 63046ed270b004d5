"""Values below or above every number are ordered, and no number is invented for them."""

import numpy as np
import pytest

from supersparse import Prepare, SLIMClassifier
from supersparse.errors import InvalidDataError

NUMBERS = [0.013, 0.02, 0.034, 0.05, 0.07]


def rows(below, above=0):
    x = [*[-np.inf] * below, *NUMBERS * 10, *[np.inf] * above]
    return {"x": np.array(x)}, np.array([0] * below + [1] * (len(x) - below))


def test_a_cut_separates_what_is_below_detection_at_the_smallest_number():
    X, y = rows(below=30)
    prepare = Prepare().fit(X, y)
    assert "x >= 0.013" in prepare.get_feature_names_out()
    assert "30 below every number" in prepare.notes_[0]
    features = dict(zip(prepare.get_feature_names_out(), prepare.transform(X).T, strict=True))
    assert features["x >= 0.013"].tolist() == y.tolist()


def test_a_card_knows_no_number_for_what_is_beyond_a_limit():
    X, y = rows(below=30, above=12)
    model = SLIMClassifier(prepare="auto", C0=0.02, time_limit=None, node_limit=200).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    card = model.scoring_system_.card
    assert [(float(d.low), float(d.high)) for d in card.domains] == [(0.013, 0.07)]
    assert "inf" not in model.scoring_system_.to_json().replace("infeasible", "")


def test_what_is_above_every_number_is_one_decimal_above_the_largest():
    X = {"x": np.array([*[1.5, 2.5, 3.0] * 10, *[np.inf] * 15])}
    y = np.isinf(X["x"]).astype(int)
    prepare = Prepare().fit(X, y)
    assert "x >= 3.1" in prepare.get_feature_names_out()


def test_points_multiply_no_value_beyond_a_limit_and_none_stands_in_for_a_missing_one():
    X, y = rows(below=30)
    with pytest.raises(InvalidDataError, match="which points cannot multiply"):
        Prepare(cuts="none").fit(X, y)
    X["x"] = np.array([*X["x"], np.nan])
    X["x"][30:60] = -np.inf
    with pytest.raises(InvalidDataError, match="cannot stand in for missing values"):
        Prepare(missing="median").fit(X, [*y, 1])
    with pytest.raises(InvalidDataError, match="below or above a limit and no number"):
        Prepare().fit({"x": np.array([-np.inf, np.inf] * 10)}, [0, 1] * 10)
