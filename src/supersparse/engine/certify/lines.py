"""Lines: a derivation written as it grows, and the bounds that hold at the present place of the tree.

A line is a row of the program or a derived one. Most lines are written by compiled code (`Facts` and
`Standing` are what it knows); the few of other kinds are written here. Only text leaves this file, a few
megabytes at a time.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.certify.program import Coefficients, Program
from supersparse.engine.kernels.proof_data import Standing
from supersparse.engine.kernels.proof_text import LINE, POSITION

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
        self.text: NDArray[np.uint8] = np.empty(2 * ENOUGH_TEXT, np.uint8)
        self.at = np.array([0, self._first, 0], np.int64)
        n = len(program.names)
        even = 2 * np.arange(n, dtype=np.int64)
        ends = [[program.rows[row].right for row in rows] for rows in (program.lower, program.upper)]
        assert program.lower == even.tolist()
        self.here = Standing(
            lower_line=even.copy(),
            lower=np.array(ends[0], np.int64),
            upper_line=even + 1,
            upper=np.array(ends[1], np.int64),
            used=np.zeros(len(program.features), np.int64),
        )
        self._trail: list[tuple[bool, int, int, int]] = []

    @property
    def next(self) -> int:
        """The number of the next line."""
        return int(self.at[LINE])

    @property
    def count(self) -> int:
        """How many lines were derived."""
        return self.next - self._first

    def flush(self) -> None:
        """Pass on what was written."""
        self._out(self.text[: self.at[POSITION]].tobytes())
        self.at[POSITION] = 0

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

    def known_solution(self, right: int) -> int:
        """State that only better models than the known one matter."""
        return self.combine(f"L {right} OBJ", "sol")

    def close_branching(self, right: int, first: tuple[int, int], second: tuple[int, int]) -> int:
        """Conclude objective >= right from both sides of a branching: (line, assumption) each."""
        return self.combine(f"G {right} OBJ", f"uns {first[0]} {first[1]} {second[0]} {second[1]}")

    def row(self, line: int) -> Content:
        """The content of a row of the program."""
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

    def bound_above(
        self, variable: int, parts: Terms, known: dict[int, Content] | None = None
    ) -> tuple[int, int]:
        """Derive variable <= value from lines and the present bounds, and use it: (line, value)."""
        terms, right = self.combined({variable: -1}, parts, known)
        line = self.derive("L", -right, {variable: 1}, [(at, -m) for at, m in terms])
        self.cut_upper(variable, line, -right)
        return line, -right

    def bound_below(
        self, variable: int, parts: Terms, known: dict[int, Content] | None = None
    ) -> tuple[int, int]:
        """Derive variable >= value from lines and the present bounds, and use it: (line, value)."""
        terms, right = self.combined({variable: 1}, parts, known)
        line = self.derive("G", right, {variable: 1}, terms)
        self.raise_lower(variable, line, right)
        return line, right

    def combine(self, inequality: str, reason: str) -> int:
        """Write a line given as text."""
        line = self.next
        content = f"d{line} {inequality} {{ {reason} }} -1\n".encode("ascii")
        begin = int(self.at[POSITION])
        if begin + len(content) > len(self.text):
            self.flush()
            begin = 0
            if len(content) > len(self.text):
                self.text = np.empty(2 * len(content), np.uint8)
        self.text[begin : begin + len(content)] = np.frombuffer(content, np.uint8)
        self.at[POSITION] = begin + len(content)
        self.at[LINE] += 1
        return line


def vector(coefficients: Coefficients) -> str:
    """Coefficients as the format has them: their number, then variable and value of each."""
    return " ".join([str(len(coefficients)), *(f"{v} {c}" for v, c in sorted(coefficients.items()))])
