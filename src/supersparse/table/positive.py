"""The positive class of two labels, where nobody has named it: the one that people look for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from supersparse.table.cells_of_text import is_number

_POSITIVE = {
    "yes", "y", "ja", "oui", "si", "sí", "sì", "sim", "true", "t", "case", "cases", "event", "died", "dead",
    "death", "deceased", "positive", "pos", "malignant", "cancer", "ill", "sick", "disease", "diseased",
    "abnormal", "relapse", "recurrence", "failure", "failed", "default", "defaulted", "fraud",
}  # fmt: skip
_NEGATED = {
    "no", "not", "non", "none", "without", "free", "never", "nein", "kein", "keine", "nicht", "pas", "sin",
}  # fmt: skip
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PositiveClass:
    """The label, and why it was taken, after the words "it was chosen"."""

    label: object
    why: str


def positive_of(counts: Mapping[object, int]) -> PositiveClass:
    """Choose between two labels, given in sorted order with their numbers of rows.

    Of two numbers, and of true and false, it is the larger. Of texts it is the one with a usual name for a
    positive class ("yes", "died", "malignant"), unless that is negated ("not ill"). If that does not decide,
    it is the rarer one; of two equally frequent ones, the last in sorted order.

    >>> positive_of({"case": 60, "control": 40}).label, positive_of({0: 3, 1: 9}).label
    ('case', 1)
    >>> positive_of({"blue": 1, "red": 2})
    PositiveClass(label='blue', why='as the rarer class')
    """
    first, last = counts
    texts = [label if isinstance(label, str) else None for label in (first, last)]
    if all(text is None for text in texts):
        return PositiveClass(label=last, why="as the larger value")
    if all(text is not None and is_number(text.strip()) for text in texts):
        larger = max((first, last), key=lambda label: float(str(label)))
        return PositiveClass(label=larger, why="as the larger value")
    named = [label for label, text in zip((first, last), texts, strict=True) if text and _is_named(text)]
    if len(named) == 1:
        return PositiveClass(label=named[0], why="for its name")
    if counts[first] < counts[last]:
        return PositiveClass(label=first, why="as the rarer class")
    if counts[first] > counts[last]:
        return PositiveClass(label=last, why="as the rarer class")
    return PositiveClass(label=last, why="as the last in alphabetical order, both being equally frequent")


def _is_named(text: str) -> bool:
    words = set(_WORD.findall(text.casefold()))
    return bool(words & _POSITIVE) and not words & _NEGATED
