"""One card: its rows merged, its least loss, and whether it may obey the limits on rates.

Rates are judged here with a margin, by a fit that is as good as rounding allows: what is rejected breaks a
limit for certain, and what passes is judged exactly elsewhere.
"""

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.risk_bound import add_column, value_of_bound
from supersparse.engine.kernels.risk_loss import (
    ACCURATE,
    QUICK,
    calibrate,
    copy,
    copy_floats,
    curvature,
    dot,
    fill,
    logits,
    loss_at,
    same,
    slopes_at,
)
from supersparse.engine.risk.data import FOUND, LOADED, ROWS, SIZE, WORK, Best, RiskData, Support

_MOST_CODES = 20000  # of rows that are numbered by a table of all codes
_LARGEST_CODE = 2**31 - 1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_WORTH = 0.7  # of the rows: more are not worth to be merged
_BREAKS = 0.02  # what a limit counts as broken in addition, if it is broken at all
_NEIGHBOURS = 3  # whole intercepts on either side of the best real one
_NEAR = 1e-7  # log odds: rows as near as this to the threshold may be on either side of it


@inner(error_model="numpy")
def _numbered(ids: NDArray[np.int32], n: int, codes: int, first: NDArray[np.int32]) -> int:
    """Number the codes that occur from 0, in place; returns how many. first: a row of each.

    By a table of all codes where they are few; otherwise each code has a place in a table of places, at its
    hash or the next one that is free.
    """
    bits, is_direct = np.uint64(6), codes <= min(_MOST_CODES, 8 * n)
    while not is_direct and (np.int64(1) << bits) < 2 * n:
        bits += np.uint64(1)
    places = codes if is_direct else np.int64(1) << bits
    table, own, count = np.empty(places, np.int32), np.empty(n, np.int32), np.int64(0)
    for place in range(places):
        table[place] = -1
    for i in range(n):
        code = ids[i]
        place = np.int64(code)
        if not is_direct:
            place = np.int64((np.uint64(code) * _GOLDEN) >> (np.uint64(64) - bits))
            while table[place] >= 0 and own[table[place]] != code:
                place = (place + 1) & (places - 1)
        if table[place] < 0:
            table[place], own[count], first[count] = count, code, i
            count += 1
        ids[i] = table[place]
    return count


@inner(error_model="numpy")
def merge_rows(data: RiskData, support: Support, k: int) -> int:
    """Rows that are equal on the support become one; returns their number."""
    n = data.x.shape[1]
    ids, first = support.ids, np.empty(n, np.int32)
    first[0] = 0
    groups, codes = np.int64(1), np.int64(1)  # cells at the last count, and the codes that they have now
    for q in range(k):
        if data.distinct[support.columns[q]] > _WORTH * n:
            groups = n + 1
    if groups == 1:
        for i in range(n):
            ids[i] = 0
    for q in range(k + 1):
        wide = data.distinct[support.columns[q]] if q < k else np.int64(1)
        if groups <= n and codes > groups and (q == k or codes * wide > _LARGEST_CODE):
            groups = _numbered(ids, n, codes, first)
            codes = groups
        codes *= wide
        if groups > _WORTH * n or codes > _LARGEST_CODE:
            groups = n + 1
            break
        if q < k:
            ranks = data.ranks[support.columns[q]]
            for i in range(n):
                ids[i] = ids[i] * wide + ranks[i]
    if groups > _WORTH * n:
        for q in range(k):
            copy_floats(support.x[q], data.x[support.columns[q]], n)
        copy_floats(support.positive, data.positive, n)
        copy_floats(support.negative, data.negative, n)
        return n
    fill(support.positive, 0.0, groups)
    fill(support.negative, 0.0, groups)
    for i in range(n):
        g = ids[i]
        support.positive[g] += data.positive[i]
        support.negative[g] += data.negative[i]
    for q in range(k):
        of_rows, of_groups = data.x[support.columns[q]], support.x[q]
        for g in range(groups):
            of_groups[g] = of_rows[first[g]]
    return groups


@reader(error_model="numpy")
def load(data: RiskData, support: Support, columns: Ints, k: int) -> None:
    """Make these columns the support at hand, unless they are."""
    if support.state[LOADED] and support.state[SIZE] == k and same(support.columns, columns, k):
        return
    copy(support.columns, columns, k)
    support.state[SIZE] = k
    support.state[ROWS] = merge_rows(data, support, k)
    support.state[LOADED] = 1
    support.counts[WORK] += data.x.shape[1] * (k + 1)


