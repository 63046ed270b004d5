"""The roles of columns: target, weights, features, and why a column cannot be one; and dates, made sortable.

2024-03-31, 2024/3/31 and 2024.03.31 are year, month, day; numbers between points (31.03.2024) are day,
month, year. Between slashes or hyphens the order is that which fits all dates of the column; where both fit,
somebody must decide. Years of two digits are those from 1969 to 2068.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted
from supersparse.table.cells import unit_of
from supersparse.table.table import Column, Kind, Table
from supersparse.table.tidying import equal_numbers, same_text, spelling_key

_WHOLE = re.compile(r"(0|-?[1-9]\d{0,17})(\.0*)?", re.ASCII)  # programs write 1.0 for 1 in a column with gaps

HOLDS_DATES = "it holds dates"
HOLDS_NESTED = "holds lists or structures; make columns of single values of them"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Target:
    """The classes of the labelled rows, a mask of these rows, and notes for the user."""

    labels: NDArray[np.generic]
    rows: NDArray[np.bool_]
    notes: tuple[str, ...]


def read_target(table: Table, name: str, positive: str | None) -> Target:
    """Read a column of two values: integers where all are whole numbers, else text.

    Equal numbers are the same value, however they are written, unless the column is read as it is written. Rows without
    a value are skipped. With more than two values, `positive` is one class and all others become the second.
    """
    cells = table.column(name, "target column {name}").values
    rows = np.array([cell is not None for cell in cells.tolist()], dtype=bool)
    texts: list[str] = cells[rows].tolist()
    notes = []
    if len(texts) < len(cells):
        count, first = len(cells) - len(texts), int((~rows).argmax())
        skipped = "1 row" if count == 1 else f"{count} rows"
        notes.append(f"{skipped} skipped: the target {name!r} is blank, first in {table.place(first)}")
    tidies = table.reading.tidies(name)
    classes = classes_of(Counter(texts), table.name, name, positive, tidies=tidies)
    labels = np.array([classes.labels[text] for text in texts])
    return Target(labels=labels, rows=rows, notes=(*notes, *classes.notes))


def read_ends(table: Table, name: str, positive: str | None) -> Target:
    """Read what ended each follow-up, of which there may be more than two kinds."""
    cells = table.column(name, "target column {name}").values
    rows = np.array([cell is not None for cell in cells.tolist()], dtype=bool)
    texts: list[str] = cells[rows].tolist()
    if len(set(texts)) <= 2:
        return read_target(table, name, positive)
    return Target(labels=np.array(texts), rows=rows, notes=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """The class of each text of a target, and notes for the user."""

    labels: dict[str, str | int]
    notes: tuple[str, ...]


def classes_of(counts: Counter[str], file: str, name: str, positive: str | None, *, tidies: bool = True) -> Classes:
    """Make two classes of the texts of a target, which are given with their numbers of rows.

    `tidies` says that equal numbers are one class, such as 1 and 1.0.
    """
    merged = equal_numbers(counts) if tidies else {}
    if not merged:
        return _classes_of(counts, file, name, positive)
    merged_counts: Counter[str] = Counter()
    for text, n in counts.items():
        merged_counts[merged.get(text, text)] += n
    classes = _classes_of(merged_counts, file, name, positive)
    read_as = ", ".join(f"{text!r} read as {spelling!r}" for text, spelling in list(merged.items())[:5])
    more = f" and {len(merged) - 5} more" if len(merged) > 5 else ""
    note = f"{name!r}: {read_as}{more}, the same number; use --as-written {shlex.quote(name)} if that is wrong"
    labels = {text: classes.labels[merged.get(text, text)] for text in counts}
    return Classes(labels=labels, notes=(note, *classes.notes))


def _classes_of(counts: Counter[str], file: str, name: str, positive: str | None) -> Classes:
    notes = []
    if positive is not None:
        positive = same_text(positive, list(counts)) or positive
    if positive is not None and positive not in counts:  # the kept spelling may be another one
        alike = [text for text in counts if spelling_key(text) == spelling_key(positive)]
        positive = alike[0] if len(alike) == 1 else positive
    if positive is not None and counts and positive not in counts:
        raise InvalidDataError(
            f"--positive {positive!r} is not a value of the target {name!r}", f"its values are {_listed(counts)}"
        )
    if len(counts) > 2 and positive is not None:
        others = _listed(Counter({text: n for text, n in counts.items() if text != positive}))
        notes.append(f"{positive!r} against all other classes: {others}")
        named = {text: text if text == positive else rest_of(positive) for text in counts}
        return Classes(labels={**named}, notes=tuple(notes))
    if len(counts) != 2:
        advice = "" if len(counts) < 2 else "; use --positive to choose one against all others"
        raise InvalidDataError(
            f"{file}: the target column {name!r} has {len(counts)} different value(s): {_listed(counts)}",
            f"a scoring system separates exactly two{advice}",
        )
    numbers = {text: int(match[1]) for text in counts if (match := _WHOLE.fullmatch(text))}
    whole = len(set(numbers.values())) == len(counts)
    return Classes(labels={text: numbers[text] if whole else text for text in counts}, notes=tuple(notes))


def rest_of(positive: str) -> str:
    return f"not {positive}"


def _listed(counts: Counter[str]) -> str:
    listed = ", ".join(f"{text!r} ({counted(n, 'row')})" for text, n in counts.most_common(4))
    return f"{listed or 'none'}{', ...' if len(counts) > 4 else ''}"


def weight_column(table: Table, name: str) -> NDArray[np.generic]:
    """Read a column that has a number in every row."""
    column = table.column(name, "column {name} of weights")
    if column.n_missing:
        blank = next(row for row, value in enumerate(column.values.tolist()) if value is None or value != value)
        raise InvalidDataError(
            f"{table.name}: the weight column {name!r} has {column.n_missing} missing value(s), the first in "
            f"{table.place(blank)}",
            "give every row a weight of 0 or more",
        )
    if column.kind is not Kind.NUMBER:
        raise InvalidDataError(
            f"{table.name}: the weight column {name!r} holds {column.kind.value}",
            "weights are numbers of 0 or more, so name another column",
        )
    row = int(np.argmin(column.values)) if len(column.values) else 0
    if len(column.values) and column.values[row] < 0:
        raise InvalidDataError(
            f"{table.name}: the weight column {name!r} is {column.values[row]} in {table.place(row)}",
            "give every row a weight of 0 or more",
        )
    return column.values


_FEW = 20  # with fewer rows, distinct values are no sign of an identifier
_NAMED_LIKE_ONE = re.compile(r"(^|[^a-z])(id|nr|no|key|code|mrn|uuid|guid|index|row)$", re.ASCII | re.IGNORECASE)
_JOINED = re.compile(r"[a-z]I[dD]$", re.ASCII)


def why_no_feature(column: Column, n_rows: int) -> str | None:
    """Why a column should be left out; None if it can be a feature.

    Whole numbers are left out if they number the rows, or if most of them differ and the name looks like
    an identifier. That all values differ is not enough: measurements may, too.
    """
    if column.kind is Kind.EMPTY:
        return "all cells are blank or missing"
    if column.kind is Kind.NESTED:
        return f"it {HOLDS_NESTED}"
    if column.kind is Kind.DATE:
        return f"{HOLDS_DATES}; convert them to numbers, such as years or days since an event"
    if column.kind is Kind.TOO_MANY:
        return "it has too many different texts to be categories"
    present = n_rows - column.n_missing
    if present < _FEW or column.kind is Kind.TRUTH:
        return None
    different = column.n_different
    again = f"its name looks like an identifier, and its values repeat ({different} different in {n_rows} rows)"
    if column.kind is Kind.TEXT:
        if different == present:
            unit = unit_of(text for text in column.values.tolist() if text is not None)
            return "all texts differ, like identifiers" if unit is None else f"all texts differ, {with_unit(unit)}"
        return again if repeats(column) else None
    if not _is_whole(column) or 2 * different <= present:
        return again if repeats(column) else None
    if _NAMED_LIKE_ONE.search(column.name) or _JOINED.search(column.name):
        return f"its name looks like an identifier, and {different} of {present} numbers differ"
    low, high = _ends(column)
    if different == present and high - low + 1 == different:
        return "it numbers the rows"
    return None


def with_unit(unit: str) -> str:
    """Say that texts are numbers with a sign or unit, and what to do."""
    return f"numbers with {unit!r}: write them without it, so that they can be cut"


def _ends(column: Column) -> tuple[int, int]:
    if column.rounded is not None:
        return int(column.rounded.low), int(column.rounded.high)
    return int(column.values.min()), int(column.values.max())


def _is_whole(column: Column) -> bool:
    if column.rounded is not None:
        return column.rounded.whole and not column.n_missing
    values = column.values
    return values.dtype != object and bool((np.floor(values) == values).all())  # NaN is not equal to itself


_PERSON = re.compile(
    r"(.*[^a-z])?(patient|patienten|pat|subject|person|participant|proband|client|customer|member)s?"
    r"([ _.-]*(id|nr|no|num|number|nummer|code|key)[.]?)?",
    re.ASCII | re.IGNORECASE,
)
_ANY_ID = re.compile(r"(^|[^a-z])(id|mrn|uuid|guid)$", re.ASCII | re.IGNORECASE)
_MOST_REPEATS = 20  # rows for each value on average; sites and wards have more


def named_like_person(name: str) -> bool:
    """Whether the name of a column says that it identifies people, or anything else: see `repeats`."""
    return bool(_PERSON.fullmatch(name) or _ANY_ID.search(name) or _JOINED.search(name))


def repeats(column: Column) -> bool:
    """Whether a column identifies what occurs in several rows, such as patients with several visits.

    Its name says so (patient, patient_nr, subject-id, mrn, anything that ends in id), it holds texts or whole
    numbers, at least 20 of them differ, some occur more than once, and 20 times or fewer on average.
    """
    if not named_like_person(column.name) or column.kind not in (Kind.NUMBER, Kind.TEXT):
        return False
    if column.kind is Kind.NUMBER:
        values = column.values
        whole = values.dtype != object and bool((np.floor(values[~_gaps(values)]) == values[~_gaps(values)]).all())
        if not (whole if column.rounded is None else column.rounded.whole):
            return False
    present, different = column.n_rows - column.n_missing, column.n_different
    return _FEW <= different < present <= _MOST_REPEATS * different


def _gaps(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def repeating_identifier(columns: Iterable[Column]) -> Column | None:
    """Return the column whose rows belong together: one named after people first, else the finest one."""
    repeating = [column for column in columns if repeats(column)]
    return max(repeating, key=lambda c: (bool(_PERSON.fullmatch(c.name)), c.n_different), default=None)


def group_labels(column: Column) -> NDArray[Any]:
    """Return the values as texts; a row without one is a group of its own."""
    cells = column.values.tolist()
    return np.array(
        [f"row {k}" if cell is None or cell != cell else f"= {cell}" for k, cell in enumerate(cells)], dtype=object
    )


def sortable_times(values: NDArray[Any], name: str, order: str | None = None) -> NDArray[Any]:
    """Return times in a form that sorts: numbers as they are, dates as texts; see `supersparse.table.roles`.

    `order` is "dmy" or "mdy" where that is known or asked.
    """
    if values.dtype != object:
        return values
    cells = values.tolist()
    if all(isinstance(cell, str) for cell in cells):
        return np.array(sortable_dates(cells, name, order))
    return values


def date_order(columns: Iterable[Column]) -> str | None:
    """Return the order of days and months that the dates of a file show; None if none or both."""
    dates = [column.values.tolist() for column in columns if column.kind is Kind.DATE]
    shown = [fitting_orders(cell for cell in cells if cell is not None) for cells in dates]
    clear = {next(iter(orders)) for orders in shown if len(orders) == 1}
    return clear.pop() if len(clear) == 1 else None


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
    """Return a date as 2024-03-31T14:30:00, which sorts as text; None where the cell is not a date.

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
            f"column {name!r} holds dates such as {unclear!r}, which could have the day or the month first",
            "say which with --dates dmy or --dates mdy",
        )
    day_order = order or (next(iter(fitting)) if len(fitting) == 1 else "dmy")
    keys = []
    for cell in cells:
        sortable = sortable_date(cell, day_order)
        if sortable is None:
            how = "" if _DATE.fullmatch(cell) is None else f" if read with the {_WORDS[day_order]} first"
            raise InvalidDataError(
                f"column {name!r} holds {cell!r}, which is not a date{how}",
                "write times as numbers, or as 2024-03-31, 31.03.2024 or 03/31/2024",
            )
        keys.append(sortable)
    return keys


_WORDS = {"dmy": "day", "mdy": "month"}


def _is_clear(cell: str) -> bool:
    match = _DATE.fullmatch(cell)
    return match is None or bool(match["year"]) or match["s2"] == "." or match["first"] == match["second"]
