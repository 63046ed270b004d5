"""The HTML face of a card: a table for notebooks, and a page of its own for a file."""

from collections.abc import Iterator
from html import escape

from supersparse.card.card import Card
from supersparse.render.content import Content, content
from supersparse.render.print_size import Block, print_style

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
