"""Sets of questions without ranges: θ that no points of theirs can use, and whole residuals for it.

For θ with residuals that add up to 0 in every answer of a set, no card over any part of the set has a log loss below
the mean of H(θ). The additive fit of a set has such θ; often a step from the fit of all questions is near enough.

Rounding leaves sums of a few units. They are moved onto a basis of the patterns themselves: heavy patterns
first, with pivots of ±1 where there are any. The system is solved in floats and verified in whole numbers.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

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
    primes: list[int] = []
    number = 2**31 - 1
    while len(primes) < _MOST_PRIMES:
        if all(number % k for k in range(3, 46342, 2)):
            primes.append(number)
        number -= 2
    return primes


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


_MOST_FINER = 2**24
_RIDGE = 1e-13
_INSIDE = 1e-12


def entropy(theta: Floats) -> Floats:
    positive, negative = np.clip(theta, 1e-300, 1), np.clip(1 - theta, 1e-300, 1)
    return np.asarray(-(theta * np.log(positive) + (1 - theta) * np.log(negative)))


def logistic(score: Floats) -> Floats:
    small = np.exp(-np.abs(score))
    return np.asarray(np.where(score >= 0, 1, small) / (1 + small))


def softplus(score: Floats) -> Floats:
    return np.asarray(np.maximum(score, 0) + np.log1p(np.exp(-np.abs(score))))


class Patterns(NamedTuple):
    """Rows that answer some questions alike: masses, and the first row of each."""

    of_row: NDArray[np.intp]
    positive: Floats
    total: Floats
    first: NDArray[np.intp]


class Sets:
    """The merged rows of a problem in floats, the fit of all questions, and the leaves that sets have.

    Masses are in units of 1/D, as in the file; `scale` times them add up to 1.
    """

    def __init__(self, answers: NDArray[np.int64], positive: list[int], total: list[int], D: int, weight: float):
        self.answers, self.D, self.scale = answers, D, 1 / (float(D) * weight)
        self.positive, self.total = np.array(positive, dtype=float), np.array(total, dtype=float)
        self.whole_positive = np.array(positive, dtype=object)
        random = np.random.default_rng(5)
        self._hash = np.array([random.integers(1, 2**62, int(column.max()) + 1)[column] for column in answers])
        columns, self.columns_of = [np.ones(answers.shape[1])], []
        for column in answers:
            others = np.unique(column)[1:]
            self.columns_of.append(np.arange(len(columns), len(columns) + len(others)))
            columns += [(column == k).astype(float) for k in others]
        self.design = np.column_stack(columns)
        self.commonest = np.array([np.bincount(column, self.total).argmax() for column in answers])
        self.effects, score = self.fit(self.design, self.positive, self.total, np.zeros(self.design.shape[1]))
        self._score, self._risk = score, logistic(score)
        curvature = self.scale * self.total * self._risk * (1 - self._risk)
        self.hessian = (self.design * curvature[:, None]).T @ self.design
        self.hessian[np.diag_indices_from(self.hessian)] += _RIDGE
        self._pull = self.hessian @ self.effects
        self._loss = self.scale * float((self.total * softplus(score) - self.positive * score).sum())
        self._energy = float(self.effects @ self._pull)
        self._pull = self._pull - self.scale * self.design.T @ (self.total * self._risk - self.positive)

    def fit(self, design: Floats, positive: Floats, total: Floats, start: Floats) -> tuple[Floats, Floats]:
        """Effects of the least log loss by Newton's method, and the scores of the rows."""
        effects = start.copy()
        if not effects.any():
            mean = positive.sum() / total.sum()
            effects[0] = np.log(mean / (1 - mean))

        def loss(score: Floats) -> float:
            return self.scale * float((total * softplus(score) - positive * score).sum())

        score = design @ effects
        value = loss(score)
        for _ in range(60):
            risk = logistic(score)
            gradient = self.scale * design.T @ (total * risk - positive)
            hessian = (design * (self.scale * total * risk * (1 - risk))[:, None]).T @ design
            hessian[np.diag_indices_from(hessian)] += 1e-12 * (1e-3 + hessian.diagonal())
            step = np.linalg.solve(hessian, gradient)
            length = 1.0
            for _ in range(30):
                there = effects - length * step
                score_there = design @ there
                now = loss(score_there)
                if now <= value + 1e-15:
                    break
                length /= 2
            effects, score, value = there, score_there, now
            if gradient @ step < 1e-13:
                break
        return effects, score

    def indices(self, asked: Sequence[int]) -> NDArray[np.intp]:
        """The columns of the design that some questions have, the constant first."""
        return np.concatenate([[0], *(self.columns_of[j] for j in asked)]).astype(np.intp)

    def patterns(self, asked: Sequence[int]) -> Patterns:
        """Merge the rows by their answers to some questions, in the order of their first."""
        key = self._hash[list(asked)].sum(0) if asked else np.zeros(self.answers.shape[1], np.int64)
        return self.merged(key)

    def merged(self, key: NDArray[np.int64]) -> Patterns:
        """Merge the rows by a key."""
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        row = rank[inverse]
        positive, total = (np.asarray(np.bincount(row, mass), float) for mass in (self.positive, self.total))
        return Patterns(row, positive, total, first[order])

    def predicted(self, asked: Sequence[int]) -> tuple[float, NDArray[np.intp], Floats]:
        """The log loss of the fit of some questions, roughly, from that of all; with their columns and effects."""
        i = self.indices(asked)
        effects = np.linalg.solve(self.hessian[np.ix_(i, i)], self._pull[i])
        return self._loss + (self._energy - float(effects @ self._pull[i])) / 2, i, np.asarray(effects, float)

    def leaf(self, asked: Sequence[int], least: float, *, insists: bool) -> list[Any] | None:
        """A leaf of all cards over a set whose log loss is at least so much; None if it has none."""
        predicted, i, effects = self.predicted(asked)
        if predicted < least - 0.02 * (least - self._loss) and not insists:
            return None
        patterns = self.patterns(asked)
        score = self.design[:, i] @ effects
        risk = self._risk + self._risk * (1 - self._risk) * (score - self._score)
        theta = np.bincount(patterns.of_row, self.total * risk) / patterns.total
        reached = -1.0
        if theta.min() > 0 and theta.max() < 1:
            reached = self.bound(patterns, theta)
        design = self.design[np.ix_(patterns.first, i)]
        if reached < least + 1e-9:
            theta = logistic(self.fit(design, patterns.positive, patterns.total, effects)[1])
            reached = self.bound(patterns, theta)
        if not reached >= least + 1e-11:
            return None
        return self._repaired(asked, patterns, design.astype(np.int64), theta, reached, least)

    def bound(self, patterns: Patterns, theta: Floats) -> float:
        """The mean of H(θ)."""
        return self.scale * float((patterns.total * entropy(theta)).sum())

    def _repaired(
        self, asked: Sequence[int], patterns: Patterns, design: NDArray[np.int64], theta: Floats, reached: float,
        least: float,
    ) -> list[Any] | None:  # fmt: skip
        """Residuals as coarse as they close, repaired to be 0 in every answer."""
        residual = patterns.total * theta - patterns.positive
        whole = np.bincount(patterns.of_row, self.positive)
        unit, finer = max(1, self.D // 4), 1
        curvature = self.scale * float((1 / np.maximum(theta * (1 - theta) * patterns.total, 1e-12)).sum()) / 24
        while unit > 1 and 3 * curvature * float(unit) ** 2 > reached - least:
            unit //= 2
        basis: Basis | None = None
        while True:
            rounded = np.rint(residual * (finer / unit))
            if np.abs(rounded).max() > 2**52:
                return None
            t, divisor = rounded.astype(np.int64).tolist(), 1
            sums = design.T @ rounded.astype(np.int64)
            if sums.any():
                if basis is None:
                    basis = self._basis(asked, patterns, design, theta)
                moved = basis.moved(t, sums)
                if moved is None:
                    return None
                t, divisor = moved
            steps = np.array([x / divisor for x in t]) * (unit / finer)
            shares = (whole + steps) / patterns.total
            inside = shares.min() >= -_INSIDE and shares.max() <= 1 + _INSIDE
            if inside and self.bound(patterns, np.clip(shares, 0, 1)) >= least + 1e-12:
                return ["l", unit, finer * divisor, t]
            if unit > 1:
                unit = max(1, unit // 4)
            elif finer < _MOST_FINER:
                finer *= 16
            else:
                return None

    def _basis(self, asked: Sequence[int], patterns: Patterns, design: NDArray[np.int64], theta: Floats) -> Basis:
        basis = Basis(design, patterns.total * theta * (1 - theta))
        if basis.is_unimodular or not asked:
            return basis
        chosen = np.array(asked)
        rare = (self.answers[np.ix_(chosen, patterns.first)] != self.commonest[chosen, None]).sum(0)
        near = Basis(design, -rare.astype(float))
        return near if near.is_unimodular else basis
