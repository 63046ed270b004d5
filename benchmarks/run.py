"""The one command: ``python -m benchmarks.run SUITE [--only NAME,...] [--jobs N]``; suites.py has the suites.

Measures, writes ``results/SUITE.jsonl.part`` as it goes, and when all is measured ``results/SUITE.jsonl``,
the table, the plots, the docs page and the bar, line by line. Interrupted, the same command goes on after the
last measurement; remove the part to begin again. A part from another machine is completed with FasterRisk
alone, and the table says so. ``--report`` writes tables, plots and pages of the stored run anew.
"""

import argparse
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import check, cpsat, overview, risk_scores, startup, table
from benchmarks.instances import all_instances
from benchmarks.processes import run_job
from benchmarks.record import Line, Machine, Record, Results, load, to_line
from benchmarks.suites import CPSAT, OURS, SUITES, Job, Suite
from supersparse.engine import solvers

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Out:
    """The file that results go to, one line at a time."""

    path: Path

    def add(self, value: Line) -> None:
        """Append a measurement, so that an interrupted run keeps what it has."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(to_line(value) + "\n")


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(prog="benchmarks.run", description="Measure solvers on instances.")
    parser.add_argument("suite", nargs="?", default="full", choices=list(SUITES))
    parser.add_argument("--only", help="instances, separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="peers that run side by side (ours run alone)")
    parser.add_argument("--beside", action="store_true", help="ours run side by side with the peers too")
    parser.add_argument("--report", action="store_true", help="measure nothing, report the stored run")
    parser.add_argument("--no-docs", action="store_true", help="leave docs/benchmarks.md as it is")
    asked = parser.parse_args()
    suite = SUITES[asked.suite]()
    only = None if asked.only is None else frozenset(asked.only.split(","))
    RESULTS.mkdir(exist_ok=True)
    name = suite.name if only is None else f"{suite.name}-part"
    began = time.perf_counter()
    if not asked.report:
        out = Out(RESULTS / f"{name}.jsonl.part")
        measure(suite, only, out, asked.jobs, beside=asked.beside)
        out.path.replace(RESULTS / f"{name}.jsonl")
    report(name, with_docs=suite.name == "full" and only is None and not asked.no_docs)
    print(f"{(time.perf_counter() - began) / 60:.1f} minutes")


def measure(suite: Suite, only: frozenset[str] | None, out: Out, jobs: int, *, beside: bool = False) -> None:
    """Run what is not measured yet: ours alone unless `beside`, peers side by side, then FasterRisk."""
    here = Machine.here()
    if not out.path.exists():
        out.add(replace(here, side_by_side=jobs if beside else 1))
    known = load(out.path)
    if known.machine.place == here.place:
        _solve(suite, only, out, jobs, beside=beside)
    else:
        print(f"measured on {', '.join(known.machine.place)}: nothing is added but FasterRisk", flush=True)
    compared = {comparison.instance for comparison in known.comparisons}
    names = [name for name in _names(suite.compared, only) if name not in compared]
    if names and (reason := risk_scores.missing()) is not None:
        print(f"skipped: FasterRisk: {reason}", flush=True)
        return
    for name in names:
        out.add(risk_scores.compare(name, load(out.path).of(name, OURS)))


def _solve(suite: Suite, only: frozenset[str] | None, out: Out, jobs: int, *, beside: bool) -> None:
    known = load(out.path)
    measured = {(record.instance, record.solver) for record in known.records}
    if suite.startup and only is None and known.startup is None:
        out.add(startup.measure())

    def left(jobs: Iterable[Job]) -> Iterator[Job]:
        return (job for job in _possible(jobs, only) if (job.instance, job.solver) not in measured)

    together = (*suite.ours, *suite.peers) if beside else suite.peers
    for record in () if beside else map(run_job, left(suite.ours)):
        _note(record, out)
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(run_job, job) for job in left(together)]
        for done in as_completed(waiting):
            _note(done.result(), out)


def _possible(jobs: Iterable[Job], only: frozenset[str] | None) -> Iterator[Job]:
    """Leave out what was not asked for, what has no data here and what is not installed, saying so."""
    jobs = list(jobs)
    names = set(_names(dict.fromkeys(job.instance for job in jobs), only))
    missing = {solver: _missing(solver.partition("+")[0]) for solver in {job.solver for job in jobs}}
    for solver, remedy in sorted(missing.items()):
        if remedy is not None:
            print(f"skipped: {solver} is not installed; {remedy}", flush=True)
    return (job for job in jobs if job.instance in names and missing[job.solver] is None)


def _missing(solver: str) -> str | None:
    """How to install a solver that is missing; None if it is there."""
    if solver == CPSAT:
        return None if cpsat.version() is not None else "pip install ortools"
    state = solvers.availability(solver)
    return None if state.installed else state.remedy


def _names(names: Iterable[str], only: frozenset[str] | None) -> Iterator[str]:
    for name in names:
        if only is not None and name not in only:
            continue
        reason = all_instances()[name].missing
        if reason is None:
            yield name
        else:
            print(f"skipped: {name}: {reason}", flush=True)


def _note(record: Record, out: Out) -> None:
    out.add(record)
    print(table.one_line(record), flush=True)


def report(name: str, *, with_docs: bool) -> None:
    """Write the table, the plots and the docs page, and print the bar."""
    results = load(RESULTS / f"{name}.jsonl")
    text = table.markdown(results)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    _plot(results, name)
    longer = load(overview.STORED_LONG) if overview.STORED_LONG.exists() else None
    if with_docs:
        table.into_docs(text, table.DOCS)
        overview.into_pages(results, longer)
    check.show(results, longer)


def _plot(results: Results, name: str) -> None:
    try:
        from benchmarks import plots
    except ImportError:
        print('no plots: pip install "supersparse[bench]" for matplotlib', flush=True)
        return
    plots.draw(results, RESULTS, name)


if __name__ == "__main__":
    main()
