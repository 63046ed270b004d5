"""Datasets that come with the package, stored as CSV files in ``data/``.

Each file has one header row, first the target (0 or 1), then whole-number features.
"""

import csv
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from supersparse.datasets.dataset import Dataset


def load_breast_cancer() -> Dataset:
    """Biopsies of breast tumours, benign or malignant: 683 rows, 9 features graded 1 to 10.

    >>> load_breast_cancer()
    <Dataset breast cancer: 683 rows, 9 features, 239 malignant>
    """
    names, table = _read("breastcancer.csv")
    return Dataset(
        name="breast cancer",
        feature_names=names,
        X=table[:, 1:],
        y=table[:, 0],
        target="diagnosis",
        classes=("benign", "malignant"),
        description=(
            "Nine cytological features of fine-needle aspirates of breast masses, each graded from 1 "
            "(closest to benign) to 10. As in the SLIM paper, the 16 of 699 cases with a missing value "
            "and the sample number are left out."
        ),
        source="W. H. Wolberg, Breast Cancer Wisconsin (Original), UCI",
        licence="CC BY 4.0",
    )


def _read(file_name: str) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    text = (files("supersparse.datasets") / "data" / file_name).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    table = np.array(rows, dtype=np.int64)
    table.setflags(write=False)
    return tuple(header[1:]), table
