"""Values that a card does not score: missing ones, infinite ones, and those outside what it knows.

Every refusal names the column, the value and the row. Text in a column that the card compares
with numbers, or numbers where it knows texts, can match nothing and is refused too: most likely
the column was read in another way than the card expects.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from supersparse.base.errors import InvalidDataError, SinglePrecisionWarning, warn
from supersparse.base.exact import shown
from supersparse.card.bands import asks_for_no, bands_of
from supersparse.card.card import Card, Item
from supersparse.card.raw_values import CardTable
from supersparse.card.rules import (
    Domain,
    InRange,
    IsMissing,
    IsNoneOf,
    IsOneOf,
    accepting_domains,
    ends_of,
    is_like,
    looks_at_value,
    nearest,
    widened,
)
from supersparse.card.words import category_text
from supersparse.table.collecting import Limit
from supersparse.table.small_table import Tabular
from supersparse.table.values import (
    Category,
    Cells,
    Mask,
    Numbers,
    is_beyond,
    is_missing,
    kind_of,
    read_category,
    shifted_single,
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OutsideValue(Tabular):
    """A value outside the domain of its column, with the number of rows that hold it."""

    column: str
    value: object
    rows: int
    first_row: int  # counted from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The requirements of a card on one column."""

    column: str
    refuses_missing: bool  # some item cannot do without a value
    needs_value: bool  # some item looks at the value, not only whether there is one
    kinds: tuple[str, ...]  # of the categories known for it; empty when no item compares it with any
    domain: Domain | None
    refusing: Domain | None  # what the card accepts here, where it refuses the rest; see `Domain.outside`
    alike: tuple[Category, ...]  # known categories: the card has an answer for others, not for any like these
    compares: bool  # every item only asks whether the value is in a range, so that order is all it needs


def expectations(card: Card) -> tuple[Expected, ...]:
    return tuple(_expected(column, items, domain) for column, items, domain in card.by_column())


def _expected(column: str, items: Sequence[Item], domain: Domain | None) -> Expected:
    looking = [item for item in items if not isinstance(item.rule, IsMissing)]
    known = [v for item in looking if isinstance(item.rule, IsOneOf | IsNoneOf) for v in item.rule.values]
    if known and domain is not None and domain.values is not None:
        known += domain.values
    needs_value = any(looks_at_value(item.rule) for item in looking)
    refusing, alike = domain, tuple[Category, ...]()
    if domain is None or domain.outside == "accept" or (domain.outside == "near" and not needs_value):
        refusing = None
    elif domain.outside == "near" and known and domain.values is not None:
        has_other = _answers_others(items, domain)
        refusing, alike = (None, domain.values) if has_other else (replace(domain, outside="refuse"), ())
    elif domain.outside == "near":
        refusing = widened(domain)
    return Expected(
        column=column,
        refuses_missing=any(item.missing is None for item in looking),
        needs_value=needs_value,
        kinds=tuple(sorted({kind_of(v) for v in known})),
        domain=domain,
        refusing=refusing,
        alike=alike,
        compares=all(isinstance(item.rule, InRange) for item in looking),
    )


def _answers_others(items: Sequence[Item], domain: Domain) -> bool:
    """Whether the card has an answer for categories that it does not name, such as "any other"."""
    bands = [band for band in bands_of(items, domain) or () if not isinstance(band.rule, IsMissing)]
    giving = [band for band in bands if band.points]
    asked = bands if len(giving) > 1 else giving  # one answer that gives points is a question with yes and no
    return any(isinstance(b.rule, IsNoneOf) and b.rule.values and not asks_for_no(b.rule) for b in asked)


def accepting(card: Card) -> Card:
    """Return the card with its rules for every value, however far from those of the training rows."""
    return replace(card, domains=accepting_domains(card.domains))


def left_open(card: Card, column: str, limit: Limit) -> Item | None:
    """Return the item that a value with a limit does not answer; None where all are answered.

    Such a value is scored as what is below, or above, every number. That is right for a limit beyond
    the numbers that the card was learned from, and for one on the same side of what an item asks.
    """
    domain = card.domain(column)
    end = None if domain is None else domain.low if limit.below else domain.high
    if end is not None and limit.is_beyond(end):
        return None
    items = card.items_by_column().get(column, ())
    return next((i for i in items if isinstance(i.rule, InRange) and not _answers(limit, i.rule)), None)


