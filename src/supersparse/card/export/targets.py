"""The exports by name; each is loaded when used."""

import inspect
from importlib import import_module
from pathlib import Path

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.writing import write_file
from supersparse.card.card import Card
from supersparse.card.raw_values import spelled_out

# The module of each, with a function `to_...` of the same name, and the ending of its file.
TARGETS = {
    "python": "py",
    "sql": "sql",
    "javascript": "js",
    "xlsx": "xlsx",
    "pmml": "pmml",
    "onnx": "onnx",
}
FILES = {f"score.{ending}": target for target, ending in TARGETS.items()}  # among the files of a card


def export(card: Card, target: str, path: str | Path | None = None, **options: object) -> str | bytes:
    """Export a card, and write it to `path` if you give one.

    Returns text for Python, SQL, JavaScript and PMML, and bytes for xlsx and ONNX. The options are those of
    the corresponding function in `supersparse.card.export`, such as `to_sql(card, dialect="duckdb")`.
    """
    if target not in TARGETS:
        raise InvalidOptionError(f"unknown export {target!r}; {did_you_mean(target, TARGETS)}")
    function = getattr(import_module(f"supersparse.card.export.{target}"), f"to_{target}")
    known = [name for name in inspect.signature(function).parameters if name != "card"]
    for name in options:
        if name not in known:
            raise InvalidOptionError(
                f"the export {target!r} has no option {name!r}; {did_you_mean(name, known)}"
            )
    # the spreadsheet's form shows the card as it is; only its table needs all spellings
    made: str | bytes = function(card if target == "xlsx" else spelled_out(card), **options)
    if path is not None:
        content = made.encode("utf-8") if isinstance(made, str) else made
        write_file(path, content)
    return made
