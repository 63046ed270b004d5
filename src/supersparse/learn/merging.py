"""Merging cells of few people: each joins the cell of its class whose answers differ in the fewest questions.

Of two cells that join, the larger one gives the answers. The smallest cell goes first, and it ends when every
cell has enough people. Classes keep their numbers of people. A class with too few people for any cell is left
out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Merged:
    """Cells by their position before, and how many people are counted in another cell than their own."""

    cells: NDArray[np.intp]  # those that remain
    counts: NDArray[np.int64]  # of each of them
    moved: int
    hidden: int  # people of a class with too few


def merge_cells(
    answers: NDArray[np.int8], positive: NDArray[np.bool_], counts: NDArray[np.int64], at_least: int
) -> Merged:
    """Join distinct cells until all that remain have at least so many people.

    >>> answers = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int8)
    >>> found = merge_cells(answers, np.array([True, True, True]), np.array([9, 2, 7]), 5)
    >>> found.cells.tolist(), found.counts.tolist(), found.moved
    ([0, 2], [11, 7], 2)
    """
    now = counts.copy()
    own = counts.copy()  # people who are counted where they were
    hidden = 0
    for label in (False, True):
        alive = np.flatnonzero((positive == label) & (now > 0))
        while len(alive) and now[alive].min() < at_least:
            small = alive[np.argmin(now[alive])]
            others = alive[alive != small]
            if not len(others):
                hidden += int(now[small])
                now[small] = own[small] = 0
                break
            apart = (answers[others] != answers[small]).sum(axis=1)
            near = others[np.lexsort((-now[others], apart))[0]]
            stays, goes = (near, small) if now[near] >= now[small] else (small, near)
            now[stays] += now[goes]
            now[goes] = own[goes] = 0
            alive = alive[alive != goes]
    kept = np.flatnonzero(now)
    return Merged(cells=kept, counts=now[kept], moved=int(now.sum() - own.sum()), hidden=hidden)
