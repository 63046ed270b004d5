"""Documents as HTML: a card for notebooks, pages that print on paper, sheets to fill in, reports.

A PDF is the printed page: a browser on this machine prints it, as a person would.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from supersparse.base.errors import PackageNotInstalledError, SupersparseError
from supersparse.card.card import Card
from supersparse.show.document.blocks import CardBlock, Facts, Paragraph, Questions, ShownLine, TableBlock, Title
from supersparse.show.document.content import Content, Style, content_of
from supersparse.show.document.drawing import Drawn, FaceWriters, pictures, wrapped
from supersparse.show.document.pictures import paper_size, sheet_drawing
from supersparse.table.small_table import NO_MATH, unreachable_style

_WIDTH, _HEIGHT = 490, 690  # what A4 and Letter both have within margins of 15 mm, in points, and some air
_SIZES = (11.0, 10.0, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0)
_IN_A_BOX, _WORD = 30, 11  # characters of an answer, and of a word, that fit a box next to others
_BOX, _WRITE = '<span class="box"></span>', '<td class="write"><span></span></td>'


def template(name: str) -> str:
    return files("supersparse.show.document").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def card_style() -> str:
    """Return the style of a card, which the page around it cannot change."""
    return unreachable_style("supersparse-card", template("card.css"))


def card_html(card: Card, *, style: Style = "card") -> str:
    """Return the card as a piece of HTML with its own style, for a notebook or a page of yours."""
    return _card(content_of(card, style), title="h3")


def _card(content: Content, *, title: str, to_fill_in: bool = False) -> str:
    body = []
    for block in content.blocks:
        if to_fill_in and isinstance(block, Questions):
            body.append('<div class="who"><span>Name or number</span><span>Date</span></div>')
        body.append(block_html(block, title))
    style = f"<style>\n{card_style()}\n</style>"
    return "\n".join([f'<div class="supersparse-card {NO_MATH}">', style, *body, "</div>", ""])


def block_html(block: CardBlock, title: str = "h3") -> str:
    match block:
        case Title():
            return f'<{title} class="title">{escape(block.text)}</{title}>'
        case Paragraph():
            kind = "how" if block.look == "plain" else block.look
            return f'<p class="{kind}">{escape(block.text)}</p>'
        case Questions():
            return _questions(block)
        case TableBlock():
            return _bands(block)
        case Facts():
            rows = "\n".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in block.rows)
            return f'<dl class="facts">\n{rows}\n</dl>'


def _questions(questions: Questions) -> str:
    rows = ['<table class="questions"><caption class="unseen">Questions and points</caption>']
    for part in questions.parts:
        rows += ["<tbody>", *map(_line, part.lines), _total(part.adds, part.total), "</tbody>"]
    if questions.difference is not None:
        rows += ["<tbody>", _total(*questions.difference), "</tbody>"]
    return "\n".join([*rows, "</table>"])


def _line(line: ShownLine) -> str:
    number = f'<span class="number">{line.number}.</span>'
    if line.answers:
        answers = "".join(
            f'<li><span class="what">{escape(a.text)}</span> <b>{a.points}</b></li>' for a in line.answers
        )
        label = f'<th scope="row">{number} {escape(line.text)}</th>'
        long = any(len(a.text) > _IN_A_BOX or max(map(len, a.text.split(" "))) > _WORD for a in line.answers)
        return f'<tr>{label}<td><ul class="answers{" long" if long else ""}">{answers}</ul></td>{_WRITE}</tr>'
    label = f'<th scope="row" class="single">{number} {escape(line.text)}</th>'
    return f'<tr>{label}<td class="points"><b>{line.shown_points}</b></td>{_WRITE}</tr>'


def _total(what: str, name: str) -> str:
    return f'<tr class="total"><th scope="row"><span>{what}</span></th><td class="name">{name}</td><td>{_BOX}</td></tr>'


def _bands(table: TableBlock) -> str:
    """A small table, in which some columns stand out."""
    marks = [' class="marked"' if marked else "" for marked in table.marked] or [""] * len(table.header)
    (first, *head), rows = table.header, []
    heads = "".join(f'<th scope="col"{mark}>{escape(cell)}</th>' for cell, mark in zip(head, marks[1:], strict=True))
    for name, *cells in table.rows:
        shown = "".join(f"<td{mark}>{escape(cell)}</td>" for cell, mark in zip(cells, marks[1:], strict=True))
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{shown}</tr>')
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in table.notes)
    return "\n".join([
        f'<table class="bands"><caption>{escape(table.caption)}</caption>',
        f'<tr><th scope="row">{escape(first)}</th>{heads}</tr>', *rows, f"</table>{notes}",
    ])  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """A text that is wrapped; lengths are multiples of the page's letters."""

    text: str
    size: float = 1.0
    bold: bool = False
    label_width: float = 0.0  # the width of what stands next to it
    gap: float = 0.0  # above and below it together


