"""Spellings: texts that are one category. They differ in case and blanks only, or are equal numbers."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction

from supersparse.table.cells_of_text import is_number


def spelling_key(text: str) -> str:
    """Return what all variants of a category have in common.

    >>> spelling_key(" Ja ") == spelling_key("ja"), spelling_key("not  known") == spelling_key("Not known")
    (True, True)
    """
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def variants(counts: Counter[str]) -> dict[str, str]:
    """Say for each variant which spelling is kept: the most frequent one, and of those the first.

    >>> variants(Counter({"Ja": 2, "ja": 5, "nein": 4}))
    {'Ja': 'ja'}
    """
    kept: dict[str, str] = {}
    for text, _ in counts.most_common():
        kept.setdefault(spelling_key(text), text)
    return {text: own for text in counts if (own := kept[spelling_key(text)]) != text}


def variants_of(texts: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Say for each text that is a variant of a known one which it is; known texts that are alike stay apart.

    >>> variants_of(["Ja", "ja", "?"], ["ja", "nein"]), variants_of(["A"], ["a", "A"])
    ({'Ja': 'ja'}, {})
    """
    alike = Counter(map(spelling_key, known))
    kept = {spelling_key(text): text for text in known if alike[spelling_key(text)] == 1}
    found = {}
    for text in texts:
        if text not in known and (own := kept.get(spelling_key(text))) is not None:
            found[text] = own
    return found


def number_of(text: str) -> Fraction | None:
    """The number that a text is; None if it is none."""
    return Fraction(text.strip(" \t")) if is_number(text) else None


def equal_numbers(counts: Counter[str]) -> dict[str, str]:
    """Say for each number that is written in several ways which is kept: the first of the shortest.

    >>> equal_numbers(Counter({"1.0": 5, "1": 2, "0": 4, "x": 1}))
    {'1.0': '1'}
    """
    kept: dict[Fraction, str] = {}
    for text in sorted(counts, key=len):
        if (number := number_of(text)) is not None:
            kept.setdefault(number, text)
    numbers = {text: number_of(text) for text in counts}
    return {
        text: kept[number] for text, number in numbers.items() if number is not None and kept[number] != text
    }


def same_text(text: str, others: Sequence[str]) -> str | None:
    """Return which of some texts is meant by one: itself, an equal number, or true or false in other case.

    None if that is none of them, or not one alone.

    >>> same_text("1.0", ["0", "1"]), same_text("TRUE", ["False", "True"]), same_text("Yes", ["no", "yes"])
    ('1', 'True', None)
    """
    if text in others:
        return text
    number, word = number_of(text), text.casefold()
    found = [
        other
        for other in others
        if (number is not None and number == number_of(other))
        or (word in ("true", "false") and word == other.casefold())
    ]
    return found[0] if len(found) == 1 else None
