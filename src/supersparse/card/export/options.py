"""Options of exports: each is checked before any work, and a wrong one is named with what it may be."""

from collections.abc import Collection, Mapping, Sequence

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.exact import whole


def choice_of(value: object, what: str, allowed: Collection[str]) -> str:
    """Return one of some words."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidOptionError(f"{what} is {value!r}; {did_you_mean(str(value), allowed)}")
    return value


def text_of(value: object, what: str) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise InvalidOptionError(f"{what} is {value!r}; give a string")
    return value


def texts_of(value: object, what: str) -> tuple[str, ...]:
    """Return a text, or several, as several."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Sequence):
        raise InvalidOptionError(f"{what} is {value!r}; give a string, or a list of strings")
    return tuple(text_of(one, f"a part of {what}") for one in value)


def truth_of(value: object, what: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise InvalidOptionError(f"{what} is {value!r}; give True or False")
    return value


def whole_of(value: object, what: str, low: int, high: int, *, why: str = "") -> int:
    """Return a whole number from `low` to `high`; `why` says where the limit comes from."""
    number = whole(value)
    if number is None or not low <= number <= high:
        raise InvalidOptionError(f"{what} is {value!r}; give a whole number from {low} to {high}{why}")
    return number


def people_of(value: object, what: str) -> Sequence[Mapping[str, object]]:
    """Return people, each a mapping from columns to values."""
    if not isinstance(value, Sequence) or not all(isinstance(person, Mapping) for person in value):
        raise InvalidOptionError(
            f"{what} is not a list of dictionaries from columns to values; give one, such as "
            "table.to_dict('records')"
        )
    return value
