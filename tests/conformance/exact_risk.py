"""Random risk problems that doubles find hard, and every card of one by brute force in decimals.

Columns lie far from 0, penalties and weights differ by many orders of magnitude, and rates are limited.
Nothing of the package takes part in the brute force: it tries every vector of points, takes exact totals, and
fits slope and intercept in numpy on totals less their mean. The loss there is computed in decimals; it is the
card's least loss or above it, by far less than 1e-12.
"""

import random
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from conformance.risk_brute_force import CAP, best_lines, constraint
from supersparse import Problem, Solution
from supersparse.problem.log_loss import PROOF_TOLERANCE

NAMES = ("a", "b", "c")
DIGITS = 60
TOLERANCE = PROOF_TOLERANCE + Fraction(1, 10**11)  # the evaluator's own sum may be off by as much, as `proves` allows
DOUBT = 1e-6  # log odds: rows as near as this to the threshold may count as right or wrong
Card = tuple[int, ...]


@dataclass(frozen=True)
class HardRisk:
    """The settings of one problem, as plain values."""

    X: list[list[int | float]]
    y: list[int]
    points: list[int]
    C0: list[float]
    levels: list[tuple[list[int], float]] | None = None
    max_features: int | None = None
    weights: list[float] | None = None
    class_weight: tuple[float, float] = (1.0, 1.0)
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    rates: list[tuple[str, float]] = field(default_factory=list)
    risk_threshold: float = 0.5
    slope: Any = "free"

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[: len(self.X[0])]

    def problem(self) -> Problem:
        prices = {"levels": self.levels}
        if self.levels is None:
            prices = {"points": self.points, "C0": dict(zip(self.names, self.C0, strict=True))}
        return Problem.of(
            {name: [row[j] for row in self.X] for j, name in enumerate(self.names)},
            self.y,
            goal="risk",
            slope=self.slope,
            max_features=self.max_features,
            sample_weight=self.weights,
            class_weight=dict(zip((0, 1), self.class_weight, strict=True)),
            constraints=[constraint(*asked) for asked in [*self.asked, *self.rates]] or None,
            positive=1,
            risk_threshold=self.risk_threshold if self.rates else None,
            **prices,
        )

    def penalty(self, card: Card) -> Fraction:
        if self.levels is None:
            return sum((_exact(c) for c, v in zip(self.C0, card, strict=True) if v), Fraction(0))
        prices = {v: _exact(price) for values, price in self.levels for v in values}
        return sum((prices.get(v, Fraction(0)) for v in card), Fraction(0))

    def cards(self) -> list[Card]:
        """All cards that obey the limits on features."""
        values = [v for own, _ in self.levels for v in own] if self.levels is not None else self.points
        most = len(self.names) if self.max_features is None else self.max_features
        return [
            card
            for card in product(sorted({0, *values}), repeat=len(self.names))
            if sum(v != 0 for v in card) <= most and self._obeys(card)
        ]

    def _obeys(self, card: Card) -> bool:
        used = {n for n, v in zip(self.names, card, strict=True) if v}
        for kind, *rest in self.asked:
            if kind == "must_use" and not set(rest[0]) <= used:
                return False
            if kind == "at_least" and len(used & set(rest[1])) < rest[0]:
                return False
        return True


def _exact(value: float) -> Fraction:
    return Fraction(repr(value))


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / value.denominator


