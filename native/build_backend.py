"""The build back end: scikit-build-core, with what the machine lacks.

cmake, ninja and, without a C++ compiler, ziglang are asked for from the package index, only where none is found. An
editable install builds the core into ``src`` once; `make` does so again when the sources in ``native/`` have changed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _compiler():
    return os.environ.get("CXX") or next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)


def get_requires_for_build_wheel(config_settings=None):
    tools = [tool for tool in ("cmake", "ninja") if not shutil.which(tool)]
    return ["scikit-build-core>=0.10", *tools, *([] if _compiler() else ["ziglang"])]


def get_requires_for_build_sdist(config_settings=None):
    return ["scikit-build-core>=0.10"]


get_requires_for_build_editable = get_requires_for_build_wheel


def _with_compiler():
    from scikit_build_core import build

    if not _compiler():
        tool = Path(tempfile.mkdtemp(prefix="zig-")) / "c++"
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang c++ "$@"\n')
        tool.chmod(0o755)
        os.environ["CXX"] = str(tool)
        if subprocess.run([tool, "--version"], capture_output=True).returncode:
            raise SystemExit("supersparse needs a C++ compiler: install g++ or clang++, or `pip install ziglang`")
    return build


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _with_compiler().build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    build = _with_compiler()
    with tempfile.TemporaryDirectory() as folder:  # a compiler's path in an old cache may be gone
        steps = (("-S", ROOT / "native", "-B", folder, "-G", "Ninja"), ("--build", folder))
        for step in (*steps, ("--install", folder, "--prefix", ROOT / "src", "--component", "core")):
            done = subprocess.run(["cmake", *step], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                raise SystemExit(f"{done.stdout}\nthe compiled core could not be built (cmake {step[0]})")
    settings = {**(config_settings or {}), "editable.mode": "inplace", "wheel.cmake": "false"}
    return build.build_editable(wheel_directory, settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    from scikit_build_core import build

    return build.build_sdist(sdist_directory, config_settings)
