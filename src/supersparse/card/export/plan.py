"""A card prepared for targets with typed columns and no exact fractions.

Totals are counted in whole units: `ExportPlan.scale` units are one point, and a value that points multiply is
counted in units of its last decimal place. So sums are exact in doubles up to 2**53, and a total compares
with the threshold as on the card. A value x of d decimals or fewer is recognised by ROUND(x·10^d) / 10^d = x,
which is exact in doubles. Any other value is multiplied as it is, and its total is right to about 15 digits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm

import numpy as np

from supersparse.base.errors import InvalidOptionError, UnsupportedCardError
from supersparse.card.bands import possible_totals
from supersparse.card.card import Card, Cutoff, Item
from supersparse.card.checks import Expected, expectations
from supersparse.card.export.targets import whole_of
from supersparse.card.raw_values import MissingCodes, missing_codes
from supersparse.card.risk import TableRisk, risk_of
from supersparse.card.rules import Domain, InRange, IsMissing, IsNoneOf, IsOneOf, ValueOf, values_of
from supersparse.table.values import Category, first_float, kind_of

MOST = 2**53  # from here on, doubles skip whole numbers
_DECIMALS = 6  # of a value whose column says nothing about them
_MOST_TOTALS = 200
_DOUBLE = np.dtype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportColumn:
    """One raw column: what it holds, which values are missing, and which are refused."""

    name: str
    is_text: bool
    missing_texts: tuple[str, ...]  # that stand for a missing value, besides the empty one
    missing_numbers: tuple[float, ...]  # that stand for a missing value
    refuses_missing: bool
    needs_value: bool  # some item looks at the value; else only whether it is there
    decimals: int  # of its values, where points multiply them; 0 takes them as they are
    known: tuple[Category, ...] | None  # all others are refused
    limits: "CutTable | None"  # all others are refused
    whole: bool  # fractions are refused
    yes_no: bool  # true and false are all that the card names

    @property
    def holds_anything(self) -> bool:
        """Whether the card only asks if there is a value."""
        return not (self.needs_value or self.whole) and self.known is None and self.limits is None


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
    excludes: bool  # the points are for all categories but those named here
    texts: tuple[str, ...]  # categories, for a text column
    numbers: tuple[float, ...]  # categories, for numbers; only those that doubles represent
    cuts: CutTable | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPlan:
    """The whole card, in units: the terms add up to the total, and `scale` units are one point."""

    card: Card
    columns: tuple[ExportColumn, ...]
    terms: tuple[ExportTerm, ...]
    scale: int
    threshold: int  # units that the positive class needs: this many or more
    reached: bool  # False: more than this many
    totals: tuple[int, ...] | None  # all that can occur, and perhaps others; None: too many to list

    @property
    def sign(self) -> str:
        """How units of the positive class compare with the threshold."""
        return ">=" if self.reached else ">"

    @property
    def risk_by_total(self) -> tuple[tuple[int, float], ...] | None:
        """The risk of each total, in units; None without risks, or if there are too many totals."""
        risk = self.card.risk
        if risk is None or self.totals is None:
            return None
        return tuple((units, risk_of(risk, Fraction(units, self.scale))) for units in self.totals)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskLine:
    """A straight piece of a risk table: the risk is start_risk + slope·(total - start) up to `end`."""

    start: float
    start_risk: float
    end: float
    end_risk: float

    @property
    def slope(self) -> float:
        return (self.end_risk - self.start_risk) / (self.end - self.start)


def risk_lines(risk: TableRisk) -> tuple[RiskLine, ...]:
    """The pieces between the totals of a table, in rising order; beyond them the risk is constant."""
    points = [(float(total), one) for total, one in zip(risk.totals, risk.risks, strict=True)]
    return tuple(
        RiskLine(start=a[0], start_risk=a[1], end=b[0], end_risk=b[1]) for a, b in pairwise(points) if a[0] < b[0]
    )


def plan(card: Card, target: str, decimals: int | Mapping[str, int] | None = None) -> ExportPlan:
    """Scale a card for a target, or name the item or column that the target cannot express.

    `decimals` is how many decimal places the values have that points multiply: one number, or one for
    each column. By default it follows the domain of the column, and is 6 where there is none. Totals of
    values with more decimals are right to about 15 digits, not exact.
    """
    codes = missing_codes(card)
    columns = {e.column: _column(e, card, codes[e.column], target, decimals) for e in expectations(card)}
    _check_names(decimals, columns)
    values = [i for i in card.items if isinstance(i.rule, ValueOf)]
    places = max((columns[i.column].decimals for i in values), default=0)
    all_points = [p for i in card.items for p in (i.points, i.missing) if p is not None]
    scale = lcm(*(p.denominator for p in all_points)) * 10**places
    cutoff = card.cutoff
    if values:
        scale = lcm(scale, cutoff.threshold.denominator)
    terms = tuple(_term(item, columns[item.column], scale, target) for item in card.items)
    if not values:  # totals are whole units, and more than 3 of them are 4 or more
        cutoff = Cutoff(threshold=cutoff.threshold * scale, reached=cutoff.reached, whole=True)
        threshold = int(cutoff.threshold)
    else:
        threshold = int(cutoff.threshold * scale)
    _check_size(threshold, "its threshold", target)
    if isinstance(card.risk, TableRisk):
        for total in card.risk.totals:
            _check_size(int(total), "a total of the risk table", target)
    return ExportPlan(
        card=card,
        columns=tuple(columns.values()),
        terms=terms,
        scale=scale,
        threshold=threshold,
        reached=cutoff.reached,
        totals=_totals(card, scale),
    )


def _totals(card: Card, scale: int) -> tuple[int, ...] | None:
    """All totals in units; None if they are too many, or if points multiply values, which can be any."""
    if any(isinstance(item.rule, ValueOf) for item in card.items):
        return None
    totals = possible_totals(card, _MOST_TOTALS)
    return None if totals is None else tuple(int(total * scale) for total in totals)


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
    expected: Expected, card: Card, codes: MissingCodes, target: str, decimals: int | Mapping[str, int] | None
) -> ExportColumn:
    name, domain = expected.column, expected.domain
    items = card.items_by_column()[name]
    refusing, kinds = _refusing(expected), set(expected.kinds)
    if domain is not None and domain.outside == "refuse" and domain.values is not None:
        kinds |= {kind_of(v) for v in domain.values}
    if any(isinstance(i.rule, ValueOf | InRange) for i in items) or (refusing and refusing.values is None):
        kinds.add("a number")
    if len(kinds) > 1:
        raise UnsupportedCardError(
            f"column {name!r} (item {items[0].name!r}) holds both text and numbers, and a column of {target} "
            "holds one of them",
            "use the Python or JavaScript export",
        )
    known = None
    if refusing is not None and refusing.values is not None:  # a column has one type: others cannot be there
        known = tuple(v for v in refusing.values if kind_of(v) in kinds)
    limits = None
    if refusing is not None and refusing.values is None and (refusing.low, refusing.high) != (None, None):
        limits = cuts_of(refusing.low, refusing.high, (True, True))
    return ExportColumn(
        name=name,
        is_text=kinds == {"text"},
        missing_texts=tuple(plain_text(t, "a code for missing values", target) for t in codes.texts),
        missing_numbers=tuple(d for d in map(double_equal_to, codes.numbers) if d is not None),
        refuses_missing=expected.refuses_missing,
        needs_value=expected.needs_value,
        decimals=_decimals(name, domain, decimals),
        known=known,
        limits=limits,
        whole=refusing is not None and refusing.whole,
        yes_no=is_yes_no(items, domain),
    )


def _refusing(expected: Expected) -> Domain | None:
    """The values that a column may hold; others are refused.

    Where the card has an answer for other categories, it refuses those that are like a known one. Databases
    and spreadsheets do not compare texts so; all that is new is refused there.
    """
    if expected.alike:
        return Domain(column=expected.column, values=expected.alike, outside="refuse")
    return expected.refusing


def is_yes_no(items: list[Item], domain: Domain | None) -> bool:
    rules = [item.rule for item in items if not isinstance(item.rule, IsMissing)]
    named = [v for rule in rules if isinstance(rule, IsOneOf | IsNoneOf) for v in rule.values]
    if not named or any(isinstance(rule, ValueOf | InRange) for rule in rules):
        return False
    limited = domain is not None and domain.values is None
    # a domain may list 0 and 1 where the items say true and false
    return not limited and all(isinstance(v, bool) for v in named) and set(values_of(domain)) <= {0, 1}


def _decimals(name: str, domain: Domain | None, asked: int | Mapping[str, int] | None) -> int:
    if isinstance(asked, Mapping):
        asked = asked.get(name)
    if asked is not None:
        return whole_of(asked, "decimals", 0, 15)
    if domain is None or (domain.values is None and not domain.whole):
        return _DECIMALS
    return next((k for k in range(15) if all((n * 10**k).denominator == 1 for n in domain.numbers)), _DECIMALS)


def _check_names(asked: int | Mapping[str, int] | None, columns: Mapping[str, ExportColumn]) -> None:
    for name in asked if isinstance(asked, Mapping) else ():
        if name not in columns:
            raise InvalidOptionError(f"decimals names {name!r}, which is not a column of the card")


def _term(item: Item, column: ExportColumn, scale: int, target: str) -> ExportTerm:
    rule = item.rule
    is_value = isinstance(rule, ValueOf)
    categories = rule.values if isinstance(rule, IsOneOf | IsNoneOf) else ()
    numbers = [_double(Fraction(v), item, target) for v in categories if not isinstance(v, str)]
    points = int(item.points * scale / 10 ** (column.decimals if is_value else 0))
    missing = item.when_missing
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
        excludes=isinstance(rule, IsNoneOf),
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
            f"{what} is {number} in whole units, but {target} is exact only below 2**53",
            "use the Python or JavaScript export, or fewer decimals",
        )


def plain_text(text: str, what: str, target: str) -> str:
    """Refuse text that UTF-8 cannot encode or that contains a null character."""
    if "\x00" in text or any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise UnsupportedCardError(f"{what} is {text!r}, with a character that {target} does not support")
    return text
