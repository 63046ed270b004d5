"""Codes for missing values: numbers written with nines alone that stand apart from the rest of their column.

-9, -99, -999 ... are codes where no other number of the column is below 0. 99, 999, 9999 ... are codes where
they lie further above the other numbers than these lie apart from each other, and 9 where there are exactly
two others, such as 0 and 1. A number written with nines among texts is a code where no other text is a
number. There must be ten values that are no codes, two of them different, and more of them than codes.
"""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.table.cells_of_text import is_number

_FEWEST = 10
NINES = np.array([sign * (10.0**k - 1) for sign in (-1, 1) for k in range(1, 10)])


def codes_among(values: NDArray[np.float64], copies: NDArray[np.int64] | None = None) -> list[int]:
    """Return the codes among the numbers of a column; what is not finite does not count.

    `copies` says for how many rows each number stands.

    >>> codes_among(np.array([*range(20, 80), -99, 99, 999], dtype=float))
    [-99, 999]
    """
    finite = np.isfinite(values)
    distinct, places, rows = np.unique(values[finite], return_inverse=True, return_counts=True)
    if copies is not None:
        rows = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(rows, places.reshape(-1), copies[finite])
    return codes_of(distinct, rows)


def codes_of(distinct: NDArray[np.float64], rows: NDArray[Any]) -> list[int]:
    """Return the codes among distinct numbers, rising, of which each is in so many rows."""
    ordinary = ~np.isin(distinct, NINES)
    if ordinary.all():
        return []
    for place in sorted(np.flatnonzero(~ordinary), key=lambda k: abs(distinct[k])):
        ordinary[place] = not _stands_apart(float(distinct[place]), distinct[ordinary])
    n_ordinary, n_coded = int(rows[ordinary].sum()), int(rows[~ordinary].sum())
    enough = ordinary.sum() >= 2 and n_ordinary >= _FEWEST and n_ordinary > n_coded
    return distinct[~ordinary].astype(int).tolist() if enough else []


def _stands_apart(value: float, rest: NDArray[np.float64]) -> bool:
    if not len(rest):
        return False
    if value < 0:
        return bool(rest[0] >= 0)
    return bool(value - rest[-1] > rest[-1] - rest[0]) and (value > 9 or len(rest) == 2)


def codes_among_texts(counts: Counter[str]) -> list[str]:
    """Return the codes among the texts of a column, with the number of their rows.

    >>> codes_among_texts(Counter({"yes": 20, "no": 30, "-99": 2, "9": 1}))
    ['-99', '9']
    """
    numbers = [text for text in counts if is_number(text)]
    if len(numbers) == len(counts):
        found = codes_among(np.array(list(map(float, counts))), np.array(list(counts.values()), np.int64))
        return [text for text in numbers if float(text) in found]
    codes = [text for text in numbers if float(text) in NINES]
    coded = sum(counts[text] for text in codes)
    enough = counts.total() - coded >= max(_FEWEST, coded + 1)
    return codes if enough and len(codes) == len(numbers) <= len(counts) - 2 else []
