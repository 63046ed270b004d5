"""Ranges of points: the relaxation of a set of questions whose points lie in ranges, and the leaf it gives.

Points times slope are real effects within slope·range. Where one question's points have a least one above 0, the
slope is bounded, and a fit with a logarithmic barrier leaves room for rounding: its effects, as whole multiples
of 2^-k, are the leaf.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Floats
from supersparse.engine.certify.risk_sets import Sets, entropy, logistic, softplus

Box = tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]
_STEEPEST = 200.0  # slopes: beyond, risks are 0 or 1 to all digits that masses have
_FLAT = 6.0  # how far apart scores are at the start
_NOISE = 1e-13  # of a loss in floats: what a shorter step gains is not to be seen
DIGITS = (6, 10, 14, 18, 24, 32, 44)  # of effects, tried in turn


class Effects(NamedTuple):
    """Effects that may close a leaf: offset, slope, and those of each answer of the questions not decided."""

    offset: float
    slope: float
    answers: Mapping[int, Sequence[float]]

    def rounded(self, digits: int) -> list[Any]:
        """The leaf with effects in multiples of 2^-digits."""
        scale = 2.0**digits
        effects = [round(effect * scale) for j in sorted(self.answers) for effect in self.answers[j]]
        return ["c", digits, round(self.offset * scale), round(self.slope * scale), effects]


class Relaxation:
    """Questions that are all asked, with real points within ranges."""

    def __init__(self, sets: Sets, boxes: Mapping[int, Box], ordered: Mapping[int, int]) -> None:
        self.sets, self.boxes = sets, boxes
        self.asked = sorted(boxes)
        patterns = sets.patterns(self.asked)
        self.positive, self.total = patterns.positive * sets.scale, patterns.total * sets.scale
        answers = {j: sets.answers[j, patterns.first] for j in self.asked}
        decided = np.zeros(len(self.total))
        columns: list[Floats] = []
        self.variables: list[tuple[int, int]] = []
        middle: list[float] = []
        rows: list[dict[int, float]] = []  # of the inequalities: 0 is the slope, then the variables
        for j in self.asked:
            ways, low, high = boxes[j]
            if low == high:
                decided += np.array(low, dtype=float)[answers[j]]
                continue
            n = len(low)
            place = {b: len(self.variables) + b for b in range(n)}
            for b in range(n):
                self.variables.append((j, b))
                columns.append((answers[j] == b).astype(float))
                share = (b + 1) / (n + 1) if ways[0] != "down" else 1 - (b + 1) / (n + 1)
                middle.append(low[b] + (share if len(ways) == 1 else 0.5) * (high[b] - low[b]))
                if low[b] == high[b]:
                    middle[-1] = low[b]
                else:
                    rows += [{0: -low[b], 1 + place[b]: 1.0}, {0: high[b], 1 + place[b]: -1.0}]
            if ways in (("up",), ("down",)):
                sign = 1.0 if ways == ("up",) else -1.0
                for b in range(1, ordered[j]):
                    if low[b] < high[b] and low[b - 1] < high[b - 1]:
                        rows.append({1 + place[b]: sign, 1 + place[b - 1]: -sign})
        self._eliminate(columns, decided, rows, middle)

    def _eliminate(
        self, columns: list[Floats], decided: Floats, rows: list[dict[int, float]], middle: list[float]
    ) -> None:
        """Take out the answers whose points are decided: they move with the slope."""
        ends = [(self.boxes[j][1][b], self.boxes[j][2][b]) for j, b in self.variables]
        fixed = {v: low for v, (low, high) in enumerate(ends) if low == high}
        free = [v for v in range(len(self.variables)) if v not in fixed]
        for v, points in fixed.items():
            decided = decided + points * columns[v]
        self.free, self.fixed = free, fixed
        self.design = np.column_stack([np.ones(len(self.total)), decided, *(columns[v] for v in free)])
        place = {v: k for k, v in enumerate(free)}
        self.walls = np.zeros((len(rows) + 2, 2 + len(free)))
        self.walls[0, 1], self.walls[1, 1] = 1, -1
        for i, row in enumerate(rows, 2):
            for v, amount in row.items():
                self.walls[i, 1 if v == 0 else 2 + place[v - 1]] = amount
        self.constants = np.zeros(len(rows) + 2)
        self.constants[1] = _STEEPEST
        self.middle = np.array([middle[v] for v in free])

    def loss(self, score: Floats) -> float:
        return float((self.total * softplus(score) - self.positive * score).sum())

    def start(self, warm: Mapping[int, Sequence[float]] | None, slope: float) -> Floats:
        """Effects strictly within the ranges."""
        points = self.middle
        if warm is not None and self.free:
            names = [self.variables[v] for v in self.free]
            low = np.array([self.boxes[j][1][b] for j, b in names], dtype=float)
            high = np.array([self.boxes[j][2][b] for j, b in names], dtype=float)
            near = np.array([warm[j][b] for j, b in names])
            points = 0.7 * np.clip(near, low, high) + 0.3 * points
        spread = float(np.ptp(self.design[:, 1:] @ np.concatenate([[1.0], points])))
        slope = min(max(slope, 1e-3), _STEEPEST / 2, _FLAT / max(spread, 1e-3))  # curvature where Newton starts
        effects = np.concatenate([[0.0, slope], slope * points])
        if not (self.constants + self.walls @ effects > 0).all():
            effects = np.concatenate([[0.0, slope], slope * self.middle])
        mean = self.positive.sum() / self.total.sum()
        effects[0] = np.log(mean / (1 - mean)) - (self.total * (self.design @ effects)).sum() / self.total.sum()
        return effects

    def solve(self, effects: Floats, least: float, offer: Callable[[list[Any]], bool]) -> tuple[bool, Floats]:
        """Follow the barrier until `offer` takes the effects, or the bound is out of reach."""
        weight, m, fewest = 1e-3, len(self.walls), 0
        decrement = np.inf
        while True:
            for steps in range(30):
                score = self.design @ effects
                room = self.constants + self.walls @ effects
                risk = logistic(score)
                scaled = self.walls / room[:, None]
                gradient = self.design.T @ (self.total * risk - self.positive) - weight * scaled.sum(0)
                hessian = (self.design * (self.total * risk * (1 - risk))[:, None]).T @ self.design
                hessian += weight * scaled.T @ scaled
                hessian[np.diag_indices_from(hessian)] *= 1 + 1e-11
                hessian[0, 0] += 1e-300
                try:
                    step = np.linalg.solve(hessian, gradient)
                except np.linalg.LinAlgError:
                    step = gradient / np.maximum(hessian.diagonal(), 1e-300)
                decrement = float(gradient @ step)
                if decrement < 1e-2 * weight and steps >= fewest:
                    break
                value = self.loss(score) - weight * float(np.log(room).sum())
                length = 1.0
                for _ in range(40):
                    there = effects - length * step
                    room = self.constants + self.walls @ there
                    if (room > 0).all():
                        now = self.loss(self.design @ there) - weight * float(np.log(room).sum())
                        if now < value - 1e-4 * length * decrement or decrement < _NOISE:
                            break
                    length /= 2
                else:
                    break
                effects = there
            loss = self.loss(self.design @ effects)
            is_near = loss - weight * m >= least + 1e-12 and decrement < 0.3 * weight
            if is_near:
                if self._is_taken(effects, least, offer):
                    return True, effects
                fewest = 1  # near enough for the loss, not for the sign of what the residuals favour
            if (loss < least and weight * m < 0.3 * (least - loss)) or weight < 1e-14:
                return False, effects
            weight *= 0.1

    def _is_taken(self, effects: Floats, least: float, offer: Callable[[list[Any]], bool]) -> bool:
        """Offer the effects in more and more digits, from where they reach the bound in floats."""
        residuals = self._effects(effects)
        for digits in DIGITS:
            scale = 2.0**digits
            theta = logistic(self.design @ (np.rint(effects * scale) / scale))
            if float((self.total * entropy(theta)).sum()) >= least + 1e-12 and offer(residuals.rounded(digits)):
                return True
        return False

    def _effects(self, effects: Floats) -> Effects:
        """The effects by answer of the questions that are not decided."""
        slope = float(effects[1])
        of = {j: [0.0] * len(self.boxes[j][1]) for j, _ in self.variables}
        for v, points in self.fixed.items():
            j, b = self.variables[v]
            of[j][b] = slope * points
        for k, v in enumerate(self.free):
            j, b = self.variables[v]
            of[j][b] = float(effects[2 + k])
        return Effects(float(effects[0]), slope, of)

    def points(self, effects: Floats) -> tuple[dict[int, list[float]], float]:
        """The relaxed points of every question, and the slope."""
        slope = max(float(effects[1]), 1e-6)
        of = {j: [float(v) for v in self.boxes[j][1]] for j in self.asked}
        for k, v in enumerate(self.free):
            j, b = self.variables[v]
            of[j][b] = float(effects[2 + k]) / slope
        return of, slope
