"""Least log loss beside the heuristics FastRisk and FasterRisk: the same columns, features and points.

    python -m benchmarks.risk_peers

The training loss of every card is computed by the same evaluator, with the best slope and intercept for its
points. A card of a heuristic that beats a proven loss by more than 1e-9 is an error of ours, and the command
ends with 1. The table and one line of JSON for each run go to ``benchmarks/results``.
"""

import json
import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.data import BUNDLED, ROOT, Table, read
from benchmarks.peers import PeerScore, fast_risk, faster_risk
from supersparse import Problem, Solution, solve
from supersparse.engine.solution import TraceEvent
from supersparse.problem.log_loss import PROOF_TOLERANCE, log_loss, with_best_risk

RESULTS = ROOT / "benchmarks" / "results" / "risk_peers.jsonl"
SIZES = (3, 5)
LARGEST = 5
SECONDS = 20.0  # of our time, for the card and the proof
PEERS: Mapping[str, Callable[..., PeerScore]] = {"FastRisk": fast_risk, "FasterRisk": faster_risk}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One card on one table."""

    table: str
    features: int
    method: str
    loss: float  # on the training rows
    seconds: float  # of CPU time until the card is found
    proof_seconds: float | None  # until it is proven
    proven: bool
    version: str


def problem_of(table: Table, size: int) -> Problem:
    """Ask for at most `size` features and points from -5 to 5, without a penalty."""
    y = np.asarray(table.y).astype(int)
    return Problem.of(
        table.X,
        (y == y.max()).astype(int),
        feature_names=table.names,
        goal="risk",
        C0=0,
        max_points=LARGEST,
        max_features=size,
        positive=1,
    )


def loss_of(problem: Problem, peer: PeerScore) -> float:
    """The least training loss of a peer's points, which must be allowed."""
    points = [round(float(p)) for p in peer.points]
    used = sum(p != 0 for p in points)
    if any(abs(p) > LARGEST for p in points) or used > (problem.max_features or used):
        raise ValueError(f"points {points} break the limits that were asked for")
    return float(log_loss(problem, with_best_risk(problem, [p * problem.unit for p in points])))


def ours(problem: Problem) -> tuple[Solution, float, float]:
    """Solve within the time limit; also the CPU seconds until the card was found and of all of it."""
    began = time.process_time()
    found = began

    def note(event: TraceEvent) -> None:
        nonlocal found
        if event.points is not None:
            found = time.process_time()

    solution = solve(problem, time_limit=SECONDS, on_progress=note)
    return solution, found - began, time.process_time() - began


def beaten(lines: list[Line]) -> list[Line]:
    """The cards of heuristics that beat a proven loss, of which there must be none."""
    proven = {(one.table, one.features): one.loss for one in lines if one.proven}
    return [
        one for one in lines if one.loss < proven.get((one.table, one.features), 0.0) - 1.1 * float(PROOF_TOLERANCE)
    ]


def measured(file: str, size: int) -> list[Line]:
    """Our card and those of the peers on one table."""
    table = read(file)
    problem = problem_of(table, size)
    solution, found, seconds = ours(problem)
    name = file.removesuffix(".csv")
    lines = [
        Line(
            table=name, features=size, method="supersparse", loss=float(solution.objective),
            seconds=found, proof_seconds=seconds if solution.proven_optimal else None,
            proven=solution.proven_optimal, version="",
        )
    ]  # fmt: skip
    y = np.asarray(table.y).astype(int)
    for method, fit in PEERS.items():
        peer = fit(np.asarray(table.X, dtype=float), (y == y.max()).astype(int), size, LARGEST)
        lines.append(
            Line(
                table=name, features=size, method=method, loss=loss_of(problem, peer),
                seconds=peer.seconds, proof_seconds=None, proven=False, version=peer.version,
            )
        )  # fmt: skip
    return lines


def in_markdown(lines: list[Line]) -> str:
    """The table of docs/engine.md."""
    rows = [
        "| table | features | method | training loss | s to the card | s to the proof |",
        "|---|---|---|---|---|---|",
    ]
    for one in lines:
        proof = "-" if one.proof_seconds is None else f"{one.proof_seconds:.2f}"
        rows.append(f"| {one.table} | {one.features} | {one.method} | {one.loss:.6f} | {one.seconds:.2f} | {proof} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    """Measure all bundled tables; 1 if a heuristic beats what was proven."""
    lines = []
    for file in BUNDLED:
        for size in SIZES:
            found = measured(file, size)
            print(in_markdown(found).split("\n", 2)[2], end="", flush=True)
            lines += found
    machine = platform.machine()
    RESULTS.write_text(
        "".join(json.dumps({**asdict(one), "machine": machine}) + "\n" for one in lines), encoding="utf-8"
    )
    RESULTS.with_suffix(".md").write_text(in_markdown(lines), encoding="utf-8")
    for one in beaten(lines):
        print(f"{one.method} beats the proven loss of {one.table}, {one.features} features: {one.loss:.12f}")
    return 1 if beaten(lines) else 0


if __name__ == "__main__":
    sys.exit(main())
