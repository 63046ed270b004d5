"""How rows are held out to judge a card, and what is tried on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supersparse.learn.splits import Split, most_folds, repeated_splits
from supersparse.table.values import Numbers

if TYPE_CHECKING:
    from supersparse.learn.rows import TrainingRows
    from supersparse.learn.settings.settings import Settings
    from supersparse.table.sources import CellTable

AUTO = "auto"
_COPIES, _MOST_COMPARED = 0.05, 20_000  # share of the rows that repeat another one, and rows that are compared


def chooses_penalty(settings: "Settings") -> bool:
    """Whether the settings leave C0 to cross-validation."""
    return settings.levels is None and settings.C0 is None and not settings.asks_questions


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

    def chooses(self, settings: "Settings") -> bool:
        """Whether they choose C0."""
        return chooses_penalty(settings) if self.is_auto else self.Cs is not None


def divided(rows: "TrainingRows", folds: int, repeats: int = 1) -> list[Split]:
    """Divide rows as they ask to be: their groups stay together, or their times stay in order.

    Rows of weight 0 are in no fold.
    """
    used = weighty(rows)
    groups, times = (None if by is None else np.asarray(by)[used] for by in (rows.groups, rows.times))
    splits = repeated_splits(rows.y[used], folds, repeats, groups=groups, times=times)
    return [(used[train], used[test]) for train, test in splits]


def weighty(rows: "TrainingRows") -> NDArray[np.intp]:
    """The rows that have weight, by position."""
    return np.arange(len(rows.y)) if rows.sample_weight is None else np.flatnonzero(np.asarray(rows.sample_weight))


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