class BruteForce:
    """Every card that obeys the limits on features, its best risks, and what is exactly true of them."""

    def __init__(self, drawn: HardRisk) -> None:
        self.drawn = drawn
        self.cards = drawn.cards()
        self.y = np.array(drawn.y)
        self.weights = list(map(_exact, drawn.weights or [1.0] * len(drawn.y)))
        total = sum(self.weights)
        self.shares = [
            w / total * _exact(drawn.class_weight[label]) for w, label in zip(self.weights, drawn.y, strict=True)
        ]
        self.scale = Fraction(max(1.0, float(sum(self.shares))))
        self.rows = [list(map(_exact, row)) for row in drawn.X]
        self.means = [
            sum((w * row[j] for w, row in zip(self.weights, self.rows, strict=True)), Fraction(0)) / total
            for j in range(len(drawn.names))
        ]
        if self.cards:
            self._fit()

    def _fit(self) -> None:
        centred = np.array([[float(v - m) for v, m in zip(row, self.means, strict=True)] for row in self.rows])
        weight = np.array([float(w / sum(self.weights)) for w in self.weights])
        deviation = np.sqrt(weight @ centred**2)
        w = np.array(self.cards, dtype=float)
        share = np.array([float(s / sum(self.shares)) for s in self.shares])
        effect = (np.abs(w) * deviation).max(axis=1)
        self.most = np.where(effect > 0, CAP / np.maximum(effect, 1e-300), 1.0) * (1 - 1e-12)
        scores = w @ centred.T
        if self.drawn.slope == "free":
            _, logits = best_lines(scores, self.y, share, self.most)
            self.fits = [self._line(score, logit) for score, logit in zip(scores, logits, strict=True)]
            self.logits = logits
            return
        self.fits, found = [], []
        for card, score in zip(self.cards, scores, strict=True):
            b = self._whole(card, score, share)
            self.fits.append((Fraction(1), b))
            found.append(score + float(b + self._mean(card)))
        self.logits = np.array(found)

    def _line(self, score: Any, logit: Any) -> tuple[Fraction, Fraction]:
        """Slope, and the log odds at the mean total."""
        first, last = int(score.argmin()), int(score.argmax())
        spread = score[last] - score[first]
        a = max(0.0, float((logit[last] - logit[first]) / spread)) if spread else 0.0
        return Fraction(a), Fraction(float(logit[first] - a * score[first]))

    def _mean(self, card: Card) -> Fraction:
        return sum((c * m for c, m in zip(card, self.means, strict=True)), Fraction(0))

    def _whole(self, card: Card, score: Any, share: Any) -> Fraction:
        """The best whole intercept at slope 1: the loss is convex in it."""
        low, high = -float(np.abs(score).max()) - 80, float(np.abs(score).max()) + 80
        for _ in range(200):
            b = (low + high) / 2
            p = 0.5 * (1 + np.tanh((score + b) / 2))
            low, high = (low, b) if (share * (p - self.y)).sum() > 0 else (b, high)
        below = int(Fraction(low) - self._mean(card))
        near = [Fraction(below + step) for step in range(-2, 4)]
        return min(near, key=lambda b: self._loss(card, Fraction(1), b + self._mean(card)))

    def _totals(self, card: Card) -> list[Fraction]:
        return [sum((c * v for c, v in zip(card, row, strict=True)), Fraction(0)) for row in self.rows]

    def _loss(self, card: Card, slope: Fraction, at_mean: Fraction) -> Fraction:
        mean = self._mean(card)
        return self.loss([slope * (t - mean) + at_mean for t in self._totals(card)])

    def loss(self, logits: list[Fraction]) -> Fraction:
        """The log loss of exact log odds, in decimals."""
        with localcontext() as context:
            context.prec = DIGITS
            total = Decimal(0)
            for z, label, share in zip(logits, self.drawn.y, self.shares, strict=True):
                d = _decimal(-z if label else z)
                total += _decimal(share) * (d if d > 100 else Decimal(0))
                total += _decimal(share) * (1 + (d if d <= 100 else -d).exp()).ln()
            return Fraction(total)

    def value(self, k: int) -> Fraction:
        """At least the objective of a card at its best risks, and above it by next to nothing."""
        slope, b = self.fits[k]
        at_mean = b + self._mean(self.cards[k]) if self.drawn.slope == 1 else b
        return self._loss(self.cards[k], slope, at_mean) + self.drawn.penalty(self.cards[k])

    def near_values(self, below: Fraction) -> dict[int, Fraction]:
        """The values of the cards that may be below a value; the others are above it."""
        z = self.logits
        share = np.array([float(s) for s in self.shares])
        losses = (share * np.logaddexp(0.0, np.where(self.y == 1, -z, z))).sum(axis=1)
        slack = 1e-6 * max(1.0, float(share.sum()))
        return {
            k: self.value(k)
            for k, card in enumerate(self.cards)
            if Fraction(float(losses[k])) + self.drawn.penalty(card) < below + Fraction(slack)
        }

    def odds(self) -> float:
        threshold = self.drawn.risk_threshold if self.drawn.rates else 0.5
        return float(np.log(threshold / (1 - threshold)))

    def obeys_rates(self, logits: Any, *, in_doubt: bool) -> bool:
        """Whether log odds obey the limits; rows near the threshold count as wrong, or right if in doubt."""
        away = np.asarray(logits, dtype=float) - self.odds()
        wrong = (away > 0) != (self.y == 1)
        doubt = DOUBT * (1 + 1e-3 * np.abs(logits).max()) if self.drawn.slope == "free" else 1e-12
        wrong = np.where(np.abs(away) < doubt, not in_doubt, wrong)
        s = np.array([float(w) for w in self.weights])
        for kind, bound in self.drawn.rates:
            of = {"min_sensitivity": self.y == 1, "min_specificity": self.y == 0, "max_error": self.y >= 0}[kind]
            share = (wrong * s * of).sum() / (s * of).sum()
            if share > (bound if kind == "max_error" else 1 - bound) + 1e-12:
                return False
        return True

    def surely_obeys(self, k: int) -> bool:
        return self.obeys_rates(self.logits[k], in_doubt=False)

    def logits_of(self, card: Card, slope: Fraction, intercept: Fraction) -> list[Fraction]:
        """The exact log odds of a card as it is reported."""
        return [slope * (t + intercept) for t in self._totals(card)]

    def check(self, solution: Solution) -> None:
        """Raise unless what is reported of a card is exact, and what is claimed of all others true."""
        card = tuple(int(v) for v in solution.points.values)
        assert card in self.cards
        logits = self.logits_of(card, solution.points.slope, solution.points.intercept_value)
        found = self.loss(logits) + self.drawn.penalty(card)
        scale = max(self.scale, found / 100)
        assert -scale / 10**15 <= solution.objective - found <= 3 * scale / 10**11
        assert solution.objective <= self.value(self.cards.index(card)) + scale / 10**9
        away = np.array([float(z) for z in logits]) - self.odds()
        if np.abs(away).min() > 1e-12:  # the evaluator decides exactly what the decimals here leave open
            assert self.obeys_rates(away + self.odds(), in_doubt=True)
            assert solution.evaluation.wrong_positive == self._weight((self.y == 1) & (away < 0))
            assert solution.evaluation.wrong_negative == self._weight((self.y == 0) & (away > 0))
        for k, value in self.near_values(solution.objective).items():
            if self.surely_obeys(k):
                assert solution.lower_bound <= value
                assert not solution.proven_optimal or solution.objective <= value + scale * TOLERANCE

    def _weight(self, chosen: Any) -> Fraction:
        return sum((self.weights[i] for i in np.flatnonzero(chosen)), Fraction(0))


