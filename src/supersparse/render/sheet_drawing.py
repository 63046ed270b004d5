"""The printable sheet as a picture of one page: boxes to tick, to fill in and to add up."""

from supersparse.card.card import Card
from supersparse.errors import InvalidOptionError
from supersparse.render.content import Content, Line, content
from supersparse.render.drawing import Box, Drawing, Show, Stroke, Text
from supersparse.render.page import Page

PAPERS = {"a4": (595.28, 841.89), "letter": (612.0, 792.0)}  # points
_MARGIN = 48.0
_SIZE, _SMALL = 11.0, 8.5
_BOX, _TICK, _HEIGHT = 54.0, 12.0, 20.0
_SHRINK = 0.95


def sheet_drawing(card: Card, paper: str = "a4", show: Show = str) -> Drawing:
    """Lay the sheet out on one page, smaller when there is much to say."""
    said = content(card)
    width, height = paper_size(paper)
    scale = 1.0
    while True:
        page = Page(width=width, margin=_MARGIN, show=show, scale=scale)
        _fill(said, page)
        if page.y <= height - _MARGIN:
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
        _table(said, page)
        page.skip(6)
        page.paragraph(said.how, _SIZE)
        page.skip(8)
        _results(said, page)
    else:
        page.paragraph(said.rule, _SIZE, bold=True)
    page.skip(8)
    for note in said.notes:
        page.paragraph(note, _SMALL, faint=True)


def _who(page: Page) -> None:
    """Where to write whom and when it is about."""
    size = _SIZE * page.scale
    page.y += size
    middle = page.left + 0.62 * (page.right - page.left)
    for label, start, end in (("Name or number", page.left, middle - 16), ("Date", middle, page.right)):
        page.parts.append(Text(x=start, y=page.y, text=label, size=size))
        line = start + page.text_width(label, _SIZE) + 6
        page.parts.append(Stroke(x1=line, y1=page.y + 2, x2=end, y2=page.y + 2))


def _table(said: Content, page: Page) -> None:
    scale = page.scale
    box = _BOX * scale
    numbers = page.left + page.text_width(f"{len(said.lines)}.", _SIZE)
    start = numbers + 7 * scale
    points_width = max(
        *(page.text_width(line.shown_points, _SIZE) for line in said.lines),
        *(page.text_width(name, _SIZE, bold=True) for name in ("Total A", "points")),
    )
    points = page.right - box - page.text_width("  =  ", _SIZE)
    values = points - points_width - 10 * scale  # where the box for the answer ends
    answer = _BOX if any(line.times for line in said.lines) else _TICK
    limit = values - (answer + 8) * scale - start

    def row(text: str, value: str, *, bold: bool = False) -> float:
        """Write one line of the table, boxes apart; return the middle of its last line."""
        page.skip(7)
        page.lines(text, start, limit, _SIZE, bold=bold)
        page.at_right(value, points, _SIZE, bold=bold)
        return page.y - 0.36 * _SIZE * scale

    def result(middle: float, thickness: float) -> None:
        page.at_right("=", page.right - box - 7 * scale, _SIZE)
        page.parts.append(_box(page.right - box, middle, box, _HEIGHT * scale, thickness))
        page.skip(10)

    page.rule(1.4)
    row("feature", "points", bold=True)
    page.skip(5)
    page.rule(0.6)
    page.skip(2)
    for part in said.parts:
        for line in part.lines:
            top = page.y + (7 + _SIZE) * scale
            middle = row(line.text, line.shown_points)
            page.parts.append(
                Text(x=numbers, y=top, text=f"{line.number}.", size=_SIZE * scale, anchor="end")
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
        size = _SIZE * page.scale
        page.parts.append(_box(page.left, page.y + 0.64 * size, tick, tick, 1.2))
        page.paragraph(f"{words}: {name}", _SIZE, bold=True, indent=tick + 7 * page.scale)
        page.skip(6)
