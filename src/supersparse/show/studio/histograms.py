"""Histograms of a column, by class."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.table.table import Column, Kind, floats

_BINS = 24
_LEVELS = 20  # categories that get a bar of their own
_OUTLYING = 4.0  # a range so many times as wide as that of 98 % of the values is cut off

Mask = NDArray[np.bool_]


def histogram(column: Column, positive: Mask | None, known: Mask) -> dict[str, Any] | None:
    """Count the values of a column by class.

    `known` are the rows that count, `positive` the class of all rows; without a class all rows are counted
    as negative.
    """
    if column.kind in (Kind.EMPTY, Kind.TOO_MANY, Kind.DATE):
        return None
    of_class = np.zeros(len(known), dtype=bool) if positive is None else positive
    if column.kind is Kind.NUMBER:
        return _of_numbers(floats(column.values), of_class, known)
    texts = [_text(value) for value in column.values.tolist()]
    return _of_texts(texts, of_class, known)


def _text(value: object) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _of_numbers(values: NDArray[np.float64], positive: Mask, known: Mask) -> dict[str, Any]:
    gone = np.isnan(values)
    finite = values[np.isfinite(values) & known]
    edges = bin_edges(finite)
    clipped = np.clip(values, edges[0], np.nextafter(edges[-1], -np.inf))
    counts = []
    for of_class in (positive, ~positive):
        rows = known & of_class & ~gone
        counts.append(np.histogram(clipped[rows], bins=np.array(edges))[0].tolist())
    return {
        "edges": edges,
        "labels": None,
        "positive": counts[0],
        "negative": counts[1],
        "missing": _missing(gone, positive, known),
        "others": 0,
        "clipped": [
            bool(len(finite) and finite.min() < edges[0]),
            bool(len(finite) and finite.max() > edges[-1]),
        ],
    }


def bin_edges(values: NDArray[np.float64]) -> list[float]:
    """Return edges of bins: one for each whole number where they are few, else of equal width.

    >>> bin_edges(np.array([1.0, 2.0, 4.0]))
    [1.0, 2.0, 3.0, 4.0, 5.0]
    """
    if not len(values):
        return [0.0, 1.0]
    low, high = float(values.min()), float(values.max())
    if bool((np.floor(values) == values).all()) and high - low < _BINS:
        return [low + k for k in range(int(high - low) + 2)]
    near_low, near_high = (float(q) for q in np.quantile(values, [0.01, 0.99]))
    if near_high > near_low and high - low > _OUTLYING * (near_high - near_low):
        low, high = near_low, near_high
    if low == high:
        return [low, low + 1.0]
    return [float(edge) for edge in np.linspace(low, high, _BINS + 1)]


def _of_texts(texts: Sequence[str | None], positive: Mask, known: Mask) -> dict[str, Any]:
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    gone = np.array([text is None for text in texts], dtype=bool)
    for text, is_positive, counted in zip(texts, positive.tolist(), known.tolist(), strict=True):
        if text is not None and counted:
            counts[is_positive][text] += 1
    both = counts[0] + counts[1]
    labels = [text for text, _ in sorted(both.items(), key=lambda pair: (-pair[1], pair[0]))[:_LEVELS]]
    return {
        "edges": None,
        "labels": labels,
        "positive": [counts[1][label] for label in labels],
        "negative": [counts[0][label] for label in labels],
        "missing": _missing(gone, positive, known),
        "others": both.total() - sum(both[label] for label in labels),
        "clipped": [False, False],
    }


def _missing(gone: Mask, positive: Mask, known: Mask) -> list[int]:
    return [int((gone & known & of_class).sum()) for of_class in (positive, ~positive)]
