"""certify: write the certificate of a proven model."""

import gzip
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from supersparse._version import __version__
from supersparse.base.errors import InvalidOptionError, VerificationError
from supersparse.engine.certify.lines import Lines, vector
from supersparse.engine.certify.program import Coefficients, Program
from supersparse.engine.certify.prover import Prover
from supersparse.engine.certify.statement import TableNames, check_certifiable, statement_of
from supersparse.engine.presolve import DropColumns
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.table.small_table import Tabular

_LEVEL = 2  # of compression: higher ones take longer than all else and save a quarter


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Certificate(Tabular):
    """A certificate that was written: its file, its digest and its size."""

    path: Path
    sha256: str
    objective: Fraction
    lines: int
    size: int  # bytes

    _facts = "file=path lines bytes=size sha256"


def certify(
    problem: Problem,
    points: Points,
    path: str | os.PathLike[str],
    *,
    table: TableNames | None = None,
    check_in: Callable[[], None] = lambda: None,
) -> Certificate:
    """Write a certificate that no allowed scoring system has a smaller F than these points.

    It holds the integer program, the model and a derivation in VIPR 1.1, compressed if the name ends with
    ``.gz``. `table` tells the checker how to read the table that the problem was made from. `check_in` is
    called now and then, and may raise to stop. If a better model exists, a VerificationError says so.

    >>> import tempfile
    >>> from supersparse import Problem, solve
    >>> problem = Problem.of([[0], [0], [1], [1]], [0, 0, 1, 1], C0=0.3, max_points=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = certify(problem, solve(problem, "exhaustive").points, f"{folder}/proof.vipr.gz")
    >>> str(written.objective)
    '3/10'
    """
    place = Path(path)
    check_place(place)
    check_certifiable(problem)
    drop = DropColumns.of(problem)
    small = drop.apply(problem) if drop.accepts(problem) else problem
    table = table or TableNames()
    if table.rules is not None:
        table = replace(table, rules=tuple(table.rules[j] for j in drop.kept))
    statement = statement_of(small, table)
    rows = small.rows
    program = Program(statement, rows.columns, rows.scales, rows.positive.tolist(), rows.weights.tolist())
    model = drop.reduce(points.over(problem.unit)) if drop.accepts(problem) else points.over(problem.unit)
    solution = program.solution(model.coefficients, model.intercept)
    best = program.value(solution)
    objective = best * program.unit + program.constant
    if objective != evaluate(problem, points).objective:
        raise VerificationError("the integer program and the evaluator disagree", "please report this")
    unfinished = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        count = _write(unfinished, program, solution, best, check_in, compressed=place.suffix == ".gz")
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)
    return Certificate(path=place, sha256=digest_of(place), objective=objective, lines=count, size=place.stat().st_size)


def check_place(path: Path) -> None:
    if path.is_dir():
        raise InvalidOptionError(f"certificate: {path} is a folder", "name a file, such as proof.vipr.gz")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InvalidOptionError(f"certificate: cannot write to the folder {path.parent}", "create it first")


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(
    path: Path, program: Program, solution: Coefficients, best: int, check_in: Callable[[], None], *, compressed: bool
) -> int:
    """Write the derivation to a second file as it grows, then the head, which counts it, then join them."""
    body = path.with_name(path.name + ".lines")

    try:
        with _packed(body, compressed) as write:
            lines = Lines(program, write)
            Prover(program, lines, best, program.margins(solution), check_in).prove()
        with _packed(path, compressed) as write:
            write("".join(_head(program, solution, best, lines.count)).encode("ascii"))
        with path.open("ab") as whole, body.open("rb") as rest:
            shutil.copyfileobj(rest, whole)
    finally:
        body.unlink(missing_ok=True)
    return lines.count


@contextmanager
def _packed(path: Path, compressed: bool) -> Iterator[Callable[[bytes], object]]:
    """Open a file for bytes; packed without a time or a name in it, so that equal proofs are equal files."""
    with path.open("wb") as raw:
        if not compressed:
            yield raw.write
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=_LEVEL) as packed:
            yield packed.write


def _head(program: Program, solution: Coefficients, best: int, count: int) -> list[str]:
    rows = program.rows
    return [
        f"% A certificate of supersparse {__version__}: no allowed scoring system is better. Check it with\n",
        "% supersparse-check, or with viprchk of https://github.com/scipopt/vipr\n",
        f"% {program.statement.to_json()}\n",
        "VER 1.1\n",
        f"VAR {len(program.names)}\n{' '.join(program.names)}\n",
        f"INT {len(program.names)}\n{' '.join(map(str, range(len(program.names))))}\n",
        f"OBJ min\n{vector(program.objective)}\n",
        f"CON {len(rows)} {program.n_bounds}\n",
        *(f"{row.label} {row.sense} {row.right} {vector(row.coefficients)}\n" for row in rows),
        f"RTP range {best} {best}\n",
        f"SOL 1\nmodel {vector(solution)}\n",
        f"DER {count}\n",
    ]
