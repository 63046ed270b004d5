"""Is a time limit kept on large tables? ``python -m benchmarks.time_limits [--table NAME] [--task NAME]``.

Each table is learned from by each way of asking, in a process of its own, with a limit of 1 or 5 seconds.
Counted is what follows when the table is in memory and the kernels are loaded; for the command line, when the
file is read. The bar is the limit plus 10 % plus 1 second. Where that is over, the stack tells what did not
look at the clock. A case that crashes is recorded with its exit code.

Each record goes to `results/time-limits.jsonl` as soon as it is there, in place of an older one of that case.
``--resume`` leaves out the cases that this commit has measured already. A whole run takes under ten minutes.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "time-limits.jsonl"
PATIENCE = 300.0  # seconds for one case, reading and writing its table included


def _labels(score: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(1).logistic(0, 0.6, len(score))
    return (score - np.median(score) + noise > 0).astype(int)


def _floats(rows: int) -> tuple[Any, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(rows, 50)).round(5)
    return X, _labels(2 * X[:, 0] + X[:, 1] - X[:, 2])


def _integers(rows: int) -> tuple[Any, np.ndarray]:
    X = np.random.default_rng(0).integers(0, 100, (rows, 500))
    return X, _labels((2 * X[:, 0] + X[:, 1] - X[:, 2]) / 50)


def _sparse(rows: int) -> tuple[Any, np.ndarray]:
    import scipy.sparse as sparse

    telling = sparse.random(rows, 20, 0.1, "csr", random_state=1)
    others = sparse.random(rows, 19_980, 0.01, "csr", random_state=0)
    X = sparse.hstack([telling, others], "csr")
    X.data[:] = 1
    return X, _labels(X[:, :20].toarray() @ np.repeat([3.0, -3.0], 10))


def _few(rows: int) -> tuple[Any, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(rows, 3)).round(3)
    return X, np.arange(rows) % 2


TABLES: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "10^6 x 50 floats": lambda: _floats(10**6),
    "10^5 x 50 floats": lambda: _floats(10**5),
    "10^5 x 500 integers": lambda: _integers(10**5),
    "2,000 x 20,000 sparse": lambda: _sparse(2000),
    "6 rows, points to 10^6": lambda: _few(6),
}
FEW_ROWS = "6 rows, points to 10^6"
LIMITS = {table: 1.0 if table == FEW_ROWS else 5.0 for table in TABLES}
MORE = {FEW_ROWS: {"max_points": 10**6}}


def _solve(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float) -> bool:
    from supersparse import Problem, solve

    return any(solve(Problem.of(X, y, **settings), time_limit=limit).points.coefficients)


def _classifier(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float, **more: Any) -> bool:
    from supersparse import SLIMClassifier

    return bool(SLIMClassifier(time_limit=limit, **settings, **more).fit(X, y).scoring_system_.card.items)


def _prepared(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float) -> bool:
    return _classifier(X, y, settings, limit, prepare="auto")


def _cross_validated(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float) -> bool:
    from supersparse import SLIMClassifierCV

    folds = min(5, int(np.bincount(y).min()))
    return bool(SLIMClassifierCV(cv=folds, time_limit=limit, **settings).fit(X, y).scoring_system_.card.items)


def _risk(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float) -> bool:
    from supersparse import RiskScoreClassifier

    return bool(RiskScoreClassifier(prepare=None, time_limit=limit, **settings).fit(X, y).scoring_system_.card.items)


TASKS = {
    "solve": _solve,
    "SLIM": _classifier,
    "SLIM, prepared": _prepared,
    "SLIM CV": _cross_validated,
    "risk": _risk,
    "fit": None,
}


def bar(limit: float) -> float:
    """Return the seconds that a limit may take."""
    return 1.1 * limit + 1


class Stopwatch:
    """Measures one call, and keeps the stack of the main thread at the bar.

    A thread takes the stack, as `faulthandler` crashes the interpreter if it reads a stack that changes.
    """

    def __init__(self, limit: float) -> None:
        self.limit, self.stack = limit, list[str]()
        self._timer = threading.Timer(bar(limit), self._look)
        self._timer.daemon = True
        self._timer.start()
        self._began, self._cpu = time.perf_counter(), time.process_time()

    def _look(self) -> None:
        frame = sys._current_frames()[threading.main_thread().ident or 0]
        for one in reversed(traceback.extract_stack(frame)):
            place = Path(one.filename).as_posix()
            if "/supersparse/" in place:
                self.stack.append(f"{place.rpartition('/supersparse/')[2]}:{one.lineno} {one.name}")

    def measured(self, has_features: bool) -> dict[str, Any]:
        """Return what is recorded."""
        seconds, cpu = time.perf_counter() - self._began, time.process_time() - self._cpu
        self._timer.cancel()
        return {
            "seconds": round(seconds, 2),
            "cpu_seconds": round(cpu, 2),
            "kept": seconds <= bar(self.limit),
            "has_features": has_features,
            "stack": self.stack[:12],
        }


def run(table: str, task: str) -> dict[str, Any]:
    """Measure one case in this process."""
    warnings.simplefilter("ignore")
    from supersparse.base.errors import UnsupportedProblemError

    X, y = TABLES[table]()
    settings, limit = MORE.get(table, {}), LIMITS[table]
    act = TASKS[task]
    if act is None:
        return _command_line(X, y, settings, limit)
    act(*_few(40), {}, 1.0)  # loads what else is loaded on first use
    watch = Stopwatch(limit)
    try:
        return watch.measured(act(X, y, settings, limit))
    except UnsupportedProblemError as refusal:  # at once, with a remedy
        return {**watch.measured(False), "refused": str(refusal)}


def _command_line(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float) -> dict[str, Any]:
    """Run ``supersparse fit`` in this process; its clock starts when the file has been read."""
    from supersparse.learn.recipe import Recipe
    from supersparse.show.cli.app import app

    asked, watches = Recipe.question, list[Stopwatch]()

    def question(self: Recipe, rows: Any) -> Any:
        if not watches:
            watches.append(Stopwatch(limit))
        return asked(self, rows)

    with tempfile.TemporaryDirectory() as folder:
        data, card = Path(folder) / "table.csv", Path(folder) / "card.json"
        call = ["fit", data, "--goal", "errors", "--target", "y", "--out", card, "--quiet"]
        _write(data, *_few(40))
        app([*map(str, call), "--time-limit", "1"], standalone_mode=False)  # loads what is loaded on first use
        _write(data, X, y)
        more = [part for name, value in settings.items() for part in (f"--{name.replace('_', '-')}", value)]
        Recipe.question = question  # type: ignore[method-assign]
        app(list(map(str, [*call, "--time-limit", limit, *more])), standalone_mode=False)
        return watches[0].measured(bool(json.loads(card.read_text())["items"]))


def _write(path: Path, X: Any, y: np.ndarray) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(["y", *(f"x{j}" for j in range(X.shape[1]))]) + "\n")
        for start in range(0, len(y), 10_000):
            some = X[start : start + 10_000]
            some = some.toarray().astype(int) if hasattr(some, "toarray") else some
            labels = y[start : start + 10_000].tolist()
            file.writelines(
                f"{label},{','.join(map(str, row))}\n" for label, row in zip(labels, some.tolist(), strict=True)
            )


def measure(table: str, task: str) -> dict[str, Any]:
    """Measure one case in a process of its own; one that crashes or hangs is a result, too."""
    call = [sys.executable, "-X", "faulthandler", "-m", "benchmarks.time_limits", "--here"]
    call += ["--table", table, "--task", task]
    try:
        done = subprocess.run(call, capture_output=True, text=True, cwd=Path(__file__).parents[1], timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return {"kept": False, "crashed": f"nothing after {PATIENCE:g} seconds"}
    last = done.stdout.strip().splitlines()[-1:]
    if done.returncode == 0 and last:
        return dict(json.loads(last[0]))
    return {"kept": False, "crashed": f"exit code {done.returncode}", "said": done.stderr[-1500:]}


def stored() -> list[dict[str, Any]]:
    """Return the records of earlier runs."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]


