"""The quadratic below the loss: below every card's loss, and no box is excluded that has a card to find."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from counts import examples
from engine.risk.probes import ConeProblem, probe_is_above, probe_least_in_cone, probe_quadratic_below, probe_relax_box

Floats = NDArray[np.float64]
LIMITS = np.array([50.0, 1e-13, 1e-12])


def least_loss(x: Floats, positive: Floats, negative: Floats, points: Floats, is_free: bool) -> float:
    """The least loss of a card over intercept and, if free, slope, by plain Newton steps."""
    scores = points @ x
    columns = np.array([np.ones_like(scores), scores]) if is_free else np.ones((1, len(scores)))
    fixed = np.zeros_like(scores) if is_free else scores
    v = np.zeros(len(columns))

    def loss(at: Floats) -> float:
        z = at @ columns + fixed
        return float((positive * np.logaddexp(0, -z) + negative * np.logaddexp(0, z)).sum())

    for _ in range(100):
        p = 1 / (1 + np.exp(-(v @ columns + fixed)))
        weight = positive + negative
        g = columns @ (weight * p - positive)
        h = (columns * (weight * p * (1 - p))) @ columns.T + 1e-14 * np.eye(len(columns))
        step, t = np.linalg.solve(h, g), 1.0
        while loss(v - t * step) > loss(v) and t > 1e-6:
            t /= 2
        v = v - t * step
        if is_free:
            v[1] = max(v[1], 0.0)
    return loss(v)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(examples(12)))
@pytest.mark.parametrize("is_free", [1, 0])
def test_the_quadratic_is_below_the_loss_of_the_cards_that_matter(seed: int, is_free: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(12, 60)), int(rng.integers(1, 4))
    x = rng.normal(size=(k, n)) * rng.choice([0.5, 1.0, 2.0], (k, 1))
    z = rng.normal(size=k) @ x + rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(-z))
    y[:2] = True, False
    positive, negative = y / n, ~y / n
    low = rng.integers(-3, 2, k).astype(float)
    high = np.maximum(low, low + rng.integers(0, 5, k))
    cards = [np.array(c) for c in product(*(np.arange(a, b + 1) for a, b in zip(low, high, strict=True)))]
    losses = [least_loss(x, positive, negative, card, bool(is_free)) for card in cards]
    threshold = min(losses) + 0.02
    work, columns, slope_high = np.empty((8, n)), np.arange(k), 20.0 if is_free else 1.0
    point, dual, gradient = np.zeros(2 + k), np.zeros(1 + k), np.zeros(1 + k)
    point[0] = 1.0
    quadratic = np.zeros((4, k + 3, k + 5))
    box = ConeProblem(
        x, columns, positive, negative, low, high, is_free, slope_high, threshold, LIMITS
    )  # fmt: skip
    found = np.empty(2)
    passed = probe_relax_box(box, 1e-9, point, dual, work, gradient, quadratic[1], found)
    bound, f = found.tolist()
    assert bound <= min(losses) + 1e-9
    assert not passed
    made = probe_quadratic_below(box, point, f, gradient, work, quadratic)
    assert made == 1 or (made == 0 and is_free)  # with a free slope, cards that matter may have any weights
    if not made:
        return
    for _ in range(20):  # parts of the box
        first = np.array([rng.integers(a, b + 1) for a, b in zip(low, high, strict=True)], float)
        last = np.array([rng.integers(a, b + 1) for a, b in zip(first, high, strict=True)], float)
        inside = [
            loss
            for card, loss in zip(cards, losses, strict=True)
            if ((first <= card) & (card <= last)).all() and loss < threshold
        ]
        start = point.copy()
        part = box._replace(low=first, high=last)
        probe_least_in_cone(part, quadratic, start, found)
        below = found[0]
        above = probe_is_above(part, start, work, gradient, quadratic)
        if inside:
            assert below <= min(inside) + 1e-9
            assert not above
