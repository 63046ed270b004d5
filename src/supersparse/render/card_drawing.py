"""The card as a picture: a table with dotted places for the points, the rule, the proof in small print."""

from supersparse.card.card import Card
from supersparse.render.content import Content, content
from supersparse.render.drawing import Drawing, Show, Stroke
from supersparse.render.page import Page

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
