"""BoundWriter: writes what covers prove at the present place, through compiled code."""

import numpy as np
from numpy.typing import NDArray

from supersparse.certify.lines import Lines
from supersparse.errors import VerificationError
from supersparse.solving.kernels.box_proofs import CLOSED, close_by
from supersparse.solving.kernels.derivation import COVERS, LINE, Facts, kept_place, write_dropped

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_NO_DROP = np.zeros(0, np.int64)


class BoundWriter:
    """Writes bounds, and keeps the covers that hold everywhere to use them again."""

    def __init__(self, facts: Facts, lines: Lines) -> None:
        self._facts = facts
        self._lines = lines
        room = 2**16 + 8 * len(facts.row_line)
        self.keys, self.kept = np.full(room, -1, np.int64), np.zeros(room, np.int64)

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
        lines.text, state, bound = close_by(
            self._facts,
            lines.here,
            members,
            uses,
            allowed,
            cost,
            theta,
            dropped,
            self.keys,
            self.kept,
            lines.text,
            lines.at,
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
        if 2 * (int(self._lines.at[COVERS]) + more) < len(self.keys):
            return
        keys, kept = self.keys, self.kept
        room = 4 * (len(keys) + more)
        self.keys, self.kept = np.full(room, -1, np.int64), np.zeros(room, np.int64)
        for key, line in zip(keys[keys >= 0].tolist(), kept[keys >= 0].tolist(), strict=True):
            place = kept_place(self.keys, key)
            self.keys[place], self.kept[place] = key, line
