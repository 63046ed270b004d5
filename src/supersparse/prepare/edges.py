"""Edges: the few human cut points of a column among which every method chooses.

A column with few distinct values has an edge in each gap between two neighbours. One with many has an
edge for each of `_BINS` equal shares of the rows, placed at the roundest number near it. So later steps
work on at most `_BINS` bins whatever the number of rows, and every cut is fit to be read aloud.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.card.cuts import from_on
from supersparse.card.numbers import exact
from supersparse.prepare.counts import ClassCounts, Floats
from supersparse.prepare.human import roundest

_BINS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Cut points in rising order, and the class counts of the bins between them."""

    cuts: tuple[Fraction, ...]
    bins: ClassCounts  # one bin more than cuts


def find_edges(values: NDArray[np.generic], counts: ClassCounts, least: float, column: str) -> Edges:
    """Return the edges of sorted distinct values; each leaves a weight of at least `least` on both sides."""
    allowed = _positions(counts.both, least)
    if len(allowed) <= _BINS:
        windows = [(i, i) for i in allowed.tolist()]
    else:
        shares = np.arange(1, _BINS) / _BINS
        windows = _windows(allowed, counts.both, shares, 0.5 / _BINS)
    return _edges(values, counts, windows, column)


def quantile_edges(
    values: NDArray[np.generic], counts: ClassCounts, least: float, n_cuts: int, column: str
) -> Edges:
    """Return edges near the quantiles, moved by a quarter of a bin at most to be round."""
    shares = np.arange(1, n_cuts + 1) / (n_cuts + 1)
    allowed = _positions(counts.both, least)
    return _edges(values, counts, _windows(allowed, counts.both, shares, 0.25 / (n_cuts + 1)), column)


def _positions(both: Floats, least: float) -> NDArray[np.intp]:
    """Where a cut may be: position i parts the first i values from the others."""
    below = np.cumsum(both)[:-1]
    tolerance = 1e-9 * max(1.0, float(both.sum()))
    fits = (below >= least - tolerance) & (float(both.sum()) - below >= least - tolerance)
    return np.flatnonzero(fits) + 1


def _windows(allowed: NDArray[np.intp], both: Floats, shares: Floats, reach: float) -> list[tuple[int, int]]:
    """For each share of the rows, the allowed positions that leave about that share below.

    Where no position is so near, as beside a value that many rows have, the nearest one stands alone.
    """
    if not len(allowed):
        return []
    below = np.cumsum(both)[allowed - 1] / both.sum()
    starts = np.searchsorted(below, shares - reach, side="left")
    ends = np.searchsorted(below, shares + reach, side="right")
    found = []
    for share, start, end in zip(shares.tolist(), starts.tolist(), ends.tolist(), strict=True):
        if start == end:
            before, after = max(start - 1, 0), min(start, len(below) - 1)
            start = before if share - below[before] <= below[after] - share else after
            end = start + 1
        found.append((int(allowed[start]), int(allowed[end - 1])))
    return list(dict.fromkeys(found))


def _edges(
    values: NDArray[np.generic], counts: ClassCounts, windows: list[tuple[int, int]], column: str
) -> Edges:
    what = f"column {column!r}"
    cuts: dict[int, Fraction] = {}
    for first, last in windows:
        cut = roundest(exact(values[first - 1], what), exact(values[last], what))
        position = first + int(from_on(values[first : last + 1], cut, included=True).argmax())
        cuts.setdefault(position, cut)
    places = sorted(cuts)
    starts = np.array([0, *places], dtype=np.intp)
    bins = ClassCounts(np.add.reduceat(counts.negative, starts), np.add.reduceat(counts.positive, starts))
    return Edges(tuple(cuts[i] for i in places), bins)
