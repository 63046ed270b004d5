"""Memory that solving takes, estimated before it is taken: a clear refusal instead of a killed process."""

import sys
from pathlib import Path

from supersparse.errors import TooLargeError
from supersparse.problem.problem import Problem

_BYTES_PER_VALUE = 120  # of distinct rows: columns, ranks, floats of the starting points, and their copies
_BYTES_PER_LONG_VALUE = 48  # of a column of Python's integers, while rows are merged
_ALWAYS_TRIED = 2**26  # bytes: less is not worth asking the system
_BYTES_PER_ROW = 64  # while rows are merged


def needed_to_merge(problem: Problem) -> int:
    """Bytes that reading all rows exactly and merging equal ones takes, beside the table itself."""
    rows = problem.rows
    per_row = _BYTES_PER_ROW + (0 if rows.raw is None else _BYTES_PER_LONG_VALUE * problem.n_features)
    return rows.n_rows * per_row


def needed_to_solve(problem: Problem) -> int:
    """Bytes that the solver takes for a problem whose equal rows are merged."""
    return _BYTES_PER_VALUE * problem.rows.n_rows * problem.n_features


def free_bytes() -> int | None:
    """Memory that this process can still take: of the machine, its container, or its own limit."""
    found = [value for value in (_of_machine(), _of_container(), _of_process()) if value is not None]
    return min(found, default=None)


def check_memory(problem: Problem, needed: int) -> None:
    """Raise if so many bytes are more than there are; say for how many rows and columns, and what helps."""
    if needed <= _ALWAYS_TRIED:
        return
    free = free_bytes()
    if free is None or needed <= free:
        return
    raise TooLargeError(
        f"{problem.rows.n_rows:,} rows and {problem.n_features:,} columns need about {needed / 1e9:.1f} GB "
        f"of memory to be solved, and {free / 1e9:.1f} GB are free; give a time_limit, with which large "
        "tables are learned from samples of the rows, or fewer columns, or numbers cut into questions "
        "(prepare='auto'), which makes many rows equal"
    )


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
    return None if most == resource.RLIM_INFINITY else most
