"""The card and its printable sheet as pictures, in the look of the HTML card."""

from dataclasses import dataclass, field

from supersparse.base.errors import InvalidOptionError
from supersparse.card.card import Card
from supersparse.show.document.blocks import Facts, Paragraph, Questions, ShownLine, TableBlock, Title
from supersparse.show.document.content import Content, Style, content_of
from supersparse.show.document.drawing import Box, Drawing, Show, Stroke, Text, text_width, wrapped

INK, FAINT, LINE, SOFT, TINT, WHITE = "#16202b", "#52606f", "#c9d1d9", "#eef4f7", "#dcebf2", "#ffffff"
WARNING = "#7c2d12"


@dataclass(slots=True, kw_only=True)
class Page:
    """Parts drawn so far and how far down they reach. All sizes are multiplied by `scale`."""

    width: float
    margin: float
    show: Show
    scale: float = 1.0
    y: float = 0.0
    parts: list[Text | Stroke | Box] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.y = self.margin

    @property
    def left(self) -> float:
        return self.margin

    @property
    def right(self) -> float:
        return self.width - self.margin

    def skip(self, height: float) -> None:
        self.y += height * self.scale

    def rule(self, thickness: float = 0.6, colour: str = LINE) -> None:
        self.parts.append(Stroke(x1=self.left, y1=self.y, x2=self.right, y2=self.y, thickness=thickness, colour=colour))

    def paragraph(self, text: str, size: float, *, bold: bool = False, colour: str = INK, indent: float = 0.0) -> None:
        size *= self.scale
        left = self.left + indent
        for line in wrapped(self.show(text), self.right - left, size, bold=bold):
            self.y += size
            self.parts.append(Text(x=left, y=self.y, text=line, size=size, bold=bold, colour=colour))
            self.y += 0.35 * size

    def cell(self, text: str, x: float, limit: float, size: float, *, bold: bool = False, colour: str = INK) -> float:
        """Write a wrapped text with its top at the line reached, and return where it ends."""
        size *= self.scale
        y = self.y
        for i, line in enumerate(wrapped(self.show(text), limit, size, bold=bold)):
            y += (1.3 if i else 1.0) * size
            self.parts.append(Text(x=x, y=y, text=line, size=size, bold=bold, colour=colour))
        return y

    def at_right(self, text: str, x: float, size: float, *, bold: bool = False, colour: str = INK) -> None:
        """Write a short text that ends at x, on the line reached."""
        size *= self.scale
        self.parts.append(Text(x=x, y=self.y, text=self.show(text), size=size, bold=bold, colour=colour, anchor="end"))

    def centred(self, text: str, x: float, size: float, *, bold: bool = False, colour: str = INK) -> None:
        """Write a short text around x, on the line reached."""
        size *= self.scale
        self.parts.append(
            Text(x=x, y=self.y, text=self.show(text), size=size, bold=bold, colour=colour, anchor="middle")
        )

    def box(
        self, x: float, y: float, width: float, height: float, *, fill: str = WHITE, edge: str = FAINT,
        thickness: float = 0.9, radius: float = 0.0,
    ) -> None:  # fmt: skip
        self.parts.append(
            Box(x=x, y=y, width=width, height=height, fill=fill, edge=edge, thickness=thickness, radius=radius)
        )

    def text_width(self, text: str, size: float, *, bold: bool = False) -> float:
        return text_width(self.show(text), size * self.scale, bold=bold)

    def done(self, title: str, height: float | None = None) -> Drawing:
        """Return the drawing, as high as its content unless a height is given."""
        high = self.y + self.margin if height is None else height
        return Drawing(width=self.width, height=high, title=title, parts=tuple(self.parts))


_WIDTH, _MARGIN = 480.0, 18.0
_SIZE, _SMALL = 10.0, 7.75
PAPERS = {"a4": (595.28, 841.89), "letter": (612.0, 792.0)}  # points
_SHEET_MARGIN = 45.0
_SHRINK = 0.95


def card_drawing(card: Card, show: Show = str, *, style: Style = "card") -> Drawing:
    """Lay the card out; `show` replaces what the painter cannot draw."""
    content = content_of(card, style)
    page = Page(width=_WIDTH, margin=_MARGIN, show=show)
    _fill(content, page, to_fill_in=False)
    return page.done(content.heading)


