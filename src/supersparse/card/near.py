"""Nearness: how far a number lies from those of the training rows, and which known category another is like.

A learned card knows the range of each column. A number that lies further outside it than it is wide is
nothing that the card was learned for: 850 beside ages from 20 to 80. A category is like a known one if one
edit (a character added, left out or replaced, capitals aside) makes the two the same, or if it is next to it
in its order: V after IV, T10 after T9, 5 beside 4.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction

from supersparse.card.rules import Domain
from supersparse.table.values import Category


def widened(domain: Domain) -> Domain | None:
    """Return a range of numbers with its own width added on both sides; None if it has no two ends.

    >>> wide = widened(Domain(column="age", low=20, high=80, whole=True, outside="near"))
    >>> int(wide.low), int(wide.high), wide.outside
    (-40, 140, 'refuse')
    """
    low, high = ends_of(domain)
    if low is None or high is None:
        return None
    width = high - low
    return Domain(column=domain.column, low=low - width, high=high + width, outside="refuse")


def ends_of(domain: Domain) -> tuple[Fraction | None, Fraction | None]:
    """The least and the greatest number of a domain."""
    if domain.values is None:
        return domain.low, domain.high
    numbers = [Fraction(value) for value in domain.values if not isinstance(value, str)]
    return (min(numbers), max(numbers)) if len(numbers) == len(domain.values) else (None, None)


def accepting_domains(domains: Iterable[Domain]) -> tuple[Domain, ...]:
    """Return the domains with nothing refused for being far from the training rows."""
    return tuple(replace(d, outside="accept") if d.outside == "near" else d for d in domains)


def is_like(value: Category, known: Sequence[Category]) -> bool:
    """Whether a category is within one edit of a known one, or next to one in its order.

    >>> is_like("V", ["II", "III", "IV"]), is_like("smokre", ["smoker", "never"]), is_like("Z1", ["A", "B"])
    (True, False, False)
    """
    if not isinstance(value, str):
        return any(not isinstance(k, str) and abs(Fraction(value) - Fraction(k)) <= 1 for k in known)
    return any(isinstance(k, str) and (one_edit_apart(value, k) or next_to(value, k)) for k in known)


def nearest(value: Category, known: Sequence[Category]) -> Category | None:
    """Return the known category that is most like another; None if none is.

    >>> nearest("V", ["I", "II", "III", "IV"]), nearest("iV", ["I", "IV"]), nearest("smokre", ["smoker"])
    ('IV', 'IV', 'smoker')
    """
    if not isinstance(value, str):
        numbers = [k for k in known if not isinstance(k, str)]
        return min(numbers, key=lambda k: abs(Fraction(k) - Fraction(value)), default=None)
    texts = [k for k in known if isinstance(k, str)]
    same = [k for k in texts if k.lower() == value.lower()]
    order = [k for k in texts if next_to(value, k)]
    edited = [k for k in texts if one_edit_apart(value, k)]
    lower = {k.lower(): k for k in texts}
    close = [lower[k] for k in get_close_matches(value.lower(), lower, n=1)]
    return next(iter([*same, *order, *edited, *close]), None)


def one_edit_apart(one: str, other: str) -> bool:
    """Whether at most one character has to be added, left out or replaced; capitals do not count."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    if len(long) - len(short) > 1:
        return False
    k = 0
    while k < len(short) and short[k] == long[k]:
        k += 1
    return short[k + (len(short) == len(long)) :] == long[k + 1 :]


def next_to(one: str, other: str) -> bool:
    """Whether two texts are neighbours in an order of numbers, of Roman ones, or of letters."""
    places = dict(places_of(one))
    return any(frame in places and abs(places[frame] - place) == 1 for frame, place in places_of(other))


def places_of(text: str) -> list[tuple[tuple[str, str, str], int]]:
    """The orders that a text belongs to, each with its place there."""
    text, found = text.lower(), []
    number = re.search("([0-9]{1,9})([^0-9]*)$", text)
    if number:
        found.append((("number", text[: number.start()], number[2]), int(number[1])))
    roman = re.search("(?:^|[^a-z])([ivxlc]+)$", text)
    if roman:
        found.append((("roman", text[: roman.start(1)], ""), roman_number(roman[1])))
    letter = re.search("(?:^|[^a-z])([a-z])$", text)
    if letter:
        found.append((("letter", text[: letter.start(1)], ""), ord(letter[1])))
    return found


def roman_number(text: str) -> int:
    """The number that small Roman digits stand for: "iv" is 4."""
    digits = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[digit] for digit in text]
    return sum(-a if a < b else a for a, b in zip(digits, [*digits[1:], 0]))  # noqa: B905
