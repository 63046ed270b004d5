"""Lines: a derivation written as it grows, and the bounds that hold at the present place of the tree.

A line is a row of the program or a derived one. Most lines are written by compiled code (`Facts` and `PlaceBounds` are
what it knows); the few of other kinds are written here. Only text leaves this file, a few megabytes at a time.
`written_facts` lays out the program for compiled code, with the lines that all proofs share.
"""

from collections.abc import Callable, Iterable

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.certify.derivation import LINE, POSITION, Facts, PlaceBounds, Text
from supersparse.engine.certify.program import Coefficients, FeatureVariables, Program
from supersparse.engine.core import struct

Terms = list[tuple[int, int]]  # (line, multiplier over the denominator)
Content = tuple[int, Coefficients]  # right side and coefficients of a line

ENOUGH_TEXT = 2**22
"""Bytes of text that are gathered before they are passed on."""


class Lines:
    """Writes derived lines and keeps the bounds of the present place."""

    def __init__(self, program: Program, out: Callable[[bytes], object]) -> None:
        self.program = program
        self._out = out
        self._first = len(program.rows)
        self._text = Text()
        self.at = np.array([0, self._first, 0], np.int64)
        n = len(program.names)
        even = 2 * np.arange(n, dtype=np.int64)
        ends = [[program.rows[row].right for row in rows] for rows in (program.lower, program.upper)]
        assert program.lower == even.tolist()
        self.here = PlaceBounds(
            lower_line=even.copy(),
            lower=np.array(ends[0], np.int64),
            upper_line=even + 1,
            upper=np.array(ends[1], np.int64),
            used=np.zeros(len(program.features), np.int64),
        )
        self.here_struct = struct(self.here)
        self._trail: list[tuple[bool, int, int, int]] = []

    @property
    def text(self) -> int:
        """The text, as kernels know it."""
        return self._text.handle

    @property
    def next(self) -> int:
        return int(self.at[LINE])

    @property
    def count(self) -> int:
        return self.next - self._first

    def flush(self) -> None:
        self._out(self._text.take(self.at))

    def flush_if_long(self) -> None:
        """Pass on what was written if it is much."""
        if self.at[POSITION] > ENOUGH_TEXT:
            self.flush()

    # --- bounds of variables ---

    @property
    def mark(self) -> int:
        """A place to return to."""
        return len(self._trail)

    def back(self, mark: int) -> None:
        """Forget the bounds that were set since."""
        here = self.here
        while len(self._trail) > mark:
            is_upper, variable, line, value = self._trail.pop()
            if is_upper:
                here.upper_line[variable], here.upper[variable] = line, value
            else:
                here.lower_line[variable], here.lower[variable] = line, value

    def raise_lower(self, variable: int, line: int, value: int) -> None:
        """Use a line that says: the variable is at least this value."""
        here = self.here
        self._trail.append((False, variable, int(here.lower_line[variable]), int(here.lower[variable])))
        here.lower_line[variable], here.lower[variable] = line, value

    def cut_upper(self, variable: int, line: int, value: int) -> None:
        """Use a line that says: the variable is at most this value."""
        here = self.here
        self._trail.append((True, variable, int(here.upper_line[variable]), int(here.upper[variable])))
        here.upper_line[variable], here.upper[variable] = line, value

    # --- writing ---

    def assume(self, sense: str, right: int, coefficients: Coefficients) -> int:
        """Assume an inequality, one side of a branching."""
        return self.combine(f"{sense} {right} {vector(coefficients)}", "asm")

    def close_branching(self, right: int, first: tuple[int, int], second: tuple[int, int]) -> int:
        """Conclude objective >= right from both sides of a branching: (line, assumption) each."""
        return self.combine(f"G {right} OBJ", f"uns {first[0]} {first[1]} {second[0]} {second[1]}")

    def row(self, line: int) -> Content:
        row = self.program.rows[line]
        return row.right, row.coefficients

    def combined(
        self, target: Coefficients, parts: Iterable[tuple[int, int]], known: dict[int, Content] | None = None
    ) -> tuple[Terms, int]:
        """Complete a combination to target·x >= right by bounds of variables; return (terms, right).

        The parts are rows of the program, or derived lines whose content is `known`.
        """
        total: Coefficients = {}
        right = 0
        terms = list(parts)
        for line, multiplier in terms:
            its_right, its_coefficients = (known or {}).get(line) or self.row(line)
            right += multiplier * its_right
            for v, c in its_coefficients.items():
                total[v] = total.get(v, 0) + multiplier * c
        here = self.here
        for v in sorted(total.keys() | target.keys()):
            missing = target.get(v, 0) - total.get(v, 0)
            if missing:
                side = (here.lower_line, here.lower) if missing > 0 else (here.upper_line, here.upper)
                terms.append((int(side[0][v]), missing))
                right += missing * int(side[1][v])
        return terms, right

    def derive(self, sense: str, right: int, coefficients: Coefficients | None, terms: Terms) -> int:
        """Write a combination; coefficients of None mean the objective."""
        merged: dict[int, int] = {}
        for line, multiplier in terms:
            merged[line] = merged.get(line, 0) + multiplier
        used = [f"{line} {m}" for line, m in merged.items() if m]
        left = "OBJ" if coefficients is None else vector(coefficients)
        return self.combine(f"{sense} {right} {left}", " ".join(["lin", str(len(used)), *used]))

    def bound_above(self, variable: int, parts: Terms, known: dict[int, Content] | None = None) -> tuple[int, int]:
        """Derive variable <= value from lines and the present bounds, and use it: (line, value)."""
        terms, right = self.combined({variable: -1}, parts, known)
        line = self.derive("L", -right, {variable: 1}, [(at, -m) for at, m in terms])
        self.cut_upper(variable, line, -right)
        return line, -right

    def bound_below(self, variable: int, parts: Terms, known: dict[int, Content] | None = None) -> tuple[int, int]:
        """Derive variable >= value from lines and the present bounds, and use it: (line, value)."""
        terms, right = self.combined({variable: 1}, parts, known)
        line = self.derive("G", right, {variable: 1}, terms)
        self.raise_lower(variable, line, right)
        return line, right

    def combine(self, inequality: str, reason: str) -> int:
        """Write a line given as text."""
        line = self.next
        self._text.append(f"d{line} {inequality} {{ {reason} }} -1\n".encode("ascii"), self.at)
        self.at[LINE] += 1
        return line


def vector(coefficients: Coefficients) -> str:
    """Coefficients as the format has them: their number, then variable and value of each."""
    return " ".join([str(len(coefficients)), *(f"{v} {c}" for v, c in sorted(coefficients.items()))])


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
    cutoff = lines.combine(f"L {best - 1} OBJ", "sol")  # only better models than the known one matter
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
