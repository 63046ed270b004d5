"""Cuts: what is still worth looking for, in kernel units."""

import threading
from typing import NamedTuple, Protocol

from supersparse.problem.attainable import previous_attainable
from supersparse.problem.violations import completed
from supersparse.solving.integer_form import OPEN, IntegerForm
from supersparse.solving.monitor import Monitor


class Thresholds(NamedTuple):
    """The cuts of one model; read together, so that another thread cannot mix two models."""

    tie: int
    strict: int
    l1: int


class Judge(Protocol):
    """What the tree and the box search ask: what is worth looking for, and whether a find is any good."""

    now: Thresholds

    @property
    def tie(self) -> int:
        """The threshold for everything that is not looked at."""
        ...

    def offer(self, coefficients: list[int]) -> bool:
        """Judge a model."""
        ...


class Cuts:
    """Turns the best known model into integer thresholds.

    A part of the search space whose bound exceeds `tie` holds nothing as good as the best known
    model; one whose bound exceeds `strict` holds nothing better. `strict` is the largest value
    below the best objective that F can take at all. Kernel bounds are rounded down, so both
    comparisons are safe.
    """

    def __init__(self, form: IntegerForm, monitor: Monitor) -> None:
        self._form = form
        self._monitor = monitor
        self._lock = threading.RLock()
        self.refresh()

    def refresh(self) -> None:
        """Read the monitor's best model anew."""
        with self._lock:  # two threads at once could leave the F of one model beside the l1 of another
            best = self._monitor.best_evaluation
            if best is None:
                self.now = Thresholds(self._form.worst, self._form.worst, OPEN)
                return
            below = previous_attainable(self._form.problem, best.objective)
            self.now = Thresholds(
                tie=self._form.in_kernel_units(best.objective),
                strict=-1 if below is None else self._form.in_kernel_units(below),
                l1=int(best.l1 * self._form.problem.unit),
            )

    @property
    def tie(self) -> int:
        """What a model as good as the best one costs."""
        return self.now.tie

    def offer(self, coefficients: list[int]) -> bool:
        """Let the evaluator judge a model; return whether it became the best."""
        with self._lock:
            better = self._monitor.incumbent(completed(self._form.problem, coefficients))
            if better:
                self.refresh()
            return better
