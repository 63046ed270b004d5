"""Cut points by column, as people write them: on one line, or in a file."""

import json
import re
from pathlib import Path

from supersparse.base.errors import InvalidOptionError
from supersparse.table.cells import is_number

_ENTRY = re.compile(r"\s*(?P<name>.+?)\s*[=:]\s*(?P<numbers>[^=:]*)")


def read_cut_points(given: str, what: str = "cut points") -> dict[str, list[float]]:
    """Read ``age=40,60;bmi=25,30``, or a file with one such entry per line, or JSON.

    `what` names it in messages.

    >>> read_cut_points("age=40,60;bmi=18.5")
    {'age': [40.0, 60.0], 'bmi': [18.5]}
    """
    path = Path(given)
    text = path.read_text(encoding="utf-8-sig") if _is_file(path) else given
    if text.lstrip().startswith("{"):
        return _of_json(text, what)
    found: dict[str, list[float]] = {}
    for entry in re.split(r"[;\n]", text):
        bare = entry.partition("#")[0].strip()
        if bare:
            name, numbers = _entry(bare, what)
            found[name] = numbers
    if not found:
        raise _unclear(given, what)
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # too long for a name
        return False


def _entry(text: str, what: str) -> tuple[str, list[float]]:
    parts = _ENTRY.fullmatch(text)
    cells = [] if parts is None else re.split(r"[,\s]+", parts["numbers"].strip())
    if parts is None or not all(map(is_number, cells)):
        raise _unclear(text, what)
    return parts["name"], [float(cell) for cell in cells]


def _of_json(text: str, what: str) -> dict[str, list[float]]:
    try:
        content = json.loads(text)
        return {name: [float(number) for number in numbers] for name, numbers in content.items()}
    except (ValueError, TypeError):
        raise InvalidOptionError(
            f'{what}: the JSON must map each column to a list of numbers, such as {{"age": [40, 60]}}'
        ) from None


def _unclear(text: str, what: str) -> InvalidOptionError:
    return InvalidOptionError(
        f"{what}: {text!r} is neither a file nor cut points",
        "write 'age=40,60;bmi=25,30', or name a file with one such line per column",
    )
