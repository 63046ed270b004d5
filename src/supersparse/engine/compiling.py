"""Compile kernels in other processes: numba's cache brings all together."""

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_lock = threading.Lock()
_begun: dict[str, "subprocess.Popen[bytes] | None"] = {}  # by kernel; None where no process can be started


def in_cache(kernel: object, pattern: str) -> bool:
    """Whether numba's cache contains a kernel; True if numba does not say."""
    folder = getattr(getattr(kernel, "_cache", None), "cache_path", None)
    return folder is None or any(Path(folder).glob(pattern))


def in_another_process(functions: Sequence[Callable[[], None]]) -> "subprocess.Popen[bytes]":
    """Run functions of one module, one after the other, in another process."""
    names = [function.__name__ for function in functions]
    lines = [f"from {functions[0].__module__} import {', '.join(names)}", *(f"{name}()" for name in names)]
    command = [sys.executable, "-P", "-c", "; ".join(lines)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def is_ready(kernel: Any, pattern: str, compile_it: Callable[[], None]) -> bool:
    """Whether a kernel can be called without a wait; if not, begin to compile it in another process, once.

    That goes on when nobody asks any more, and is of use to the next process at least. True as well when the
    other process is done and has not kept what it compiled.
    """
    if kernel.signatures or in_cache(kernel, pattern):
        return True
    with _lock:
        if pattern not in _begun:
            try:
                _begun[pattern] = in_another_process([compile_it])
            except OSError:
                _begun[pattern] = None
        other = _begun[pattern]
    return other is None or other.poll() is not None
