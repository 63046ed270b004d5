"""Covers of a derivation: some rows are wrong, or some literal is in the model.

A cover says that some of its rows are wrong or some literal is in the model: z_i + z_j + Σ literals >= 1. Its
members are up to four rows, -1 where there are fewer; a row may stand twice. With D_f the sum of the rows'
values, each counted + if positive and - if negative, their inequalities add up to
Σ_f D_f·λ_f + M·Σ z >= something positive (as many positive as negative rows cancel the threshold). Then λ_f
is removed by `up` or `down`, which bring in a literal, or by the present bounds of a feature in use;
dividing by M and rounding up gives the cover. The line that closes a place of the tree is covers times
multipliers, completed by bounds.
"""

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.proof_lines import (
    COVERS,
    LINE,
    LONGEST_TERM,
    POSITION,
    Bytes,
    Combination,
    CoverTable,
    Facts,
    PlaceBounds,
    put_end,
    put_start,
    put_term,
    put_whole,
    put_word,
    with_room,
)


@kernel()
def differences(x: Ints, signs: Ints, members: Ints, D: Ints, literals: Ints) -> int:
    """Fill D_f of a cover, and the literals that could make up for them; return how many."""
    n_features = len(D)
    for f in range(n_features):
        D[f] = 0
    for m in range(4):
        r = members[m]
        if r >= 0:
            sign = signs[r]
            for f in range(n_features):
                D[f] += sign * x[r, f]
    n = 0
    for f in range(n_features):  # without branches: which are 0 cannot be foreseen
        literals[n] = 2 * f + (D[f] < 0)
        n += D[f] != 0
    return n


@kernel()
def literal_of(facts: Facts, f: int, D: int) -> int:
    """The literal that lets a feature make up for D; -1 if there is none."""
    literal = 2 * f if D > 0 else 2 * f + 1
    return literal if facts.literal[literal] >= 0 else -1


