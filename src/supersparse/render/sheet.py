"""Sheet: the printable page of a card, with boxes to tick and to fill in."""

from dataclasses import dataclass
from pathlib import Path

from supersparse.card.card import Card
from supersparse.render import files
from supersparse.render.sheet_drawing import paper_size, sheet_drawing


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page of A4 or Letter paper; as HTML, SVG, PDF or PNG."""

    card: Card
    paper: str = "a4"

    def __post_init__(self) -> None:
        paper_size(self.paper)

    def to_html(self) -> str:
        """Return the sheet as an HTML page to be printed from a browser."""
        from supersparse.render.sheet_html import sheet_html

        return sheet_html(self.card, self.paper)

    def to_svg(self) -> str:
        """Return the sheet as SVG."""
        return str(self._faces()[".svg"]())

    def save(self, path: str | Path) -> None:
        """Write the sheet: the name ends in .html, .pdf, .svg or .png; the last but SVG need matplotlib."""
        files.write(self._faces(), path)

    def _faces(self) -> files.Faces:
        drawn = files.pictures(lambda show: sheet_drawing(self.card, self.paper, show))
        return {".html": self.to_html, **drawn}

    def _repr_svg_(self) -> str:
        return self.to_svg()
