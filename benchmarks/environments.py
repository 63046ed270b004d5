"""Environments of their own for other packages and an older version, made when they are missing.

They are installed by pip, whose own settings hold: with PIP_NO_INDEX=1 and PIP_FIND_LINKS=FOLDER everything comes from
a folder of wheels, on a machine without a network.
"""

import subprocess
import sys
import tarfile
import tempfile
import threading
import venv
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from benchmarks.data import ROOT
from benchmarks.processes import output_of

_LIMIT = 1800.0  # seconds for an installation
_MAKING = threading.Lock()


def _folder(name: str) -> Path:
    return ROOT / "benchmarks" / f".{name}-venv"


def environment(name: str, needed: Sequence[str]) -> Path:
    """Return the interpreter of an environment with packages."""
    folder = _folder(name)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = folder / ".installed"
    with _MAKING:
        if not stamp.exists():
            venv.create(folder, with_pip=True, clear=True)
            output_of([str(python), "-m", "pip", "install", "--quiet", *needed], _LIMIT)
            stamp.touch()
    return python


def before_3() -> Path:
    """Return the interpreter of an environment with the commit `before-3` and the numba that it needs."""
    with tempfile.TemporaryDirectory() as source:
        if not (_folder("before-3") / ".installed").exists():
            commit = (ROOT / "benchmarks" / "before-3").read_text(encoding="utf-8").split()[0]
            packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
            with tarfile.open(fileobj=BytesIO(packed)) as archive:
                archive.extractall(source, filter="data")
        return environment("before-3", [source])
