"""The HTML faces of a card: a table for notebooks, a page, and the printable sheet."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from supersparse.card.card import Card
from supersparse.faces.content import Content, Line, content
from supersparse.faces.drawing import FaceWriters, pictures, wrapped, write
from supersparse.faces.pictures import paper_size, sheet_drawing

_WIDTH, _HEIGHT = 510, 690  # what A4 and Letter both have within margins of 15 mm, in points, and some air
_SIZES = (11.0, 10.0, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A text that is wrapped; lengths are multiples of the page's letters."""

    text: str
    size: float = 1.0
    bold: bool = False
    beside: float = 0.0  # the width of what stands beside it
    gap: float = 0.0  # above and below it together


def print_style(blocks: Iterable[Block]) -> str:
    """Return the style for printing these blocks, one below the other; lengths in rem and em follow it."""
    said = list(blocks)
    size = next((s for s in _SIZES if _height(said, s) <= _HEIGHT), _SIZES[-1])
    return f"@media print{{@page{{margin:15mm}}html{{font-size:{size:g}pt}}}}"


def _height(blocks: list[Block], size: float) -> float:
    return sum(size * (block.gap + 1.45 * block.size * _lines(block, size)) for block in blocks)


def _lines(block: Block, size: float) -> int:
    return len(wrapped(block.text, _WIDTH - block.beside * size, block.size * size, bold=block.bold))


# In currentColor and without a background, so that it suits light and dark pages alike.
STYLE = """\
.supersparse-card{max-width:46rem;line-height:1.4;text-align:left;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.supersparse-card table{border-collapse:collapse;width:100%;margin:0 0 .6rem;font-size:1em;border:0}
.supersparse-card caption{font-weight:600;font-size:1.1em;text-align:left;padding:0 0 .4rem;caption-side:top;
color:inherit}
.supersparse-card th,.supersparse-card td{padding:.25rem .5rem;vertical-align:baseline;text-align:left;
background:none;border:0;white-space:normal}
.supersparse-card td.text,.supersparse-card p,.supersparse-card dd,
.supersparse-card caption{overflow-wrap:anywhere}
.supersparse-card thead th{border-bottom:1px solid;font-weight:600}
.supersparse-card .number,.supersparse-card .points{text-align:right;white-space:nowrap}
.supersparse-card .number{width:1px;opacity:.7}
.supersparse-card .points,.supersparse-card .blank{width:1px}
.supersparse-card .blank{letter-spacing:.1em;opacity:.5;white-space:nowrap}
.supersparse-card tr.total>*{border-top:1px solid;border-bottom:1px solid;font-weight:600}
.supersparse-card p{margin:.2rem 0}
.supersparse-card .rule{font-weight:600}
.supersparse-card .note,.supersparse-card dl{font-size:.85em;opacity:.8}
.supersparse-card dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.6rem 0 0}
.supersparse-card dt{font-weight:600}
.supersparse-card dd{margin:0}"""

# Notebooks would typeset a name such as $x$; these are the names by which MathJax 2 and 3 leave text alone.
_NO_MATH = "tex2jax_ignore mathjax_ignore"
_BLANK = '<td class="blank">......</td>'


def card_html(card: Card) -> str:
    """Return the card as a piece of HTML with its own style, for a notebook or a page of yours."""
    said = content(card)
    body = [*_table(said), *(f"<p>{escape(said.how)}</p>" for _ in said.parts[:1])]
    body.append(f'<p class="rule">{escape(said.rule)}</p>')
    body += [f'<p class="note">{escape(note)}</p>' for note in said.notes]
    if said.facts:
        facts = "\n".join(f"<dt>{label}</dt><dd>{escape(fact)}</dd>" for label, fact in said.facts)
        body.append(f"<dl>\n{facts}\n</dl>")
    return "\n".join(
        [f'<div class="supersparse-card {_NO_MATH}">', f"<style>\n{STYLE}\n</style>", *body, "</div>", ""]
    )


def card_page(card: Card) -> str:
    """Return the card as a whole HTML page, which prints on one sheet of paper."""
    said = content(card)
    style = [
        "body{margin:2rem}",
        "@media print{body{margin:0}body .supersparse-card{max-width:none}tr{break-inside:avoid}}",
        print_style(_blocks(said)),
    ]
    return page(said.heading, card_html(card), "\n".join(style))


