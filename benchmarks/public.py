"""A public benchmark of exact risk scores: ``python -m benchmarks.public FOLDER [--jobs N] [--only NAMES]``.

The problems are those of `evolve_slim` in csinva/agentic-imodels (MIT), which are not in this repository;
docs/engine.md says how a folder of them is laid out. Each asks for whole points from -5 to 5 on at most k
columns, with the least mean log loss over a free slope and intercept, in 60 seconds on one core. *Certified*: a
lower bound of at least the loss - 1e-7 within the limit; *wrong*: a bound above the best known loss + 1e-7.

Each problem has a process of its own, which solves a small one first, so that loading does not count; CPU seconds
count from arrays to the answer. Each result is written to ``--results`` when it ends, and whoever starts again
goes on from there. A whole run is stored, and writes the table in docs/engine.md; ``--report`` only writes it.
"""

import argparse
import csv
import json
import math
import multiprocessing
import os
import sys
import textwrap
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import ROOT
from benchmarks.processes import ONE_THREAD
from benchmarks.record import Machine
from benchmarks.table import grid, into_docs, number

RESULTS = ROOT / "benchmarks" / "results" / "public.jsonl"
PAGE = ROOT / "docs" / "engine.md"
LIMIT, LARGEST = 60.0, 5
ACCURACY = 1e-7  # of what is certified, and of losses


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a problem: the best loss, and what the best published solver does."""

    loss: float
    certified: bool
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One problem solved here."""

    table: str
    k: int
    rows: int
    columns: int
    loss: float
    bound: float
    seconds: float  # of CPU time
    clock: float  # seconds by the clock
    nodes: int

    @property
    def key(self) -> tuple[str, int]:
        """Name the problem."""
        return self.table, self.k

    @property
    def certified(self) -> bool:
        """Whether the card was proven in time."""
        return self.bound >= self.loss - ACCURACY and self.seconds <= LIMIT

    def is_wrong(self, known: Known) -> bool:
        """Whether the bound excludes a card that exists."""
        return self.bound > min(known.loss, self.loss) + ACCURACY

    def is_worse(self, known: Known) -> bool:
        """Whether a better card is known."""
        return self.loss > known.loss + ACCURACY


def known_of(folder: Path) -> dict[tuple[str, int], Known]:
    """Read the reference figures of the problems whose table the folder has."""
    with (folder / "reference.csv").open(encoding="utf-8", newline="") as lines:
        return {
            (row["dataset"], int(row["k"])): Known(
                loss=float(row["best_known_loss"]),
                certified=row["z30_certified"] == "1",
                seconds=float(row["z30_seconds"]),
            )
            for row in csv.DictReader(lines)
            if (folder / "problems" / f"{row['dataset']}.npz").exists()
        }


def solve_one(file: str, table: str, k: int, limit: float) -> Result:
    """Solve one problem."""
    from supersparse.engine.solve import solve
    from supersparse.problem.problem import Problem

    def asked(X: np.ndarray, y: np.ndarray, most: int) -> Problem:  # type: ignore[type-arg]
        names = [f"x{j}" for j in range(X.shape[1])]
        return Problem.of(
            X, y, feature_names=names, goal="risk", C0=0, max_points=LARGEST, max_features=most, positive=1
        )

    small = np.array([[0, 1], [1, 1], [1, 0], [0, 0], [1, 1]])
    solve(asked(small, np.array([0, 1, 0, 0, 0]), 1))
    with np.load(file, allow_pickle=False) as data:
        X, y = np.asarray(data["Xtr"], dtype=float), np.asarray(data["ytr"], dtype=int)
    begun, clock = time.process_time(), time.monotonic()
    problem = asked(X, y, k)
    solution = solve(problem, time_limit=limit - (time.monotonic() - clock) - 0.2)
    return Result(
        table=table, k=k, rows=X.shape[0], columns=X.shape[1], loss=float(solution.objective),
        bound=float(solution.lower_bound), seconds=time.process_time() - begun, clock=time.monotonic() - clock,
        nodes=solution.nodes,
    )  # fmt: skip


def measure(folder: Path, keys: Sequence[tuple[str, int]], jobs: int, results: Path, limit: float) -> list[Result]:
    """Solve the problems, those with few columns on a card first; write each result as it ends."""
    found = read(results)
    solved = {each.key for each in found}
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(jobs, mp_context=context, max_tasks_per_child=1) as pool,
        results.open("a", encoding="utf-8") as lines,
    ):
        waiting: set[Future[Result]] = {
            pool.submit(solve_one, str(folder / "problems" / f"{table}.npz"), table, k, limit)
            for table, k in sorted(keys, key=lambda key: (-key[1], key[0]))
            if (table, k) not in solved
        }
        while waiting:
            done, waiting = wait(waiting, return_when="FIRST_COMPLETED")
            for each in done:
                found.append(each.result())
                print(json.dumps(asdict(found[-1])), file=lines, flush=True)
                print(line_of(found[-1]), flush=True)
    return sorted(found, key=lambda each: each.key)


