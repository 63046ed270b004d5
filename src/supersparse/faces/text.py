"""The text faces of a card: plain text and Markdown."""

import re
from collections.abc import Iterator

from supersparse.card.card import Card
from supersparse.data.plain import padded, width, wrap
from supersparse.faces.content import TIMES, Content, content

_BLANK = "......"
_LEAST_NAME_WIDTH = 12  # the longest escape, \U0001f600, and the mark of a broken word fit in
_LABEL_WIDTH = 10  # of the labels before the facts


def card_text(card: Card, *, columns: int = 80) -> str:
    """Return the card as lines of at most so many terminal columns (40 or more)."""
    columns = max(columns, 40)
    said = content(card)
    sentences = [said.how.replace(TIMES, "x"), said.rule, *said.notes]
    paragraphs = [
        _title(said, columns),
        _table(said, columns),
        [line for sentence in sentences if sentence for line in wrap(sentence, columns)],
        _facts(said, columns),
    ]
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _title(said: Content, columns: int) -> list[str]:
    lines = wrap(said.heading, columns)
    return [*lines, "-" * max(map(width, lines))]


def _rows(said: Content) -> Iterator[tuple[str, str, str, str]]:
    """Number, text, sign and points of each line; the name of a total stands where points would."""
    for part in said.parts:
        yield from ((f"{line.number}. ", line.text, "x" * line.times, line.points) for line in part.lines)
        yield "", part.adds, "", part.total
    if said.difference is not None:
        what, name = said.difference
        yield "", what, "", name


def _table(said: Content, columns: int) -> list[str]:
    rows = list(_rows(said))
    if not rows:
        return []
    head = 2 + max(len(number) for number, *_ in rows)
    end = max(len("points"), *(len(points) + 2 * bool(number) for number, *_, points in rows))
    room = max(columns - head - len("  ") - end - len(f" = {_BLANK}"), _LEAST_NAME_WIDTH)
    names = [wrap(text, room) for _, text, *_ in rows]
    name_width = max(len("feature"), *(width(line) for lines in names for line in lines))
    printed = [f"{' ' * head}{padded('feature', name_width)}  {'points'.rjust(end)}"]
    for (number, _, sign, points), lines in zip(rows, names, strict=True):
        for i, line in enumerate(lines, start=1):
            start = (number if i == 1 else "").rjust(head)
            value = f"  {sign}{points.rjust(end - len(sign))} = {_BLANK}" if i == len(lines) else ""
            printed.append(start + (padded(line, name_width) + value if value else line))
    return printed


def _facts(said: Content, columns: int) -> list[str]:
    printed = []
    for label, fact in said.facts:
        first, *others = wrap(fact, columns - _LABEL_WIDTH)
        printed += [label.ljust(_LABEL_WIDTH) + first, *(" " * _LABEL_WIDTH + line for line in others)]
    return printed


# Entities where Markdown dialects differ about the backslash, above all inside of tables.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "\\": "&#92;"}
_SPECIAL = re.compile(r"[&<>|\\]|[`*_\[\]~$^@!#]|:(?=//)|(?<=www)\.", re.IGNORECASE)


def card_markdown(card: Card) -> str:
    """Return the card as Markdown: a heading, a table with blanks to fill in, the rule, the proof."""
    said = content(card)
    blocks = [f"### {markdown_escaped(said.heading)}"]
    if said.parts:
        blocks.append("\n".join(_markdown_table(said)))
    blocks.append("\n".join(markdown_escaped(s) for s in (said.how, said.rule) if s))
    if said.notes:
        blocks.append("\n".join(map(markdown_escaped, said.notes)))
    if said.facts:
        blocks.append("\n".join(f"- **{label}**: {markdown_escaped(fact)}" for label, fact in said.facts))
    return "\n\n".join(blocks) + "\n"


def markdown_escaped(text: str) -> str:
    r"""Return visible text so that Markdown shows it as it is.

    >>> markdown_escaped("heart_failure <b>")
    'heart\\_failure &lt;b&gt;'
    """
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], "\\" + found[0]), text)


def _markdown_table(said: Content) -> list[str]:
    rows = ["| | feature | points | |", "|--:|:--|--:|:-:|"]
    for part in said.parts:
        rows += [
            f"| {line.number}. | {markdown_escaped(line.text)} | {line.shown_points} | {_BLANK} |"
            for line in part.lines
        ]
        rows.append(f"| | **{part.adds}** | **{part.total}** | {_BLANK} |")
    if said.difference is not None:
        what, name = said.difference
        rows.append(f"| | **{what}** | **{name}** | {_BLANK} |")
    return rows
