"""Cuts: what is still worth looking for, in kernel units."""

import threading

from supersparse.problem.attainable import previous_attainable
from supersparse.problem.objective import with_best_intercept
from supersparse.solving.integer_form import OPEN, IntegerForm
from supersparse.solving.monitor import Monitor


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
                self.tie = self.strict = self.l1 = OPEN
                return
            below = previous_attainable(self._form.problem, best.objective)
            self.tie = self._form.in_kernel_units(best.objective)
            self.strict = -1 if below is None else self._form.in_kernel_units(below)
            self.l1 = int(best.l1 * self._form.problem.unit)

    def offer(self, coefficients: list[int]) -> bool:
        """Let the evaluator judge a model; return whether it became the best."""
        with self._lock:
            better = self._monitor.incumbent(with_best_intercept(self._form.problem, coefficients))
            if better:
                self.refresh()
            return better