def line_of(one: Result) -> str:
    """Say what became of one problem, for the terminal."""
    state = "certified" if one.certified else f"open, bound {one.bound:.6f}"
    return f"{one.table:28} k={one.k:<2} {one.seconds:8.3f} s  loss {one.loss:.8f}  {state}"


def read(results: Path) -> list[Result]:
    """Return the stored results."""
    if not results.exists():
        return []
    return [Result(**json.loads(line)) for line in results.read_text(encoding="utf-8").splitlines()[1:]]


def summary(results: Sequence[Result], known: dict[tuple[str, int], Known]) -> str:
    """Count what was certified, wrong and worse, and compare seconds."""
    both = [each for each in results if each.certified and known[each.key].certified]
    slow = [each for each in both if known[each.key].seconds > 1]

    def ratio(of: Sequence[Result]) -> str:
        logs = [math.log(each.seconds / known[each.key].seconds) for each in of]
        return f"{math.exp(sum(logs) / len(logs)):.2f}" if logs else "-"

    certified, theirs = sum(each.certified for each in results), sum(known[each.key].certified for each in results)
    wrong = sum(each.is_wrong(known[each.key]) for each in results)
    worse = [f"{each.table} {each.k}" for each in results if each.is_worse(known[each.key])]
    return (
        f"{len(results)} problems: {certified} certified within {LIMIT:.0f} s (the best published solver: {theirs}), "
        f"{wrong} wrong; worse than the best known card: {', '.join(worse) or 'none'}. On the {len(both)} that both "
        f"certify, CPU seconds here are {ratio(both)} of the published ones (geometric mean; {ratio(slow)} on the "
        f"{len(slow)} where those are over 1)."
    )


def table_of(results: Sequence[Result], known: dict[tuple[str, int], Known]) -> str:
    """Write one row for each problem."""
    rows = []
    for each in results:
        theirs = known[each.key]
        rows.append([
            each.table, f"{each.rows} x {each.columns}", str(each.k), f"{each.loss:.8f}",
            f"{each.loss - theirs.loss:+.1e}",
            "proven" if each.certified else f"{each.bound:.6f}", number(each.seconds),
            number(theirs.seconds) if theirs.certified else "open",
        ])  # fmt: skip
    head = ["table", "rows x columns", "k", "log loss", "beside the best known", "bound", "CPU s", "published s"]
    return grid(head, rows)


def report(folder: Path) -> None:
    """Write the table of the stored run into the page."""
    words = json.loads(RESULTS.read_text(encoding="utf-8").splitlines()[0])["machine"]
    results, known = read(RESULTS), known_of(folder)
    said = "\n\n".join(textwrap.fill(part, 120) for part in (words, summary(results, known)))
    into_docs(f"{said}\n\n{table_of(results, known)}\n", PAGE, "public")


def main() -> None:
    """Measure; exit with 1 where a bound is wrong."""
    parser = argparse.ArgumentParser(prog="benchmarks.public", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder with reference.csv and problems/*.npz")
    parser.add_argument("--jobs", type=int, default=1, help="problems that run side by side")
    parser.add_argument("--seconds", type=float, default=LIMIT, help="for each problem; a run with fewer is not stored")
    parser.add_argument("--only", help="problems such as heart or heart:7, separated by commas")
    parser.add_argument("--results", type=Path, help="file of results; by default results/public.jsonl, anew")
    parser.add_argument("--report", action="store_true", help="write the table of the stored run, only")
    asked = parser.parse_args()
    if not (asked.folder / "reference.csv").exists():
        sys.exit(
            f"there is no {asked.folder / 'reference.csv'}: name a folder of the benchmark, see docs/engine.md"
        )
    if asked.report:
        return report(asked.folder)
    os.environ |= ONE_THREAD
    known = known_of(asked.folder)
    only = asked.only.split(",") if asked.only else None
    keys = [key for key in known if only is None or key[0] in only or f"{key[0]}:{key[1]}" in only]
    results = asked.results or RESULTS.with_suffix(".part.jsonl")
    if not results.exists():
        here = Machine.here()
        words = f"{here.cpu}, {here.cores} cores, {here.system}; Python {here.python}; {asked.jobs} side by side."
        results.write_text(json.dumps({"machine": words}) + "\n", encoding="utf-8")
    found = [each for each in measure(asked.folder, keys, asked.jobs, results, asked.seconds) if each.key in keys]
    print(table_of(found, known))
    print(summary(found, known))
    if asked.results is None and only is None and asked.seconds == LIMIT:
        head = results.read_text(encoding="utf-8").splitlines()[0]
        RESULTS.write_text("\n".join([head, *(json.dumps(asdict(each)) for each in found)]) + "\n", encoding="utf-8")
        results.unlink()
        report(asked.folder)
    sys.exit(any(each.is_wrong(known[each.key]) for each in found))


if __name__ == "__main__":
    main()
