"""The memory that this process can still take: of the machine, its container, or its own limit."""

import sys
from pathlib import Path


def free_bytes() -> int | None:
    """Bytes that can still be taken; None where the system does not tell."""
    known = [value for value in (_of_machine(), _of_container(), _of_process()) if value is not None]
    return min(known, default=None)


def _of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def _of_container() -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        most = (folder / "memory.max").read_text(encoding="ascii").strip()
        used = int((folder / "memory.current").read_text(encoding="ascii"))
        return None if most == "max" else int(most) - used
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return None
    try:
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        taken = 0
    return max(0, most - taken)
