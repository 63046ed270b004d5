"""The card as JSON: format name and version, exact numbers, strict reading.

Whole numbers are JSON integers and others are text ("2.5", "1/3"), so nothing is rounded.
Anything unknown, missing, repeated or contradictory is refused: a card that was damaged must
not score anybody.
"""

import json
from pathlib import Path

from supersparse.card.card import Card
from supersparse.card.fields import Fields, no_repeats
from supersparse.card.reading import read_card
from supersparse.card.writing import card_content
from supersparse.errors import InvalidCardError

FORMAT = "supersparse-card"
VERSION = 2
READABLE = (1, 2)


def to_json(card: Card) -> str:
    """Write a card as JSON text, plain ASCII."""
    content = {"format": FORMAT, "version": VERSION, **card_content(card)}
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def from_json(text: str, *, source: str = "the text") -> Card:
    """Read a card; `source` names it in the message when it cannot be."""
    try:
        content = json.loads(text, object_pairs_hook=no_repeats, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidCardError(f"{source} is no scoring system: it is not valid JSON ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidCardError(f'{source} is no scoring system: it lacks "format": "{FORMAT}"')
    version = content.get("version")
    if type(version) is not int or version not in READABLE:
        raise InvalidCardError(
            f"{source} has version {version!r} of the card format; this release reads "
            f"versions 1 to {VERSION}, a newer release of supersparse may read it"
        )
    try:
        return read_card(Fields(content, "the card"), version)
    except InvalidCardError as error:
        raise InvalidCardError(f"{source} is damaged: {error}") from None


def save(card: Card, path: str | Path) -> None:
    """Write a card to a file."""
    Path(path).write_text(to_json(card), encoding="ascii", newline="\n")


def load(path: str | Path) -> Card:
    """Read a card from a file."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidCardError(f"{path} is no scoring system: it is not text") from None
    return from_json(text, source=str(path))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it holds {name}")
