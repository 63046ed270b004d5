"""The card and its printable sheet as pictures, in the look of the HTML card."""

from dataclasses import dataclass, field

from supersparse.base.errors import InvalidOptionError
from supersparse.card.card import Card
from supersparse.card.evidence import CERTIFICATE, COUNTS, EDITED, in_one_line
from supersparse.show.document.content import Content, ShownLine, Style, content_of
from supersparse.show.document.drawing import Box, Drawing, Show, Stroke, Text, text_width, wrapped
from supersparse.show.document.risk_strip import ink_on, risk_colour

INK, FAINT, LINE, ACCENT, SOFT, WHITE = "#17202b", "#52606f", "#c9d2dc", "#0d4f52", "#eef3f3", "#ffffff"
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
_SMALL_PRINT = ("Proof", "Errors", COUNTS, CERTIFICATE, EDITED)
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
    _head(content, page)
    if to_fill_in:
        _who(page)
    page.skip(6)
    _lines(content, page)
    _results(content, page)
    _risks(content, page)
    _evidence(content, page)
    page.skip(6)
    if content.warning:
        page.paragraph(f"Warning: {content.warning}", _SMALL + 1, bold=True, colour=WARNING)
    small = [*([content.baseline] if content.baseline and not content.warning else []), *content.notes]
    small += [in_one_line(label, fact) for label, fact in content.facts if label in _SMALL_PRINT]
    for sentence in small:
        page.paragraph(sentence, _SMALL, colour=FAINT)


def _head(content: Content, page: Page) -> None:
    """The title and how to add up, in white on the card's colour."""
    first = len(page.parts)
    top = page.y
    page.skip(8)
    inset = 10 * page.scale
    page.margin += inset
    page.paragraph(content.heading, 14, bold=True, colour=WHITE)
    for text in (content.how, content.example):
        if text:
            page.paragraph(text, _SIZE - 1, colour=WHITE)
    page.margin -= inset
    page.skip(7)
    head = Box(
        x=page.left, y=top, width=page.right - page.left, height=page.y - top, fill=ACCENT, edge=ACCENT,
        radius=5 * page.scale,
    )  # fmt: skip
    page.parts.insert(first, head)


def _who(page: Page) -> None:
    page.skip(12 + _SIZE)
    middle = page.left + 0.62 * (page.right - page.left)
    for label, start, end in (("Name or number", page.left, middle - 16), ("Date", middle, page.right)):
        page.parts.append(Text(x=start, y=page.y, text=label, size=_SIZE * page.scale, colour=INK))
        line = start + page.text_width(label, _SIZE) + 6
        page.parts.append(Stroke(x1=line, y1=page.y + 2, x2=end, y2=page.y + 2, colour=INK))


def _lines(content: Content, page: Page) -> None:
    if not content.parts:
        return
    numbers = page.left + page.text_width(f"{len(content.lines)}.", _SIZE)
    start = numbers + 7 * page.scale
    widest = max((page.text_width(line.shown_points, _SIZE, bold=True) for line in content.lines), default=0.0)
    widest = min(widest, (page.right - start) / 3)
    for part in content.parts:
        for line in part.lines:
            _line(line, page, numbers, start, widest)
        _total(part.adds, part.total, page, start)
    if content.difference is not None:
        _total(*content.difference, page, start)


def _line(line: ShownLine, page: Page, numbers: float, start: float, worth: float) -> None:
    scale = page.scale
    page.skip(6)
    top = page.y
    side = 9 * scale
    room = (44 * scale if line.times else side) + 8 * scale
    limit = page.right - start - (0 if line.answers else worth + room + 14 * scale)
    page.y = top + _SIZE * scale
    page.at_right(f"{line.number}.", numbers, _SIZE, colour=FAINT)
    page.y = top
    end = page.cell(line.text, start, limit, _SIZE, bold=True)
    page.y = top + _SIZE * scale
    if not line.answers:
        page.at_right(line.shown_points, page.right - 6 * scale, _SIZE, bold=True)
        x = page.right - 6 * scale - worth - room
        if line.times:
            page.box(x, page.y - 12 * scale, 44 * scale, 16 * scale, radius=2)
        else:
            page.box(x, page.y - 8 * scale, side, side, radius=1.5)
    page.y = end
    if line.answers:
        _answers(line, page, start)
    page.skip(7)
    page.rule()


