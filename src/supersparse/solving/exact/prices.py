"""Prices on limited rates: which Lagrangian form the engine works with.

Any prices give valid bounds (`IntegerForm.priced`); good ones make a model that breaks a limit
cost as much as one that obeys. They are found by a few subgradient steps: search with the prices
so far, see which limits the best model breaks and by how much, and move the prices that way.
"""

import numpy as np
from numpy.typing import NDArray

from supersparse.solving.integer_form import IntegerForm, Ints
from supersparse.solving.kernels.losses import least_over_b, loss_by_b
from supersparse.solving.monitor import Monitor
from supersparse.solving.search.incumbent import Search

_ROUNDS = 12
_WORK = 15_000_000  # touched rows a round, at most
_WORK_PER_ENTRY = 300
_HIGHEST = 2**40


def with_prices(form: IntegerForm, monitor: Monitor) -> IntegerForm:
    """Return the form with the best prices found; unchanged where no rate is limited."""
    if len(form.rates.most) == 0:
        return form
    prices = np.zeros(len(form.rates.most))
    work = min(_WORK, _WORK_PER_ENTRY * form.columns.size)
    best, best_value = form, -np.inf
    for turn in range(_ROUNDS):
        priced = form.priced(prices)
        search = Search(priced, monitor)
        search.run(work)
        value, excess = _judge(priced, search.pool[0][1])
        if value > best_value:
            best, best_value = priced, value
        if monitor.stop_reason() is not None or not (excess > 0).any():
            break
        prices = np.clip(prices + _step(form, monitor, value, excess, turn) * excess, 0, _HIGHEST)
    return best if monitor.best_evaluation is not None else _steep(form, prices)


def _steep(form: IntegerForm, prices: NDArray[np.float64]) -> IntegerForm:
    """While no model is known that obeys: prices that no model can afford, so that bounds show who cannot.

    A part of the search space whose models all break the limits then costs more than any model.
    """
    direction = prices / prices.max() if prices.any() else np.ones_like(prices)
    return form.priced(direction * float(form.worst))


def _judge(form: IntegerForm, values: tuple[int, ...]) -> tuple[float, NDArray[np.float64]]:
    """The Lagrangian cost of a model, and by how much it exceeds each limit."""
    scores = form.columns.T @ np.array(values, np.int64)
    b = _cheapest_b(form, scores)
    scores = scores + b * form.step
    up, down = scores + form.half <= 0, scores >= 0
    loss = int(form.positive[up].sum() + form.negative[down].sum())
    cost = sum(own.of(v, value) for own, v, value in zip(form.costs, form.values, values, strict=True))
    counted = form.rates.positive[:, up].sum(axis=1) + form.rates.negative[:, down].sum(axis=1)
    return float(loss + cost + form.shift), (counted - form.rates.most).astype(float)


def _cheapest_b(form: IntegerForm, scores: Ints) -> int:
    starts, losses = loss_by_b(scores, form.step, form.half, form.positive, form.negative)
    if len(form.intercept_values):
        at = np.searchsorted(starts, form.intercept_values, side="right")
        return int(form.intercept_values[np.argmin(losses[at] + form.intercept_value_cost)])
    return int(least_over_b(starts, losses, form.intercept_low, form.intercept_high)[1])


def _step(form: IntegerForm, monitor: Monitor, value: float, excess: NDArray[np.float64], turn: int) -> float:
    """Polyak's step towards the best known model, or towards all rows wrong while there is none."""
    known = monitor.best_evaluation
    target = (
        float(form.rates.true_positive.sum() + form.rates.true_negative.sum()) / 4
        if known is None
        else float(known.objective * form.scale)
    )
    return max(target - value, 0.05 * abs(target)) / (1 + turn / 4) / float(excess @ excess)
