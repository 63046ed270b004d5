"""DecisionTree: the tree that a card induces, as text and as a picture."""

from dataclasses import dataclass

from supersparse.card.card import Card
from supersparse.card.explain.tree import FoundTree, TreeLeaf, TreeNode, find_tree
from supersparse.card.lines import class_names, heading
from supersparse.show.document.drawing import Box, Drawing, Drawn, FaceWriters, Show, Stroke, Text, pictures, wrapped
from supersparse.show.document.pictures import FAINT, Page
from supersparse.table.plain import width, wrap

_LEAST_WIDTH = 12


def tree_text(card: Card, tree: FoundTree, *, columns: int = 80) -> str:
    """Return the tree as lines of at most `columns` terminal columns, as far as its depth allows."""
    columns = max(columns, 40)
    title = wrap(f"Decision tree: {heading(card)}", columns)
    notes = [line for note in tree_notes(tree) for line in wrap(note, columns)]
    lines = [*title, "-" * max(map(width, title)), "", *_lines(card, tree.root, "", "", columns)]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def tree_notes(tree: FoundTree) -> tuple[str, ...]:
    notes = []
    if tree.missing_is_no:
        notes.append("Where a value is not known, the answer is no, unless the question asks for that.")
    if not tree.proven_smallest:
        notes.append("A smaller tree may exist.")
    return tuple(notes)


def _lines(card: Card, node: TreeNode | TreeLeaf, start: str, below: str, columns: int) -> list[str]:
    bar = f"{below}│   "
    room = max(columns - max(width(start), width(bar)), _LEAST_WIDTH)
    if isinstance(node, TreeLeaf):
        first, *others = wrap(class_names(card)[node.positive], room)
        return [start + first, *(below + line for line in others)]
    first, *others = wrap(node.text, room)
    lines = [start + first, *(bar + line for line in others)]
    lines += _lines(card, node.yes, f"{below}├── yes: ", bar, columns)
    return [*lines, *_lines(card, node.no, f"{below}└── no: ", f"{below}    ", columns)]


_MARGIN, _PITCH, _WIDTH = 16.0, 132.0, 108.0
_SIZE, _LINE = 9.0, 12.0
_GAP = 34.0  # between a level and the next
_LEAST_PICTURE_WIDTH = 320.0


def tree_drawing(card: Card, tree: FoundTree, show: Show = str) -> Drawing:
    """Lay the tree out; `show` replaces what the painter cannot draw."""
    width = max(_LEAST_PICTURE_WIDTH, tree.leaves * _PITCH + 2 * _MARGIN - (_PITCH - _WIDTH))
    page = Page(width=width, margin=_MARGIN, show=show)
    page.paragraph(heading(card), 11, bold=True)
    page.skip(10)
    places = _Places(card, show, (width - (tree.leaves - 1) * _PITCH) / 2)
    places.visit(tree.root, 0)
    tops = [page.y]
    for height in places.heights:
        tops.append(tops[-1] + height + _GAP)
    places.draw(tree.root, 0, page, tops)
    page.y = tops[-1] - _GAP
    notes = tree_notes(tree)
    page.skip(10 if notes else 0)
    for note in notes:
        page.paragraph(note, 8, colour=FAINT)
    return page.done(f"Decision tree: {heading(card)}")


class _Places:
    """Where each node goes: leaves side by side, a question above the middle of its answers."""

    def __init__(self, card: Card, show: Show, first: float) -> None:
        self._names = class_names(card)
        self._show = show
        self._next = first
        self._centres: dict[int, float] = {}
        self.heights: list[float] = []  # of the levels

    def visit(self, node: TreeNode | TreeLeaf, depth: int) -> float:
        if depth == len(self.heights):
            self.heights.append(0.0)
        self.heights[depth] = max(self.heights[depth], self._height(node))
        if isinstance(node, TreeLeaf):
            centre = self._next
            self._next += _PITCH
        else:
            left = self.visit(node.no, depth + 1)
            centre = (left + self.visit(node.yes, depth + 1)) / 2
        self._centres[id(node)] = centre
        return centre

    def _lines(self, node: TreeNode | TreeLeaf) -> list[str]:
        bold = isinstance(node, TreeLeaf) and node.positive
        text = self._names[node.positive] if isinstance(node, TreeLeaf) else node.text
        return wrapped(self._show(text), _WIDTH - 14, _SIZE, bold=bold)

    def _height(self, node: TreeNode | TreeLeaf) -> float:
        return len(self._lines(node)) * _LINE + 10

    def draw(self, node: TreeNode | TreeLeaf, depth: int, page: Page, tops: list[float]) -> None:
        x, top, height = self._centres[id(node)], tops[depth], self._height(node)
        if isinstance(node, TreeNode):
            for child, answer, side in ((node.no, "no", -1), (node.yes, "yes", 1)):
                self._branch(x, top + height, self._centres[id(child)], tops[depth + 1], page)
                page.parts.append(
                    Text(
                        x=self._centres[id(child)] + side * 4, y=tops[depth + 1] - 6, text=answer, size=_SIZE,
                        anchor="start" if side > 0 else "end",
                    )
                )  # fmt: skip
                self.draw(child, depth + 1, page, tops)
        is_leaf = isinstance(node, TreeLeaf)
        page.parts.append(
            Box(
                x=x - _WIDTH / 2, y=top, width=_WIDTH, height=height,
                radius=min(11.0, height / 2) if is_leaf else 0,
                fill="#d4d4d4" if isinstance(node, TreeLeaf) and node.positive else "#ffffff",
            )
        )  # fmt: skip
        for i, line in enumerate(self._lines(node)):
            bold = isinstance(node, TreeLeaf) and node.positive
            y = top + 5 + _LINE * i + 0.8 * _LINE
            page.parts.append(Text(x=x, y=y, text=line, size=_SIZE, bold=bold, anchor="middle"))

    def _branch(self, x: float, bottom: float, child: float, top: float, page: Page) -> None:
        middle = top - 20
        page.parts += [
            Stroke(x1=x, y1=bottom, x2=x, y2=middle),
            Stroke(x1=x, y1=middle, x2=child, y2=middle),
            Stroke(x1=child, y1=middle, x2=child, y2=top),
        ]


@dataclass(frozen=True, slots=True)
class DecisionTree(Drawn):
    """A tree that gives every person the class of the card; it prints as text."""

    card: Card
    found: FoundTree

    @classmethod
    def of(cls, card: Card, *, max_leaves: int = 64) -> "DecisionTree":
        """Find the smallest tree of a card."""
        return cls(card, find_tree(card, max_leaves=max_leaves))

    @property
    def root(self) -> TreeNode | TreeLeaf:
        """The first question, or the class when there is nothing to ask."""
        return self.found.root

    @property
    def leaves(self) -> int:
        """How many leaves there are, one more than questions."""
        return self.found.leaves

    @property
    def proven_smallest(self) -> bool:
        """Whether no tree over the questions of the card has fewer leaves."""
        return self.found.proven_smallest

    def to_text(self, *, columns: int = 80) -> str:
        """Return the tree as lines of text."""
        return tree_text(self.card, self.found, columns=columns)

    def _faces(self) -> FaceWriters:
        drawn = pictures(lambda show: tree_drawing(self.card, self.found, show))
        return {".txt": lambda: self.to_text() + "\n", **drawn}

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<DecisionTree: {self.found._brief()}>"
