"""Random small problems of questions as plain settings, and every card of each, from the definition.

Nothing of the package takes part in the brute force: cards are drawn up from the settings' own words, rows counted by
their classes, and slope and offset fitted in plain Python.
"""

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.questions.brute_force import least_loss
from supersparse import Problem, constraints

CAP = 30.0
UNIT = 2**20


@dataclass(frozen=True)
class DrawnQuestions:
    """The settings of one problem, as plain values."""

    X: list[list[int]]
    y: list[int]
    soft: list[float] | None
    weights: list[float]
    class_weight: tuple[float, float]
    points: list[list[int]]  # allowed, by question
    shapes: list[str]
    steps: list[bool]
    not_known: list[bool]
    prices: list[float]
    change_price: float
    most: int
    least: int
    threshold: float
    groups: list[str]
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [f"x{j}" for j in range(len(self.points))]

    @property
    def answers(self) -> list[int]:
        return [max(2, max(row[j] for row in self.X) + 1) for j in range(len(self.points))]

    def problem(self) -> Problem:
        """The package's problem with these settings."""
        made = [getattr(constraints, name)(*given, **named) for name, given, named in self.asked]
        return Problem.of_questions(
            self.X,
            self.y,
            soft_labels=self.soft,
            sample_weight=self.weights,
            class_weight=dict(enumerate(self.class_weight)),
            points=dict(zip(self.names, self.points, strict=True)),
            shape=dict(zip(self.names, self.shapes, strict=True)),
            equal_steps=dict(zip(self.names, self.steps, strict=True)),
            not_known=[name for name, held in zip(self.names, self.not_known, strict=True) if held],
            C0=dict(zip(self.names, self.prices, strict=True)),
            change_price=self.change_price,
            max_questions=self.most,
            min_questions=self.least,
            risk_threshold=self.threshold,
            rate_groups={"sex": self.groups},
            constraints=made,
        )


def draw(seed: int) -> DrawnQuestions:
    """Settings of all that can be asked; at most a few hundred cards."""
    rng = np.random.default_rng([1, seed])
    rows, count = int(rng.integers(12, 40)), int(rng.integers(1, 4))
    most = [int(rng.integers(2, 4)) for _ in range(count)]
    X = np.stack([rng.integers(0, k, rows) for k in most], 1)
    y = (rng.random(rows) < 1 / (1 + np.exp(1 - X @ rng.normal(0, 1.2, count)))).astype(int)
    y[:4] = 0, 1, 1, 0  # both classes in both groups
    X[0], X[1] = 0, 1
    answers = [max(2, int(own.max()) + 1) for own in X.T]
    soft = None if rng.random() < 0.3 else (0.15 * y + 0.85 * rng.random(rows)).tolist()
    names = [f"x{j}" for j in range(count)]
    limits = [
        ("must_use", (names[0],), {}), ("must_not_use", (names[-1],), {}), ("at_most", (1,), {"of": names}),
        ("at_least", (1,), {"of": names}), ("exactly", (1,), {"of": names[:2]}), ("only_if", (names[0], names[-1]), {}),
        ("budget", ({names[0]: 2, "*": 1},), {"at_most": 2}), ("same_sign", (names[:2],), {}),
        ("close_to", ({names[0]: (0, 1, 1)[: answers[0]]},), {"questions": 1}), ("close_to", ({},), {"answers": 2}),
        ("min_sensitivity", (0.7,), {}), ("min_specificity", (0.6,), {}), ("max_error", (0.4,), {}),
        ("max_false_positive_rate", (0.5,), {}),
        ("fixed", (names[0], (0, 1, 1)[: answers[0]]), {}), ("fixed", (names[-1], (None, 0, 1)[: answers[-1]]), {}),
        ("max_difference", ("error",), {"group": "sex", "at_most": 0.15}),
        ("max_difference", ("sensitivity",), {"group": "sex", "at_most": 0.2}),
    ]  # fmt: skip
    chosen = [limit for limit in limits if rng.random() < 0.12]
    if sum(name == "close_to" for name, _, _ in chosen) > 1:
        chosen = [limit for limit in chosen if limit[0] != "close_to"]
    if any(name in ("only_if", "same_sign") for name, _, _ in chosen) and count == 1:
        chosen = []
    return DrawnQuestions(
        X=X.tolist(),
        y=y.tolist(),
        soft=soft,
        weights=np.where(rng.random(rows) < 0.5, 1.0, rng.integers(1, 6, rows) / 2).tolist(),
        class_weight=(1.0, 1.0) if rng.random() < 0.6 else (1.0, float(rng.integers(1, 12) / 4)),
        points=[[[0, 1], [0, 1, 2], [0, 2, 3]][int(rng.integers(3))] for _ in range(count)],
        shapes=[str(rng.choice(["free", "up", "down", "either"])) for _ in range(count)],
        steps=[bool(rng.random() < 0.15) for _ in range(count)],
        not_known=[bool(k > 2 and rng.random() < 0.2) for k in most],
        prices=[float(rng.choice([0, 0.001, 0.02])) for _ in range(count)],
        change_price=float(rng.choice([0, 0.002])),
        most=int(rng.integers(1, count + 1)),
        least=int(rng.random() < 0.2),
        threshold=float(rng.choice([0.5, 0.3, 0.62])),
        groups=[("F", "M")[int(k)] for k in np.arange(rows) % 2],
        asked=chosen,
    )


