"""The state of an estimator as plain data: numbers, text, lists, arrays. It makes only classes of this package.

Estimators are pickled so, and files of skops hold it, so that MLflow and skops have one type to trust.
`save_estimator` writes a file that needs no trust at all.
"""

from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

from supersparse.base.errors import InvalidDataError, PackageNotInstalledError, SupersparseError
from supersparse.base.writing import write_file

_KIND = "supersparse:kind"
_PACKAGE = "supersparse"


class PlainState:
    """An estimator whose pickled state is plain data; states of earlier versions, with objects, are read as well."""

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {name: _plain(value) for name, value in state.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({name: _made(value) for name, value in state.items()})  # type: ignore[misc]


def save_estimator(model: object, path: str | Path) -> None:
    """Write a fitted estimator of this package to a file."""
    if not (_is_estimator(model) and _is_ours(type(model))):
        raise InvalidDataError(
            f"{type(model).__name__} is not a supersparse estimator",
            "save the one inside it, and learn with its own prepare= instead of a pipeline",
        )
    write_file(path, _skops().dumps(_plain(model)))


def load_estimator(path: str | Path) -> Any:
    """Read a file written by `save_estimator`; files with any other class are refused."""
    skops = _skops()
    try:
        content = skops.load(path, trusted=None)
    except OSError:
        raise
    except Exception as error:  # skops raises what its parts raise, whatever is in the file
        raise InvalidDataError(f"{path} is not a file that skops can read ({error})") from None
    if not (isinstance(content, dict) and content.get(_KIND) == "estimator"):
        raise InvalidDataError(f"{path} does not contain a supersparse estimator")
    try:
        return _made(content)
    except (TypeError, KeyError, AttributeError, ValueError, ArithmeticError, ImportError) as error:
        if isinstance(error, SupersparseError):
            raise
        raise InvalidDataError(f"{path} is damaged: it does not hold what an estimator does ({error})") from None


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise PackageNotInstalledError("estimator files need skops: pip install skops") from error
    return skops.io


def _is_estimator(value: object) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == _PACKAGE


def _plain(value: object) -> object:
    kind = type(value)
    if isinstance(value, Fraction):
        return {_KIND: "fraction", "value": str(value)}
    if isinstance(value, Enum) and _is_ours(kind):
        return {_KIND: "enum", "class": _name(kind), "value": value.name}
    if is_dataclass(value) and _is_ours(kind):
        held = {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.init}
        return {_KIND: "dataclass", "class": _name(kind), "fields": held}
    if _is_estimator(value) and _is_ours(kind):
        state = {name: _plain(part) for name, part in vars(value).items()}
        return {_KIND: "estimator", "class": _name(kind), "fields": state}
    if isinstance(value, dict):
        pairs = [(_plain(key), _plain(part)) for key, part in value.items()]
        return {_KIND: "dict", "keys": [key for key, _ in pairs], "values": [part for _, part in pairs]}
    if kind in (list, tuple):
        return kind(map(_plain, value))  # type: ignore[call-overload]
    return value


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _made(value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(map(_made, value))
    if not (isinstance(value, dict) and _KIND in value):
        return value
    match value[_KIND]:
        case "fraction":
            return Fraction(value["value"])
        case "dict":
            return dict(zip(map(_made, value["keys"]), map(_made, value["values"]), strict=True))
        case "enum":
            return _class(value["class"], Enum)[value["value"]]
        case "dataclass":
            kind = _class(value["class"], object)
            if hasattr(kind, "__dataclass_fields__"):
                return kind(**{name: _made(part) for name, part in value["fields"].items()})
        case "estimator":
            kind = _class(value["class"], object)
            if hasattr(kind, "get_params"):
                made = kind()
                vars(made).update({name: _made(part) for name, part in value["fields"].items()})
                return made
    raise InvalidDataError(f"the file asks for {value.get('class', value[_KIND])!r}, which is not allowed")


def _class(name: str, base: type) -> Any:
    module, _, qualified = name.partition(":")
    if module.partition(".")[0] == _PACKAGE and qualified.isidentifier():
        named = getattr(import_module(module), qualified, None)
        if isinstance(named, type) and issubclass(named, base) and _is_ours(named):
            return named
    raise InvalidDataError(f"the file asks for {name!r}, which is not a supersparse class")
