"""The figures of sections 6.3 and 6.4: one panel for each dataset."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from study.page.figure import DARK, LIGHT, RED, STYLE, as_svg
from study.page.labels import Point, place_names
from study.results.dominance import Place, efficient, rivals
from study.results.study import Result, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINEAR = 60  # sizes up to which the axis is not logarithmic
_PANEL = 4.2, 3.4  # inches
_FONT = 6.5
_LETTER, _LINE, _GAP = 0.0155, 0.042, 0.016  # of a panel's sides: a letter and a line of small text, and room


def accuracy_against_sparsity(study: Study) -> str:
    """Section 6.3: points, boxes over the folds, and the efficient frontier."""
    return _panels(study.datasets, lambda name, axes: _boxes(study, name, axes))


def slim_against_lasso(study: Study) -> str:
    """Section 6.4: SLIM's grid beside the whole path of the lasso."""
    return _panels(study.datasets, lambda name, axes: _paths(study, name, axes))


def _panels(names: Sequence[str], draw: Callable[[str, "Axes"], None]) -> str:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        columns = min(2, len(names))
        rows = -(-len(names) // columns)
        figure = Figure(figsize=(_PANEL[0] * columns, _PANEL[1] * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in grid[len(names) :]:
            axes.set_visible(False)
        for name, axes in zip(names, grid, strict=False):
            draw(name, axes)
            axes.set_title(name)
        return as_svg(figure)


def _boxes(study: Study, dataset: str, axes: "Axes") -> None:
    from matplotlib.patches import Rectangle

    front = efficient(study, dataset, "best")
    results = {method: study.chosen(dataset, method, "best") for method in study.methods(dataset)}
    for method in rivals(study, dataset):
        result = results[method]
        colour = RED if method == "SLIM" else DARK if method in front else LIGHT
        sizes, test = result.sizes(), result.test
        low, high = test.mean - test.sd, test.mean + test.sd
        axes.add_patch(
            Rectangle((sizes[0], low), sizes[-1] - sizes[0], high - low, color=colour, alpha=0.13, linewidth=0)
        )
        axes.plot([result.size] * 2, [low, high], color=colour, linewidth=0.6)
        axes.plot(result.size, test.mean, "o", color=colour, markersize=4 if method in front else 3)
    if (free := results.get("SLIM free")) is not None:
        axes.plot(free.size, free.test.mean, "o", color=RED, markerfacecolor="none", markersize=5)
    _lower_steps(axes, [results[method] for method in rivals(study, dataset)], DARK, ":")
    sizes = [size for result in results.values() for size in result.sizes()]
    _finish(axes, min(sizes), max(sizes))
    _label(axes, {method: Place.of(result) for method, result in results.items()})


def _paths(study: Study, dataset: str, axes: "Axes") -> None:
    sizes = [1.0]
    for method, colour, mark in (("Lasso", LIGHT, "o"), ("SLIM", "black", "s")):
        results = study.results(dataset, method)
        places = [Place.of(result) for result in results]
        axes.plot(
            [p.size for p in places], [p.error for p in places],
            mark, color=colour, markersize=3.5, label=method,
        )  # fmt: skip
        _lower_steps(axes, results, colour, "-")
        sizes += [p.size for p in places]
    axes.legend(frameon=False)
    _finish(axes, min(sizes), max(sizes))


def _lower_steps(axes: "Axes", results: list[Result], colour: str, style: str) -> None:
    """The least error up to each size."""
    places = sorted((Place.of(result) for result in results), key=lambda p: (p.size, p.error))
    if places:
        least = np.minimum.accumulate([p.error for p in places])
        axes.step([p.size for p in places], least, style, where="post", color=colour, linewidth=1, zorder=0)


def _finish(axes: "Axes", smallest: float, largest: float) -> None:
    from matplotlib.ticker import MaxNLocator, ScalarFormatter, SymmetricalLogLocator

    axes.set_xlabel("model size, intercept counted")
    axes.set_ylabel("test error, %")
    axes.margins(0.08)
    if largest > _LINEAR:
        axes.set_xscale("symlog", linthresh=1)  # C5.0 may have no rule at all
        axes.xaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=1, subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.set_xlim(smallest / 2 if smallest >= 1 else -0.2, largest * 3)
    else:
        axes.set_xlim(-0.03 * largest, largest * 1.3)  # room for names
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, 0.0), high)


def _label(axes: "Axes", places: dict[str, Place]) -> None:
    """Name the points, with a thin line to a name that had to move away."""
    to_panel = axes.transData + axes.transAxes.inverted()
    points = [
        Point(method, *map(float, to_panel.transform((place.size, place.error))))
        for method, place in sorted(places.items(), key=lambda item: (item[1].error, item[0]))
    ]
    for point, label in zip(points, place_names(points, _LETTER, _LINE, _GAP), strict=True):
        colour = RED if point.name in ("SLIM", "SLIM free") else "black"
        axes.text(
            label.x, label.y, point.name,
            transform=axes.transAxes, fontsize=_FONT, va="center", color=colour,
        )  # fmt: skip
        if abs(label.y - point.y) > _LINE:
            end = label.x if label.x > point.x else label.x + label.width
            axes.plot(
                [point.x, end], [point.y, label.y],
                transform=axes.transAxes, color=LIGHT, linewidth=0.4, zorder=0,
            )  # fmt: skip
