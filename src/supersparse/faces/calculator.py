"""A calculator for one person: a page in one file, which needs no network and scores exactly.

The page works by keyboard, tells a screen reader what it shows, and prints. A policy in the page lets a
browser run its own script and style and nothing else. Text of the card is escaped, and marks that
are not visible are written out.
"""

import base64
import hashlib
from collections.abc import Iterator
from fractions import Fraction
from html import escape
from importlib.resources import files

from supersparse.card.card import Card, Item
from supersparse.card.checks import expectations
from supersparse.card.risk import LogisticRisk, TableRisk
from supersparse.card.rules import Domain, InRange, IsMissing, IsOneOf, ValueOf, category_text, readable
from supersparse.card.script import json_for_script, scoring_script, script_data
from supersparse.data.plain import visible
from supersparse.data.values import Category
from supersparse.exact import shown
from supersparse.faces.html import Block, print_style

Choice = dict[str, object]


def calculator(card: Card) -> str:
    """Return the page. The risk is shown where the card has risks."""
    choices = [_choices(card, column) for column in card.columns]
    script = "\n".join(
        [
            '"use strict";',
            scoring_script(),
            f"const CARD = {json_for_script(_data(card, choices))};",
            _template("calculator.js"),
        ]
    )
    style = _template("calculator.css") + print_style(_blocks(card))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    title = _safe(card.title) if card.title else f"{_safe(card.positive)} or {_safe(card.negative)}"
    columns = "\n".join(_column(card, j, name, choices[j]) for j, name in enumerate(card.columns))
    source = f'<p class="note">Source: {_safe(card.source)}</p>' if card.source else ""
    rule = (
        f"<p>Predict <b>{_safe(card.positive)}</b> if the total is {card.cutoff.positive}, "
        f"otherwise <b>{_safe(card.negative)}</b>.</p>"
    )
    risk = '<dt>Risk</dt><dd><span id="risk">–</span></dd>' if card.risk else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Scoring system: {title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>Scoring system: {title}</h1>
{rule}
{source}
<noscript><p><b>This page needs JavaScript to add up the points.</b> It can be used on paper.</p></noscript>
<form id="form" autocomplete="off">
<ol class="columns">
{columns}
</ol>
<section id="result" role="status" aria-atomic="true" aria-label="Result">
<dl><dt>Total</dt><dd><span id="total">–</span> points</dd>
<dt>Class</dt><dd><span id="class">–</span></dd>
{risk}</dl>
<p id="state" class="note"></p>
</section>
<p class="buttons"><button type="reset">Clear</button> <button type="button" id="print">Print</button></p>
</form>
</main>
<script>{script}</script>
</body>
</html>
"""


def _blocks(card: Card) -> Iterator[Block]:
    """What the page says, for its size in print."""
    yield Block(text=card.title or f"{card.positive} or {card.negative}", size=1.4, bold=True, gap=0.3)
    rule = f"Predict {card.positive} if the total is {card.cutoff.positive}, otherwise {card.negative}."
    yield Block(text=rule, gap=0.4)
    yield from (Block(text=f"Source: {text}", size=0.85, gap=1.2) for text in [card.source] if text)
    for items in card.items_by_column().values():
        yield Block(text=items[0].asks, bold=True, beside=12, gap=0.9)
        if len(items) > 1 or not _is_tick(items, _domain(card, items[0].column)):
            yield from (Block(text=f"{i.asks} [{'0' * 20}]", size=0.92, beside=3, gap=0.2) for i in items)
    yield from (Block(text="Total", gap=1.3) for _ in range(4))


def _domain(card: Card, column: str) -> Domain | None:
    return next((domain for domain in card.domains if domain.column == column), None)


def _template(name: str) -> str:
    return files("supersparse.faces").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")


def _safe(text: object) -> str:
    return escape(visible(str(text)))


def _data(card: Card, choices: list[list[Choice] | None]) -> dict[str, object]:
    data = script_data(card) | {
        "choices": choices,
        "positiveShown": visible(str(card.positive)),
        "negativeShown": visible(str(card.negative)),
    }
    if isinstance(card.risk, LogisticRisk):
        data["risk"] = {"slope": card.risk.slope, "offset": card.risk.offset}
    if isinstance(card.risk, TableRisk):
        data["risk"] = {"totals": [float(t) for t in card.risk.totals], "risks": list(card.risk.risks)}
    return data


def _choices(card: Card, column: str) -> list[Choice] | None:
    """What one can choose for a column; None where one writes a number."""
    items = card.items_by_column()[column]
    domain = _domain(card, column)
    expected = next(e for e in expectations(card) if e.column == column)
    if not expected.needs_value and domain is None:
        return [{"label": "known", "text": "known"}, {"label": "not known", "missing": True}]
    if _is_tick(items, domain):
        return [_choice(Fraction(0)), _choice(Fraction(1))]
    known = domain.values if domain is not None else None
    if any(isinstance(i.rule, ValueOf | InRange) for i in items) and known is None:
        return None
    if not any(isinstance(i.rule, IsOneOf) for i in items) and (known is None or len(known) > 12):
        return None
    named = [v for i in items if isinstance(i.rule, IsOneOf) for v in i.rule.values]
    listed = list(dict.fromkeys([*(known or ()), *(() if _refuses(domain) else named)]))
    found = [_choice(v) for v in listed]
    if not _refuses(domain) and not any(isinstance(i.rule, ValueOf | InRange) for i in items):
        found.append(_another(listed))
    if not expected.refuses_missing:
        found.append({"label": "not known", "missing": True})
    return found


def _refuses(domain: Domain | None) -> bool:
    return domain is not None and domain.outside == "refuse"


def _is_tick(items: list[Item], domain: Domain | None) -> bool:
    """Whether a tick says it all: the one item is for 1 or true, and a missing value is refused."""
    if len(items) != 1 or items[0].missing is not None:
        return False
    known = None if domain is None else domain.values
    if isinstance(items[0].rule, ValueOf):
        return known is not None and set(known) == {0, 1}
    if not isinstance(items[0].rule, IsOneOf) or items[0].rule.values != (1,):
        return False
    return set(known) == {0, 1} if known is not None else items[0].rule.values[0] is True


def _choice(value: Category) -> Choice:
    label = visible(category_text(value))
    if isinstance(value, str):
        return {"label": label, "text": value}
    return {"label": label, "number": str(Fraction(value))}


def _another(listed: list[Category]) -> Choice:
    """A value that no item and no domain names."""
    numbers = [Fraction(v) for v in listed if not isinstance(v, str)]
    if numbers and len(numbers) == len(listed):
        return {"label": "another value", "number": str(max(numbers) + 1)}
    text = "another value"
    while text in listed:
        text += "'"
    return {"label": "another value", "text": text}


def _column(card: Card, j: int, name: str, choices: list[Choice] | None) -> str:
    mine = [(i, item) for i, item in enumerate(card.items) if item.column == name]
    domain = _domain(card, name)
    only = mine[0][1]
    tick = _is_tick([item for _, item in mine], domain)
    label = only.asks if len(mine) == 1 and (tick or only.question) else readable(name)
    unit = next((item.unit for _, item in mine if item.unit), None)
    if unit and not tick:
        label += f" ({unit})"
    described = f'aria-describedby="e{j} n{j}"'
    if tick:
        return _ticked(j, mine[0][0], only)
    if choices is None:
        control = f'<input type="text" inputmode="decimal" id="c{j}" {described}>'
    else:
        options = "".join(
            f'<option value="{k}">{escape(str(c["label"]))}</option>' for k, c in enumerate(choices)
        )
        control = f'<select id="c{j}" {described}><option value="">choose</option>{options}</select>'
    ask = f'<div class="ask"><label for="c{j}">{_safe(label)}</label>{control}</div>'
    lines = "".join(_item(i, item) for i, item in mine)
    return (
        f'<li>{ask}<p class="error" id="e{j}" role="alert"></p><ul class="items" id="n{j}">{lines}</ul></li>'
    )


def _ticked(j: int, i: int, item: Item) -> str:
    """One line for question, tick and points."""
    return (
        f'<li><div class="ask tick" id="r{i}"><input type="checkbox" id="c{j}" aria-describedby="e{j}">'
        f'<label for="c{j}">{_safe(item.asks)} <span class="of">[{shown(item.points)}]</span></label>'
        f'<span class="got" id="p{i}"></span></div><p class="error" id="e{j}" role="alert"></p></li>'
    )


def _item(i: int, item: Item) -> str:
    each = " for each" if isinstance(item.rule, ValueOf) else ""
    missing = ""
    if item.missing is not None and not isinstance(item.rule, IsMissing):
        missing = f"; {shown(item.missing)} if not known"
    worth = f"{shown(item.points)}{each}{missing}"
    return (
        f'<li id="r{i}"><span class="what">{_safe(item.asks)} <span class="of">[{worth}]</span></span>'
        f'<span class="got" id="p{i}"></span></li>'
    )
