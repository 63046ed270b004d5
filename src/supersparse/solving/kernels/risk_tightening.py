"""Values cut off by a bound: with slope 1, those whose use alone makes the bound of a box or node pass."""

import numpy as np
from numba import njit

from supersparse.solving.kernels.risk_data import Floats, Ints, RiskData, Support
from supersparse.solving.kernels.risk_loss import INTERNAL


@njit(cache=True, error_model="numpy", nogil=True)
def tighten_node(
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

    low and high are ranges of all columns; that of an open column without any value left is its 0.
    """
    m = len(columns)
    least, terms, pick = np.empty(m), np.empty(m), np.empty(m)
    total, magnitude, count = dual[0], 1.0, 0
    for q in range(m):
        j = columns[q]
        g = dual[1 + q] * scale[j]
        least[q] = min(g * values[j, low[j]], g * values[j, high[j]])
        magnitude += max(abs(g * values[j, low[j]]), abs(g * values[j, high[j]])) + cost[q]
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
        while high[j] >= low[j] and not (optional[q] and high[j] <= zero[j]):
            if rest + g * values[j, high[j]] < threshold:
                break
            high[j] -= 1
        while low[j] <= high[j] and not (optional[q] and low[j] >= zero[j]):
            if rest + g * values[j, low[j]] < threshold:
                break
            low[j] += 1
        if not optional[q] and low[j] > high[j]:
            return True
    return False


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def tighten_box(
    data: RiskData, support: Support, low: Ints, high: Ints, k: int, dual: Floats, threshold: float
) -> bool:
    """Cut values off a box whose bound alone passes the threshold; returns whether nothing is left."""
    total = dual[0]
    magnitude = 1.0
    for q in range(k):
        j = support.columns[q]
        g = dual[1 + q] * data.scale[j]
        total += min(g * data.values[j, low[q]], g * data.values[j, high[q]])
        magnitude += max(abs(g * data.values[j, low[q]]), abs(g * data.values[j, high[q]]))
    slack = 2e-15 * (k + 2) * magnitude
    for q in range(k):
        j = support.columns[q]
        g = dual[1 + q] * data.scale[j]
        rest = total - min(g * data.values[j, low[q]], g * data.values[j, high[q]]) - slack
        while low[q] <= high[q] and rest + g * data.values[j, low[q]] >= threshold:
            low[q] += 1
        while low[q] <= high[q] and rest + g * data.values[j, high[q]] >= threshold:
            high[q] -= 1
        low[q], high[q] = trimmed(data, j, low[q], high[q])
        if low[q] > high[q]:
            return True
    return False


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def trimmed(data: RiskData, j: int, low: int, high: int) -> tuple[int, int]:
    """Leave out 0 at an end of a range in strict mode."""
    if data.strict:
        if low == data.zero[j]:
            low += 1
        if high == data.zero[j]:
            high -= 1
    return low, high
