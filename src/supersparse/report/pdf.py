"""The report as a PDF file: the same blocks as on the page, laid out on paper."""

from itertools import count as counting

from supersparse.render.card_drawing import card_drawing
from supersparse.render.document import Sheet, document_pdf
from supersparse.render.drawing import Show
from supersparse.render.paint import drawable
from supersparse.render.sheet_drawing import paper_size
from supersparse.report.blocks import Bullets, CardFace, Figure, Paragraph, Report, Table
from supersparse.report.flow import Flow


def report_pdf(report: Report, paper: str = "a4") -> bytes:
    """Return the file; the same report gives the same bytes."""
    return document_pdf(laid_out(report, paper, drawable), report.title)


def laid_out(report: Report, paper: str, show: Show) -> list[Sheet]:
    """Return the pages; `show` replaces what the painter cannot draw."""
    width, height = paper_size(paper)
    flow = Flow(width=width, height=height, show=show)
    flow.text(report.title, 18, bold=True)
    flow.y += 2
    flow.text(report.subtitle, 10, faint=True)
    figures = counting(1)
    for section in report.sections:
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
    return flow.sheets(report.title, report.title)
