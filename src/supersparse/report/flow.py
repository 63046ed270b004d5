"""Flow: blocks of a report laid out from page to page, wrapped and broken where a page ends."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from supersparse.faces.document import Picture, Placed, Sheet, picture_height
from supersparse.faces.drawing import Anchor, Box, Drawing, Show, Stroke, Text, text_width, wrapped
from supersparse.report.blocks import Figure, Table
from supersparse.report.columns import Cell, column_widths

MARGIN, FOOT = 54.0, 64.0
_BODY, _SMALL, _CELL = 9.5, 8.0, 8.0
_LEADING = 1.38
_PAD = 3.0  # above and below a line of a table
_GAP = 10.0  # between two columns
_AFTER_HEADING = 10.0  # a gap that is no content yet


@dataclass(slots=True, kw_only=True)
class Flow:
    """Pages filled so far; `y` is how far down the last one is filled."""

    width: float
    height: float
    show: Show
    y: float = MARGIN
    parts: list[Text | Stroke | Box] = field(default_factory=list)
    pictures: list[Placed] = field(default_factory=list)
    full: list[tuple[list[Text | Stroke | Box], list[Placed]]] = field(default_factory=list)
    _heading: tuple[int, float, float] = (0, -1.0, -1.0)  # its first part, where it begins and ends

    @property
    def _room(self) -> float:
        return self.height - FOOT - self.y

    @property
    def _across(self) -> float:
        return self.width - 2 * MARGIN

    def _new_page(self) -> None:
        first, begins, ends = self._heading
        moved = self.parts[first:] if self.y <= ends + _AFTER_HEADING and begins > MARGIN else []
        self.full.append((self.parts[: len(self.parts) - len(moved)], self.pictures))
        self.parts, self.pictures, self.y = [], [], MARGIN
        if moved:  # a heading does not stay behind what it stands above
            self.parts = [_moved(part, 0.0, MARGIN - begins, 1.0) for part in moved]
            self.y = MARGIN + ends - begins
        self._heading = (0, -1.0, -1.0)

    def need(self, height: float) -> None:
        """Go on to the next page unless there is so much room on this one."""
        if height > self._room and self.y > MARGIN:
            self._new_page()

    def skip(self, height: float) -> None:
        """Leave a gap, but not at the top of a page."""
        if self.y > MARGIN:
            self.y += height

    def text(
        self,
        text: str,
        size: float = _BODY,
        *,
        bold: bool = False,
        faint: bool = False,
        indent: float = 0.0,
        mark: str = "",
    ) -> None:
        """Write a text, wrapped; `mark` stands before its first line."""
        for i, line in enumerate(wrapped(self.show(text), self._across - indent, size, bold=bold)):
            self.need(_LEADING * size)
            self.y += size
            if mark and i == 0:
                self.parts.append(Text(x=MARGIN + indent - 9, y=self.y, text=mark, size=size))
            self.parts.append(Text(x=MARGIN + indent, y=self.y, text=line, size=size, bold=bold, faint=faint))
            self.y += (_LEADING - 1) * size

    def heading(self, title: str, tripod: Sequence[str]) -> None:
        """Begin a section, with room for something below its title."""
        self.skip(16)
        self.need(96)
        first, begins = len(self.parts), self.y
        self._rule(0.6)
        self.y += 8
        self.text(title, 13, bold=True)
        if tripod:
            self.text(f"TRIPOD {', '.join(tripod)}", _SMALL, faint=True)
        self.y += 4
        self._heading = (first, begins, self.y)

    def table(self, table: Table) -> None:
        """Write a table; its heading is repeated on every page that it reaches."""
        widths = column_widths(
            [
                [Cell(self.show(c), bold=k == 0) for c in row]
                for k, row in enumerate([table.header, *table.rows])
            ],
            self._across,
            _CELL,
            _GAP,
            widen=max(table.text_columns - 1, 0),
        )
        lines = [self._wrapped_row(row, widths, bold=False) for row in table.rows]
        head = self._wrapped_row(table.header, widths, bold=True)
        above = 1.5 * _BODY + _height(head) + 12
        whole = above + sum(map(_height, lines))
        self.skip(8)
        # a table that is not long stays on one page
        self.need(whole if whole < 0.4 * self.height else above + sum(map(_height, lines[:3])))
        self.text(table.caption, _BODY, bold=True)
        self._head(head, widths, table.text_columns)
        for row in lines:
            if _height(row) > self._room and self.y > MARGIN + _height(head):
                self._rule(0.6)
                self._new_page()
                self.text(f"{table.caption} (continued)", _SMALL, faint=True)
                self._head(head, widths, table.text_columns)
            self._row(row, widths, table.text_columns, bold=False)
        self._rule(1.0)
        self.y += 3
        for note in table.notes:
            self.text(note, _SMALL, faint=True)
        self.y += 5

    def _wrapped_row(self, row: Sequence[str], widths: Sequence[float], *, bold: bool) -> list[list[str]]:
        return [wrapped(self.show(c), w, _CELL, bold=bold) for c, w in zip(row, widths, strict=True)]

    def _head(self, head: list[list[str]], widths: Sequence[float], text_columns: int) -> None:
        self.y += 2
        self._rule(1.0)
        self._row(head, widths, text_columns, bold=True)
        self._rule(0.6)

    def _row(self, row: list[list[str]], widths: Sequence[float], text_columns: int, *, bold: bool) -> None:
        left = MARGIN
        for k, (lines, width) in enumerate(zip(row, widths, strict=True)):
            for i, line in enumerate(lines):
                y = self.y + _PAD + _CELL * (1 + i * _LEADING)
                end = k >= text_columns
                place = left + (width if end else 0)
                anchor: Anchor = "end" if end else "start"
                self.parts.append(Text(x=place, y=y, text=line, size=_CELL, bold=bold, anchor=anchor))
            left += width + _GAP
        self.y += _height(row)

    def _rule(self, thickness: float) -> None:
        self.parts.append(
            Stroke(x1=MARGIN, y1=self.y, x2=self.width - MARGIN, y2=self.y, thickness=thickness)
        )

    def figure(self, figure: Figure, number: int) -> None:
        """Place a picture with its caption; both stay on one page."""
        height = self._picture_height(figure.picture)
        caption = f"Figure {number}. {figure.caption}"
        lines = len(wrapped(self.show(caption), self._across, _SMALL))
        self.skip(6)
        self.need(height + 4 + lines * _LEADING * _SMALL)
        width = min(self._across, 420.0)
        self.pictures.append(Placed(picture=figure.picture, x=MARGIN, y=self.y, width=width, height=height))
        self.y += height + 2
        self.text(caption, _SMALL, faint=True)
        self.y += 4

    def _picture_height(self, picture: Picture) -> float:
        return min(picture_height(picture), self.height - MARGIN - FOOT - 40)

    def drawing(self, drawing: Drawing) -> None:
        """Place a drawing in a frame, smaller where it would not fit."""
        scale = min(1.0, self._across / drawing.width, (self.height - MARGIN - FOOT - 8) / drawing.height)
        self.need(scale * drawing.height + 8)
        wide, high = scale * drawing.width, scale * drawing.height
        self.parts.append(Box(x=MARGIN, y=self.y, width=max(wide, self._across), height=high, thickness=1.0))
        self.parts += [_moved(part, MARGIN, self.y, scale) for part in drawing.parts]
        self.y += high + 8

    def sheets(self, title: str, footer: str) -> list[Sheet]:
        """Return the pages with their numbers."""
        pages = [*self.full, (self.parts, self.pictures)]
        found = []
        foot = self.height - FOOT + 28
        for k, (parts, pictures) in enumerate(pages, start=1):
            number = f"Page {k} of {len(pages)}"
            room = self._across - text_width(number, _SMALL) - 20
            words = wrapped(self.show(footer), room, _SMALL)[0]
            ends: list[Text | Stroke | Box] = [
                Stroke(x1=MARGIN, y1=foot - 12, x2=self.width - MARGIN, y2=foot - 12, thickness=0.4),
                Text(x=MARGIN, y=foot, text=words, size=_SMALL, faint=True),
                Text(x=self.width - MARGIN, y=foot, text=number, size=_SMALL, faint=True, anchor="end"),
            ]
            drawing = Drawing(width=self.width, height=self.height, title=title, parts=(*parts, *ends))
            found.append(Sheet(drawing=drawing, pictures=tuple(pictures)))
        return found


def _height(row: list[list[str]]) -> float:
    return 2 * _PAD + _CELL * (1 + (max(map(len, row)) - 1) * _LEADING)


def _moved(part: Text | Stroke | Box, x: float, y: float, scale: float) -> Text | Stroke | Box:
    match part:
        case Text():
            return replace(part, x=x + scale * part.x, y=y + scale * part.y, size=scale * part.size)
        case Stroke():
            return replace(
                part,
                x1=x + scale * part.x1,
                y1=y + scale * part.y1,
                x2=x + scale * part.x2,
                y2=y + scale * part.y2,
            )
        case Box():
            return replace(
                part,
                x=x + scale * part.x,
                y=y + scale * part.y,
                width=scale * part.width,
                height=scale * part.height,
            )
