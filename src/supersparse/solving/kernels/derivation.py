"""Lines of a derivation as text: covers, and the bound that closes a place of the tree.

A cover says that some of its rows are wrong or some literal is in the model: z_i + z_j + Σ literals >= 1. Its
members are up to four rows, -1 where there are fewer; a row may stand twice. With D_f the sum of the rows'
values, each counted + if positive and - if negative, their inequalities add up to
Σ_f D_f·λ_f + M·Σ z >= something positive (as many positive as negative rows cancel the threshold). Then λ_f
is removed by `up` or `down`, which bring in a literal, or by the present bounds of a feature in use;
dividing by M and rounding up gives the cover.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

POSITION, LINE, COVERS = 0, 1, 2  # of `at`: bytes written, the next line's number, covers kept
_SPACE, _SLASH, _MINUS, _ZERO = 32, 47, 45, 48
_LONGEST_TERM = 64  # bytes: a line's number and a ratio


class Facts(NamedTuple):
    """The integer program as arrays. Variable v is bounded by the rows 2v (below) and 2v + 1 (above)."""

    x: Ints  # (rows, features)
    sign: Ints  # of each row: 1 positive, -1 negative
    row_line: Ints
    row_right: Ints
    first_z: int  # the variable of row 0
    threshold: int  # its variable, or -1
    threshold_rate: int  # its coefficient in a positive row
    M: int
    points: Ints  # the variable of each feature's λ
    literal: Ints  # the variable of each literal (2f: positive, 2f + 1: negative), or -1
    rate: Ints  # c_f of `up` (c_f·p - λ >= 0) and `down` (c_f·n + λ >= 0)
    up: Ints
    down: Ints
    one_sign: Ints  # the row p + n <= 1 of each feature
    size_row: int  # the row that limits the number of literals, or -1
    size_most: int
    sum_row: Ints  # of each literal: the row literal = Σ of its values' binaries, or -1
    value_start: Ints  # where the binaries of each literal begin in `value`
    value: Ints
    objective: Ints
    best: int
    cutoff: int  # the line objective <= best - 1
    leaf_row: Ints  # the row at each leaf of the tree of blocks, -1 for none
    row_leaf: Ints
    block: Ints  # the line Σ cost·z >= 0 over the rows of each block, by heap order; -1 for none


class Standing(NamedTuple):
    """What holds at the present place: bounds as (line, value), and the sign of each feature in use."""

    lower_line: Ints
    lower: Ints
    upper_line: Ints
    upper: Ints
    used: Ints


@njit(cache=True, nogil=True)
def with_room(text: Bytes, position: int, wanted: int) -> Bytes:
    """The text, moved to a longer array if the next bytes may not fit."""
    if position + wanted <= len(text):
        return text
    longer = np.empty(2 * (position + wanted), np.uint8)
    for t in range(position):
        longer[t] = text[t]
    return longer


@njit(cache=True, nogil=True)
def put_whole(text: Bytes, position: int, number: int) -> int:
    """Write a space and a whole number; return the position after it."""
    text[position] = _SPACE
    position += 1
    return put_digits(text, position, number)


@njit(cache=True, nogil=True)
def put_digits(text: Bytes, position: int, number: int) -> int:
    """Write a whole number; return the position after it."""
    if number < 0:
        text[position] = _MINUS
        position += 1
        number = -number
    end = position + 1
    rest = number // 10
    while rest:
        end += 1
        rest //= 10
    at = end
    while at > position:
        at -= 1
        text[at] = _ZERO + number % 10
        number //= 10
    return end


@njit(cache=True, nogil=True)
def put_term(text: Bytes, position: int, line: int, top: int, bottom: int) -> int:
    """Write a line's number and its multiplier in lowest terms; return the position after it."""
    a, b = abs(top), bottom
    while b:
        a, b = b, a % b
    position = put_whole(text, position, line)
    position = put_whole(text, position, top // a)
    if bottom != a:
        text[position] = _SLASH
        position = put_digits(text, position + 1, bottom // a)
    return position


@njit(cache=True, nogil=True)
def put_word(text: Bytes, position: int, word: Bytes) -> int:
    """Write some bytes; return the position after them."""
    for letter in word:
        text[position] = letter
        position += 1
    return position


@njit(cache=True, nogil=True)
def put_start(text: Bytes, position: int, line: int, is_most: bool, right: int) -> int:
    """Write the name, the sense (L for "at most", else G) and the right side of a line."""
    text[position] = 100  # d
    position = put_digits(text, position + 1, line)
    text[position], text[position + 1] = _SPACE, 76 if is_most else 71
    return put_whole(text, position + 2, right)


@njit(cache=True, nogil=True)
def put_end(text: Bytes, position: int, last_use: int) -> int:
    """Write the end of a line."""
    text[position], text[position + 1] = _SPACE, 125  # }
    position = put_whole(text, position + 2, last_use)
    text[position] = 10
    return position + 1


@njit(cache=True, nogil=True)
def differences(facts: Facts, members: Ints, D: Ints) -> None:
    """Fill D_f of a cover."""
    for f in range(len(D)):
        D[f] = 0
    for r in members:
        if r >= 0:
            for f in range(len(D)):
                D[f] += facts.sign[r] * facts.x[r, f]


@njit(cache=True, nogil=True)
def literal_of(facts: Facts, f: int, D: int) -> int:
    """The literal that lets a feature make up for D; -1 if there is none."""
    literal = 2 * f if D > 0 else 2 * f + 1
    return literal if facts.literal[literal] >= 0 else -1


@njit(cache=True, nogil=True)
def is_local(standing: Standing, facts: Facts, members: Ints, D: Ints) -> bool:
    """Whether a cover needs the present bounds: without them, a feature in use or b could make all right."""
    if balance(facts, members) != 0 and facts.threshold >= 0:
        return True
    helpful = 0
    for f in range(len(D)):
        helpful += standing.used[f] * D[f] > 0
    return helpful > 0


@njit(cache=True, nogil=True)
def balance(facts: Facts, members: Ints) -> int:
    """How many more positive than negative members there are."""
    total = 0
    for r in members:
        if r >= 0:
            total += facts.sign[r]
    return total


@njit(cache=True, nogil=True)
def write_cover(
    facts: Facts,
    standing: Standing,
    members: Ints,
    D: Ints,
    local: bool,
    last_use: int,
    text: Bytes,
    at: Ints,
) -> tuple[Bytes, bool]:
    """Write a cover; False, and nothing written, if its rows could all be right.

    With `local`, features in use are removed by their present bounds, else by literals like all others.
    """
    n = len(D)
    text = with_room(text, at[POSITION], (4 * n + 24) * _LONGEST_TERM)
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
    b = balance(facts, members) * facts.threshold_rate
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
            position = put_term(
                text, position, 2 * (facts.first_z + rows[k]), over - times[k] * facts.M, over
            )
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
        position = put_term(
            text, position, standing.upper_line[v] if b > 0 else standing.lower_line[v], -b, over
        )
    at[POSITION] = put_end(text, position, last_use)
    at[LINE] += 1
    return text, True


@njit(cache=True, nogil=True)
def kept_place(keys: Ints, key: int) -> int:
    """Where a cover is kept, or would be, in a table with open places of -1."""
    place = (key * 2654435761) % len(keys)
    while keys[place] != -1 and keys[place] != key:
        place = place + 1 if place + 1 < len(keys) else 0
    return place


@njit(cache=True, nogil=True)
def write_covers(
    facts: Facts,
    standing: Standing,
    members: Ints,
    keys: Ints,
    kept: Ints,
    lines: Ints,
    local: NDArray[np.bool_],
    text: Bytes,
    at: Ints,
) -> tuple[Bytes, bool]:
    """Write the covers of a bound, and fill their lines and which are local; False if one does not hold.

    Pairs that hold everywhere are kept and written once. The others are used by the next line but them.
    """
    n = len(members)
    D = np.empty(len(facts.points), np.int64)
    n_rows = len(facts.row_line) + 1
    n_local = 0
    for k in range(n):
        differences(facts, members[k], D)
        local[k] = members[k, 2] >= 0 or is_local(standing, facts, members[k], D)
        if local[k]:
            n_local += 1
            continue
        place = kept_place(keys, (members[k, 0] + 1) * n_rows + members[k, 1] + 1)
        if keys[place] == -1:
            keys[place] = (members[k, 0] + 1) * n_rows + members[k, 1] + 1
            kept[place] = at[LINE]
            at[COVERS] += 1
            text, holds = write_cover(facts, standing, members[k], D, False, -1, text, at)
            if not holds:
                return text, False
        lines[k] = kept[place]
    last_use = at[LINE] + n_local
    for k in range(n):
        if local[k]:
            differences(facts, members[k], D)
            lines[k] = at[LINE]
            text, holds = write_cover(facts, standing, members[k], D, True, last_use, text, at)
            if not holds:
                return text, False
    return text, True


@njit(cache=True, nogil=True)
def write_bound(
    facts: Facts,
    standing: Standing,
    members: Ints,
    u: Ints,
    lines: Ints,
    local: NDArray[np.bool_],
    allowed: NDArray[np.bool_],
    cost: Ints,
    theta: int,
    dropped: Ints,
    text: Bytes,
    at: Ints,
) -> tuple[Bytes, int]:
    """Write what covers times multipliers prove here; return the bound of the objective.

    `cost` is the least cost of each literal, θ the multiplier of the size row; -1 chooses the θ that
    leaves no literal a gain. Without `dropped`, the line says objective >= best. Otherwise, with the reduced
    cost of each literal to drop, it says Σ reduced·literal <= best - 1 - bound: a better model pays no more.
    """
    n_variables, n = len(facts.objective), len(facts.points)
    total = np.zeros(n_variables, np.int64)
    D = np.empty(n, np.int64)
    bound = np.int64(0)
    for k in range(len(members)):
        bound += u[k]
        for m in range(4):
            r = members[k, m]
            repeated = r < 0
            for other in range(m):
                repeated = repeated or members[k, other] == r
            if not repeated:
                total[facts.first_z + r] += u[k]
        differences(facts, members[k], D)
        for f in range(n):
            if D[f] != 0 and not (local[k] and standing.used[f] != 0):
                literal = literal_of(facts, f, D[f])
                if literal >= 0:
                    total[facts.literal[literal]] += u[k]
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
    for v in range(facts.first_z):
        missing = facts.objective[v] - total[v]
        if len(dropped):
            for literal in range(2 * n):
                if dropped[literal] and facts.literal[literal] == v:
                    missing -= dropped[literal]
        if missing > 0:
            rest_line[n_rest], rest[n_rest] = standing.lower_line[v], missing
            bound += missing * standing.lower[v]
            n_rest += 1
        elif missing < 0:
            rest_line[n_rest], rest[n_rest] = standing.upper_line[v], missing
            bound += missing * standing.upper[v]
            n_rest += 1
    n_terms += n_rest
    text = with_room(text, at[POSITION], (n_terms + 2 * n + 8) * _LONGEST_TERM)
    if len(dropped):
        way = -1
        position = put_start(text, at[POSITION], at[LINE], True, facts.best - 1 - bound)
        count = 0
        for reduced in dropped:
            count += reduced != 0
        position = put_whole(text, position, count)
        for literal in range(2 * n):
            if dropped[literal]:
                position = put_whole(
                    text, put_whole(text, position, facts.literal[literal]), dropped[literal]
                )
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


@njit(cache=True, nogil=True)
def write_dropped(facts: Facts, standing: Standing, line: int, reduced: Ints, text: Bytes, at: Ints) -> Bytes:
    """Write literal <= 0 for each literal of a line Σ reduced·literal <= rest, each larger than rest."""
    count = 0
    for r in reduced:
        count += r != 0
    text = with_room(text, at[POSITION], count * (count + 8) * _LONGEST_TERM)
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
