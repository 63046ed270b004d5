"""Fields: one JSON object read strictly, each value checked for its kind and named when wrong."""

import math
import re
from fractions import Fraction
from typing import Literal, Never, overload

from supersparse.card.card import Label
from supersparse.errors import InvalidCardError, did_you_mean

_FRACTION = re.compile(r"-?[0-9]{1,4000}/[0-9]{1,4000}", re.ASCII)


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

    def number(self, name: str) -> Fraction:
        """An exact number: an integer, or a fraction in quotes."""
        value = self._take(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return Fraction(value)
        if isinstance(value, str) and _FRACTION.fullmatch(value) and value.partition("/")[2].strip("0"):
            return Fraction(value)
        return self._refuse(name, value, 'an integer or a fraction in quotes, such as "1/2"')

    def real(self, name: str) -> float:
        """A finite number that need not be exact."""
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self._refuse(name, value, "a finite number")
        return float(value)

    def truth(self, name: str) -> bool:
        """True or false."""
        value = self._take(name)
        return value if isinstance(value, bool) else self._refuse(name, value, "true or false")

    def label(self, name: str) -> Label:
        """A class: text, a number, true or false."""
        value = self._take(name)
        return value if isinstance(value, Label) else self._refuse(name, value, "text or a number")

    def section(self, name: str) -> "Fields":
        """An object within."""
        value = self._take(name)
        return (
            Fields(value, repr(name)) if isinstance(value, dict) else self._refuse(name, value, "an object")
        )

    def sections(self, name: str) -> list["Fields"]:
        """A list of objects."""
        values = self._take(name)
        if not isinstance(values, list) or not all(isinstance(v, dict) for v in values):
            self._refuse(name, values, "a list of objects")
        return [Fields(v, f"entry {i} of {name!r}") for i, v in enumerate(values, start=1)]

    def finish(self) -> None:
        """Refuse whatever nobody asked for."""
        for name in self._left:
            raise InvalidCardError(
                f"{self.where} has the unknown entry {name!r}; {did_you_mean(name, self._asked)}"
            )

    def _take(self, name: str) -> object:
        self._asked.append(name)
        if name not in self._left:
            raise InvalidCardError(f"{self.where} lacks {name!r}")
        return self._left.pop(name)

    def _refuse(self, name: str, value: object, wanted: str) -> Never:
        given = repr(value)
        if len(given) > 60:
            given = given[:57] + "..."
        raise InvalidCardError(f"{name!r} of {self.where} is {given}; it must be {wanted}")
