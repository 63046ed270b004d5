"""Figures of SLIM alone: its search over time, and what C0 and C1 do together."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from study.contour_grid import paper_end, safe_end
from study.page.figure import DARK, LIGHT, RED, STYLE, as_svg
from study.records import Moment, Record
from study.results.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

_END: dict[str, Any] = {"color": DARK, "linewidth": 0.8, "linestyle": ":"}  # of a range of C1
_TITLES = ("test error, %", "training error, %", "size, intercept counted", "gap, %")


def performance_over_time(study: Study) -> str:
    """Appendix D: means over the folds of what SLIM had at each time, for the C0 of the least error."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = [name for name in study.datasets if "SLIM" in study.methods(name)]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(11, 2.1 * len(names)), layout="constrained")
        grid = figure.subplots(len(names), 4, squeeze=False)
        for name, row in zip(names, grid, strict=True):
            result = study.chosen(name, "SLIM", "best")
            times = _times(result.records)
            values = np.array([[_at(record, t) for t in times] for record in result.records])
            for k, axes in enumerate(row):
                _over_time(axes, times, values[:, :, k], _TITLES[k])
            row[0].set_title(f"{name}, C0 {result.setting.number('C0'):g}", loc="left")
        return as_svg(figure)


def _times(records: tuple[Record, ...]) -> list[float]:
    """Times at which every fold has a model, to the end of the longest search."""
    histories = [record.proof.history for record in records if record.proof is not None]
    firsts = [next(m.seconds for m in history if m.gap is not None) for history in histories]
    last = max(history[-1].seconds for history in histories)
    first = max(*firsts, 1e-3)
    return [float(t) for t in np.geomspace(first, max(last, first * 1.01), 60)]


def _at(record: Record, seconds: float) -> tuple[float, float, float, float]:
    """Test error, training error, size and gap at that time."""
    assert record.proof is not None
    model: Moment | None = None
    gap = 1.0
    for moment in record.proof.history:
        if moment.seconds <= seconds or model is None:
            model = moment if moment.size is not None else model
            gap = gap if moment.gap is None else moment.gap
    assert model is not None
    assert model.test_errors is not None
    assert model.train_errors is not None
    assert model.size is not None
    return (
        100 * model.test_errors / record.test.rows,
        100 * model.train_errors / record.train.rows,
        float(model.size),
        100 * gap,
    )


def _over_time(axes: "Axes", times: list[float], values: Floats, title: str) -> None:
    axes.fill_between(times, values.min(axis=0), values.max(axis=0), color=LIGHT, alpha=0.3, linewidth=0)
    axes.plot(times, values.mean(axis=0), color=DARK)
    axes.set_xscale("log")
    axes.set_ylabel(title)
    axes.set_xlabel("seconds")
    axes.set_ylim(bottom=0)


def contours(study: Study) -> str | None:
    """Test error and size over the grid of C0 and C1; None without records."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = [name for name in study.datasets if study.results(name, "SLIM", contour=True)]
    if not names:
        return None
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 3.4 * len(names)), layout="constrained")
        grid = figure.subplots(len(names), 2, squeeze=False)
        for name, (left, right) in zip(names, grid, strict=True):
            _contour(study, name, left, right)
        return as_svg(figure)


def _contour(study: Study, name: str, left: "Axes", right: "Axes") -> None:
    results = {(r.setting.number("C0"), r.setting.number("C1")): r for r in study.results(name, "SLIM", contour=True)}
    C0 = sorted({key[0] for key in results})
    C1 = sorted({key[1] for key in results})
    whole = all((a, b) in results for a in C0 for b in C1)
    if not whole or len(C0) < 2 or len(C1) < 2:
        left.set_title(f"{name}: records are missing")
        return
    sizes_of_folds = [record.train.rows for record in results[C0[0], C1[0]].records]
    columns = study.tables[name].columns
    errors = np.array([[results[a, b].test.mean for a in C0] for b in C1])
    sizes = np.array([[results[a, b].size for a in C0] for b in C1])
    for axes, values, title in ((left, errors, "test error, %"), (right, sizes, "median size")):
        drawn = axes.contourf(C0, C1, values, levels=8, cmap="Greys")
        axes.figure.colorbar(drawn, ax=axes)
        axes.plot(*(v.ravel() for v in np.meshgrid(C0, C1)), ".", color=RED, markersize=3)
        axes.set_xscale("log")
        axes.set_yscale("log")
        for end in (safe_end, paper_end):
            axes.axhline(min(float(end(rows, columns, C0[0])) for rows in sizes_of_folds), **_END)
        axes.set_xticks(C0, [f"{value:g}" for value in C0])
        axes.set_yticks(C1, [f"{value:g}" for value in C1])
        axes.minorticks_off()
        axes.set_xlabel("C0")
        axes.set_ylabel("C1")
        axes.set_title(f"{name}: {title}")
