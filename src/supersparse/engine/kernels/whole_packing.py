"""Multipliers for the groups of `kernels/whole_pairs.py`: the bound of a box.

Multipliers u >= 0 with Σ u <= weight at every point, and Σ u·(factor of l) <= penalty of l at every literal,
prove that every vector of a box loses Σ u beyond the penalties of the features that are in. Factors are
rounded up to 1/1024 and weights are counted in 1/1024, so this is done in whole numbers.

First each group in turn is given what its points and literals have left. That is two or three wrong rows
below the best there is; `kernels/whole_prices.py` guesses better multipliers, which are packed likewise.
"""

import numpy as np

from supersparse.engine.kernels.jit import reader
from supersparse.engine.kernels.whole_data import FINE, Ints, Listed


@reader(error_model="numpy")
def pack_groups(
    listed: Listed, kept: int, undecided: Ints, penalty: Ints, enough: int, is_guided: bool, load: Ints
) -> int:
    """Give each group in turn what its points and literals have left; return the sum, and fill `load`.

    Little at first, or, where that is guided, what was guessed. Stops above `enough`. Loads are
    counted in 1/FINE².
    """
    place, member, factor, left = listed.place, listed.member, listed.factor, listed.left
    total, n, last = np.int64(0), len(undecided), 1 if is_guided else 2
    for f in range(len(penalty)):
        load[0, f] = load[1, f] = 0
    for s in range(kept):
        listed.is_open[s] = 1
    for sweep in range(last + 1):
        for s in range(kept):
            if listed.is_open[s] == 0:
                continue
            c = place[s]
            u = left[member[c, 0]]
            for k in range(1, listed.size[s]):
                u = min(u, left[member[c, k]])
            if sweep < last:
                u = min(u, np.int64(listed.guess[s]) if is_guided else 1 + u // 4)
            if u <= 0:
                continue
            for t in range(n):
                a = factor[s, t]
                if a:
                    side = 0 if a > 0 else 1
                    spare = penalty[undecided[t]] * FINE * FINE - load[side, undecided[t]]
                    if abs(a) * u > spare:
                        u = spare // abs(a)
            if u <= 0:
                listed.is_open[s] = 0  # a literal has nothing left, and never will have
                continue
            for t in range(n):
                a = factor[s, t]
                if a:
                    load[0 if a > 0 else 1, undecided[t]] += abs(a) * u
            for k in range(listed.size[s]):
                left[member[c, k]] -= u
            total += u
            if total > enough:
                return total
    return total
