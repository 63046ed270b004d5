"""Features by name or pattern, the same way for every per-feature setting."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TypeVar

from supersparse.base.errors import InvalidProblemError, did_you_mean

T = TypeVar("T")

INTERCEPT = "(intercept)"
"""The key for the intercept in a mapping."""


def per_feature(
    setting: object,
    names: Sequence[str],
    *,
    what: str,
    read: Callable[[object, str], T],
    default: Callable[[str], T] | None = None,
    extra_keys: Sequence[str] = (),
) -> tuple[T, ...]:
    """Expand a setting to all features: one value, one value per feature, or a mapping.

    In a mapping, an exact name overrides a pattern, and the first matching pattern ("age*") applies. A key
    that matches no feature is an error.
    """
    if isinstance(setting, Mapping):
        return tuple(
            _look_up(setting, name, what, read, default) for name in _checked(setting, names, what, extra_keys)
        )
    if isinstance(setting, Sequence) and not isinstance(setting, str):
        if len(setting) != len(names):
            raise InvalidProblemError(
                f"{what} has {len(setting)} entries for {len(names)} features",
                "give one per feature, a single one for all, or a mapping by name",
            )
        return tuple(read(value, name) for value, name in zip(setting, names, strict=True))
    first = read(setting, names[0]) if names else None
    return tuple(first for _ in names)  # type: ignore[misc]


def _checked(
    setting: Mapping[object, object], names: Sequence[str], what: str, extra_keys: Sequence[str]
) -> Sequence[str]:
    for key in setting:
        if not isinstance(key, str):
            raise InvalidProblemError(f"{what}: the key {key!r} is not a feature name", "use text")
        if key not in names and key not in extra_keys and not any(fnmatchcase(n, key) for n in names):
            raise InvalidProblemError(
                f"{what}: there is no feature {key!r}", did_you_mean(key, [*names, *extra_keys]), subject=what
            )
    return names


def _look_up(
    setting: Mapping[str, object],
    name: str,
    what: str,
    read: Callable[[object, str], T],
    default: Callable[[str], T] | None,
) -> T:
    if name in setting:
        return read(setting[name], name)
    for pattern, value in setting.items():
        if fnmatchcase(name, pattern):
            return read(value, name)
    if default is None:
        raise InvalidProblemError(
            f"{what} has no entry for feature {name!r}", "add it, or a key '*' for all others", subject=what
        )
    return default(name)


def names_or_patterns(value: object, what: str) -> tuple[str, ...]:
    """Read one name or pattern, or a list of them."""
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, Mapping) or not isinstance(listed, Iterable):
        raise InvalidProblemError(subject=what, value=value, remedy="give a feature name, a pattern, or a list of them")
    names = tuple(listed)
    for name in names:
        if not isinstance(name, str):
            raise InvalidProblemError(f"{what}: {name!r} is not a feature name", "use text", subject=what)
    if not names:
        raise InvalidProblemError(f"{what} is empty", "name at least one feature, or remove the constraint")
    return names


def matching(wanted: Sequence[str], names: Sequence[str], what: str) -> tuple[int, ...]:
    """Return the positions of the features that match, in order, each once.

    >>> matching(["b*", "a"], ["a", "b1", "b2", "c"], "of")
    (0, 1, 2)
    """
    places: set[int] = set()
    for word in wanted:
        fitting = (
            [names.index(word)] if word in names else [j for j, name in enumerate(names) if fnmatchcase(name, word)]
        )
        if not fitting:
            raise InvalidProblemError(f"{what}: there is no feature {word!r}", did_you_mean(word, names))
        places.update(fitting)
    return tuple(sorted(places))