def store(record: dict[str, Any]) -> None:
    """Put a record in the place of that of the same case."""
    cases = [(table, task) for table in TABLES for task in TASKS]
    found = {(one["table"], one["task"]): one for one in [*stored(), record]}
    lines = [json.dumps(found[case]) + "\n" for case in cases if case in found]
    beside = RESULTS.with_suffix(".new")
    beside.write_text("".join(lines), "utf-8")
    beside.replace(RESULTS)


def _commit() -> str:
    call = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(call, capture_output=True, text=True, cwd=Path(__file__).parent).stdout.strip()


def main() -> None:
    """Measure all cases, or those chosen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--table", choices=TABLES, action="append")
    parser.add_argument("--task", choices=TASKS, action="append")
    parser.add_argument("--resume", action="store_true", help="only what this commit has not measured yet")
    parser.add_argument("--here", action="store_true", help="measure one case in this process, store nothing")
    asked = parser.parse_args()
    if asked.here:
        print(json.dumps(run(asked.table[0], asked.task[0])))
        return
    commit, date = _commit(), datetime.datetime.now(datetime.UTC).date().isoformat()
    done = {(one["table"], one["task"]) for one in stored() if one["commit"] == commit}
    for table in asked.table or TABLES:
        for task in asked.task or TASKS:
            if asked.resume and (table, task) in done:
                continue
            record = {"table": table, "task": task, "limit": LIMITS[table], **measure(table, task)}
            record |= {"load": round(os.getloadavg()[0], 2), "date": date, "commit": commit}
            store(record)
            print(json.dumps(record), flush=True)
    missed = [f"{one['table']}, {one['task']}" for one in stored() if not one["kept"]]
    print("limits kept" if not missed else f"limits not kept: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
