"""The Markdown face of a card: a table that GitHub, Jupyter and pandoc read the same way."""

import re

from supersparse.card.card import Card
from supersparse.render.content import Content, content

_BLANK = "......"
# Entities where Markdown dialects differ about the backslash, above all inside of tables.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "\\": "&#92;"}
_SPECIAL = re.compile(r"[&<>|\\]|[`*_\[\]~$^@!#]|:(?=//)|(?<=www)\.", re.IGNORECASE)


def card_markdown(card: Card) -> str:
    """Return the card as Markdown: a heading, a table with blanks to fill in, the rule, the proof."""
    said = content(card)
    blocks = [f"### {escaped(said.heading)}"]
    if said.parts:
        blocks.append("\n".join(_table(said)))
    blocks.append("\n".join(escaped(s) for s in (said.how, said.rule) if s))
    if said.notes:
        blocks.append("\n".join(map(escaped, said.notes)))
    if said.facts:
        blocks.append("\n".join(f"- **{label}**: {escaped(fact)}" for label, fact in said.facts))
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    r"""Return visible text so that Markdown shows it as it is.

    >>> escaped("heart_failure <b>")
    'heart\\_failure &lt;b&gt;'
    """
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], "\\" + found[0]), text)


def _table(said: Content) -> list[str]:
    rows = ["| | feature | points | |", "|--:|:--|--:|:-:|"]
    for part in said.parts:
        rows += [
            f"| {line.number}. | {escaped(line.text)} | {line.shown_points} | {_BLANK} |"
            for line in part.lines
        ]
        rows.append(f"| | **{part.adds}** | **{part.total}** | {_BLANK} |")
    if said.difference is not None:
        what, name = said.difference
        rows.append(f"| | **{what}** | **{name}** | {_BLANK} |")
    return rows
