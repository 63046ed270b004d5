"""The words of the studio: page and server read them from one file, ``static/texts.json``.

To translate the studio, translate that file: keep the keys and the {names}. A text that depends on a number
has one form for each plural of the language, chosen by {n}. Help texts of settings and messages of the
library itself come through as they are.
"""

import json
import re
from functools import cache
from pathlib import Path

PATH = Path(__file__).parent / "static" / "texts.json"
_NAME = re.compile(r"\{(\w+)\}")


@cache
def _texts() -> dict[str, dict[str, str | dict[str, str]]]:
    found: dict[str, dict[str, str | dict[str, str]]] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def text(key: str, **values: object) -> str:
    """Return the text of a key such as ``files.card_json``, with its {names} filled in.

    >>> text("refused.file_large", limit=500)[:35]
    'the file is larger than 500 MB, the'
    """
    group, _, name = key.partition(".")
    found = _texts()[group][name]
    if isinstance(found, dict):
        found = found["one" if values.get("n") == 1 else "other"]
    return _NAME.sub(lambda one: str(values[one[1]]) if one[1] in values else one[0], found)


def has_text(key: str) -> bool:
    """Whether there is a text of a key."""
    group, _, name = key.partition(".")
    return name in _texts().get(group, {})