def draw(seed: int) -> HardRisk:
    """Draw a problem; everything follows from the seed."""
    r = random.Random(seed)
    p, n = r.choice([1, 2, 2, 3]), r.randint(8, 16)
    columns = [_column(r, n) for _ in range(p)]
    centred = [[float(_exact(v) - _exact(min(c))) for v in c] for c in columns]
    sizes = [max(c) or 1.0 for c in centred]
    direction = [r.choice([-2, -1, 1, 1, 2]) for _ in range(p)]
    signal = [sum(w * c[i] / s for w, c, s in zip(direction, centred, sizes, strict=True)) for i in range(n)]
    noise, middle = r.choice([0.05, 0.3, 0.8]), sorted(signal)[n // 2]
    y = [int(v + r.gauss(0, noise) > middle) for v in signal]
    y[:2] = [0, 1]
    price = 10.0 ** r.randint(-12, 15)
    shared = r.choice([0.0, 0.001, 0.02, price, price])
    C0 = [shared] * p if r.random() < 0.7 else [r.choice([0.0, 0.01, 10.0 ** r.randint(-12, 15)]) for _ in range(p)]
    levels = None
    if r.random() < 0.25:
        step = r.choice([0.001, 0.01, price])
        levels = r.choice(
            [
                [([-2, 2], step), ([-4, 4], 2 * step)],
                [([1, -1], step), ([2, 3], 3 * step)],
                [([-3, 3], step), ([-1, 1, 6], 2 * step)],
            ]
        )
    asked: list[tuple[Any, ...]] = []
    if r.random() < 0.35:
        asked.append(
            r.choice([("must_use", list(NAMES[: r.randint(1, p)])), ("at_least", r.randint(1, p), list(NAMES[:p]))])
        )
    rates: list[tuple[str, float]] = []
    if r.random() < 0.55:
        kinds = r.sample(["min_sensitivity", "min_specificity", "max_error"], r.choice([1, 1, 2]))
        rates = [(k, r.choice([0.1, 0.2, 0.3, 0.45] if k == "max_error" else [0.5, 0.6, 0.8, 1.0])) for k in kinds]
    weights = None
    if r.random() < 0.3:
        spread = r.choice([1, 3, 6])
        weights = [float(f"{10.0 ** r.uniform(-spread, spread):.3g}") for _ in range(n)]
    return HardRisk(
        X=[list(row) for row in zip(*columns, strict=True)],
        y=y,
        points=r.choice([[-2, -1, 0, 1, 2], [0, 1, 2, 3], [-3, -1, 0, 2], [-4, -2, 0, 2, 4]]),
        C0=C0,
        levels=levels,
        max_features=r.choice([None, None, 1, 2]) if not asked else None,
        weights=weights,
        class_weight=r.choice(
            [(1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 7.0), (1e-6, 1.0), (1e-12, 1e-12), (1.0, 1e6), (1e9, 1e9)]
        ),
        asked=asked,
        rates=rates,
        risk_threshold=r.choice([0.5, 0.5, 0.2, 0.7]),
        slope=r.choice(["free", "free", "free", 1]),
    )


def _column(r: random.Random, n: int) -> list[int | float]:
    kind = r.choice(["far", "far", "far", "binary", "decimals", "tiny", "huge", "wide"])
    spread = r.choice([3, 7, 20, 33])
    sign = r.choice([1, 1, 1, -1])
    if kind == "binary":
        values: list[int | float] = [r.randint(0, 1) for _ in range(n)]
    elif kind == "far":
        offset = sign * r.choice([1, 3]) * 10 ** r.randint(9, 16)
        values = [offset + r.randint(0, spread) for _ in range(n)]
    elif kind == "decimals":
        offset = sign * 10.0 ** r.randint(0, 13)
        values = [round(offset + r.gauss(0, r.choice([1, 5])), 2) for _ in range(n)]
    elif kind == "tiny":
        values = [float(f"{r.randint(0, spread)}e-12") for _ in range(n)]
    elif kind == "huge":
        values = [r.randint(0, spread) * 10**12 for _ in range(n)]
    else:
        values = [10**25 + r.randint(0, spread) * 10 ** r.choice([0, 0, 6]) for _ in range(n)]
    if len(set(values)) == 1:
        values[0] += 1
    return values
