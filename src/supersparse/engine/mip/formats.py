"""MPS and LP, the formats of programs that every solver reads: free MPS, and the LP format of CPLEX.

Both are written from a `Model`: every number exactly, every variable as an integer with both bounds. A
constant part of the objective is the cost of a variable that is fixed to 1: all readers take that alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from supersparse.engine.mip.model import Model

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
    """Write a model in the LP format, line by line."""
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


def _columns(matrix: csr_array) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
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
