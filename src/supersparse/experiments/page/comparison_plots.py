"""The figures of sections 6.3 and 6.4: one panel for each dataset."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supersparse.experiments.page.figure import DARK, LIGHT, RED, STYLE, as_svg
from supersparse.experiments.results.dominance import Place, efficient
from supersparse.experiments.results.study import Result, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        figure = Figure(figsize=(4.2 * columns, 3.2 * rows), layout="constrained")
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
    labels: dict[tuple[float, float], list[str]] = {}
    for method in study.methods(dataset):
        result = study.chosen(dataset, method, "best")
        colour = RED if method == "SLIM" else DARK if method in front else LIGHT
        sizes, test = result.sizes(), result.test
        axes.add_patch(
            Rectangle(
                (sizes[0], test.mean - test.sd), sizes[-1] - sizes[0], 2 * test.sd,
                facecolor=colour, edgecolor=colour, alpha=0.15,
            )
        )  # fmt: skip
        axes.plot([result.size] * 2, [test.mean - test.sd, test.mean + test.sd], color=colour, linewidth=0.6)
        axes.plot(result.size, test.mean, "o", color=colour, markersize=4 if method in front else 3)
        labels.setdefault((result.size, round(test.mean, 2)), []).append(method)
    for place, methods in labels.items():
        axes.annotate(", ".join(methods), place, xytext=(3, 3), textcoords="offset points", fontsize=6.5)
    _staircase(axes, [Place.of(study.chosen(dataset, m, "best")) for m in front])
    axes.set_xscale("log")
    axes.set_xlabel("model size, intercept counted")
    axes.set_ylabel("test error, %")
    axes.set_ylim(bottom=0)
    _plain_ticks(axes)


def _staircase(axes: "Axes", places: list[Place]) -> None:
    ordered = sorted(places, key=lambda p: (p.size, p.error))
    axes.step(
        [p.size for p in ordered], [p.error for p in ordered],
        where="post", color=DARK, linewidth=0.8, linestyle=":", zorder=0,
    )  # fmt: skip


def _paths(study: Study, dataset: str, axes: "Axes") -> None:
    for method, colour, mark in (("Lasso", LIGHT, "o"), ("SLIM", "black", "s")):
        results = sorted(study.results(dataset, method), key=lambda r: (r.size, r.test.mean))
        axes.plot(
            [r.size for r in results], [r.test.mean for r in results],
            mark, color=colour, markersize=3.5, label=method,
        )  # fmt: skip
        _lower_steps(axes, results, colour)
    axes.legend(frameon=False)
    axes.set_xscale("log")
    axes.set_xlabel("model size, intercept counted")
    axes.set_ylabel("test error, %")
    axes.set_ylim(bottom=0)
    _plain_ticks(axes)


def _lower_steps(axes: "Axes", results: list[Result], colour: str) -> None:
    """The least error up to each size."""
    if results:
        least = np.minimum.accumulate([r.test.mean for r in results])
        axes.step([r.size for r in results], least, where="post", color=colour, linewidth=1)


def _plain_ticks(axes: "Axes") -> None:
    from matplotlib.ticker import NullFormatter, ScalarFormatter

    axes.xaxis.set_major_formatter(ScalarFormatter())
    low, high = axes.get_xlim()
    if high / max(low, 1e-9) < 30:
        axes.set_xticks([v for v in (1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 50) if low <= v <= high])
        axes.xaxis.set_minor_formatter(NullFormatter())
