"""Covers: the inequalities z_i + z_j + Σ literals >= 1 as derived lines, each written when first used.

If a positive row i and a negative row j are both right, then Σ_f λ_f·d_f reaches the gap, with d = x_i -
x_j, so some literal (f, sign of d_f) is in the model. In the certificate, the two rows are added, which
cancels the threshold; M·literal - d_f·λ_f >= 0 is added for each feature, which leaves M·(z_i + z_j + Σ
literals) >= gap; dividing by M and rounding up gives the cover. It holds everywhere and is written once.

Within a box of coefficients, the bounds of λ_f take the place of the literals of the features in use.
Such a cover holds in the box only. Where b is known, a row that is wrong everywhere in the box needs no
partner.
"""

from supersparse.certify.lines import Lines, Terms
from supersparse.certify.program import Coefficients, Program

NOBODY = -1  # instead of a row: the origin, whose score of 0 is never right


class Covers:
    """The covers written so far."""

    def __init__(self, program: Program, lines: Lines) -> None:
        self._program = program
        self._lines = lines
        self._everywhere: dict[tuple[int, int], int] = {}
        self._no_effect: dict[tuple[int, int], int] = {}  # (feature, d) -> M·literal - d·λ >= 0

    def differences(self, i: int, j: int) -> list[int]:
        """What both being right needs of λ: Σ_f λ_f·d_f is at least the gap."""
        columns = [feature.column for feature in self._program.features]
        if j == NOBODY:
            return [column[i] for column in columns]
        if i == NOBODY:
            return [-column[j] for column in columns]
        return [column[i] - column[j] for column in columns]

    def everywhere(self, i: int, j: int) -> int:
        """The line of a cover without assumptions."""
        line = self._everywhere.get((i, j))
        if line is None:
            line = self._everywhere[i, j] = self._write(i, j, ())
        return line

    def in_box(self, i: int, j: int, used: tuple[int, ...], last_use: int) -> int:
        """The line of a cover that rests on the present bounds of the features in use."""
        return self._write(i, j, used, last_use)

    def prepare(self, i: int, j: int, used: tuple[int, ...]) -> None:
        """Write what `in_box` will need, so that it writes a single line."""
        for f, d in enumerate(self.differences(i, j)):
            if d and f not in used:
                self._literal_line(f, d)

    def is_local(self, i: int, j: int, signs: dict[int, int]) -> bool:
        """Whether a feature in use could make both right, so that the cover needs the box."""
        if self._program.statement.intercept == "range" and NOBODY in (i, j):
            return True
        d = self.differences(i, j)
        return any(sign * d[f] > 0 for f, sign in signs.items())

    def _literal_line(self, f: int, d: int) -> int:
        line = self._no_effect.get((f, d))
        if line is not None:
            return line
        feature = self._program.features[f]
        literal = feature.literal(d)
        target: Coefficients = {feature.points: -d}
        if literal >= 0:
            target[literal] = self._program.M
        parts: Terms = [(feature.below, d)] if d > 0 else [(feature.above, -d)]
        terms, right = self._lines.combined(target, parts, bounds=self._lines.everywhere)
        assert right == 0
        line = self._no_effect[f, d] = self._lines.derive("G", 0, target, terms)
        return line

    def _write(self, i: int, j: int, used: tuple[int, ...], last_use: int = -1) -> int:
        program = self._program
        rows = [r for r in (i, j) if r != NOBODY]
        target: Coefficients = {program.wrong[r]: 1 for r in rows}
        parts: Terms = [(program.of_row[r], 1) for r in rows]
        for f, d in enumerate(self.differences(i, j)):
            if d and f not in used:
                parts.append((self._literal_line(f, d), 1))
                literal = program.features[f].literal(d)
                if literal >= 0:
                    target[literal] = 1
        bounds = self._lines.here if last_use >= 0 else self._lines.everywhere
        terms, right = self._lines.combined(target, parts, program.M, bounds)
        assert right > 0, "a cover is weaker than its derivation claims"
        return self._lines.derive("G", 1, target, terms, over=program.M, rounded=True, last_use=last_use)
