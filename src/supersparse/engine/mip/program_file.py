"""The paper's program as a file that any solver reads, and the solver's solution read back and verified.

A file holds the program that the MIP back ends solve: equal rows of one class are merged, and columns that
cannot be used are left out. Features and rows keep their numbers, from 1, in the names: ``lambda_3`` is the
coefficient of the third feature, ``z_17`` is 1 if row 17 is wrong, ``loss_17`` is its constraint. Nothing in
a solution file is believed: every bound and every constraint is checked in whole numbers. Solution files that
can be read are those of HiGHS, SCIP, Gurobi, CPLEX (XML), CBC and MIPLIB, and plain lines ``name value``,
which a program that uses CP-SAT can write. Variables that a file leaves out are 0.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from itertools import pairwise
from math import isfinite
from os import PathLike
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from supersparse._version import __version__
from supersparse.base.errors import (
    InvalidDataError,
    InvalidOptionError,
    UnsupportedProblemError,
    VerificationError,
    did_you_mean,
)
from supersparse.base.exact import counted
from supersparse.base.stop import Stop
from supersparse.base.writing import whole_text
from supersparse.engine.mip.build import Numbering, build
from supersparse.engine.mip.model import CONSTANT, Model, as_lp, as_mps
from supersparse.engine.mip.precision import WRITTEN, refuse_too_wide
from supersparse.engine.mip.program import Program
from supersparse.engine.options import FORMULATIONS, Formulation
from supersparse.engine.presolve import Reduction, presolve
from supersparse.engine.solution import Claim, Solution, Trace
from supersparse.engine.verify import verify
from supersparse.problem.losses import loss_of
from supersparse.problem.problem import Problem

FORMATS: Mapping[str, Callable[[Model, Iterable[str]], Iterator[str]]] = {".mps": as_mps, ".lp": as_lp}
_WHOLE = 1e-5  # solvers allow whole numbers to be off by so much
_CLAIM = 1e-6  # and print objectives with this precision, relative to their size
_LISTED = 20  # rows in a comment


@dataclass(frozen=True)
class NumberedProgram:
    """A program in the numbers of the problem that it was made from, and the way back to that problem."""

    program: Program
    numbering: Numbering
    small: Reduction
    equal_rows: tuple[tuple[int, ...], ...]  # the rows that each row of the program stands for, from 1

    @classmethod
    def of(cls, problem: Problem, formulation: Formulation) -> "NumberedProgram":
        """Presolve a problem and build its program, or raise for what no program can hold."""
        if loss_of(problem).gives_risks:
            raise UnsupportedProblemError(
                "goal 'risk' minimises a log loss, which is not linear, so there is no such program",
                "use goal 'errors'",
            )
        small = presolve(problem)
        equal: list[list[int]] = [[] for _ in range(small.problem.rows.n_rows)]
        for row, group in enumerate(small.groups().tolist(), start=1):
            equal[group].append(row)
        numbering = Numbering(features=[j + 1 for j in small.features], rows=[rows[0] for rows in equal])
        program = build(
            small.problem,
            refuse_too_wide("a file", small.problem, formulation, WRITTEN),
            formulation=formulation,
            precision=WRITTEN,
            priorities={},
            numbering=numbering,
        )
        return cls(program, numbering, small, tuple(map(tuple, equal)))

    @property
    def scale(self) -> Fraction:
        """The objective of the file, for an F of 1."""
        return 1 / (self.program.aim.unit * self.program.aim.divisor)


def write_program(problem: Problem, path: str | PathLike[str], formulation: Formulation = "bigm") -> None:
    """Write the program of a problem; the name of the file ends in .mps or .lp."""
    if problem.questions:
        raise UnsupportedProblemError("the paper's program has features, not questions", "use Problem.of")
    place = Path(path)
    if place.suffix.lower() not in FORMATS:
        raise InvalidOptionError(f"{str(path)!r}: give a file whose name ends in .mps or .lp")
    if formulation not in FORMULATIONS:
        raise InvalidOptionError(
            subject="formulation", value=formulation, remedy=did_you_mean(str(formulation), FORMULATIONS)
        )
    made = NumberedProgram.of(problem, formulation)
    with whole_text(place) as file:
        for line in FORMATS[place.suffix.lower()](made.program.model, _comments(problem, made)):
            file.write(line + "\n")


def _comments(problem: Problem, made: NumberedProgram) -> Iterator[str]:
    """The meaning of the names; the user's words in ASCII, which every reader accepts."""
    program, small = made.program, made.small.problem
    rows, features = counted(problem.rows.n_rows, "row"), counted(problem.n_features, "feature")
    yield f"supersparse {__version__}: the SLIM program of {rows} and {features}"
    yield f"the objective is F times {_decimal(made.scale)}; a proof needs a relative gap of 0"
    for j, term in zip((*made.numbering.features, 0), program.terms, strict=False):
        unit = Fraction(1, small.unit)
        if term.name is None:
            unit *= Fraction(int(term.column[0]), small.score_step)
        what = "the intercept" if term.name is None else f"points of {term.name!a}"
        is_free = term.name is None and problem.intercept.mode == "free"
        rule = "; a row is positive where total + intercept >= 0" if is_free else ""
        yield f"lambda_{j}: {what}{_in_steps(unit * term.step, unit * term.offset, j)}{rule}"
    yield "z_i: 1 if row i is wrong, counted from 1"
    for row, _ in program.loss_binary:
        first, *others = made.equal_rows[row]
        if others:
            more = ", ".join(map(str, others[:_LISTED])) + (", ..." if len(others) > _LISTED else "")
            yield f"z_{first}: also of the equal rows {more}"
    for name, words in program.words.items():
        yield f"{name}: {words!a}"


