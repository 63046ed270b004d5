"""The HTML faces of a card: a fragment for notebooks, a page, and a sheet to print and fill in."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files

from supersparse.card.card import Card
from supersparse.show.document.content import COMPARED, Content, ShownLine, Style, content_of
from supersparse.show.document.drawing import Drawn, FaceWriters, pictures, wrapped
from supersparse.show.document.pictures import paper_size, sheet_drawing
from supersparse.show.document.risk_strip import ink_on, risk_colour
from supersparse.table.small_table import NO_MATH, unreachable_style

_WIDTH, _HEIGHT = 490, 690  # what A4 and Letter both have within margins of 15 mm, in points, and some air
_SIZES = (11.0, 10.0, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0)
_BOX, _TICK = '<span class="box"></span>', '<span class="tick"></span>'


def template(name: str) -> str:
    return files("supersparse.show.document").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def card_style() -> str:
    """Return the style of a card, which the page around it cannot change."""
    return unreachable_style("supersparse-card", template("card.css"))


def card_html(card: Card, *, style: Style = "card") -> str:
    """Return the card as a piece of HTML with its own style, for a notebook or a page of yours."""
    return _card(content_of(card, style), title="h3")


def _card(content: Content, *, title: str, to_fill_in: bool = False) -> str:
    head = [f'<{title} class="title">{escape(content.heading)}</{title}>']
    head += [f"<p>{escape(text)}</p>" for text in (content.how, content.example) if text]
    body = ["<header>", *head, "</header>"]
    if to_fill_in:
        body.append('<div class="who"><span>Name or number</span><span>Date</span></div>')
    body += [*_lines(content), *_results(content), *_risks(content), *_evidence(content)]
    if content.warning:
        body.append(f'<p class="warning">{escape(content.warning)}</p>')
    notes = [*([] if content.warning or not content.baseline else [content.baseline]), *content.notes]
    if notes:
        lines = "".join(f'<p class="note">{escape(note)}</p>' for note in notes)
        body.append(f'<div class="block">{lines}</div>')
    facts = "\n".join(f"<dt>{label}</dt><dd>{escape(fact)}</dd>" for label, fact in content.facts)
    body.append(f"<footer>\n<dl>\n{facts}\n</dl>\n</footer>" if facts else '<div class="block"></div>')
    return "\n".join(
        [f'<div class="supersparse-card {NO_MATH}">', f"<style>\n{card_style()}\n</style>", *body, "</div>", ""]
    )


def _lines(content: Content) -> list[str]:
    if not content.parts:
        return []
    rows = [
        '<table class="lines"><caption class="unseen">Questions and points</caption>',
        '<thead><tr><td></td><th scope="col">Question</th><th scope="col" class="points">Points</th></tr></thead>',
    ]
    for part in content.parts:
        rows.append("<tbody>")
        rows += [_line(line) for line in part.lines]
        rows += [_total(part.adds, part.total), "</tbody>"]
    if content.difference is not None:
        rows += ["<tbody>", _total(*content.difference), "</tbody>"]
    return [*rows, "</table>"]


def _line(line: ShownLine) -> str:
    number = f'<tr><td class="number">{line.number}.</td>'
    if line.answers:
        answers = "".join(
            f'<li>{_TICK}<span class="what">{escape(a.text)}</span> <b>{a.points}</b></li>' for a in line.answers
        )
        choice = f'{escape(line.text)}<ul class="answers">{answers}</ul>'
        return f'{number}<td class="text" colspan="2">{choice}</td></tr>'
    space = f"{_BOX} " if line.times else _TICK
    points = f'<td class="points">{space}<b>{line.shown_points}</b></td></tr>'
    return f'{number}<td class="text">{escape(line.text)}</td>{points}'


def _total(what: str, name: str) -> str:
    return f'<tr class="total"><td></td><td class="text">{what}</td><td class="points">{name} {_BOX}</td></tr>'


def _results(content: Content) -> list[str]:
    if content.always is not None or content.difference is not None:
        return [f'<p class="rule">{escape(content.rule)}</p>']
    (high, positive), (low, negative) = content.results
    return [
        '<div class="results">',
        f'<p class="positive"><b>{escape(positive)}</b>Total {escape(high)}</p>',
        f'<p class="negative"><b>{escape(negative)}</b>Total {escape(low)}</p>',
        "</div>",
    ]


def _risks(content: Content) -> list[str]:
    note = f'<p class="note">{escape(content.risk_note)}</p>' if content.risk_note else ""
    if not content.risks:
        return [f'<div class="block">{note}</div>'] if note else []
    totals, risks, *behind = content.risk_rows
    bar = "".join(
        f'<td style="{_painted(risk_colour(column.middle))}">{escape(percent)}</td>'
        for column, percent in zip(content.risks, risks[1:], strict=True)
    )
    head = "".join(f'<th scope="col">{cell}</th>' for cell in totals[1:])
    rows = [
        f'<tr><th scope="row">{totals[0]}</th>{head}</tr>',
        f'<tr class="bar"><th scope="row">{risks[0]}</th>{bar}</tr>',
    ]
    for name, *cells in behind:
        rows.append(f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>')
    caption = f"<caption>Risk ({escape(content.positive)})</caption>"
    return [f'<div class="block"><table class="risks">{caption}', *rows, f"</table>{note}</div>"]


def _painted(colour: str) -> str:
    return f"background:{colour}!important;color:{ink_on(colour)}!important"


def _evidence(content: Content) -> list[str]:
    if not content.judgements:
        return []
    (_, *measures), *judgements = content.judgement_rows
    head = "".join(f'<th scope="col">{name}</th>' for name in measures)
    rows = [
        f'<tr><th scope="row">{on}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for on, *cells in judgements
    ]
    caption = "<caption>How well it does</caption>"
    table = f'<table class="evidence">{caption}<thead><tr><td></td>{head}</tr></thead><tbody>'
    return [f'<div class="block">{table}', *rows, "</tbody></table></div>", *_compared(content)]


def _compared(content: Content) -> list[str]:
    """The card compared with other models, as a table."""
    if not content.compared:
        return []
    (_, *measures), *models = content.compared_rows
    head = "".join(f'<th scope="col">{name}</th>' for name in measures)
    rows = [
        f'<tr><th scope="row">{escape(of)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for of, *cells in models
    ]
    caption = f"<caption>{COMPARED}</caption>"
    table = f'<table class="evidence">{caption}<thead><tr><td></td>{head}</tr></thead><tbody>'
    return [f'<div class="block">{table}', *rows, "</tbody></table></div>"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A text that is wrapped; lengths are multiples of the page's letters."""

    text: str
    size: float = 1.0
    bold: bool = False
    beside: float = 0.0  # the width of what stands next to it
    gap: float = 0.0  # above and below it together


