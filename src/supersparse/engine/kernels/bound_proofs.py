"""The line of a derivation that closes a place of the tree: covers times multipliers, completed by bounds."""

import numpy as np

from supersparse.engine.kernels.cover_proofs import write_covers
from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.proof_data import Combination, Facts, Ints, Kept, Standing
from supersparse.engine.kernels.proof_text import (
    LINE,
    LONGEST_TERM,
    POSITION,
    Bytes,
    put_end,
    put_start,
    put_term,
    put_whole,
    put_word,
    with_room,
)

CLOSED, OPEN, PAUSED, BETTER, WRONG = 0, 1, 2, 3, 4


@kernel()
def close_by(
    facts: Facts, standing: Standing, combination: Combination, kept: Kept, text: Bytes, at: Ints
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
    facts: Facts,
    standing: Standing,
    combination: Combination,
    lines: Ints,
    total: Ints,
    text: Bytes,
    at: Ints,
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


@kernel()
def write_dropped(facts: Facts, standing: Standing, line: int, reduced: Ints, text: Bytes, at: Ints) -> Bytes:
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
