"""The card as JSON: format name and version, exact numbers, strict reading.

Whole numbers are JSON integers and other fractions are text ("1/2"), so nothing is rounded.
Anything unknown, missing, repeated or contradictory is refused: a card that was damaged must
not score anybody.
"""

import json
from fractions import Fraction
from pathlib import Path

from supersparse.card.card import Card, Item
from supersparse.card.fields import Fields, no_repeats
from supersparse.card.provenance import Provenance
from supersparse.card.rules import RULES
from supersparse.errors import InvalidCardError, did_you_mean

FORMAT = "supersparse-card"
VERSION = 1


def to_json(card: Card) -> str:
    """Write a card as JSON text, plain ASCII."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "title": card.title,
        "classes": {"negative": card.negative, "positive": card.positive},
        "items": [_item_to_json(item) for item in card.items],
        "intercept": _number(card.intercept),
        "n_columns": card.n_columns,
        "provenance": None if card.provenance is None else _provenance_to_json(card.provenance),
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def from_json(text: str, *, source: str = "the text") -> Card:
    """Read a card; `source` names it in the message when it cannot be."""
    try:
        content = json.loads(text, object_pairs_hook=no_repeats, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidCardError(f"{source} is no scoring system: it is not valid JSON ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidCardError(f'{source} is no scoring system: it lacks "format": "{FORMAT}"')
    if content.get("version") != VERSION:
        raise InvalidCardError(
            f"{source} has version {content.get('version')!r} of the card format; this release reads "
            f"version {VERSION}, a newer release of supersparse may read it"
        )
    try:
        return _card(Fields(content, "the card"))
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


def _number(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else str(value)


def _item_to_json(item: Item) -> dict[str, object]:
    return {
        "rule": item.rule.kind,
        "column": item.rule.column,
        "points": _number(item.points),
        "position": item.position,
    }


def _provenance_to_json(made: Provenance) -> dict[str, object]:
    return {
        "version": made.version,
        "solver": made.solver,
        "minimised": made.minimised,
        "allowed": made.allowed,
        "objective": _number(made.objective),
        "lower_bound": _number(made.lower_bound),
        "gap": float(made.gap),
        "proven_optimal": made.proven_optimal,
        "proven_smallest": made.proven_smallest,
        "training_errors": _number(made.training_errors),
        "predicted_errors": _number(made.predicted_errors),
        "total_weight": _number(made.total_weight),
        "n_rows": made.n_rows,
        "size": made.size,
        "stop": made.stop,
        "seconds": float(made.seconds),
        "nodes": made.nodes,
    }


def _card(fields: Fields) -> Card:
    fields.skip("format", "version")
    classes = fields.section("classes")
    card = Card(
        title=fields.text("title", optional=True),
        negative=classes.label("negative"),
        positive=classes.label("positive"),
        items=tuple(_item(item) for item in fields.sections("items")),
        intercept=fields.number("intercept"),
        n_columns=fields.whole("n_columns", optional=True),
        provenance=_provenance(fields.section("provenance")) if fields.has("provenance") else None,
    )
    classes.finish()
    fields.finish()
    return card


def _item(fields: Fields) -> Item:
    kind = fields.text("rule")
    rules = {rule.kind: rule for rule in RULES}
    if kind not in rules:
        raise InvalidCardError(
            f"{fields.where} has the unknown rule {kind!r}; {did_you_mean(str(kind), rules)}"
        )
    item = Item(
        rule=rules[kind](column=fields.text("column")),
        points=fields.number("points"),
        position=fields.whole("position", optional=True),
    )
    fields.finish()
    return item


def _provenance(fields: Fields) -> Provenance:
    made = Provenance(
        version=fields.text("version"),
        solver=fields.text("solver"),
        minimised=fields.text("minimised"),
        allowed=fields.text("allowed"),
        objective=fields.number("objective"),
        lower_bound=fields.number("lower_bound"),
        proven_smallest=fields.truth("proven_smallest"),
        training_errors=fields.number("training_errors"),
        predicted_errors=fields.number("predicted_errors"),
        total_weight=fields.number("total_weight"),
        n_rows=fields.whole("n_rows"),
        size=fields.whole("size"),
        stop=fields.text("stop"),
        seconds=fields.real("seconds"),
        nodes=fields.whole("nodes"),
    )
    if (fields.truth("proven_optimal"), fields.real("gap")) != (made.proven_optimal, float(made.gap)):
        raise InvalidCardError("its proven_optimal and gap contradict its objective and lower bound")
    fields.finish()
    return made


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it holds {name}")