@reader(error_model="numpy")
def _unsure(residual: Floats, curve: Floats, n: int, limits: Floats) -> float:
    """By how much rounding can have changed the sum of the residuals, which the curvature tells too."""
    size, bend = 0.0, 0.0
    for i in range(n):
        size += abs(residual[i])
        bend += curve[i]
    return limits[1] * size + limits[5] * bend


@reader(error_model="numpy")
def card_loss(
    data: RiskData, support: Support, index: Ints, k: int, fit: Floats, accurate: int, enough: float
) -> tuple[float, float]:
    """The least loss of one card on the support's merged rows, and a lower bound of it.

    fit = (slope, intercept, ...) is the start and receives the best, and how far both can be from it. The
    bound and these distances are only filled in if accurate; otherwise a loss above `enough` may be a guess.
    """
    n = support.state[ROWS]
    score = support.work[6]
    fill(score, 0.0, n)
    slope, shift = np.inf, 0.0
    for q in range(k):
        j = support.columns[q]
        value = data.values[j, index[q]]
        if value != 0:
            add_column(score, value * data.scale[j], support.x[q], n)
            slope = min(slope, data.cap[j] / abs(value))
            shift += value * data.offset[j]
    if slope == np.inf:
        slope = 1.0
    positive, negative, work = support.positive, support.negative, support.work
    if not data.slope_is_free:
        fit[0] = 1.0
    f = calibrate(score, positive, negative, n, fit, data.slope_is_free, slope, accurate, enough, work)
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    fit[2], fit[3] = 0.0, 0.0
    if data.slope_is_free:
        if not accurate:
            return f, -np.inf
        logits(score, fit[0], fit[1], z, n)
        f = loss_at(z, positive, negative, e, n)
        gb, moment, moments = slopes_at(z, e, positive, negative, residual, curve, n)
        ga = dot(residual, score, n)
        # the next Newton step tells how far the best fit can be
        hbb, hab, haa = curvature(score, curve, n)
        det = haa * hbb - hab * hab
        if (fit[0] >= slope and ga <= 0) or (fit[0] <= 0 and ga >= 0):
            fit[3] = abs(gb) / hbb if hbb > 1e-12 else np.inf
        elif det > 1e-12 * haa * hbb and hbb > 1e-12:
            fit[2], fit[3] = abs(hbb * ga - hab * gb) / det, abs(haa * gb - hab * ga) / det
        else:
            fit[2], fit[3] = np.inf, np.inf
        return f, value_of_bound(f - moment, f + moments, gb, ga, abs(ga), 0.0, slope, data.limits)
    # a whole intercept: the loss is convex in it, so one of the two neighbours is best; further ones are
    # looked at until the loss surely rises
    whole, limits = np.floor(fit[1] - shift), data.limits
    best, bound, chosen, other = np.inf, np.inf, whole, np.inf
    for side in range(2):
        for step in range(_NEIGHBOURS):
            b = whole + 1 + step if side else whole - step
            logits(score, 1.0, b + shift, z, n)
            f = loss_at(z, positive, negative, e, n)
            gb, _, _ = slopes_at(z, e, positive, negative, residual, curve, n)
            falls = -gb if side else gb  # how fast the loss may still fall beyond it
            if falls > -limits[4]:
                falls += _unsure(residual, curve, n, limits)
            beyond = falls * 2 * limits[0] if falls > 0 and step == _NEIGHBOURS - 1 else 0.0
            bound = min(bound, f - beyond - limits[1] * f - limits[3])
            if f < best:
                best, other, chosen = f, best, b
            else:
                other = min(other, f)
            if falls <= 0:
                break
    if other - best < 1e-9:  # either may be the best
        fit[3] = np.inf
    fit[1] = chosen + shift
    return best, max(bound, 0.0)


