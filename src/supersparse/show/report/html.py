"""The report as one HTML page without scripts or external resources, ready to print."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import count as counting

from supersparse.base.errors import PackageNotInstalledError
from supersparse.show.document.figures import picture_svg
from supersparse.show.document.html import card_html, page
from supersparse.show.document.pictures import paper_size
from supersparse.show.report.blocks import (
    CITATION,
    NO_PICTURE,
    Block,
    Bullets,
    CardFace,
    Figure,
    Paragraph,
    Section,
    TableBlock,
)

_PAPER = """\
@page{{size:{paper};margin:18mm 16mm 20mm;
@bottom-right{{content:"Page " counter(page) " of " counter(pages);font:8pt sans-serif;color:#555}}}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers:
    """The numbers of figures and tables that are still free."""

    figures: "counting[int]"
    tables: "counting[int]"


def report_html(title: str, subtitle: str, sections: Sequence[Section], paper: str = "a4") -> str:
    """Return the page; the same sections give the same text."""
    paper_size(paper)
    numbers = _Numbers(figures=counting(1), tables=counting(1))
    links = "\n".join(f'<li><a href="#{s.name}">{escape(s.title)}</a></li>' for s in sections)
    body = [
        f"<header>\n<h1>{escape(title)}</h1>",
        f'<p class="subtitle">{escape(subtitle)}</p>\n</header>',
        f'<nav aria-label="Contents">\n<ol>\n{links}\n</ol>\n</nav>',
        "<main>",
        *(_section(section, numbers) for section in sections),
        "</main>",
        f"<footer>{CITATION}</footer>",
    ]
    style = _PAPER.format(paper={"a4": "A4", "letter": "Letter"}[paper.lower()])
    style += files("supersparse.show.report").joinpath("report.css").read_text(encoding="utf-8").rstrip()
    return page(title, "\n".join(body), style)


_SHORT = 24  # characters; longer cells may wrap
_WORD = 16  # characters; longer words may break anywhere


def _section(section: Section, numbers: _Numbers) -> str:
    items = ", ".join(section.tripod)
    tripod = f' <span class="tripod">TRIPOD+AI {items}</span>' if items else ""
    blocks = "\n".join(_block(block, numbers) for block in section.blocks)
    title = f'<h2 id="{section.name}-title">{escape(section.title)}{tripod}</h2>'
    return (
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">\n{title}\n{blocks}\n</section>'
    )


def _block(block: Block, numbers: _Numbers) -> str:
    match block:
        case Paragraph():
            strong = ' class="strong"' if block.strong else ""
            return f"<p{strong}>{escape(block.text)}</p>"
        case Bullets():
            items = "\n".join(f"<li>{escape(item)}</li>" for item in block.items)
            return f"<ul>\n{items}\n</ul>"
        case TableBlock():
            return _table(block, next(numbers.tables))
        case Figure():
            return _figure(block, next(numbers.figures))
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
        f'<th scope="col"{kinds(k, name, heading=True)}>{escape(name)}</th>'
        for k, name in enumerate(table.header)
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
