"""Orders: categories whose words say which is lower, in the main European languages.

Recognised are Roman numerals, ordinals (1st, 2., 3e), one prefix before consecutive numbers (A11 to A14, stage 2),
ranges of numbers (<20, 20-49, 50+), months, and scales of words, such as none, mild, severe. All categories of a
column must be on one scale, each at a place of its own; there must be three or more.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import pairwise

from supersparse.table.values import Cells, Objects

_FEWEST, _MOST_OF_CODES = 3, 8
_BLANKS = re.compile(r"[\s_\-]+")

_ROMAN = re.compile(r"(x{0,3})(ix|iv|v?i{0,3})([a-d]?)")
_ORDINAL = re.compile(r"(\d{1,2})\s*(?:st|nd|rd|th|er|re|e|è?me|ème|te[rns]?|\.|º|ª|°|o|a|de)")
_CODE = re.compile(r"(\D*?)(\d{1,4})")
_RANGE = re.compile(r"(\d+(?:[.,]\d+)?)(?:-|to|bis|à|a|tot|–)(\d+(?:[.,]\d+)?)")
_UP_TO = re.compile(r"(?:<=|<|≤|under|below|unter|bis|moins de|menos de|meno di|minder dan)(\d+(?:[.,]\d+)?)")
_FROM = re.compile(
    r"(?:>=|>|≥|over|above|über|ab|plus de|más de|più di|mais de|meer dan)(\d+(?:[.,]\d+)?)|(\d+(?:[.,]\d+)?)"
    r"(?:\+|or more|and over|oder mehr|et plus|o más|o più|ou mais|of meer)"
)


def order_of(levels: Iterable[str]) -> tuple[str, ...] | None:
    """Return categories from the lowest to the highest where their words say so, else None.

    >>> order_of(["severe", "none", "Mild"]), order_of(["III", "I", "II"]), order_of(["red", "green", "blue"])
    (('none', 'Mild', 'severe'), ('I', 'II', 'III'), None)
    >>> order_of(["50+", "<20", "20-49"]), order_of(["A14", "A11", "A13", "A12"])
    (('<20', '20-49', '50+'), ('A11', 'A12', 'A13', 'A14'))
    """
    listed = sorted(set(levels))
    if len(listed) < _FEWEST:
        return None
    keys = [_BLANKS.sub(" ", text.strip().casefold()) or text.strip() for text in listed]
    for places in (_on_a_scale(keys), _each(keys, _roman), _each(keys, _ordinal), _codes(keys), _ranges(listed)):
        if places is not None and len(set(places)) == len(places):
            return tuple(text for _, text in sorted(zip(places, listed, strict=True)))
    return None


def orders_among(columns: Mapping[str, Cells]) -> dict[str, tuple[str, ...]]:
    """The columns of text whose categories have a recognised order, lowest first."""
    orders = {}
    for name, cells in columns.items():
        if not isinstance(cells, Objects):
            continue
        known = {value for value in cells.distinct if value is not None}
        if all(isinstance(value, str) for value in known) and (order := order_of(map(str, known))) is not None:
            orders[name] = order
    return orders


def _each(keys: Sequence[str], read: Callable[[str], Fraction | None]) -> list[Fraction] | None:
    places = [place for key in keys if (place := read(key)) is not None]
    return places if len(places) == len(keys) else None


@cache
def _scales() -> tuple[Mapping[str, int], ...]:
    """The place of each word on each scale, from its lowest to its highest; words of one place mean the same."""
    scales = json.loads(files("supersparse.table").joinpath("scales.json").read_text(encoding="utf-8"))
    return tuple({word: place for place, words in enumerate(scale) for word in words} for scale in scales)


def _on_a_scale(keys: Sequence[str]) -> list[int] | None:
    return next(([scale[key] for key in keys] for scale in _scales() if all(key in scale for key in keys)), None)


def _roman(key: str) -> Fraction | None:
    """A Roman numeral up to 39, perhaps after a word and before a letter: "Stage IIb"."""
    match = _ROMAN.fullmatch(key.rsplit(" ", 1)[-1])
    if match is None or not (match[1] or match[2]):
        return None
    ones = {"": 0, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9}[match[2]]
    return Fraction(10 * len(match[1]) + ones) + Fraction("abcd".find(match[3]) + 1, 10)


def _ordinal(key: str) -> Fraction | None:
    match = _ORDINAL.fullmatch(key)
    return None if match is None else Fraction(int(match[1]))


def _codes(keys: Sequence[str]) -> list[Fraction] | None:
    """One prefix before consecutive numbers, of which there are few: others are names."""
    matches = [_CODE.fullmatch(key) for key in keys]
    if len(keys) > _MOST_OF_CODES or len({None if one is None else one[1] for one in matches}) > 1:
        return None
    numbers = [int(one[2]) for one in matches if one is not None]
    has_prefix = any(one is not None and one[1].strip() for one in matches)
    is_gapless = bool(numbers) and sorted(numbers) == list(range(min(numbers), max(numbers) + 1))
    return list(map(Fraction, numbers)) if has_prefix and is_gapless else None


def _ranges(levels: Sequence[str]) -> list[tuple[Fraction, int]] | None:
    """Ranges of numbers that do not overlap; one of them at least is a range, not a number."""
    ranges: list[tuple[Fraction, Fraction | None]] = []
    for level in levels:
        text = re.sub(r"\s+", "", level.casefold()).replace(",", ".")
        inside, low, high = _RANGE.fullmatch(text), _FROM.fullmatch(text.replace(" ", "")), _UP_TO.fullmatch(text)
        if inside is not None:
            ranges.append((Fraction(inside[1]), Fraction(inside[2])))
        elif low is not None:
            ranges.append((Fraction(low[1] or low[2]), None))
        elif high is not None:
            ranges.append((Fraction(-1), Fraction(high[1])))
        else:
            return None
    found_sorted = sorted(ranges, key=lambda one: one[0])
    for (_, end), (start, _) in pairwise(found_sorted):
        if end is None or start < end:
            return None
    return [(start, k) for k, (start, _) in enumerate(ranges)]
