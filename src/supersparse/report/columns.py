"""How wide the columns of a printed table are."""

from collections.abc import Sequence
from dataclasses import dataclass

from supersparse.faces.drawing import text_width


@dataclass(frozen=True, slots=True)
class Cell:
    """A text in a table; headings are bold."""

    text: str
    bold: bool = False

    def width(self, size: float) -> float:
        """All of it on one line."""
        return text_width(self.text, size, bold=self.bold)

    def longest_word(self, size: float) -> float:
        """What it needs at least to be broken between words only."""
        return max(text_width(word, size, bold=self.bold) for word in self.text.split(" "))


def column_widths(
    rows: Sequence[Sequence[Cell]], across: float, size: float, gap: float, widen: int = 0
) -> list[float]:
    """Divide the width among the columns: all that they ask for, or else as fair as can be.

    A column that asks for less than an equal share gets it; the others share what is left, none below
    its longest word as long as there is room for that. What is left over goes to the column `widen`.

    >>> column_widths([[Cell("ab"), Cell("a " * 50)], [Cell("c"), Cell("d")]], 100, 10, 10)
    [12.5, 77.5]
    """
    room = across - gap * (len(rows[0]) - 1)
    columns = list(zip(*rows, strict=True))
    asked = [max(cell.width(size) for cell in column) + 0.01 * size for column in columns]
    if sum(asked) <= room:
        asked[widen] += room - sum(asked)
        return asked
    least = [
        min(max(c.longest_word(size) for c in column) + 0.01 * size, a)
        for column, a in zip(columns, asked, strict=True)
    ]
    if sum(least) > room:
        return _fair(asked, room)
    extra = _fair([a - m for a, m in zip(asked, least, strict=True)], room - sum(least))
    return [m + e for m, e in zip(least, extra, strict=True)]


def _fair(asked: Sequence[float], room: float) -> list[float]:
    """Give everyone the same, except to those who ask for less."""
    given = [0.0] * len(asked)
    open_ones = sorted(range(len(asked)), key=lambda k: asked[k])
    for done, k in enumerate(open_ones):
        given[k] = min(asked[k], room / (len(open_ones) - done))
        room -= given[k]
    return given
