"""The first card of the log-loss engine beside FastRisk's on 200 random tables, at equal settings.

    python -m benchmarks.risk_random [seeds...]

Tables have 100 to 2000 rows and 5 to 60 columns, binary, few-valued and numeric, some of them copies with
noise; one class can be rare. Cards have at most 3 to 7 features and points from -5 to 5. The card of the
engine is the one it has after its first node: the search, and little of the proof. Losses are recomputed by
one evaluator, with the best slope and intercept of each card. Seconds are of CPU time, kernels compiled. One
line of JSON for each table goes to ``benchmarks/results/risk_random.jsonl``; a table that is there is not run
again.
"""

import json
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median

import numpy as np

from benchmarks.data import ROOT, Table
from benchmarks.peers import PeerScore, fast_risks
from benchmarks.risk_peers import LARGEST, loss_of, problem_of
from supersparse import solve

RESULTS = ROOT / "benchmarks" / "results" / "risk_random.jsonl"
TABLES = 200
SAME = 1e-9  # losses that differ by less are equal: the tolerance of proofs
_AT_ONCE = 50  # tables for one process of the peer


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The two cards of one table."""

    seed: int
    rows: int
    columns: int
    features: int
    loss: float  # of the engine's first card
    seconds: float
    proven: bool
    peer_loss: float
    peer_seconds: float
    version: str  # of the peer
    machine: str

    @property
    def result(self) -> str:
        """How our card compares."""
        difference = self.loss - self.peer_loss
        return "equal" if abs(difference) <= SAME else "better" if difference < 0 else "worse"


def draw(seed: int) -> tuple[Table, int]:
    """Draw a table and the number of features; the same on every machine."""
    rng = np.random.default_rng(seed)
    rows, columns = int(np.exp(rng.uniform(np.log(100), np.log(2000)))), int(rng.integers(5, 61))
    kinds = rng.choice(["binary", "rare", "few", "numeric", "skewed"], columns, p=rng.dirichlet(np.ones(5)))
    X = np.empty((rows, columns))
    for j, kind in enumerate(kinds):
        if j and rng.random() < 0.3:  # correlated with an earlier column
            hidden = X[:, rng.integers(j)]
            hidden = (hidden - hidden.mean()) / (hidden.std() or 1.0) + rng.normal(0, rng.choice([0.3, 1.0]), rows)
        else:
            hidden = rng.normal(0, 1, rows)
        if kind in ("binary", "rare"):
            X[:, j] = hidden > np.quantile(hidden, rng.uniform(0.3, 0.7) if kind == "binary" else 0.93)
        elif kind == "few":
            X[:, j] = np.clip(np.round(2 * hidden + 3), 0, 9)
        elif kind == "numeric":
            X[:, j] = np.round(rng.choice([0.1, 1.0, 40.0]) * (hidden + 5), 2)
        else:
            X[:, j] = np.round(np.exp(hidden) * rng.choice([1, 100]), 1)
        if np.ptp(X[:, j]) == 0:
            X[0, j] += 1
    weights = np.where(rng.random(columns) < 6 / columns + 0.1, rng.normal(0, 1, columns), 0)
    z = ((X - X.mean(axis=0)) / X.std(axis=0)) @ weights * rng.choice([0.5, 1.0, 2.0])
    z += rng.normal(0, 0.5, rows) - np.quantile(z, rng.choice([0.5, 0.7, 0.9]))
    y = (rng.random(rows) < 1 / (1 + np.exp(-z))).astype(int)
    y[:2] = [0, 1]
    return Table(X, y, tuple(f"x{j}" for j in range(columns))), int(rng.integers(3, 8))


def compared(seed: int, peer: PeerScore) -> Pair:
    """Search for our card and evaluate both."""
    table, size = draw(seed)
    problem = problem_of(table, size)
    began = time.process_time()
    solution = solve(problem, node_limit=1)
    seconds = time.process_time() - began
    return Pair(
        seed=seed,
        rows=len(table.y),
        columns=len(table.names),
        features=size,
        loss=float(solution.objective),
        seconds=round(seconds, 4),
        proven=solution.proven_optimal,
        peer_loss=loss_of(problem, peer),
        peer_seconds=round(peer.seconds, 4),
        version=peer.version,
        machine=platform.machine(),
    )


def recorded() -> list[Pair]:
    """Read the stored pairs, in the order of their seeds."""
    if not RESULTS.exists():
        return []
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    return sorted((Pair(**json.loads(line)) for line in lines), key=lambda pair: pair.seed)


def summary(pairs: Sequence[Pair]) -> str:
    """Say in how many tables our card is better, equal and worse, and the times."""
    count = {word: sum(p.result == word for p in pairs) for word in ("better", "equal", "worse")}
    ours, peers = (sorted(times) for times in ([p.seconds for p in pairs], [p.peer_seconds for p in pairs]))
    return (
        f"Of {len(pairs)} random tables our first card is better on {count['better']}, equal on "
        f"{count['equal']} and worse on {count['worse']}. CPU seconds: median {median(ours):.2f} and at most "
        f"{ours[-1]:.1f}; FastRisk median {median(peers):.2f} and at most {peers[-1]:.1f}."
    )


def main(seeds: Sequence[int]) -> int:
    """Compare on all tables that are not recorded, or on these again; 1 if one of our cards is worse."""
    known = [] if seeds else recorded()
    done = {pair.seed for pair in known}
    open_ = list(seeds) or [seed for seed in range(TABLES) if seed not in done]
    found = list(known)
    for start in range(0, len(open_), _AT_ONCE):
        batch = open_[start : start + _AT_ONCE]
        tables = [draw(seed) for seed in batch]
        peers = fast_risks([(t.X.astype(float), t.y, size, LARGEST) for t, size in tables])
        for seed, peer in zip(batch, peers, strict=True):
            pair = compared(seed, peer)
            found.append(pair)
            print(
                f"seed {seed:3}: {pair.rows} x {pair.columns}, {pair.features} features: {pair.result} "
                f"({pair.loss - pair.peer_loss:+.1e}), {pair.seconds:.2f} s and {pair.peer_seconds:.2f} s",
                flush=True,
            )
            if not seeds:
                with RESULTS.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(pair)) + "\n")
    print(summary(found))
    return int(any(pair.result == "worse" for pair in found))


if __name__ == "__main__":
    sys.exit(main([int(seed) for seed in sys.argv[1:]]))
