"""Wheels for Linux (glibc 2.17) and macOS, x86_64 and aarch64, cross-compiled by ziglang: ``python native/wheels.py``.

They go to ``dist``. Needs ziglang, wheel and scikit-build-core; `make wheels` installs these and tries the wheels.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# platform tag -> target of zig, CMake's system, its processor
TARGETS = {
    "manylinux2014_x86_64": ("x86_64-linux-gnu.2.17", "Linux", "x86_64"),
    "manylinux2014_aarch64": ("aarch64-linux-gnu.2.17", "Linux", "aarch64"),
    "macosx_11_0_x86_64": ("x86_64-macos.11.0", "Darwin", "x86_64"),
    "macosx_11_0_arm64": ("aarch64-macos.11.0", "Darwin", "arm64"),
}


def build(tag: str) -> None:
    """One wheel, named after its platform."""
    target, system, processor = TARGETS[tag]
    with tempfile.TemporaryDirectory() as folder:
        for tool in ("c++", "ar", "ranlib"):
            script = Path(folder) / tool
            arguments = f"{tool} -target {target}" if tool == "c++" else tool
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {arguments} "$@"\n')
            script.chmod(0o755)
        settings = {
            "CMAKE_SYSTEM_NAME": system, "CMAKE_SYSTEM_PROCESSOR": processor, "CMAKE_AR": f"{folder}/ar",
            "CMAKE_RANLIB": f"{folder}/ranlib", "CMAKE_OSX_SYSROOT": "/", "CMAKE_OSX_ARCHITECTURES": "",
            "CMAKE_OSX_DEPLOYMENT_TARGET": "",
        }  # fmt: skip
        asked = [f"--config-settings=cmake.define.{name}={value}" for name, value in settings.items()]
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--wheel-dir",
            folder,
            *asked,
            str(ROOT),
        ]
        subprocess.run(command, check=True, env={**os.environ, "CXX": f"{folder}/c++"})
        (wheel,) = Path(folder).glob("*.whl")
        tags = [sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, str(wheel)]
        name = subprocess.run(tags, check=True, capture_output=True, text=True).stdout.split()[-1]
        (ROOT / "dist").mkdir(exist_ok=True)
        (Path(folder) / name).replace(ROOT / "dist" / name)
        print(f"dist/{name}")


for asked in sys.argv[1:] or TARGETS:
    build(asked)