def _in_steps(step: Fraction, offset: Fraction, j: int) -> str:
    if step == 1 and not offset:
        return ""
    return f" = {_decimal(step)} lambda_{j}" + (f" + {_decimal(offset)}" if offset else "")


def _decimal(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


@dataclass(frozen=True, kw_only=True)
class FileSolution:
    values: Mapping[str, float]
    objective: float | None  # None if the file has none


def read_solution(problem: Problem, path: str | PathLike[str]) -> Solution:
    """Read the solution file of a solver, check all of it exactly, and return the verified card.

    Nothing is proven of other cards, so the lower bound is 0.
    """
    made = NumberedProgram.of(problem, "indicator")
    solution = read_solution_file(path)
    values = _whole_values(made.program.model, solution, path)
    broken = next(_broken(made.program, values), None)
    if broken is not None:
        raise VerificationError(f"{path}: {broken}")
    _check_objective(made, solution, values, path)
    points = made.program.read(np.array(values, dtype=np.float64))
    assert points is not None, "a vector that satisfies the program is a card"
    claim = Claim(
        points=made.small.restore(points),
        objective=made.program.F.at(values),
        lower_bound=Fraction(0),
        smallest=False,
        stop=Stop.READ,
        nodes=0,
        seconds=0.0,
        trace=Trace(),
    )
    return verify(problem, claim, solver=Path(path).name)


def _whole_values(model: Model, solution: FileSolution, path: str | PathLike[str]) -> list[int]:
    """Return the value of every variable, 0 where the file has none."""
    known = dict.fromkeys(model.names)
    if model.cost_offset:
        known[CONSTANT] = None
    for name, value in solution.values.items():
        if name not in known:
            raise VerificationError(
                f"{path}: the program has no variable {name!r}",
                "give the table and the settings that it was written from",
            )
        if abs(value - round(value)) > _WHOLE:
            raise VerificationError(f"{path}: {name} is {value!r}, which is not a whole number")
    if round(solution.values.get(CONSTANT, 1.0)) != 1:
        raise VerificationError(f"{path}: {CONSTANT} is {solution.values[CONSTANT]:g}, and must be 1")
    return [round(solution.values.get(name, 0.0)) for name in model.names]


def _broken(program: Program, values: list[int]) -> Iterator[str]:
    """Describe the bounds and constraints that do not hold, in exact integers."""
    model = program.model
    for name, value, low, high in zip(model.names, values, model.lower.tolist(), model.upper.tolist(), strict=True):
        if not low <= value <= high:
            yield f"{name} is {value}, and must be from {int(low)} to {int(high)}"
    logical = model.indicators
    for i, (name, total) in enumerate(zip(logical.names, _totals(logical.matrix, values), strict=True)):
        least = int(logical.lower[i])
        if values[logical.binary[i]] == logical.when[i] and total < least:
            relation = f"{total} is not at least {least}"
            yield f"the constraint {name!r} is broken: {relation}{_meaning(program, name)}"
    rows = model.rows
    words = {"E": "equal to", "G": "at least", "L": "at most"}
    for name, total, sense, side in zip(
        rows.names, _totals(rows.matrix, values), rows.senses, rows.sides.tolist(), strict=True
    ):
        if (total < side and sense != "L") or (total > side and sense != "G"):
            relation = f"{total} is not {words[sense]} {int(side)}"
            yield f"the constraint {name!r} is broken: {relation}{_meaning(program, name)}"


def _totals(matrix: csr_array, values: list[int]) -> Iterator[int]:
    factors, places, starts = matrix.data.tolist(), matrix.indices.tolist(), matrix.indptr.tolist()
    for begin, end in pairwise(starts):
        yield sum(int(factors[k]) * values[places[k]] for k in range(begin, end))


def _meaning(program: Program, name: str) -> str:
    """Say what a broken constraint stands for."""
    stem, _, number = name.partition("_")
    if name in program.words:
        return f" ({program.words[name]})"
    if stem == "loss":
        return f": row {number} is called right (z_{number} is 0), and with these points it is wrong"
    if stem == "right":
        return f": row {number} is called wrong (z_{number} is 1), and with these points it is right"
    if stem == "pair":
        return f": rows {number.replace('_', ' and ')} are equal and of two classes, so one of them is wrong"
    return ""


def _check_objective(
    made: NumberedProgram, solution: FileSolution, values: list[int], path: str | PathLike[str]
) -> None:
    """Refuse an objective that is not that of the values, before or after they are rounded."""
    if solution.objective is None:
        return
    model = made.program.model
    written = np.array([solution.values.get(name, 0.0) for name in model.names])
    costs = [float(model.cost @ x) + model.cost_offset for x in (written, np.array(values, dtype=float))]
    if min(abs(solution.objective - cost) for cost in costs) > _CLAIM * max(1.0, abs(solution.objective)):
        raise VerificationError(
            f"{path} claims an objective of {solution.objective:.10g}, and its values cost {costs[1]:.10g} "
            f"(F = {float(made.program.F.at(values)):.9g})"
        )


LARGEST = 100_000_000  # bytes of a file; programs of a million variables give less
_SLACK = "indslack_"  # variables that SCIP adds to a program with indicators
_XML_TAG = re.compile(r"<(header|variable)\b([^>]*)>")
_XML_ATTRIBUTE = re.compile(r"""([\w:]+)\s*=\s*("[^"]*"|'[^']*')""")
_OBJECTIVES = (
    re.compile(r"#\s*Objective value\s*=\s*(\S+)", re.IGNORECASE),  # Gurobi
    re.compile(r"objective value:\s*(\S+)", re.IGNORECASE),  # SCIP
    re.compile(r"=obj=\s*(\S+)"),  # MIPLIB
    re.compile(r"Objective\s+([-+\d.]\S*)"),  # HiGHS
    re.compile(r".*\bobjective value\s+([-+\d.]\S*)", re.IGNORECASE),  # CBC
)
_WITHOUT_SOLUTION = re.compile(r"(solution status:\s*)?(infeasible|unbounded|no (primal )?solution)\b", re.IGNORECASE)


def read_solution_file(path: str | PathLike[str]) -> FileSolution:
    """Read the values in a solution file; raise for what cannot be read, with its line."""
    place = Path(path)
    if place.stat().st_size > LARGEST:
        raise InvalidDataError(f"{place} has more than {LARGEST:,} bytes, too many for a solution of a program")
    text = place.read_text(encoding="utf-8", errors="replace")
    solution = _read_xml(text, place) if text.lstrip().startswith("<") else _read_lines(text, place)
    if not solution.values:
        raise InvalidDataError(
            f"{place} has no values of variables",
            ("give the solution file of HiGHS, SCIP, Gurobi, CPLEX or CBC, or lines of a name and a value"),
        )
    return solution


def _read_xml(text: str, place: Path) -> FileSolution:
    """CPLEX: a header with the objective, and an element for each variable; the first solution of a file."""
    values: dict[str, float] = {}
    objective = None
    first, _, _ = text.partition("</CPLEXSolution>")
    for tag in _XML_TAG.finditer(first):
        attributes = {name: unescape(value[1:-1]) for name, value in _XML_ATTRIBUTE.findall(tag[2])}
        where = f"{place}, line {text.count(chr(10), 0, tag.start()) + 1}"
        if tag[1] == "header" and "objectiveValue" in attributes:
            objective = _number(attributes["objectiveValue"], where)
        elif tag[1] == "variable":
            if not {"name", "value"} <= attributes.keys():
                raise InvalidDataError(f"{where}: a variable needs a name and a value")
            _add(values, attributes["name"], _number(attributes["value"], where), where)
    return FileSolution(values=values, objective=objective)


def _read_lines(text: str, place: Path) -> FileSolution:
    values: dict[str, float] = {}
    objective = None
    for number, line in _lines_of_values(text):
        where = f"{place}, line {number}"
        if _WITHOUT_SOLUTION.match(line):
            raise InvalidDataError(f"{where}: {line!r}", "the file has no solution", subject=where)
        claim = next((match for match in (p.match(line) for p in _OBJECTIVES) if match), None)
        if claim is not None:
            objective = _number(claim[1], where) if objective is None else objective
            continue
        words = re.split(r"[\s=,]+", line.strip())
        if line.startswith("#") or len(words) < 2:
            continue
        if words[0].lstrip("*").isdigit() or words[0] == "**":  # CBC: place, name, value, reduced cost
            words = words[1:] if words[0] != "**" else words[2:]
        if words[0].startswith(_SLACK):
            continue
        if len(words) > 1 and (_is_number(words[1]) or _is_of_ours(words[0])):
            _add(values, words[0], _number(words[1], where), where)
    return FileSolution(values=values, objective=objective)


def _lines_of_values(text: str) -> Iterator[tuple[int, str]]:
    """Number the lines; of a file of HiGHS, only those before its rows and its dual values."""
    lines = text.splitlines()
    is_highs = bool(lines) and lines[0].strip().startswith("Model status")
    for number, line in enumerate(lines, start=1):
        if is_highs and line.startswith(("# Rows", "# Dual solution")):
            return
        if line.strip():
            yield number, line.strip()


def _is_of_ours(word: str) -> bool:
    stems = "lambda|alpha|beta|z|u|s|plus|minus|positive|sign"
    return re.fullmatch(rf"({stems})_\d\w*|constant", word) is not None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _add(values: dict[str, float], name: str, value: float, where: str) -> None:
    if name in values:
        raise InvalidDataError(f"{where}: {name!r} has a value already", "keep one solution in a file")
    values[name] = value


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InvalidDataError(f"{where}: {text!r} is not a number")
    return value
