"""Ways to divide rows for cross-validation: at random, with groups kept together, or in the order of time.

How a card is judged on held-out rows, and what is tried on them (`Folds`), stands here as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError, InvalidOptionError
from supersparse.base.exact import read_whole
from supersparse.base.schema.scalars import TextForm, Whole
from supersparse.base.schema.setting import Option, setting
from supersparse.table.values import Numbers

if TYPE_CHECKING:
    from supersparse.learn.rows import TrainingRows
    from supersparse.table.sources import CellTable

_LARGE = 300_000  # values of a table
_MANY_ROWS = 1000

Split = tuple[NDArray[np.intp], NDArray[np.intp]]  # (training rows, test rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationSettings:
    """Cross-validation, and how rows are divided for it."""

    cv: int = setting(
        5,
        Whole(2),
        "Number of folds of a cross-validation, features included, which chooses C0 if you do not set it; default: 5.",
        option=Option(metavar="K"),
    )
    repeats: int | None = setting(
        None,
        Whole(1),
        "How many times the rows are divided into folds, each time in another way; default: 2, or 1 if "
        "cv or cv_time is given, or there are more than 300,000 values.",
        option=Option(metavar="N"),
    )
    cv_groups: str | None = setting(
        None,
        TextForm("the name of a column"),
        "Column of groups, such as patients, to keep in one fold, or none; default: an identifier that repeats.",
        option=Option(metavar="NAME"),
    )
    cv_time: str | None = setting(
        None,
        TextForm("the name of a column"),
        "Column of dates or numbers: train on earlier rows, test on later ones.",
        option=Option(metavar="NAME"),
    )


def splits_of(y: NDArray[Any], folds: int, *, groups: Any = None, times: Any = None, seed: int = 0) -> list[Split]:
    """Divide rows into folds, each the test rows of one split.

    Classes are divided evenly and at random by a seed, never in the order of the rows: a table that is sorted
    by a column would be tested on values that no training row has. With `groups`, a label for each row, all
    rows of a group are in one fold. With `times`, rows are tested by what was learned from earlier ones only:
    the first part is never tested, and rows of the same time stay together.

    >>> [test.tolist() for _, test in splits_of(np.array([0, 1, 0, 1, 0, 1]), 2, times=[3, 1, 1, 2, 2, 3])]
    [[3, 4], [0, 5]]
    """
    read_whole(folds, "folds", 2, InvalidOptionError)
    if groups is not None and times is not None:
        raise InvalidOptionError("rows can be split by groups or by time, not both", "use one of them")
    splits = _evenly(y, folds, groups, seed) if times is None else _by_time(np.asarray(times), folds)
    for k, split in enumerate(splits, start=1):
        for rows, what in zip(split, ("training", "test"), strict=True):
            if len(np.unique(y[rows])) < (2 if what == "training" else 1):
                raise InvalidDataError(
                    f"the {what} rows of fold {k} of {folds} do not hold both classes", "use fewer folds"
                )
    return splits


def most_folds(y: NDArray[Any], groups: Any = None) -> int:
    """Return into how many folds the rows can be divided, each with rows of both classes where possible.

    >>> most_folds(np.array([0, 0, 0, 1, 1]))
    2
    """
    rarest = int(np.unique(y, return_counts=True)[1].min())
    return rarest if groups is None else min(rarest, len(np.unique(np.asarray(groups, dtype=str))))


def usual_repeats(n_rows: int, n_columns: int, *, asks_questions: bool = False) -> int:
    """Return how often rows are divided where nobody says: once where the table is large.

    Twice the folds tell little more there, and would take twice the time. For cards of questions a table of more than
    1,000 rows is large.

    >>> usual_repeats(5000, 60), usual_repeats(5001, 60)
    (2, 1)
    """
    return 2 if (n_rows <= _MANY_ROWS if asks_questions else n_rows * n_columns <= _LARGE) else 1


def fewer_folds(folds: int, asked: int, groups: Any = None) -> str:
    """Say why rows are divided into fewer folds than usual.

    >>> fewer_folds(3, 5)
    '3 folds instead of 5, because there are only 3 rows of a class'
    """
    what = "rows of a class" if groups is None else "groups, or rows of a class"
    return f"{folds} folds instead of {asked}, because there are only {folds} {what}"


def repeated_splits(y: NDArray[Any], folds: int, repeats: int, *, groups: Any = None, times: Any = None) -> list[Split]:
    """Divide rows into folds several times, one division after another, each by a seed of its own.

    The order of time allows one division only.

    >>> [test.tolist() for _, test in repeated_splits(np.array([0, 1] * 5), 2, 2)]
    [[0, 1, 2, 4, 5], [3, 6, 7, 8, 9], [0, 1, 2, 6, 9], [3, 4, 5, 7, 8]]
    """
    read_whole(repeats, "repeats", 1, InvalidOptionError)
    if times is not None:
        if repeats > 1:
            raise InvalidOptionError("time-ordered folds cannot be repeated", "remove repeats")
        return splits_of(y, folds, times=times)
    return [split for seed in range(repeats) for split in splits_of(y, folds, groups=groups, seed=seed)]


def hold_out(y: NDArray[Any], share: float, *, groups: Any = None, times: Any = None, seed: int = 0) -> Split:
    """Divide rows once: into those that are learned from, and a share that is held out.

    Both classes give the same share, drawn by a seed. With `groups`, whole groups are drawn until they have the share
    of the rows; with `times`, the latest rows are held out, and rows of the same time stay together.

    >>> hold_out(np.array([0, 1, 0, 1, 0, 1]), 0.3, times=[3, 1, 1, 2, 2, 3])[1].tolist()
    [0, 5]
    """
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < share < 1:
        raise InvalidOptionError(f"the share to hold out is {share!r}", "give one between 0 and 1, such as 0.2")
    n, draw = len(y), np.random.RandomState(seed)
    if times is not None:
        moments = np.asarray(times)
        latest = np.sort(moments, kind="stable")[n - max(1, round(share * n))]
        held = np.flatnonzero(moments >= latest)
    elif groups is not None:
        labels = np.unique(np.asarray(groups, dtype=str), return_inverse=True)[1]
        order = draw.permutation(int(labels.max()) + 1)
        rows_until = np.cumsum(np.bincount(labels)[order])
        held = np.flatnonzero(np.isin(labels, order[: int(np.searchsorted(rows_until, share * n)) + 1]))
    else:
        of_class = [np.flatnonzero(y == label) for label in np.unique(y)]
        held = np.sort(
            np.concatenate([draw.permutation(rows)[: max(1, round(share * len(rows)))] for rows in of_class])
        )
    learned = np.setdiff1d(np.arange(n), held)
    for rows, what in ((learned, "rows that are left to learn from"), (held, "held-out rows")):
        if len(np.unique(y[rows])) < 2:
            raise InvalidDataError(f"the {what} do not hold both classes", "hold out another share")
    return learned, held


def _evenly(y: NDArray[Any], folds: int, groups: Any, seed: int) -> list[Split]:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    classes, counts = np.unique(y, return_inverse=True, return_counts=True)[1:]
    if groups is None:
        rarest = int(counts.min())
        if rarest < folds:
            raise InvalidOptionError(
                f"{folds} folds are too many for a class with {rarest} rows", "use fewer folds", subject=folds
            )
        splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
        return list(splitter.split(np.zeros(len(y)), classes))
    labels = np.unique(np.asarray(groups, dtype=str), return_inverse=True)[1]
    n_groups = int(labels.max()) + 1
    if n_groups < folds:
        raise InvalidOptionError(f"{folds} folds are too many for {n_groups} groups", "use fewer folds")
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(y)), classes, labels))


def _by_time(times: NDArray[Any], folds: int) -> list[Split]:
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    # a part begins at the first row of a time: nothing is learned from the moment that is tested
    starts = [int(np.searchsorted(ordered, ordered[len(times) * part // (folds + 1)])) for part in range(1, folds + 1)]
    if len({0, *starts}) <= folds:
        raise InvalidOptionError(f"the rows have too few different times for {folds} folds", "use fewer folds")
    ends = [*starts[1:], len(times)]
    return [(np.sort(order[:start]), np.sort(order[start:end])) for start, end in zip(starts, ends, strict=True)]


AUTO = "auto"
_COPIES, _MOST_COMPARED = 0.05, 20_000  # share of the rows that repeat another one, and rows that are compared


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Folds:
    """How a card is judged on held-out rows, and what is tried on them."""

    splits: Sequence[Split]
    repeats: int = 1  # how often they divide the rows, one division after another
    n_jobs: int = 1  # processes, unless the recipe has an executor
    at_once: bool = False  # whether processes are started even if they save no time
    must: bool = False  # whether one fold is learned without any time, and errors and Ctrl-C are passed on
    Cs: Any = AUTO  # values of C0 to try, or how many; None for the recipe's own; AUTO as its settings say
    rule: str = "best"
    initial: Any = None  # where each search starts
    checkpoint: str | PathLike[str] | None = None  # a folder for their searches

    @property
    def is_auto(self) -> bool:
        """Whether the settings say what is tried."""
        return isinstance(self.Cs, str) and self.Cs == AUTO

    def choose(self, leaves_penalty: bool) -> bool:
        """Whether they choose C0, where the settings leave it to them."""
        return leaves_penalty if self.is_auto else self.Cs is not None


def divided(rows: "TrainingRows", folds: int, repeats: int = 1) -> list[Split]:
    """Divide rows as they ask to be: their groups stay together, or their times stay in order.

    Rows of weight 0 are in no fold, unless they were lost to follow-up.
    """
    used = weighty(rows)
    groups, times = (None if by is None else np.asarray(by)[used] for by in (rows.groups, rows.times))
    splits = repeated_splits(rows.y[used], folds, repeats, groups=groups, times=times)
    return [(used[train], used[test]) for train, test in splits]


def weighty(rows: "TrainingRows") -> NDArray[np.intp]:
    """The rows that have weight, by position."""
    everyone = rows.sample_weight is None or rows.follow_up is not None  # who is lost weighs the others
    return np.arange(len(rows.y)) if everyone else np.flatnonzero(np.asarray(rows.sample_weight))


def repeated_rows(table: "CellTable") -> NDArray[np.intp] | None:
    """The group of each row with those that repeat it, where more do than chance explains; else None.

    Such copies tell a fold what it is tested on. In a table of few answers rows coincide by chance: copies are what
    columns that tell nothing of each other would not give once.
    """
    n = table.n_rows
    groups, coincide = np.zeros(n, np.intp), n * (n - 1) / 2
    if n > _MOST_COMPARED:
        return None
    for cells in table.columns.values():
        codes = np.unique(cells.values, return_inverse=True)[1] if isinstance(cells, Numbers) else cells.codes
        codes = codes.astype(np.intp) + 1
        if cells.missing is not None:
            codes[cells.missing] = 0
        coincide *= float(((np.bincount(codes) / n) ** 2).sum())
        groups = np.unique(groups * (int(codes.max()) + 1) + codes, return_inverse=True)[1].astype(np.intp)
        if int(groups.max()) == n - 1:
            return None
    n_repeated = n - 1 - int(groups.max())
    return groups if coincide < 1 and n_repeated >= _COPIES * n else None


def possible_folds(rows: "TrainingRows", folds: int) -> int:
    """Into how many folds, of those asked, the rows can be divided.

    Each has rows of both classes where possible; no class has rows for two if it is below 2.
    """
    used = weighty(rows)
    return min(folds, most_folds(rows.y[used], None if rows.groups is None else np.asarray(rows.groups)[used]))
