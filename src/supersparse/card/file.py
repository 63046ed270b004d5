"""A card as a file: JSON with the version of its format, and a digest of the content."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from supersparse.base.errors import InvalidCardError
from supersparse.base.writing import write_file
from supersparse.card.card import Card
from supersparse.card.entries import Place
from supersparse.card.format import CARD, DEFINITIONS

FORMAT = "supersparse-card"
VERSION = 3
READABLE = (1, 2, 3)


def to_json(card: Card) -> str:
    """Write a card as JSON text, plain ASCII, with a digest of the content.

    A card that came without one, though it claims a proof, gets none: somebody may have changed it.
    """
    content = _content(card)
    if card.provenance is None or card.provenance.signed:
        content["digest"] = digest_of(content)
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def _content(card: Card) -> dict[str, object]:
    return {"format": FORMAT, "version": VERSION, **CARD.write(card)}


def digest(card: Card) -> str:
    """The digest of a card as this release writes it."""
    return digest_of(_content(card))


def digest_of(content: Mapping[str, object]) -> str:
    """Return the digest of a card's content: of its JSON in one line, keys sorted, without the digest.

    It tells accidents, not forgers: whoever changes a card on purpose can make it anew.
    """
    rest = {name: value for name, value in content.items() if name != "digest"}
    line = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(line.encode('ascii')).hexdigest()}"


def _matches(digest: object, content: Mapping[str, object]) -> bool:
    try:
        return digest == digest_of(content)
    except RecursionError:  # lists in lists in lists: no card
        return False


def from_json(text: str, *, source: str = "the text") -> Card:
    """Read a card; `source` names it in the message when it cannot be."""
    try:
        content = json.loads(text, object_pairs_hook=_no_repeats, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidCardError(f"{source} is not a scoring system: it is not valid JSON ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidCardError(f'{source} is not a scoring system: it lacks "format": "{FORMAT}"')
    version = content.get("version")
    if type(version) is not int or version not in READABLE:
        raise InvalidCardError(
            f"{source} has version {version!r} of the card format",
            f"this release reads versions 1 to {VERSION}, a newer release of supersparse may read it",
        )
    is_signed = "digest" in content
    if is_signed and not _matches(content.pop("digest"), content):
        raise InvalidCardError(
            f"{source} is damaged: its content is not what its digest was made of",
            "take an intact copy, or remove the digest to read it as an unsigned card",
        )
    try:
        rest = {name: value for name, value in content.items() if name not in ("format", "version")}
        card: Card = CARD.read_at(rest, Place("the card", version))
        if is_signed or card.provenance is None:
            return card
        return replace(card, provenance=replace(card.provenance, signed=False))
    except InvalidCardError as error:
        raise InvalidCardError.of(error, f"{source} is damaged: ") from None


def save(card: Card, path: str | Path) -> None:
    write_file(path, to_json(card))


def load(path: str | Path) -> Card:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidCardError(f"{path} is not a scoring system: it is not text") from None
    return from_json(text, source=str(path))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it holds {name}")


def _no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that says the same key twice."""
    by_name = dict(pairs)
    if len(by_name) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{next(k for k in keys if keys.count(k) > 1)!r} is given twice")
    return by_name


def card_schema() -> dict[str, Any]:
    """Return the schema (JSON Schema 2020-12) of the present version of the format.

    It says what a file may look like. That rules, domains and claims fit together is checked on
    reading, so a file that obeys the schema can still be refused.

    >>> card_schema()["properties"]["version"]
    {'const': 3}
    """
    schema = CARD.definition()
    digest = {
        "description": "The sha256 of everything else, as JSON in one line with sorted keys, to detect changes.",
        "type": "string",
        "pattern": "^sha256:[0-9a-f]{64}$",
    }
    marks = {"format": {"const": FORMAT}, "version": {"const": VERSION}, "digest": digest}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:supersparse:card:{VERSION}",
        "title": f"A supersparse scoring system, version {VERSION}",
        "description": "The positive class is given when the points add up to the threshold or more.",
        **schema,
        "properties": {**marks, **schema["properties"]},
        "required": ["format", "version", *schema["required"]],
        "$defs": DEFINITIONS,
    }
