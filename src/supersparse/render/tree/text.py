"""The tree as text: a question to a line, its answers below it."""

from supersparse.card.card import Card
from supersparse.render.facts import class_names, heading
from supersparse.render.plain import width, wrap
from supersparse.render.tree.finding import Found, Leaf, Node

_LEAST_WIDTH = 12


def tree_text(card: Card, found: Found, *, columns: int = 80) -> str:
    """Return the tree as lines of at most so many terminal columns, as far as its depth allows."""
    columns = max(columns, 40)
    title = wrap(f"Decision tree: {heading(card)}", columns)
    notes = [line for note in tree_notes(found) for line in wrap(note, columns)]
    lines = [*title, "-" * max(map(width, title)), "", *_lines(card, found.root, "", "", columns)]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def tree_notes(found: Found) -> tuple[str, ...]:
    """What a reader must know besides the tree."""
    notes = []
    if found.missing_is_no:
        notes.append("Where a value is not known, the answer is no, unless the question asks for that.")
    if not found.proven_smallest:
        notes.append("A smaller tree may exist.")
    return tuple(notes)


def _lines(card: Card, node: Node | Leaf, start: str, below: str, columns: int) -> list[str]:
    bar = f"{below}│   "
    room = max(columns - max(width(start), width(bar)), _LEAST_WIDTH)
    if isinstance(node, Leaf):
        first, *others = wrap(class_names(card)[node.positive], room)
        return [start + first, *(below + line for line in others)]
    first, *others = wrap(node.text, room)
    lines = [start + first, *(bar + line for line in others)]
    lines += _lines(card, node.yes, f"{below}├── yes: ", bar, columns)
    return [*lines, *_lines(card, node.no, f"{below}└── no: ", f"{below}    ", columns)]
