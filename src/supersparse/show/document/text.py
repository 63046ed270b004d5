"""The text faces of a card: plain text and Markdown."""

import re
from collections.abc import Sequence

from supersparse.card.card import Card
from supersparse.show.document.content import COMPARED, TIMES, Content, Style, content_of
from supersparse.table.plain import padded, width, wrap

_BLANK = "......"
_LEAST_NAME_WIDTH = 12  # the longest escape, \U0001f600, and the mark of a broken word fit in
_LABEL_WIDTH = 10  # of the labels before the facts


def card_text(card: Card, *, columns: int = 80, style: Style = "card") -> str:
    """Return the card as lines of at most `columns` terminal columns (40 or more)."""
    columns = max(columns, 40)
    content = content_of(card, style)
    paragraphs = [
        _title(content, columns),
        _table(content, columns),
        [line for text in content.sentences for line in wrap(text.replace(TIMES, "x"), columns)],
        _risks(content, columns),
        _judgements(content, columns),
        _compared(content, columns),
        [line for note in content.remarks for line in wrap(note, columns)],
        _facts(content, columns),
    ]
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _title(content: Content, columns: int) -> list[str]:
    lines = wrap(content.heading, columns)
    return [*lines, "-" * max(map(width, lines))]


def _table(content: Content, columns: int) -> list[str]:
    rows = list(content.rows)
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


def _risks(content: Content, columns: int) -> list[str]:
    note = wrap(content.risk_note, columns) if content.risk_note else []
    if not content.risks:
        return note
    return [*wrap(f"Risk ({content.positive}):", columns), *_grid(content.risk_rows, columns), *note]


def _judgements(content: Content, columns: int) -> list[str]:
    if not content.judgements:
        return []
    return _grid([list(column) for column in zip(*content.judgement_rows, strict=True)], columns)


def _compared(content: Content, columns: int) -> list[str]:
    if not content.compared:
        return []
    return [*wrap(f"{COMPARED}:", columns), *_grid(content.compared_rows, columns)]


def _facts(content: Content, columns: int) -> list[str]:
    printed = []
    indent = max([_LABEL_WIDTH, *(len(label) + 2 for label, _ in content.facts)])
    for label, fact in content.facts:
        first, *others = wrap(fact, columns - indent)
        printed += [label.ljust(indent) + first, *(" " * indent + line for line in others)]
    return printed


# Entities where Markdown dialects differ about the backslash, above all inside of tables.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "\\": "&#92;"}
_SPECIAL = re.compile(r"[&<>|\\]|[`*_\[\]~$^@!#]|:(?=//)|(?<=www)\.", re.IGNORECASE)


def card_markdown(card: Card, *, style: Style = "card") -> str:
    """Return the card as Markdown: a heading, a table with blanks to fill in, the rule, the evidence."""
    content = content_of(card, style)
    blocks = [f"### {markdown_escaped(content.heading)}"]
    if content.parts:
        blocks.append("\n".join(_markdown_lines(content)))
    blocks.append("\n".join(markdown_escaped(s) for s in content.sentences))
    if content.risks:
        head, *others = content.risk_rows
        head[0] = f"{head[0]}, and risk of {content.positive}"
        blocks.append("\n".join(_markdown_table([head, *others])))
    if content.risk_note:
        blocks.append(markdown_escaped(content.risk_note))
    if content.judgements:
        blocks.append("\n".join(_markdown_table(content.judgement_rows)))
    if content.compared:
        blocks.append(f"{COMPARED}:")
        blocks.append("\n".join(_markdown_table(content.compared_rows)))
    if content.remarks:
        blocks.append("\n".join(map(markdown_escaped, content.remarks)))
    if content.facts:
        blocks.append("\n".join(f"- **{label}**: {markdown_escaped(fact)}" for label, fact in content.facts))
    return "\n\n".join(blocks) + "\n"


def markdown_escaped(text: str) -> str:
    r"""Return visible text so that Markdown shows it as it is.

    >>> markdown_escaped("heart_failure <b>")
    'heart\\_failure &lt;b&gt;'
    """
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], "\\" + found[0]), text)


def _markdown_table(rows: Sequence[Sequence[str]]) -> list[str]:
    head, *others = ("| " + " | ".join(map(markdown_escaped, row)) + " |" for row in rows)
    return [head, "|:--" + "|--:" * (len(rows[0]) - 1) + "|", *others]


def _markdown_lines(content: Content) -> list[str]:
    rows = ["| | | points | |", "|--:|:--|--:|:-:|"]
    for row in content.rows:
        text = markdown_escaped(row.text)
        if row.is_total:
            rows.append(f"| | **{row.text}** | **{row.points}** | {_BLANK} |")
        elif row.is_answer:
            rows.append(f"| | - {text} | {row.points} | {_BLANK if row.blank else ''} |")
        else:
            rows.append(f"| {row.number}. | {text} | {f'{row.shown_points} | {_BLANK}' if row.blank else '|'} |")
    return rows
