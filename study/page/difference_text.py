"""Where errors and sizes are far from the paper's, and why, if known."""

from collections.abc import Iterator

from study.page.result_tables import RULES
from study.page.table import Table
from study.results.differences import large_differences
from study.results.sizes import FarSize, far_sizes
from study.results.study import Result, Study


def differences_text(study: Study) -> Iterator[str]:
    """Both lists."""
    yield "### Errors more than two standard deviations from the paper's"
    yield from _errors(study)
    yield "### Sizes far from the paper's"
    yield from _sizes(study)


def _errors(study: Study) -> Iterator[str]:
    found = large_differences(study)
    if not found:
        yield "There are none."
        return
    rows = tuple(
        (
            d.dataset, d.method, RULES[d.rule], d.what, f"{d.ours:.1f} %", f"{d.paper:.1f} %",
            f"{d.deviations:+.1f}", _setting(d.nearest) + f": {_percentages(d.nearest)}", d.reason,
        )
        for d in found
    )  # fmt: skip
    header = (
        "dataset", "method", "rule", "what", "ours", "paper", "deviations", "nearest setting", "known reason",
    )  # fmt: skip
    yield (
        "Each row shows the setting whose errors (test, train) are nearest to the paper's, out of all that "
        "we tried: if they are the same, the difference lies in the choice of parameters."
    )
    yield Table("Large differences", header, rows).markdown()


def _sizes(study: Study) -> Iterator[str]:
    found = far_sizes(study)
    if not found:
        yield "There are none."
        return
    yield (
        "Median sizes that differ by at least half and by at least three. Each row shows our record "
        "with the size nearest to the paper's. Errors are test, train."
    )
    header = (
        "dataset", "method", "rule", "ours", "errors", "paper", "errors",
        "ours at the paper's size", "known reason",
    )  # fmt: skip
    yield Table("Sizes", header, tuple(_size_row(far) for far in found)).markdown()


def _size_row(far: FarSize) -> tuple[str, ...]:
    ours, paper, near = far.ours, far.paper, far.nearest
    nearest = f"{_setting(near)}: {_span(near)}, {_percentages(near)}"
    if near.method != ours.method:
        nearest = f"{near.method}, {nearest}"
    return (
        ours.dataset,
        ours.method,
        RULES[far.rule],
        _span(ours),
        _percentages(ours),
        f"{paper.size} ({paper.least}–{paper.most})",
        f"{paper.test} %, {paper.train} %",
        nearest,
        far.reason,
    )


def _setting(result: Result) -> str:
    return result.setting.in_words() or "the only one"


def _percentages(result: Result) -> str:
    return f"{result.test.mean:.1f} %, {result.train.mean:.1f} %"


def _span(result: Result) -> str:
    sizes = result.sizes()
    return f"{result.size:g} ({sizes[0]}–{sizes[-1]})"