def _answers(limit: Limit, rule: InRange) -> bool:
    """Whether all numbers within a limit are inside the range, or all outside."""
    near, far = (rule.low, rule.high) if limit.below else (rule.high, rule.low)
    near_included, far_included = (
        (rule.low_included, rule.high_included) if limit.below else (rule.high_included, rule.low_included)
    )
    bound, may_touch = (near, not near_included) if near is not None else (far, far_included)
    assert bound is not None  # a range has one
    return limit.is_beyond(bound) or (may_touch and limit.number == bound)


_POSSIBLE = "ScoringSystem.possible gives the totals that are possible"


def check_person(card: Card, values: Mapping[str, object]) -> None:
    for expected in expectations(card):
        value, what = values[expected.column], f"column {expected.column!r}"
        if not is_missing(value):
            _check_value(expected, value, what)
        elif expected.refuses_missing:
            gap = "nan" if isinstance(value, float) else f"missing ({value!r})"
            raise InvalidDataError(f"{what} is {gap}; a score needs a value there", f"fill it in; {_POSSIBLE}")


def check_table(card: Card, table: CardTable) -> None:
    """Refuse a table with a row that the card does not score."""
    for expected in expectations(card):
        cells, what = table.columns[expected.column], f"column {expected.column!r}"
        if cells.missing is not None and expected.refuses_missing and cells.missing.any():
            count, first = int(cells.missing.sum()), int(cells.missing.argmax()) + 1
            raise InvalidDataError(
                f"{what} has {count} missing value(s), the first in row {first}",
                f"fill them in or leave those rows out; {_POSSIBLE}",
            )
        if isinstance(cells, Numbers):
            _check_numbers(expected, cells, what)
        else:
            cells.each(partial(_check_value, expected), what)
    for item in card.items:
        if isinstance(item.rule, InRange):
            _warn_of_singles(item.rule, table.columns[item.column])


def _warn_of_singles(rule: InRange, cells: Cells) -> None:
    """Warn of doubles that were made of single precision and answer otherwise than they did before."""
    if not isinstance(cells, Numbers) or cells.values.dtype != np.float64:
        return
    for bound, included in ((rule.low, rule.low_included), (rule.high, not rule.high_included)):
        value = None if bound is None else shifted_single(bound, included=included)
        if bound is not None and value is not None and (cells.values == value).any():
            warn(
                f"column {rule.column!r} holds {value!r}, which is {shown(bound)} in single precision "
                "(float32) and lies on the other side of that cut as a double; if the column was converted "
                "from float32, give it as it was",
                SinglePrecisionWarning,
            )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RefusedValue(OutsideValue):
    """A value that a card does not score, with the number of rows that hold it."""

    reason: str  # "which is outside the known values F, M"
    is_near: bool  # whether the card scores it once values far from the training rows are allowed


_REMEDY = "; correct it, or score it with the system that accepting_unknown() returns"


def refused_values(card: Card, table: CardTable) -> Iterator[RefusedValue]:
    """Every distinct value that is refused for what it is, in the order of the card's columns."""
    for expected in expectations(card):
        yield from _refused(expected, table.columns[expected.column])


def _refused(expected: Expected, cells: Cells) -> Iterator[RefusedValue]:
    domain = expected.domain
    if domain is None or (expected.refusing is None and not expected.alike):
        return
    for value, where in _outside(expected.refusing or domain, cells):
        reason = None if is_missing(value) else _reason(expected, value, "a value")
        if reason is not None:
            yield RefusedValue(
                column=expected.column,
                value=value,
                rows=int(where.sum()),
                first_row=int(where.argmax()) + 1,
                reason=reason,
                is_near=_may_be_allowed(domain, value),
            )


def _may_be_allowed(domain: Domain, value: object) -> bool:
    """Whether the card scores a refused value once what is far from the training rows is allowed."""
    return domain.outside == "near" and not (isinstance(value, str) and domain.values is None)


def _reason(expected: Expected, value: object, what: str) -> str | None:
    """Why a value is refused for what it is; None if it is not."""
    domain, refusing = expected.domain, expected.refusing
    if domain is None or (refusing is None and not expected.alike):
        return None
    of_numbers = refusing is not None and refusing.values is None
    if domain.outside == "near" and of_numbers and is_beyond(value):
        return None  # below or above a limit: nothing is known that could be far
    if refusing is not None and _is_inside(refusing, value, what):
        return None
    if domain.outside != "near":
        return f"which is outside {described(domain)}"
    if of_numbers:
        if isinstance(value, str):
            return "which is text; the card expects a number there"
        low, high = (shown(end) for end in ends_of(domain) if end is not None)
        return f"further from the training rows' {low} to {high} than that range is wide"
    known = expected.alike or (domain.values or ())
    category = read_category(value, what)
    if category in known or (expected.alike and not is_like(category, known)):
        return None
    like = nearest(category, known)
    hint = f"its known values are {_some(known)}" if like is None else f"the nearest is {category_text(like)}"
    return f"a category that no training row had; {hint}"