@kernel()
def needs_bounds(signs: Ints, used: Ints, has_threshold: bool, members: Ints, literals: Ints) -> bool:
    """Whether a cover needs the present bounds: without them, a feature in use or b could make all right."""
    if has_threshold and balance(signs, members) != 0:
        return True
    helpful = 0
    for literal in literals:
        helpful += used[literal // 2] == 1 - 2 * (literal % 2)
    return helpful > 0


@kernel()
def balance(signs: Ints, members: Ints) -> int:
    """How many more positive than negative members there are."""
    total = 0
    for r in members:
        if r >= 0:
            total += signs[r]
    return total


@kernel()
def write_cover(
    facts: Facts, standing: PlaceBounds, members: Ints, D: Ints, local: bool, last_use: int, text: Bytes,
    at: Ints,
) -> tuple[Bytes, bool]:  # fmt: skip
    """Write a cover; False, and nothing written, if its rows could all be right.

    With `local`, features in use are removed by their present bounds, else by literals like all others.
    """
    n = len(D)
    text = with_room(text, at[POSITION], (4 * n + 24) * LONGEST_TERM)
    rows, times = np.empty(4, np.int64), np.zeros(4, np.int64)
    n_rows, most = 0, 1
    for r in members:
        if r < 0:
            continue
        k = 0
        while k < n_rows and rows[k] != r:
            k += 1
        if k == n_rows:
            rows[k] = r
            n_rows += 1
        times[k] += 1
        most = max(most, times[k])
    n_coefficients, n_terms, right = n_rows, n_rows, np.int64(0)
    for k in range(n_rows):
        right += times[k] * facts.row_right[rows[k]]
    for f in range(n):
        if D[f] != 0 and not (local and standing.used[f] != 0):
            most = max(most, -(-abs(D[f]) * facts.rate[f] // facts.M))
    over = most * facts.M
    for f in range(n):
        if D[f] == 0:
            continue
        n_terms += 1
        if local and standing.used[f] != 0:
            v = facts.points[f]
            right -= D[f] * (standing.upper[v] if D[f] > 0 else standing.lower[v])
        elif literal_of(facts, f, D[f]) >= 0:
            n_coefficients += 1
            n_terms += over != abs(D[f]) * facts.rate[f]
    for k in range(n_rows):
        n_terms += times[k] < most
    b = balance(facts.sign, members) * facts.threshold_rate
    if b != 0:
        n_terms += 1
        v = facts.threshold
        right -= b * (standing.upper[v] if b > 0 else standing.lower[v])
    if right <= 0:
        return text, False
    position = put_start(text, at[POSITION], at[LINE], False, 1)
    position = put_whole(text, position, n_coefficients)
    for k in range(n_rows):
        position = put_whole(text, put_whole(text, position, facts.first_z + rows[k]), 1)
    for f in range(n):
        if D[f] != 0 and not (local and standing.used[f] != 0):
            literal = literal_of(facts, f, D[f])
            if literal >= 0:
                position = put_whole(text, put_whole(text, position, facts.literal[literal]), 1)
    position = put_word(text, position, b" { rnd")
    position = put_whole(text, position, n_terms)
    for k in range(n_rows):
        position = put_term(text, position, facts.row_line[rows[k]], times[k], over)
        if times[k] < most:  # z >= 0
            position = put_term(text, position, 2 * (facts.first_z + rows[k]), over - times[k] * facts.M, over)
    for f in range(n):
        if D[f] == 0:
            continue
        if local and standing.used[f] != 0:
            v = facts.points[f]
            line = standing.upper_line[v] if D[f] > 0 else standing.lower_line[v]
            position = put_term(text, position, line, -D[f], over)
            continue
        position = put_term(text, position, facts.up[f] if D[f] > 0 else facts.down[f], abs(D[f]), over)
        literal = literal_of(facts, f, D[f])
        rest = over - abs(D[f]) * facts.rate[f]
        if literal >= 0 and rest:  # literal >= 0
            position = put_term(text, position, 2 * facts.literal[literal], rest, over)
    if b != 0:
        v = facts.threshold
        position = put_term(text, position, standing.upper_line[v] if b > 0 else standing.lower_line[v], -b, over)
    at[POSITION] = put_end(text, position, last_use)
    at[LINE] += 1
    return text, True


@kernel()
def kept_place(keys: Ints, key: int) -> int:
    """Where a cover is kept, or would be, in a table with open places of -1."""
    place = (key * 2654435761) % len(keys)
    while keys[place] != -1 and keys[place] != key:
        place = place + 1 if place + 1 < len(keys) else 0
    return place


@kernel()
def write_covers(
    facts: Facts, standing: PlaceBounds, combination: Combination, kept: CoverTable, lines: Ints, load: Ints,
    text: Bytes, at: Ints,
) -> tuple[Bytes, bool]:  # fmt: skip
    """Write the covers of a bound; False if one does not hold.

    Fills the line of each cover, and `load`: what the covers times their multipliers have of each variable.
    Pairs that hold everywhere are kept and written once. The others are used by the next line but them.
    """
    members, x, signs, used = combination.members, facts.x, facts.sign, standing.used
    has_threshold = facts.threshold >= 0
    n = len(members)
    D = np.empty(len(facts.points), np.int64)
    literals = np.empty(len(D) + 1, np.int64)
    is_local = np.zeros(n, np.bool_)
    n_rows = len(facts.row_line) + 1
    n_local = 0
    for k in range(n):
        making_up = literals[: differences(x, signs, members[k], D, literals)]
        is_local[k] = members[k, 2] >= 0 or needs_bounds(signs, used, has_threshold, members[k], making_up)
        add_load(facts.first_z, facts.literal, used, members[k], making_up, is_local[k], combination.u[k], load)
        if is_local[k]:
            n_local += 1
            continue
        key = (members[k, 0] + 1) * n_rows + members[k, 1] + 1
        place = kept_place(kept.key, key)
        if kept.key[place] == -1:
            kept.key[place], kept.line[place] = key, at[LINE]
            at[COVERS] += 1
            text, holds = write_cover(facts, standing, members[k], D, False, -1, text, at)
            if not holds:
                return text, False
        lines[k] = kept.line[place]
    last_use = at[LINE] + n_local
    for k in range(n):
        if is_local[k]:
            differences(x, signs, members[k], D, literals)
            lines[k] = at[LINE]
            text, holds = write_cover(facts, standing, members[k], D, True, last_use, text, at)
            if not holds:
                return text, False
    return text, True


@kernel()
def add_load(
    first_z: int, variable: Ints, used: Ints, members: Ints, literals: Ints, is_local: bool, u: int,
    load: Ints,
) -> None:  # fmt: skip
    """Add u times the left side of a cover."""
    for m in range(4):
        r = members[m]
        repeated = r < 0
        for other in range(m):
            repeated = repeated or members[other] == r
        if not repeated:
            load[first_z + r] += u
    for literal in literals:
        v = variable[literal]
        if v >= 0 and not (is_local and used[literal // 2] != 0):
            load[v] += u


CLOSED, OPEN, PAUSED, BETTER, WRONG = 0, 1, 2, 3, 4


@kernel()
def close_by(
    facts: Facts, standing: PlaceBounds, combination: Combination, kept: CoverTable, text: Bytes, at: Ints
) -> tuple[Bytes, int, int]:
    """Write covers and what they prove; return (text, state, bound): WRONG if less than was promised."""
    lines = np.empty(len(combination.members), np.int64)
    load = np.zeros(len(facts.objective), np.int64)
    text, holds = write_covers(facts, standing, combination, kept, lines, load, text, at)
    if not holds:
        return text, WRONG, 0
    text, bound = write_bound(facts, standing, combination, lines, load, text, at)
    return text, WRONG if len(combination.dropped) == 0 and bound < facts.best else CLOSED, bound


@kernel()
def write_bound(
    facts: Facts, standing: PlaceBounds, combination: Combination, lines: Ints, total: Ints, text: Bytes, at: Ints
) -> tuple[Bytes, int]:
    """Write what covers times multipliers prove here; return the bound of the objective.

    `lines` are those of the covers, `total` is what they add up to; it is changed. Without literals to drop,
    the line says objective >= best. Otherwise, with the reduced cost of each, it says
    Σ reduced·literal <= best - 1 - bound: a better model pays no more.
    """
    members, u, allowed, cost, theta, dropped = combination
    n_variables, n = len(facts.objective), len(facts.points)
    bound = np.int64(0)
    for k in range(len(members)):
        bound += u[k]
    if theta < 0:
        theta = 0
        for literal in range(2 * n):
            if allowed[literal]:
                theta = max(theta, total[facts.literal[literal]] - cost[literal])
    signs = np.zeros(n, np.int64)  # multiplier of p + n <= 1
    n_terms = len(members)
    for f in range(n):
        if allowed[2 * f] and allowed[2 * f + 1]:
            excess = total[facts.literal[2 * f]] - cost[2 * f] - theta
            other = total[facts.literal[2 * f + 1]] - cost[2 * f + 1] - theta
            signs[f] = max(0, min(excess, other))
    for f in range(n):
        for literal in (2 * f, 2 * f + 1):
            v = facts.literal[literal]
            if v < 0:
                continue
            total[v] -= signs[f]
            if facts.size_row >= 0:
                total[v] -= theta
            if facts.sum_row[literal] >= 0 and cost[literal] != 0:
                n_terms += 1
                total[v] -= cost[literal]
                for t in range(facts.value_start[literal], facts.value_start[literal + 1]):
                    total[facts.value[t]] += cost[literal]
        if signs[f]:
            n_terms += 1
            bound -= signs[f]
    if theta and facts.size_row >= 0:
        n_terms += 1
        bound -= theta * facts.size_most
    # the rest of the objective, from bounds of its variables; rows without a part in it come in blocks
    n_leaves = len(facts.leaf_row)
    touched = np.zeros(2 * n_leaves, np.bool_)
    for k in range(len(members)):
        for r in members[k]:
            if r >= 0:
                place = n_leaves + facts.row_leaf[r]
                while place and not touched[place]:
                    touched[place] = True
                    place //= 2
    rest_line, rest = np.empty(n_variables + 1, np.int64), np.empty(n_variables + 1, np.int64)
    n_rest = 0
    stack = np.empty(64, np.int64)
    stack[0], top = 1, 1
    while top:
        top -= 1
        place = stack[top]
        if place >= n_leaves:
            r = facts.leaf_row[place - n_leaves]
            v = facts.first_z + r
            if r >= 0 and facts.objective[v] != total[v]:
                rest_line[n_rest], rest[n_rest] = 2 * v, facts.objective[v] - total[v]
                n_rest += 1
        elif not touched[place] and facts.block[place] >= 0:
            rest_line[n_rest], rest[n_rest] = facts.block[place], 1
            n_rest += 1
        else:
            stack[top], stack[top + 1] = 2 * place + 1, 2 * place
            top += 2
    if len(dropped):
        for literal in range(2 * n):
            if dropped[literal]:
                total[facts.literal[literal]] += dropped[literal]
    for v in range(facts.first_z):
        missing = facts.objective[v] - total[v]
        if missing > 0:
            rest_line[n_rest], rest[n_rest] = standing.lower_line[v], missing
            bound += missing * standing.lower[v]
            n_rest += 1
        elif missing < 0:
            rest_line[n_rest], rest[n_rest] = standing.upper_line[v], missing
            bound += missing * standing.upper[v]
            n_rest += 1
    n_terms += n_rest
    text = with_room(text, at[POSITION], (n_terms + 2 * n + 8) * LONGEST_TERM)
    if len(dropped):
        way = -1
        position = put_start(text, at[POSITION], at[LINE], True, facts.best - 1 - bound)
        count = 0
        for reduced in dropped:
            count += reduced != 0
        position = put_whole(text, position, count)
        for literal in range(2 * n):
            if dropped[literal]:
                position = put_whole(text, put_whole(text, position, facts.literal[literal]), dropped[literal])
        position = put_word(text, position, b" { lin")
        position = put_whole(text, position, n_terms + 1)
        position = put_term(text, position, facts.cutoff, 1, 1)
    else:
        if bound < facts.best:
            return text, bound
        way = 1
        position = put_start(text, at[POSITION], at[LINE], False, facts.best)
        position = put_word(text, position, b" OBJ { lin")
        position = put_whole(text, position, n_terms)
    for k in range(len(members)):
        position = put_term(text, position, lines[k], way * u[k], 1)
    if theta and facts.size_row >= 0:
        position = put_term(text, position, facts.size_row, -way * theta, 1)
    for f in range(n):
        if signs[f]:
            position = put_term(text, position, facts.one_sign[f], -way * signs[f], 1)
        for literal in (2 * f, 2 * f + 1):
            if facts.literal[literal] >= 0 and facts.sum_row[literal] >= 0 and cost[literal] != 0:
                position = put_term(text, position, facts.sum_row[literal], -way * cost[literal], 1)
    for t in range(n_rest):
        position = put_term(text, position, rest_line[t], way * rest[t], 1)
    at[POSITION] = put_end(text, position, -1)
    at[LINE] += 1
    return text, bound


@kernel()
def write_dropped(facts: Facts, standing: PlaceBounds, line: int, reduced: Ints, text: Bytes, at: Ints) -> Bytes:
    """Write literal <= 0 for each literal of a line Σ reduced·literal <= rest, each larger than rest."""
    count = 0
    for r in reduced:
        count += r != 0
    text = with_room(text, at[POSITION], count * (count + 8) * LONGEST_TERM)
    for literal in range(len(reduced)):
        if reduced[literal] == 0:
            continue
        position = put_start(text, at[POSITION], at[LINE], True, 0)
        position = put_whole(text, position, 1)
        position = put_whole(text, put_whole(text, position, facts.literal[literal]), 1)
        position = put_whole(text, put_word(text, position, b" { rnd"), count)
        position = put_term(text, position, line, 1, reduced[literal])
        for other in range(len(reduced)):
            if reduced[other] != 0 and other != literal:
                v = facts.literal[other]
                position = put_term(text, position, standing.lower_line[v], -reduced[other], reduced[literal])
        at[POSITION] = put_end(text, position, -1)
        at[LINE] += 1
    return text
