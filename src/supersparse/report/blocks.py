"""What a report is made of, before it is HTML or PDF: sections of paragraphs, lists, tables and figures.

Every text is visible text (`supersparse.render.plain`): one line without control characters, in which a
writer escapes its own special characters and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from supersparse.card.card import Card
from supersparse.errors import InvalidOptionError
from supersparse.render.figures import Picture


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences; a strong one says what a hurried reader must not miss."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """Short statements, one a line."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a caption; the first column is text unless said otherwise, the others are numbers."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_columns: int = 1  # so many columns from the left are aligned as text
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise InvalidOptionError(
                    f"a row of {self.caption!r} has {len(row)} cells for {len(self.header)} headings"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture, with a caption and what it shows in words for those who cannot see it."""

    picture: Picture
    caption: str
    alt: str


@dataclass(frozen=True, slots=True)
class CardFace:
    """The card itself, as it is printed."""

    card: Card


Block = Paragraph | Bullets | Table | Figure | CardFace


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One question that the report answers, and the items of TRIPOD (2015) that ask it."""

    name: str  # an identifier, for links
    title: str
    tripod: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A whole report; `save` writes it. The same report gives the same bytes."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    missing: tuple[str, ...] = field(default=())  # what could not be said, and why

    def section(self, name: str) -> Section:
        """Return a section by its name."""
        for section in self.sections:
            if section.name == name:
                return section
        known = ", ".join(s.name for s in self.sections)
        raise InvalidOptionError(f"the report has no section {name!r}; it has {known}")

    def to_html(self, paper: str = "a4") -> str:
        """Return one HTML page that needs nothing else and prints on A4 or Letter."""
        from supersparse.report.html import report_html

        return report_html(self, paper)

    def to_pdf(self, paper: str = "a4") -> bytes:
        """Return the pages as a PDF file, A4 or Letter; it needs matplotlib."""
        from supersparse.report.pdf import report_pdf

        return report_pdf(self, paper)

    def save(self, path: str | Path, paper: str = "a4") -> None:
        """Write the report; the ending of the name, .html or .pdf, says in which form."""
        from supersparse.render.files import write

        write({".html": lambda: self.to_html(paper), ".pdf": lambda: self.to_pdf(paper)}, path)


def texts_of(block: Block) -> Sequence[str]:
    """All texts of a block but those of a card: to search and to check them."""
    match block:
        case Paragraph():
            return [block.text]
        case Bullets():
            return block.items
        case Table():
            return [block.caption, *block.header, *(c for row in block.rows for c in row), *block.notes]
        case Figure():
            return [block.caption, block.alt]
        case CardFace():
            return []
