"""FasterRisk (PyPI) against our engine: training errors at equal size and equal coefficient range.

FasterRisk minimises the logistic loss and answers with a pool of risk scores. Of its pool the
model with the fewest errors counts, with its intercept chosen anew for fewest errors: all in its
favour. Its pins want an environment of their own, made here when it is missing.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.data import ROOT, Table
from benchmarks.instances import Instance, all_instances
from benchmarks.peers import python
from benchmarks.processes import FailedError, output_of
from benchmarks.record import Comparison, Machine, Record
from supersparse.problem.objective import evaluate, with_best_intercept

_SCRIPT = ROOT / "benchmarks" / "fasterrisk_fit.py"
_LIMIT = 300.0


def missing() -> str | None:
    """Say why FasterRisk cannot be run here, or None when it can."""
    try:
        python("fasterrisk")
    except (FailedError, OSError, subprocess.CalledProcessError) as error:
        return str(error)
    return None


def compare(name: str, ours: Record | None) -> Comparison:
    """Run FasterRisk on an instance; `ours` is our record on the same one."""
    instance = all_instances()[name]
    size, largest = instance.settings.max_features, instance.settings.largest
    assert size is not None
    assert largest is not None
    model = None if ours is None else ours.model
    errors = seconds = error = None
    version = "-"
    try:
        errors, seconds, version = _fasterrisk(instance, size, largest)
    except FailedError as failure:
        error = str(failure)
    return Comparison(
        instance=name,
        size=size,
        largest=largest,
        fasterrisk_errors=errors,
        fasterrisk_seconds=seconds,
        errors=None if model is None else int(model.errors),
        seconds=None if ours is None else ours.cpu_seconds,
        proven=False if model is None else model.proven_optimal,
        version=version,
        error=error,
        system=Machine.here().system,
    )


def _fasterrisk(instance: Instance, size: int, largest: int) -> tuple[int, float, str]:
    table = instance.table()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        X = np.column_stack([np.ones(len(table.y)), table.X])
        np.savez(path, X=X, y=np.where(table.y == 1, 1, -1))
        command = [str(python("fasterrisk")), str(_SCRIPT), str(path), str(size), str(largest)]
        answer = json.loads(output_of(command, _LIMIT).splitlines()[-1])
    errors = min(_errors(instance, table, model[1:], size) for model in answer["models"])
    return errors, answer["seconds"], answer["version"]


def _errors(instance: Instance, table: Table, coefficients: list[float], size: int) -> int:
    """Count the training errors, the threshold put where they are fewest by the rule for our own models."""
    rounded = [round(c) for c in coefficients]
    if rounded != coefficients or sum(c != 0 for c in rounded) > size:
        raise FailedError(f"FasterRisk gave {coefficients}, which is not of size {size} in whole numbers")
    problem = instance.settings.problem(table)
    return int(evaluate(problem, with_best_intercept(problem, rounded)).training_errors)