@reader(error_model="numpy")
def rates_broken(data: RiskData, support: Support, index: Ints, k: int, fit: Floats) -> float:
    """By how much a card breaks the limits on rates, as shares of their weights; 0 if it may obey.

    Rows near the threshold count as what obeys.
    """
    if len(data.rate_most) == 0:
        return 0.0
    n = data.x.shape[1]
    z, size = support.work[6], support.work[7]
    fill(z, fit[1], n)
    for q in range(k):
        j = support.columns[q]
        value = data.values[j, index[q]]
        if value != 0:
            add_column(z, fit[0] * value * data.scale[j], data.x[j], n)
    for i in range(n):  # how far the log odds of a row can be from those of the best fit
        away = abs(z[i] - fit[1]) / max(fit[0], 1e-300)
        size[i] = _NEAR * (1 + 1e-3 * abs(z[i])) + 4 * fit[3]
        if fit[2] > 0:
            size[i] += 4 * fit[2] * away
    broken = 0.0
    for limit in range(len(data.rate_most)):
        missed, alarmed = data.rates[limit, 0], data.rates[limit, 1]
        total = 0.0
        for i in range(n):
            distance = z[i] - data.threshold
            if distance > size[i]:
                total += alarmed[i]
            elif distance < -size[i]:
                total += missed[i]
            else:
                total += min(alarmed[i], missed[i])
        if total > data.rate_most[limit, 0]:
            broken += _BREAKS + (total - data.rate_most[limit, 0]) / data.rate_most[limit, 1]
    support.counts[WORK] += n * (k + len(data.rate_most))
    return broken


@inner(error_model="numpy")
def support_may_obey(data: RiskData, support: Support, k: int) -> bool:
    """Whether predictions by cell can obey each limit on rates, and all of them together.

    Rows that are equal on the support are predicted alike. True where their cells are not known.
    """
    n, groups = data.x.shape[1], support.state[ROWS]
    n_limits = len(data.rate_most)
    if n_limits == 0 or groups == n:
        return True
    sums = np.empty((4, groups))
    fill(sums[2], 0.0, groups)
    fill(sums[3], 0.0, groups)
    together, all_most = 0.0, 0.0
    for limit in range(n_limits):
        fill(sums[0], 0.0, groups)
        fill(sums[1], 0.0, groups)
        for i in range(n):
            g = support.ids[i]
            sums[0, g] += data.rates[limit, 0, i]
            sums[1, g] += data.rates[limit, 1, i]
        least, whole = 0.0, data.rate_most[limit, 1]
        for g in range(groups):
            least += min(sums[0, g], sums[1, g])
            sums[2, g] += sums[0, g] / whole
            sums[3, g] += sums[1, g] / whole
        if least > data.rate_most[limit, 0]:
            return False
        all_most += data.rate_most[limit, 0] / whole
    for g in range(groups):
        together += min(sums[2, g], sums[3, g])
    return together <= all_most + 1e-9


@reader(error_model="numpy")
def obeys_limits(data: RiskData, support: Support, index: Ints, k: int) -> bool:
    """Whether a card obeys the limits on supports and scores."""
    for limit in range(len(data.most)):
        total = 0.0
        for q in range(k):
            total += data.tables[limit, support.columns[q], index[q]]
        if total > data.most[limit]:
            return False
    return True


@inner(error_model="numpy")
def offer(
    data: RiskData, support: Support, best: Best, index: Ints, k: int, start: Floats, only_if: float,
    keeps: int,
) -> float:  # fmt: skip
    """Calibrate a card and keep it if it is the best so far; returns the lower bound of its value.

    Nothing happens unless a quick calibration comes within `only_if` of the best. Where there is room for
    cards, one whose bound is below the best, and that may obey the limits on rates, is listed; the best then
    stays as it is, unless it `keeps` a card by its value and what it breaks.
    """
    if not obeys_limits(data, support, index, k):
        return np.inf
    penalty = 0.0
    for q in range(k):
        penalty += data.penalty[support.columns[q], index[q]]
    fit = np.empty(4)
    copy_floats(fit, start, np.int64(2))
    if only_if < np.inf:
        f, _ = card_loss(data, support, index, k, fit, QUICK, best.value[0] + only_if - penalty)
        if f + penalty > best.value[0] + only_if:
            return -np.inf
    f, bound = card_loss(data, support, index, k, fit, ACCURATE, np.inf)
    room, value = len(support.found), f + penalty
    broken = rates_broken(data, support, index, k, fit)
    if room and broken == 0 and bound + penalty < best.value[0] - data.tolerance and support.state[FOUND] < room:
        card = support.found[support.state[FOUND]]
        support.found_bound[support.state[FOUND]] = bound + penalty
        support.state[FOUND] += 1
        card[0] = k
        for q in range(k):
            card[1 + q], card[1 + k + q] = support.columns[q], index[q]
    value += data.pull * broken
    if (keeps or not room) and value < best.value[0] - 1e-13:
        best.value[0] = value
        copy(best.index, data.zero, len(data.zero))
        for q in range(k):
            best.index[support.columns[q]] = index[q]
        best.fit[0], best.fit[1] = fit[0], fit[1]
    return bound + penalty
