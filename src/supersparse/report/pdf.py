"""The report as a PDF file: the same blocks as on the page, laid out on paper."""

from collections.abc import Sequence
from itertools import count as counting

from supersparse.faces.document import Sheet, document_pdf
from supersparse.faces.drawing import Show, drawable
from supersparse.faces.pictures import card_drawing, paper_size
from supersparse.report.blocks import Bullets, CardFace, Figure, Paragraph, Section, Table
from supersparse.report.flow import Flow


def report_pdf(title: str, subtitle: str, sections: Sequence[Section], paper: str = "a4") -> bytes:
    """Return the file; the same sections give the same bytes."""
    return document_pdf(laid_out(title, subtitle, sections, paper, drawable), title)


def laid_out(title: str, subtitle: str, sections: Sequence[Section], paper: str, show: Show) -> list[Sheet]:
    """Return the pages; `show` replaces what the painter cannot draw."""
    width, height = paper_size(paper)
    flow = Flow(width=width, height=height, show=show)
    flow.text(title, 18, bold=True)
    flow.y += 2
    flow.text(subtitle, 10, faint=True)
    figures = counting(1)
    for section in sections:
        flow.heading(section.title, section.tripod)
        for block in section.blocks:
            match block:
                case Paragraph():
                    flow.text(block.text, bold=block.strong)
                    flow.y += 4
                case Bullets():
                    for item in block.items:
                        flow.text(item, indent=14, mark="\u2022")
                        flow.y += 2
                    flow.y += 2
                case Table():
                    flow.table(block)
                case Figure():
                    flow.figure(block, next(figures))
                case CardFace():
                    flow.drawing(card_drawing(block.card, show))
    return flow.sheets(title, title)
