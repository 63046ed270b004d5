"""The words of the studio: page and server read them from one file, ``static/texts.json``.

To translate the studio, translate that file: keep the keys and the {names}. A text that depends on a number
has one form for each plural of the language, chosen by {n}. Help texts of settings and messages of the
library itself come through as they are.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from supersparse.base.errors import (
    InfeasibleError,
    InvalidInputError,
    PackageNotInstalledError,
    SolverError,
    SupersparseError,
)

PATH = Path(__file__).parent / "static" / "texts.json"
_NAME = re.compile(r"\{(\w+)\}")


@cache
def _texts() -> dict[str, dict[str, str | dict[str, str]]]:
    texts: dict[str, dict[str, str | dict[str, str]]] = json.loads(PATH.read_text(encoding="utf-8"))
    return texts


def text(key: str, **values: object) -> str:
    """Return the text of a key such as ``files.card_json``, with its {names} filled in.

    >>> text("refused.file_large", limit=500)[:35]
    'the file is larger than 500 MB, the'
    """
    group, _, name = key.partition(".")
    words = _texts()[group][name]
    if isinstance(words, dict):
        words = words["one" if values.get("n") == 1 else "other"]
    return _NAME.sub(lambda one: str(values[one[1]]) if one[1] in values else one[0], words)


def has_text(key: str) -> bool:
    group, _, name = key.partition(".")
    return name in _texts().get(group, {})


STATUS = {
    "token": 401,
    "forbidden": 403,
    "missing": 404,
    "method": 405,
    "busy": 409,
    "large": 413,
    "type": 415,
    "input": 422,
    "infeasible": 422,
    "failed": 500,
}
_LONGEST = 2000  # characters of a message
_SHOWN = 120  # characters of a value


class StudioError(Exception):
    """A request that cannot be answered.

    >>> StudioError("missing", "there is no run 'r9'", thing="run", value="r9").as_data()["code"]
    'missing'
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        thing: str | None = None,
        value: object = None,
        remedy: str | None = None,
        conflict: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message[:_LONGEST]
        self.thing = thing
        self.value = None if value is None else str(value)[:_SHOWN]
        self.remedy = remedy
        self.conflict = None if conflict is None else dict(conflict)

    @property
    def status(self) -> int:
        return STATUS[self.code]

    def as_data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("code", "thing", "value", "message", "remedy", "conflict")}


def refused(code: str, key: str, *, thing: str | None = None, value: object = None, **words: object) -> StudioError:
    """Return an error in the words of the texts under ``refused``; what to do is under ``remedies``, if anything.

    >>> refused("busy", "no_undo", thing="edit").message
    'there is nothing to undo'
    """
    shown = "" if value is None else str(value)[:_SHOWN]
    message, remedy = (
        text(f"{group}.{key}", thing=thing, value=shown, **words) if has_text(f"{group}.{key}") else None
        for group in ("refused", "remedies")
    )
    return _error(code, message or "", thing, value, remedy)


def wrong(thing: str, value: object, remedy: str, **words: object) -> StudioError:
    """Return an error about a value; `remedy` is one of the texts under ``remedies``.

    >>> wrong("count", "many", "number").message
    "count is 'many'; give a number"
    """
    message = text("refused.wrong", thing=thing, value=str(value)[:_SHOWN])
    return _error("input", message, thing, value, text(f"remedies.{remedy}", **words))


def _error(code: str, message: str, thing: str | None, value: object, remedy: str | None) -> StudioError:
    return StudioError(
        code, message if remedy is None else f"{message}; {remedy}", thing=thing, value=value, remedy=remedy
    )


def check_whole(thing: str, value: object, least: int, most: int) -> int:
    """Return a whole number between two others, or refuse what is none."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise wrong(thing, value, "whole", least=least, most=most)
    return value


def as_problem(error: BaseException, names: Mapping[str, str] | None = None) -> StudioError:
    """Return an error of the library as one of the studio; `names` says what files are called in the page.

    >>> from supersparse.errors import InvalidOptionError
    >>> found = as_problem(InvalidOptionError(subject="gap", value=-1, remedy="give a number of at least 0"))
    >>> found.thing, found.value, found.remedy
    ('gap', '-1', 'give a number of at least 0')
    """
    if isinstance(error, StudioError):
        return error
    message = str(error) or type(error).__name__
    for path, name in (names or {}).items():
        message = message.replace(path, name)
    if isinstance(error, InfeasibleError):
        code = "infeasible"
    elif isinstance(error, InvalidInputError | SolverError | PackageNotInstalledError):
        code = "input"
    else:
        code = "failed"
    if not isinstance(error, SupersparseError | OSError | MemoryError):
        message = text("refused.unexpected", error=f"{type(error).__name__}: {message}")
    if not isinstance(error, SupersparseError):
        return StudioError(code, message)
    return StudioError(code, message, thing=error.subject, value=error.value, remedy=error.remedy)