def runs(drawn: DrawnQuestions, j: int, points: tuple[int, ...]) -> tuple[bool, bool]:
    """Whether the points of a question rise, and whether they fall, along its answers in order."""
    order = points[: drawn.answers[j] - drawn.not_known[j]]
    pairs = list(itertools.pairwise(order))
    return all(a <= b for a, b in pairs), all(a >= b for a, b in pairs)


def shapes_of(drawn: DrawnQuestions, j: int) -> list[tuple[int, ...]]:
    """All points that question j may have, with none for all answers: it is not asked."""
    found = []
    for points in itertools.product(sorted(drawn.points[j]), repeat=drawn.answers[j]):
        rises, falls = runs(drawn, j, points)
        order = points[: drawn.answers[j] - drawn.not_known[j]]
        steps = {b - a for a, b in itertools.pairwise(order)}
        fits = {"free": True, "up": rises, "down": falls, "either": rises or falls}[drawn.shapes[j]]
        if not any(points) or (min(points) == 0 and fits and (not drawn.steps[j] or len(steps) < 2)):
            found.append(points)
    return found


def is_allowed(drawn: DrawnQuestions, card: tuple[tuple[int, ...], ...]) -> bool:
    """Whether a card has an allowed size and obeys the limits that are not about rates."""
    on = [any(points) for points in card]
    if not drawn.least <= sum(on) <= drawn.most:
        return False
    for name, given, named in drawn.asked:
        if name == "must_use" and not on[drawn.names.index(given[0])]:
            return False
        if name == "must_not_use" and on[drawn.names.index(given[0])]:
            return False
        if name in ("at_most", "at_least", "exactly"):
            number = sum(held for held, own in zip(on, drawn.names, strict=True) if own in named["of"])
            if {"at_most": number > given[0], "at_least": number < given[0], "exactly": number != given[0]}[name]:
                return False
        if name == "only_if" and on[drawn.names.index(given[0])] and not on[drawn.names.index(given[1])]:
            return False
        if name == "budget":
            cost = sum(given[0].get(own, given[0]["*"]) for held, own in zip(on, drawn.names, strict=True) if held)
            if cost > named["at_most"]:
                return False
        if name == "same_sign":
            both = [runs(drawn, drawn.names.index(own), card[drawn.names.index(own)]) for own in given[0]]
            if not (all(rises for rises, _ in both) or all(falls for _, falls in both)):
                return False
        if name == "fixed":
            own = card[drawn.names.index(given[0])]
            if any(wanted not in (None, value) for wanted, value in zip(given[1], own, strict=True)):
                return False
        if name == "close_to":
            other = [given[0].get(own, (0,) * k)[:k] for own, k in zip(drawn.names, drawn.answers, strict=True)]
            changed = [sum(a != b for a, b in zip(x, z, strict=True)) for x, z in zip(card, other, strict=True)]
            if sum(map(bool, changed)) > named.get("questions", 99) or sum(changed) > named.get("answers", 99):
                return False
    return True


