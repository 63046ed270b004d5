"""A skops file brings a fitted estimator back, and makes nothing but classes of this package."""

import numpy as np
import pytest

from supersparse import SLIMClassifier
from supersparse.errors import InvalidDataError

skops_io = pytest.importorskip("skops.io", reason="skops is not installed")

from supersparse.card.export.estimator import load_estimator, save_estimator  # noqa: E402

X = np.array([[0, 3], [1, 2], [2, 1], [3, 0], [4, 2], [5, 1]])
Y = np.array(list("nnnyyy"))


def test_the_estimator_comes_back_as_it_was(tmp_path):
    model = SLIMClassifier(C0=0.2, max_points=3, solver="exhaustive").fit(X, Y)
    save_estimator(model, tmp_path / "model.skops")
    back = load_estimator(tmp_path / "model.skops")
    assert back.get_params() == model.get_params()
    assert vars(back).keys() == vars(model).keys()
    assert back.predict(X).tolist() == model.predict(X).tolist()
    assert str(back.scoring_system_) == str(model.scoring_system_)
    assert back.scoring_system_ == model.scoring_system_


def test_the_file_holds_no_type_that_must_be_trusted(tmp_path):
    save_estimator(SLIMClassifier(C0=0.2, solver="exhaustive", max_points=2).fit(X, Y), tmp_path / "model.skops")
    assert skops_io.get_untrusted_types(file=tmp_path / "model.skops") == []


@pytest.mark.parametrize(
    "content",
    [
        {"supersparse:kind": "estimator", "class": "os:system", "fields": {}},
        {"supersparse:kind": "estimator", "class": "supersparse.card.export.estimator:Path", "fields": {}},
        {"supersparse:kind": "estimator", "class": "supersparse.errors:InvalidDataError", "fields": {}},
        {"no": "estimator"},
        [1, 2],
    ],
)
def test_other_files_are_refused(content, tmp_path):
    skops_io.dump(content, tmp_path / "other.skops")
    with pytest.raises(InvalidDataError):
        load_estimator(tmp_path / "other.skops")


def test_other_objects_are_refused(tmp_path):
    with pytest.raises(InvalidDataError, match="not a supersparse estimator; save the one inside it"):
        save_estimator(object(), tmp_path / "model.skops")
