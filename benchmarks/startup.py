"""What a new process costs: the first call ever, and the way to the first model in a later process."""

import os
import sys
import tempfile
import time

from benchmarks.processes import FailedError, output_of
from benchmarks.record import Startup

_FIRST_MODEL = """
import sys, time
from supersparse import Problem, solve
from supersparse.table.datasets import load_breast_cancer
data = load_breast_cancer()
models = []
def hear(event):
    # the first event is the empty model, known without any search
    if event.points is not None and event.points.support and not models:
        models.append(time.time())
solve(Problem.of(data.X, data.y, max_points=10), time_limit=60, on_progress=hear)
print(models[0] - float(sys.argv[1]))
"""


def _to_first_model(environment: dict[str, str]) -> tuple[float, float]:
    """Return the seconds from the start of a process to its first model, and to its end."""
    began = time.time()
    said = output_of([sys.executable, "-c", _FIRST_MODEL, str(began)], 180, environment)
    return float(said.split()[-1]), time.time() - began


def measure() -> Startup:
    """Measure with an empty cache of compiled kernels, then with the cache that this left."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {"NUMBA_CACHE_DIR": os.fspath(cache)}
        try:
            _, cold = _to_first_model(environment)
            first, _ = _to_first_model(environment)
        except FailedError as error:
            return Startup(cold_seconds=None, first_incumbent_seconds=None, error=str(error))
    return Startup(cold_seconds=cold, first_incumbent_seconds=first, error=None)


if __name__ == "__main__":
    print(measure())
