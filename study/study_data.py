"""The rows of the study, and how they are split: the same for all methods."""

import hashlib
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.table.datasets.loaders import find

FOLDS = 5
HOLD_OUT = "80/20"  # the name of the one split of the applications


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StudyData:
    """A table of the study; y is True for the positive class. There is no column for the intercept."""

    name: str
    X: NDArray[Any]
    y: NDArray[np.bool_]
    feature_names: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """A short text that differs when the rows do."""
        content = hashlib.sha256(np.ascontiguousarray(self.X, dtype=np.float64).tobytes())
        content.update(self.y.tobytes())
        return content.hexdigest()[:12]

    @property
    def paper_columns(self) -> int:
        """P as the paper counts it: the intercept is a column."""
        return len(self.feature_names) + 1

    def part(self, rows: NDArray[np.intp]) -> "StudyData":
        """Return these rows."""
        return StudyData(name=self.name, X=self.X[rows], y=self.y[rows], feature_names=self.feature_names)


def load_study_data(name: str, folder: Path | None = None) -> StudyData:
    """Load one of the paper's six datasets at its size; one that is not there raises `MissingDataError`.

    >>> load_study_data("haberman").X.shape
    (306, 3)
    """
    data = find(name, "paper").load(folder)
    return StudyData(name=name, X=data.X, y=data.y == 1, feature_names=data.feature_names)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Rows to learn from and rows to test on, by position."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def fold_names(folds: int = FOLDS) -> tuple[str, ...]:
    """Name the outer folds: ``1/5`` is the first of five."""
    return tuple(f"{k}/{folds}" for k in range(1, folds + 1))


def inner_names(outer: str, folds: int = FOLDS) -> tuple[str, ...]:
    """Name the folds inside the training rows of an outer one: ``1/5:2/5``."""
    return tuple(f"{outer}:{inner}" for inner in fold_names(folds))


def split_rows(y: NDArray[np.bool_], name: str, seed: int) -> Split:
    """Return the rows of a split by its name; the same on every machine.

    >>> y = np.array([False, True] * 5)
    >>> [len(split_rows(y, name, 0).test) for name in fold_names()]
    [2, 2, 2, 2, 2]
    """
    if name == HOLD_OUT:
        order = _shuffled(np.arange(len(y)), random.Random(seed))
        cut = round(0.8 * len(order))
        return Split(np.sort(order[:cut]), np.sort(order[cut:]))
    outer, _, inner = name.partition(":")
    split = _fold(y, outer, seed)
    if not inner:
        return split
    inside = _fold(y[split.train], inner, seed + 1)
    return Split(split.train[inside.train], split.train[inside.test])


def _fold(y: NDArray[np.bool_], name: str, seed: int) -> Split:
    """Deal the shuffled rows of each class to the folds in turn, going on where the other class ended."""
    fold, folds = (int(part) for part in name.split("/"))
    fewest = min(int(y.sum()), int((~y).sum()))
    if fewest < folds:
        raise InvalidDataError(f"a class has {fewest} rows, fewer than the {folds} folds; use fewer folds")
    draw = random.Random(seed)
    order = np.concatenate([_shuffled(np.flatnonzero(y == of_class), draw) for of_class in (False, True)])
    test = np.sort(order[fold - 1 :: folds])
    return Split(np.setdiff1d(np.arange(len(y)), test), test)


def _shuffled(rows: NDArray[np.intp], draw: random.Random) -> NDArray[np.intp]:
    # Python promises the same random() for a seed in every version, and promises nothing of shuffle
    keys = [draw.random() for _ in rows]
    return rows[np.argsort(keys, kind="stable")]
