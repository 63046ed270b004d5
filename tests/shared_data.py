"""The data beside a development checkout, and tables of the clean files there."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

SHARED = Path(os.environ.get("SUPERSPARSE_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))


def needs_shared_data(test):
    """Mark a test that reads shared data, and say so where it is skipped."""
    reason = "reads shared/data, which stands beside a development checkout only"
    return pytest.mark.shared_data(pytest.mark.skipif(not SHARED.is_dir(), reason=reason)(test))


def marked_where_missing(values, is_missing):
    """Parameters of a test: those whose data are not there read shared data, as far as the marks go."""
    return [pytest.param(v, marks=pytest.mark.shared_data) if is_missing(v) else v for v in values]


def clean_table(file):
    """Names, X and y of a file whose first column is the target."""
    content = (SHARED / file).read_bytes()
    text = (gzip.decompress(content) if file.endswith(".gz") else content).decode("utf-8")
    header, *rows = text.splitlines()
    table = np.loadtxt(rows, delimiter=",", comments=None)
    return tuple(header.split(",")[1:]), table[:, 1:], table[:, 0]
