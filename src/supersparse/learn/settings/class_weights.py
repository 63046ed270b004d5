"""ClassWeights: the cost of an error in each class, as people write it on one line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.schema.labels import find_label, label_text
from supersparse.problem.rows import read_labels

_WORDS: Mapping[str, Literal["balanced", "none"]] = {"balanced": "balanced", "none": "none"}
_FORMS = "use balanced, none, two numbers NEGATIVE,POSITIVE (1.2,0.8), or weights by class (yes=1.2,no=0.8)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWeights:
    """One of: a word, a pair (negative, positive), or weights by the text of the class."""

    word: Literal["balanced", "none"] | None = None
    pair: tuple[Fraction, Fraction] | None = None
    by_class: Mapping[str, Fraction] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str, what: str = "class_weight") -> "ClassWeights":
        """Read the text; `what` names it in messages.

        >>> ClassWeights.read("1.2,0.8").pair
        (Fraction(6, 5), Fraction(4, 5))
        >>> dict(ClassWeights.read("ill=2").by_class)
        {'ill': Fraction(2, 1)}
        """
        if text in _WORDS:
            return cls(word=_WORDS[text])
        parts = text.split(",")
        if all("=" in part for part in parts):
            pairs = [part.rpartition("=")[::2] for part in parts]
            if len(dict(pairs)) < len(pairs):
                raise InvalidOptionError(f"{what} is {text!r}, which names a class twice", _FORMS)
            return cls(by_class={label.strip(): _weight(text, weight, what) for label, weight in pairs})
        if len(parts) == 1 and not any(c.isdigit() for c in text):
            raise InvalidOptionError(f"{what} is {text!r}; {did_you_mean(text, list(_WORDS))}", f"or {_FORMS}")
        if len(parts) != 2:
            raise InvalidOptionError(subject=what, value=text, remedy=_FORMS)
        negative, positive = (_weight(text, part, what) for part in parts)
        return cls(pair=(negative, positive))

    def of(self, y: NDArray[np.generic], positive: str | None) -> Literal["balanced"] | dict[str, Fraction] | None:
        """Return the `class_weight` setting for the classes of these rows."""
        if self.pair is None:
            return dict(self.by_class) or ("balanced" if self.word == "balanced" else None)
        classes = read_labels(y, None)[1]
        if positive is not None:
            classes = read_labels(y, find_label(positive, classes, "positive"))[1]
        return dict(zip(map(label_text, classes), self.pair, strict=True))


def _weight(text: str, part: str, what: str) -> Fraction:
    try:
        weight = Fraction(part.strip())
    except (ValueError, ZeroDivisionError):
        raise InvalidOptionError(
            f"{what} is {text!r}, but {part.strip()!r} is not a number", _FORMS, subject=what, value=text
        ) from None
    if weight < 0:
        raise InvalidOptionError(f"{what} is {text!r}, but {part.strip()} is negative", "give 0 or more")
    return weight
