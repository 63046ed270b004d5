"""The JSON schema of the card format, as it is shipped with the package."""

import json
from importlib.resources import files
from typing import Any


def card_schema() -> dict[str, Any]:
    """Return the schema (JSON Schema 2020-12) of the present version of the format.

    It says what a file may look like. That rules, domains and claims fit together is checked on
    reading, so a file that obeys the schema can still be refused.

    >>> card_schema()["properties"]["version"]
    {'const': 2}
    """
    text = files("supersparse.card").joinpath("schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