def sheet_drawing(card: Card, paper: str = "a4", show: Show = str, *, style: Style = "card") -> Drawing:
    """Lay the sheet out on one page, smaller when there is much to say."""
    content = content_of(card, style).at_the_bedside
    width, height = paper_size(paper)
    scale = 1.1
    while True:
        page = Page(width=width, margin=_SHEET_MARGIN, show=show, scale=scale)
        _fill(content, page, to_fill_in=True)
        if page.y <= height - _SHEET_MARGIN:
            return page.done(content.heading, height)
        scale *= _SHRINK


def paper_size(paper: str) -> tuple[float, float]:
    size = PAPERS.get(str(paper).lower())
    if size is None:
        raise InvalidOptionError(subject="paper", value=paper, remedy="it must be 'a4' or 'letter'")
    return size


def _fill(content: Content, page: Page, *, to_fill_in: bool) -> None:
    for block in content.blocks:
        match block:
            case Title():
                page.paragraph(block.text, 15, bold=True)
            case Questions():
                if to_fill_in:
                    _who(page)
                _questions(block, page)
            case TableBlock():
                _bands(block, page)
            case Facts():
                _facts(block, page)
            case Paragraph(look="rule"):
                page.skip(8)
                page.paragraph(block.text, _SIZE + 1, bold=True)
            case Paragraph(look="warning"):
                page.paragraph(block.text, _SMALL + 1, bold=True, colour=WARNING)
            case Paragraph():
                page.skip(1.5)
                page.paragraph(block.text, _SMALL if block.look == "note" else _SIZE - 1, colour=FAINT)


def _who(page: Page) -> None:
    page.skip(12 + _SIZE)
    middle = page.left + 0.62 * (page.right - page.left)
    for label, start, end in (("Name or number", page.left, middle - 16), ("Date", middle, page.right)):
        page.parts.append(Text(x=start, y=page.y, text=label, size=_SIZE * page.scale, colour=INK))
        line = start + page.text_width(label, _SIZE) + 6
        page.parts.append(Stroke(x1=line, y1=page.y + 2, x2=end, y2=page.y + 2, colour=INK))


def _questions(questions: Questions, page: Page) -> None:
    """A block a question: what it asks, its answers in boxes with their points, and a line to write on."""
    page.skip(7)
    points = [line.shown_points for line in questions.lines if not line.answers]
    widest = max((page.text_width(one, _SIZE + 1, bold=True) for one in points), default=0.0)
    widest = min(widest, (page.right - page.left) / 3)
    for part in questions.parts:
        for line in part.lines:
            page.rule()
            (_answers if line.answers else _single)(line, page, widest)
        _total(part.adds, part.total, page)
    if questions.difference is not None:
        _total(*questions.difference, page)


_TO_WRITE = 34  # the width of the line to write on


def _to_write(page: Page, y: float) -> None:
    start = page.right - _TO_WRITE * page.scale
    page.parts.append(Stroke(x1=start, y1=y, x2=page.right, y2=y, thickness=1.1, colour=INK))


def _single(line: ShownLine, page: Page, widest: float) -> None:
    """A question of yes or no, or a number that is multiplied."""
    scale = page.scale
    page.skip(6)
    top, ends = page.y, page.right - (_TO_WRITE + 10) * scale
    end = _label(line, page, ends - widest - 10 * scale - page.left)
    page.y = top + _SIZE * scale
    page.at_right(line.shown_points, ends, _SIZE + 1, bold=True)
    page.y = end
    _to_write(page, end + 1)
    page.skip(7)


_NUMBER = 14  # the width of the number of a question


def _label(line: ShownLine, page: Page, limit: float) -> float:
    """Write the number and the text of a question, and return where it ends."""
    indent = max(_NUMBER * page.scale, page.text_width(f"{line.number}. ", _SIZE - 2))
    page.cell(f"{line.number}.", page.left, limit, _SIZE - 2, colour=FAINT)
    return page.cell(line.text, page.left + indent, limit - indent, _SIZE, bold=True)


