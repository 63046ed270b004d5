"""The formulas of a spreadsheet: of a cell that holds a value, what an item gives and what is refused.

No text of the card stands in a formula: categories are cells, and formulas point to them. Numbers have at
most 15 digits, all that a spreadsheet keeps; a bound with more is moved to the next such number, and
its comparison with it, so that every value of 15 digits falls on the right side.
"""

from collections.abc import Callable
from fractions import Fraction

from supersparse.card.rules import InRange, IsOneOf
from supersparse.card.values import Category
from supersparse.export.plan import Column, Term

TextCell = Callable[[str], str]  # the address of the cell that holds a text


def points_formula(term: Term, x: str, cell_of: TextCell) -> str:
    """What an item gives for the value in the cell `x`, in whole units."""
    gone = f'{x}=""'
    if term.asks_missing:
        return f"IF({gone},{term.points},0)"
    rule = term.item.rule
    if isinstance(rule, InRange):
        given = f"IF({_within(x, rule)},{term.points},0)"
    elif isinstance(rule, IsOneOf):
        given = f"IF({_among(x, rule.values, cell_of)},{term.points},0)"
    else:
        places = term.column.decimals
        value = f"ROUND(N({x})*{10**places},0)" if places else f"N({x})"
        given = f"{term.points}*{value}"
    return f"IF({gone},{term.missing or 0},{given})"


def refusals(column: Column, x: str, domain: InRange | None, cell_of: TextCell) -> list[str]:
    """Tests for a value that the card does not score; `domain` has the limits of the column."""
    tests = []
    if column.needs_value or column.known is not None or column.limits is not None or column.whole:
        tests.append(f"NOT(ISTEXT({x}))" if column.is_text else f"ISTEXT({x})")
    if column.known is not None:
        tests.append(f"NOT({_among(x, column.known, cell_of)})")
    if domain is not None:
        tests.append(f"NOT({_within(x, domain)})")
    if column.whole:
        tests.append(f"N({x})<>INT(N({x}))")
    found = [f'AND({x}<>"",OR({",".join(tests)}))'] if tests else []
    return [f'{x}=""', *found] if column.refuses_missing else found


def _among(x: str, values: tuple[Category, ...], cell_of: TextCell) -> str:
    tests = [
        f"EXACT({x},{cell_of(v)})" if isinstance(v, str) else f"N({x})={short}"
        for v in values
        if isinstance(v, str) or (short := _short_equal(Fraction(v))) is not None
    ]
    return f"OR({','.join(tests)})" if tests else "FALSE"


def _within(x: str, rule: InRange) -> str:
    tests = []
    if rule.low is not None:
        short, side = _short(rule.low)
        included = rule.low_included if side == 0 else side > 0
        tests.append(f"N({x}){'>=' if included else '>'}{short}")
    if rule.high is not None:
        short, side = _short(rule.high)
        included = rule.high_included if side == 0 else side < 0
        tests.append(f"N({x}){'<=' if included else '<'}{short}")
    return f"AND({','.join(tests)})"


def _short(number: Fraction) -> tuple[str, int]:
    """The nearest number of 15 digits, and whether it lies above (1) or below (-1) the number."""
    text = f"{float(number):.15g}"
    difference = Fraction(text) - number
    return text, (difference > 0) - (difference < 0)


def _short_equal(number: Fraction) -> str | None:
    text, side = _short(number)
    return None if side else text
