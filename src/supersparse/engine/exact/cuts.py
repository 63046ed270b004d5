"""Cuts and prices: what is still worth looking for, and the Lagrangian form of limited rates."""

import threading
from typing import NamedTuple, Protocol

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.core import kernel
from supersparse.engine.integer_form import OPEN, IntegerForm
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.search.incumbent import Search
from supersparse.problem.objective import PointsEvaluation, completed
from supersparse.problem.variants import previous_attainable


class CutValues(NamedTuple):
    """The cuts that one model sets; read together, so that threads cannot mix two models."""

    tie: int  # what a model as good as the best one costs, in kernel units
    strict: int  # what the next better model could cost, -1 where there can be none
    l1: int  # of the best model, in units of the problem's points


class Judge(Protocol):
    """The judge of the tree and the box search: the current cuts, and whether a model is worth keeping."""

    now: CutValues
    shared: Ints  # read by running kernels: the tie, and how many threads have nothing to do

    @property
    def tie(self) -> int:
        """Close whatever has a bound above this."""
        ...

    def offer(self, coefficients: list[int]) -> bool:
        """Let the evaluator judge a model; return whether it is worth keeping."""
        ...


class Cuts:
    """Turns the best known model into integer cuts.

    A part of the search space whose bound exceeds `tie` holds nothing as good as the best known model; one whose bound
    exceeds `strict` holds nothing better. `strict` is the largest value below the best objective that F can take at
    all. Kernel bounds are rounded down, so both comparisons are safe.
    """

    def __init__(self, form: IntegerForm, monitor: Monitor) -> None:
        self._form = form
        self._monitor = monitor
        self._lock = threading.RLock()
        self._judged: set[tuple[int, ...]] = set()
        self.shared = np.zeros(2, np.int64)
        self._read: PointsEvaluation | None = None  # what `now` stands for
        self.refresh()

    def refresh(self) -> None:
        """Read the monitor's best model anew."""
        with self._lock:  # two threads at once could combine the F of one model with the l1 of another
            best = self._monitor.best_evaluation
            if best is self._read and best is not None:
                return
            self._read = best
            if best is None:
                self.now = CutValues(self._form.worst_cost, self._form.worst_cost, OPEN)
                self.shared[0] = self.now.tie
                return
            below = previous_attainable(self._form.problem, best.objective)
            self.now = CutValues(
                tie=self._form.in_kernel_units(best.objective),
                strict=-1 if below is None else self._form.in_kernel_units(below),
                l1=int(best.l1 * self._form.problem.unit),
            )
            self.shared[0] = self.now.tie  # last: a kernel that reads it returns, and `now` must hold by then

    @property
    def tie(self) -> int:
        return self.now.tie

    def offer(self, coefficients: list[int]) -> bool:
        """Let the evaluator judge a model; return whether it became the best.

        It chooses b, so the same coefficients need judging once only. Rounded columns, which decide little
        themselves, offer them for every b and in both phases of a search.
        """
        with self._lock:
            key = tuple(coefficients)
            if key in self._judged:
                return False
            if len(self._judged) < _MOST_JUDGED:
                self._judged.add(key)
            better = self._monitor.incumbent(completed(self._form.problem, coefficients))
            if better:
                self.refresh()
            return better


_MOST_JUDGED = 2**18
_ROUNDS = 12
_WORK = 15_000_000  # touched rows a round, at most
_WORK_PER_ENTRY = 300
_HIGHEST = 2**40


def with_prices(form: IntegerForm, monitor: Monitor) -> IntegerForm:
    """Return the form at the best prices of a few subgradient steps; unchanged where no rate is limited."""
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


def _steep(form: IntegerForm, prices: Floats) -> IntegerForm:
    """Prices that no model can afford, while no model is known that obeys the limits.

    A part of the search space whose models all break the limits then costs more than any model.
    """
    direction = prices / prices.max() if prices.any() else np.ones_like(prices)
    return form.priced(direction * float(form.worst_cost))


def _judge(form: IntegerForm, values: tuple[int, ...]) -> tuple[float, Floats]:
    """The Lagrangian cost of a model, and by how much it exceeds each limit."""
    scores = form.columns.T @ np.array(values, np.int64)
    b = cheapest_b(form, scores)
    scores = scores + b * form.step
    up, down = scores + form.half <= 0, scores >= 0
    loss = int(form.positive[up].sum() + form.negative[down].sum())
    penalty = sum(p.of(v, value) for p, v, value in zip(form.penalties, form.values, values, strict=True))
    counted = form.rates.positive[:, up].sum(axis=1) + form.rates.negative[:, down].sum(axis=1)
    return float(loss + penalty + form.shift), (counted - form.rates.most).astype(float)


def loss_by_b(scores: Ints, step: int, half: int, positive: Ints, negative: Ints) -> tuple[Ints, Ints]:
    """The loss as a step function of b: ``losses[t]`` holds from ``starts[t-1]`` to ``starts[t] - 1``."""
    starts, losses = np.empty(2 * len(scores), np.int64), np.empty(2 * len(scores) + 1, np.int64)
    n = _loss_by_b(scores, step, half, positive, negative, starts, losses)
    return starts[:n], losses[: n + 1]


@kernel
def _loss_by_b(
    scores: Ints, step: int, half: int, positive: Ints, negative: Ints, starts: Ints, losses: Ints
) -> int: ...


@kernel
def least_over_b(starts: Ints, losses: Ints, low: int, high: int) -> tuple[int, int]:
    """Return (loss, b): the least loss over low <= b <= high, at an end of its interval."""


def cheapest_b(form: IntegerForm, scores: Ints) -> int:
    """The intercept at which the scores cost least."""
    starts, losses = loss_by_b(scores, form.step, form.half, form.positive, form.negative)
    if len(form.intercept_values):
        at = np.searchsorted(starts, form.intercept_values, side="right")
        return int(form.intercept_values[np.argmin(losses[at] + form.intercept_penalties)])
    return least_over_b(starts, losses, form.intercept_low, form.intercept_high)[1]


def _step(form: IntegerForm, monitor: Monitor, value: float, excess: Floats, turn: int) -> float:
    """Polyak's step towards the best known model, or towards all rows wrong while there is none."""
    known = monitor.best_evaluation
    target = (
        float(form.rates.true_positive.sum() + form.rates.true_negative.sum()) / 4
        if known is None
        else float(known.objective * form.scale)
    )
    return max(target - value, 0.05 * abs(target)) / (1 + turn / 4) / float(excess @ excess)