def _blocks(said: Content) -> Iterator[Block]:
    yield Block(text=said.heading, size=1.1, bold=True, gap=0.4)
    yield Block(text="feature", gap=0.5)
    for part in said.parts:
        yield from (Block(text=line.text, beside=15, gap=0.5) for line in part.lines)
        yield Block(text=part.adds, gap=0.6)
    yield from (Block(text=said.how, gap=1.6) for _ in said.parts)
    yield Block(text=said.rule, bold=True, gap=0.4)
    yield from (Block(text=note, size=0.85, gap=0.4) for note in said.notes)
    yield from (Block(text=fact, size=0.85, beside=9, gap=0.1) for _, fact in said.facts)


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
{body.rstrip()}
</body>
</html>
"""


def _table(said: Content) -> list[str]:
    caption = escape(said.heading)
    if not said.parts:
        return [f"<p><strong>{caption}</strong></p>"]
    rows = [
        "<table>",
        f"<caption>{caption}</caption>",
        '<thead><tr><th></th><th scope="col">feature</th><th scope="col" class="points">points</th>'
        "<th></th></tr></thead>",
    ]
    for part in said.parts:
        rows.append("<tbody>")
        rows += [
            f'<tr><td class="number">{line.number}.</td><td class="text">{escape(line.text)}</td>'
            f'<td class="points">{line.shown_points}</td>{_BLANK}</tr>'
            for line in part.lines
        ]
        rows += [_total(part.adds, part.total), "</tbody>"]
    if said.difference is not None:
        rows += ["<tbody>", _total(*said.difference), "</tbody>"]
    return [*rows, "</table>"]


def _total(what: str, name: str) -> str:
    return (
        f'<tr class="total"><td></td><td class="text">{what}</td><td class="points">{name}</td>{_BLANK}</tr>'
    )


_STYLE = """\
@page{{size:{paper};margin:15mm}}
*{{box-sizing:border-box}}
body{{max-width:180mm;margin:1rem auto;color:#000;background:#fff;
font:11pt/1.3 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}}
@media print{{body{{margin:0 auto;font-size:{print_size}pt}}}}
h1{{font-size:1.35em;margin:0 0 .8em;overflow-wrap:anywhere}}
.who{{display:flex;gap:1.5em;margin-bottom:1em}}
.who span{{flex:1;display:flex;gap:.5em}}
.who span:first-child{{flex:2}}
.who span::after{{content:"";flex:1;border-bottom:1px solid #000}}
table{{border-collapse:collapse;width:100%;border-top:2px solid #000;border-bottom:2px solid #000}}
th,td{{text-align:left;padding:{padding}em .4em;vertical-align:middle}}
thead th,tr.total>*{{border-bottom:1px solid #000}}
tr.total>*{{border-top:1px solid #000;font-weight:bold}}
tr{{break-inside:avoid}}
.text{{overflow-wrap:anywhere}}
.number,.points,.answer{{text-align:right;white-space:nowrap;width:1px}}
.result{{white-space:nowrap;width:1px}}
.box{{display:inline-block;width:4.6em;height:1.7em;border:1px solid #000;vertical-align:middle}}
.tick{{display:inline-block;width:1em;height:1em;border:1.2px solid #000;vertical-align:-.1em}}
tr.total .box{{border-width:2px}}
.class{{font-weight:bold;margin:.5em 0;overflow-wrap:anywhere}}
.note{{font-size:.8em;margin:.2em 0;color:#444;overflow-wrap:anywhere}}"""

_BOX, _TICK = '<span class="box"></span>', '<span class="tick"></span>'
_ROOMY = 14  # lines that fit a page at full size


def sheet_html(card: Card, paper: str = "a4") -> str:
    """Return the sheet as a page that prints on one sheet of A4 or Letter paper."""
    paper_size(paper)
    said = content(card)
    squeeze = min(1.0, _ROOMY / (len(said.lines) or 1))
    style = _STYLE.format(
        paper={"a4": "A4", "letter": "Letter"}[paper.lower()],
        print_size=round(11 * max(squeeze, 0.75), 1),
        padding=round(0.3 * squeeze, 2),
    )
    body = [
        f"<h1>{escape(said.heading)}</h1>",
        '<div class="who"><span>Name or number</span><span>Date</span></div>',
    ]
    if said.parts:
        body += [*_sheet_table(said), f"<p>{escape(said.how)}</p>", *_classes(said)]
    else:
        body.append(f'<p class="class">{escape(said.rule)}</p>')
    body += [f'<p class="note">{escape(note)}</p>' for note in said.notes]
    return page(said.heading, "\n".join(body), style)


def _sheet_table(said: Content) -> list[str]:
    rows = [
        "<table>",
        '<thead><tr><th></th><th scope="col">feature</th><th></th>'
        '<th scope="col" class="points">points</th><th></th></tr></thead>',
        "<tbody>",
    ]
    for part in said.parts:
        rows += map(_row, part.lines)
        rows.append(_sheet_total(part.adds, part.total))
    if said.difference is not None:
        rows.append(_sheet_total(*said.difference))
    return [*rows, "</tbody>", "</table>"]


def _row(line: Line) -> str:
    return (
        f'<tr><td class="number">{line.number}.</td><td class="text">{escape(line.text)}</td>'
        f'<td class="answer">{_BOX if line.times else _TICK}</td>'
        f'<td class="points">{line.shown_points}</td><td class="result">= {_BOX}</td></tr>'
    )


def _sheet_total(what: str, name: str) -> str:
    return (
        f'<tr class="total"><td></td><td class="text" colspan="2">{what}</td>'
        f'<td class="points">{name}</td><td class="result">= {_BOX}</td></tr>'
    )


def _classes(said: Content) -> list[str]:
    return [f'<p class="class">{_TICK} {escape(f"{words}: {name}")}</p>' for words, name in said.answers]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page of A4 or Letter paper; as HTML, SVG, PDF or PNG."""

    card: Card
    paper: str = "a4"

    def __post_init__(self) -> None:
        paper_size(self.paper)

    def to_html(self) -> str:
        """Return the sheet as an HTML page to be printed from a browser."""

        return sheet_html(self.card, self.paper)

    def to_svg(self) -> str:
        """Return the sheet as SVG."""
        return str(self._faces()[".svg"]())

    def save(self, path: str | Path) -> None:
        """Write the sheet: the name ends in .html, .pdf, .svg or .png; the last but SVG need matplotlib."""
        write(self._faces(), path)

    def _faces(self) -> FaceWriters:
        drawn = pictures(lambda show: sheet_drawing(self.card, self.paper, show))
        return {".html": self.to_html, **drawn}

    def _repr_svg_(self) -> str:
        return self.to_svg()
