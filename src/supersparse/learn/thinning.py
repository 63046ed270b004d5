"""Thinning: of a large table, the folds learn from as many rows as their time allows.

A fold is there to tell how a card does on rows it has not seen. Learning it from all rows of a large table
would take longer than its share of a time limit, and so would scoring all held-out rows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.pipeline import LARGE
from supersparse.learn.rows import TrainingRows

LEAST_SECONDS = 0.1  # for a solve on the rows that are left
SCORED_PER_LEARNED = 8  # held-out rows that are scored, for each row that is learned from
_VALUES_PER_SECOND = 2**20  # that can be prepared and searched
_LEAST_ROWS = 1000
_LEAST_OF_CLASS = 50


def thinned(chosen: NDArray[np.intp], rows: TrainingRows, seconds: float | None) -> NDArray[np.intp]:
    """Return as many of the chosen rows as a solve of so many seconds is worth; all without a limit.

    Classes keep their shares. More rows are kept where one class would have hardly any.
    """
    if seconds is None or len(chosen) * rows.n_columns <= LARGE:
        return chosen
    _, of_class = np.unique(rows.y[chosen], return_inverse=True)
    rarest = int(np.bincount(of_class.reshape(-1)).min())
    least = max(_LEAST_ROWS, -(-_LEAST_OF_CLASS * len(chosen) // rarest))
    n_rows = max(least, int(seconds * _VALUES_PER_SECOND / rows.n_columns))
    return drawn(chosen, rows.y, n_rows)


def drawn(chosen: NDArray[np.intp], y: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    """Return so many of the chosen rows at random, or all if there are fewer; classes keep their shares."""
    if n_rows >= len(chosen):
        return chosen
    order = np.random.default_rng(0).permutation(len(chosen))
    by_class = order[np.argsort(y[chosen[order]], kind="stable")]
    places = np.linspace(0, len(chosen), n_rows, endpoint=False).astype(np.intp)
    return np.sort(chosen[by_class[places]])
