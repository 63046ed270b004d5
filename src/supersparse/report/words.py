"""Small words that sections share. All that comes from users' files passes through `visible` or `quoted`."""

from fractions import Fraction

from supersparse.evaluate.confusion import Confusion
from supersparse.evaluate.rates import Rate
from supersparse.evaluate.tables import count_text
from supersparse.render.plain import quoted, visible
from supersparse.report.plan import Missing

NONE = "\u2013"


def count(number: int, noun: str) -> str:
    """Write a number of things: 1 row, 2 rows."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def share(part: int | Fraction, whole: int | Fraction) -> str:
    """Write a part of a whole: 3 of 12 (25.0 %)."""
    percent = f" ({100 * float(Fraction(part) / Fraction(whole)):.1f} %)" if whole else ""
    return f"{count_text(Fraction(part))} of {count_text(Fraction(whole))}{percent}"


def decimal(value: float | None) -> str:
    """Three digits, or a dash where there is no value."""
    return NONE if value is None else f"{value:.3f}"


def rate(found: Rate) -> str:
    """A rate with its interval, or a dash where there are no rows."""
    return NONE if found.value is None else str(found)


def error_rate(found: Confusion) -> Rate:
    """What `predict` gets wrong among all rows."""
    return Rate(events=found.predicted_errors, of=found.n, level=found.level)


def column_name(name: str) -> str:
    """A column as it is shown inside a sentence."""
    return quoted(name)


def why(missing: Missing) -> str:
    """Say that a part is not there."""
    return f"Not in this report: {visible(missing.reason)}."
