"""Values cut off by a bound: with slope 1, those whose use alone makes the bound of a box or node pass."""

import numpy as np

from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.risk_data import Floats, Ints


@kernel(error_model="numpy")
def tighten(
    values: Floats,
    zero: Ints,
    scale: Floats,
    columns: Ints,
    optional: Ints,
    cost: Floats,
    dual: Floats,
    room: int,
    threshold: float,
    low: Ints,
    high: Ints,
) -> bool:
    """Cut off the values whose use alone makes the bound pass, for slope 1; True if nothing is left.

    low and high are the ranges of these columns; that of an open column without any value left is its 0.
    """
    m = len(optional)
    least, terms, pick = np.empty(m), np.empty(m), np.empty(m)
    total, magnitude, count = dual[0], 1.0, 0
    for q in range(m):
        j = columns[q]
        g = dual[1 + q] * scale[j]
        least[q] = min(g * values[j, low[q]], g * values[j, high[q]])
        magnitude += max(abs(g * values[j, low[q]]), abs(g * values[j, high[q]])) + cost[q]
        if optional[q]:
            terms[q] = min(0.0, least[q] + cost[q])
            pick[count] = terms[q]
            count += 1
        else:
            total += least[q]
    last, top = 0.0, 0.0
    for q in range(min(count, room)):
        for c in range(q + 1, count):
            if pick[c] < pick[q]:
                pick[q], pick[c] = pick[c], pick[q]
        top += pick[q]
        last = pick[q]
    if count < room:
        last = 0.0
    slack = 2e-15 * (m + 4) * magnitude
    for q in range(m):
        j = columns[q]
        g = dual[1 + q] * scale[j]
        if optional[q]:  # the best others beside it, and its own cost
            rest = total + (top - terms[q] if terms[q] <= last else top - last) + cost[q] - slack
        else:
            rest = total + top - least[q] - slack
        while high[q] >= low[q] and not (optional[q] and high[q] <= zero[j]):
            if rest + g * values[j, high[q]] < threshold:
                break
            high[q] -= 1
        while low[q] <= high[q] and not (optional[q] and low[q] >= zero[j]):
            if rest + g * values[j, low[q]] < threshold:
                break
            low[q] += 1
        if not optional[q] and low[q] > high[q]:
            return True
    return False
