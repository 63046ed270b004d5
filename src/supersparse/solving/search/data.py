"""An IntegerForm as the search kernels read it."""

import numpy as np

from supersparse.solving.integer_form import IntegerForm, Ints
from supersparse.solving.kernels.lines import SearchData

_ROOM = 2**59  # the largest cost that the kernels may form


def search_data(form: IntegerForm, largest: int | None = None) -> SearchData:
    """Lay out the arrays; `largest` keeps only values up to that magnitude, where a set has some.

    Costs are multiplied so that one unit of l1 can weigh less than any other difference: the
    tie-break then needs no second objective.
    """
    sets = [_narrowed(v, largest) for v in form.values]
    widest = max(len(v) for v in sets)
    values = np.zeros((len(sets), widest), np.int64)
    for j, v in enumerate(sets):
        values[j, : len(v)] = v
        values[j, len(v) :] = v[-1]
    factor, tie = _units(form)
    row, entry, start = [], [], [0]
    for column in form.columns:
        nonzero = np.flatnonzero(column)
        row.append(nonzero)
        entry.append(column[nonzero])
        start.append(start[-1] + len(nonzero))
    return SearchData(
        start=np.array(start, np.int64),
        row=np.concatenate(row).astype(np.int32),
        entry=np.concatenate(entry),
        positive=form.positive * factor,
        negative=form.negative * factor,
        values=values,
        n_values=np.array([len(v) for v in sets], np.int64),
        zero=np.array([int(np.flatnonzero(v == 0)[0]) if (v == 0).any() else -1 for v in sets], np.int64),
        cost=form.cost * factor,
        cost_l1=form.cost_l1 * factor,
        tie=tie,
        max_size=form.max_size - (1 if len(form.intercept_values) and 0 not in form.intercept_values else 0),
        step=form.step,
        low=form.intercept_low,
        high=form.intercept_high,
        intercepts=form.intercept_values,
        intercept_cost=form.intercept_cost * factor,
    )


def _narrowed(values: Ints, largest: int | None) -> Ints:
    if largest is None:
        return values
    kept = values[np.abs(values) <= largest]
    return kept if len(kept) else values


def _units(form: IntegerForm) -> tuple[int, int]:
    """A factor for all costs and the weight of one unit of l1 beside them."""
    total = int(form.positive.sum() + form.negative.sum() + form.cost.sum() + form.intercept_cost) + 1
    factor = max(1, _ROOM // (2 * total))
    magnitudes = sorted((int(np.abs(v).max()) for v in form.values), reverse=True)
    longest = sum(magnitudes[: form.max_size]) + int(np.abs(form.intercept_values).max(initial=0)) + 1
    weights = np.concatenate([form.positive, form.negative, form.cost])
    least = int(weights[weights > 0].min(initial=total))
    return factor, max(1, min(factor * least // (20 * longest), _ROOM // (4 * longest)))
