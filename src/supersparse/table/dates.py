"""Dates in the usual national orders, made sortable.

2024-03-31, 2024/3/31 and 2024.03.31 are year, month, day. Numbers between points (31.03.2024) are day,
month, year.
Between slashes or hyphens the order is that which fits all dates of the column; where both fit, somebody must
decide. Years of two digits are those from 1969 to 2068.
"""

import re
from collections.abc import Iterable

from supersparse.base.errors import InvalidDataError

_DATE = re.compile(
    r"(?:(?P<year>\d{4})(?P<s1>[-/.])(?P<month>\d{1,2})(?P=s1)(?P<day>\d{1,2})"
    r"|(?P<first>\d{1,2})(?P<s2>[-/.])(?P<second>\d{1,2})(?P=s2)(?P<last>\d{4}|\d{2}))"
    r"(?:[ T](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<rest>\d{2}(?:[.,]\d+)?))?"
    r"(?: ?(?P<half>[AaPp])[Mm])?)?",
    re.ASCII,
)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def fitting_orders(cells: Iterable[str]) -> set[str]:
    """Return the orders, "dmy" and "mdy", that fit all dates whose order is not clear by itself.

    >>> sorted(fitting_orders(["03/05/2024", "2024-03-31"])), fitting_orders(["03/05/2024", "3/31/2024"])
    (['dmy', 'mdy'], {'mdy'})
    """
    fitting = {"dmy", "mdy"}
    for cell in cells:
        match = _DATE.fullmatch(cell)
        if match is None or match["year"] or match["s2"] == ".":
            continue
        first, second = int(match["first"]), int(match["second"])
        if first > 12:
            fitting.discard("mdy")
        if second > 12:
            fitting.discard("dmy")
    return fitting


def sortable_date(cell: str, order: str) -> str | None:
    """Return a date as 2024-03-31T14:30:00, which sorts as text; None where the cell is no date.

    >>> sortable_date("31.03.2024", "mdy"), sortable_date("3/5/24 2:30 PM", "mdy")
    ('2024-03-31T00:00:00', '2024-03-05T14:30:00')
    """
    match = _DATE.fullmatch(cell)
    if match is None:
        return None
    if match["year"]:
        year, month, day = (int(match[name]) for name in ("year", "month", "day"))
    else:
        first, second, year = int(match["first"]), int(match["second"]), int(match["last"])
        day, month = (first, second) if order == "dmy" or match["s2"] == "." else (second, first)
        if len(match["last"]) == 2:
            year += 1900 if year >= 69 else 2000
    hour, minute = int(match["hour"] or 0), int(match["minute"] or 0)
    if match["half"]:
        hour = hour % 12 + 12 * (match["half"] in "Pp")
    if not (1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] and hour < 24 and minute < 60):
        return None
    rest = (match["rest"] or "00").replace(",", ".")
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{rest}"


def sortable_dates(cells: list[str], name: str, order: str | None) -> list[str]:
    """Return the dates of a column in a form that sorts; `order` is that of days and months, if known."""
    fitting = fitting_orders(cells)
    if len(fitting) == 2 and order is None and any(not _is_clear(cell) for cell in cells):
        unclear = next(cell for cell in cells if not _is_clear(cell))
        raise InvalidDataError(
            f"column {name!r} holds dates such as {unclear!r}, which could have the day or the month first; "
            "say which with --dates dmy or --dates mdy"
        )
    kept = order or (next(iter(fitting)) if len(fitting) == 1 else "dmy")
    found = []
    for cell in cells:
        sortable = sortable_date(cell, kept)
        if sortable is None:
            told = "" if _DATE.fullmatch(cell) is None else f" if read with the {_WORDS[kept]} first"
            raise InvalidDataError(
                f"column {name!r} holds {cell!r}, which is not a date{told}; write times as numbers, "
                "or as 2024-03-31, 31.03.2024 or 03/31/2024"
            )
        found.append(sortable)
    return found


_WORDS = {"dmy": "day", "mdy": "month"}


def _is_clear(cell: str) -> bool:
    match = _DATE.fullmatch(cell)
    return match is None or bool(match["year"]) or match["s2"] == "." or match["first"] == match["second"]
