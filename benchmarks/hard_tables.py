"""Small tables that are hard to prove: 200 rows, 20 columns, C0 = 0.01, points up to ±10, no size limit.

``python -m benchmarks.hard_tables [CPU seconds] [kind ...]`` solves each table without the ratio bound and
with it, and prints objective, bounds and CPU seconds. Objectives are in wrong rows; a feature counts as two.
"""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from supersparse import Problem, Solution, solve
from supersparse.engine.exact.bounds import SHARES

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
    HardTable(kind, hidden, noise, seed)
    for kind in KINDS
    for hidden, noise, seed in ((4, 0.02, 1), (5, 0.02, 1), (5, 0.03, 2), (5, 0.03, 3), (5, 0.05, 1), (3, 0.1, 1))
]


def solved(problem: Problem, seconds: float, *, third_after: int) -> tuple[Solution, float]:
    """Solve for so many CPU seconds; the ratio bound starts after so much work."""
    began = time.process_time()
    SHARES["ratios"] = replace(SHARES["ratios"], after=third_after)
    solution = solve(problem, "exact", cancel=lambda: time.process_time() - began > seconds)
    return solution, time.process_time() - began


def main(seconds: float, kinds: Sequence[str]) -> None:
    """Solve every table of these kinds and print a row for each."""
    usual = SHARES["ratios"].after
    print("| columns | hidden | noise | seed | objective | bound without | CPU s | bound with | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for table in TABLES:
        if table.kind not in kinds:
            continue
        problem, cells, best = table.problem(), [], 0.0
        for start in (2**62, usual):
            solution, spent = solved(problem, seconds, third_after=start)
            best = float(solution.objective) * ROWS
            bound = f"{float(solution.lower_bound) * ROWS:.0f}"
            cells += [f"{bound}, proven" if solution.proven_optimal else bound, f"{spent:.1f}"]
        drawn = f"{table.kind} | {table.hidden} | {table.noise} | {table.seed}"
        print(f"| {drawn} | {best:.0f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, sys.argv[2:] or list(KINDS))
