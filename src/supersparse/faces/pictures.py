"""The card and its printable sheet as pictures."""

from dataclasses import dataclass, field

from supersparse.card.card import Card
from supersparse.errors import InvalidOptionError
from supersparse.faces.content import Content, Line, content
from supersparse.faces.drawing import Box, Drawing, Show, Stroke, Text, text_width, wrapped


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
        """Where text starts."""
        return self.margin

    @property
    def right(self) -> float:
        """Where text ends."""
        return self.width - self.margin

    def skip(self, height: float) -> None:
        """Leave a gap."""
        self.y += height * self.scale

    def rule(self, thickness: float, *, left: float | None = None) -> None:
        """Draw a line across."""
        x1 = self.left if left is None else left
        self.parts.append(Stroke(x1=x1, y1=self.y, x2=self.right, y2=self.y, thickness=thickness))

    def paragraph(
        self, text: str, size: float, *, bold: bool = False, faint: bool = False, indent: float = 0.0
    ) -> None:
        """Write a text, wrapped, from here on down."""
        size *= self.scale
        left = self.left + indent
        for line in wrapped(self.show(text), self.right - left, size, bold=bold):
            self.y += size
            self.parts.append(Text(x=left, y=self.y, text=line, size=size, bold=bold, faint=faint))
            self.y += 0.35 * size

    def lines(self, text: str, x: float, limit: float, size: float, *, bold: bool = False) -> None:
        """Write a wrapped text at a place in a table line, and go down by its height."""
        size *= self.scale
        for i, line in enumerate(wrapped(self.show(text), limit, size, bold=bold)):
            self.y += (1.35 if i else 1.0) * size
            self.parts.append(Text(x=x, y=self.y, text=line, size=size, bold=bold))

    def at_right(self, text: str, x: float, size: float, *, bold: bool = False) -> None:
        """Write a short text that ends at x, on the line reached."""
        self.parts.append(
            Text(x=x, y=self.y, text=self.show(text), size=size * self.scale, bold=bold, anchor="end")
        )

    def text_width(self, text: str, size: float, *, bold: bool = False) -> float:
        """How wide a text would be."""
        return text_width(self.show(text), size * self.scale, bold=bold)

    def done(self, title: str, height: float | None = None) -> Drawing:
        """Return the drawing, as high as its content unless a height is given."""
        high = self.y + self.margin if height is None else height
        return Drawing(width=self.width, height=high, title=title, parts=tuple(self.parts))


_WIDTH, _MARGIN = 460.0, 16.0
_SIZE, _SMALL = 10.0, 8.0
_BLANK = 46.0
_GAP = 14.0
_SMALL_PRINT = ("Proof", "Errors")


def card_drawing(card: Card, show: Show = str) -> Drawing:
    """Lay the card out; `show` replaces what the painter cannot draw."""
    said = content(card)
    page = Page(width=_WIDTH, margin=_MARGIN, show=show)
    page.paragraph(said.heading, 12, bold=True)
    page.skip(8)
    if said.parts:
        _table(said, page)
        page.skip(4)
        page.paragraph(said.how, _SIZE)
    page.paragraph(said.rule, _SIZE, bold=True)
    small = [*said.notes, *(f"{label}: {fact}" for label, fact in said.facts if label in _SMALL_PRINT)]
    if small:
        page.skip(4)
    for sentence in small:
        page.paragraph(sentence, _SMALL, faint=True)
    return page.done(said.heading)


def _table(said: Content, page: Page) -> None:
    numbers = page.left + page.text_width(f"{len(said.lines)}.", _SIZE)
    start = numbers + 6
    names = [part.total for part in said.parts] + ([] if said.difference is None else [said.difference[1]])
    points_width = max(
        *(page.text_width(line.shown_points, _SIZE) for line in said.lines),
        *(page.text_width(name, _SIZE, bold=True) for name in [*names, "points"]),
    )
    points_width = min(points_width, (page.right - start) / 2)
    points = page.right - _BLANK - 8
    limit = points - points_width - _GAP - start

    def row(number: str, text: str, value: str, *, bold: bool = False, blank: bool = True) -> None:
        page.skip(4)
        top = page.y + _SIZE
        page.lines(text, start, limit, _SIZE, bold=bold)
        if number:
            bottom, page.y = page.y, top
            page.at_right(number, numbers, _SIZE)
            page.y = bottom
        page.at_right(value, points, _SIZE, bold=bold)
        if blank:
            page.parts.append(
                Stroke(x1=page.right - _BLANK, y1=page.y, x2=page.right, y2=page.y, thickness=1, dotted=True)
            )
        page.skip(6)

    page.rule(1.2)
    row("", "feature", "points", bold=True, blank=False)
    page.rule(0.6)
    for part in said.parts:
        for line in part.lines:
            row(f"{line.number}.", line.text, line.shown_points)
        page.rule(0.6)
        row("", part.adds, part.total, bold=True)
        page.rule(0.6 if said.difference is not None else 1.2)
    if said.difference is not None:
        row("", *said.difference, bold=True)
        page.rule(1.2)
    page.skip(2)


