"""Where the data files are, and how they are read."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import MissingDataError
from supersparse.table.datasets import load_breast_cancer, load_haberman, load_spambase, load_tic_tac_toe

ROOT = Path(__file__).resolve().parent.parent
BUNDLED = {
    "breastcancer.csv": load_breast_cancer,
    "haberman.csv": load_haberman,
    "spambase.csv": load_spambase,
    "tictactoe.csv": load_tic_tac_toe,
}


@dataclass(frozen=True, slots=True)
class Table:
    """Features, the target (0 or 1) and the names of the features."""

    X: NDArray[np.generic]
    y: NDArray[np.generic]
    names: tuple[str, ...]


def folder() -> Path:
    """Return ``SUPERSPARSE_DATA``, or ``shared/data`` beside the checkout."""
    given = os.environ.get("SUPERSPARSE_DATA")
    return Path(given) if given else ROOT.parent / "shared" / "data"


def missing(file: str | None) -> str | None:
    """Say why a file cannot be read here, or None when it can; None stands for generated data."""
    if file is None or file in BUNDLED or (folder() / file).is_file():
        return None
    return f"{file} is not in {folder().name}/; set SUPERSPARSE_DATA to the folder that holds it"


def read(file: str) -> Table:
    """Read a table: one header row, first column the target, then numeric features."""
    if file in BUNDLED:
        data = BUNDLED[file]()
        return Table(data.X, data.y, data.feature_names)
    reason = missing(file)
    if reason is not None:
        raise MissingDataError(reason)
    path = folder() / file
    names = tuple(np.loadtxt(path, delimiter=",", max_rows=1, dtype=str, encoding="utf-8", comments=None))
    table = np.loadtxt(path, delimiter=",", skiprows=1, encoding="utf-8", comments=None)
    return Table(table[:, 1:], table[:, 0].astype(int), tuple(str(n) for n in names[1:]))