def print_style(blocks: Iterable[Block]) -> str:
    """Return the style for printing these blocks, one below the other; lengths in rem and em follow it."""
    size = print_size(blocks)
    return (
        f"@media print{{@page{{margin:15mm}}html{{font-size:{size:g}pt}}"
        f"body .supersparse-card{{font-size:{size:g}pt!important}}}}"
    )


def print_size(blocks: Iterable[Block]) -> float:
    listed = list(blocks)
    return next((s for s in _SIZES if _height(listed, s) <= _HEIGHT), _SIZES[-1])


def _height(blocks: list[Block], size: float) -> float:
    def lines(block: Block) -> int:
        return len(wrapped(block.text, _WIDTH - block.beside * size, block.size * size, bold=block.bold))

    return sum(size * (block.gap + 1.45 * block.size * lines(block)) for block in blocks)


def card_page(card: Card, *, style: Style = "card") -> str:
    """Return the card as a whole HTML page, which prints on one sheet of paper."""
    content = content_of(card, style)
    return _page_of(content, _card(content, title="h1"), "")


def sheet_html(card: Card, paper: str = "a4", *, style: Style = "card") -> str:
    """Return the sheet as a page that prints on one sheet of A4 or Letter paper."""
    paper_size(paper)
    content = content_of(card, style).at_the_bedside
    name = {"a4": "A4", "letter": "Letter"}[paper.lower()]
    return _page_of(content, _card(content, title="h1", to_fill_in=True), f"@page{{size:{name}}}")


def _page_of(content: Content, body: str, extra: str) -> str:
    style = [
        "body{margin:2rem auto;max-width:44rem;padding:0 1rem;background:#eef1f4}",
        "@media print{body{margin:0;padding:0;max-width:none;background:#fff}"
        "body .supersparse-card{max-width:none!important}tr{break-inside:avoid}}",
        print_style(_blocks(content)),
        *([extra] if extra else []),
    ]
    return page(content.heading, body, "\n".join(style))


def _blocks(content: Content) -> Iterator[Block]:
    yield Block(text=content.heading, size=1.35, bold=True, gap=2.5)
    yield from (Block(text=text, size=0.92) for text in (content.how, content.example) if text)
    yield Block(text="Name or number", gap=1.6)
    for part in content.parts:
        for line in part.lines:
            yield Block(text=line.text, beside=12, gap=1.1, bold=True)
            longest = max(line.answers, key=lambda a: len(a.text), default=None)
            if longest is not None:  # a grid whose cells are about a third of the width
                deep = -(-len(line.answers) // 3)
                yield from (Block(text=longest.text, beside=30, gap=0.75) for _ in range(deep))
        yield Block(text=part.adds, gap=1.1)
    yield Block(text=content.rule, bold=True, gap=4)
    yield from (Block(text="Risk", gap=0.6) for _ in range(6) if content.risks)
    yield from (Block(text=note, size=0.85, gap=0.3) for note in (content.risk_note,) if note)
    yield from (Block(text=one.on, size=0.85, gap=0.4) for one in content.judgements)
    yield Block(text=content.warning or content.baseline or "", size=0.9, gap=1.6)
    yield from (Block(text=note, size=0.85, gap=0.3) for note in content.notes)
    yield from (Block(text=fact, size=0.8, beside=6, gap=0.2) for _, fact in content.facts)
    yield Block(text="", gap=2)


def page(title: str, body: str, style: str) -> str:
    """Return a whole HTML page that loads nothing from elsewhere and runs no script."""
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{style}
</style>
</head>
<body>
<main>
{body.rstrip()}
</main>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Sheet(Drawn):
    """One page of A4 or Letter paper to fill in; as HTML, SVG, PDF or PNG."""

    card: Card
    paper: str = "a4"
    style: Style = "card"

    def __post_init__(self) -> None:
        paper_size(self.paper)

    def to_html(self) -> str:
        """Return the sheet as an HTML page to be printed from a browser."""
        return sheet_html(self.card, self.paper, style=self.style)

    def _faces(self) -> FaceWriters:
        drawn = pictures(lambda show: sheet_drawing(self.card, self.paper, show, style=self.style))
        return {".html": self.to_html, **drawn}
