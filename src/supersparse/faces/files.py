"""Faces as files: which ending means which face."""

from supersparse.card.card import Card
from supersparse.faces.drawing import Faces, pictures


def card_faces(card: Card) -> Faces:
    """Every face of a card that a file can hold, JSON apart."""
    from supersparse.faces.html import card_page
    from supersparse.faces.latex import card_latex
    from supersparse.faces.pictures import card_drawing
    from supersparse.faces.text import card_markdown, card_text

    return {
        ".txt": lambda: card_text(card) + "\n",
        ".md": lambda: card_markdown(card),
        ".html": lambda: card_page(card),
        ".tex": lambda: card_latex(card),
        **pictures(lambda show: card_drawing(card, show)),
    }
