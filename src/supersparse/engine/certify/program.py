"""Program: the integer program of a statement and its table.

Scores are whole numbers T_i = Σ_f λ_f·x_if, with λ in units and x scaled to whole numbers. With z_i for
"row i is wrong", p_f and n_f for "λ_f is positive" and "negative", and M larger than any score can be off,

    T_i - t + M·z_i >= 0   (positive rows)      -T_i + t + M·z_i >= 1   (negative rows)

for a free threshold: totals of t or more are positive. As totals are whole, a threshold between two totals is
the same as a whole t. Otherwise the rows read y_i·(T_i + b) + M·z_i >= 1, as a score of 0 is wrong for both.

Equal rows of a class share z_i, whose objective coefficient is their weight. Rows and variables have one
order, which the checker repeats. Features of one sign share a binary s: p_f <= s and n_f <= 1 - s.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import NoReturn

import numpy as np

from supersparse.base.errors import UnsupportedProblemError, VerificationError
from supersparse.base.integer_arrays import IntArray, Ints
from supersparse.engine.certify.statement import Coefficient, Statement
from supersparse.problem.variants import common_step

Coefficients = dict[int, int]

_LARGEST = 2**60


@dataclass(frozen=True, slots=True)
class Row:
    """One inequality: coefficients·x >= (G), <= (L) or = (E) the right side."""

    label: str
    sense: str
    right: int
    coefficients: Coefficients


@dataclass(slots=True)
class FeatureVariables:
    """The variables and rows of one coefficient; -1 where there is none."""

    of: Coefficient
    column: list[int]  # one entry per distinct row
    points: int = -1  # λ
    positive: int = -1  # p
    negative: int = -1  # n
    value: dict[int, int] = field(default_factory=dict)  # one binary a value, for sets with gaps or levels
    below: int = -1  # row λ <= high·p - least·n
    above: int = -1  # row λ >= least·p - high·n
    one_sign: int = -1  # row p + n <= 1
    positive_sum: int = -1  # row p = Σ of the positive values' binaries
    negative_sum: int = -1
    value_sum: int = -1  # row λ = Σ v·binary

    def literal(self, sign: int) -> int:
        return self.positive if sign > 0 else self.negative

    def signed(self, sign: int) -> list[int]:
        """The allowed values of one sign, by rising value."""
        return [v for v in self.of.values if v * sign > 0]


class Program:
    """Variables, rows and objective, in the order of the certificate."""

    def __init__(
        self,
        statement: Statement,
        columns: Sequence[IntArray],
        scales: Sequence[int],
        positive: Sequence[bool],
        weights: Sequence[int],
    ) -> None:
        """`columns` are whole numbers, each over its scale; weights are in any unit."""
        self.statement = statement
        self.names: list[str] = []
        self.rows: list[Row] = []
        self.lower: list[int] = []  # the row that bounds each variable from below
        self.upper: list[int] = []
        self._merge(columns, scales, positive, weights)
        self._costs: dict[int, Fraction] = {}
        self.constant = Fraction(0)
        self.features = [
            FeatureVariables(one, column) for one, column in zip(statement.features, self._columns, strict=True)
        ]
        if statement.b is not None:
            self.features.append(FeatureVariables(statement.b, [self.step] * len(self.positive)))
        self._reach()
        for f, feature in enumerate(self.features):
            self._add_variables(f, feature)
        self.signs = [self._variable(f"s{k}", 0, 1) for k in range(len(statement.same_sign))]
        self.threshold = -1
        if statement.intercept == "free":
            self.threshold = self._variable("t", self.least, self.most + 1)
        elif statement.intercept == "range":
            assert statement.low is not None
            assert statement.high is not None
            self.threshold = self._variable("b", statement.low, statement.high)
        total = sum(weights)
        prices = [price / total for price in statement.class_weights]
        self.wrong = [self._variable(f"z{r}", 0, 1) for r in range(len(self.positive))]
        of_weight = {(p, w): prices[p] * w for p, w in set(zip(self.positive, self.weights, strict=True))}
        for z, is_positive, weight in zip(self.wrong, self.positive, self.weights, strict=True):
            self._costs[z] = of_weight[is_positive, weight]
        self.n_bounds = len(self.rows)
        for f, feature in enumerate(self.features):
            self._link(f, feature)
        self._limit()
        self.x = np.array([feature.column for feature in self.features], np.int64)
        self.x = np.ascontiguousarray(self.x.reshape(len(self.features), len(self.positive)).T)
        at_row, at_feature = np.nonzero(self.x)
        start = np.searchsorted(at_row, np.arange(len(self.positive) + 1)).tolist()
        not_zero = at_feature.tolist()
        self.of_row = [self._add_row(r, not_zero[start[r] : start[r + 1]]) for r in range(len(self.positive))]
        self._scale()

    def _merge(
        self, columns: Sequence[IntArray], scales: Sequence[int], positive: Sequence[bool], weights: Sequence[int]
    ) -> None:
        """Scale columns to whole numbers without a common divisor, and merge equal rows of a class."""
        distinct = [np.unique(column, return_inverse=True) for column in columns]
        values = [[int(x) for x in of_column] for of_column, _ in distinct]
        common = lcm(*(scale // gcd(x, scale) for points, scale in zip(values, scales, strict=True) for x in points))
        whole = [[x * common // scale for x in points] for points, scale in zip(values, scales, strict=True)]
        mode = self.statement.intercept
        divisor = gcd(common if mode in ("range", "paper") else 0, *(x for points in whole for x in points)) or 1
        self.step = common // divisor  # what one unit of b is in these scores
        self.factor = Fraction(common, divisor)  # table value times this is the whole number
        if any(abs(x) // divisor > _LARGEST for points in whole for x in points):
            _refuse_scores(max(abs(x) // divisor for points in whole for x in points))
        keys = np.empty((len(columns) + 1, len(weights)), np.int64)
        keys[0] = positive
        for f, (points, (_, inverse)) in enumerate(zip(whole, distinct, strict=True)):
            keys[f + 1] = np.array([x // divisor for x in points], np.int64)[inverse.reshape(-1)]
        order = np.lexsort(keys[::-1])
        keys = keys[:, order]
        first = np.ones(len(order), bool)
        first[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
        self.positive = [bool(p) for p in keys[0, first]]
        self._columns: list[list[int]] = keys[1:, first].tolist()
        self.weights = [0] * len(self.positive)
        for row, merged in zip(order.tolist(), (np.cumsum(first) - 1).tolist(), strict=True):
            self.weights[merged] += weights[row]

    def _reach(self) -> None:
        """The least and the largest score; 0 is counted as one."""
        self.least = self.most = 0
        ends = [
            [v * x for v in (feature.of.values[0], feature.of.values[-1]) for x in set(feature.column)]
            for feature in self.features
        ]
        if self.statement.intercept == "range":
            ends.append([(self.statement.low or 0) * self.step, (self.statement.high or 0) * self.step])
        for products in ends:
            self.least += min(0, *products)
            self.most += max(0, *products)
        self.M = self.most - self.least + 1
        if self.M > _LARGEST:
            _refuse_scores(self.M)

    def _variable(self, name: str, low: int, high: int) -> int:
        at = len(self.names)
        self.names.append(name)
        self.lower.append(self._row(f"L{name}", "G", low, {at: 1}))
        self.upper.append(self._row(f"U{name}", "L", high, {at: 1}))
        return at

    def _row(self, label: str, sense: str, right: int, coefficients: Coefficients) -> int:
        self.rows.append(Row(label, sense, right, {v: c for v, c in coefficients.items() if c}))
        return len(self.rows) - 1

    def _add_variables(self, f: int, feature: FeatureVariables) -> None:
        of = feature.of
        low, high = min(0, of.values[0]), max(0, of.values[-1])
        unused = of.penalty(0) if 0 in of.values else Fraction(0)
        self.constant += unused
        feature.points = self._variable(f"l{f}", low, high)
        if high > 0:
            feature.positive = self._variable(f"p{f}", 0, 1)
        if low < 0:
            feature.negative = self._variable(f"n{f}", 0, 1)
        if of.is_interval and of.flat is not None:
            for literal in (feature.positive, feature.negative):
                if literal >= 0:
                    self._costs[literal] = of.flat
            return
        for k, v in enumerate(of.values):
            if v:
                feature.value[v] = self._variable(f"u{f}_{k}", 0, 1)
                self._costs[feature.value[v]] = of.penalty(v) - unused

    def _link(self, f: int, feature: FeatureVariables) -> None:
        up, down = feature.signed(1), feature.signed(-1)
        p, n, points = feature.positive, feature.negative, feature.points
        signs = {v: 1 for v in (p, n) if v >= 0}
        above, below = {points: 1}, {points: -1}
        if up:
            above[p], below[p] = -up[0], up[-1]
        if down:
            above[n], below[n] = -down[0], down[-1]
        feature.below = self._row(f"below{f}", "G", 0, below)
        feature.above = self._row(f"above{f}", "G", 0, above)
        feature.one_sign = self._row(f"sign{f}", "L", 1, signs)
        if 0 not in feature.of.values:
            self._row(f"used{f}", "G", 1, signs)
        if feature.value:
            values = {u: -v for v, u in feature.value.items()}
            feature.value_sum = self._row(f"value{f}", "E", 0, {points: 1, **values})
            if up:
                feature.positive_sum = self._row(f"up{f}", "E", 0, {p: 1, **{feature.value[v]: -1 for v in up}})
            if down:
                feature.negative_sum = self._row(f"down{f}", "E", 0, {n: 1, **{feature.value[v]: -1 for v in down}})

    def _limit(self) -> None:
        self.size_row = -1
        literals = [(f.positive, f.negative) for f in self.features]
        self.limit_rows = []
        for k, (weights, most) in enumerate(self.statement.all_limits):
            scale = lcm(most.denominator, *(w.denominator for w in weights))
            total = {v: int(w * scale) for pair, w in zip(literals, weights, strict=False) for v in pair if v >= 0}
            self.limit_rows.append(self._row(f"limit{k}", "L", int(most * scale), total))
        if self.statement.max_features is not None:
            self.size_row = self.limit_rows.pop(0)
        self.sign_rows: list[dict[int, tuple[int, int]]] = []  # by feature: p <= s, n <= 1 - s
        for k, together in enumerate(self.statement.same_sign):
            s, rows = self.signs[k], {}
            for f in together:
                p, n = literals[f]
                rows[f] = (
                    self._row(f"plus{k}_{f}", "G", 0, {s: 1, p: -1}) if p >= 0 else -1,
                    self._row(f"minus{k}_{f}", "L", 1, {s: 1, n: 1}) if n >= 0 else -1,
                )
            self.sign_rows.append(rows)
        self.limit_rows += [r for r, row in enumerate(self.rows) if row.label.startswith("used")]

    def _add_row(self, r: int, features: list[int]) -> int:
        """The inequality of a row, in which these features are not 0."""
        sign = 1 if self.positive[r] else -1
        row = {self.features[f].points: sign * self.features[f].column[r] for f in features}
        row[self.wrong[r]] = self.M
        right = 1
        if self.statement.intercept == "free":
            row[self.threshold] = -sign
            right = 0 if sign > 0 else 1
        elif self.statement.intercept == "range":
            row[self.threshold] = sign * self.step
        return self._row(f"r{r}", "G", right, row)

    def _scale(self) -> None:
        costs = {v: c for v, c in sorted(self._costs.items()) if c}
        distinct = set(costs.values())
        self.unit = common_step(distinct) or Fraction(1)  # F is the objective times this, plus the constant
        whole = {c: int(c / self.unit) for c in distinct}
        self.objective = {v: whole[c] for v, c in costs.items()}
        if sum(abs(c) for c in self.objective.values()) > _LARGEST:
            raise UnsupportedProblemError(
                "the weights and penalties have no common unit within 2^60, which certificates do not support",
                "use weights and penalties with fewer digits",
            )

    @property
    def gap(self) -> int:
        """The least difference of two totals, of a positive and a negative row that are both right."""
        return 1 if self.statement.intercept == "free" else 2

    def solution(self, points: Sequence[int], intercept: Fraction | int) -> Coefficients:
        """The values of all variables for a model: points in units, and b in units."""
        values: Coefficients = {}
        point_values = [*points, *([int(intercept)] if self.statement.b is not None else [])]
        for feature, v in zip(self.features, point_values, strict=True):
            values[feature.points] = v
            if v:
                values[feature.literal(v)] = 1
                if feature.value:
                    values[feature.value[v]] = 1
        for s, together in zip(self.signs, self.statement.same_sign, strict=True):
            values[s] = int(any(point_values[f] > 0 for f in together))
        totals = (self.x @ np.array(point_values, np.int64)).tolist()
        if self.statement.intercept == "free":
            above = [total for total in totals if total + intercept * self.factor > 0]
            t = min(above, default=self.most + 1)
            values[self.threshold] = t
            wrong = [(total >= t) != is_positive for total, is_positive in zip(totals, self.positive, strict=True)]
        else:
            b = int(intercept) * self.step if self.statement.intercept == "range" else 0
            if self.threshold >= 0:
                values[self.threshold] = int(intercept)
            wrong = [
                (total + b) * (1 if is_positive else -1) <= 0
                for total, is_positive in zip(totals, self.positive, strict=True)
            ]
        values |= {z: 1 for z, is_wrong in zip(self.wrong, wrong, strict=True) if is_wrong}
        values = {v: c for v, c in values.items() if c}
        for row in self.rows[: self.of_row[0]]:
            total = sum([c * values.get(v, 0) for v, c in row.coefficients.items()])
            if (row.sense != "L" and total < row.right) or (row.sense != "G" and total > row.right):
                raise VerificationError(f"the model breaks the row {row.label} of its integer program")
        z = np.array([values.get(v, 0) for v in self.wrong])
        for r in np.flatnonzero((self.margins(values) < 0) & (z == 0)).tolist():
            raise VerificationError(f"the model breaks the row r{r} of its integer program")
        return values

    def margins(self, solution: Coefficients) -> Ints:
        """By how much each row is on the right side in a solution; M is not part of it."""
        points = np.array([solution.get(feature.points, 0) for feature in self.features], np.int64)
        sign = np.where(np.array(self.positive, bool), 1, -1)
        threshold = solution.get(self.threshold, 0)
        shift = {"free": -threshold, "range": threshold * self.step}.get(self.statement.intercept, 0)
        right = np.array([self.rows[row].right for row in self.of_row])
        margins: Ints = sign * (self.x @ points + shift) - right
        return margins

    def value(self, solution: Coefficients) -> int:
        """The objective of a solution, in whole numbers."""
        return sum(c * solution.get(v, 0) for v, c in self.objective.items())


def _refuse_scores(largest: int) -> NoReturn:
    raise UnsupportedProblemError(
        f"scores reach {largest} in whole numbers, over 2^60, which certificates do not support",
        "round the columns, or use smaller points",
    )
