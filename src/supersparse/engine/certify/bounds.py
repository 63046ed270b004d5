"""BoundWriter: writes what covers prove at the present place, through compiled code."""

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import VerificationError
from supersparse.engine.certify.lines import Lines
from supersparse.engine.kernels.bound_proofs import CLOSED, close_by, write_dropped
from supersparse.engine.kernels.cover_proofs import kept_place
from supersparse.engine.kernels.proof_data import Combination, Facts, Kept
from supersparse.engine.kernels.proof_text import COVERS, LINE

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_NO_DROP = np.zeros(0, np.int64)


class BoundWriter:
    """Writes bounds, and keeps the covers that hold everywhere to use them again."""

    def __init__(self, facts: Facts, lines: Lines) -> None:
        self._facts = facts
        self._lines = lines
        room = 2**16 + 8 * len(facts.row_line)
        self.kept = _open(room)

    def close(self, members: Ints, uses: Ints, allowed: Flags, cost: Ints, theta: int) -> int:
        """Write objective >= best from covers times multipliers; return the line.

        θ is the multiplier of the size row, or -1 for the one that is needed.
        """
        line, _ = self.write(members, uses, allowed, cost, theta, _NO_DROP)
        return line

    def write(
        self, members: Ints, uses: Ints, allowed: Flags, cost: Ints, theta: int, dropped: Ints
    ) -> tuple[int, int]:
        """Write a bound, see `write_bound`; return its line and value."""
        lines = self._lines
        self.make_room(len(members))
        combination = Combination(members, uses, allowed, cost, theta, dropped)
        lines.text, state, bound = close_by(
            self._facts, lines.here, combination, self.kept, lines.text, lines.at
        )
        if state != CLOSED:
            raise VerificationError(
                f"a bound of {bound} was derived where {self._facts.best} was claimed; please report this"
            )
        lines.flush_if_long()
        return lines.next - 1, int(bound)

    def drop(self, line: int, reduced: Ints) -> list[tuple[int, int]]:
        """Write literal <= 0 for each literal of a line Σ reduced·literal <= rest: (variable, line)."""
        lines = self._lines
        first = lines.next
        lines.text = write_dropped(self._facts, lines.here, line, reduced, lines.text, lines.at)
        lines.flush_if_long()
        variables = self._facts.literal[np.flatnonzero(reduced)].tolist()
        return list(zip(variables, range(first, int(lines.at[LINE])), strict=True))

    def make_room(self, more: int) -> None:
        """Enlarge the table of covers before it is half full."""
        old = self.kept
        if 2 * (int(self._lines.at[COVERS]) + more) < len(old.key):
            return
        self.kept = _open(4 * (len(old.key) + more))
        there = old.key >= 0
        for key, line in zip(old.key[there].tolist(), old.line[there].tolist(), strict=True):
            place = kept_place(self.kept.key, key)
            self.kept.key[place], self.kept.line[place] = key, line


def _open(room: int) -> Kept:
    return Kept(np.full(room, -1, np.int64), np.zeros(room, np.int64))
