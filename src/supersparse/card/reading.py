"""A card from the plain data of its JSON, version 1 or 2, read strictly.

Version 1 had an intercept in place of the threshold, items of one rule only, and no domains.
"""

from fractions import Fraction
from typing import cast

from supersparse.card.card import Card, Item
from supersparse.card.domain import Domain, Outside
from supersparse.card.fields import Fields
from supersparse.card.provenance import Provenance
from supersparse.card.risk import KINDS as RISK_KINDS
from supersparse.card.risk import LogisticRisk, Risk, TableRisk
from supersparse.card.rules import KINDS, InRange, IsMissing, IsOneOf, Rule, ValueOf
from supersparse.card.seen import ItemSeen
from supersparse.errors import InvalidCardError, did_you_mean


def read_card(fields: Fields, version: int) -> Card:
    """Read the whole card; whatever is unknown or missing is refused."""
    fields.skip("format", "version")
    classes = fields.section("classes")
    negative, positive = classes.label("negative"), classes.label("positive")
    classes.finish()
    card = Card(
        title=fields.text("title", optional=True),
        source=fields.text("source", optional=True) if version > 1 else None,
        negative=negative,
        positive=positive,
        items=tuple(_item(item, version) for item in fields.sections("items")),
        intercept=-fields.number("threshold") if version > 1 else fields.number("intercept"),
        domains=tuple(map(_domain, fields.sections("domains", optional=True))) if version > 1 else (),
        n_columns=fields.whole("n_columns", optional=True),
        provenance=_provenance(fields.section("provenance"), version) if fields.has("provenance") else None,
        risk=_risk(fields.section("risk")) if version > 1 and fields.has("risk") else None,
        seen=tuple(map(_seen, fields.sections("seen"))) if version > 1 and fields.has("seen") else None,
    )
    fields.finish()
    return card


def _item(fields: Fields, version: int) -> Item:
    kind = fields.text("rule")
    known = KINDS if version > 1 else ("value",)
    if kind not in known:
        raise InvalidCardError(f"{fields.where} has the unknown rule {kind!r}; {did_you_mean(kind, known)}")
    item = Item(
        rule=_rule(fields, kind),
        points=fields.number("points"),
        missing=_missing(fields) if version > 1 and kind != "missing" else None,
        unit=fields.text("unit", optional=True) if version > 1 else None,
        question=fields.text("question", optional=True) if version > 1 else None,
        position=fields.whole("position", optional=True),
    )
    fields.finish()
    return item


def _rule(fields: Fields, kind: str) -> Rule:
    column = fields.text("column")
    if kind == "value":
        return ValueOf(column)
    if kind == "missing":
        return IsMissing(column)
    if kind == "category":
        return IsOneOf(column, fields.categories("values"))
    low, low_included = _bound(fields, "at_least", "above")
    high, high_included = _bound(fields, "at_most", "below")
    return InRange(column, low, high, low_included, high_included)


def _bound(fields: Fields, included: str, excluded: str) -> tuple[Fraction | None, bool]:
    with_end, without_end = fields.number(included, optional=True), fields.number(excluded, optional=True)
    if with_end is not None and without_end is not None:
        raise InvalidCardError(f"{fields.where} has both {included!r} and {excluded!r}; keep one of them")
    return (without_end, False) if with_end is None else (with_end, True)


def _missing(fields: Fields) -> Fraction | None:
    return None if fields.is_word("missing", "refuse") else fields.number("missing", optional=True)


def _domain(fields: Fields) -> Domain:
    domain = Domain(
        column=fields.text("column"),
        values=fields.categories("values") if fields.has("values") else None,
        low=fields.number("low", optional=True),
        high=fields.number("high", optional=True),
        whole=fields.truth("whole", default=False),
        outside=cast(Outside, fields.choice("outside", ("accept", "refuse"), "accept")),
    )
    fields.finish()
    return domain


def _risk(fields: Fields) -> Risk:
    kind = fields.text("kind")
    found: Risk
    if kind == LogisticRisk.kind:
        found = LogisticRisk(slope=fields.real("slope"), offset=fields.real("offset"))
    elif kind == TableRisk.kind:
        rows = []
        for row in fields.sections("rows"):
            rows.append((row.number("total"), row.real("risk")))
            row.finish()
        found = TableRisk(totals=tuple(t for t, _ in rows), risks=tuple(r for _, r in rows))
    else:
        hint = did_you_mean(kind, RISK_KINDS)
        raise InvalidCardError(f"{fields.where} has the unknown kind {kind!r}; {hint}")
    fields.finish()
    return found


def _seen(fields: Fields) -> ItemSeen:
    in_ranges = fields.has("ranges")
    rows, at = ("ranges", "up_to") if in_ranges else ("values", "points")
    found = []
    for row in fields.sections(rows):
        found.append((row.number(at), row.number("weight")))
        row.finish()
    seen = ItemSeen(
        points=tuple(points for points, _ in found),
        weights=tuple(weight for _, weight in found),
        in_ranges=in_ranges,
        given=fields.number("given"),
        missing=fields.number("missing"),
        mean_points=fields.number("mean_points"),
    )
    fields.finish()
    return seen


def _provenance(fields: Fields, version: int) -> Provenance:
    made = Provenance(
        version=fields.text("version"),
        solver=fields.text("solver"),
        data=fields.text("data", optional=True) if version > 1 else None,
        minimised=fields.text("minimised"),
        allowed=fields.text("allowed"),
        objective=fields.number("objective"),
        lower_bound=fields.number("lower_bound"),
        proven_smallest=fields.truth("proven_smallest"),
        training_errors=fields.number("training_errors"),
        predicted_errors=fields.number("predicted_errors"),
        sensitivity=fields.number("sensitivity", optional=True) if version > 1 else None,
        specificity=fields.number("specificity", optional=True) if version > 1 else None,
        total_weight=fields.number("total_weight"),
        n_rows=fields.whole("n_rows"),
        size=fields.whole("size"),
        stop=fields.text("stop"),
        seconds=fields.real("seconds"),
        nodes=fields.whole("nodes"),
        features=fields.texts("features", optional=True) if version > 1 else None,
        settings=fields.object_text("settings", optional=True) if version > 1 else None,
    )
    if (fields.truth("proven_optimal"), fields.real("gap")) != (made.proven_optimal, float(made.gap)):
        raise InvalidCardError("its proven_optimal and gap contradict its objective and lower bound")
    fields.finish()
    return made
