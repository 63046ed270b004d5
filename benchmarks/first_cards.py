"""Cards where no proof is in reach: ``python -m benchmarks.first_cards [--only NAME,...] [--seed N]``.

Fits each problem for 30 seconds and writes what was known after 2 and after 30 beside the best known card to
``results/first-cards.md``. Seconds are CPU seconds of one thread: what else the machine does changes nothing.
A card that is better than the best known one is printed, to be entered in `KNOWN`.
"""

import argparse
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from benchmarks import data
from benchmarks.instances import Settings
from benchmarks.table import grid
from supersparse import solve
from supersparse.engine.solution import TraceEvent

RESULTS = Path(__file__).parent / "results" / "first-cards.md"
SECONDS = (2.0, 30.0)
FILES = {"spambase": "spambase.csv", "internetad": "internetad.csv.gz"}


@dataclass(frozen=True, slots=True)
class Known:
    """The best card found so far by any run, and its settings; `most` of None stands for C0 = 0.01."""

    file: str
    most: int | None
    largest: int
    errors: int
    size: int

    @property
    def name(self) -> str:
        """Name the problem by its file, its size limit and its largest points."""
        return f"{self.file}_{'reg' if self.most is None else self.most}_{self.largest}"

    @property
    def settings(self) -> Settings:
        """Return the settings of the problem."""
        if self.most is None:
            return Settings(C0=0.01, largest=self.largest)
        return Settings(largest=self.largest, max_features=self.most)


KNOWN = (
    Known("spambase", None, 10, 482, 4),
    Known("spambase", 3, 10, 544, 3),
    Known("spambase", 5, 10, 440, 5),
    Known("spambase", 7, 10, 378, 7),
    Known("spambase", 10, 10, 328, 10),
    Known("spambase", 17, 100, 255, 17),
    Known("internetad", 5, 10, 109, 5),
    Known("internetad", 10, 10, 77, 10),
)
_COLUMNS = ("problem", "best known", *(f"after {s:g} s" for s in SECONDS), "off", "bound")


def objective_of(known: Known, rows: int, columns: int) -> float:
    """F of the best known card."""
    C0 = 0.01 if known.most is None else 0.9 / (rows * columns)
    return known.errors / rows + C0 * known.size


def measure(known: Known, seed: int) -> list[str]:
    """Fit one problem; return its row of the table."""
    table = data.read(FILES[known.file])
    problem = known.settings.problem(table)
    met: list[tuple[float, float]] = []
    began = time.process_time()

    def note(event: TraceEvent) -> None:
        if event.points is not None and event.objective is not None:
            met.append((time.process_time() - began, float(event.objective)))

    with patch.object(time, "perf_counter", time.process_time):
        solution = solve(problem, "exact", time_limit=SECONDS[-1], n_jobs=1, random_state=seed, on_progress=note)
    best = objective_of(known, *table.X.shape)
    after = [min((value for t, value in met if t <= limit), default=1.0) for limit in SECONDS]
    after[-1] = float(solution.objective)
    if after[-1] < best - 1e-9:
        print(f"better than known: {known.name}: {solution.evaluation.training_errors} errors")
    off = " / ".join(f"{value / best - 1:.1%}" for value in after)
    shown = [f"{value:.6f}" for value in (best, *after)]
    return [known.name, *shown, off, f"{float(solution.lower_bound):.4f}"]


def main() -> None:
    """Measure every problem whose data are here."""
    parser = argparse.ArgumentParser(prog="benchmarks.first_cards", description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="problems, separated by commas")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    only = None if asked.only is None else frozenset(asked.only.split(","))
    warnings.simplefilter("ignore")
    rows = []
    for known in KNOWN:
        if only is not None and known.name not in only:
            continue
        reason = data.missing(FILES[known.file])
        if reason is not None:
            print(f"skipped: {known.name}: {reason}", flush=True)
            continue
        rows.append(measure(known, asked.seed))
        print("  ".join(rows[-1]), flush=True)
    if only is None:
        RESULTS.write_text(grid(_COLUMNS, rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
