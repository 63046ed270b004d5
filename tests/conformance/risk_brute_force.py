"""Random small risk problems, and the least log loss of any card by brute force.

Nothing of the package takes part in the brute force: it tries every vector of points, and fits slope and
intercept of all of them at once by damped Newton steps in numpy.
"""

import random
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from supersparse import Problem, constraints

NAMES = ("a", "b", "c", "d")
CAP = 30.0


@dataclass(frozen=True)
class DrawnRisk:
    """The settings of one problem, as plain values."""

    X: list[list[float]]
    y: list[int]
    sets: list[list[float]]
    C0: list[float]
    max_features: int | None
    weights: list[float] | None
    class_weight: tuple[float, float]
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    rates: list[tuple[str, float]] = field(default_factory=list)
    risk_threshold: float = 0.5

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[: len(self.sets)]

    def problem(self, **more: object) -> Problem:
        return Problem.of(
            self.X,
            self.y,
            feature_names=self.names,
            points=dict(zip(self.names, self.sets, strict=True)),
            C0=dict(zip(self.names, self.C0, strict=True)),
            max_features=self.max_features,
            sample_weight=self.weights,
            class_weight=dict(zip((0, 1), self.class_weight, strict=True)),
            constraints=[constraint(*asked) for asked in [*self.asked, *self.rates]] or None,
            positive=1,
            **{"risk_threshold": self.risk_threshold if self.rates else None, **more},
        )

    def obeys(self, points: tuple[float, ...]) -> bool:
        """The constraints, from their definition."""
        x = np.array(self.X)
        used = {n for n, w in zip(self.names, points, strict=True) if w}
        for kind, *rest in self.asked:
            if kind == "must_use":
                holds = rest[0] in used
            elif kind == "at_most":
                holds = len(used & set(rest[1])) <= rest[0]
            elif kind == "at_least":
                holds = len(used & set(rest[1])) >= rest[0]
            elif kind == "only_if":
                holds = rest[0] not in used or rest[1] in used
            elif kind == "budget":
                holds = sum(rest[0].get(n, 0) for n in used) <= rest[1]
            else:
                ends = np.array([x.min(axis=0), x.max(axis=0)]) * np.array(points)
                holds = ends.max(axis=0).sum() <= rest[0]
            if not holds:
                return False
        return True


def constraint(kind: str, *rest: Any) -> Any:
    made = {
        "must_use": constraints.must_use,
        "at_most": lambda k, of: constraints.at_most(k, of=of),
        "at_least": lambda k, of: constraints.at_least(k, of=of),
        "only_if": constraints.only_if,
        "budget": lambda costs, most: constraints.budget(costs, at_most=most),
        "max_total_score": constraints.max_total_score,
        "min_sensitivity": constraints.min_sensitivity,
        "min_specificity": constraints.min_specificity,
        "max_error": constraints.max_error,
    }
    return made[kind](*rest)


def draw_risk(seed: int) -> DrawnRisk:
    """Draw a problem; its kind and size follow from the seed alone."""
    r = random.Random(seed)
    p, n = r.choice([1, 2, 3, 3, 4]), r.randint(5, 40)
    columns = [_column(r, n) for _ in range(p)]
    if p > 1 and r.random() < 0.2:  # a twin, or what adds up with it to a constant
        columns[1] = list(columns[0]) if r.random() < 0.5 else [1.0 - v for v in columns[0]]
    direction = [r.choice([-2, -1, 0, 1, 2]) for _ in range(p)]
    noise = r.choice([0.3, 1.0, 3.0])
    y = [
        int(sum(c[i] * w for c, w in zip(columns, direction, strict=True)) + r.gauss(0.3, noise) > 0.5)
        for i in range(n)
    ]
    y[:2] = [0, 1]
    asked: list[tuple[Any, ...]] = []
    if p > 1 and r.random() < 0.35:
        asked.append(
            r.choice(
                [
                    ("must_use", "a"),
                    ("at_most", 1, ["a", "b"]),
                    ("at_least", 2, list(NAMES[:p])),
                    ("only_if", "a", "b"),
                    ("budget", {"a": 1.5, "b": 2}, 2.5),
                    ("max_total_score", r.choice([1, 3, 10, 200])),
                ]
            )
        )
    shared = r.choice([0, 0, 0.002, 0.02])
    return DrawnRisk(
        X=[list(row) for row in zip(*columns, strict=True)],
        y=y,
        sets=[_set(r, 5 if p == 4 else 7) for _ in range(p)],
        C0=[shared] * p if r.random() < 0.8 else [r.choice([0, 0.003, 0.05]) for _ in range(p)],
        max_features=r.choice([None, 1, 2, 2, 3]) if not asked else None,
        weights=None if r.random() < 0.6 else [r.choice([0.5, 1, 2, 3.25]) for _ in range(n)],
        class_weight=r.choice([(1.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.7, 0.2)]),
        asked=asked,
    )


