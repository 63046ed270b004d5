"""CPU seconds and peak memory of this process and of the processes it started."""

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path


def _children() -> list[int]:
    """Processes that any thread of this one started and that still live."""
    found: list[int] = []
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # the thread has just ended
            found += map(int, listed.read_text(encoding="ascii").split())
    return found


def cpu_seconds() -> float:
    """User and system time so far; living children count (executors work in some), on Linux at least."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage) + sum(map(_child_seconds, _children()))


def _child_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_megabytes() -> float:
    """Largest resident size so far, children added.

    Read from ``VmHWM`` where there is one: ``ru_maxrss`` starts at the size of the process
    that started this one.
    """
    return (_high_water("self") or _maxrss()) + sum(_high_water(str(pid)) for pid in _children())


def _high_water(pid: str) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1e3 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)


def _maxrss() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3