_MOST_LISTED = 10


def _some(known: Sequence[Category]) -> str:
    listed = ", ".join(map(category_text, known[:_MOST_LISTED]))
    return listed if len(known) <= _MOST_LISTED else f"{listed} and {len(known) - _MOST_LISTED} more"


def outside_values(card: Card, table: CardTable) -> tuple[OutsideValue, ...]:
    """Every distinct value outside the domain of its column, in the order of the card's columns."""
    return tuple(
        OutsideValue(column=domain.column, value=value, rows=int(where.sum()), first_row=int(where.argmax()) + 1)
        for domain in card.domains
        for value, where in _outside(domain, table.columns[domain.column])
    )


def _outside(domain: Domain, cells: Cells) -> list[tuple[object, Mask]]:
    if isinstance(cells, Numbers):
        inside = np.ones(len(cells), dtype=bool) if domain.test is None else domain.test.mask(cells.values)
        if domain.whole and cells.values.dtype.kind == "f":
            inside &= np.asarray(np.floor(cells.values) == cells.values)
        if domain.values is None and domain.outside != "refuse" and cells.values.dtype.kind == "f":
            inside |= np.isinf(cells.values)  # below or above a limit: nothing is known that could be outside
        mask = ~inside if cells.missing is None else ~inside & ~cells.missing
        return [(v.item(), mask & (cells.values == v)) for v in np.unique(cells.values[mask])]
    return [
        (value, cells.codes == code)
        for code, value in enumerate(cells.distinct)
        if not is_missing(value) and not _is_inside(domain, value, "a value")
    ]


def _check_value(expected: Expected, value: object, what: str) -> None:
    kinds = expected.kinds
    if kinds:
        kind = kind_of(read_category(value, what))
        if kind not in kinds:
            raise InvalidDataError(
                f"{what} is {value!r}, which is {kind}; the card expects {kinds[0]} there", "convert the column"
            )
    reason = _reason(expected, value, what)
    if reason is not None:
        allowed = expected.domain is not None and _may_be_allowed(expected.domain, value)
        raise InvalidDataError(f"{what} is {value!r}, {reason}{_REMEDY if allowed else ''}")


def _check_numbers(expected: Expected, cells: Numbers, what: str) -> None:
    if cells.values.dtype.kind == "f" and expected.needs_value and not expected.compares:
        infinite = np.isinf(cells.values)
        if infinite.any():
            raise InvalidDataError(f"{what} is infinite in row {int(infinite.argmax()) + 1}")
    present = np.ones(len(cells), dtype=bool) if cells.missing is None else ~cells.missing
    if expected.kinds and "a number" not in expected.kinds and present.any():
        row = int(present.argmax())
        raise InvalidDataError(
            f"{what}, row {row + 1} is {cells.values[row].item()!r}, which is a number; the card expects text there",
            "convert the column",
        )
    refused = min(_refused(expected, cells), key=lambda one: one.first_row, default=None)
    if refused is not None:
        remedy = _REMEDY if refused.is_near else ""
        raise InvalidDataError(f"{what}, row {refused.first_row} is {refused.value!r}, {refused.reason}{remedy}")


def _is_inside(domain: Domain, value: object, what: str) -> bool:
    if is_beyond(value) and domain.values is None:
        return domain.outside != "refuse"
    category = read_category(value, what)
    if domain.values is not None:
        return category in domain.values
    if isinstance(category, str):
        return False
    number = Fraction(category)
    if domain.whole and number.denominator != 1:
        return False
    return domain.test is None or domain.test.of_one(number, what) == 1


def described(domain: Domain) -> str:
    if domain.values is not None:
        return "the known values " + ", ".join(map(category_text, domain.values))
    whole = "the whole numbers" if domain.whole else "the numbers"
    low = "" if domain.low is None else f" from {domain.low}"
    high = "" if domain.high is None else f" up to {domain.high}"
    return whole + low + high
