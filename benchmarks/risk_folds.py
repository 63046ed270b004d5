"""Risk scores and their peers on held-out rows: the same folds, columns, number of features and points.

    python -m benchmarks.risk_folds [tables...]
    python -m benchmarks.risk_folds table

Five folds of each bundled table, at most 5 features, points from -5 to 5. Our cards and the MIP get a few CPU
seconds each. The risks of a card for errors are logistic in its total, fitted to the training rows; those of
FasterRisk too, which is in its favour. The training loss of FastRisk's card is that at the best slope within
our limit on effects, which its own slope can exceed. One line of JSON for each table, fold and method goes to
``benchmarks/results/risk_folds.jsonl``; what is there is not measured again. ``table`` puts the means into
docs/engine.md and the differences into docs/errors-or-risk.md.
"""

import json
import platform
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.data import BUNDLED, ROOT, Table
from benchmarks.peers import PeerScore, fast_risks, faster_risk
from benchmarks.processes import FailedError
from benchmarks.risk_peers import loss_of, problem_of
from supersparse import Problem, Solution, solve
from supersparse.base.errors import SupersparseError
from supersparse.engine.solution import TraceEvent
from supersparse.table.datasets import load_mammography

RESULTS = ROOT / "benchmarks" / "results" / "risk_folds.jsonl"
PAGES = {
    ROOT / "docs" / "errors-or-risk.md": ("differences",),
    ROOT / "docs" / "engine.md": ("folds", "random", "proofs"),
}
"""The pages and the tables that each has a place for."""

