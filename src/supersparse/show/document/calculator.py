"""A calculator for one person: a page in one file, which needs no network and adds up exactly.

The lines are those of the card. There is no result before every line is answered. The page works by keyboard
and with a screen reader, on a phone, in the dark, and on paper. A policy in the page lets a browser run its
own script and style and nothing else. Text of the card is escaped, and invisible marks are written out.
"""

import base64
import hashlib
from collections.abc import Iterator
from fractions import Fraction
from html import escape

from supersparse.base.exact import shown
from supersparse.card.card import Card
from supersparse.card.evidence import weighted_risks
from supersparse.card.export.javascript import json_for_script, scoring_script
from supersparse.card.lines import Line, lines_of
from supersparse.card.risk import LogisticRisk, TableRisk, total_float
from supersparse.card.rules import Domain, widened
from supersparse.show.document.content import Content, content_of
from supersparse.show.document.html import Wrapped, print_style, template
from supersparse.show.document.risk_strip import risk_formula
from supersparse.table.plain import visible


def calculator(card: Card) -> str:
    """Return the page. The risk is shown where the card has risks."""
    content, lines = content_of(card).at_the_bedside, lines_of(card)
    script = "\n".join(
        [
            '"use strict";',
            scoring_script(),
            f"const CARD = {json_for_script(_data(card, content, lines))};",
            template("calculator.js"),
        ]
    )
    style = template("calculator.css") + print_style(_blocks(card, content, lines))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    rows = "\n".join(_line(line) for line in lines)
    how = "<p>Answer every question; the result appears below.</p>" if lines else ""
    source = f'<p class="note">Source: {escape(visible(card.source))}</p>' if card.source else ""
    return template("calculator.html").format(
        heading=escape(content.heading),
        policy=policy,
        style=style,
        how=how,
        rows=rows,
        risk=_risk(card, content),
        rule=escape(content.rule),
        source=source,
        script=script,
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _options(line: Line) -> list[tuple[str, Fraction]]:
    """The choices in a line that is not a number, with their points."""
    if line.answers:
        return [(one.text, one.points) for one in line.answers]
    options = [("no", Fraction(0)), ("yes", line.points)]
    return options if line.missing is None else [*options, ("not known", line.missing)]


def _data(card: Card, content: Content, lines: tuple[Line, ...]) -> dict[str, object]:
    data: dict[str, object] = {
        "lines": [_line_data(line, card.domain(line.column)) for line in lines],
        "threshold": str(card.threshold),
        "reached": card.cutoff.reached,
        "positive": content.positive,
        "negative": content.negative,
    }
    if isinstance(card.risk, LogisticRisk):
        data["risk"] = {"slope": card.risk.slope, "offset": card.risk.offset}
    if isinstance(card.risk, TableRisk):
        data["risk"] = {"totals": [total_float(t) for t in card.risk.totals], "risks": list(card.risk.risks)}
    if content.risks:
        data["strip"] = [[str(column.low), str(column.high)] for column in content.risks]
    return data


def _line_data(line: Line, domain: Domain | None) -> dict[str, object]:
    if not line.times:
        return {"points": [str(points) for _, points in _options(line)]}
    data: dict[str, object] = {"each": str(line.points)}
    if line.missing is not None:
        data["missing"] = str(line.missing)
    if domain is not None:
        data["refuses"] = domain.outside == "refuse"
        far = widened(domain) if domain.outside == "near" else None
        if far is not None:
            data["far"] = [str(far.low), str(far.high)]
        data["whole"] = domain.whole
        ends = {"low": domain.low, "high": domain.high}
        if domain.values is not None:
            data["known"] = list(map(str, domain.numbers))
        data |= {name: str(end) for name, end in ends.items() if end is not None}
    return data


def _line(line: Line) -> str:
    text = escape(visible(line.text) or '""')
    n = line.number - 1
    if line.times:
        return _number_line(line, n, text)
    options = "".join(
        f'<label><input type="radio" name="c{n}" value="{k}"> '
        f'<span class="what">{escape(visible(what))}</span> <span class="of">{_signed(worth)}</span></label>'
        for k, (what, worth) in enumerate(_options(line))
    )
    return f'<fieldset id="l{n}"><legend>{text}</legend><div class="options">{options}</div></fieldset>'


def _number_line(line: Line, n: int, text: str) -> str:
    hint = f'<span class="of">{shown(line.points)} for each</span>'
    unknown = ""
    if line.missing is not None:
        unknown = (
            f'<label><input type="checkbox" id="u{n}"><span class="what">not known</span>'
            f'<span class="of">{_signed(line.missing)}</span></label>'
        )
    return (
        f'<fieldset id="l{n}"><legend><label for="c{n}">{text}</label></legend><div class="options">'
        f'<input type="text" inputmode="decimal" id="c{n}" aria-describedby="e{n}">{hint}{unknown}'
        f'<span class="got" id="p{n}"></span></div><p class="error" id="e{n}" role="alert"></p></fieldset>'
    )


def _signed(points: Fraction) -> str:
    return f"+{shown(points)}" if points > 0 else shown(points)


def _risk(card: Card, content: Content) -> str:
    """The place of the risk, above its strip; without one, above the formula that it is worked out by."""
    if card.risk is None:
        return ""
    cells = "".join(
        f'<li id="s{k}" class="{"marked" if column.positive else "plain"}">'
        f'<span class="at">{escape(column.totals)}</span> <span class="risk">{escape(column.percent)}</span></li>'
        for k, column in enumerate(content.risks)
    )
    label = f"{content.risk_table.caption}{' by total' if cells else ''}"
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in _risk_notes(card, content))
    strip = f'<ol class="strip">{cells}</ol>' if cells else ""
    return f'<p class="caption">{escape(label)}: <b id="risk"></b></p>{strip}{notes}'


def _risk_notes(card: Card, content: Content) -> tuple[str, ...]:
    formula = () if content.risks or content.always is not None else risk_formula(card, content.positive, content.total)
    weighted = weighted_risks(card)
    return (*formula, *(() if weighted is None else (weighted,)))


def _blocks(card: Card, content: Content, lines: tuple[Line, ...]) -> Iterator[Wrapped]:
    yield Wrapped(text=content.heading, size=1.5, bold=True, gap=2.5)
    yield Wrapped(text="", gap=2)
    for line in lines:
        yield Wrapped(text=line.text, bold=True, gap=0.8)
        options = [text for text, _ in _options(line)] if not line.times else ["number"]
        per_row = max(1, int(80 // (max(map(len, options)) + 14)))
        yield from (Wrapped(text="0", gap=0.9) for _ in range(-(-len(options) // per_row)))
    yield Wrapped(text=content.rule, gap=8)
    if card.risk is not None:
        yield from (Wrapped(text="Risk", gap=1.2) for _ in range(5 if content.risks else 1))
        yield from (Wrapped(text=note, size=0.9) for note in _risk_notes(card, content))
