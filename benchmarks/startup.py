"""What a new process costs, from its start to its first model and to its end."""

import sys
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


def measure() -> Startup:
    """Measure the second of two processes: the first has the files read, and bytecode written."""
    try:
        for _ in range(2):
            began = time.time()
            said = output_of([sys.executable, "-c", _FIRST_MODEL, str(began)], 180)
    except FailedError as error:
        return Startup(first_incumbent_seconds=None, seconds=None, error=str(error))
    return Startup(first_incumbent_seconds=float(said.split()[-1]), seconds=time.time() - began, error=None)


if __name__ == "__main__":
    print(measure())
