"""Several pages as one PDF file: drawings with pictures at their places. matplotlib is loaded when used."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

from supersparse.render.drawing import Drawing
from supersparse.render.figures import Picture, draw_picture, room_around, text_as_it_stands
from supersparse.render.paint import drawing_figure

_ABOVE, _RIGHT = 20.0, 12.0  # room for what stands around the axes


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A picture on a sheet; lengths in points from the upper left corner."""

    picture: Picture
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One page."""

    drawing: Drawing
    pictures: tuple[Placed, ...] = ()


def document_pdf(sheets: Sequence[Sheet], title: str) -> bytes:
    """Return the pages as a PDF file; the same pages give the same bytes."""
    target = BytesIO()
    with text_as_it_stands():
        import matplotlib
        from matplotlib.backends.backend_pdf import PdfPages

        with (
            matplotlib.rc_context({"pdf.fonttype": 42, "savefig.bbox": None, "savefig.transparent": False}),
            PdfPages(target, metadata={"CreationDate": None, "Title": title}) as pages,
        ):
            for sheet in sheets:
                figure = drawing_figure(sheet.drawing)
                wide, high = sheet.drawing.width, sheet.drawing.height
                for placed in sheet.pictures:
                    left, below = room_around(placed.picture)
                    axes = figure.add_axes(
                        (
                            (placed.x + left) / wide,
                            1 - (placed.y + placed.height - below) / high,
                            (placed.width - left - _RIGHT) / wide,
                            (placed.height - below - _ABOVE) / high,
                        )
                    )
                    draw_picture(placed.picture, axes)
                pages.savefig(figure)
    return target.getvalue()
