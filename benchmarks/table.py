"""Results as Markdown, and into the documentation between two markers."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.data import ROOT
from benchmarks.instances import Instance, all_instances
from benchmarks.ratios import ratio
from benchmarks.record import Machine, Record, Results, Startup
from benchmarks.suites import OURS, SOLVERS

DOCS = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
_COLUMNS = (
    "instance", "solver", "CPU s", "ratio", "wall s", "objective", "errors", "size", "l1", "bound", "gap",
    "proven", "best at s", "nodes", "MB",
)  # fmt: skip
_NUMBER = re.compile(r"|-|failed|(≥ )?[\d.]+(e\+\d+)?%?")
_TITLES = {
    "reference": "Instances of the study",
    "whole": "The same with a whole intercept",
    "miplib": "MIPLIB 2017, rebuilt",
    "incumbent": "Incumbents on large problems",
    "rows": "Growth: rows (20 binary features, 5,000 patterns, size limit 5)",
    "features": "Growth: features (2,000 binary rows, 200 patterns, size limit 3)",
    "coefficients": "Growth: largest coefficient (500 rows, 8 columns of 0 to 9, 200 patterns, size limit 4)",
    "size": "Growth: size limit (2,000 rows, 20 binary features, 200 patterns)",
}


def one_line(record: Record) -> str:
    """Say what one run did, for the terminal."""
    head = f"{record.instance:26} {record.solver:6}"
    if record.model is None:
        return f"{head} failed: {record.error}"
    model = record.model
    state = "proven" if model.proven_optimal else f"gap {model.gap:.1%}"
    return (
        f"{head} {number(record.cpu_seconds):>8} s  F {model.objective:.6f}  errors {model.errors:g}  "
        f"size {model.size}  l1 {model.l1:g}  {state}  {number(record.peak_megabytes)} MB"
    )


def markdown(results: Results) -> str:
    """Write all tables."""
    parts = [_machine(results.machine)]
    listed = all_instances()
    for group, title in _TITLES.items():
        names = [i.name for i in listed.values() if i.group == group]
        records = list(_ordered(results, names))
        if records:
            rows = [_row(listed[record.instance], record, results) for record in records]
            parts += [f"## {title}", grid(_COLUMNS, rows)]
        if failed := [record for record in records if record.model is None]:
            parts.append("\n".join(f"- {r.instance}, {r.solver}: {_reason(r.error)}" for r in failed))
    if results.comparisons:
        parts += ["## FasterRisk, at equal size", _comparisons(results)]
    if results.startup is not None:
        parts += ["## Start-up on breast cancer", _startup(results.startup)]
    return "\n\n".join(parts) + "\n"


def into_docs(text: str, page: Path, part: str = "results") -> None:
    """Put the tables into a page of the documentation, between the markers of a part of it."""
    begin, end = (f"<!-- {part}: {word} -->" for word in ("begin", "end"))
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    if not found:
        raise ValueError(f"{page.name} has no line {begin}")
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n{text}{end}{after}", encoding="utf-8")


def _ordered(results: Results, names: Sequence[str]) -> Iterable[Record]:
    for name in names:
        for solver in SOLVERS:
            record = results.of(name, solver)
            if record is not None:
                yield record


def _row(instance: Instance, record: Record, results: Results) -> list[str]:
    model = record.model
    if model is None:
        return [instance.name, record.solver, "failed", *[""] * (len(_COLUMNS) - 3)]
    compared = None if record.solver == OURS else ratio(record, results.of(instance.name, OURS))
    return [
        instance.name,
        record.solver,
        number(record.cpu_seconds),
        "" if compared is None else str(compared),
        number(record.wall_seconds),
        f"{model.objective:.6f}",
        f"{model.errors:g}",
        str(model.size),
        f"{model.l1:g}",
        f"{model.lower_bound:.6f}",
        f"{model.gap:.1%}",
        "F, l1" if model.proven_smallest else "F" if model.proven_optimal else "no",
        number(model.reached(model.objective)),
        str(model.nodes),
        number(record.peak_megabytes),
    ]


def _reason(error: str | None) -> str:
    """The message without the name of its class."""
    return re.sub(r"^[\w.]+(Error|Exception): ", "", error or "no reason is on record")


def _machine(machine: Machine) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages)
    beside = f"Ours and peers ran {machine.side_by_side} at a time. " if machine.side_by_side > 1 else ""
    return (
        f"{machine.cpu}, {machine.cores} cores, {machine.system}; Python {machine.python}; {packages}; "
        f"load {machine.load:g} at the start. {beside}"
        "One thread each; times exclude loading. Ours: the median of three consecutive runs "
        "(a single run if it reached the time limit). Peers: one run, limited by CPU time. "
        "Best at: when the best model was found. "
        "Ratio: a peer's CPU seconds to the proof of F, divided by all of ours; "
        "≥ marks a peer that reached its limit without a proof and counts with the CPU seconds it had."
    )


def _comparisons(results: Results) -> str:
    rows = [
        [
            c.instance,
            str(c.size),
            f"±{c.largest}",
            f"failed: {c.error}" if c.error else str(c.fasterrisk_errors),
            number(c.fasterrisk_seconds),
            str(c.errors) + (" (proven)" if c.proven else ""),
            number(c.seconds),
            c.version,
        ]
        for c in results.comparisons
    ]
    head = ("instance", "size limit", "points", "FasterRisk errors", "CPU s", "our errors", "CPU s", "version")
    note = (
        "Training errors, counted by the same rule for both. FasterRisk minimises a different loss; we take "
        "the model with the fewest errors from its pool and choose its intercept again."
    )
    elsewhere = {c.system for c in results.comparisons} - {None, results.machine.system}
    if elsewhere:
        note += f" FasterRisk ran on another machine than ours ({', '.join(map(str, elsewhere))})."
    return f"{note}\n\n{grid(head, rows)}"


def _startup(startup: Startup) -> str:
    if startup.error is not None:
        return f"failed: {startup.error}"
    return (
        f"Until its first model: {number(startup.first_incumbent_seconds)} s; to its end: {number(startup.seconds)} s. "
        "Both include starting the interpreter and all imports (`python -m benchmarks.startup`)."
    )


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown; columns of numbers stand to the right."""
    numbers = [all(_NUMBER.fullmatch(row[k]) for row in rows) for k in range(len(head))]
    lines = [head, ["---:" if is_number else "---" for is_number in numbers], *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def number(value: float | None) -> str:
    """Write a measurement with three digits."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
