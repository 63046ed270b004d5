"""Wall time by number of threads: ``python -m benchmarks.threads [--threads 1,2,4,8,16] [--only NAME,...]``.

Needs as many free cores. Every number of threads has its turn twice (once where that takes more than half a
minute) and the shorter run counts, because cores are slower in some minutes. How much work was done is stored
too: it says whether the threads or the machine took longer. Besides instances of the study it solves tables
with many small supports, which take from a tenth of a second to a minute with one thread, and hard tables
(``benchmarks.hard_tables``), of which hard_floats_F25 and hard_floats_F27 only if they are named. With
``--processes 16`` executors of so many processes follow. Writes ``results/thread-scaling.jsonl`` (not with
``--only`` or ``--processes``) and the table in docs/cluster.md; ``--report`` only writes the table.
"""

import argparse
import json
import os
import platform
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, wait
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.data import ROOT
from benchmarks.hard_tables import HardTable
from benchmarks.instances import all_instances
from benchmarks.table import into_docs
from supersparse import Problem, solve

Record = dict[str, float | str]
RESULTS = Path(__file__).parent / "results" / "thread-scaling.jsonl"
PAGE = ROOT / "docs" / "cluster.md"
SHOWN = (1, 4, 16)  # threads in the page's table
_FROM_THE_STUDY = ("breastcancer_paper", "mammo_paper", "mammo_paperfree", "adult_max5")
_TABLES = {  # rows, columns, values of a third of the columns, at most so many features
    "binary_155x20_4": (155, 20, 2, 4),
    "mixed_155x20_4": (155, 20, 6, 4),
    "whole_400x14_4": (400, 14, 10, 4),
    "binary_500x30_5": (500, 30, 2, 5),
    "mixed_300x24_5": (300, 24, 6, 5),
}
_HARD = {  # 200 rows, 20 columns, C0 = 0.01, F in wrong rows: the ratio bound proves them
    "hard_levels_F20": HardTable("levels", 5, 0.05, 2),
    "hard_mixed_F22": HardTable("mixed", 5, 0.05, 1),
    "hard_levels_F22": HardTable("levels", 5, 0.05, 1),
}
_HARDER = {  # a third of a minute and one and a half with 16 threads
    "hard_floats_F25": HardTable("floats", 3, 0.1, 1),
    "hard_floats_F27": HardTable("floats", 5, 0.05, 1),
}
_LIMIT = 300.0
_TURNS = 2  # of each number of threads, and the shortest counts
_LONG = 30.0  # seconds: what takes longer has one turn


def small_supports(name: str) -> Problem:
    """A table with a weak signal, so that nearly every small support has to be looked at."""
    rows, columns, values, most = _TABLES[name]
    random = np.random.default_rng([rows, columns, values])
    X = (random.random((rows, columns)) < random.uniform(0.15, 0.85, columns)).astype(int)
    wide = columns if values == 10 else columns // 3
    X[:, :wide] = random.integers(0, values, (rows, wide))
    weights = np.zeros(columns)
    weights[random.permutation(columns)[:8]] = random.integers(1, 6, 8) * random.choice([-1, 1], 8)
    scores = X @ weights
    y = (scores > np.median(scores)) ^ (random.random(rows) < 0.25)
    return Problem.of(X, y.astype(int), C0=Fraction(9, 10 * rows * columns), max_points=5, max_features=most)


def problems(only: frozenset[str] | None) -> Iterator[tuple[str, Problem]]:
    """The problems by name; instances whose data are missing are left out, and said so."""
    for name in _TABLES:
        if only is None or name in only:
            yield name, small_supports(name)
    for name, hard in {**_HARD, **_HARDER}.items():
        if name in (_HARD if only is None else only):
            yield name, hard.problem()
    for name in _FROM_THE_STUDY:
        if only is None or name in only:
            instance = all_instances()[name]
            if instance.missing is None:
                yield name, instance.settings.problem(instance.table())
            else:
                print(f"skipped: {name}: {instance.missing}", flush=True)


