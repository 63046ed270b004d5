"""Repair: whole residuals that add up to 0 in every answer, near rounded ones.

Rounding leaves sums of a few units. They are moved onto a basis of the patterns themselves: heavy patterns
first, with pivots of ±1 where there are any. The system is solved in floats and verified in whole numbers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats

Matrix = NDArray[np.int64]
_TINY = 1e-9
_MOST_PRIMES = 16


class Basis:
    """Patterns whose rows span those of all patterns."""

    def __init__(self, design: Matrix, weight: Floats) -> None:
        order = np.argsort(-weight, kind="stable")
        left = design[order].astype(float)
        self.n_patterns, width = left.shape
        rows: list[int] = []
        columns: list[int] = []
        free, live = np.ones(self.n_patterns, bool), np.ones(width, bool)
        while live.any():
            size = np.abs(left[:, live])
            fits = free & (np.abs(size - 1) < _TINY).any(1)
            if not fits.any():
                fits = free & (size > _TINY).any(1)
            if not fits.any():
                break  # the other columns depend on these
            i = int(np.argmax(fits))
            pivots = np.where(live, np.abs(left[i]), 0)
            ones = np.abs(pivots - 1) < _TINY
            j = int(np.argmax(ones if ones.any() else pivots))
            factors = left[i] / left[i, j]
            factors[j] = 0
            factors[~live] = 0
            others = np.flatnonzero(factors)
            left[:, others] -= np.outer(left[:, j], factors[others])
            rows.append(i)
            columns.append(j)
            free[i] = live[j] = False
        self.rows, self.columns = order[rows], np.array(columns)
        self.matrix: Matrix = design[self.rows].T.astype(np.int64)
        square = self.matrix[self.columns].astype(float)
        self._inverse = np.linalg.inv(square)
        self.is_unimodular = round(min(abs(float(np.linalg.det(square))), 1e18)) == 1

    def moved(self, residuals: list[int], sums: Matrix) -> tuple[list[int], int] | None:
        """Residuals whose sums are 0, times a common divisor, and that divisor; None if it is not found."""
        basis = np.rint(self._inverse @ sums[self.columns]).astype(np.int64)
        if (self.matrix @ basis == sums).all():
            for row, amount in zip(self.rows.tolist(), basis.tolist(), strict=True):
                residuals[row] -= amount
            return residuals, 1
        solved = _solved(self.matrix[self.columns], sums[self.columns])
        if solved is None:
            return None
        divisor, exact = solved
        if (self.matrix.astype(object) @ exact != sums.astype(object) * divisor).any():
            return None
        moved = [residual * divisor for residual in residuals]
        for row, amount in zip(self.rows.tolist(), exact.tolist(), strict=True):
            moved[row] -= int(amount)
        return moved, divisor


def _primes() -> list[int]:
    found: list[int] = []
    number = 2**31 - 1
    while len(found) < _MOST_PRIMES:
        if all(number % k for k in range(3, 46342, 2)):
            found.append(number)
        number -= 2
    return found


_PRIMES: list[int] = []


def _solved(matrix: Matrix, right: Matrix) -> tuple[int, NDArray[Any]] | None:
    """Whole numbers d > 0 and y with matrix·y = d·right, from remainders; the caller verifies them."""
    if not _PRIMES:
        _PRIMES.extend(_primes())
    square = matrix.astype(float)
    size = np.linalg.slogdet(square)[1] / np.log(2)
    size += np.log2(1 + np.abs(np.linalg.solve(square, right.astype(float))).max()) + 10
    modulus, det = 1, 0
    values = [0] * len(matrix)
    for prime in _PRIMES:
        remainder, solution = _modulo(matrix, right, prime)
        if not remainder:
            continue
        inverse = pow(modulus, -1, prime) if modulus > 1 else 1
        det += modulus * ((remainder - det) * inverse % prime)
        values = [a + modulus * ((b - a) * inverse % prime) for a, b in zip(values, solution, strict=True)]
        modulus *= prime
        if modulus.bit_length() > size + 2:
            break
    else:
        return None
    det, *values = (a - modulus if a > modulus // 2 else a for a in (det, *values))
    sign = 1 if det > 0 else -1
    return sign * det, np.array([sign * a for a in values], dtype=object)


def _modulo(matrix: Matrix, right: Matrix, prime: int) -> tuple[int, list[int]]:
    """The determinant and determinant·solution modulo a prime; 0 where it has none."""
    n = len(matrix)
    table = np.concatenate([matrix % prime, (right % prime)[:, None]], axis=1).astype(np.int64)
    det = 1
    for k in range(n):
        i = k + int(np.argmax(table[k:, k] != 0))
        if table[i, k] == 0:
            return 0, []
        if i != k:
            table[[i, k]] = table[[k, i]]
            det = -det
        pivot = int(table[k, k])
        det = det * pivot % prime
        table[k] = table[k] * pow(pivot, -1, prime) % prime
        factors = table[:, k].copy()
        factors[k] = 0
        table = (table - factors[:, None] * table[k]) % prime
    return det, (table[:, n] * (det % prime) % prime).tolist()
