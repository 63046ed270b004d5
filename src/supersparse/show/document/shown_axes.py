"""Axes that a notebook shows as their picture; this module loads matplotlib, so it is imported when used."""

from io import BytesIO

from matplotlib.axes import Axes
from matplotlib.figure import Figure


class ShownAxes(Axes):
    """Axes of a figure that pyplot does not know, so there is no window and no state to close.

    Notebooks show figures of pyplot only. These axes, as the value of a cell, are shown as their figure.
    """

    def _repr_png_(self) -> bytes:
        target = BytesIO()
        self.figure.savefig(target, format="png")  # type: ignore[union-attr]
        return target.getvalue()


def shown_axes(columns: int = 1, size: tuple[float, float] | None = None) -> list[Axes]:
    """Return the axes of a new figure, side by side."""
    figure = Figure(figsize=size, layout="constrained")
    return [figure.add_subplot(1, columns, k + 1, axes_class=ShownAxes) for k in range(columns)]
