"""The entries of a JSON object, taken one by one and strictly: unknown and missing ones are refused."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, Never, overload

from supersparse.base.errors import InvalidCardError, did_you_mean
from supersparse.card.card import Label
from supersparse.table.values import Category

# so short that whatever is read can be written and read again, as a fraction too
_EXACT = re.compile(r"-?([0-9]{1,2000}/(?=0*[1-9])[0-9]{1,2000}|[0-9]{1,1000}\.[0-9]{1,999})", re.ASCII)
_WANTED = 'an integer, or a decimal or fraction in quotes, such as "2.5" or "1/3"'


def no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that says the same key twice; to be given to `json.loads`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{next(k for k in keys if keys.count(k) > 1)!r} is given twice")
    return found


class Fields:
    """The values of one object; every one must be asked for before `finish`."""

    def __init__(self, values: dict[str, object], where: str) -> None:
        self.where = where
        self._left = dict(values)
        self._asked: list[str] = []

    def skip(self, *names: str) -> None:
        """Leave out what has been read already."""
        for name in names:
            self._take(name)

    def has(self, name: str) -> bool:
        """Whether a value is there and not null; a null one is thereby read."""
        self._asked.append(name)
        if self._left.get(name) is None:
            self._left.pop(name, None)
            return False
        return True

    @overload
    def text(self, name: str) -> str: ...
    @overload
    def text(self, name: str, *, optional: Literal[True]) -> str | None: ...
    def text(self, name: str, *, optional: bool = False) -> str | None:
        """Text, or None when that is allowed."""
        if optional and not self.has(name):
            return None
        value = self._take(name)
        return value if isinstance(value, str) else self._refuse(name, value, "text")

    def texts(self, name: str, *, optional: bool = False) -> tuple[str, ...] | None:
        """A list of texts, or None when that is allowed."""
        if optional and not self.has(name):
            return None
        values = self._take(name)
        if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
            self._refuse(name, values, "a list of strings")
        return tuple(values)

    def plain_object(self, name: str, *, optional: bool = False) -> dict[str, Any] | None:
        """An object of any content as it was read, or None when that is allowed."""
        if optional and not self.has(name):
            return None
        value = self._take(name)
        return value if isinstance(value, dict) else self._refuse(name, value, "an object")

    @overload
    def whole(self, name: str) -> int: ...
    @overload
    def whole(self, name: str, *, optional: Literal[True]) -> int | None: ...
    def whole(self, name: str, *, optional: bool = False) -> int | None:
        """A whole number, or None when that is allowed."""
        if optional and not self.has(name):
            return None
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int):
            self._refuse(name, value, "a whole number")
        return value

    @overload
    def number(self, name: str) -> Fraction: ...
    @overload
    def number(self, name: str, *, optional: Literal[True]) -> Fraction | None: ...
    def number(self, name: str, *, optional: bool = False) -> Fraction | None:
        """An exact number: an integer, or a decimal or fraction in quotes."""
        if optional and not self.has(name):
            return None
        value = self._take(name)
        found = _exact(value)
        return self._refuse(name, value, _WANTED) if found is None else found

    def is_word(self, name: str, word: str) -> bool:
        """Whether the value is this word, which is thereby read."""
        if self._left.get(name) != word:
            return False
        self._take(name)
        return True

    def is_object(self, name: str) -> bool:
        """Whether the value is an object."""
        return isinstance(self._left.get(name), dict)

    def categories(self, name: str) -> tuple[Category, ...]:
        """A list of categories: text, true, false, integers, or ``{"number": "2.5"}``."""
        values = self._take(name)
        if not isinstance(values, list):
            self._refuse(name, values, "a list")
        return tuple(self._category(name, value) for value in values)

    def category(self, name: str) -> Category:
        """One category."""
        return self._category(name, self._take(name))

    def _category(self, name: str, value: object) -> Category:
        if isinstance(value, str | bool):
            return value
        if isinstance(value, dict) and list(value) == ["number"]:
            value = value["number"]
        found = _exact(value)
        wanted = 'a list of strings, true, false, integers, or decimals such as {"number": "2.5"}'
        return self._refuse(name, value, wanted) if found is None else found

    def choice(self, name: str, known: Sequence[str], default: str) -> str:
        """One of some words, or the default when it is left out."""
        if not self.has(name):
            return default
        value = self._take(name)
        if not isinstance(value, str) or value not in known:
            self._refuse(name, value, " or ".join(map(repr, known)))
        return value

    def real(self, name: str) -> float:
        """A finite number that need not be exact."""
        value = self._take(name)
        if not isinstance(value, bool) and isinstance(value, int | float):
            try:
                if math.isfinite(value):
                    return float(value)
            except OverflowError:  # an integer beyond all floats
                pass
        return self._refuse(name, value, "a finite number")

    @overload
    def truth(self, name: str) -> bool: ...
    @overload
    def truth(self, name: str, *, default: bool) -> bool: ...
    def truth(self, name: str, *, default: bool | None = None) -> bool:
        """True or false."""
        if default is not None and not self.has(name):
            return default
        value = self._take(name)
        return value if isinstance(value, bool) else self._refuse(name, value, "true or false")

    def label(self, name: str) -> Label:
        """A class: text, a number, true or false."""
        value = self._take(name)
        return value if isinstance(value, Label) else self._refuse(name, value, "text or a number")

    def section(self, name: str) -> "Fields":
        """An object within."""
        value = self._take(name)
        return Fields(value, repr(name)) if isinstance(value, dict) else self._refuse(name, value, "an object")

    def sections(self, name: str, *, optional: bool = False) -> list["Fields"]:
        """A list of objects, empty when it is left out and may be."""
        if optional and not self.has(name):
            return []
        values = self._take(name)
        if not isinstance(values, list) or not all(isinstance(v, dict) for v in values):
            self._refuse(name, values, "a list of objects")
        return [Fields(v, f"entry {i} of {name!r}") for i, v in enumerate(values, start=1)]

    def finish(self) -> None:
        """Refuse whatever nobody asked for."""
        for name in self._left:
            raise InvalidCardError(f"{self.where} has the unknown entry {name!r}", did_you_mean(name, self._asked))

    def _take(self, name: str) -> object:
        self._asked.append(name)
        if name not in self._left:
            raise InvalidCardError(f"{self.where} lacks {name!r}")
        return self._left.pop(name)

    def _refuse(self, name: str, value: object, wanted: str) -> Never:
        given = repr(value)
        if len(given) > 60:
            given = given[:57] + "..."
        raise InvalidCardError(f"{name!r} of {self.where} is {given}", f"it must be {wanted}", subject=name)


def _exact(value: object) -> Fraction | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return Fraction(value) if isinstance(value, str) and _EXACT.fullmatch(value) else None
