"""The exports by name, each loaded when used; and how their options are read."""

import inspect
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.exact import whole
from supersparse.base.writing import write_file
from supersparse.card.card import Card
from supersparse.card.raw_values import spelled_out


def choice_of(value: object, what: str, allowed: Collection[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise InvalidOptionError(subject=what, value=value, remedy=did_you_mean(str(value), allowed))
    return value


def text_of(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidOptionError(subject=what, value=value, remedy="give a string")
    return value


def texts_of(value: object, what: str) -> tuple[str, ...]:
    """Return a text, or several, as several."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Sequence):
        raise InvalidOptionError(subject=what, value=value, remedy="give a string, or a list of strings")
    return tuple(text_of(one, f"a part of {what}") for one in value)


def truth_of(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidOptionError(subject=what, value=value, remedy="give True or False")
    return value


def whole_of(value: object, what: str, low: int, high: int, *, why: str = "") -> int:
    """Return a whole number from `low` to `high`; `why` says where the limit comes from."""
    number = whole(value)
    if number is None or not low <= number <= high:
        raise InvalidOptionError(subject=what, value=value, remedy=f"give a whole number from {low} to {high}{why}")
    return number


def people_of(value: object, what: str) -> Sequence[Mapping[str, object]]:
    """Return people, each a mapping from columns to values."""
    if not isinstance(value, Sequence) or not all(isinstance(person, Mapping) for person in value):
        raise InvalidOptionError(
            f"{what} is not a list of dictionaries from columns to values", "give one, such as table.to_dict('records')"
        )
    return value


# The module of each, with a function `to_...` of the same name, and the ending of its file.
TARGETS = {
    "python": "py", "sql": "sql", "javascript": "js", "r": "R", "xlsx": "xlsx", "pmml": "pmml", "onnx": "onnx",
    "fhir": "fhir.json", "mlflow": "mlflow.zip",
}  # fmt: skip
FILES = {f"score.{ending}": target for target, ending in TARGETS.items()}  # among the files of a card
_AS_IT_IS = ("xlsx", "fhir")  # forms for people, which show the card's own categories


def export(card: Card, target: str, path: str | Path | None = None, **options: object) -> str | bytes:
    """Export a card, and write it to `path` if you give one.

    Returns bytes for xlsx, ONNX and MLflow, and text for all others. The options are those of
    the corresponding function in `supersparse.card.export`, such as `to_sql(card, dialect="duckdb")`.
    """
    if target not in TARGETS:
        raise InvalidOptionError(f"unknown export {target!r}", did_you_mean(target, TARGETS), subject=target)
    function = getattr(import_module(f"supersparse.card.export.{target}"), f"to_{target}")
    known = [name for name in inspect.signature(function).parameters if name != "card"]
    for name in options:
        if name not in known:
            raise InvalidOptionError(f"the export {target!r} has no option {name!r}", did_you_mean(name, known))
    made: str | bytes = function(card if target in _AS_IT_IS else spelled_out(card), **options)
    if path is not None:
        content = made.encode("utf-8") if isinstance(made, str) else made
        write_file(path, content)
    return made