@dataclass(frozen=True)
class Fitted:
    """A card, its loss and what it pays."""

    card: tuple[tuple[int, ...], ...]
    loss: float
    price: float
    slope: float
    offset: float

    @property
    def objective(self) -> float:
        return self.loss + self.price


def every_card(drawn: DrawnQuestions) -> list[Fitted]:
    """Every card that is allowed as far as rates are not asked about."""
    s = np.array(drawn.weights)
    p = np.array(drawn.y, float)
    if drawn.soft is not None:
        p = np.clip(np.round(np.array(drawn.soft) * UNIT), 1, UNIT - 1) / UNIT
    negative, positive = drawn.class_weight
    of_positive, of_negative = s * positive * p / s.sum(), s * negative * (1 - p) / s.sum()
    share = (of_positive + of_negative) / (of_positive + of_negative).sum()
    found = []
    for card in itertools.product(*(shapes_of(drawn, j) for j in range(len(drawn.points)))):
        if not is_allowed(drawn, card):
            continue
        columns = [np.array([card[j][row[j]] for row in drawn.X]) for j in range(len(card)) if any(card[j])]
        spread = [float(share @ (own - share @ own) ** 2) for own in columns]
        cap = min((CAP / math.sqrt(each) for each in spread if each > 0), default=1e3)
        totals = sum(columns, np.zeros(len(s), int)).tolist()
        fitted = least_loss(totals, (of_positive + of_negative).tolist(), of_positive.tolist(), min(cap, 1e3))
        price = sum(drawn.prices[j] for j in range(len(card)) if any(card[j]))
        orders = [own[: k - unknown] for own, k, unknown in zip(card, drawn.answers, drawn.not_known, strict=True)]
        price += drawn.change_price * sum(a != b for order in orders for a, b in itertools.pairwise(order))
        found.append(Fitted(card, fitted[0], price, *fitted[1:]))
    return found


def obeys_rates(drawn: DrawnQuestions, fitted: Fitted) -> tuple[bool, bool]:
    """Whether risks surely obey the limits on rates, which count classes, and whether they may: logits err by 1e-6."""
    odds = math.log(drawn.threshold / (1 - drawn.threshold))
    total = sum(np.array(own)[np.array(drawn.X)[:, j]] for j, own in enumerate(fitted.card))
    z, y, s = fitted.slope * total + fitted.offset, np.array(drawn.y) == 1, np.array(drawn.weights)
    sex = np.array(drawn.groups)

    def wrong_share(rows: np.ndarray) -> tuple[float, float]:
        least, most = (np.where(y, z <= odds - doubt, z > odds + doubt) for doubt in (1e-6, -1e-6))
        return tuple(float((wrong * s * rows).sum() / (s * rows).sum()) for wrong in (least, most))

    surely = maybe = True
    for name, given, named in drawn.asked:
        if name in ("min_sensitivity", "min_specificity"):
            least, most = wrong_share(y if name == "min_sensitivity" else ~y)
            limit = 1 - given[0]
        elif name in ("max_error", "max_false_positive_rate"):
            least, most = wrong_share(np.ones_like(y) if name == "max_error" else ~y)
            limit = given[0]
        elif name == "max_difference":
            of = np.ones_like(y) if given[0] == "error" else y
            first, second = (wrong_share(of & (sex == group)) for group in "FM")
            least = max(0, first[0] - second[1], second[0] - first[1])
            most = max(first[1] - second[0], second[1] - first[0])
            limit = named["at_most"]
        else:
            continue
        surely &= most <= limit + 1e-12
        maybe &= least <= limit + 1e-12
    return bool(surely), bool(maybe)
