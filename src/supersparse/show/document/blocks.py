"""The blocks that every document is made of: card, sheet, report. Writers (text, HTML, LaTeX) turn them into files.

Every text is visible text (`supersparse.table.plain`): one line without control characters. Writers only
escape their format's special characters.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Literal, ParamSpec

from supersparse.base.errors import InvalidOptionError
from supersparse.card.card import Card
from supersparse.table.small_table import SmallTable, Tabular, facts

if TYPE_CHECKING:  # a card needs none of what can be drawn in a report
    from supersparse.show.document.figures import Picture

TIMES = "\u00d7"
Look = Literal["plain", "strong", "rule", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Title:
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences. A strong one no reader should miss; a rule decides; notes are small."""

    text: str
    look: Look = "plain"


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableBlock(Tabular):
    """A table with a caption. The first column is text by default, the others are numbers."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_columns: int = 1  # number of columns, from the left, aligned as text
    notes: tuple[str, ...] = ()
    marked: tuple[bool, ...] = ()  # of a small table of bands: the columns that stand out

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise InvalidOptionError(
                    f"a row of {self.caption!r} has {len(row)} cells for {len(self.header)} headings"
                )

    def _brief(self) -> str:
        return self.caption

    def _small_table(self) -> SmallTable:
        return SmallTable(self.header, self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    picture: "Picture"
    caption: str
    alt: str


@dataclass(frozen=True, slots=True)
class CardFace:
    card: Card


@dataclass(frozen=True, slots=True)
class Facts:
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAnswer:
    text: str
    points: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLine:
    """One question: its number on the page, what it asks, and its points or its answers."""

    number: int
    text: str
    times: bool = False  # the points multiply the value
    example: Fraction | None = None  # a value that they can multiply
    points: str = ""
    answers: tuple[ShownAnswer, ...] = ()

    @property
    def shown_points(self) -> str:
        """The points, after a sign where they multiply; none where the answers have them."""
        return f"{TIMES} {self.points}" if self.times else self.points


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Questions that are added up."""

    lines: tuple[ShownLine, ...]
    adds: str
    total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a list of questions: a question, one of its answers, or a total."""

    text: str
    number: str = ""  # of a question
    times: bool = False  # the points multiply the value
    points: str = ""  # or the name of a total
    blank: bool = True  # something is to be written behind it
    is_answer: bool = False
    is_total: bool = False

    @property
    def shown_points(self) -> str:
        """The points, after a sign where they multiply."""
        return f"{TIMES} {self.points}" if self.times else self.points


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """The questions of a card with their points, and what to do with them."""

    parts: tuple[Part, ...]  # one, or in the paper's style A and B
    difference: tuple[str, str] | None  # what to do with A and B, and the name of the result

    @property
    def lines(self) -> tuple[ShownLine, ...]:
        return tuple(line for part in self.parts for line in part.lines)

    @property
    def rows(self) -> Iterator[Row]:
        """The questions, each followed by its answers, and the totals."""
        for part in self.parts:
            for line in part.lines:
                yield Row(
                    number=str(line.number), text=line.text, times=line.times, points=line.points,
                    blank=not line.answers,
                )  # fmt: skip
                for one in line.answers:
                    yield Row(text=one.text, points=one.points, blank=one is line.answers[-1], is_answer=True)
            yield Row(text=part.adds, points=part.total, is_total=True)
        if self.difference is not None:
            yield Row(text=self.difference[0], points=self.difference[1], is_total=True)


CardBlock = Title | Paragraph | Questions | TableBlock | Facts
P = ParamSpec("P")
Block = Paragraph | Bullets | TableBlock | Facts | Figure | CardFace


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Section(Tabular):
    """One section of the report, and the TRIPOD+AI items it speaks to."""

    name: str  # identifier for links
    title: str
    tripod: tuple[str, ...]
    blocks: tuple[Block, ...]

    def _brief(self) -> str:
        return self.title

    def _small_table(self) -> SmallTable:
        return facts(title=self.title, TRIPOD_AI=", ".join(self.tripod), blocks=len(self.blocks))


def section(name: str, title: str, *tripod: str) -> Callable[[Callable[P, Iterable[Block]]], Callable[P, Section]]:
    """Make a section of a function that yields its blocks."""

    def made(blocks: Callable[P, Iterable[Block]]) -> Callable[P, Section]:
        @wraps(blocks)
        def write(*args: P.args, **more: P.kwargs) -> Section:
            return Section(name=name, title=title, tripod=tripod, blocks=tuple(blocks(*args, **more)))

        return write

    return made
