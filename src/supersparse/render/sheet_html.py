"""The printable sheet as an HTML page: boxes to tick, to fill in and to add up, on one sheet of paper."""

from html import escape

from supersparse.card.card import Card
from supersparse.render.content import Content, Line, content
from supersparse.render.html import page
from supersparse.render.sheet_drawing import paper_size

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
        body += [*_table(said), f"<p>{escape(said.how)}</p>", *_classes(said)]
    else:
        body.append(f'<p class="class">{escape(said.rule)}</p>')
    body += [f'<p class="note">{escape(note)}</p>' for note in said.notes]
    return page(said.heading, "\n".join(body), style)


def _table(said: Content) -> list[str]:
    rows = [
        "<table>",
        '<thead><tr><th></th><th scope="col">feature</th><th></th>'
        '<th scope="col" class="points">points</th><th></th></tr></thead>',
        "<tbody>",
    ]
    for part in said.parts:
        rows += map(_row, part.lines)
        rows.append(_total(part.adds, part.total))
    if said.difference is not None:
        rows.append(_total(*said.difference))
    return [*rows, "</tbody>", "</table>"]


def _row(line: Line) -> str:
    return (
        f'<tr><td class="number">{line.number}.</td><td class="text">{escape(line.text)}</td>'
        f'<td class="answer">{_BOX if line.times else _TICK}</td>'
        f'<td class="points">{line.shown_points}</td><td class="result">= {_BOX}</td></tr>'
    )


def _total(what: str, name: str) -> str:
    return (
        f'<tr class="total"><td></td><td class="text" colspan="2">{what}</td>'
        f'<td class="points">{name}</td><td class="result">= {_BOX}</td></tr>'
    )


def _classes(said: Content) -> list[str]:
    return [f'<p class="class">{_TICK} {escape(f"{words}: {name}")}</p>' for words, name in said.answers]
