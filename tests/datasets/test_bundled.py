"""The bundled data are the paper's."""

import hashlib
import os
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from supersparse.datasets import load_breast_cancer

SHARED = Path(os.environ.get("SUPERSPARSE_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))


def test_breast_cancer_has_the_papers_size():
    data = load_breast_cancer()
    assert data.X.shape == (683, 9)  # the paper counts the intercept: 683 x 10
    assert len(data.feature_names) == 9
    assert int(data.y.sum()) == 239
    assert set(np.unique(data.X)) == set(range(1, 11))
    assert (data.labels == "malignant").sum() == 239
    assert data.licence == "CC BY 4.0"


def test_the_papers_figure_makes_23_errors():
    # section 4.1: the figure has cell size, the equation cell shape (35 errors); a score of 0 is an error
    data = load_breast_cancer()
    column = {name: data.X[:, j] for j, name in enumerate(data.feature_names)}
    score = column["ClumpThickness"] + column["UniformityOfCellSize"] + column["BareNuclei"] - 10
    assert (np.where(data.y == 1, score, -score) <= 0).sum() == 23


def test_the_data_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        load_breast_cancer().X[0, 0] = 3


def test_every_bundled_file_names_its_licence():
    folder = files("supersparse.datasets") / "data"
    notes = (folder / "README.md").read_text(encoding="utf-8")
    for file in folder.iterdir():
        assert file.name == "README.md" or f"| {file.name} |" in notes


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="stands beside a development checkout only")
def test_the_bundled_rows_are_the_shared_ones():
    bundled = (files("supersparse.datasets") / "data" / "breastcancer.csv").read_bytes()
    shared = (SHARED / "breastcancer.csv").read_bytes()
    assert hashlib.sha256(bundled).digest() == hashlib.sha256(shared).digest()
