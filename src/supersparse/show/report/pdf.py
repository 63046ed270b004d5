"""The report as a PDF file, with reportlab, which is loaded when used."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from io import BytesIO
from itertools import groupby
from typing import Any

from supersparse.base.errors import PackageNotInstalledError
from supersparse.show.document.drawing import Box, Drawing, Stroke, Text, character_code, font_files
from supersparse.show.document.figures import picture_png
from supersparse.show.document.pictures import card_drawing, paper_size
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

try:
    from reportlab import platypus
    from reportlab.lib.colors import HexColor
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFError, TTFont
except ImportError as error:
    raise PackageNotInstalledError(
        "PDF reports need reportlab: pip install reportlab", "or print the HTML page"
    ) from error

_SIDE, _TOP, _FOOT = 54.0, 54.0, 64.0  # margins; all lengths are in points
_BLACK, _GREY, _PALE = "#1a1a1a", "#555555", "#cccccc"
_CELL, _PAD = 8.0, 4.0  # font size and padding of table cells
_KEPT = 0.4  # a table up to this share of a page is not split
_START = 120.0  # a longer table starts with at least this much below its heading


def report_pdf(title: str, subtitle: str, sections: Sequence[Section], paper: str = "a4") -> bytes:
    """Return the file; the same sections give the same bytes."""
    size = paper_size(paper)
    pictures = [_png(block) for section in sections for block in section.blocks if isinstance(block, Figure)]
    # The contents have the same height before the page numbers are known, so two passes are enough.
    draft = _Document(BytesIO(), title, size)
    draft.build(_Story(draft, pictures).of(title, subtitle, sections, {}))
    target = BytesIO()
    final = _Document(target, title, size, total=draft.page)
    final.build(_Story(final, pictures).of(title, subtitle, sections, draft.page_of))
    return target.getvalue()


def _png(figure: Figure) -> bytes | None:
    try:
        return picture_png(figure.picture)
    except PackageNotInstalledError:
        return None


class _Document(platypus.BaseDocTemplate):  # type: ignore[misc]
    """One-column pages with a footer, and a bookmark for each section."""

    def __init__(self, target: BytesIO, title: str, size: tuple[float, float], total: int = 0) -> None:
        super().__init__(target, pagesize=size, title=title, invariant=1, lang="en")
        self.total = total
        self.page_of: dict[str, int] = {}
        self.across, self.down = size[0] - 2 * _SIDE, size[1] - _TOP - _FOOT
        column = platypus.Frame(_SIDE, _FOOT, self.across, self.down, *[0] * 4)
        self.addPageTemplates(platypus.PageTemplate(frames=[column], onPage=self._footer))

    def afterFlowable(self, flowable: Any) -> None:  # noqa: N802
        section = getattr(flowable, "section", None)
        if section is not None:
            self.page_of[section.name] = self.page
            self.canv.bookmarkPage(section.name)
            self.canv.addOutlineEntry(section.title, section.name)

    def _footer(self, canvas: Any, _: object) -> None:
        size, right, y = 7.5, _SIDE + self.across, _FOOT - 26
        number = f"Page {self.page} of {self.total}"
        title, room = self.title[:200], self.across - _width(number, size) - 24
        while _width(title, size) > room:
            title = title.removesuffix("\u2026")[:-1] + "\u2026"
        canvas.setStrokeColor(_PALE)
        canvas.setLineWidth(0.5)
        canvas.line(_SIDE, y + 12, right, y + 12)
        canvas.setFillColor(_GREY)
        _write(canvas, title, _SIDE, y, size)
        _write(canvas, number, right - _width(number, size), y, size)


class _Story:
    """Builds the flowables of a report for one pass."""

    def __init__(self, document: _Document, pictures: Sequence[bytes | None]) -> None:
        self._across, self._down = document.across, document.down
        self._pictures, self._figures, self._tables = pictures, 0, 0

    def of(self, title: str, subtitle: str, sections: Sequence[Section], page_of: Mapping[str, int]) -> list[Any]:
        story = [
            _paragraph(title, 18, bold=True),
            _paragraph(subtitle, 10, textColor=_GREY, spaceBefore=4, spaceAfter=8),
            platypus.HRFlowable(width="100%", thickness=1.5, color=_BLACK, spaceBefore=0, spaceAfter=8),
            self._contents(sections, page_of),
        ]
        for section in sections:
            heading = _heading(section)
            for block in section.blocks:
                for part, most in self._parts(block):
                    whole = [*heading, *part]
                    height = sum(f.wrap(self._across, self._down)[1] + f.getSpaceBefore() for f in whole)
                    story.append(platypus.CondPageBreak(min(height if height <= most else _START, self._down)))
                    story += whole
                    heading = []
            story += heading
        return [*story, _small(CITATION, spaceBefore=16)]

    def _contents(self, sections: Sequence[Section], page_of: Mapping[str, int]) -> Any:
        rows = [
            [
                platypus.Paragraph(f'<a href="#{s.name}">{_markup(s.title)}</a>', _style(9)),
                _paragraph(str(page_of.get(s.name, "")), 9, alignment=2),
            ]
            for s in sections
        ]
        style = [("TOPPADDING", (0, 0), (-1, -1), 0), ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
                 ("LEFTPADDING", (0, 0), (-1, -1), 0), ("RIGHTPADDING", (0, 0), (-1, -1), 0)]  # fmt: skip
        return platypus.Table(rows, [0.6 * self._across, 30], style=style, hAlign="LEFT")

    def _parts(self, block: Block) -> Iterator[tuple[list[Any], float]]:
        """Yield flowables that belong together, and the height up to which they stay on one page."""
        match block:
            case Paragraph():
                yield [_paragraph(block.text, bold=block.strong, spaceBefore=5)], _START
            case Bullets():
                for item in block.items:
                    yield [_paragraph(item, bullet="\u2022", leftIndent=14, spaceBefore=3)], _START
            case TableBlock():
                notes = [_small(note, spaceBefore=3) for note in block.notes]
                self._tables += 1
                yield [_table(block, self._tables, self._across, self._down), *notes], _KEPT * self._down
            case Figure():
                yield self._figure(block), self._down
            case CardFace():
                yield [_Card(card_drawing(block.card, _shown), self._across, 0.9 * self._down)], self._down

    def _figure(self, figure: Figure) -> list[Any]:
        self._figures += 1
        picture = self._pictures[self._figures - 1]
        caption = _small(f"Figure {self._figures}. {figure.caption}", spaceBefore=3, spaceAfter=6)
        if picture is None:
            return [_paragraph(figure.alt, spaceBefore=8), _small(NO_PICTURE), caption]
        image = platypus.Image(BytesIO(picture), 0.74 * self._across, 0.8 * self._down, kind="proportional")
        image.hAlign, image.spaceBefore = "LEFT", 8
        return [image, caption]


def _heading(section: Section) -> list[Any]:
    rule = platypus.HRFlowable(width="100%", thickness=0.5, color=_GREY, spaceBefore=18, spaceAfter=5)
    title = _paragraph(section.title, 13, bold=True)
    title.section = section
    if not section.tripod:
        return [rule, title]
    return [rule, title, _small(f"TRIPOD+AI {', '.join(section.tripod)}")]


def _table(table: TableBlock, number: int, across: float, down: float) -> Any:
    """A table that repeats its caption and header on every page."""
    widths = _column_widths(table, across)

    def cells(row: Sequence[str], most: float, *, bold: bool = False) -> list[Any]:
        return [
            _cell(text, width - 2 * _PAD, most, bold=bold, alignment=0 if k < table.text_columns else 2)
            for k, (text, width) in enumerate(zip(row, widths, strict=True))
        ]

    # Rows cannot be split, so the repeated rows and the tallest row must fit on one page.
    caption = _cell(f"Table {number}. {table.caption}", across, 0.15 * down, size=9.5, bold=True)
    header = cells(table.header, 0.15 * down, bold=True)
    rows = [cells(row, 0.6 * down) for row in table.rows]
    style = [
        ("SPAN", (0, 0), (-1, 0)),
        ("LEFTPADDING", (0, 0), (-1, -1), _PAD),
        ("RIGHTPADDING", (0, 0), (-1, -1), _PAD),
        ("LEFTPADDING", (0, 0), (0, -1), 0),
        ("RIGHTPADDING", (-1, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 2.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("VALIGN", (0, 1), (-1, 1), "BOTTOM"),
        ("LINEBELOW", (0, 2), (-1, -2), 0.4, _PALE),
        ("LINEABOVE", (0, 1), (-1, 1), 1, _BLACK),
        ("LINEBELOW", (0, 1), (-1, 1), 0.5, _BLACK),
        ("LINEBELOW", (0, -1), (-1, -1), 1, _BLACK),
        ("LINEBELOW", (0, "splitlast"), (-1, "splitlast"), 0.5, _GREY),
    ]
    if len(rows) > 2 and max(cell.height for row in rows[-2:] for cell in row) < 0.1 * down:
        style.append(("NOSPLIT", (0, -2), (-1, -1)))  # never leave the last row alone on a page
    return platypus.Table(
        [[caption, *[""] * (len(widths) - 1)], header, *rows], widths, style=style, repeatRows=2,
        spaceBefore=10, spaceAfter=6,
    )  # fmt: skip


def _cell(text: str, width: float, most: float, *, size: float = _CELL, **style: Any) -> Any:
    """A table cell, truncated if it is too tall; the HTML page shows all of it."""
    while True:
        cell = _paragraph(text, size, **style)
        _, height = cell.wrap(width, most)
        if height <= most:
            return cell
        text = text.removesuffix("\u2026")[: int(0.9 * len(text) * most / height)] + "\u2026"


def _column_widths(table: TableBlock, across: float) -> list[float]:
    """Give each column its natural width or, if space is short, at least its longest word if possible."""
    natural, least = [], []
    for k, name in enumerate(table.header):
        texts = [(name, True), *((row[k], False) for row in table.rows)]
        natural.append(max(_width(t, _CELL, bold=b) for t, b in texts) + 2 * _PAD + 0.1)
        least.append(max(_width(w, _CELL, bold=b) for t, b in texts for w in t.split(" ")) + 2 * _PAD + 0.1)
    if sum(natural) <= across:
        natural[max(table.text_columns - 1, 0)] += across - sum(natural)
        return natural
    if sum(least) > across:
        return _shares(natural, across)
    more = _shares([n - m for n, m in zip(natural, least, strict=True)], across - sum(least))
    return [m + extra for m, extra in zip(least, more, strict=True)]


def _shares(asked: Sequence[float], room: float) -> list[float]:
    """Divide the width evenly, except for columns that need less."""
    shares = [0.0] * len(asked)
    order = sorted(range(len(asked)), key=lambda k: asked[k])
    for done, k in enumerate(order):
        shares[k] = min(asked[k], room / (len(order) - done))
        room -= shares[k]
    return shares


class _Card(platypus.Flowable):  # type: ignore[misc]
    """The card in a frame, as wide as the column unless that makes it too tall."""

    def __init__(self, drawing: Drawing, across: float, down: float) -> None:
        super().__init__()
        self._drawing = drawing
        self._scale = min(across / drawing.width, down / drawing.height)
        self.width, self.height = self._scale * drawing.width, self._scale * drawing.height
        self.spaceBefore, self.spaceAfter = 10, 6

    def draw(self) -> None:
        canvas = self.canv
        canvas.scale(self._scale, self._scale)
        canvas.setStrokeColor(_BLACK)
        canvas.roundRect(0, 0, self._drawing.width, self._drawing.height, 4)
        for part in self._drawing.parts:
            self._part(part)

    def _part(self, part: Text | Stroke | Box) -> None:
        canvas, high = self.canv, self._drawing.height
        match part:
            case Text():
                wide = _width(part.text, part.size, bold=part.bold)
                canvas.setFillColor(HexColor(part.colour))
                x = part.x - {"start": 0, "middle": wide / 2, "end": wide}[part.anchor]
                _write(canvas, part.text, x, high - part.y, part.size, bold=part.bold)
            case Stroke():
                canvas.setStrokeColor(HexColor(part.colour))
                canvas.setLineWidth(part.thickness)
                canvas.setLineCap(1 if part.dotted else 0)
                canvas.setDash([0, 3 * part.thickness] if part.dotted else [])
                canvas.line(part.x1, high - part.y1, part.x2, high - part.y2)
            case Box():
                canvas.setLineWidth(part.thickness)
                canvas.setDash([])
                canvas.setStrokeColor(HexColor(part.edge))
                canvas.setFillColor(HexColor(part.fill))
                corner = (part.x, high - part.y - part.height, part.width, part.height)
                canvas.roundRect(*corner, part.radius, fill=1)


def _style(size: float, *, bold: bool = False, **style: Any) -> ParagraphStyle:
    font = _fonts()[0]
    asked = {"fontName": font.names[bold], "fontSize": size, "leading": 1.4 * size, "textColor": _BLACK,
             "bulletFontName": font.names[0], "bulletFontSize": size, "bulletIndent": 2, **style}  # fmt: skip
    return ParagraphStyle("", **asked)


def _paragraph(text: str, size: float = 9.5, *, bold: bool = False, bullet: str | None = None, **style: Any) -> Any:
    return platypus.Paragraph(_markup(text, bold=bold), _style(size, bold=bold, **style), bulletText=bullet)


def _small(text: str, **style: Any) -> Any:
    return _paragraph(text, 8, textColor=_GREY, **style)


class _Font:
    def __init__(self, regular: Any, bold: Any) -> None:
        self._weights = regular, bold
        self.names = regular.fontName, bold.fontName
        for weight in self._weights:
            pdfmetrics.registerFont(weight)

    def has(self, c: str) -> bool:
        return all(_has(weight, c) for weight in self._weights)


def _has(font: Any, c: str) -> bool:
    if isinstance(font, TTFont):
        return ord(c) in font.face.charToGlyph
    for one in (font, *font.substitutionFonts):  # reportlab falls back from Helvetica to Symbol
        try:
            c.encode(one.encName)
        except UnicodeEncodeError:
            continue
        return True
    return False


@cache
def _fonts() -> tuple[_Font, ...]:
    """Fonts to try in turn for each character; without matplotlib, only Helvetica."""
    try:
        files = font_files()
    except PackageNotInstalledError:
        return (_Font(pdfmetrics.getFont("Helvetica"), pdfmetrics.getFont("Helvetica-Bold")),)
    fonts = []
    for k, (regular, bold) in enumerate(files):
        try:
            fonts.append(_Font(TTFont(f"report-{k}", regular), TTFont(f"report-{k}-bold", bold)))
        except TTFError:
            continue  # reportlab cannot embed these outlines
    return tuple(fonts)


@cache
def _font_of(c: str) -> _Font | None:
    return next((font for font in _fonts() if font.has(c)), None)


_ISOLATES = str.maketrans("", "", "\u2068\u2069")  # no glyphs, and reportlab does not reorder


def _shown(text: str) -> str:
    return "".join(c if _font_of(c) else character_code(c) for c in text.translate(_ISOLATES))


def _runs(text: str, *, bold: bool = False) -> Iterator[tuple[str, str]]:
    """Yield font names, each with the text to set in it."""
    for font, run in groupby(_shown(text), _font_of):
        assert font is not None  # for the type checker
        yield font.names[bold], "".join(run)


def _markup(text: str, *, bold: bool = False) -> str:
    return "".join(f'<font name="{font}">{escape(run)}</font>' for font, run in _runs(text, bold=bold))


def _width(text: str, size: float, *, bold: bool = False) -> float:
    return float(sum(pdfmetrics.stringWidth(run, font, size) for font, run in _runs(text, bold=bold)))


def _write(canvas: Any, text: str, x: float, y: float, size: float, *, bold: bool = False) -> None:
    for font, run in _runs(text, bold=bold):
        canvas.setFont(font, size)
        canvas.drawString(x, y, run)
        x += pdfmetrics.stringWidth(run, font, size)
