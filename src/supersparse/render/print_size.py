"""Letters for printing a page of HTML: as large as lets one sheet of paper hold all that it says."""

from collections.abc import Iterable
from dataclasses import dataclass

from supersparse.render.drawing import wrapped

_WIDTH, _HEIGHT = 510, 690  # what A4 and Letter both have within margins of 15 mm, in points, and some air
_SIZES = (11.0, 10.0, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A text that is wrapped; lengths are multiples of the page's letters."""

    text: str
    size: float = 1.0
    bold: bool = False
    beside: float = 0.0  # the width of what stands beside it
    gap: float = 0.0  # above and below it together


def print_style(blocks: Iterable[Block]) -> str:
    """Return the style for printing these blocks, one below the other; lengths in rem and em follow it."""
    said = list(blocks)
    size = next((s for s in _SIZES if _height(said, s) <= _HEIGHT), _SIZES[-1])
    return f"@media print{{@page{{margin:15mm}}html{{font-size:{size:g}pt}}}}"


def _height(blocks: list[Block], size: float) -> float:
    return sum(size * (block.gap + 1.45 * block.size * _lines(block, size)) for block in blocks)


def _lines(block: Block, size: float) -> int:
    return len(wrapped(block.text, _WIDTH - block.beside * size, block.size * size, bold=block.bold))
