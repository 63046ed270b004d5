"""Memory that solving takes, estimated before it is taken: a clear refusal instead of a killed process."""

from supersparse.errors import TooLargeError
from supersparse.free_memory import free_bytes
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
