"""Wrap the paragraphs of the pages at 120: `python docs/scripts/wrap.py [PAGE ...]`, or `make format`.

Only a paragraph or list item with a longer line changes. Tables, code, headings, HTML, link definitions and
what a program writes between `<!-- name: begin -->` and `<!-- name: end -->` stay as they are, and so does a
line that has no place to break.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]
AT_THE_TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
PAGES = [*(ROOT / name for name in AT_THE_TOP), *(ROOT / "docs").glob("*.md")]
WIDTH = 120

_FENCE = re.compile(r"^\s*(`{3,}|~{3,}|:{3,})")
_MADE = re.compile(r"^<!-- (?:[\w-]+: )?(begin|end)\b")
_LEFT = re.compile(r"^\s*(\||#|<|\[[^\]]+\]:|\([\w-]+\)=|---|===|%)|^$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+|^\s*>\s?")
_ATOM = re.compile(r"(?:`+[^`]*`+|\$[^$]*\$|[^\s`$]+|[`$])+")  # words; code and formulas are not broken
_MARKER = re.compile(r"[-+*#>|=:]+$|\d+[.)]$|[#>|<]")  # what would begin something else at the start of a line


def wrapped(text: str) -> str:
    """Return a page with its paragraphs wrapped."""
    return "".join(
        line
        for is_prose, lines in groupby(_marked(text.splitlines(keepends=True)), key=lambda pair: pair[0])
        for line in (_paragraphs([line for _, line in lines]) if is_prose else (line for _, line in lines))
    )


def _marked(lines: Iterable[str]) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it belongs to a paragraph or list item."""
    fence, made = "", False
    for line in lines:
        opened = _FENCE.match(line)
        edge = _MADE.match(line)
        if fence:
            yield False, line
            if opened and opened[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif opened:
            fence = opened[1]
            yield False, line
        elif edge:
            made = edge[1] == "begin"
            yield False, line
        else:
            yield not made and not _LEFT.match(line), line


def _paragraphs(lines: list[str]) -> Iterator[str]:
    block: list[str] = []
    for line in lines:
        if block and _ITEM.match(line):
            yield from _rewrapped(block)
            block = []
        block.append(line)
    yield from _rewrapped(block)


def _rewrapped(block: list[str]) -> list[str]:
    """A paragraph or list item of lines of at most `WIDTH` characters."""
    if all(len(line.rstrip("\n")) <= WIDTH for line in block) or any(line.endswith(("  \n", "\\\n")) for line in block):
        return block
    marker = _ITEM.match(block[0])
    first = marker[0] if marker else re.match(r"\s*", block[0])[0]
    quote = ">" in first
    rest = first if quote else " " * len(first)
    if not marker and len(block) > 1:
        rest = re.match(r"\s*", block[1])[0]
    bodies = [block[0][len(first) :], *(line.removeprefix(first) if quote else line for line in block[1:])]
    words: list[str] = []
    for word in _ATOM.findall(" ".join(body.strip() for body in bodies)):
        if words and _MARKER.match(word):
            words[-1] += f" {word}"
        else:
            words.append(word)
    lines, line = [], first + words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = rest + word
        else:
            line += f" {word}"
    return [f"{each}\n" for each in (*lines, line)]


def main(pages: Iterable[Path]) -> None:
    """Wrap the pages in place."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if (new := wrapped(text)) != text:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or PAGES)
