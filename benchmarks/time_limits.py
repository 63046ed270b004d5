"""Is a time limit kept on large tables? ``python -m benchmarks.time_limits [--table NAME] [--task NAME]``.

Each table is learned from by each way of asking, in a process of its own with a limit of 5 seconds. Counted
is what follows when the table is in memory and the kernels are loaded; for the command line, when the file is
read. The bar is the limit plus 10 % plus 1 second. Where that is over, the stack tells what did not look
at the clock. Records, with wall-clock and CPU seconds, go to `results/time-limits.jsonl` unless some were
chosen.
"""

import argparse
import datetime
import faulthandler
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "time-limits.jsonl"
LIMIT = 5.0
BAR = 1.1 * LIMIT + 1


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

    X = sparse.random(rows, 20_000, 0.01, "csr", random_state=0)
    X.data[:] = 1
    some = X[:, :60].toarray()
    return X, _labels(4.0 * some[:, :30].sum(axis=1) - 4.0 * some[:, 30:].sum(axis=1))


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
MORE = {"6 rows, points to 10^6": {"max_points": 10**6}}


def _solve(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float) -> bool:
    from supersparse import Problem, solve

    return any(solve(Problem.of(X, y, **settings), time_limit=limit).points.coefficients)


def _classifier(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float, **more: Any) -> bool:
    from supersparse import SLIMClassifier

    return bool(SLIMClassifier(time_limit=limit, **settings, **more).fit(X, y).scoring_system_.card.items)


def _prepared(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float) -> bool:
    return _classifier(X, y, settings, limit, prepare="auto")


def _risk(X: Any, y: np.ndarray, settings: dict[str, Any], limit: float) -> bool:
    from supersparse import RiskScoreClassifier

    return bool(RiskScoreClassifier(time_limit=limit, **settings).fit(X, y).scoring_system_.card.items)


TASKS = {"solve": _solve, "SLIM": _classifier, "SLIM, prepared": _prepared, "risk": _risk, "fit": None}


def run(table: str, task: str) -> dict[str, Any]:
    """Measure one case in this process."""
    warnings.simplefilter("ignore")
    from supersparse.errors import UnsupportedProblemError
    from supersparse.solving.warm_up import warm_up

    warm_up()
    warm_up("risk")
    X, y = TABLES[table]()
    settings = MORE.get(table, {})
    act = TASKS[task]
    if act is None:
        return _command_line(X, y, settings)
    act(*_few(40), {}, 1.0)  # loads what else is loaded on first use
    with tempfile.TemporaryFile("w+") as stack:
        faulthandler.dump_traceback_later(BAR, file=stack)
        began, cpu = time.perf_counter(), time.process_time()
        try:
            has_features = act(X, y, settings, LIMIT)
        except UnsupportedProblemError as refusal:  # at once, with a remedy
            return {**_measured(began, cpu, False, stack), "refused": str(refusal)}
        return _measured(began, cpu, has_features, stack)


def _command_line(X: Any, y: np.ndarray, settings: dict[str, Any]) -> dict[str, Any]:
    """Run ``supersparse fit`` in this process; its clock starts when the file has been read."""
    from supersparse.cli.app import app
    from supersparse.learning.clock import Clock

    clock_of, started = Clock.of.__func__, []  # type: ignore[attr-defined]

    def of(cls: type[Clock], *given: Any, **named: Any) -> Clock:
        found = clock_of(cls, *given, **named)
        if not started:
            started.append((time.perf_counter(), time.process_time()))
            faulthandler.dump_traceback_later(BAR, file=stack)
        return found

    Clock.of = classmethod(of)  # type: ignore[assignment,method-assign]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as stack:
        data, card = Path(folder) / "table.csv", Path(folder) / "card.json"
        _write(data, X, y)
        more = [part for name, value in settings.items() for part in (f"--{name.replace('_', '-')}", value)]
        call = ["fit", data, "--target", "y", "--time-limit", LIMIT, "--out", card, "--quiet", *more]
        app(list(map(str, call)), standalone_mode=False)
        has_features = bool(json.loads(card.read_text())["items"])
        return _measured(*started[0], has_features, stack)


def _write(path: Path, X: Any, y: np.ndarray) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(["y", *(f"x{j}" for j in range(X.shape[1]))]) + "\n")
        for start in range(0, len(y), 10_000):
            some = X[start : start + 10_000]
            some = some.toarray().astype(int) if hasattr(some, "toarray") else some
            labels = y[start : start + 10_000].tolist()
            file.writelines(
                f"{label},{','.join(map(str, row))}\n"
                for label, row in zip(labels, some.tolist(), strict=True)
            )


def _measured(began: float, cpu: float, has_features: bool, stack: Any) -> dict[str, Any]:
    faulthandler.cancel_dump_traceback_later()
    found = {
        "seconds": round(time.perf_counter() - began, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "has_features": has_features,
    }
    stack.seek(0)
    lines = [line.strip() for line in stack if "supersparse" in line and ", line" in line]
    found["kept"] = found["seconds"] <= BAR
    found["stack"] = [line.partition("supersparse/")[2] for line in lines[:8]]
    return found


def main() -> None:
    """Measure all cases, or those chosen, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--table", choices=TABLES, action="append")
    parser.add_argument("--task", choices=TASKS, action="append")
    parser.add_argument("--here", action="store_true", help="measure one case in this process")
    asked = parser.parse_args()
    if asked.here:
        print(json.dumps(run(asked.table[0], asked.task[0])))
        return
    records = []
    for table in asked.table or TABLES:
        for task in asked.task or TASKS:
            call = [
                sys.executable,
                "-m",
                "benchmarks.time_limits",
                "--here",
                "--table",
                table,
                "--task",
                task,
            ]
            done = subprocess.run(call, capture_output=True, text=True, cwd=Path(__file__).parents[1])
            last = done.stdout.strip().splitlines()[-1:]
            measured = (
                json.loads(last[0]) if done.returncode == 0 and last else {"failed": done.stderr[-800:]}
            )
            records.append({"table": table, "task": task, "limit": LIMIT, **measured})
            print(json.dumps(records[-1]), flush=True)
    if asked.table is None and asked.task is None:
        date = datetime.datetime.now(datetime.UTC).date().isoformat()
        RESULTS.write_text("".join(json.dumps({"date": date, **one}) + "\n" for one in records), "utf-8")


if __name__ == "__main__":
    main()
