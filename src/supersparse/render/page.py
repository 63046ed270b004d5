"""A page that is filled from top to bottom: paragraphs, rules and table lines become a drawing."""

from dataclasses import dataclass, field

from supersparse.render.drawing import Box, Drawing, Show, Stroke, Text, text_width, wrapped


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
