"""CPU seconds of eleven fits: a default card with ten folds, on 1,000 rows and 20 columns, as a JSON line.

``python -m benchmarks.eleven_fits`` learns a card of at most six questions and judges it by five folds, twice; teacher,
answers and the cards of every size are included. ``--jobs 2`` learns two folds at a time.
"""

import argparse
import json
import os
import resource
import time

import numpy as np
from joblib.externals.loky import get_reusable_executor

from supersparse import RiskScoreClassifier

ROWS, NUMBERS, TEXTS = 1000, 16, 4
EFFECTS = (1.0, 0.8, 0.6, 0.5, 0.4, 0.3)


def table() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Columns of numbers and texts, and classes that seven of them tell of."""
    draw = np.random.default_rng(0)
    X = {f"x{j}": draw.normal(size=ROWS).round(3) for j in range(NUMBERS)}
    X |= {f"c{j}": draw.choice(list("abc"), ROWS) for j in range(TEXTS)}
    log_odds = sum(effect * X[f"x{j}"] for j, effect in enumerate(EFFECTS)) + 0.7 * (X["c0"] == "a")
    return X, (draw.random(ROWS) < 1 / (1 + np.exp(-log_odds))).astype(int)


def cpu_seconds() -> float:
    """Those of this process and of those that it has ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    """Measure once, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    jobs = parser.parse_args().jobs
    X, y = table()
    asked = {"max_questions": 6, "prepare": "auto", "time_limit": None, "n_jobs": jobs}
    RiskScoreClassifier(**{**asked, "n_jobs": 1}).fit({name: column[:100] for name, column in X.items()}, y[:100])
    began, cpu = time.perf_counter(), cpu_seconds()
    model = RiskScoreClassifier(**asked, validate=True).fit(X, y)
    seconds = time.perf_counter() - began
    get_reusable_executor().shutdown()  # the seconds of processes count once they have ended
    found = {
        "fits": 1 + model.validation_["folds"],
        "proven": all(one["proven"] in (None, 1.0) for one in model.validation_["compared"]) and model.proven_optimal_,
        "jobs": jobs,
        "cpu_seconds": round(cpu_seconds() - cpu, 1),
        "seconds": round(seconds, 1),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
