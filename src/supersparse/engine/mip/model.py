"""Model: the mixed-integer program for a solver, and a draft while it is built.

MPS and LP, the formats of programs that every solver reads: free MPS, and the LP format of CPLEX.

Both are written from a `Model`: every number exactly, every variable as an integer with both bounds. A
constant part of the objective is the cost of a variable that is fixed to 1: all readers take that alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from supersparse.base.integer_arrays import Flags, Floats, IntArray, Ints


@dataclass(frozen=True, kw_only=True)
class LinearRows:
    """``lower <= matrix·x <= upper``; one side is infinite, or both are equal."""

    matrix: csr_array
    lower: Floats
    upper: Floats
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def senses(self) -> str:
        """One letter a row: E for equal, G for at least, L for at most."""
        ends = zip(self.lower.tolist(), self.upper.tolist(), strict=True)
        return "".join("E" if low == high else "L" if low == -inf else "G" for low, high in ends)

    def sums(self) -> list[list[list[Any]]]:
        """The columns and the factors of each row."""
        return _by_row(self.matrix)

    @property
    def sides(self) -> Floats:
        """The one number that each row is compared with."""
        return np.where(np.isfinite(self.lower), self.lower, self.upper)


@dataclass(frozen=True, kw_only=True)
class IndicatorRows:
    """``matrix[i]·x >= lower[i]`` whenever the binary variable ``binary[i]`` is ``when[i]``."""

    matrix: csr_array
    lower: Floats
    binary: NDArray[np.intp]
    when: Flags
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lower)

    def each(self) -> Iterator[tuple[int, bool, list[int], list[float], float]]:
        """Each row as its binary, when it holds, its columns and factors, and the least sum."""
        heads = zip(self.binary.tolist(), self.when.tolist(), self.lower.tolist(), strict=True)
        for (binary, when, low), (columns, factors) in zip(heads, _by_row(self.matrix), strict=True):
            yield binary, when, columns, factors, low


def _by_row(matrix: csr_array) -> list[list[list[Any]]]:
    columns, factors = matrix.indices.tolist(), matrix.data.tolist()
    return [[columns[a:b], factors[a:b]] for a, b in pairwise(matrix.indptr.tolist())]


@dataclass(frozen=True, kw_only=True)
class Model:
    """Minimise ``cost·x + cost_offset`` over integers x between `lower` and `upper`.

    Matrix entries are whole numbers stored as floats, exact for every solver that accepted the problem.
    """

    names: tuple[str, ...]

    lower: Floats
    upper: Floats
    cost: Floats
    cost_offset: float
    rows: LinearRows
    indicators: IndicatorRows
    priorities: Ints  # for branching, higher first; all 0 if none were set

    @property
    def n_variables(self) -> int:
        return len(self.lower)

    @property
    def kinds(self) -> str:
        """One letter a variable: B for binary, I for the other integers."""
        return "".join("B" if is_binary else "I" for is_binary in self.is_binary)

    @property
    def ranked(self) -> list[tuple[int, int]]:
        """The variables that have a priority, each with it."""
        return [(j, priority) for j, priority in enumerate(self.priorities.tolist()) if priority]

    @property
    def is_binary(self) -> Flags:
        return np.asarray((self.lower == 0) & (self.upper == 1), dtype=bool)


@dataclass(frozen=True, slots=True)
class Linear:
    """``constant + Σ factor·x`` over (variable, factor) pairs."""

    constant: int = 0
    parts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class _Loss:
    at: NDArray[np.intp]  # (row, variable) of each value
    values: Floats
    needed: Floats
    binary: NDArray[np.intp]
    when: bool
    is_logical: bool
    names: tuple[str, ...]


@dataclass
class Draft:
    """Collects variables and rows in exact integers.

    Each has a name, and some have a meaning in `words`, by name.
    """

    names: list[str] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    lower: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    priority: list[int] = field(default_factory=list)
    _rows: list[tuple[str, Sequence[tuple[int, float]], float, float]] = field(default_factory=list)
    _losses: list[_Loss] = field(default_factory=list)

    def variable(self, name: str, lower: int, upper: int, priority: int = 0) -> int:
        """Add an integer variable and return its index."""
        self.names.append(name)
        self.lower.append(lower)
        self.upper.append(upper)
        self.priority.append(priority)
        return len(self.lower) - 1

    def row(self, name: str, parts: Iterable[tuple[int, float]], lower: float = -inf, upper: float = inf) -> None:
        """Add ``lower <= Σ factor·x <= upper``, with one side or two equal ones."""
        self._rows.append((name, tuple(parts), lower, upper))

    def loss(
        self,
        names: Iterable[str],
        factors: IntArray,
        columns: Sequence[int],
        needed: IntArray,
        binary: Sequence[int],
        big_m: IntArray | None,
        when: bool = False,
    ) -> None:
        """Add ``factors[i]·x[columns] >= needed[i]`` where the binary is `when`: by an M, or logically."""
        i, t = np.nonzero(factors)
        at = np.stack([i, np.asarray(columns, dtype=np.intp)[t]], axis=1)
        values = factors[i, t].astype(np.float64)
        where = np.asarray(binary, dtype=np.intp)
        if big_m is not None:
            at = np.concatenate([at, np.stack([np.arange(len(where)), where], axis=1)])
            values = np.concatenate([values, (-big_m if when else big_m).astype(np.float64)])
            needed = needed - big_m if when else needed
        self._losses.append(
            _Loss(at, values, needed.astype(np.float64), where, when, is_logical=big_m is None, names=tuple(names))
        )

    def linear_rows(self) -> LinearRows:
        names = [name for name, *_ in self._rows]
        entries = [(i, j, f) for i, (_, parts, _, _) in enumerate(self._rows) for j, f in parts]
        at = np.array([(i, j) for i, j, _ in entries], dtype=np.intp).reshape(-1, 2)
        values = np.array([f for _, _, f in entries], dtype=np.float64)
        lower = np.array([low for _, _, low, _ in self._rows], dtype=np.float64)
        upper = np.array([high for _, _, _, high in self._rows], dtype=np.float64)
        for loss in self._losses:
            if not loss.is_logical:
                at = np.concatenate([at, loss.at + np.array([len(lower), 0])])
                values = np.concatenate([values, loss.values])
                lower = np.concatenate([lower, loss.needed])
                upper = np.concatenate([upper, np.full(len(loss.needed), inf)])
                names += loss.names
        matrix = self._matrix(at, values, len(lower))
        return LinearRows(matrix=matrix, lower=lower, upper=upper, names=tuple(names))

    def indicator_rows(self) -> IndicatorRows:
        at, values, lower = np.zeros((0, 2), np.intp), np.zeros(0), np.zeros(0)
        binary, when = np.zeros(0, np.intp), np.zeros(0, np.bool_)
        names: list[str] = []
        for loss in self._losses:
            if loss.is_logical:
                at = np.concatenate([at, loss.at + np.array([len(lower), 0])])
                values = np.concatenate([values, loss.values])
                lower = np.concatenate([lower, loss.needed])
                binary = np.concatenate([binary, loss.binary])
                when = np.concatenate([when, np.full(len(loss.needed), loss.when)])
                names += loss.names
        matrix = self._matrix(at, values, len(lower))
        return IndicatorRows(matrix=matrix, lower=lower, binary=binary, when=when, names=tuple(names))

    def _matrix(self, at: NDArray[np.intp], values: Floats, height: int) -> csr_array:
        return coo_array((values, (at[:, 0], at[:, 1])), shape=(height, len(self.lower))).tocsr()


CONSTANT = "constant"
_OBJECTIVE = "objective"
_LINE = 100  # characters; CPLEX reads at most 560 in a line
_COMPARED = {"E": "=", "G": ">=", "L": "<="}


def as_mps(model: Model, comments: Iterable[str]) -> Iterator[str]:
    """Write a model as free MPS, line by line; indicators in a section of their own, as CPLEX has it."""
    yield from (f"* {line}" for line in comments)
    yield "NAME supersparse"
    rows, logical = model.rows, model.indicators
    yield "ROWS"
    yield f" N {_OBJECTIVE}"
    yield from (f" {sense} {name}" for name, sense in zip(rows.names, rows.senses, strict=True))
    yield from (f" G {name}" for name in logical.names)
    yield "COLUMNS"
    yield " MARKER 'MARKER' 'INTORG'"
    columns = [_columns(rows.matrix), _columns(logical.matrix)]
    for j, name in enumerate(model.names):
        if model.cost[j]:
            yield f" {name} {_OBJECTIVE} {_number(model.cost[j])}"
        for names, (starts, places, values) in zip((rows.names, logical.names), columns, strict=True):
            for i, value in zip(
                places[starts[j] : starts[j + 1]].tolist(), values[starts[j] : starts[j + 1]].tolist(), strict=True
            ):
                yield f" {name} {names[i]} {_number(value)}"
    if model.cost_offset:
        yield f" {CONSTANT} {_OBJECTIVE} {_number(model.cost_offset)}"
    yield " MARKER 'MARKER' 'INTEND'"
    yield "RHS"
    sides = zip((*rows.names, *logical.names), (*rows.sides.tolist(), *logical.lower.tolist()), strict=True)
    yield from (f" RHS {name} {_number(side)}" for name, side in sides if side)
    yield "BOUNDS"
    for name, low, high in zip(model.names, model.lower.tolist(), model.upper.tolist(), strict=True):
        if (low, high) == (0, 1):
            yield f" BV BOUND {name}"  # SCIP takes no other for the binary of an indicator
        elif low == high:
            yield f" FX BOUND {name} {_number(low)}"
        else:
            yield f" LO BOUND {name} {_number(low)}"
            yield f" UP BOUND {name} {_number(high)}"
    if model.cost_offset:
        yield f" FX BOUND {CONSTANT} 1"
    if logical.names:
        yield "INDICATORS"
        for name, binary, when in zip(logical.names, logical.binary, logical.when, strict=True):
            yield f" IF {name} {model.names[binary]} {int(when)}"
    yield "ENDATA"


def as_lp(model: Model, comments: Iterable[str]) -> Iterator[str]:
    yield from (f"\\ {line}" for line in comments)
    yield "Minimize"
    priced = np.flatnonzero(model.cost)
    names, costs = [model.names[j] for j in priced], model.cost[priced].tolist()
    if model.cost_offset:
        names, costs = [*names, CONSTANT], [*costs, model.cost_offset]
    yield from _wrapped(f"{_OBJECTIVE}: {_sum(names, costs)}")
    yield "Subject To"
    rows, logical = model.rows, model.indicators
    sides = rows.sides.tolist()
    for i, (name, sense) in enumerate(zip(rows.names, rows.senses, strict=True)):
        yield from _wrapped(f"{name}: {_row(model, rows.matrix, i)} {_COMPARED[sense]} {_number(sides[i])}")
    for i, (name, binary, when) in enumerate(zip(logical.names, logical.binary, logical.when, strict=True)):
        row = f"{_row(model, logical.matrix, i)} >= {_number(logical.lower[i])}"
        yield from _wrapped(f"{name}: {model.names[binary]} = {int(when)} -> {row}")
    yield "Bounds"
    ends = [*zip(model.names, model.lower.tolist(), model.upper.tolist(), strict=True)]
    if model.cost_offset:
        ends.append((CONSTANT, 1.0, 1.0))
    binary = {name for name, low, high in ends if (low, high) == (0, 1)}
    for name, low, high in (end for end in ends if end[0] not in binary):
        yield f" {name} = {_number(low)}" if low == high else f" {_number(low)} <= {name} <= {_number(high)}"
    for section, members in (
        ("Generals", [n for n, _, _ in ends if n not in binary]),
        ("Binaries", [n for n, _, _ in ends if n in binary]),
    ):
        if members:
            yield section
            yield from _wrapped(" ".join(members))
    yield "End"


def _columns(matrix: csr_array) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Where the entries of each column begin, and their rows and values."""
    by_column = matrix.tocsc()
    return by_column.indptr, by_column.indices, by_column.data


def _row(model: Model, matrix: csr_array, i: int) -> str:
    at = slice(matrix.indptr[i], matrix.indptr[i + 1])
    names = [model.names[j] for j in matrix.indices[at]]
    return _sum(names, matrix.data[at].tolist()) or f"0 {model.names[0]}"


def _sum(names: Sequence[str], factors: Sequence[float]) -> str:
    """Write ``3 x - y``."""
    parts = []
    for name, factor in zip(names, factors, strict=True):
        size = "" if abs(factor) == 1 else f"{_number(abs(factor))} "
        parts.append(f"{'-' if factor < 0 else '+'} {size}{name}")
    return " ".join(parts).removeprefix("+ ")


def _wrapped(line: str) -> list[str]:
    return wrap(line, _LINE, initial_indent=" ", subsequent_indent="  ", break_on_hyphens=False)


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
