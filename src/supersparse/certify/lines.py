"""Lines: a derivation written as it grows, and the bounds that hold at the present place of the tree.

A line is a row of the program or a derived one. Multipliers of a combination are whole numbers over one
denominator; only text leaves this file.
"""

from collections.abc import Iterable, Sequence
from math import gcd
from typing import TextIO

from supersparse.certify.program import Coefficients, Program, Row

Terms = list[tuple[int, int]]  # (line, multiplier over the denominator)


class Bounds:
    """The tightest known bound of each variable, below and above: (line, value)."""

    def __init__(self, program: Program) -> None:
        self.lower = [(row, program.rows[row].right) for row in program.lower]
        self.upper = [(row, program.rows[row].right) for row in program.upper]
        self._trail: list[tuple[list[tuple[int, int]], int, tuple[int, int]]] = []

    def raise_lower(self, variable: int, line: int, value: int) -> None:
        """Use a line that says: the variable is at least this value."""
        self._set(self.lower, variable, line, value)

    def cut_upper(self, variable: int, line: int, value: int) -> None:
        """Use a line that says: the variable is at most this value."""
        self._set(self.upper, variable, line, value)

    def _set(self, side: list[tuple[int, int]], variable: int, line: int, value: int) -> None:
        self._trail.append((side, variable, side[variable]))
        side[variable] = (line, value)

    @property
    def mark(self) -> int:
        """A place to return to."""
        return len(self._trail)

    def back(self, mark: int) -> None:
        """Forget the bounds that were set since."""
        while len(self._trail) > mark:
            side, variable, old = self._trail.pop()
            side[variable] = old


class Lines:
    """Writes derived lines to a stream and remembers those that may be used again."""

    def __init__(self, program: Program, out: TextIO) -> None:
        self.program = program
        self._out = out
        self._first = len(program.rows)
        self.count = 0
        self._kept: dict[int, Row] = {}
        self.everywhere = Bounds(program)  # what holds without assumptions
        self.here = Bounds(program)

    @property
    def next(self) -> int:
        """The number of the next line."""
        return self._first + self.count

    def content(self, line: int) -> Row:
        """A line that was written earlier."""
        return self.program.rows[line] if line < self._first else self._kept[line]

    def assume(self, sense: str, right: int, coefficients: Coefficients) -> int:
        """Assume an inequality, one side of a branching."""
        return self._write(Row("a", sense, right, coefficients), "asm", keep=True)

    def known_solution(self, right: int) -> int:
        """State that only better models than the known one matter."""
        self._out.write(f"d{self.next} L {right} OBJ {{ sol }} -1\n")
        self.count += 1
        return self.next - 1

    def close_branching(self, right: int, first: tuple[int, int], second: tuple[int, int]) -> int:
        """Conclude objective >= right from both sides of a branching: (line, assumption) each."""
        reason = f"uns {first[0]} {first[1]} {second[0]} {second[1]}"
        self._out.write(f"d{self.next} G {right} OBJ {{ {reason} }} -1\n")
        self.count += 1
        return self.next - 1

    def combined(
        self, target: Coefficients, parts: Terms, over: int = 1, bounds: Bounds | None = None
    ) -> tuple[Terms, int]:
        """Complete a combination to target·x >= right by bounds of variables; return (terms, right).

        `target` is in whole numbers, and so is the result; multipliers and `right` are over the denominator.
        """
        bounds = bounds or self.here
        total: Coefficients = {}
        right = 0
        for line, multiplier in parts:
            row = self.content(line)
            right += multiplier * row.right
            for v, c in row.coefficients.items():
                total[v] = total.get(v, 0) + multiplier * c
        terms = list(parts)
        for v in total.keys() | target.keys():
            missing = target.get(v, 0) * over - total.get(v, 0)
            if missing:
                line, value = bounds.lower[v] if missing > 0 else bounds.upper[v]
                terms.append((line, missing))
                right += missing * value
        return terms, right

    def derive(
        self,
        sense: str,
        right: int,
        coefficients: Coefficients | None,
        terms: Iterable[tuple[int, int]],
        *,
        over: int = 1,
        rounded: bool = False,
        last_use: int = -1,
    ) -> int:
        """Write a combination; coefficients of None mean the objective, which is not kept."""
        merged: dict[int, int] = {}
        for line, multiplier in terms:
            merged[line] = merged.get(line, 0) + multiplier
        used = [f"{line} {_ratio(m, over)}" for line, m in merged.items() if m]
        reason = f"{'rnd' if rounded else 'lin'} {len(used)} {' '.join(used)}"
        if coefficients is None:
            self._out.write(f"d{self.next} {sense} {right} OBJ {{ {reason} }} {last_use}\n")
            self.count += 1
            return self.next - 1
        return self._write(Row("d", sense, right, coefficients), reason, keep=last_use < 0, last_use=last_use)

    def bound_above(self, variable: int, parts: Terms) -> None:
        """Derive variable <= value from lines and the present bounds, and use it from here on."""
        terms, right = self.combined({variable: -1}, parts)
        line = self.derive("L", -right, {variable: 1}, [(at, -m) for at, m in terms])
        self.here.cut_upper(variable, line, -right)

    def bound_below(self, variable: int, parts: Terms) -> None:
        """Derive variable >= value from lines and the present bounds, and use it from here on."""
        terms, right = self.combined({variable: 1}, parts)
        line = self.derive("G", right, {variable: 1}, terms)
        self.here.raise_lower(variable, line, right)

    def keep(self, line: int, row: Row) -> None:
        """Remember the content of a line, to be used again."""
        self._kept[line] = row

    def forget(self, lines: Sequence[int]) -> None:
        """Forget lines that will not be used again."""
        for line in lines:
            self._kept.pop(line, None)

    def _write(self, row: Row, reason: str, *, keep: bool, last_use: int = -1) -> int:
        line = self.next
        content = " ".join(f"{v} {c}" for v, c in row.coefficients.items())
        space = " " if content else ""
        self._out.write(
            f"d{line} {row.sense} {row.right} {len(row.coefficients)}{space}{content} "
            f"{{ {reason} }} {last_use}\n"
        )
        self.count += 1
        if keep or last_use >= 0:
            self._kept[line] = row
        return line


def _ratio(numerator: int, denominator: int) -> str:
    common = gcd(numerator, denominator)
    top, bottom = numerator // common, denominator // common
    return str(top) if bottom == 1 else f"{top}/{bottom}"