def table() -> str:
    """Write the stored seconds by number of threads, and how many times as fast that is."""
    seconds: dict[str, dict[int, float]] = {}
    for record in map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines()[1:]):
        seconds.setdefault(record["problem"], {})[record["threads"]] = record["seconds"]
    head = ["problem", *map(str, SHOWN), *map(str, SHOWN[1:])]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, by_threads in seconds.items():
        if set(SHOWN) <= set(by_threads):
            one, *more = (by_threads[n] for n in SHOWN)
            numbers = (one, *more, *(one / s for s in more))
            lines.append(f"| {name} | " + " | ".join(f"{x:.1f}" for x in numbers) + " |")
    return "\n".join(lines) + "\n"


def measure(problem: Problem, threads: int, executor: Executor | None = None) -> Record:
    """Solve with so many threads, or on an executor; return what is stored of it."""
    began, cpu = time.perf_counter(), time.process_time()
    solution = solve(problem, "exact", n_jobs=threads, executor=executor, time_limit=_LIMIT)
    return {
        "threads": threads,
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - cpu,
        "objective": float(solution.objective),
        "lower_bound": float(solution.lower_bound),
        "l1": float(solution.evaluation.l1),
        "stop": solution.stop.name,
        "nodes": solution.nodes,
    }


def measure_in_turn(problem: Problem, threads: Sequence[int]) -> list[Record]:
    """Measure each number of threads several times, in turn; return what is stored of the shortest runs."""
    runs: list[list[Record]] = [[] for _ in threads]
    for turn in range(_TURNS):
        for n, done in zip(threads, runs, strict=True):
            if turn == 0 or float(done[0]["seconds"]) < _LONG:
                done.append(measure(problem, n))
    return [shortest(done) for done in runs]


def shortest(runs: Sequence[Record]) -> Record:
    """The shortest of some runs, and how many they were."""
    return min(runs, key=lambda run: float(run["seconds"])) | {"runs": len(runs)}


def load() -> None:
    """Load the solver."""
    solve(Problem.of([[0], [1]], [0, 1]), "exact")


def main() -> None:
    """Measure each problem with each number of threads."""
    parser = argparse.ArgumentParser(prog="benchmarks.threads", description=__doc__.split("\n")[0])
    parser.add_argument("--threads", help="numbers of threads, separated by commas; default: 1, 2, 4, ... cores")
    parser.add_argument("--processes", help="numbers of processes for executors, separated by commas")
    parser.add_argument("--only", help="problems, separated by commas")
    parser.add_argument("--report", action="store_true", help="measure nothing, write the page's table")
    asked = parser.parse_args()
    if asked.report:
        return into_docs(table(), PAGE, "threads")
    cores = os.cpu_count() or 1
    usual = [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= cores]
    threads = usual if asked.threads is None else [int(n) for n in asked.threads.split(",")]
    processes = [] if asked.processes is None else [int(n) for n in asked.processes.split(",")]
    only = None if asked.only is None else frozenset(asked.only.split(","))
    warnings.simplefilter("ignore")
    heads = [*(f"{n:>8} thr." for n in threads), *(f"{n:>7} proc." for n in processes)]
    print(f"{'problem':24}" + "".join(heads) + "   times as fast", flush=True)
    lines: list[dict[str, object]] = [
        {"machine": platform.machine(), "cores": cores, "python": platform.python_version()}
    ]
    for name, problem in problems(only):
        found = measure_in_turn(problem, threads)
        lines += [{"problem": name, **record} for record in found]
        for n in processes:
            with ProcessPoolExecutor(n, mp_context=get_context("spawn")) as executor:
                wait([executor.submit(load) for _ in range(4 * n)])  # and every process has started
                found.append(shortest([measure(problem, 1, executor) for _ in range(_TURNS)]))
        seconds = [float(record["seconds"]) for record in found]
        ratios = " ".join(f"{seconds[0] / s:.1f}" for s in seconds)
        print(f"{name:24}" + "".join(f"{s:11.2f} s" for s in seconds) + f"   {ratios}", flush=True)
    if only is None and not processes:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        if set(SHOWN) <= set(threads):
            into_docs(table(), PAGE, "threads")


if __name__ == "__main__":
    main()
