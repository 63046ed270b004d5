"""The scoring script in JavaScript, and a card in the form that it reads.

Every number is text ("12", "1/3"), because JavaScript would round it.
"""

import json
from collections.abc import Iterable
from fractions import Fraction
from importlib.resources import files

from supersparse.card.card import Card, Item
from supersparse.card.checks import Expected, expectations
from supersparse.card.rules import InRange, IsMissing, IsNoneOf, IsOneOf
from supersparse.table.values import Category


def scoring_script() -> str:
    """Return JavaScript that scores one person exactly: `scoreValues(card, values)`."""
    return files("supersparse.card").joinpath("scoring.js").read_text(encoding="utf-8")


def script_data(card: Card) -> dict[str, object]:
    """Return what the script needs of a card; text in it is as it is on the card."""
    places = {name: j for j, name in enumerate(card.columns)}
    return {
        "columns": [_column(expected) for expected in expectations(card)],
        "items": [{"column": places[item.column], **_item(item)} for item in card.items],
        "threshold": str(card.threshold),
        "reached": card.cutoff.reached,
        "negative": card.negative,
        "positive": card.positive,
    }


def json_for_script(data: object) -> str:
    """Write JSON that is also JavaScript, in plain ASCII, and that cannot end a script element."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _column(expected: Expected) -> dict[str, object]:
    found: dict[str, object] = {
        "name": expected.column,
        "refusesMissing": expected.refuses_missing,
        "kinds": [kind.split()[-1] for kind in expected.kinds],
    }
    domain = expected.refusing
    if expected.alike:
        found["alike"] = _categories(expected.alike)
    if domain is not None:
        if domain.values is not None:
            found["known"] = _categories(domain.values)
        else:
            limits = InRange("", domain.low, domain.high, high_included=True) if domain.test else None
            found["limits"] = {"whole": domain.whole, **(_range(limits) if limits else {})}
    return found


def _item(item: Item) -> dict[str, object]:
    found: dict[str, object] = {"rule": item.rule.kind, "points": str(item.points)}
    missing = item.points if isinstance(item.rule, IsMissing) else item.missing
    if missing is not None:
        found["missing"] = str(missing)
    if isinstance(item.rule, IsOneOf | IsNoneOf):
        found["values"] = _categories(item.rule.values)
    if isinstance(item.rule, InRange):
        found.update(_range(item.rule))
    return found


def _range(rule: InRange) -> dict[str, object]:
    ends = {"low": rule.low, "high": rule.high}
    found: dict[str, object] = {name: str(bound) for name, bound in ends.items() if bound is not None}
    return found | {"lowIncluded": rule.low_included, "highIncluded": rule.high_included}


def _categories(values: Iterable[Category]) -> list[dict[str, str]]:
    return [{"text": v} if isinstance(v, str) else {"number": str(Fraction(v))} for v in values]
