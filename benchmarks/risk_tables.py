"""Proofs of least log loss on generated and real tables, in CPU seconds beside what is allowed.

    python -m benchmarks.risk_tables [names...]

Numeric and mixed tables of up to 27 columns, up to 7 features: 1 s (tic-tac-toe, 7 features: 10 s). Binary
tables of 40 to 100 columns, 4 features, or 40 to 60 columns, 5 features: 40 s. Points are from -5 to 5, the
slope is free, there is no penalty, and kernels are compiled before the clock starts. What takes little is
solved three times, and the least time counts: the work is the same each time, and other programs on the
machine only add to it. One line of JSON for each table goes to ``benchmarks/results/risk_tables.jsonl``,
unless names are given: then only those that contain one are run. Tables whose file is not here are left out.
"""

import gzip
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import ROOT, Table, folder, missing, read
from benchmarks.risk_peers import problem_of
from supersparse import solve

RESULTS = ROOT / "benchmarks" / "results" / "risk_tables.jsonl"
LIMIT = 60.0  # CPU seconds for one table
LITTLE = 4.0  # CPU seconds
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A table, how many features a card may have, and the CPU seconds that the proof may take."""

    name: str
    table: Callable[[], Table]
    features: int
    seconds_allowed: float
    file: str | None = None


def _named(X: Floats, y: NDArray[np.int64]) -> Table:
    return Table(X, y, tuple(f"x{j}" for j in range(X.shape[1])))


def _labels(rng: np.random.Generator, z: Floats) -> NDArray[np.int64]:
    return (rng.random(len(z)) < 1 / (1 + np.exp(np.median(z) - z))).astype(np.int64)


def mixed(rows: int, columns: int, seed: int) -> Table:
    """Binary columns, levels, and numbers of several scales, some of them skewed; all correlated."""
    rng = np.random.default_rng([seed, rows, columns])
    X, shared = np.empty((rows, columns)), rng.normal(size=(rows, 4))
    for j in range(columns):
        hidden = shared @ rng.normal(0, 0.5, 4) + rng.normal(0, 0.8, rows)
        if j % 4 == 0:
            X[:, j] = hidden > np.quantile(hidden, rng.uniform(0.2, 0.8))
        elif j % 4 == 1:
            X[:, j] = np.clip(np.round(2 * hidden + 5), 0, 10)
        elif j % 4 == 2:
            X[:, j] = np.round(hidden * 10.0 ** rng.integers(0, 3), 2)
        else:
            X[:, j] = np.round(np.exp(hidden), 2)
    weights = np.where(rng.random(columns) < 0.4, rng.normal(0, 1, columns), 0)
    return _named(X, _labels(rng, ((X - X.mean(axis=0)) / X.std(axis=0)) @ weights))


def binary(rows: int, columns: int, seed: int) -> Table:
    """Correlated binary columns, a tenth to nine tenths of them ones; a quarter of the columns matter."""
    rng = np.random.default_rng([seed, rows, columns, 1])
    hidden = rng.normal(size=(rows, 6)) @ rng.normal(0, 0.6, (6, columns)) + rng.normal(0, 0.8, (rows, columns))
    X = (hidden > [np.quantile(own, rng.uniform(0.1, 0.9)) for own in hidden.T]).astype(float)
    return _named(X, _labels(rng, X @ np.where(rng.random(columns) < 0.25, rng.normal(0, 1, columns), 0)))


def thresholds(rows: int, columns: int, seed: int) -> Table:
    """Correlated numbers, each cut at five thresholds; the numbers themselves say what the risk is."""
    rng = np.random.default_rng([seed, rows, columns, 2])
    count = -(-columns // 5)
    X = rng.normal(size=(rows, 3)) @ rng.normal(0, 0.5, (3, count)) + rng.normal(0, 0.8, (rows, count))
    cuts = [X[:, j] > np.quantile(X[:, j], t) for j in range(count) for t in (0.15, 0.35, 0.5, 0.7, 0.85)]
    weights = np.where(rng.random(count) < 0.6, rng.normal(0, 1, count), 0)
    return _named(np.column_stack(cuts[:columns]).astype(float), _labels(rng, X @ weights))


def cut(table: Table, cuts: int, columns: int) -> Table:
    """Cut each column at so many quantiles; so many of the 0/1 columns, all different, by chance."""
    X = np.asarray(table.X, dtype=float)
    found = {
        above.tobytes(): above
        for own in X.T
        for t in np.unique(np.quantile(own, np.linspace(0, 1, cuts + 2)[1:-1]))
        if (above := own > t).any()
    }
    every = np.column_stack(list(found.values())).astype(float)
    chosen = np.sort(np.random.default_rng(0).permutation(every.shape[1])[:columns])
    return _named(every[:, chosen], np.asarray(table.y).astype(np.int64))


def part(table: Table, rows: int, columns: int, first: int = 0) -> Table:
    """So many columns from the first on, and so many of the rows, by chance."""
    chosen, own = (np.sort(np.random.default_rng(0).permutation(len(table.y))[:rows]), slice(first, first + columns))
    return Table(np.asarray(table.X, dtype=float)[chosen, own], table.y[chosen], table.names[own])


def some(table: Table, columns: int, seed: int) -> Table:
    """So many of the columns, by chance."""
    own = np.sort(np.random.default_rng(seed).permutation(len(table.names))[:columns])
    return Table(np.asarray(table.X, dtype=float)[:, own], table.y, tuple(table.names[j] for j in own))


def _wdbc() -> Table:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    return _named(data.data, 1 - data.target)


def _adult() -> Table:
    with gzip.open(folder() / "adult.csv.gz", "rt", encoding="utf-8") as file:
        values = np.loadtxt(file, delimiter=",", skiprows=1)
    return _named(values[:, 1:], (values[:, 0] > 0).astype(np.int64))


def cases() -> list[Case]:
    """List the tables."""
    found = [
        Case(f"mixed, seed {seed}", lambda r=rows, c=columns, s=seed: mixed(r, c, s), k, 1.0)
        for rows, columns, seed, k in (
            (1500, 27, 0, 5), (1500, 27, 0, 6), (1500, 27, 0, 7), (1500, 27, 1, 6), (800, 24, 2, 7),
            (300, 12, 3, 7), (4000, 27, 3, 5),
        )
    ]  # fmt: skip
    found += [Case("breast cancer (WDBC)", lambda: part(_wdbc(), 569, 27), k, 1.0) for k in (3, 5, 7)]
    found += [
        Case("spambase", lambda: part(read("spambase.csv"), 1500, 20), 5, 1.0),
        Case("spambase", lambda: part(read("spambase.csv"), 4601, 27), 4, 1.0),
        Case("spambase", lambda: part(read("spambase.csv"), 4601, 27), 7, 1.0),
    ]
    found += [
        Case(
            f"spambase, columns from {first + 1}",
            lambda first=first: part(read("spambase.csv"), 4601, 27, first),
            k,
            1.0,
        )
        for first in (15, 27)
        for k in (5, 7)
    ]
    found += [
        Case(f"spambase, columns by chance, seed {s}", lambda s=s: some(read("spambase.csv"), 27, s), 7, 1.0)
        for s in range(8)
    ]
    found += [Case("tic-tac-toe", lambda: read("tictactoe.csv"), k, 10.0 if k == 7 else 1.0) for k in (5, 6, 7)]
    for name, make in (("binary", binary), ("thresholds", thresholds)):
        found += [
            Case(name, lambda m=make, r=rows, c=columns: m(r, c, 0), k, 40.0)
            for rows in (200, 2000, 30000)
            for columns, k in ((40, 5), (60, 5), (70, 4), (100, 4))
        ]
    found += [
        Case("spambase in 0/1 columns", lambda c=c: cut(read("spambase.csv"), 3, c), k, 40.0)
        for c, k in ((60, 5), (100, 4))
    ]
    found += [
        Case(f"{name} in 0/1 columns", lambda f=file: cut(read(f), 9, 60), 5, 40.0, file)
        for name, file in (("breast cancer", "breastcancer.csv"), ("recidivism", "recidivism_violent.csv"))
    ]
    found += [Case("adult", _adult, k, 40.0, "adult.csv.gz") for k in (4, 5)]
    return found


def run(case: Case) -> dict[str, object]:
    """Prove one of them from the start."""
    problem = problem_of(case.table(), case.features)
    times: list[float] = []
    while not times or (len(times) < 3 and times[0] < LITTLE):
        began = time.process_time()
        solution = solve(problem, cancel=lambda began=began: time.process_time() - began > LIMIT)
        times.append(time.process_time() - began)
    return {
        "table": case.name,
        "rows": int(problem.rows.n_rows),
        "columns": problem.n_features,
        "features": case.features,
        "loss": float(solution.objective),
        "lower_bound": float(solution.lower_bound),
        "proven": solution.proven_optimal,
        "cpu_seconds": round(min(times), 3),
        "seconds_allowed": case.seconds_allowed,
        "machine": platform.machine(),
    }


def table() -> str:
    """Write what is stored as a table for the documentation."""
    lines = ["| table | rows | columns | features | log loss | CPU s | allowed |", "|---|---|---|---|---|---|---|"]
    for text in RESULTS.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        spent = f"{line['cpu_seconds']:.2f}" if line["proven"] else "not proven"
        lines.append(
            f"| {line['table']} | {line['rows']} | {line['columns']} | {line['features']} "
            f"| {line['loss']:.6f} | {spent} | {line['seconds_allowed']:g} |"
        )
    return "\n".join(lines)


def main(names: Sequence[str]) -> int:
    """Prove them all, or those whose name contains one of `names`; 1 if one takes longer than it may."""
    lines: list[dict[str, object]] = []
    for case in cases():
        if (names and not any(name in case.name for name in names)) or missing(case.file) is not None:
            continue
        line = run(case)
        lines.append(line)
        met = line["proven"] and line["cpu_seconds"] <= case.seconds_allowed
        print(
            f"{case.name:36} {line['rows']:6} x {line['columns']:3} k={case.features} {line['loss']:.8f} "
            f"{line['cpu_seconds']:6.2f} s of {case.seconds_allowed:g}"
            f"{'' if met else '  missed' if line['proven'] else '  not proven'}",
            flush=True,
        )
    if not names:
        RESULTS.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return int(any(not x["proven"] or x["cpu_seconds"] > x["seconds_allowed"] for x in lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
