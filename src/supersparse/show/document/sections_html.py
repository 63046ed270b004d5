"""Sections of blocks, with numbered tables and figures, as one HTML page: the report."""

from collections.abc import Iterable
from html import escape
from itertools import count as counting

from supersparse.base.errors import PackageNotInstalledError
from supersparse.show.document.blocks import Block, Bullets, CardFace, Facts, Figure, Paragraph, Section, TableBlock
from supersparse.show.document.figures import picture_svg
from supersparse.show.document.html import PAPER_NAMES, block_html, card_html, page, template
from supersparse.show.document.pictures import paper_size

NO_PICTURE = "This picture needs matplotlib: pip install matplotlib"
_PAPER = """\
@page{{size:{paper};margin:18mm 16mm 20mm;
@bottom-right{{content:"Page " counter(page) " of " counter(pages);font:8pt sans-serif;color:#555}}}}
"""


def report_html(title: str, subtitle: str, sections: Iterable[Section], footer: str, paper: str = "a4") -> str:
    """Return sections as one page, which prints on A4 or Letter."""
    paper_size(paper)
    sections = list(sections)
    numbers = counting(1), counting(1)  # of figures and tables
    links = "\n".join(f'<li><a href="#{s.name}">{escape(s.title)}</a></li>' for s in sections)
    body = [
        f"<header>\n<h1>{escape(title)}</h1>",
        f'<p class="subtitle">{escape(subtitle)}</p>\n</header>',
        f'<nav aria-label="Contents">\n<ol>\n{links}\n</ol>\n</nav>',
        *(_section(section, numbers) for section in sections),
        f"<footer>{escape(footer)}</footer>",
    ]
    style = _PAPER.format(paper=PAPER_NAMES[paper.lower()]) + template("report.css").rstrip()
    return page(title, "\n".join(body), style)


_Numbers = tuple["counting[int]", "counting[int]"]
_SHORT = 24  # characters; longer cells may wrap
_WORD = 16  # characters; longer words may break anywhere


def _section(section: Section, numbers: _Numbers) -> str:
    items = ", ".join(section.tripod)
    tripod = f' <span class="tripod">TRIPOD+AI {items}</span>' if items else ""
    blocks = "\n".join(_block(block, numbers) for block in section.blocks)
    title = f'<h2 id="{section.name}-title">{escape(section.title)}{tripod}</h2>'
    return f'<section id="{section.name}" aria-labelledby="{section.name}-title">\n{title}\n{blocks}\n</section>'


def _block(block: Block, numbers: _Numbers) -> str:
    match block:
        case Paragraph():
            look = "" if block.look == "plain" else f' class="{block.look}"'
            return f"<p{look}>{escape(block.text)}</p>"
        case Bullets():
            items = "\n".join(f"<li>{escape(item)}</li>" for item in block.items)
            return f"<ul>\n{items}\n</ul>"
        case Facts():
            return block_html(block)
        case TableBlock():
            return _table(block, next(numbers[1]))
        case Figure():
            return _figure(block, next(numbers[0]))
        case CardFace():
            return f'<div class="face">\n{card_html(block.card)}</div>'


def _table(table: TableBlock, number: int) -> str:
    def kinds(k: int, text: str, *, heading: bool = False) -> str:
        found = []
        if k >= table.text_columns:
            found.append("number")
            if not heading and len(text) <= _SHORT:
                found.append("short")
        if max(map(len, text.split()), default=0) <= _WORD:
            found.append("whole")  # break between words only
        return f' class="{" ".join(found)}"' if found else ""

    head = "".join(
        f'<th scope="col"{kinds(k, name, heading=True)}>{escape(name)}</th>' for k, name in enumerate(table.header)
    )
    rows = []
    for first, *others in table.rows:
        cells = "".join(f"<td{kinds(k, cell)}>{escape(cell)}</td>" for k, cell in enumerate(others, start=1))
        rows.append(f'<tr><th scope="row"{kinds(0, first)}>{escape(first)}</th>{cells}</tr>')
    body = "\n".join(rows)
    notes = "".join(f'\n<p class="note">{escape(note)}</p>' for note in table.notes)
    return (
        f'<div class="wide">\n<table>\n<caption>Table {number}. {escape(table.caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{notes}\n</div>"
    )


def _figure(figure: Figure, number: int) -> str:
    caption = f"<figcaption>Figure {number}. {escape(figure.caption)}</figcaption>"
    try:
        drawn = picture_svg(figure.picture, alt=figure.alt, number=number)
    except PackageNotInstalledError:
        drawn = f'<p>{escape(figure.alt)}</p>\n<p class="note">{NO_PICTURE}</p>'
    return f"<figure>\n{drawn}\n{caption}\n</figure>"
