"""Faces as files: which ending means which face."""

from collections.abc import Callable, Mapping
from pathlib import Path

from supersparse.card.card import Card
from supersparse.errors import InvalidOptionError, did_you_mean
from supersparse.render.drawing import Drawing, Show

Draw = Callable[[Show], Drawing]  # lays out what is to be drawn
Faces = Mapping[str, Callable[[], str | bytes]]


def pictures(draw: Draw) -> dict[str, Callable[[], str | bytes]]:
    """The faces of a drawing: SVG from our own writer, PNG and PDF by matplotlib."""

    def svg() -> str:
        from supersparse.render.svg import drawing_svg

        return drawing_svg(draw(str))

    def png() -> bytes:
        from supersparse.render.paint import drawable, painted

        return painted(draw(drawable), "png")

    def pdf() -> bytes:
        from supersparse.render.paint import drawable, painted

        return painted(draw(drawable), "pdf")

    return {".svg": svg, ".png": png, ".pdf": pdf}


def card_faces(card: Card) -> Faces:
    """Every face of a card that a file can hold, JSON apart."""
    from supersparse.render.card_drawing import card_drawing
    from supersparse.render.html import card_page
    from supersparse.render.latex import card_latex
    from supersparse.render.markdown import card_markdown
    from supersparse.render.text import card_text

    return {
        ".txt": lambda: card_text(card) + "\n",
        ".md": lambda: card_markdown(card),
        ".html": lambda: card_page(card),
        ".tex": lambda: card_latex(card),
        **pictures(lambda show: card_drawing(card, show)),
    }


def write(faces: Faces, path: str | Path, others: tuple[str, ...] = ()) -> None:
    """Write the face that the ending of the file's name asks for; `others` are endings to name besides."""
    path = Path(path)
    face = faces.get(path.suffix.lower())
    if face is None:
        known = [*faces, *others]
        raise InvalidOptionError(
            f"{path.name!r} has an ending that says nothing; {did_you_mean(path.suffix, known)}"
        )
    content = face()
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
