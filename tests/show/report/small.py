"""A small table with a learned card, quick to learn again, and readers of what a report says."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

import numpy as np

from supersparse import Problem, ScoringSystem, solve
from supersparse.show.document.blocks import Bullets, CardFace, Figure, Paragraph, TableBlock

NAMES = ("age", "fever", "noise")


def table(n=60, names=NAMES):
    """Columns and classes; the third column tells nothing, the others nearly all."""
    random = np.random.default_rng(5)
    age, fever, noise = random.integers(0, 4, n), random.integers(0, 2, n), random.integers(0, 2, n)
    ill = (age + 2 * fever > 2) ^ (random.random(n) < 0.1)
    columns = dict(zip(names, (age, fever, noise), strict=True))
    return columns, np.where(ill, "ill", "well").tolist()


def learned(columns, y, *, title="illness", **settings):
    asked = {"C0": 0.04, "max_points": 2, "positive": "ill", "intercept": (-9, 9), **settings}
    problem = Problem.of(np.column_stack(list(columns.values())), y, feature_names=list(columns), **asked)
    return ScoringSystem.from_solution(solve(problem, "exhaustive"), title=title)


@dataclass
class Shown:
    """What a page shows, section by section."""

    tables: dict = field(default_factory=dict)  # caption -> rows, the heading first
    texts: list = field(default_factory=list)
    tags: list = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.shown, self._text, self._caption, self._rows = Shown(), None, None, None
        self._tables = 0

    def handle_starttag(self, tag, attrs):
        self.shown.tags.append((tag, dict(attrs)))
        if tag == "table":
            self._rows, self._caption = [], None
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th", "caption", "p", "li", "h1", "h2", "title", "dd", "figcaption"):
            self._text = ""

    def handle_data(self, data):
        if self._text is not None:
            self._text += data

    def handle_endtag(self, tag):
        if tag == "caption":
            self._caption = self._text
        elif tag in ("td", "th"):
            self._rows[-1].append(self._text)
        elif tag == "table":
            number = f"Table {self._tables + 1}. "
            if (self._caption or "").startswith(number):  # the tables of the card have no numbers
                self._tables += 1
                self._caption = self._caption.removeprefix(number)
            self.shown.tables[self._caption] = self._rows
        elif tag in ("p", "li", "h1", "h2", "title", "dd", "figcaption") and self._text is not None:
            self.shown.texts.append(self._text)
            self._text = None


def read_page(text):
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.shown


def texts_of(block):
    """All texts of a block but those of a card."""
    match block:
        case Paragraph():
            return [block.text]
        case Bullets():
            return block.items
        case TableBlock():
            return [block.caption, *block.header, *(c for row in block.rows for c in row), *block.notes]
        case Figure():
            return [block.caption, block.alt]
        case CardFace():
            return []


def said(report, name):
    """All texts of a section."""
    return " | ".join(text for block in report.section(name).blocks for text in texts_of(block))
