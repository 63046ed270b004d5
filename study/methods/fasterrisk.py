"""FasterRisk, in an environment of its own: its pins do not fit beside the package's."""

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

import numpy as np

from study.methods.contract import Linear, Method, Model
from study.methods.rounding import fewest_errors
from study.setting import Setting
from study.study_data import StudyData
from supersparse.base.errors import SolverFailedError

_PATIENCE = 600  # seconds for one fit or for the installation
_LARGEST = 5  # FasterRisk's own range
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class FasterRisk(Method):
    """Sparse risk scores by the logistic loss, the best of its pool, with the threshold of the fewest errors.

    Its own intercept lies in the range of the points, too narrow for columns that were not made binary.
    """

    name: ClassVar[str] = "FasterRisk"
    title: ClassVar[str] = "FasterRisk"
    made_with: ClassVar[str] = "fasterrisk from PyPI, points in ±5, threshold with the fewest training errors"
    tuning: ClassVar[str] = "6 sizes"

    def __init__(self, environment: Path | None = None, sizes: Sequence[int] = (15, 10, 7, 5, 3, 1)) -> None:
        self.environment, self.sizes = environment, tuple(sizes)

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """The numbers of features, the smallest last."""
        return tuple(Setting.of(size=size, largest=_LARGEST) for size in self.sizes if size <= data.X.shape[1])

    def why_not(self) -> str | None:
        """It needs an environment, which is made when it is missing."""
        if self.environment is None:
            return "no folder for the environment of FasterRisk was given"
        return _install(self.environment)

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Fit each size in a process of FasterRisk's environment."""
        assert self.environment is not None, "why_not has been asked"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.npz"
            X = np.column_stack([np.ones(len(train.y)), train.X.astype(np.float64)])
            np.savez(path, X=X, y=np.where(train.y, 1.0, -1.0))
            for setting in settings:
                arguments = [str(path), str(setting.whole("size")), str(setting.whole("largest"))]
                answer = json.loads(_run(_python(self.environment), arguments).splitlines()[-1])
                coefficients = np.array(answer["model"])
                threshold = fewest_errors(train.X @ coefficients, train.y)
                yield Model.of_linear(setting, Linear(coefficients, -threshold))


def _python(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


@lru_cache
def _install(environment: Path) -> str | None:
    """Make the environment once; return why that failed."""
    if _starts(environment):
        return None
    try:
        venv.create(environment, with_pip=True, clear=True)
        command = [str(_python(environment)), "-m", "pip", "install", "--quiet", "fasterrisk"]
        subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        return f"fasterrisk could not be installed in {environment}: {error}"
    return None if _starts(environment) else f"fasterrisk does not start in {environment}"


def _starts(environment: Path) -> bool:
    command = [str(_python(environment)), "-c", "import fasterrisk"]
    try:
        return subprocess.run(command, check=False, capture_output=True, timeout=_PATIENCE).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def _run(python: Path, arguments: list[str]) -> str:
    script = files(__package__).joinpath("fasterrisk_fit.py.txt").read_text(encoding="utf-8")
    done = subprocess.run(
        [str(python), "-", *arguments],
        input=script,
        env={**os.environ, **_ONE_THREAD},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_PATIENCE,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise SolverFailedError(f"FasterRisk: {said[-1] if said else f'code {done.returncode}'}")
    return done.stdout