def draw_rates(seed: int) -> DrawnRisk:
    """Draw a problem with limits on rates, some of them hard to obey and some impossible."""
    r = random.Random(seed)
    kinds = r.sample(["min_sensitivity", "min_specificity", "max_error"], r.choice([1, 1, 2]))
    return replace(
        draw_risk(seed),
        rates=[(k, r.choice([0.1, 0.2, 0.3] if k == "max_error" else [0.5, 0.7, 0.9, 1.0])) for k in kinds],
        risk_threshold=r.choice([0.5, 0.5, 0.2, 0.7]),
    )


def draw_constant(seed: int) -> DrawnRisk:
    """Draw a problem with a constant column, and maybe a constraint that wants its points.

    Where they move the totals by fractions, no whole intercept makes up for that.
    """
    r = random.Random(seed)
    drawn = draw_risk(seed)
    p = len(drawn.sets)
    at = r.randrange(p)
    asked = r.choice(
        [
            (),
            ("must_use", NAMES[at]),
            ("at_least", r.randint(1, p), list(NAMES[:p])),
            ("only_if", NAMES[r.randrange(p)], NAMES[at]),
            ("max_total_score", r.choice([0, 1, 3, 10])),
        ]
    )
    value = r.choice([0.0, 2.0, -4.0, 40.0, 0.3, 0.5])
    X = [[value if j == at else v for j, v in enumerate(row)] for row in drawn.X]
    kept = [] if r.random() < 0.8 else drawn.asked
    return replace(drawn, X=X, asked=[*kept, asked] if asked else kept, max_features=None)


def _column(r: random.Random, n: int) -> list[float]:
    kind = r.randrange(5)
    if kind < 2:
        values = [float(r.random() < 0.4) for _ in range(n)]
    elif kind == 2:
        values = [float(r.randint(0, 3)) for _ in range(n)]
    elif kind == 3:
        values = [round(r.gauss(50, 8), 1) for _ in range(n)]
    else:
        values = [float(r.randint(0, 2000)) for _ in range(n)]
    values[:2] = [0.0, 1.0] if len(set(values)) == 1 else values[:2]
    return values