def _answers(line: ShownLine, page: Page, _: float) -> None:
    scale = page.scale
    page.skip(5)
    whole = page.right - page.left
    label, start = 0.27 * whole, page.left + 0.29 * whole
    room = page.right - (_TO_WRITE + 8) * scale - start
    needed = max(page.text_width(one.text, _SIZE - 1.5) for one in line.answers) + 10 * scale
    across = max(1, min(4, int(room // needed), len(line.answers)))
    width, gap = room / across, 4 * scale
    start_of_line = first = len(page.parts)
    top = page.y
    for k in range(0, len(line.answers), across):
        start_of_row, deepest = page.y, page.y
        for column, one in enumerate(line.answers[k : k + across]):
            page.y = start_of_row + 2.5 * scale
            middle = start + column * width + (width - gap) / 2
            for text in wrapped(page.show(one.text), width - gap - 4 * scale, (_SIZE - 1.5) * scale):
                page.skip(_SIZE)
                page.parts.append(
                    Text(x=middle, y=page.y, text=text, size=(_SIZE - 1.5) * scale, colour=FAINT, anchor="middle")
                )
            page.skip(_SIZE + 2)
            page.centred(one.points, middle, _SIZE + 1.5, bold=True)
            deepest = max(deepest, page.y + 4 * scale)
        for column in range(len(line.answers[k : k + across])):
            frame = Box(
                x=start + column * width, y=start_of_row, width=width - gap, height=deepest - start_of_row,
                fill=WHITE, edge=LINE, radius=3 * scale,
            )  # fmt: skip
            page.parts.insert(first, frame)
            first += 1
        page.y = deepest + 3 * scale
    end, size, answers = page.y - 3 * scale, _SIZE * scale, page.parts[start_of_line:]
    del page.parts[start_of_line:]  # the question comes first for whoever reads or copies the text
    deep = 1.3 * size * len(wrapped(page.show(line.text), label - _NUMBER * scale, size, bold=True))
    page.y = top + max(0.0, (end - top - deep) / 2)
    end = max(_label(line, page, label), end)
    page.parts += answers
    _to_write(page, end - 3 * scale)
    page.y = end
    page.skip(5)


def _total(what: str, name: str, page: Page) -> None:
    scale = page.scale
    page.rule(1.4, INK)
    page.skip(5)
    wide, high = 50 * scale, 20 * scale
    top = page.y
    page.box(page.right - wide, top, wide, high, edge=INK, thickness=1.3, radius=3 * scale)
    page.y = top + 14 * scale
    page.parts.append(Text(x=page.left, y=page.y, text=page.show(what), size=_SIZE * scale, colour=FAINT))
    page.at_right(name, page.right - wide - 8 * scale, _SIZE + 1.5, bold=True)
    page.y = top + high + 6 * scale


def _bands(table: TableBlock, page: Page) -> None:
    """A small table of bands; those of the positive class are tinted."""
    scale = page.scale
    page.skip(8)
    page.paragraph(table.caption, _SIZE, bold=True)
    page.skip(1)
    label = max(46 * scale, *(page.text_width(row[0], _SMALL) + 8 * scale for row in (table.header, *table.rows)))
    width = (page.right - page.left - label) / max(1, len(table.header) - 1)
    for n, (name, *cells) in enumerate((table.header, *table.rows)):
        widest = max(page.text_width(cell, _SMALL, bold=True) for cell in cells)
        size = min(_SMALL + 0.6, _SMALL * width / (widest + 3))
        top, high = page.y, 16 * scale
        page.box(page.left, top, label, high, fill=SOFT, edge=LINE, thickness=0.7)
        page.parts.append(
            Text(x=page.left + 4 * scale, y=top + 11 * scale, text=name, size=_SMALL * scale, colour=FAINT)
        )
        page.y = top + 11 * scale
        for k, cell in enumerate(cells):
            x, marked = page.left + label + k * width, bool(table.marked) and table.marked[k + 1]
            page.box(x, top, width, high, fill=TINT if marked else WHITE, edge=LINE, thickness=0.7)
            page.centred(cell, x + width / 2, size, bold=marked or n == 1)
        page.y = top + high
    for note in table.notes:
        page.skip(1.5)
        page.paragraph(note, _SMALL, colour=FAINT)


def _facts(block: Facts, page: Page) -> None:
    """Two columns of names and facts, ruled off."""
    scale, rows = page.scale, block.rows
    page.skip(6)
    half = -(-len(rows) // 2)
    gap = 16 * scale
    width = (page.right - page.left - gap) / 2
    top = page.y
    for column, part in enumerate((rows[:half], rows[half:])):
        page.y = top
        x = page.left + column * (width + gap)
        for name, text in part:
            page.parts.append(Stroke(x1=x, y1=page.y, x2=x + width, y2=page.y, colour=LINE))
            page.skip(11)
            page.parts.append(Text(x=x, y=page.y, text=page.show(name), size=_SMALL * scale, colour=FAINT))
            size = min(_SMALL, _SMALL * (width - page.text_width(name, _SMALL) - 6) / page.text_width(text, _SMALL))
            page.at_right(text, x + width, size)
            page.skip(3)
    page.y = top + 14 * scale * half
    page.skip(4)
