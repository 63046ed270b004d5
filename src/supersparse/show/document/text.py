"""The text faces of a card: plain text and Markdown."""

import re
from collections.abc import Iterable, Sequence

from supersparse.card.card import Card
from supersparse.show.document.blocks import TIMES, CardBlock, Facts, Paragraph, Questions, TableBlock, Title
from supersparse.show.document.content import Style, content_of
from supersparse.table.plain import padded, width, wrap

_BLANK = "......"
_LEAST_NAME_WIDTH = 12  # the longest escape, \U0001f600, and the mark of a broken word fit in


def card_text(card: Card, *, columns: int = 80, style: Style = "card") -> str:
    """Return the card as lines of at most `columns` terminal columns (40 or more)."""
    columns = max(columns, 40)
    return in_text(content_of(card, style).blocks, columns)


def in_text(blocks: Iterable[CardBlock], columns: int) -> str:
    """Write blocks one below the other, an empty line between them; small notes stand together."""
    printed: list[list[str]] = []
    before = None
    for block in blocks:
        together = before is not None and block.look == before.look if isinstance(block, Paragraph) else False
        lines = _block(block, columns)
        if together:
            printed[-1] += lines
        else:
            printed.append(lines)
        before = block if isinstance(block, Paragraph) else None
    return "\n\n".join("\n".join(lines) for lines in printed if lines)


def _block(block: CardBlock, columns: int) -> list[str]:
    match block:
        case Title():
            lines = wrap(block.text, columns)
            return [*lines, "-" * max(map(width, lines))]
        case Paragraph():
            return wrap(block.text.replace(TIMES, "x"), columns)
        case Questions():
            return _table(block, columns)
        case TableBlock():
            caption = wrap(f"{block.caption}:", columns)
            notes = [line for note in block.notes for line in wrap(note, columns)]
            return [*caption, *_grid([block.header, *block.rows], columns), *notes]
        case Facts():
            indent = max(width(name) for name, _ in block.rows) + 2
            return [
                padded(name if k == 0 else "", indent) + line
                for name, text in block.rows
                for k, line in enumerate(wrap(text, columns - indent))
            ]


def _table(questions: Questions, columns: int) -> list[str]:
    rows = list(questions.rows)
    if not rows:
        return []
    numbers = [f"{row.number}. " if row.number else "" for row in rows]
    head = 2 + max(map(len, numbers))
    end = max(len("points"), *(len(row.points) + 2 * bool(row.number) for row in rows))
    room = max(columns - head - len("  ") - end - len(f" = {_BLANK}"), _LEAST_NAME_WIDTH)
    texts = [wrap(row.text, room - 2 * row.is_answer) for row in rows]
    name_width = max(*(width(s) + 2 * row.is_answer for row, lines in zip(rows, texts, strict=True) for s in lines), 8)
    printed = [f"{' ' * (head + name_width)}  {'points'.rjust(end)}"]
    for row, number, lines in zip(rows, numbers, texts, strict=True):
        for i, line in enumerate(lines, start=1):
            indent, sign = 2 * row.is_answer, "x" * row.times
            start = (number if i == 1 else "").rjust(head) + " " * indent
            if i < len(lines) or not row.points:
                printed.append(start + line)
                continue
            blank = f" = {_BLANK}" if row.blank else ""
            printed.append(
                f"{start}{padded(line, name_width - indent)}  {sign}{row.points.rjust(end - len(sign))}{blank}"
            )
    return printed


def in_blocks(rows: Sequence[Sequence[str]], columns: int) -> list[list[list[str]]]:
    """Break a table that is wider than `columns` columns of text into tables with the same first cells."""
    widths = [max(width(row[k]) for row in rows) for k in range(len(rows[0]))]
    blocks: list[list[list[str]]] = []
    k = 1
    while k < len(widths):
        used, start = widths[0], k
        while k < len(widths) and (used + 2 + widths[k] <= columns or k == start):
            used += 2 + widths[k]
            k += 1
        blocks.append([[row[0], *row[start:k]] for row in rows])
    return blocks


def _grid(rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Rows of short cells below one another, broken into blocks where they do not fit."""
    printed: list[str] = []
    for block in in_blocks(rows, columns):
        first, *widths = (max(width(row[k]) for row in block) for k in range(len(block[0])))
        for row in block:
            cells = [" " * (w - width(c)) + c for w, c in zip(widths, row[1:], strict=True)]
            printed.append("  ".join([padded(row[0], first), *cells]))
    return printed


# Entities where Markdown dialects differ about the backslash, above all inside of tables.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "\\": "&#92;"}
_SPECIAL = re.compile(r"[&<>|\\]|[`*_\[\]~$^@!#]|:(?=//)|(?<=www)\.", re.IGNORECASE)


def card_markdown(card: Card, *, style: Style = "card") -> str:
    """Return the card as Markdown: a heading, a table with blanks to fill in, the rule, the evidence."""
    return "\n\n".join(map(_markdown, content_of(card, style).blocks)) + "\n"


def _markdown(block: CardBlock) -> str:
    match block:
        case Title():
            return f"### {markdown_escaped(block.text)}"
        case Paragraph():
            text = markdown_escaped(block.text)
            return f"**{text}**" if block.look in ("rule", "warning") else text
        case Questions():
            return "\n".join(_markdown_lines(block))
        case TableBlock():
            (first, *others), *rows = block.header, *block.rows
            head = [f"{first}, and {block.caption[:1].lower()}{block.caption[1:]}", *others]
            return "\n\n".join(["\n".join(_markdown_table([head, *rows])), *map(markdown_escaped, block.notes)])
        case Facts():
            return "\n".join(f"- **{name}**: {markdown_escaped(text)}" for name, text in block.rows)


def markdown_escaped(text: str) -> str:
    r"""Return visible text so that Markdown shows it as it is.

    >>> markdown_escaped("heart_failure <b>")
    'heart\\_failure &lt;b&gt;'
    """
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], "\\" + found[0]), text)


def _markdown_table(rows: Sequence[Sequence[str]]) -> list[str]:
    head, *others = ("| " + " | ".join(map(markdown_escaped, row)) + " |" for row in rows)
    return [head, "|:--" + "|--:" * (len(rows[0]) - 1) + "|", *others]


def _markdown_lines(questions: Questions) -> list[str]:
    rows = ["| | | points | |", "|--:|:--|--:|:-:|"]
    for row in questions.rows:
        text = markdown_escaped(row.text)
        if row.is_total:
            rows.append(f"| | **{row.text}** | **{row.points}** | {_BLANK} |")
        elif row.is_answer:
            rows.append(f"| | - {text} | {row.points} | {_BLANK if row.blank else ''} |")
        else:
            rows.append(f"| {row.number}. | {text} | {f'{row.shown_points} | {_BLANK}' if row.blank else '|'} |")
    return rows
