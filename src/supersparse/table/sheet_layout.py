"""The layout of a sheet: where its header is, names of merged groups before those of columns, rows of totals.

Above a header there may be a title and other lines of few cells. A header may have a row of groups above it, each
over several columns. Below the rows there may be totals, which are no rows.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted

_LOOKED_AT = 50  # rows from the top, in which a header is sought
_FILLED = 0.6  # of the columns that a header fills
_TOTAL = re.compile(
    r"(grand |sub)?(total|totals|totale|totaal|totaux|gesamt|insgesamt|summe|sum|somme|suma|soma|som|average|mean|"
    r"mittelwert|durchschnitt|moyenne|promedio|media|média|gemiddelde|n)( \w+)?\s*[:=]?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The names of the columns, the rows that hold data (from 0), and notes on what was recognised."""

    header: tuple[str, ...]
    rows: tuple[int, ...]
    notes: tuple[str, ...]


def layout_of(name: str, cells: Sequence[Sequence[str]], header_row: int | None = None) -> Layout:
    """Find the header of a sheet, given as texts; `header_row` is the row that names the columns, from 1.

    >>> found = layout_of("a.xlsx", [["Audit 2024"], [], ["", "Lab", ""], ["id", "Na", "K"], ["1", "140", "4"],
    ...                              ["2", "138", "5"], ["Total", "2", ""]])
    >>> found.header, found.rows
    (('id', 'Lab Na', 'Lab K'), (4, 5))
    """
    filled = [sum(map(bool, row)) for row in cells]
    if header_row is not None:
        if not 1 <= header_row <= len(cells) or not filled[header_row - 1]:
            raise InvalidDataError(f"{name}: row {header_row} is empty", "name the row that names the columns")
        at = header_row - 1
    else:
        at = _header_at(cells, filled)
    notes = []
    before = [k for k in range(at) if filled[k]]
    groups = before[-1] if before and before[-1] == at - 1 and _are_groups(cells[at - 1], cells[at]) else None
    header = list(cells[at])
    if groups is not None:
        header = _with_groups(cells[groups], header)
        before.remove(groups)
        notes.append(f"{name}: the names of row {groups + 1} stand before those of row {at + 1} that they are over")
    if before:
        notes.append(
            f"{name}: row {at + 1} names the columns; {counted(len(before), 'row')} above it left out, "
            "use --header-row if that is wrong"
        )
    while header and not header[-1] and not any(_at(row, len(header) - 1) for row in cells):
        header.pop()
    rows = [k for k in range(at + 1, len(cells)) if filled[k]]
    totals = []
    while len(rows) > 1 and _is_total(cells[rows[-1]]):
        totals.append(rows.pop())
    if totals:
        shown = next(filter(None, cells[totals[-1]]))
        notes.append(f"{name}: {counted(len(totals), 'row')} of totals at the end left out, the first is {shown!r}")
    return Layout(header=tuple(header), rows=tuple(rows), notes=tuple(notes))


def _header_at(cells: Sequence[Sequence[str]], filled: Sequence[int]) -> int:
    """The first row that fills most of the columns and holds no number; else the first that is not empty."""
    first = next(k for k, n in enumerate(filled) if n)
    usual = sorted(n for n in filled if n)[sum(map(bool, filled)) // 2]
    for k in range(first, min(len(cells), _LOOKED_AT)):
        if filled[k] >= max(2, _FILLED * usual):
            below = next((j for j in range(k + 1, len(cells)) if filled[j]), None)
            if below == k + 1 and _are_groups(cells[k], cells[below]):
                return below
            return k if not any(map(_is_number, cells[k])) or k == first else first
        if filled[k] >= 2 and k + 1 < len(cells) and _are_groups(cells[k], cells[k + 1]):
            return k + 1
    return first


def _are_groups(above: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a row names groups of the columns below it: fewer cells, no numbers, and one is over several."""
    texts, below = [one for one in above if one], [one for one in names if one]
    if not 1 <= len(texts) < len(below) or len(below) < 3 or any(map(_is_number, (*texts, *below))):
        return False
    starts = [k for k, one in enumerate(above) if one]
    spans_several = any(k + 1 < len(names) and names[k] and names[k + 1] and not _at(above, k + 1) for k in starts)
    return spans_several and starts[-1] < len(names) and (len(texts) > 1 or starts[0] > 0)


def _with_groups(above: Sequence[str], names: Sequence[str]) -> list[str]:
    """The names with that of their group; a group reaches to the next one, or to a column without a name of its own."""
    made, group = [], ""
    for k in range(max(len(above), len(names))):
        name = _at(names, k)
        group = _at(above, k) or group
        made.append(" ".join(filter(None, [group, name])) if name else _at(above, k))
        if not name:
            group = ""
    return made


def _at(cells: Sequence[str], k: int) -> str:
    return cells[k] if k < len(cells) else ""


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?[\d.,\s]*\d[\d.,\s]*%?", text) is not None


def _is_total(row: Sequence[str]) -> bool:
    return _TOTAL.fullmatch(next(filter(None, row)).strip()) is not None


def is_table(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether a sheet has three rows or more of two cells or more: a page of notes has not."""
    return sum(sum(cell not in (None, "") for cell in row) > 1 for row in rows) > 2
