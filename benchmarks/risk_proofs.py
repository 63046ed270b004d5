"""Proofs of least log loss: the stored optima proven again, in CPU seconds beside the feasibility study's.

    python -m benchmarks.risk_proofs [names...]

The optima are in ``shared/risk-optima.json`` beside the checkout. Compilation does not count: the kernels run
once before the clock starts. The table and one line of JSON for each optimum go to ``benchmarks/results``.
"""

import json
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from benchmarks.data import ROOT, folder, read
from supersparse import Problem, Solution, solve

RESULTS = ROOT / "benchmarks" / "results" / "risk.jsonl"


@dataclass(frozen=True, slots=True)
class Optimum:
    """One stored optimum: points from -5 to 5."""

    dataset: str
    slope: str  # "free" or "1"
    max_features: int
    C0: float
    objective: float
    proof_seconds: float

    @property
    def name(self) -> str:
        """Dataset, slope, number of features and penalty."""
        return f"{self.dataset} slope={self.slope} k={self.max_features} C0={self.C0:g}"

    @property
    def seconds_allowed(self) -> float:
        """Twice the study's proof time and 0.3 s."""
        return 2 * self.proof_seconds + 0.3


@dataclass(frozen=True, slots=True)
class Run:
    """One proof."""

    optimum: Optimum
    solution: Solution
    cpu_seconds: float


def optima() -> list[Optimum]:
    """Read the stored optima."""
    stored = json.loads((folder().parent / "risk-optima.json").read_text(encoding="utf-8"))
    return [
        Optimum(
            dataset=entry["dataset"],
            slope="free" if entry["variant"] == "S" else "1",
            max_features=entry["max_features"],
            C0=entry["C0"],
            objective=entry["objective"],
            proof_seconds=entry["proof_seconds"],
        )
        for entry in stored
    ]


def prove(optimum: Optimum) -> Run:
    """Solve one of them from the start."""
    table = read(f"{optimum.dataset}.csv")
    problem = Problem.of(
        table.X,
        table.y,
        feature_names=table.names,
        goal="risk",
        slope="free" if optimum.slope == "free" else 1,
        C0=optimum.C0,
        max_points=5,
        max_features=optimum.max_features,
        positive=1,
    )
    start = time.process_time()
    solution = solve(problem)
    return Run(optimum, solution, time.process_time() - start)


def main(names: Sequence[str]) -> int:
    """Prove them all, or those whose name contains one of `names`; 1 if one misses its mark."""
    missed = 0
    lines = []
    print(f"{'optimum':44} {'log loss':>12} {'differs by':>10} {'CPU s':>7} {'study':>7} {'allowed':>7}")
    for optimum in optima():
        if names and not any(name in optimum.name for name in names):
            continue
        run = prove(optimum)
        difference = float(run.solution.objective) - optimum.objective
        met = run.solution.proven_optimal and abs(difference) < 1e-8 and run.cpu_seconds <= optimum.seconds_allowed
        missed += not met
        print(
            f"{optimum.name:44} {float(run.solution.objective):12.10f} {difference:+10.1e} "
            f"{run.cpu_seconds:7.2f} {optimum.proof_seconds:7.2f} {optimum.seconds_allowed:7.2f}"
            f"{'' if met else '  missed'}",
            flush=True,
        )
        lines.append(
            {
                **asdict(optimum),
                "found": float(run.solution.objective),
                "lower_bound": float(run.solution.lower_bound),
                "proven": run.solution.proven_optimal,
                "cpu_seconds": round(run.cpu_seconds, 3),
                "nodes": run.solution.nodes,
                "machine": platform.machine(),
            }
        )
    if not names:
        RESULTS.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
