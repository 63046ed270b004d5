"""Small tables: what a notebook shows of a result, and its one line of text. Neither shows training rows."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from html import escape
from itertools import chain
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from supersparse.base.exact import counted, nearest_float, shown
from supersparse.table.plain import one_line, visible

# Notebooks would typeset a name such as $x$; these are the names by which MathJax 2 and 3 leave text alone.
NO_MATH = "tex2jax_ignore mathjax_ignore"

_MOST_ROWS = 50
_LONGEST_LINE = 600  # characters, before what is invisible is escaped
_LONGEST_CELL = 300
_FEW = 6  # a sequence of at most this many short values is shown, of a longer one only its length
_LONGEST_EXACT = 9  # characters of a number that is shown exactly
_NUMBER = re.compile(r"[-+]?\d[\d.,/e+-]*( %)?( \([-+\d., to%]*\))?|-|yes|no")
_STYLE = """\
.supersparse-table{display:block;box-sizing:border-box;width:fit-content;max-width:100%;
overflow-x:auto;margin:.4rem 0;padding:.5rem .8rem;
background:#fff;color:#17202b;border:1px solid #c9d2dc;border-radius:.4rem;font-size:13px;
line-height:1.35;text-align:left;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",sans-serif}
.supersparse-table table{border-collapse:collapse;width:auto;margin:0}
.supersparse-table caption{caption-side:top;text-align:left;padding:0 0 .35rem;max-width:50rem;
overflow-wrap:anywhere;color:#17202b}
.supersparse-table th,.supersparse-table td{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top;
font-weight:400;border-bottom:1px solid #e3e8ee;max-width:40rem;overflow-wrap:anywhere}
.supersparse-table thead th{color:#52606f;border-bottom:1px solid #c9d2dc;vertical-align:bottom}
.supersparse-table .n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.supersparse-table p{margin:.35rem 0 0;color:#52606f}"""


@dataclass(frozen=True, slots=True)
class SmallTable:
    """The texts of a table. Without a header, every row is a fact: its name and what is said of it."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def facts(**values: object) -> SmallTable:
    """Return a table of facts; an underscore in a name stands for a space.

    >>> facts(lower_bound=Fraction(1, 2), proven=True).rows
    [('lower bound', '0.5'), ('proven', 'yes')]
    """
    return SmallTable((), [(name.replace("_", " "), cell(value)) for name, value in values.items()])


class Tabular:
    """An object with a face: one line of text, and in a notebook a small table.

    A dataclass that inherits from it says ``repr=False``. Both show its fields, or the attributes in `_facts`,
    unless it defines `_brief` or `_small_table`; the line is what it says `in_words`, where it does. Of a long
    value, they show only how many there are.
    """

    __slots__ = ()
    _facts: ClassVar[str] = ""  # "rows AUC=auc error~": `rows`, `auc` with the name AUC, `error` as a decimal

    def _shown(self) -> dict[str, Any]:
        if not self._facts:
            return _fields(self)
        named = [
            (name, attribute or name) for name, _, attribute in (one.partition("=") for one in self._facts.split())
        ]
        return {name.rstrip("~"): _decimal_or_as_it_is(self, attribute) for name, attribute in named}

    def _brief(self) -> str:
        if callable(in_words := getattr(self, "in_words", None)):
            return str(in_words())
        return ", ".join(f"{name.replace('_', ' ')} {cell(value)}" for name, value in self._shown().items())

    def _small_table(self) -> SmallTable:
        return facts(**self._shown())

    def __repr__(self) -> str:
        brief = self._brief()
        return f"<{type(self).__name__}: {_cut(brief)}>" if brief else f"<{type(self).__name__}>"

    def _repr_html_(self) -> str:
        return table_html(type(self).__name__, self._brief(), self._small_table())


class ResultTable(Tabular):
    """A result that a program reads as a table: its rows, as a data frame, and as text."""

    __slots__ = ()

    def table(self) -> list[dict[str, Any]]:
        """Return the rows, each with a value for every name."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.table())

    def _small_table(self) -> SmallTable:
        return small_table_of(self.table())

    def __str__(self) -> str:
        table = self._small_table()
        return laid_out(table.header, table.rows)


def laid_out(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out right-aligned columns, one line per cell, with control characters escaped."""
    clean = [[one_line(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in clean)


def _fields(one: object) -> dict[str, Any]:
    assert is_dataclass(one)
    return {field.name: getattr(one, field.name) for field in fields(one) if field.repr}


def _decimal_or_as_it_is(one: object, attribute: str) -> Any:
    value = getattr(one, attribute.rstrip("~"))
    return float(value) if attribute.endswith("~") and value is not None else value


def small_table_of(rows: Iterable[Mapping[str, object]]) -> SmallTable:
    """Return the texts of rows that `table` of a result gives."""
    read = list(rows)
    header = dict.fromkeys(chain.from_iterable(read))
    return SmallTable(tuple(header), [[cell(row.get(name)) for name in header] for row in read])


def cell(value: object) -> str:
    """Return a value as people read it: numbers short, "yes" and "no", and a dash for nothing.

    >>> cell(Fraction(1, 3)), cell(0.123456), cell(None), cell({"age": "2"}), cell(list(range(100)))
    ('1/3', '0.1235', '-', '2 age', '100 values')
    """
    match value:
        case None:
            return "-"
        case str():
            return value
        case bool() | np.bool_():
            return "yes" if value else "no"
        case Fraction():
            return number(value)
        case float() | np.floating():
            return _decimal(float(value))
        case Tabular():
            return value._brief()
        case Enum():
            return str(value.value)
        case Mapping():
            return listed([f"{cell(one)} {name}" for name, one in value.items()]) or "none"
        case np.ndarray():
            return counted(value.size, "value")
        case tuple() | list() | frozenset():
            if len(value) > _FEW or any(isinstance(one, tuple | list | np.ndarray) for one in value):
                return counted(len(value), "value")
            return listed([cell(one) for one in value]) or "none"
    return str(value)


def number(value: Fraction | int) -> str:
    """Return a number exactly if it is whole or that is short.

    >>> number(Fraction(5, 4)), number(Fraction(123456789, 1000007)), number(Fraction(1234567890))
    ('1.25', '123.456', '1234567890')
    """
    text = shown(Fraction(value))
    is_short = len(text) <= _LONGEST_EXACT or value.denominator == 1
    return text if is_short else f"{nearest_float(Fraction(value)):.6g}"


def _decimal(value: float) -> str:
    if isfinite(value) and value.is_integer() and abs(value) < 10**15:
        return str(int(value))
    return f"{value:.4g}" if abs(value) < 10**4 else f"{value:.6g}"


def listed(texts: Sequence[str], most: int = _FEW) -> str:
    """Return the first texts, and how many there are beyond them.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    rest = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {rest} more" if rest > 0 else "")


def _cut(text: str, longest: int = _LONGEST_LINE) -> str:
    return visible(text if len(text) <= longest else text[: longest - 3] + "...")


def unreachable_style(root: str, style: str) -> str:
    """Return a style for elements of the class `root`, which the page around them cannot change.

    The page's rules for its tables and lists are reverted, and those of the style are marked important.
    """
    taken_back = f".{root},.{root} *{{all:revert;direction:ltr}}\n"
    return re.sub(r"(?<=[^{};])(?=[;}])", "!important", taken_back + style.strip())


@cache
def _style() -> str:
    return unreachable_style("supersparse-table", _STYLE)


def table_html(name: str, brief: str, table: SmallTable) -> str:
    """Return a table as a piece of HTML with its own style; every text is escaped."""
    rows = table.rows[:_MOST_ROWS]
    numeric = [bool(table.header) and all(map(_NUMBER.fullmatch, column)) for column in zip(*rows, strict=True)]
    caption = f": {escape(_cut(brief))}" if brief else ""
    parts = [
        f'<div class="supersparse-table {NO_MATH}">',
        f"<style>\n{_style()}\n</style>",
        f"<table><caption><b>{escape(name)}</b>{caption}</caption>",
    ]
    if table.header:
        head = "".join(_element("th", t, n, "col") for t, n in zip(table.header, numeric, strict=False))
        parts.append(f"<thead><tr>{head}</tr></thead>")
    body = [
        "<tr>"
        + _element("th", row[0], numeric[0], "row")
        + "".join(_element("td", text, n) for text, n in zip(row[1:], numeric[1:], strict=True))
        + "</tr>"
        for row in rows
    ]
    parts += ["<tbody>", *body, "</tbody></table>"]
    if len(table.rows) > len(rows):
        parts.append(f"<p>and {len(table.rows) - len(rows)} more rows</p>")
    return "\n".join([*parts, "</div>", ""])


def _element(tag: str, text: str, is_number: bool, scope: str = "") -> str:
    attributes = (f' scope="{scope}"' if scope else "") + (' class="n"' if is_number else "")
    return f"<{tag}{attributes}>{escape(_cut(text, _LONGEST_CELL))}</{tag}>"
