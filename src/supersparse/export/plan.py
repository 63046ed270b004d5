"""A card prepared for targets with typed columns and no exact fractions.

Scores become whole numbers: every term is multiplied by `Plan.scale`, and a value that points multiply is
read to a fixed number of decimal places and scaled too. So sums are exact in doubles up to 2**53, and the
sign of a score, which decides the class, is the same as on the card.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from supersparse.card.card import Card, Item
from supersparse.card.checks import Expected, expectations
from supersparse.card.rules import Domain, InRange, IsMissing, IsOneOf, ValueOf
from supersparse.data.values import Category, first_float
from supersparse.errors import InvalidOptionError, UnsupportedCardError

MOST = 2**53  # from here on, doubles skip whole numbers
_DECIMALS = 6  # default for columns without a domain
_DOUBLE = np.dtype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportColumn:
    """One raw column: what it holds, and which values are refused."""

    name: str
    is_text: bool
    refuses_missing: bool
    needs_value: bool  # whether an item uses the value, and not only whether it is missing
    decimals: int  # decimal places for values that points multiply; 0 leaves them as they are
    known: tuple[Category, ...] | None  # all others are refused
    limits: "CutTable | None"  # all others are refused
    whole: bool  # fractions are refused


@dataclass(frozen=True, slots=True)
class Cut:
    """One bound as a double, and whether it is included; correct for every double."""

    value: float
    included: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CutTable:
    """A range as comparisons with doubles."""

    low: Cut | None
    high: Cut | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportTerm:
    """One item in whole numbers: `points` and `missing` are scaled; `missing` is None if refused."""

    item: Item
    column: ExportColumn
    points: int
    missing: int | None
    is_value: bool  # points times the value, which is scaled by 10**decimals
    asks_missing: bool
    texts: tuple[str, ...]  # categories, for a text column
    numbers: tuple[float, ...]  # categories, for numbers; only those that doubles represent
    cuts: CutTable | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPlan:
    """The whole card: score = (intercept + the terms) / scale."""

    card: Card
    columns: tuple[ExportColumn, ...]
    terms: tuple[ExportTerm, ...]
    intercept: int
    scale: int


def plan(card: Card, target: str, decimals: int | Mapping[str, int] | None = None) -> ExportPlan:
    """Scale a card for a target, or name the item or column that the target cannot express.

    `decimals` is the number of decimal places of values that points multiply: one number, or one per column.
    The default follows the domain of the column; without a domain it is 6.
    """
    columns = {e.column: _column(e, card, target, decimals) for e in expectations(card)}
    _check_names(decimals, columns)
    values = [i for i in card.items if isinstance(i.rule, ValueOf)]
    places = max((columns[i.column].decimals for i in values), default=0)
    given = [p for i in card.items for p in (i.points, i.missing) if p is not None]
    scale = lcm(card.intercept.denominator, *(p.denominator for p in given)) * 10**places
    terms = tuple(_term(item, columns[item.column], scale, target) for item in card.items)
    intercept = int(card.intercept * scale)
    _check_size(intercept, "its threshold", target)
    return ExportPlan(
        card=card, columns=tuple(columns.values()), terms=terms, intercept=intercept, scale=scale
    )


def cuts_of(low: Fraction | None, high: Fraction | None, ends: tuple[bool, bool]) -> CutTable:
    """Bounds for comparing doubles as their shortest decimals; `ends` says which are included."""
    return CutTable(
        low=None if low is None else _cut(low, ends[0], otherwise=True),
        high=None if high is None else _cut(high, ends[1], otherwise=False),
    )


def _cut(bound: Fraction, included: bool, *, otherwise: bool) -> Cut:
    equal = double_equal_to(bound)
    if equal is not None:
        return Cut(equal, included)
    return Cut(float(first_float(_DOUBLE, bound, True)), otherwise)  # no double is the bound: the next one


def double_equal_to(number: Fraction) -> float | None:
    """The double whose shortest decimal is exactly this number, if there is one."""
    first, after = (float(first_float(_DOUBLE, number, included)) for included in (True, False))
    return None if first == after else first + 0.0  # not -0.0


def _column(
    expected: Expected, card: Card, target: str, decimals: int | Mapping[str, int] | None
) -> ExportColumn:
    name, domain = expected.column, expected.domain
    items = card.items_by_column()[name]
    refusing = domain if domain is not None and domain.outside == "refuse" else None
    kinds = set(expected.kinds)
    if refusing is not None and refusing.values is not None:
        kinds |= {"text" if isinstance(v, str) else "a number" for v in refusing.values}
    if any(isinstance(i.rule, ValueOf | InRange) for i in items) or (refusing and refusing.values is None):
        kinds.add("a number")
    if len(kinds) > 1:
        raise UnsupportedCardError(
            f"column {name!r} (item {items[0].name!r}) holds both text and numbers, and a column of {target} "
            "holds one of them; use the Python or JavaScript export"
        )
    limits = None
    if refusing is not None and refusing.values is None and (refusing.low, refusing.high) != (None, None):
        limits = cuts_of(refusing.low, refusing.high, (True, True))
    return ExportColumn(
        name=name,
        is_text=kinds == {"text"},
        refuses_missing=expected.refuses_missing,
        needs_value=expected.needs_value,
        decimals=_decimals(name, domain, decimals),
        known=None if refusing is None else refusing.values,
        limits=limits,
        whole=refusing is not None and refusing.whole,
    )


def _decimals(name: str, domain: Domain | None, asked: int | Mapping[str, int] | None) -> int:
    if isinstance(asked, Mapping):
        asked = asked.get(name)
    if asked is not None:
        if not 0 <= asked <= 15:
            raise InvalidOptionError(f"decimals is {asked}; it must be from 0 to 15")
        return asked
    if domain is None or (domain.values is None and not domain.whole):
        return _DECIMALS
    numbers = [Fraction(v) for v in domain.values or () if not isinstance(v, str)]
    return next((k for k in range(15) if all((n * 10**k).denominator == 1 for n in numbers)), _DECIMALS)


def _check_names(asked: int | Mapping[str, int] | None, columns: Mapping[str, ExportColumn]) -> None:
    for name in asked if isinstance(asked, Mapping) else ():
        if name not in columns:
            raise InvalidOptionError(f"decimals names {name!r}, which is not a column of the card")


def _term(item: Item, column: ExportColumn, scale: int, target: str) -> ExportTerm:
    rule = item.rule
    is_value = isinstance(rule, ValueOf)
    categories = rule.values if isinstance(rule, IsOneOf) else ()
    numbers = [_double(Fraction(v), item, target) for v in categories if not isinstance(v, str)]
    points = int(item.points * scale / 10 ** (column.decimals if is_value else 0))
    missing = item.points if isinstance(rule, IsMissing) else item.missing
    for size in (points, 0 if missing is None else int(missing * scale)):
        _check_size(size, "the points", target, item)
    if isinstance(rule, InRange):
        for bound in (rule.low, rule.high):
            _check_size(0 if bound is None else int(bound), "a bound", target, item)
    return ExportTerm(
        item=item,
        column=column,
        points=points,
        missing=None if missing is None else int(missing * scale),
        is_value=is_value,
        asks_missing=isinstance(rule, IsMissing),
        texts=tuple(v for v in categories if isinstance(v, str)),
        numbers=tuple(n for n in numbers if n is not None),
        cuts=cuts_of(rule.low, rule.high, (rule.low_included, rule.high_included))
        if isinstance(rule, InRange)
        else None,
    )


def _double(number: Fraction, item: Item, target: str) -> float | None:
    _check_size(int(number), "a category", target, item)
    return double_equal_to(number)


def _check_size(number: int, what: str, target: str, item: Item | None = None) -> None:
    if abs(number) >= MOST:
        what += f" of the item {item.name!r}" if item else ""
        raise UnsupportedCardError(
            f"{what} is {number} in whole units, but {target} is exact only below 2**53; "
            "use the Python or JavaScript export, or fewer decimals"
        )


def plain_text(text: str, what: str, target: str) -> str:
    """Refuse text that UTF-8 cannot encode or that contains a null character."""
    if "\x00" in text or any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise UnsupportedCardError(f"{what} is {text!r}, with a character that {target} does not support")
    return text