PAPERS = {"a4": (595.28, 841.89), "letter": (612.0, 792.0)}  # points
_SHEET_MARGIN = 48.0
_SHEET_SIZE, _SHEET_SMALL = 11.0, 8.5
_BOX, _TICK, _HEIGHT = 54.0, 12.0, 20.0
_SHRINK = 0.95


def sheet_drawing(card: Card, paper: str = "a4", show: Show = str) -> Drawing:
    """Lay the sheet out on one page, smaller when there is much to say."""
    said = content(card)
    width, height = paper_size(paper)
    scale = 1.0
    while True:
        page = Page(width=width, margin=_SHEET_MARGIN, show=show, scale=scale)
        _fill(said, page)
        if page.y <= height - _SHEET_MARGIN:
            return page.done(said.heading, height)
        scale *= _SHRINK


def paper_size(paper: str) -> tuple[float, float]:
    """Return width and height in points."""
    size = PAPERS.get(str(paper).lower())
    if size is None:
        raise InvalidOptionError(f"paper is {paper!r}; it must be 'a4' or 'letter'")
    return size


def _fill(said: Content, page: Page) -> None:
    page.paragraph(said.heading, 15, bold=True)
    page.skip(12)
    _who(page)
    page.skip(14)
    if said.parts:
        _sheet_table(said, page)
        page.skip(6)
        page.paragraph(said.how, _SHEET_SIZE)
        page.skip(8)
        _results(said, page)
    else:
        page.paragraph(said.rule, _SHEET_SIZE, bold=True)
    page.skip(8)
    for note in said.notes:
        page.paragraph(note, _SHEET_SMALL, faint=True)


def _who(page: Page) -> None:
    """Where to write whom and when it is about."""
    size = _SHEET_SIZE * page.scale
    page.y += size
    middle = page.left + 0.62 * (page.right - page.left)
    for label, start, end in (("Name or number", page.left, middle - 16), ("Date", middle, page.right)):
        page.parts.append(Text(x=start, y=page.y, text=label, size=size))
        line = start + page.text_width(label, _SHEET_SIZE) + 6
        page.parts.append(Stroke(x1=line, y1=page.y + 2, x2=end, y2=page.y + 2))


def _sheet_table(said: Content, page: Page) -> None:
    scale = page.scale
    box = _BOX * scale
    numbers = page.left + page.text_width(f"{len(said.lines)}.", _SHEET_SIZE)
    start = numbers + 7 * scale
    points_width = max(
        *(page.text_width(line.shown_points, _SHEET_SIZE) for line in said.lines),
        *(page.text_width(name, _SHEET_SIZE, bold=True) for name in ("Total A", "points")),
    )
    points = page.right - box - page.text_width("  =  ", _SHEET_SIZE)
    values = points - points_width - 10 * scale  # where the box for the answer ends
    answer = _BOX if any(line.times for line in said.lines) else _TICK
    limit = values - (answer + 8) * scale - start

    def row(text: str, value: str, *, bold: bool = False) -> float:
        """Write one line of the table, boxes apart; return the middle of its last line."""
        page.skip(7)
        page.lines(text, start, limit, _SHEET_SIZE, bold=bold)
        page.at_right(value, points, _SHEET_SIZE, bold=bold)
        return page.y - 0.36 * _SHEET_SIZE * scale

    def result(middle: float, thickness: float) -> None:
        page.at_right("=", page.right - box - 7 * scale, _SHEET_SIZE)
        page.parts.append(_box(page.right - box, middle, box, _HEIGHT * scale, thickness))
        page.skip(10)

    page.rule(1.4)
    row("feature", "points", bold=True)
    page.skip(5)
    page.rule(0.6)
    page.skip(2)
    for part in said.parts:
        for line in part.lines:
            top = page.y + (7 + _SHEET_SIZE) * scale
            middle = row(line.text, line.shown_points)
            page.parts.append(
                Text(x=numbers, y=top, text=f"{line.number}.", size=_SHEET_SIZE * scale, anchor="end")
            )
            page.parts.append(_answer(line, values, middle, scale))
            result(middle, 0.8)
        page.rule(0.6)
        page.skip(2)
        result(row(part.adds, part.total, bold=True), 1.4)
        page.rule(0.6 if said.difference is not None else 1.4)
        page.skip(2)
    if said.difference is not None:
        result(row(*said.difference, bold=True), 2.0)
        page.rule(1.4)


def _answer(line: Line, right: float, middle: float, scale: float) -> Box:
    """A box for the value, or one to tick."""
    if line.times:
        return _box(right - _BOX * scale, middle, _BOX * scale, _HEIGHT * scale, 0.8)
    return _box(right - _TICK * scale, middle, _TICK * scale, _TICK * scale, 0.8)


def _box(x: float, middle: float, width: float, height: float, thickness: float) -> Box:
    return Box(x=x, y=middle - height / 2, width=width, height=height, thickness=thickness)


def _results(said: Content, page: Page) -> None:
    """The two classes, one to be ticked."""
    tick = _TICK * page.scale
    for words, name in said.answers:
        size = _SHEET_SIZE * page.scale
        page.parts.append(_box(page.left, page.y + 0.64 * size, tick, tick, 1.2))
        page.paragraph(f"{words}: {name}", _SHEET_SIZE, bold=True, indent=tick + 7 * page.scale)
        page.skip(6)
