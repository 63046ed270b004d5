"""A card as plain data for JSON, in the present version of the format."""

import json
from fractions import Fraction

from supersparse.card.card import Card, Item
from supersparse.card.domain import Domain
from supersparse.card.provenance import Provenance
from supersparse.card.risk import LogisticRisk, Risk
from supersparse.card.rules import InRange, IsMissing, IsOneOf
from supersparse.card.seen import ItemSeen
from supersparse.card.values import Category
from supersparse.decimals import shown


def card_content(card: Card) -> dict[str, object]:
    """Everything but the name and version of the format."""
    content: dict[str, object] = {
        "title": card.title,
        "source": card.source,
        "classes": {"negative": card.negative, "positive": card.positive},
        "items": [_item(item) for item in card.items],
        "threshold": _number(card.threshold),
        "domains": [_domain(domain) for domain in card.domains],
        "n_columns": card.n_columns,
        "provenance": None if card.provenance is None else _provenance(card.provenance),
    }
    if card.risk is not None:
        content["risk"] = _risk(card.risk)
    if card.seen is not None:
        content["seen"] = [_seen(item) for item in card.seen]
    return content


def _number(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else shown(value)


def _category(value: Category) -> object:
    if isinstance(value, str | bool):
        return value
    return value.numerator if value.denominator == 1 else {"number": shown(value)}


def _item(item: Item) -> dict[str, object]:
    content: dict[str, object] = {"rule": item.rule.kind, "column": item.column}
    if isinstance(item.rule, IsOneOf):
        content["values"] = [_category(v) for v in item.rule.values]
    if isinstance(item.rule, InRange):
        if item.rule.low is not None:
            content["at_least" if item.rule.low_included else "above"] = _number(item.rule.low)
        if item.rule.high is not None:
            content["at_most" if item.rule.high_included else "below"] = _number(item.rule.high)
    content["points"] = _number(item.points)
    if not isinstance(item.rule, IsMissing):
        content["missing"] = "refuse" if item.missing is None else _number(item.missing)
    optional = {"unit": item.unit, "question": item.question, "position": item.position}
    return content | {name: value for name, value in optional.items() if value is not None}


def _domain(domain: Domain) -> dict[str, object]:
    content: dict[str, object] = {"column": domain.column}
    if domain.values is not None:
        content["values"] = [_category(v) for v in domain.values]
    else:
        content["low"] = None if domain.low is None else _number(domain.low)
        content["high"] = None if domain.high is None else _number(domain.high)
        content["whole"] = domain.whole
    return content | {"outside": domain.outside}


def _risk(risk: Risk) -> dict[str, object]:
    if isinstance(risk, LogisticRisk):
        return {"kind": risk.kind, "slope": risk.slope, "offset": risk.offset}
    rows = [{"total": _number(t), "risk": r} for t, r in zip(risk.totals, risk.risks, strict=True)]
    return {"kind": risk.kind, "rows": rows}


def _seen(seen: ItemSeen) -> dict[str, object]:
    rows, at = ("ranges", "up_to") if seen.in_ranges else ("values", "points")
    return {
        rows: [
            {at: _number(p), "weight": _number(w)} for p, w in zip(seen.points, seen.weights, strict=True)
        ],
        "given": _number(seen.given),
        "missing": _number(seen.missing),
        "mean_points": _number(seen.mean_points),
    }


def _provenance(made: Provenance) -> dict[str, object]:
    content: dict[str, object] = {
        "version": made.version,
        "solver": made.solver,
        "data": made.data,
        "minimised": made.minimised,
        "allowed": made.allowed,
        "objective": _number(made.objective),
        "lower_bound": _number(made.lower_bound),
        "gap": float(made.gap),
        "proven_optimal": made.proven_optimal,
        "proven_smallest": made.proven_smallest,
        "training_errors": _number(made.training_errors),
        "predicted_errors": _number(made.predicted_errors),
        "sensitivity": None if made.sensitivity is None else _number(made.sensitivity),
        "specificity": None if made.specificity is None else _number(made.specificity),
        "total_weight": _number(made.total_weight),
        "n_rows": made.n_rows,
        "size": made.size,
        "stop": made.stop,
        "seconds": float(made.seconds),
        "nodes": made.nodes,
    }
    if made.features is not None:
        content["features"] = list(made.features)
    if made.settings is not None:
        content["settings"] = json.loads(made.settings)
    return content
