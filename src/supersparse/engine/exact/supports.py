"""One signed support: the lowest cost, then the smallest l1, over its coefficients.

The rows are merged on the support's columns, and boxes of coefficients are searched. The first phase looks
only for strict improvements: if a vector can be doubled within its sets, a model in the upper half has the
same predictions, so only vectors with some coefficient in its upper half are needed. The second phase looks
over all vectors for ties with a smaller l1.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import Literals, feature_of, sign_of
from supersparse.engine.exact.reference import Log, run_boxes_reference
from supersparse.engine.integer_form import IntegerForm
from supersparse.engine.kernels.boxes import DONE, FOUND, FULL, PAUSED
from supersparse.engine.kernels.calls import cost_bound, magnitude, run_boxes
from supersparse.engine.kernels.support import CellRates, SupportData, merge_on_support

Ints = NDArray[np.int64]
_SLICE_SECONDS = 0.05
_IMPROVING, _TIES = 1, 2  # the phases of a search; 0 before it starts
_ROOM_ON_STACK = 128  # initial number of boxes; more are added if needed
_NONE, _NO_CELLS = np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
NO_RATES = CellRates(_NONE, _NONE, _NO_CELLS, _NO_CELLS, _NONE)


def rates_of_cells(form: IntegerForm, cell: Ints) -> CellRates:
    """Sum the true weights and the counts of each limit over the cells of a support."""
    rates, count = form.rates, int(cell.max()) + 1

    def summed(rows: Ints) -> Ints:
        total = np.zeros((len(rows), count), np.int64)
        for k, row in enumerate(rows):
            np.add.at(total[k], cell, row)
        return total

    loss = summed(np.stack([rates.true_positive, rates.true_negative]))
    return CellRates(loss[0], loss[1], summed(rates.positive), summed(rates.negative), rates.most)


class SupportSearch:
    """A box search that can be paused; `boxes` counts its work, `bound` is a proven bound on its cost."""

    def __init__(self, instance: Instance, literals: Literals, cuts: Judge, log: Log | None = None) -> None:
        self.instance = instance
        self.literals = literals
        self.cuts = cuts
        self._log = log
        self.boxes = 0
        self.features = list(map(feature_of, literals))
        self.signs = list(map(sign_of, literals))
        self.data, self.sizes = self._merge()
        self.bound = self.data.fixed_cost
        self._phase = 0
        self._budget = 64
        self._top = 0
        self._stack = np.zeros((0, 2, 0), np.int64)
        self._rest()

    def _merge(self) -> tuple[SupportData, list[int]]:
        instance, form = self.instance, self.instance.form
        literals = np.array(self.literals, np.int64)
        features, signs = np.array(self.features, np.int64), np.array(self.signs, np.int64)
        merged = merge_on_support(
            form.ranks, instance.n_ranks, form.columns, form.positive, form.negative, features, signs
        )
        cell, x, positive, negative, base_loss, spread = merged[:6]
        up_row, up_x, up_weight, down_row, down_x, down_weight = merged[6:]
        self._rows = up_row, down_row
        penalty = instance.empty_penalty + int(instance.literal_surcharge[literals].sum())
        cell_rates = rates_of_cells(form, cell) if len(form.rates.most) else NO_RATES
        data = SupportData(
            up_x=up_x,
            down_x=down_x,
            up_weight=up_weight,
            down_weight=down_weight,
            cell_x=x,
            positive=positive,
            negative=negative,
            first=instance.magnitudes.first[literals],
            stride=instance.magnitudes.stride[literals],
            table=instance.magnitudes.table[literals],
            spread=spread,
            step=form.step,
            slack=form.slack,
            judged=instance.judged,
            half=form.half,
            base_loss=base_loss,
            fixed_cost=base_loss + form.shift + penalty,
            shift=form.shift,
            l1_penalty=form.l1_penalty,
            is_flat=int(form.is_flat),
            magnitude_extra=instance.magnitude_extra[literals],
            intercept_extra=instance.intercept_extra,
            score_rate=instance.limits.rate[:, literals],
            score_most=instance.limits.points,
            rates=cell_rates,
            intercept_low=form.intercept_low,
            intercept_high=form.intercept_high,
            intercepts=instance.intercepts,
            counts_b=int(instance.counts_b),
        )
        return data, instance.magnitudes.count[literals].tolist()

    def run(self, boxes: int, cancelled: Callable[[], bool]) -> bool:
        """Search a number of boxes or until cancelled; return whether the support is closed.

        How often a kernel checks `cancelled` depends on the clock; the total work does not, so that a run can
        be repeated exactly.
        """
        self._rest()
        limit = self.boxes + boxes
        while self.boxes < limit:
            if self._top == 0 and not self._next_phase():
                return True
            budget = max(1, min(self._budget, limit - self.boxes))
            ties = self._phase == _TIES
            hit = np.zeros(len(self.features) + 1, np.int64)
            began = time.perf_counter()
            now = self.cuts.now
            cut = now.tie if ties else now.strict
            state, self._top, spent = self._run(self._stack, self._top, cut, now.l1, ties, budget, hit)
            self.boxes += spent
            if state == FOUND:
                self.cuts.offer(self._coefficients(hit))
            elif state == FULL:
                self._lay_out(self._open_boxes())
            elif state == PAUSED:
                self._adapt(time.perf_counter() - began)
            if state != DONE and cancelled():
                break
        self._rest()
        return False

    def _run(
        self, stack: Ints, top: int, cut: int, l1: int, ties: bool, budget: int, hit: Ints
    ) -> tuple[int, int, int]:
        if self._log is None:
            result: tuple[int, int, int] = run_boxes(self.data, stack, top, cut, l1, ties, budget, hit)
            return result
        return run_boxes_reference(
            self.data,
            stack,
            top,
            cut,
            l1,
            ties,
            budget,
            hit,
            literals=self.literals,
            rows=self._rows,
            log=self._log,
        )

    @property
    def state(self) -> tuple[int, list[list[list[int]]]]:
        """The phase and the open boxes: enough to resume in another process.

        For a running search, those at the start of the slice, because a kernel may be writing.
        """
        phase, boxes = self._at_rest
        return phase, boxes.tolist()

    def _rest(self) -> None:
        self._at_rest = self._phase, self._stack[: self._top].copy()

    def resume(self, state: tuple[int, list[list[list[int]]]]) -> None:
        """Resume with the phase and open boxes of an earlier search, before the first `run`."""
        self._phase = state[0]
        least, most = self._whole()
        boxes = [(np.array(low, np.int64), np.array(high, np.int64)) for low, high in state[1]]
        for low, high in boxes:  # the kernels index by them, unchecked
            if low.shape != least.shape or high.shape != most.shape:
                raise ValueError("a box has the wrong number of sides")
            if not ((least <= low) & (low <= high) & (high <= most)).all():
                raise ValueError("a box lies outside the coefficient sets")
        self._lay_out(boxes)
        self._rest()

    def _adapt(self, seconds: float) -> None:
        """Keep slices short enough to respect limits and long enough to be cheap."""
        if seconds < _SLICE_SECONDS / 2:
            self._budget *= 2
        elif seconds > 2 * _SLICE_SECONDS and self._budget > 1:
            self._budget //= 2

    def _coefficients(self, hit: Ints) -> list[int]:
        coefficients = [0] * self.instance.n_features
        for t, (f, s) in enumerate(zip(self.features, self.signs, strict=True)):
            coefficients[f] = int(magnitude(self.data, t, hit[t])) * s
        return coefficients

    def _next_phase(self) -> bool:
        """Set up the boxes of the next phase; False if there is nothing left to search."""
        self._phase += 1
        low, high = self._whole()
        if self._phase == _IMPROVING:
            now = self.cuts.now
            bound = int(cost_bound(self.data, low, high, now.tie))
            self.boxes += 1
            self.bound = max(self.bound, bound)
            if bound > now.tie and self._log is None:
                return False
            needed = bound <= now.strict or self._log is not None  # a proof log must give the reason
            self._lay_out(self._improving_boxes(low, high) if needed else [])
            return self._top > 0 or self._next_phase()
        if self._phase == _TIES:
            boxes = self._small_boxes(low, high)
            self._lay_out(boxes)
            return bool(boxes)
        return False

    def _whole(self) -> tuple[Ints, Ints]:
        last = [n - 1 for n in self.sizes]
        if len(self.data.intercepts):
            last.append(len(self.data.intercepts) - 1)
        return np.zeros(len(last), np.int64), np.array(last, np.int64)

    def _lay_out(self, boxes: list[tuple[Ints, Ints]]) -> None:
        dims = len(self.sizes) + (1 if len(self.data.intercepts) else 0)
        self._stack = np.zeros((2 * len(boxes) + _ROOM_ON_STACK, 2, dims), np.int64)
        for t, (low, high) in enumerate(boxes):
            self._stack[t, 0], self._stack[t, 1] = low, high
        self._top = len(boxes)

    def _open_boxes(self) -> list[tuple[Ints, Ints]]:
        return [(low.copy(), high.copy()) for low, high in self._stack[: self._top]]

    def _improving_boxes(self, low: Ints, high: Ints) -> list[tuple[Ints, Ints]]:
        """All vectors, or those that cannot be doubled where doubling is allowed.

        v can be doubled when 2v stays in the sets: predictions, size and C0 are the same, b doubled too. So a
        best model exists with some v_f above half of its largest magnitude (or |b| above half).
        """
        k = len(self.sizes)
        form = self.instance.form
        full = all(form.values[f].of_sign(s).is_full for f, s in zip(self.features, self.signs, strict=True))
        if not full or not self.instance.doubles:
            return [(low, high)]
        half = [n // 2 for n in self.sizes]  # index of the first magnitude above n // 2
        boxes = []
        for f in range(k):
            if f and any(half[g] == 0 for g in range(f)):
                break  # an earlier magnitude has no lower half
            box_low, box_high = low.copy(), high.copy()
            box_low[f] = half[f]
            for g in range(f):
                box_high[g] = half[g] - 1
            boxes.append((box_low, box_high))
        if all(h > 0 for h in half):
            for first, last in self.instance.outer_intercepts:
                outer_low, outer_high = low.copy(), high.copy()
                outer_high[:k] = np.array(half) - 1
                outer_low[k], outer_high[k] = first, last
                boxes.append((outer_low, outer_high))
        return boxes

    def _small_boxes(self, low: Ints, high: Ints) -> list[tuple[Ints, Ints]]:
        """The box of vectors whose l1 can be below the best."""
        sets = [
            self.instance.form.values[f].of_sign(s) for f, s in zip(self.features, self.signs, strict=True)
        ]
        least = sum(magnitudes[0] for magnitudes in sets)
        now = self.cuts.now
        if least >= now.l1 or self.data.fixed_cost > now.tie:
            return []
        high = high.copy()
        for f, magnitudes in enumerate(sets):
            high[f] = magnitudes.below(now.l1 - (least - magnitudes[0])) - 1
        return [(low, high)]
