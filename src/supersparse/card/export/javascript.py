"""A card as a JavaScript module (ECMAScript 2020) without dependencies, and the script that scores it.

Every number is text ("12", "1/3"), because JavaScript would round it.
"""

import json
from collections.abc import Iterable
from fractions import Fraction
from importlib.resources import files

from supersparse.card.card import Card, Item
from supersparse.card.checks import Expected, expectations
from supersparse.card.export.python import card_name
from supersparse.card.raw_values import missing_codes
from supersparse.card.risk import LogisticRisk, Risk, TableRisk
from supersparse.card.rules import InRange, IsNoneOf, IsOneOf
from supersparse.table.values import Category


def scoring_script() -> str:
    """Return JavaScript that scores one person exactly: `scoreValues(card, values)`."""
    return _script("scoring.js")


def _script(name: str) -> str:
    return files("supersparse.card").joinpath(name).read_text(encoding="utf-8")


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
    data: dict[str, object] = {
        "name": expected.column,
        "refusesMissing": expected.refuses_missing,
        "kinds": [kind.split()[-1] for kind in expected.kinds],
    }
    domain = expected.refusing
    if expected.alike:
        data["alike"] = _categories(expected.alike)
    if domain is not None:
        if domain.values is not None:
            data["known"] = _categories(domain.values)
        else:
            limits = InRange("", domain.low, domain.high, high_included=True) if domain.test else None
            data["limits"] = {"whole": domain.whole, **(_range(limits) if limits else {})}
    return data


def _item(item: Item) -> dict[str, object]:
    data: dict[str, object] = {"rule": item.rule.kind, "points": str(item.points)}
    if item.when_missing is not None:
        data["missing"] = str(item.when_missing)
    if isinstance(item.rule, IsOneOf | IsNoneOf):
        data["values"] = _categories(item.rule.values)
    if isinstance(item.rule, InRange):
        data.update(_range(item.rule))
    return data


def _range(rule: InRange) -> dict[str, object]:
    ends = {"low": rule.low, "high": rule.high}
    bounds: dict[str, object] = {name: str(bound) for name, bound in ends.items() if bound is not None}
    return bounds | {"lowIncluded": rule.low_included, "highIncluded": rule.high_included}


def _categories(values: Iterable[Category]) -> list[dict[str, str]]:
    return [{"text": v} if isinstance(v, str) else {"number": str(Fraction(v))} for v in values]


def to_javascript(card: Card) -> str:
    """Return a module that exports `points`, `total`, `predict` and, if the card has risks, `risk`.

    Each takes a person, an object with a property for each of the exported `columns`. What the card refuses
    throws RefusedValue.
    """
    data = _exact_labels(script_data(card), card) | {"codes": _codes(card)} | _risk_data(card.risk)
    return "\n".join(
        [
            f"// Scoring system: {card_name(card)}; exported by supersparse.",
            scoring_script().rstrip(),
            "",
            f"const CARD = {json_for_script(data)};",
            _script("export/exports.js") + ("" if card.risk is None else _script("export/risk.js")),
        ]
    )


def _codes(card: Card) -> list[list[dict[str, str]]]:
    """The codes for a missing value in each column, in the form of the script's categories."""
    codes = missing_codes(card)
    return [
        [*({"text": text} for text in codes[c].texts), *({"number": str(n)} for n in codes[c].numbers)]
        for c in card.columns
    ]


def _risk_data(risk: Risk | None) -> dict[str, object]:
    if isinstance(risk, LogisticRisk):
        return {"risk": {"slope": risk.slope, "offset": risk.offset}}
    if isinstance(risk, TableRisk):
        return {"risk": {"totals": [str(total) for total in risk.totals], "risks": list(risk.risks)}}
    return {}


def _exact_labels(data: dict[str, object], card: Card) -> dict[str, object]:
    """Turn whole numbers beyond 2**53 into text, because JavaScript would round them."""
    large = any(isinstance(c, int) and abs(c) >= 2**53 for c in card.classes)
    return data | {"negative": str(card.negative), "positive": str(card.positive)} if large else data
