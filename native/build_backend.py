"""The build back end: scikit-build-core, with what the machine lacks.

cmake, ninja and, where there is no C++ compiler, ziglang are asked for from the package index, only where
none is found. An editable install builds the core into ``src`` once; `make` does so again when the sources in
``native/`` have changed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILERS = ("c++", "g++", "clang++")


def _compiler():
    return os.environ.get("CXX") or next(filter(None, map(shutil.which, COMPILERS)), None)


def _requirements():
    tools = [tool for tool in ("cmake", "ninja") if not shutil.which(tool)]
    return ["scikit-build-core>=0.10", *tools, *([] if _compiler() else ["ziglang"])]


def _prepare():
    if _compiler():
        return
    try:
        import ziglang  # noqa: F401
    except ImportError:
        raise SystemExit(
            "supersparse needs a C++ compiler: install g++ or clang++, "
            "or `pip install ziglang cmake ninja scikit-build-core`"
        ) from None
    compiler = Path(tempfile.mkdtemp(prefix="zig-")) / "c++"
    compiler.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang c++ "$@"\n')
    compiler.chmod(0o755)
    os.environ["CXX"] = str(compiler)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    from scikit_build_core import build

    _prepare()
    return build.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    from scikit_build_core import build

    _prepare()
    with tempfile.TemporaryDirectory() as folder:  # a compiler's path in an old cache may be gone
        for command in (
            ["cmake", "-S", str(ROOT / "native"), "-B", folder, "-G", "Ninja"],
            ["cmake", "--build", folder],
            ["cmake", "--install", folder, "--prefix", str(ROOT / "src"), "--component", "core"],
        ):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                raise SystemExit(f"{done.stdout}\nthe compiled core could not be built ({' '.join(command)})")
    settings = {**(config_settings or {}), "editable.mode": "inplace", "wheel.cmake": "false"}
    return build.build_editable(wheel_directory, settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    from scikit_build_core import build

    return build.build_sdist(sdist_directory, config_settings)


def get_requires_for_build_wheel(config_settings=None):
    return _requirements()


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(config_settings=None):
    return ["scikit-build-core>=0.10"]
