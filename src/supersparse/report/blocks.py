"""What a report is made of, before it is HTML or PDF: sections of paragraphs, lists, tables and figures.

Every text is visible text (`supersparse.data.plain`): one line without control characters, in which a
writer escapes its own special characters and nothing else.
"""

from dataclasses import dataclass
from fractions import Fraction

from supersparse.card.card import Card
from supersparse.data.plain import quoted, visible
from supersparse.errors import InvalidOptionError
from supersparse.evaluate.rates import Rate, count_text
from supersparse.evaluate.thresholds import Confusion
from supersparse.faces.figures import Picture
from supersparse.report.plan import Absent


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
class TableBlock:
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


Block = Paragraph | Bullets | TableBlock | Figure | CardFace


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One question that the report answers, and the items of TRIPOD (2015) that ask it."""

    name: str  # an identifier, for links
    title: str
    tripod: tuple[str, ...]
    blocks: tuple[Block, ...]


NONE = "\u2013"
NO_PICTURE = "The picture needs matplotlib: pip install 'supersparse[plot]'."
CITATION = (
    "Written by a program from the card and the rows it was given. TRIPOD: Collins GS, Reitsma JB, Altman "
    "DG, Moons KGM. Transparent reporting of a multivariable prediction model for individual prognosis or "
    "diagnosis (TRIPOD). Ann Intern Med 2015;162:55-63."
)


def counted(number: int, noun: str) -> str:
    """Write a number of things: 1 row, 2 rows."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def share(part: int | Fraction, whole: int | Fraction) -> str:
    """Write a part of a whole: 3 of 12 (25.0 %)."""
    percent = f" ({100 * float(Fraction(part) / Fraction(whole)):.1f} %)" if whole else ""
    return f"{count_text(Fraction(part))} of {count_text(Fraction(whole))}{percent}"


def shown_decimal(value: float | None) -> str:
    """Three digits, or a dash where there is no value."""
    return NONE if value is None else f"{value:.3f}"


def rate(found: Rate) -> str:
    """A rate with its interval, or a dash where there are no rows."""
    return NONE if found.value is None else str(found)


def error_rate(found: Confusion) -> Rate:
    """What `predict` gets wrong among all rows."""
    return Rate(events=found.predicted_errors, of=found.n, level=found.level)


def column_name(name: str) -> str:
    """A column as it is shown inside a sentence."""
    return quoted(name)


def why(missing: Absent) -> str:
    """Say that a part is not there."""
    return f"Not in this report: {visible(missing.reason)}."
