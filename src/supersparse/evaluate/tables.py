"""What the tables of all evaluations share: frames, and a plain layout."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from supersparse.card.words import one_line
from supersparse.decimals import shown
from supersparse.evaluate.rates import Rate


def as_frame(table: Sequence[Mapping[str, Any]]) -> Any:
    """Return a table as a pandas data frame; pandas is loaded when used."""
    import pandas as pd

    return pd.DataFrame(list(table))


def rate_columns(name: str, rate: Rate) -> dict[str, float | None]:
    """Return a rate and its interval as three cells."""
    low, high = rate.interval or (None, None)
    return {name: rate.value, f"{name}_low": low, f"{name}_high": high}


def plain_number(value: Fraction) -> int | float:
    """Return a whole number where it is one, else the nearest float."""
    return int(value) if value.denominator == 1 else float(value)


def count_text(value: Fraction) -> str:
    """Return a weight of rows for a person to read: exact where it is short."""
    text = shown(value)
    return text if len(text) <= 9 else f"{float(value):.6g}"


def laid_out(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return right-aligned columns; every cell on one line, its control characters escaped."""
    clean = [[one_line(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in clean
    )