FOLDS, FEATURES, LARGEST = 5, 5, 5
SAME = 1e-9  # losses that differ by less are equal
LIMIT = 4.0  # CPU seconds of one of our solves
TABLES = ("breastcancer", "haberman", "mammography", "tictactoe", "spambase")
OURS: dict[str, dict[str, Any]] = {
    "fewest errors": {"goal": "errors"},
    "least log loss": {"goal": "risk"},
    "least log loss, slope 1": {"goal": "risk", "slope": 1},
}
# solved by HiGHS when the package had this program; it is an oracle in tests now, and the stored rows stay
STORED = ("our program in RiskSLIM's form, slope 1",)
PEERS = ("FastRisk", "FasterRisk")
METHODS = (*OURS, *STORED, *PEERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One card on one fold; AUC, loss, error and calibration are those of the held-out rows."""

    table: str
    fold: int
    method: str
    features: int
    training_loss: float
    auc: float
    log_loss: float
    error: float
    calibration_slope: float  # of the observed log-odds against the predicted ones; 1 is perfect
    seconds: float  # of CPU time until the card is found
    proof_seconds: float | None
    gap: float | None  # what was left to prove
    version: str
    machine: str


def table_of(name: str) -> Table:
    """Read one of the bundled tables; the positive class is 1."""
    data = load_mammography() if name == "mammography" else BUNDLED[f"{name}.csv"]()
    y = np.asarray(data.y).astype(int)
    return Table(np.asarray(data.X, dtype=float), (y == y.max()).astype(int), data.feature_names)


def folds_of(table: Table) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """The training and test rows of each fold."""
    shuffled = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    return list(shuffled.split(table.X, table.y))


def solved(
    X: NDArray[Any], y: NDArray[Any], names: Sequence[str], solver: str = "auto", **asked: Any
) -> tuple[Solution, float, float]:
    """Solve within the limit; also the CPU seconds until the card was found, and of all of it."""
    penalty = 0.5 / len(y) / FEATURES if asked["goal"] == "errors" else 0  # too small to cost an error
    problem = Problem.of(
        X, y, feature_names=names, C0=penalty, max_points=LARGEST, max_features=FEATURES, positive=1, **asked
    )
    began = found = time.process_time()

    def note(event: TraceEvent) -> None:
        nonlocal found
        if event.points is not None:
            found = time.process_time()

    solution = solve(problem, solver, on_progress=note, cancel=lambda: time.process_time() - began > LIMIT)
    return solution, found - began, time.process_time() - began


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How far a card of ours is proven, and where its own threshold lies."""

    seconds: float | None = None
    gap: float | None = None
    threshold: float | None = None  # of the total; None: a risk of one half


NO_PROOF = Proof()


def ours(method: str, table: Table, train: NDArray[Any]) -> tuple[PeerScore, Proof]:
    """A card of ours as a score, and its proof."""
    X, y = table.X[train], table.y[train]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution, found, seconds = solved(X, y, table.names, **OURS[method])
    points = np.array([float(v) for v in solution.points.values])
    threshold = None
    if solution.slope is None:
        scale, intercept = _calibrated(X @ points, y)
        threshold = -float(solution.points.intercept_value)
    else:
        assert solution.offset is not None
        scale, intercept = solution.slope, solution.offset
    score = PeerScore(points=points, scale=scale, intercept=intercept, seconds=found, version="")
    proven = solution.proven_optimal
    return score, Proof(
        seconds=round(seconds, 3) if proven else None, gap=None if proven else solution.gap, threshold=threshold
    )


def _calibrated(totals: NDArray[Any], y: NDArray[Any]) -> tuple[float, float]:
    line = LogisticRegression(C=np.inf).fit(totals[:, None], y)
    return float(line.coef_[0, 0]), float(line.intercept_[0])


def judged(
    name: str, fold: int, method: str, score: PeerScore, table: Table,
    rows: tuple[NDArray[Any], NDArray[Any]],
    proof: Proof = NO_PROOF,
) -> Measured:  # fmt: skip
    """Judge a score on the held-out rows."""
    train, test = rows
    odds, y = score.log_odds(table.X[test]), table.y[test]
    risk = np.clip(1 / (1 + np.exp(-np.clip(odds, -500, 500))), 1e-12, 1 - 1e-12)
    seen = np.clip(1 / (1 + np.exp(-np.clip(score.log_odds(table.X[train]), -500, 500))), 1e-12, 1 - 1e-12)
    varies = np.ptp(odds) > 0
    cut = proof.threshold
    called = odds > 0 if cut is None else table.X[test] @ score.points > cut
    return Measured(
        table=name, fold=fold, method=method, features=int((score.points != 0).sum()),
        training_loss=float(log_loss(table.y[train], seen)), auc=float(roc_auc_score(y, odds)),
        log_loss=float(log_loss(y, risk)), error=float(np.mean(called != y)),
        calibration_slope=_calibrated(odds, y)[0] if varies else 0.0,
        seconds=round(score.seconds, 3), proof_seconds=proof.seconds, gap=proof.gap,
        version=score.version, machine=platform.machine(),
    )  # fmt: skip


def measured(name: str, done: set[tuple[str, int, str]]) -> Iterator[Measured]:
    """Yield what is not done yet of one table."""
    table = table_of(name)
    folds = folds_of(table)
    for fold, rows in enumerate(folds):
        for method in OURS:
            if (name, fold, method) not in done:
                try:
                    score, proof = ours(method, table, rows[0])
                except SupersparseError as error:
                    print(f"{name}, fold {fold}: {method} failed: {error}", file=sys.stderr)
                    continue
                yield judged(name, fold, method, score, table, rows, proof)
    left = [k for k in range(FOLDS) if (name, k, "FastRisk") not in done]
    given = [(table.X[folds[k][0]], table.y[folds[k][0]], FEATURES, LARGEST) for k in left]
    for fold, score in zip(left, fast_risks(given) if given else [], strict=True):
        one = judged(name, fold, "FastRisk", score, table, folds[fold])
        train = folds[fold][0]
        rows = Table(table.X[train], table.y[train], table.names)
        yield replace(one, training_loss=loss_of(problem_of(rows, FEATURES), score))
    for fold, rows in enumerate(folds):
        if (name, fold, "FasterRisk") not in done:
            try:
                score = faster_risk(table.X[rows[0]], table.y[rows[0]], FEATURES, LARGEST)
            except FailedError as error:
                print(f"{name}, fold {fold}: FasterRisk failed: {error}", file=sys.stderr)
                continue
            yield judged(name, fold, "FasterRisk", score, table, rows)


def recorded() -> list[Measured]:
    """Return what has been measured so far."""
    if not RESULTS.exists():
        return []
    return [Measured(**json.loads(line)) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def shown(found: Sequence[Measured]) -> str:
    """The table of the page: means over the folds, of the calibration slope the median."""
    lines = [
        "| table | card | training loss | test AUC | test log loss | test error | "
        "calibration slope | s to the card | s to the proof |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for table in TABLES:
        for method in METHODS:
            rows = [m for m in found if (m.table, m.method) == (table, method)]
            if len(rows) < FOLDS:
                continue
            proofs = [m.proof_seconds for m in rows if m.proof_seconds is not None]
            proof = f"{mean(proofs):.2f}" if len(proofs) == FOLDS else f"{len(proofs)} of {FOLDS} proven"
            cells = [
                table, method, f"{mean(m.training_loss for m in rows):.4f}",
                f"{mean(m.auc for m in rows):.3f}",
                f"{mean(m.log_loss for m in rows):.3f}", f"{mean(m.error for m in rows):.3f}",
                f"{median(m.calibration_slope for m in rows):.2f}", f"{mean(m.seconds for m in rows):.2f}",
                "-" if method in PEERS else proof,
            ]  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def differences(found: Sequence[Measured]) -> str:
    """Cards for least log loss less those for fewest errors: the mean over the folds, its standard error."""
    lines = ["| table | test AUC | test log loss | test error |", "|---|---|---|---|"]
    for table in TABLES:
        by_method = {
            method: sorted((m for m in found if (m.table, m.method) == (table, method)), key=lambda m: m.fold)
            for method in ("least log loss", "fewest errors")
        }
        risk, errors = by_method.values()
        if len(risk) < FOLDS or len(errors) < FOLDS:
            continue
        cells = []
        for measure in ("auc", "log_loss", "error"):
            by_fold = [getattr(a, measure) - getattr(b, measure) for a, b in zip(risk, errors, strict=True)]
            cells.append(f"{mean(by_fold):+.3f} ± {np.std(by_fold, ddof=1) / np.sqrt(FOLDS):.3f}")
        lines.append(f"| {table} | {' | '.join(cells)} |")
    return "\n".join(lines)


def beside_fast_risk(found: Sequence[Measured]) -> str:
    """Say on how many folds our card has the smaller training loss, and FastRisk's."""
    loss = {(m.table, m.fold, m.method): m.training_loss for m in found}
    by_fold = {
        (table, fold): loss[table, fold, "least log loss"] - loss[table, fold, "FastRisk"]
        for table, fold, method in loss
        if method == "FastRisk"
    }
    ours = sum(d < -SAME for d in by_fold.values())
    theirs = sorted({table for (table, _), d in by_fold.items() if d > SAME})
    worse = sum(d > SAME for d in by_fold.values())
    where = f" ({', '.join(theirs)})" if theirs else ""
    return (
        f"On these {len(by_fold)} training sets our card has a smaller loss than FastRisk's on {ours}, an "
        f"equal one on {len(by_fold) - ours - worse} and a larger one on {worse}{where}."
    )


def with_tables(path: Path) -> str:
    """Return the text of a page with the tables of what is recorded between its marks."""
    from benchmarks import risk_random, risk_tables

    found = recorded()
    parts = {
        "folds": f"{shown(found)}\n\n{beside_fast_risk(found)}",
        "differences": differences(found),
        "random": risk_random.summary(risk_random.recorded()),
        "proofs": risk_tables.table(),
    }
    page = path.read_text(encoding="utf-8")
    for name in PAGES[path]:
        head, begin, rest = page.partition(f"<!-- {name}: begin -->\n")
        _, end, tail = rest.partition(f"<!-- {name}: end -->")
        assert begin, f"{path.name} has no place for {name}"
        assert end, f"{path.name} has no end of {name}"
        page = f"{head}{begin}{parts[name]}\n{end}{tail}"
    return page


def main(words: Sequence[str]) -> None:
    """Measure what is missing, or put the tables into their pages."""
    if list(words) == ["table"]:
        for page in PAGES:
            page.write_text(with_tables(page), encoding="utf-8")
        return
    for name in words or TABLES:
        done = {(m.table, m.fold, m.method) for m in recorded()}
        for one in measured(name, done):
            print(json.dumps(asdict(one)), flush=True)
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(one)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
