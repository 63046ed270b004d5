"""A raw table of a million rows and 30 columns to a proven card: how long it takes, and how much memory.

Twenty columns of numbers (of one decimal, whole, and of full precision; a third with blanks), six of text
with 5 to 55 categories, four of true and false. The class depends on four numbers, one category and one flag.
"""

import resource
import sys
import time

import numpy as np

from supersparse import SLIMClassifier


def table(n_rows: int, seed: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return raw columns and the class of each row."""
    rng = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    for k in range(20):
        numbers = rng.normal(50, 10, n_rows)
        numbers = numbers.round(1) if k < 8 else numbers.round() if k < 12 else numbers
        columns[f"number {k}"] = np.where(rng.random(n_rows) < 0.05, np.nan, numbers) if k % 3 == 0 else numbers
    for k in range(6):
        levels = np.array([f"level {i}" for i in range(5 + 10 * k)], dtype=object)
        columns[f"text {k}"] = rng.choice(levels, n_rows)
    for k in range(4):
        columns[f"flag {k}"] = rng.random(n_rows) < 0.1 * (k + 1)
    score = 2 * (columns["text 1"] == "level 3") + columns["flag 0"]
    for k in range(4):
        score = score + (k + 1) * (np.nan_to_num(columns[f"number {k}"], nan=50) > 50 + 5 * k)
    return columns, score + 1.5 * rng.logistic(size=n_rows) > 3


def main(n_rows: int = 1_000_000, node_limit: int = 100_000) -> None:
    """Learn, and say what it took."""
    columns, y = table(n_rows)
    started, cpu = time.perf_counter(), time.process_time()
    model = SLIMClassifier(prepare="auto", C0=0.005, max_points=5, time_limit=None, node_limit=node_limit)
    model.fit(columns, y)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    sys.stdout.write(f"{model.scoring_system_}\n\n")
    sys.stdout.write(f"{n_rows} rows: {seconds:.0f} s, {cpu:.0f} s of one core, {peak:.2f} GB at most\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
