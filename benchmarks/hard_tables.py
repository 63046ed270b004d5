"""Small tables that are hard to prove: 200 rows, 20 columns, C0 = 0.01, points up to ±10, no size limit.

Run with ``python -m benchmarks.hard_tables [seconds]``: for each table it prints the objective, the bound
and the gap after so many seconds. The objective is given in wrong rows, a feature counting as two of them.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supersparse import Problem, solve

ROWS, COLUMNS = 200, 20
Column = NDArray[np.float64]


def _binary(rng: np.random.Generator) -> Column:
    return (rng.random(ROWS) < rng.uniform(0.2, 0.8)).astype(np.float64)


def _levels(rng: np.random.Generator) -> Column:
    return rng.integers(1, 11, ROWS).astype(np.float64)


def _floats(rng: np.random.Generator) -> Column:
    return np.round(rng.normal(size=ROWS), 3)


KINDS: dict[str, tuple[Callable[[np.random.Generator], Column], ...]] = {
    "binary": (_binary,),
    "levels": (_levels,),
    "mixed": (_binary, _levels, _floats),
    "floats": (_floats,),
}


@dataclass(frozen=True, slots=True)
class HardTable:
    """A table labelled by a hidden linear rule of so many columns, and by noise: labels flipped."""

    kind: str
    hidden: int
    noise: float
    seed: int = 1

    def problem(self) -> Problem:
        """Draw the table, the same on every machine."""
        rng = np.random.default_rng([self.seed, self.hidden, round(100 * self.noise)])
        makers = KINDS[self.kind]
        X = np.column_stack([makers[f % len(makers)](rng) for f in range(COLUMNS)])
        weights = np.zeros(COLUMNS)
        chosen = rng.permutation(COLUMNS)[: self.hidden]
        weights[chosen] = rng.integers(2, 11, self.hidden) * rng.choice([-1, 1], self.hidden)
        scores = X / X.std(axis=0) @ weights
        y = (scores > np.median(scores)) ^ (rng.random(ROWS) < self.noise)
        return Problem.of(X, y.astype(int), C0=0.01, max_points=10)


TABLES = [
    HardTable(kind, hidden, noise) for kind in KINDS for hidden, noise in ((4, 0.02), (5, 0.05), (3, 0.1))
]


def main(seconds: float) -> None:
    """Solve every table and print a row for each."""
    print("| columns | hidden | noise | objective | bound | gap | seconds | CPU |")
    print("|---|---|---|---|---|---|---|---|")
    for table in TABLES:
        problem = table.problem()
        began, cpu = time.perf_counter(), time.process_time()
        found = solve(problem, "exact", time_limit=seconds)
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        objective, bound = float(found.objective) * ROWS, float(found.lower_bound) * ROWS
        gap = "proven" if found.proven_optimal else f"{1 - bound / objective:.0%}"
        print(
            f"| {table.kind} | {table.hidden} | {table.noise} | {objective:.0f} | {bound:.0f} | {gap} "
            f"| {wall:.0f} | {cpu:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
