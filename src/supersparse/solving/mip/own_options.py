"""Checking options that are passed through to a solver by its own names."""

from collections.abc import Iterable, Mapping
from operator import index
from typing import SupportsIndex

from supersparse.errors import InvalidOptionError, did_you_mean

LARGEST_PRIORITY = 1_000_000

# Why a name is reserved, for the tables of the back ends.
LIMIT = "use time_limit, node_limit, relative_gap or absolute_gap"
TOLERANCE = "what it proves rests on this value"
RESOURCES = "use threads and seed"
SILENT = "it works silently; use on_progress"


def check_names(
    who: str, given: Mapping[str, object], known: Iterable[str], reserved: Mapping[str, str]
) -> None:
    """Raise for an option the solver does not have, or one that this package sets itself."""
    names = list(known)
    for name in given:
        if name in reserved:
            raise InvalidOptionError(
                f"solver_options: {name!r} of {who} is set by supersparse; {reserved[name]}"
            )
        if name not in names:
            raise InvalidOptionError(f"solver {who!r} has no option {name!r}; {did_you_mean(name, names)}")


def check_kind(who: str, name: str, value: object, current: object) -> None:
    """Raise when a solver's API would silently bend the value to the option's kind."""
    is_bool = isinstance(value, bool)
    if isinstance(current, bool):
        if not is_bool:
            raise bad_value(who, name, value, "it takes True or False")
    elif isinstance(current, int) and (is_bool or not isinstance(value, int)):
        raise bad_value(who, name, value, "it takes a whole number")


def check_priorities(given: Mapping[str, object]) -> None:
    """Raise for a priority that not every solver can take."""
    for feature, priority in given.items():
        is_whole = isinstance(priority, SupportsIndex) and not isinstance(priority, bool)
        if not is_whole or not 0 <= index(priority) <= LARGEST_PRIORITY:  # type: ignore[arg-type]
            raise InvalidOptionError(
                f"branching_priorities: {feature!r} has {priority!r}; give a whole number from 0 to "
                f"{LARGEST_PRIORITY}, higher ones are branched on first"
            )


def bad_value(who: str, name: str, value: object, reason: object = None) -> InvalidOptionError:
    """Return the error for a value that the solver refuses."""
    tail = f" ({reason})" if reason else ""
    return InvalidOptionError(
        f"solver {who!r} refuses {value!r} for its option {name!r}{tail}; see its manual"
    )