def _set(r: random.Random, most: int) -> list[float]:
    kind = r.randrange(6)
    if kind < 3:
        top = r.randint(1, most // 2)
        return [float(v) for v in range(-top, top + 1)]
    if kind == 3:
        return [float(v) for v in range(r.randint(2, most))]
    if kind == 4:
        return [-5.0, -1.0, 0.0, 0.5, 2.0]
    return [0.0, float(r.choice([1, 2, -3])), float(r.choice([4, -1, 7]))]


@dataclass(frozen=True)
class BruteForce:
    """The best card of all that obey, and how good it is."""

    value: float
    points: tuple[float, ...]


def brute_force(drawn: DrawnRisk, *, slope_is_free: bool) -> BruteForce | None:
    """The least loss and penalty over all cards; None if no card obeys the constraints."""
    tried = all_cards(drawn, slope_is_free=slope_is_free)
    if tried is None:
        return None
    best = min(tried, key=tried.__getitem__)
    return BruteForce(tried[best], best)


def all_cards(drawn: DrawnRisk, *, slope_is_free: bool) -> dict[tuple[float, ...], float] | None:
    """The loss and penalty of every card; None if no card obeys the constraints."""
    fitted = fitted_cards(drawn, slope_is_free=slope_is_free)
    return None if fitted is None else dict(zip(fitted.cards, fitted.values.tolist(), strict=True))


@dataclass(frozen=True)
class Fitted:
    """All cards, with their loss and penalty and the log odds of every row."""

    cards: list[tuple[float, ...]]
    values: Any
    logits: Any

    def within_rates(self, drawn: DrawnRisk, *, in_doubt: bool) -> Any:
        """Which cards obey the rates; rows near the threshold count as wrong, or right if in doubt."""
        y = np.array(drawn.y)
        s = np.ones(len(y)) if drawn.weights is None else np.array(drawn.weights)
        away = self.logits - np.log(drawn.risk_threshold / (1 - drawn.risk_threshold))
        wrong = (away > 0) != (y == 1)
        wrong = np.where(np.abs(away) < 1e-6, not in_doubt, wrong)
        holds = np.ones(len(self.cards), bool)
        for kind, bound in drawn.rates:
            of = {"min_sensitivity": y == 1, "min_specificity": y == 0, "max_error": y == y}[kind]
            share = (wrong * s * of).sum(axis=1) / (s * of).sum()
            holds &= share <= (bound if kind == "max_error" else 1 - bound) + 1e-12
        return holds


def fitted_cards(drawn: DrawnRisk, *, slope_is_free: bool) -> Fitted | None:
    """Fit every card that obeys the constraints on features and points; None if none does."""
    x, y = np.array(drawn.X), np.array(drawn.y)
    s = np.ones(len(y)) if drawn.weights is None else np.array(drawn.weights)
    weight = s / s.sum() * np.where(y == 1, drawn.class_weight[1], drawn.class_weight[0])
    mean = np.where(np.ptp(x, axis=0) == 0, x[0], s @ x / s.sum())
    deviation = np.sqrt(s @ (x - mean) ** 2 / s.sum())
    usable = [sorted({*own, 0.0}) for own in drawn.sets]
    most = len(drawn.sets) if drawn.max_features is None else drawn.max_features
    cards = [w for w in product(*usable) if sum(v != 0 for v in w) <= most and drawn.obeys(w)]
    if not cards:
        return None
    w = np.array(cards)
    if slope_is_free:
        effect = (np.abs(w) * deviation).max(axis=1)
        most_slope = np.where(effect > 0, CAP / np.maximum(effect, 1e-300), 1.0)
        loss, logits = best_lines(w @ (x - mean).T, y, weight, most_slope)
    else:
        loss, logits = _whole_intercept(w @ x.T, y, weight)
    return Fitted(cards, loss + (w != 0) @ np.array(drawn.C0), logits)


def log_loss(z: Any, y: Any, weight: Any) -> Any:
    """Σ weight·log(1 + e^∓z)."""
    return (weight * np.logaddexp(0.0, np.where(y == 1, -z, z))).sum(axis=-1)


def best_lines(scores: Any, y: Any, weight: Any, most: Any) -> Any:
    """The least loss of each row of scores over slope in [0, most] and intercept."""
    scale = np.maximum(np.abs(scores).max(axis=1), 1e-300)
    t = scores / scale[:, None]
    a, b = np.minimum(0.1 * np.ones(len(t)), most * scale), np.zeros(len(t))
    value, damping = log_loss(a[:, None] * t + b[:, None], y, weight), np.full(len(t), 1e-3)
    for _ in range(80):
        z = a[:, None] * t + b[:, None]
        p = 0.5 * (1 + np.tanh(z / 2))
        r, h = weight * (p - y), weight * p * (1 - p)
        ga, gb = (r * t).sum(1), r.sum(1)
        haa, hab, hbb = (h * t * t).sum(1) + damping, (h * t).sum(1), h.sum(1) + damping
        at_end = ((a >= most * scale) & (ga < 0)) | ((a <= 0) & (ga > 0))
        det = np.maximum(haa * hbb - hab**2, 1e-300)
        da = np.where(at_end, 0.0, -(hbb * ga - hab * gb) / det)
        db = np.where(at_end, -gb / hbb, -(haa * gb - hab * ga) / det)
        new_a, new_b = np.clip(a + da, 0, most * scale), b + db
        new = log_loss(new_a[:, None] * t + new_b[:, None], y, weight)
        better = new < value
        a, b, value = np.where(better, new_a, a), np.where(better, new_b, b), np.where(better, new, value)
        damping = np.where(better, damping * 0.2 + 1e-25, np.minimum(damping * 5 + 1e-16, 1.0))
    return value, a[:, None] * t + b[:, None]


def _whole_intercept(totals: Any, y: Any, weight: Any) -> Any:
    """The least loss of each row of totals over whole intercepts, with slope 1."""
    low, high = -np.abs(totals).max(axis=1) - 30, np.abs(totals).max(axis=1) + 30
    for _ in range(80):
        b = (low + high) / 2
        p = 0.5 * (1 + np.tanh((totals + b[:, None]) / 2))
        rising = (weight * (p - y)).sum(1) > 0
        low, high = np.where(rising, low, b), np.where(rising, b, high)
    near = np.floor(low)[:, None] + np.arange(-1, 3)
    losses = np.array([log_loss(totals + b[:, None], y, weight) for b in near.T])
    return losses.min(axis=0), totals + near[np.arange(len(near)), losses.argmin(axis=0)][:, None]
