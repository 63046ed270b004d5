"""One signed support: the lowest cost, then the smallest l1, over its coefficients.

The rows are merged on the support's columns, and boxes of coefficients are searched. The first phase looks
only for strict improvements: if a vector can be doubled within its sets, a model in the upper half has the
same predictions, so only vectors with some coefficient in its upper half are needed. The second phase looks
over all vectors for ties with a smaller l1.
"""

import numpy as np

from engine.exact.calls import (
    CellRates,
    SupportData,
    cell_weights,
    cost_bound,
    magnitude,
    net_cells,
    run_boxes,
    spreads,
)
from supersparse.engine.exact.literals import feature_of, sign_of
from supersparse.engine.exact.tree_data import FOUND, FULL, group_rows

IMPROVING, TIES = 1, 2  # the phases of a search; 0 before it starts
_ROOM_ON_STACK = 128  # initial number of boxes; more are added if needed
_NONE, _NO_CELLS = np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
_NO_RATES = CellRates(_NONE, _NONE, _NO_CELLS, _NO_CELLS, _NONE)


def _rates_of_cells(form, cell):
    """Sum the true weights and the counts of each limit over the cells of a support."""
    rates, count = form.rates, int(cell.max()) + 1

    def summed(rows):
        total = np.zeros((len(rows), count), np.int64)
        for k, row in enumerate(rows):
            np.add.at(total[k], cell, row)
        return total

    loss = summed(np.stack([rates.true_positive, rates.true_negative]))
    return CellRates(loss[0], loss[1], summed(rates.positive), summed(rates.negative), rates.most)


class SupportSearch:
    """A box search; `bound` is a proven bound on the cost of its support."""

    def __init__(self, instance, literals, cuts):
        self.instance, self.literals, self.cuts = instance, literals, cuts
        self.features = list(map(feature_of, literals))
        self.signs = list(map(sign_of, literals))
        self.data, self.sizes = self._merge()
        self.bound = self.data.fixed_cost
        self._phase = 0

    def _merge(self):
        instance, form = self.instance, self.instance.form
        literals = np.array(self.literals, np.int64)
        features, signs = np.array(self.features, np.int64), np.array(self.signs, np.int64)
        cell, count = group_rows(form.ranks, instance.n_ranks, features)
        positive, negative, row = cell_weights(cell, count, form.positive, form.negative)
        x = np.ascontiguousarray(form.columns[features][:, row].T * signs)
        base_loss = int(np.minimum(positive, negative).sum())
        up_x, up_weight = net_cells(x, positive, negative)
        down_x, down_weight = net_cells(x, negative, positive)
        penalty = instance.empty_penalty + int(instance.literal_surcharge[literals].sum())
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
            spread=spreads(x, positive + negative),
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
            rates=_rates_of_cells(form, cell) if len(form.rates.most) else _NO_RATES,
            intercept_low=form.intercept_low,
            intercept_high=form.intercept_high,
            intercepts=instance.intercepts,
            counts_b=int(instance.counts_b),
        )
        return data, instance.magnitudes.count[literals].tolist()

    def run(self):
        """Search both phases to their end."""
        for phase, boxes in ((IMPROVING, self._improving_boxes), (TIES, self._small_boxes)):
            stack, top = self.laid_out(boxes())
            while top:
                now, ties = self.cuts.now, phase == TIES
                cut, hit = now.tie if ties else now.strict, np.zeros(len(self.features) + 1, np.int64)
                state, top, _ = run_boxes(self.data, stack, top, cut, now.l1, ties, 10**9, hit)
                if state == FOUND:
                    self.cuts.offer(self._coefficients(hit))
                elif state == FULL:
                    stack, top = self.laid_out([(low.copy(), high.copy()) for low, high in stack[:top]])

    def _coefficients(self, hit):
        coefficients = [0] * self.instance.n_features
        for t, (f, s) in enumerate(zip(self.features, self.signs, strict=True)):
            coefficients[f] = int(magnitude(self.data, t, hit[t])) * s
        return coefficients

    def whole(self):
        """The box of all coefficients, as first and last indices."""
        last = [n - 1 for n in self.sizes]
        if len(self.data.intercepts):
            last.append(len(self.data.intercepts) - 1)
        return np.zeros(len(last), np.int64), np.array(last, np.int64)

    def laid_out(self, boxes):
        """Boxes on a stack, and how many there are."""
        dims = len(self.sizes) + (1 if len(self.data.intercepts) else 0)
        stack = np.zeros((2 * len(boxes) + _ROOM_ON_STACK, 2, dims), np.int64)
        for t, (low, high) in enumerate(boxes):
            stack[t, 0], stack[t, 1] = low, high
        return stack, len(boxes)

    def _improving_boxes(self):
        """All vectors, or those that cannot be doubled where doubling is allowed.

        v can be doubled when 2v stays in the sets: predictions, size and C0 are the same, b doubled too. So a
        best model exists with some v_f above half of its largest magnitude (or |b| above half).
        """
        low, high = self.whole()
        self.bound = max(self.bound, int(cost_bound(self.data, low, high, self.cuts.now.tie)))
        if self.bound > self.cuts.now.strict:
            return []
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

    def _small_boxes(self):
        """The box of vectors whose l1 can be below the best."""
        values = self.instance.form.values
        sets = [values[f].of_sign(s) for f, s in zip(self.features, self.signs, strict=True)]
        least = sum(magnitudes[0] for magnitudes in sets)
        now = self.cuts.now
        if self.bound > now.tie or least >= now.l1:
            return []
        low, high = self.whole()
        for f, magnitudes in enumerate(sets):
            high[f] = magnitudes.below(now.l1 - (least - magnitudes[0])) - 1
        return [(low, high)]
