"""What a new process costs: ``python -m benchmarks.startup`` prints it, and writes the table of docs/install.md."""

import sys
import tempfile
import textwrap
import time
from collections.abc import Sequence
from statistics import median

from benchmarks.data import ROOT
from benchmarks.processes import FailedError, output_of
from benchmarks.record import Machine, Startup
from benchmarks.table import grid, into_docs
from benchmarks.usage import cpu_seconds

PAGE = ROOT / "docs" / "install.md"
_TIMES = 5

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


_LEARN = """
import numpy as np
from supersparse import {learner}
random = np.random.default_rng(0)
X = (random.normal(size=(300, 10)) > 0).astype(int)
y = (X[:, :3].sum(axis=1) + random.normal(size=300) > 1.5).astype(int)
{learner}().fit(X, y).predict(X)
"""
_BESIDE = {
    "SLIMClassifier": "import sklearn.base",
    "RiskScoreClassifier": "import sklearn.linear_model, sklearn.ensemble",
}


def cpu_of(command: Sequence[str]) -> float:
    """Return the CPU seconds of a new process: the median of five, after one that has the files read."""
    found = []
    for _ in range(_TIMES + 1):
        began = cpu_seconds()
        output_of(command, 180)
        found.append(cpu_seconds() - began)
    return median(found[1:])


def in_markdown() -> str:
    """Measure new processes, and return the table."""
    python = [sys.executable, "-c"]
    rows = []
    for learner, beside in _BESIDE.items():
        mine, least = cpu_of([*python, _LEARN.format(learner=learner)]), cpu_of([*python, beside])
        rows.append([f"import, `{learner}()`, fit, predict", f"{mine:.2f}", f"`{beside}`", f"{least:.2f}"])
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-m", "supersparse"]
        card, data = f"{folder}/card.json", f"{folder}/biopsies.csv"
        output_of([*program, "demo", "--save-data", data, "--out", card], 180)
        seconds = cpu_of([*program, "predict", card, data])
        rows.append(["run `supersparse predict card.json biopsies.csv`", f"{seconds:.2f}", "", ""])
    here = Machine.here()
    words = f"{here.cpu}, {here.cores} cores, {here.system}; Python {here.python}; medians of {_TIMES}."
    return f"{textwrap.fill(words, 120)}\n\n{grid(['a new process', 'CPU s', 'beside', 'CPU s'], rows)}\n"


if __name__ == "__main__":
    print(measure())
    table = in_markdown()
    print(table)
    into_docs(table, PAGE, "startup")