def print_style(texts: Iterable[Wrapped]) -> str:
    """Return the style for printing these texts, one below the other; lengths in rem and em follow it."""
    listed = list(texts)
    size = next((s for s in _SIZES if _height(listed, s) <= _HEIGHT), _SIZES[-1])
    return (
        f"@media print{{@page{{margin:15mm}}html{{font-size:{size:g}pt}}"
        f"body .supersparse-card{{font-size:{size:g}pt!important}}}}"
    )


def _height(texts: list[Wrapped], size: float) -> float:
    def lines(one: Wrapped) -> int:
        return len(wrapped(one.text, _WIDTH - one.label_width * size, one.size * size, bold=one.bold))

    return sum(size * (one.gap + 1.45 * one.size * lines(one)) for one in texts)


def card_page(card: Card, *, style: Style = "card") -> str:
    """Return the card as a whole HTML page, which prints on one sheet of paper."""
    content = content_of(card, style)
    return _page_of(content, _card(content, title="h1"), "")


PAPER_NAMES = {"a4": "A4", "letter": "Letter"}


def _page_of(content: Content, body: str, extra: str) -> str:
    style = [template("page.css").rstrip("\n"), print_style(_texts(content.blocks)), *([extra] if extra else [])]
    return page(content.heading, body, "\n".join(style))


def _texts(blocks: Iterable[CardBlock]) -> Iterator[Wrapped]:
    """The height that the blocks of a card need."""
    for block in blocks:
        match block:
            case Title():
                yield Wrapped(text=block.text, size=1.45, bold=True, gap=0.5)
            case Paragraph():
                yield Wrapped(text=block.text, size=0.82 if block.look == "note" else 1.05, gap=0.5)
            case Questions():
                yield Wrapped(text="Name or number", gap=1.6)
                for line in block.lines:
                    answers = len(line.answers)
                    label = Wrapped(text=line.text, label_width=32 if answers else 12, gap=1.2, bold=True)
                    longest = max((a.text for a in line.answers), key=len, default="")
                    if len(longest) > _IN_A_BOX:
                        boxes = sum(1.2 * len(wrapped(a.text, 24 * 9.0, 9.0)) + 0.8 for a in line.answers) + 0.6
                    else:
                        cell = len(wrapped(longest, 6 * 9.0, 9.0)) if longest else 0
                        boxes = -(-answers // 4) * (1.2 * cell + 2) + 0.6
                    high = _height([label], 10.0) / 10
                    yield Wrapped(text="", gap=max(boxes - 1.45, high - 1.45 + 0.4))
                yield from (Wrapped(text=part.adds, gap=1.6) for part in block.parts)
            case TableBlock():
                yield from (Wrapped(text="Risk", gap=0.7) for _ in range(2 + len(block.rows)))
                yield from (Wrapped(text=note, size=0.82, gap=0.3) for note in block.notes)
            case Facts():
                yield from (Wrapped(text="", gap=0.4) for _ in range(-(-len(block.rows) // 2)))
    yield Wrapped(text="", gap=2)


def page(title: str, body: str, style: str) -> str:
    """Return a whole HTML page that loads nothing from elsewhere and runs no script."""
    return template("page.html").format(title=escape(title), body=body.rstrip(), style=style)


@dataclass(frozen=True, slots=True)
class Sheet(Drawn):
    """One page of A4 or Letter paper to fill in; as HTML, SVG, PDF or PNG."""

    card: Card
    paper: str = "a4"
    style: Style = "card"

    def __post_init__(self) -> None:
        paper_size(self.paper)

    def to_html(self) -> str:
        """Return the sheet as an HTML page to be printed from a browser."""
        content = content_of(self.card, self.style).at_the_bedside
        body = _card(content, title="h1", to_fill_in=True)
        return _page_of(content, body, f"@page{{size:{PAPER_NAMES[self.paper.lower()]}}}")

    def _faces(self) -> FaceWriters:
        drawn = pictures(lambda show: sheet_drawing(self.card, self.paper, show, style=self.style))
        return {".html": self.to_html, **drawn}


_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge", "microsoft-edge")
_ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
_SECONDS = 120  # that a browser may take for a page
REMEDY = "install Chromium, Chrome or Edge, or open the .html file and print it"


@cache
def browser() -> str | None:
    """The browser that prints, or None: Chromium, Chrome or Edge."""
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    return program or next((path for path in _ELSEWHERE if Path(path).exists()), None)


def printed_pdf(page: str) -> bytes:
    """Return a page of HTML as a PDF file; size and margins of the paper are those of its style."""
    program = browser()
    if program is None:
        raise PackageNotInstalledError("a PDF is printed by a browser, and none was found", REMEDY)
    with TemporaryDirectory(prefix="supersparse-") as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        command = [
            program, "--headless", *as_root, "--disable-gpu", "--no-first-run", "--disable-background-networking",
            f"--user-data-dir={Path(folder, 'profile')}", "--no-pdf-header-footer", f"--print-to-pdf={target}",
            source.as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise SupersparseError(f"{program} did not print the page within {_SECONDS} s", REMEDY) from error
        if done.returncode or not target.exists():
            last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no reason given"]
            raise SupersparseError(f"{program} could not print the page: {last[0]}", REMEDY)
        return target.read_bytes()
