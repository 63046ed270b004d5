"""DecisionTree: the tree that a card induces, with its faces."""

from dataclasses import dataclass
from pathlib import Path

from supersparse.card.card import Card
from supersparse.render import files
from supersparse.render.tree.drawing import tree_drawing
from supersparse.render.tree.finding import Found, Leaf, Node, find_tree
from supersparse.render.tree.text import tree_text


@dataclass(frozen=True, slots=True)
class DecisionTree:
    """A tree that gives every person the class of the card; it prints as text."""

    card: Card
    found: Found

    @classmethod
    def of(cls, card: Card, *, max_leaves: int = 64) -> "DecisionTree":
        """Find the smallest tree of a card."""
        return cls(card, find_tree(card, max_leaves=max_leaves))

    @property
    def root(self) -> Node | Leaf:
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

    def to_svg(self) -> str:
        """Return the tree as SVG."""
        return str(self._faces()[".svg"]())

    def save(self, path: str | Path) -> None:
        """Write the tree: the name ends in .txt, .svg, .png or .pdf; the last two need matplotlib."""
        files.write(self._faces(), path)

    def _faces(self) -> files.Faces:
        drawn = files.pictures(lambda show: tree_drawing(self.card, self.found, show))
        return {".txt": lambda: self.to_text() + "\n", **drawn}

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_text()
