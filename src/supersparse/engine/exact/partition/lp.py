"""Linear programs that suggest multipliers and prices; nothing they say is believed without a check.

HiGHS is loaded when the first of them is made.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supersparse.base.errors import SolverFailedError
from supersparse.base.integer_arrays import Flags, Floats, Ints

_ROUGH, _FINE = 1e-2, 1e-4


def never() -> bool:
    """Let a program run to its end."""
    return False


def _silent(**options: object) -> Any:
    """A solver that says nothing and uses one thread."""
    import highspy

    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:  # type: ignore[arg-type]
            raise SolverFailedError(f"HiGHS does not take the option {name!r}")
    return highs


def _solves(highs: Any) -> bool:
    """Run the simplex, once more from scratch where the last basis led nowhere; say whether it is optimal."""
    import highspy

    for _ in range(2):
        highs.run()
        if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            return True
        highs.clearSolver()
    return False


@dataclass
class LpColumns:
    """Columns of a program: the value of each and its entries by row."""

    value: list[float] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    entry: list[float] = field(default_factory=list)

    def append(self, value: float, entries: Mapping[int, float]) -> None:
        """Add a column with an entry in each of some rows."""
        self.value.append(value)
        self.start.append(len(self.row))
        self.row += entries.keys()
        self.entry += entries.values()


class GrowingLP:
    """Maximise value·x over x >= 0 and some free x, rows <= limit; columns are added as they are found.

    Solved by an interior point without crossover: its prices lie in the middle of the optimal face,
    which makes better columns, and vertices are not needed.
    """

    def __init__(self, limits: Floats) -> None:
        self._highs = _silent(solver="ipm", run_crossover="off", ipm_optimality_tolerance=_ROUGH)
        self.is_rough = True
        import highspy

        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        n, none = len(limits), np.zeros(0, np.int32)
        self._highs.addRows(n, np.full(n, -np.inf), limits, 0, np.zeros(n, np.int32), none, np.zeros(0))
        self.n_columns = 0

    def refine(self) -> None:
        """Solve more precisely from now on; rough solutions are cheaper and their prices as good."""
        self.is_rough = False
        self._highs.setOptionValue("ipm_optimality_tolerance", _FINE)

    def add(self, columns: LpColumns, *, free: bool = False) -> None:
        """Add columns, with x >= 0 unless they are free."""
        n = len(columns.value)
        if n:
            low, high = np.full(n, -np.inf if free else 0.0), np.full(n, np.inf)
            start, row = np.array(columns.start, np.int32), np.array(columns.row, np.int32)
            self._highs.addCols(n, np.array(columns.value), low, high, len(row), start, row, np.array(columns.entry))
            self.n_columns += n

    def solve(self, interrupted: Callable[[], bool] = never) -> tuple[Floats, Floats] | None:
        """Return x and the rows' prices; None when interrupted."""

        def look_up(event: Any) -> None:
            if interrupted():
                event.interrupt()

        if interrupted is not never:
            self._highs.cbIpmInterrupt.subscribe(look_up)
        self._highs.run()
        if interrupted is not never:
            self._highs.clearCallbacks()
            if interrupted():
                return None
        solution = self._highs.getSolution()
        if len(solution.col_value) != self.n_columns:
            raise SolverFailedError("HiGHS returned no solution of a linear program that has one")
        x = np.nan_to_num(np.array(solution.col_value), posinf=0.0, neginf=0.0)
        return x, np.nan_to_num(np.abs(np.array(solution.row_dual)), posinf=0.0)


class HittingLP:
    """Minimise weight·z, 0 <= z <= 1, with Σ_{i ∈ Q} z_i >= 1 for each set Q; some z may be fixed."""

    def __init__(self, weight: Floats) -> None:
        self._highs = _silent(solver="simplex")
        n, none = len(weight), np.zeros(0, np.int32)
        self._highs.addCols(n, weight, np.zeros(n), np.ones(n), 0, np.zeros(n, np.int32), none, np.zeros(0))
        self._all = np.arange(n, dtype=np.int32)

    def add(self, sets: list[Ints]) -> None:
        """Add sets of which a point is wrong."""
        n = len(sets)
        start = np.cumsum([0, *(len(q) for q in sets[:-1])]).astype(np.int32)
        members = np.concatenate(sets).astype(np.int32)
        ones, infinite = np.ones(n), np.full(n, np.inf)
        self._highs.addRows(n, ones, infinite, len(members), start, members, np.ones(len(members)))

    def solve(self, low: Floats, high: Floats) -> tuple[Floats, Floats] | None:
        """Return z and the sets' prices, None when the fixed points leave nothing."""
        self._highs.changeColsBounds(len(low), self._all, low, high)
        if not _solves(self._highs):
            return None
        solution = self._highs.getSolution()
        return np.array(solution.col_value), np.maximum(0.0, np.array(solution.row_dual))


class FarkasLP:
    """Minimise price·μ over μ >= 0, Σ y μ = 0, Σ μ = 1, Σ_f max(low_f g_f, high_f g_f) <= 1 - margin."""

    def __init__(self, x: Floats, sign: Floats, low: Floats, high: Floats, *, margin: float) -> None:
        n, p = x.shape
        self._n = n
        self._all = np.arange(n, dtype=np.int32)
        self._highs = _silent(solver="simplex")
        matrix = np.zeros((p + 3, n + 2 * p))
        matrix[:p, :n] = (x * sign[:, None]).T
        matrix[:p, n : n + p] = -np.eye(p)
        matrix[:p, n + p :] = np.eye(p)
        matrix[p, :n] = sign
        matrix[p + 1, :n] = 1.0
        matrix[p + 2, n:] = np.concatenate([high, -low])
        lower = [0.0] * (p + 1) + [1.0, -np.inf]
        upper = [0.0] * (p + 1) + [1.0, 1.0 - margin]
        m, none = n + 2 * p, np.zeros(0, np.int32)
        infinite = np.full(m, np.inf)
        self._highs.addCols(m, np.zeros(m), np.zeros(m), infinite, 0, np.zeros(m, np.int32), none, np.zeros(0))
        for row, least, most in zip(matrix, lower, upper, strict=True):
            at = np.flatnonzero(row).astype(np.int32)
            self._highs.addRow(least, most, len(at), at, row[at])

    def solve(self, price: Floats, usable: Flags) -> Floats | None:
        """Return μ, None when there is none on the usable points."""
        n = self._n
        self._highs.changeColsBounds(n, self._all, np.zeros(n), np.where(usable, np.inf, 0.0))
        self._highs.changeColsCost(n, self._all, price)
        return np.array(self._highs.getSolution().col_value)[:n] if _solves(self._highs) else None