def _answers(line: ShownLine, page: Page, start: float) -> None:
    """The answers side by side where they are short, each with a circle to tick and its points."""
    scale = page.scale
    needed = max(
        page.text_width(one.text, _SIZE - 1) + page.text_width(one.points, _SIZE - 1, bold=True)
        for one in line.answers
    ) + 36 * scale  # fmt: skip
    wide = page.right - start
    across = max(1, min(4, int(wide // needed), len(line.answers)))
    width = wide / across
    page.skip(6)
    for k in range(0, len(line.answers), across):
        first, top = len(page.parts), page.y
        deepest = top
        for column, one in enumerate(line.answers[k : k + across]):
            x = start + column * width
            worth = page.text_width(one.points, _SIZE - 1, bold=True)
            page.y = top + 5 * scale
            limit = width - worth - 36 * scale
            end = page.cell(one.text, x + 18 * scale, limit, _SIZE - 1)
            page.y += (_SIZE - 1) * scale
            page.at_right(one.points, x + width - 12 * scale, _SIZE - 1, bold=True)
            radius = 3.6 * scale
            page.box(x + 6 * scale, page.y - 7 * scale, 2 * radius, 2 * radius, radius=radius)
            deepest = max(deepest, end)
        for column in range(len(line.answers[k : k + across])):
            frame = Box(
                x=start + column * width, y=top, width=width - 5 * scale, height=deepest + 6 * scale - top,
                edge=LINE, radius=3 * scale,
            )  # fmt: skip
            page.parts.insert(first, frame)
        page.y = deepest + 6 * scale
        page.skip(4)
    page.y -= 4 * scale


def _total(what: str, name: str, page: Page, start: float) -> None:
    scale = page.scale
    top = page.y
    page.box(page.left, top, page.right - page.left, 26 * scale, fill=SOFT, edge=SOFT)
    page.y = top + 17 * scale
    page.parts.append(Text(x=start, y=page.y, text=page.show(what), size=_SIZE * scale, bold=True, colour=INK))
    wide = 50 * scale
    page.at_right(name, page.right - wide - 12 * scale, _SIZE, bold=True)
    page.box(page.right - wide - 5 * scale, top + 4 * scale, wide, 18 * scale, edge=ACCENT, thickness=1.6)
    page.y = top + 26 * scale


def _results(content: Content, page: Page) -> None:
    """The two classes side by side, the positive one in the card's colour."""
    page.skip(10)
    if content.always is not None or content.difference is not None:
        page.paragraph(content.rule, _SIZE, bold=True)
        return
    scale, gap = page.scale, 8 * page.scale
    width = (page.right - page.left - gap) / 2
    top, first, deepest = page.y, len(page.parts), page.y
    for k, (totals, name) in enumerate(content.results):
        colour = INK if k else WHITE
        x = page.left + k * (width + gap)
        page.y = top + 7 * scale
        page.y = page.cell(name, x + 9 * scale, width - 18 * scale, _SIZE + 0.5, bold=True, colour=colour)
        page.skip(4)
        end = page.cell(f"Total {totals}", x + 9 * scale, width - 18 * scale, _SIZE - 0.5, colour=colour)
        deepest = max(deepest, end)
    for k in range(2):
        frame = Box(
            x=page.left + k * (width + gap), y=top, width=width, height=deepest + 8 * scale - top,
            fill=WHITE if k else ACCENT, edge=ACCENT, thickness=1.4, radius=4 * scale,
        )  # fmt: skip
        page.parts.insert(first, frame)
    page.y = deepest + 8 * scale


def _risks(content: Content, page: Page) -> None:
    """Totals, a bar of risks that gets darker as they rise, and the numbers of cases and events."""
    if content.risks:
        _strip(content, page)
    if content.risk_note:
        page.paragraph(content.risk_note, _SMALL, colour=FAINT)


def _strip(content: Content, page: Page) -> None:
    scale = page.scale
    page.skip(10)
    page.paragraph(f"Risk ({content.positive})", _SIZE, bold=True)
    page.skip(1)
    label = 40 * scale
    width = (page.right - page.left - label) / len(content.risks)
    for name, *cells in content.risk_rows:
        is_bar = name == "Risk"
        size, broken = _fitting(cells, width, page, bold=is_bar)
        more = (max(map(len, broken)) - 1) * 1.2 * size  # what further lines need
        top, high = page.y, ((17 if is_bar else 13) + more) * scale
        first = top + high - (more + (5 if is_bar else 3.5)) * scale
        page.parts.append(Text(x=page.left, y=first + more * scale / 2, text=name, size=_SMALL * scale, colour=FAINT))
        for k, lines in enumerate(broken):
            x = page.left + label + k * width
            colour = INK
            if is_bar:
                fill = risk_colour(content.risks[k].middle)
                colour = ink_on(fill)
                page.box(x, top, width, high, fill=fill, edge=WHITE, thickness=0.8)
            page.y = first + (more - (len(lines) - 1) * 1.2 * size) * scale / 2
            for line in lines:
                page.centred(line, x + width / 2, size, bold=is_bar, colour=colour)
                page.skip(1.2 * size)
        page.y = top + high


def _fitting(cells: list[str], width: float, page: Page, *, bold: bool) -> tuple[float, list[list[str]]]:
    """Letters in which cells fit their width, and their lines: two for a range that one makes tiny."""
    size, largest = 0.0, _SMALL + 0.6
    broken = [[cell] for cell in cells]
    for lines in (broken, [cell.replace(" to ", " to\n").split("\n") for cell in cells]):
        if size < 0.85 * _SMALL:
            widest = max(page.text_width(line, _SMALL, bold=bold) for cell in lines for line in cell)
            size, broken = min(largest, _SMALL * width / (widest + 3)), lines
    return size, broken


def _evidence(content: Content, page: Page) -> None:
    if not content.judgements:
        return
    page.skip(9)
    table = content.judgement_rows
    widths = [max(page.text_width(row[k], _SMALL) for row in table) for k in range(len(table[0]))]
    free = page.right - page.left - sum(widths)
    gap = free / (len(widths) - 1)
    size = _SMALL if gap >= 4 else _SMALL * (page.right - page.left) / (sum(widths) + 4 * len(widths))
    shrunk = size / _SMALL
    gap = max(gap, 4.0)
    for n, row in enumerate(table):
        page.skip(size + 3)
        x = page.left
        for k, cell in enumerate(row):
            colour = INK if n and k else FAINT
            page.parts.append(Text(x=x, y=page.y, text=page.show(cell), size=size * page.scale, colour=colour))
            x += widths[k] * shrunk + gap
        if n == 0:
            page.skip(3)
            page.rule()
    page.skip(2)
