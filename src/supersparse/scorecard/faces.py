"""The faces of a scoring system: what `ScoringSystem` can be printed, drawn and saved as."""

from pathlib import Path
from typing import TYPE_CHECKING

from supersparse.card import file
from supersparse.card.card import Card
from supersparse.render.text import card_text

if TYPE_CHECKING:
    from supersparse.render.sheet import Sheet
    from supersparse.render.tree.tree import DecisionTree


class Faces:
    """Methods that show the card; each face is loaded when it is used."""

    __slots__ = ()
    card: Card

    def to_text(self, *, columns: int = 80) -> str:
        """Return the card as lines of at most so many terminal columns, as `print` shows it."""
        return card_text(self.card, columns=columns)

    def to_markdown(self) -> str:
        """Return the card as Markdown, with a table that GitHub, Jupyter and pandoc read."""
        from supersparse.render.markdown import card_markdown

        return card_markdown(self.card)

    def to_html(self) -> str:
        """Return the card as a piece of HTML with its own style, as notebooks show it."""
        from supersparse.render.html import card_html

        return card_html(self.card)

    def to_latex(self) -> str:
        r"""Return the card as a LaTeX table that needs ``\\usepackage{booktabs}``."""
        from supersparse.render.latex import card_latex

        return card_latex(self.card)

    def to_svg(self) -> str:
        """Return the card as an SVG picture; text stays text."""
        from supersparse.render.card_drawing import card_drawing
        from supersparse.render.svg import drawing_svg

        return drawing_svg(card_drawing(self.card))

    def sheet(self, *, paper: str = "a4") -> "Sheet":
        """Return the page to print ("a4" or "letter"), with boxes to fill in; it has `to_html` and `save`."""
        from supersparse.render.sheet import Sheet

        return Sheet(self.card, paper)

    def tree(self, *, max_leaves: int = 64) -> "DecisionTree":
        """Return the smallest decision tree that gives the same classes, for items of yes or no.

        It prints as text and has `to_svg` and `save`. One with more than `max_leaves` leaves is refused.
        """
        from supersparse.render.tree.tree import DecisionTree

        return DecisionTree.of(self.card, max_leaves=max_leaves)

    def save(self, path: str | Path) -> None:
        """Write the card to a file: JSON, which `load` reads, or a face by the ending of the name.

        .json (or no ending), .txt, .md, .html, .tex, .svg, and with matplotlib .png and .pdf.
        """
        if Path(path).suffix.lower() in (".json", ""):
            file.save(self.card, path)
            return
        from supersparse.render.files import card_faces, write

        write(card_faces(self.card), path, others=(".json",))

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text()
