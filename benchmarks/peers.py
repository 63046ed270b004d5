"""Risk scores by other packages, each in an environment of its own, made when it is missing."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import ROOT
from benchmarks.environments import environment
from benchmarks.processes import output_of

_LIMIT = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerScore:
    """A risk score on columns as given: the log-odds of class 1 are scale·(points·x) + intercept."""

    points: NDArray[np.float64]
    scale: float
    intercept: float
    seconds: float  # of CPU time
    version: str

    def log_odds(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-odds of class 1."""
        odds: NDArray[np.float64] = self.scale * (X @ self.points) + self.intercept
        return odds


def python(package: str) -> Path:
    """Return the interpreter of a package's environment."""
    return environment(package, ["imodels", "numba", "six"] if package == "imodels" else [package])


Rows = tuple[NDArray[Any], NDArray[Any], int, int]  # X, y, features at most, largest points


def fast_risk(X: NDArray[Any], y: NDArray[Any], size: int, largest: int) -> PeerScore:
    """Return the score of imodels' FastRiskScoreClassifier."""
    return fast_risks([(X, y, size, largest)])[0]


def fast_risks(tables: Sequence[Rows]) -> list[PeerScore]:
    """Return the score of each table, all from one process."""
    return [
        PeerScore(
            points=np.array(answer["coef"]),
            scale=answer["scale"],
            intercept=answer["intercept"],
            seconds=answer["seconds"],
            version=answer["version"],
        )
        for answer in _answers("imodels", "fastrisk_fit.py", tables)
    ]


def faster_risk(X: NDArray[Any], y: NDArray[Any], size: int, largest: int) -> PeerScore:
    """Return the first, best score of FasterRisk's pool, recalibrated on the training rows.

    Its own multiplier is not kept by `fasterrisk_fit.py`; fitting slope and intercept anew is in its favour.
    """
    from sklearn.linear_model import LogisticRegression

    ones = np.column_stack([np.ones(len(y)), X])
    (answer,) = _answers("fasterrisk", "fasterrisk_fit.py", [(ones, np.where(y == 1, 1, -1), size, largest)])
    points = np.array(answer["models"][0][1:])
    line = LogisticRegression(C=np.inf).fit((X @ points)[:, None], y)
    return PeerScore(
        points=points,
        scale=float(line.coef_[0, 0]),
        intercept=float(line.intercept_[0]),
        seconds=answer["seconds"],
        version=answer["version"],
    )


def _answers(package: str, script: str, tables: Sequence[Rows]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python(package)), str(ROOT / "benchmarks" / script)]
        for number, (X, y, size, largest) in enumerate(tables):
            path = Path(folder) / f"{number}.npz"
            np.savez(path, X=X, y=y)
            command += [str(path), str(size), str(largest)]
        lines = output_of(command, _LIMIT).splitlines()[-len(tables) :]
    return [json.loads(line) for line in lines]
