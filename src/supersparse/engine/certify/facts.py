"""Facts: the integer program as arrays for compiled code, and the lines that all proofs share."""

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.certify.lines import Lines
from supersparse.engine.certify.program import Coefficients, FeatureVariables, Program
from supersparse.engine.kernels.proof_data import Facts

Ints = NDArray[np.int64]
SIGNS = (1, -1)


def literal_at(program: Program, literal: int) -> int:
    """The variable of a literal by number: 2f for positive points of feature f, 2f + 1 for negative ones."""
    return program.features[literal // 2].literal(1 if literal % 2 == 0 else -1)


def least_cost(
    program: Program, feature: FeatureVariables, sign: int, low: int | None = None, high: int | None = None
) -> int:
    """The smallest objective coefficient of a sign, or of its values within a box."""
    costs = program.objective
    if not feature.value:
        return costs.get(feature.literal(sign), 0)
    return min(
        costs.get(u, 0)
        for v, u in feature.value.items()
        if v * sign > 0 and (low is None or high is None or low <= v <= high)
    )


def written_facts(program: Program, lines: Lines, best: int, margins: Ints) -> Facts:
    """Write the shared lines and lay out the program. Rows of similar margin share a block.

    For each feature, with its range S of values: c·p - λ >= 0 and c·n + λ >= 0, where c is M // S, and no
    less than the largest λ, which M need not cover in a column of zeros. And for blocks of rows, each twice
    as large as the last: Σ cost·z >= 0.
    """
    cutoff = lines.known_solution(best - 1)
    features, n = program.features, len(program.features)
    has_origin = program.statement.intercept != "free"
    zero = [0] if has_origin else []  # rows are compared with the origin as well
    rate = np.ones(n, np.int64)
    ways = np.full((2, n), -1, np.int64)
    for f, feature in enumerate(features):
        reach = max([*feature.column, *zero]) - min([*feature.column, *zero])
        largest = max(abs(v) for v in (feature.of.values[0], feature.of.values[-1]))
        rate[f] = max(program.M // max(1, reach), largest)
        for side, sign in enumerate(SIGNS):
            ways[side, f] = _without_effect(lines, feature, sign, int(rate[f]))
    literals = np.full(2 * n, -1, np.int64)
    sum_row = np.full(2 * n, -1, np.int64)
    values: list[list[int]] = [[] for _ in literals]
    for f, feature in enumerate(features):
        for side, sign in enumerate(SIGNS):
            literals[2 * f + side] = feature.literal(sign)
            if feature.value and feature.literal(sign) >= 0:
                sum_row[2 * f + side] = feature.positive_sum if sign > 0 else feature.negative_sum
                values[2 * f + side] = [feature.value[v] for v in feature.signed(sign)]
    objective = np.zeros(len(program.names), np.int64)
    for v, c in program.objective.items():
        objective[v] = c
    leaf_row, row_leaf, block = _blocks(program, lines, margins)
    rates = {"free": -1, "range": program.step}
    size = program.size_row
    return Facts(
        x=program.x,
        sign=np.where(np.array(program.positive, bool), 1, -1).astype(np.int64),
        row_line=np.array(program.of_row, np.int64),
        row_right=np.array([program.rows[row].right for row in program.of_row], np.int64),
        first_z=program.wrong[0],
        threshold=program.threshold,
        threshold_rate=rates.get(program.statement.intercept, 0),
        M=program.M,
        points=np.array([feature.points for feature in features], np.int64),
        literal=literals,
        rate=rate,
        up=ways[0],
        down=ways[1],
        one_sign=np.array([feature.one_sign for feature in features], np.int64),
        size_row=size,
        size_most=program.rows[size].right if size >= 0 else 0,
        sum_row=sum_row,
        value_start=np.cumsum([0, *map(len, values)]),
        value=np.array([u for of_literal in values for u in of_literal], np.int64),
        objective=objective,
        best=best,
        cutoff=cutoff,
        leaf_row=leaf_row,
        row_leaf=row_leaf,
        block=block,
    )


def _without_effect(lines: Lines, feature: FeatureVariables, sign: int, rate: int) -> int:
    """Write: without the literal of a sign, λ has no part of that sign."""
    target: Coefficients = {feature.points: -sign}
    if feature.literal(sign) >= 0:
        target[feature.literal(sign)] = rate
    terms, right = lines.combined(target, [(feature.below if sign > 0 else feature.above, 1)])
    assert right == 0, "points are larger than what multiplies their sign"
    return lines.derive("G", 0, target, terms)


def _blocks(program: Program, lines: Lines, margins: Ints) -> tuple[Ints, Ints, Ints]:
    """Write Σ cost·z >= 0 for each block; return the row at each leaf, its inverse, and the lines."""
    n = len(margins)
    n_leaves = 1 << max(0, n - 1).bit_length()
    leaf_row, row_leaf = np.full(n_leaves, -1, np.int64), np.zeros(n, np.int64)
    leaf_row[:n] = np.argsort(margins, kind="stable")
    row_leaf[leaf_row[:n]] = np.arange(n)
    block = np.full(2 * n_leaves, -1, np.int64)
    parts: dict[int, tuple[int, str]] = {}  # number of rows with a cost, and their coefficients as text
    for place in range(2 * n_leaves - 1, 1, -1):
        if place >= n_leaves:
            r = int(leaf_row[place - n_leaves])
            cost = program.objective.get(program.wrong[r], 0) if r >= 0 else 0
            parts[place] = (1, f"{program.wrong[r]} {cost}") if cost else (0, "")
            continue
        children = [at for at in (2 * place, 2 * place + 1) if parts[at][0]]
        parts[place] = sum(parts[at][0] for at in children), " ".join(parts[at][1] for at in children)
        if len(children) == 2:
            reason = " ".join(
                f"{block[at]} 1" if block[at] >= 0 else f"{2 * int(v)} {c}"
                for at in children
                for v, c in [parts[at][1].split(" ", 2)[:2]]
            )
            block[place] = lines.combine(f"G 0 {parts[place][0]} {parts[place][1]}", f"lin 2 {reason}")
        elif children:
            block[place] = block[children[0]]
        for at in (2 * place, 2 * place + 1):
            del parts[at]
        lines.flush_if_long()
    return leaf_row, row_leaf, block
