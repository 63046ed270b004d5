"""Pictures: the share of instances proven against time, and time against what grows."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from benchmarks.instances import all_instances
from benchmarks.record import Results
from benchmarks.suites import FAMILIES, OURS, SOLVERS

_LABELS = {"rows": "rows", "features": "features", "coefficients": "largest coefficient", "size": "size limit"}


def draw(results: Results, folder: Path, name: str) -> None:
    """Write ``NAME-profile`` and, where a family was measured, ``NAME-growth`` as SVG and PNG."""
    figure, axes = plt.subplots(figsize=(6, 4))
    _profile(axes, results)
    _save(figure, folder, f"{name}-profile")
    families = {all_instances()[record.instance].group for record in results.records}
    if families.isdisjoint(FAMILIES):
        return
    figure, grid = plt.subplots(2, 2, figsize=(9, 7))
    for axes, family in zip(grid.flat, FAMILIES, strict=True):
        _growth(axes, results, family)
    _save(figure, folder, f"{name}-growth")


def _save(figure: plt.Figure, folder: Path, name: str) -> None:
    figure.tight_layout()
    for kind in ("svg", "png"):
        figure.savefig(folder / f"{name}.{kind}", dpi=120, metadata={"Date": None} if kind == "svg" else None)
    plt.close(figure)


def raced(results: Results) -> list[str]:
    """Name the instances that every solver of the run was given."""
    used = [s for s in SOLVERS if any(r.solver == s for r in results.records)]
    names = dict.fromkeys(r.instance for r in results.records)
    return [n for n in names if all(results.of(n, s) is not None for s in used)]


def _profile(axes: Axes, results: Results) -> None:
    """One step curve a solver: the share of instances whose least F was proven within so many CPU seconds."""
    names = raced(results)
    longest = max((r.limit for r in results.records), default=60.0)
    for solver in SOLVERS:
        records = [r for r in (results.of(n, solver) for n in names) if r is not None]
        if not records:
            continue
        times = sorted(r.proof_seconds for r in records if r.proof_seconds is not None)
        shares = [(i + 1) / len(records) for i in range(len(times))]
        last = shares[-1] if shares else 0.0
        xs, ys = [1e-3, *times, longest], [0.0, *shares, last]
        axes.step(xs, ys, where="post", label=solver)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="CPU seconds", ylabel=f"share of {len(names)} instances proven")
    axes.grid(alpha=0.3)
    axes.legend(loc="center left")  # ours ends at the top, the others near the bottom


def _growth(axes: Axes, results: Results, family: str) -> None:
    """Our CPU seconds along one family; a hollow mark was stopped at the limit, unproven."""
    points = [
        (instance.axis, record.cpu_seconds, record.proven)
        for instance in all_instances().values()
        if instance.group == family
        and (record := results.of(instance.name, OURS)) is not None
        and record.cpu_seconds is not None
    ]
    axes.set(xlabel=_LABELS[family], ylabel="CPU seconds")
    if not points:
        return  # a logarithmic axis needs a number
    axes.plot([x for x, _, _ in points], [t for _, t, _ in points], color="C0", linewidth=1)
    for x, seconds, proven in points:
        axes.plot(x, seconds, "o", color="C0", markerfacecolor="C0" if proven else "white")
    axes.set_yscale("log")
    if family != "size":
        axes.set_xscale("log")
    axes.grid(alpha=0.3)
