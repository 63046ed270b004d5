"""Solution files of solvers: the values of variables by name, and the objective that the solver claims.

Read are the files of HiGHS, SCIP, Gurobi, CPLEX (XML), CBC and MIPLIB, and plain lines ``name value``, which
a program that uses CP-SAT can write. Variables that a file leaves out are 0.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from math import isfinite
from os import PathLike
from pathlib import Path

from supersparse.base.errors import InvalidDataError

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
_WITHOUT_SOLUTION = re.compile(
    r"(solution status:\s*)?(infeasible|unbounded|no (primal )?solution)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class FileSolution:
    """What a solution file says."""

    values: Mapping[str, float]
    objective: float | None  # None if the file has none


def read_solution_file(path: str | PathLike[str]) -> FileSolution:
    """Read the values in a solution file; raise for what cannot be read, with its line."""
    place = Path(path)
    if place.stat().st_size > LARGEST:
        raise InvalidDataError(f"{place} has more than {LARGEST:,} bytes, which is no solution of a program")
    text = place.read_text(encoding="utf-8", errors="replace")
    found = _read_xml(text, place) if text.lstrip().startswith("<") else _read_lines(text, place)
    if not found.values:
        raise InvalidDataError(
            f"{place} has no values of variables; give the solution file of HiGHS, SCIP, Gurobi, CPLEX or "
            "CBC, or lines of a name and a value"
        )
    return found


def _read_xml(text: str, place: Path) -> FileSolution:
    """CPLEX: a header with the objective, and an element for each variable; the first solution of a file."""
    values: dict[str, float] = {}
    objective = None
    first, _, _ = text.partition("</CPLEXSolution>")
    for tag in _XML_TAG.finditer(first):
        given = {name: unescape(value[1:-1]) for name, value in _XML_ATTRIBUTE.findall(tag[2])}
        where = f"{place}, line {text.count(chr(10), 0, tag.start()) + 1}"
        if tag[1] == "header" and "objectiveValue" in given:
            objective = _number(given["objectiveValue"], where)
        elif tag[1] == "variable":
            if not {"name", "value"} <= given.keys():
                raise InvalidDataError(f"{where}: a variable needs a name and a value")
            _add(values, given["name"], _number(given["value"], where), where)
    return FileSolution(values=values, objective=objective)


def _read_lines(text: str, place: Path) -> FileSolution:
    values: dict[str, float] = {}
    objective = None
    for number, line in _lines_of_values(text):
        where = f"{place}, line {number}"
        if _WITHOUT_SOLUTION.match(line):
            raise InvalidDataError(f"{where}: {line!r}; the file has no solution")
        claim = next((found for found in (p.match(line) for p in _OBJECTIVES) if found), None)
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
        raise InvalidDataError(f"{where}: {name!r} has a value already; keep one solution in a file")
    values[name] = value


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InvalidDataError(f"{where}: {text!r} is not a number")
    return value
