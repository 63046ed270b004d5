"""The checkers of a certificate, run as programs of their own, and what they find in the file of a table.

The checker reads a table by rules of its own, which are few. What it would read otherwise is written into the
certificate as a spelling where that is possible, and else refused before a proof is written in vain.
"""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidOptionError, UnsupportedProblemError, VerificationError
from supersparse.engine.certify.certificate import digest_of
from supersparse.engine.certify.risk_claim import AnswerRules
from supersparse.engine.certify.risk_questions import answers_of
from supersparse.engine.certify.statement import TableNames
from supersparse.problem.problem import Problem
from supersparse.table.cells import beyond
from supersparse.table.values import objects

_ACCEPTED = "Successfully verified optimal value range"


def checker_file() -> Path:
    """The file of our checker: one module, next to the package."""
    package = Path(__file__).resolve().parents[2]
    places = (package.parent, package.parents[1] / "checker")
    for place in places:
        if (place / "supersparse_check.py").is_file():
            return place / "supersparse_check.py"
    raise VerificationError(f"supersparse_check.py is not in {places[0]}", "install supersparse again")


@cache
def checker_module() -> ModuleType:
    """Our checker as a module, for its way to read tables."""
    spec = importlib.util.spec_from_file_location("supersparse_check", checker_file())
    assert spec is not None
    assert spec.loader is not None
    checker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    return checker


def check(data: Path, card: Path, proof: Path) -> str:
    """Run our checker in plain Python, without any package; return its name for the card.

    It raises a VerificationError with the checker's own words if it does not accept the three files.
    """
    file = checker_file()
    command = [sys.executable, "-I", "-S", str(file), str(data), str(card), str(proof)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")
    if done.returncode or not done.stdout.startswith("PROVEN"):
        words = (done.stdout or done.stderr).strip() or "it said nothing"
        raise VerificationError(f"supersparse-check does not accept the certificate: {words}")
    return f"supersparse-check (sha256 {digest_of(file)[:12]})"


def check_by_viprchk(program: Path, data: Path, card: Path, proof: Path) -> str:
    """Let viprchk, a third party's checker, check the derivation; return its name for the card.

    viprchk can read neither table nor card, so by itself it accepts a certificate of another claim. It is
    therefore given the certificate's derivation below a program, a value and a solution that are built from
    table and card, by the first part of our checker, which also compares digests.
    """
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "proof.vipr"
        refused = _with_rebuilt_claim(data, card, proof, plain)
        if refused is not None:
            raise VerificationError(f"the certificate is not about this table and card: {refused}")
        try:
            done = subprocess.run([program, plain], capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise InvalidOptionError(f"viprchk: cannot run {program} ({error})", "name the program") from None
    if done.returncode or _ACCEPTED not in done.stdout:
        raise VerificationError(f"viprchk does not accept the certificate: {done.stdout.strip()[-200:]}")
    return f"viprchk (sha256 {digest_of(program)[:12]})"


def _with_rebuilt_claim(data: Path, card: Path, proof: Path, out: Path) -> str | None:
    """Write the claim as table and card have it, then the derivation; or return what is wrong."""
    checker = checker_module()
    lines, sha256 = checker.opened(proof)
    with lines, out.open("w", encoding="utf-8") as file:
        try:
            built, best, solution, _ = checker.check_claim(data, card, lines, sha256)
        except Exception as problem:  # whatever goes wrong, it is not the claim
            return str(problem) or repr(problem)
        file.writelines(f"{line}\n" for line in built.text())
        file.write(f"RTP range {best} {best}\nSOL 1\nmodel {checker.sparse(solution)}\n")
        shutil.copyfileobj(lines, file)
    return None


_OF_NUMBERS = ("value", "range")  # kinds of rules that read a cell as a number
_ENDS = ("at_least", "above", "at_most", "below")  # of a range
_TRUTHS = {"true": "1", "false": "0"}


def readable(table: TableNames, problem: Problem, data: Path) -> TableNames:
    """Return how the checker must read the file to find the features of the problem in it.

    True and false are spelled 1 and 0, and what is beyond a limit (<0.5) as a number beyond all cut points.
    An UnsupportedProblemError names a cell that the checker would still read otherwise.
    """
    rules = table.rules or tuple({"rule": "value", "column": name} for name in problem.rows.names)
    columns = _read(table, rules, problem, data)
    spelled = {name: _spelled(name, column, rules) for name, column in columns.items()}
    for j, rule in enumerate(rules):
        name = rule["column"]
        text = _read_differently(rule, columns[name], spelled[name], problem.rows.columns[j], problem.rows.scales[j])
        if text is not None:
            raise _refusal(table, data, name, text)
    return replace(table, columns=_with_spellings(table.columns, spelled))


def readable_answers(table: TableNames, asked: Sequence[AnswerRules], problem: Problem, data: Path) -> TableNames:
    """Return how the checker must read the file to find the answers of a problem of questions in it.

    As `readable`, it raises an UnsupportedProblemError for a cell that the checker would read otherwise.
    """
    rules = [rule for one in asked for rule in one.rules]
    columns = _read(table, rules, problem, data)
    spelled = {name: _spelled(name, column, rules) for name, column in columns.items()}
    for one, answers in zip(asked, answers_of(problem), strict=True):
        column = columns[one.column]
        theirs = np.array([_answer(one, spelled[one.column].get(text, text)) for text in column.different])
        differ = np.flatnonzero(theirs[column.codes] != np.array(answers))
        if len(differ):
            raise _refusal(table, data, one.column, column.different[column.codes[differ[0]]])
    return replace(table, columns=_with_spellings(table.columns, spelled))


def _answer(one: AnswerRules, text: str) -> int:
    """The answer that the checker finds in a cell; -1 where it finds none."""
    if not text:
        return -1 if one.missing is None else one.missing
    fit = [k for k, rule in enumerate(one.rules) if _times_scale({**rule, "if_missing": 0}, text, 1)]
    return fit[0] if len(fit) == 1 else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """The cells of a column as the checker reads them: row i holds ``different[codes[i]]``."""

    different: tuple[str, ...]
    codes: NDArray[np.intp]


def _read(table: TableNames, rules: Sequence[Mapping[str, Any]], problem: Problem, data: Path) -> dict[str, _Texts]:
    """Let the checker read the columns of the rules."""
    names, positive = dict.fromkeys(rule["column"] for rule in rules), str(problem.rows.classes[1])
    try:
        rows, target, _ = checker_module().read_table(data, table.content())
        classes = [checker_module().same(row[target], positive) for row in rows]
        cells = {name: [row[name] for row in rows] for name in names}
    except Exception as error:  # whatever goes wrong, the checker will say no more than that
        raise UnsupportedProblemError(
            f"the checker of certificates cannot read {data.name!r} ({error!r})",
            "write the table to a plain CSV file, and learn the card from that",
        ) from None
    if len(rows) != len(problem.rows.positive):
        raise UnsupportedProblemError(
            f"the checker of certificates finds {len(rows)} rows in {data.name!r}, and the card was learned "
            f"from {len(problem.rows.positive)}",
            "write these rows to a plain CSV file, and learn it from that",
        )
    differ = np.flatnonzero(np.array(classes) != problem.rows.positive)
    if len(differ):
        raise _refusal(table, data, target, rows[differ[0]][target])
    return {name: _texts(column) for name, column in cells.items()}


def _texts(cells: Sequence[str]) -> _Texts:
    known = {text: code for code, text in enumerate(dict.fromkeys(cells))}
    return _Texts(different=tuple(known), codes=np.array([known[text] for text in cells], dtype=np.intp))


def _spelled(name: str, column: _Texts, rules: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Say for each text that is a number to us, and none to the checker, which number to read."""
    of_column = [rule for rule in rules if rule["column"] == name and rule["rule"] in _OF_NUMBERS]
    if not of_column:
        return {}
    cuts = [Fraction(rule[end]) for rule in of_column for end in _ENDS if end in rule]
    spellings = {}
    for text in column.different:
        if text.casefold() in _TRUTHS:
            spellings[text] = _TRUTHS[text.casefold()]
        elif cuts and (side := beyond(text, ".")) is not None:
            spellings[text] = str(min(cuts) - 1 if side < 0 else max(cuts) + 1)
    return spellings


def _read_differently(
    rule: Mapping[str, Any], column: _Texts, spelled: Mapping[str, str], values: NDArray[Any], scale: int
) -> str | None:
    """Return a text in which the checker finds another value of a feature than the problem has."""
    theirs = objects(_times_scale(rule, spelled.get(text, text), scale) for text in column.different)
    differ = np.flatnonzero(theirs[column.codes] != values.astype(object))
    return column.different[column.codes[differ[0]]] if len(differ) else None


def _refusal(table: TableNames, data: Path, column: str, text: str) -> UnsupportedProblemError:
    cell = _as_written(table, data, column, text)
    return UnsupportedProblemError(
        f"the checker of certificates reads the cell {cell!r} of column {column!r} otherwise than this "
        "program: it knows plain numbers only, and takes texts of the same number for one",
        "write something else in its place, and learn the card from that",
    )


def _as_written(table: TableNames, data: Path, column: str, text: str) -> str:
    """The first cell of a column that the checker reads as a text, as it stands in the file."""
    checker, how = checker_module(), table.content()
    plain = {**how, "columns": {}, "missing": [], "complete": [], "weights": None}
    cells: list[str] = [row[column] for row in checker.read_table(data, plain)[0]]
    reading = how["columns"].get(column, {})
    return next(cell for cell in cells if checker.cell(cell, reading, how["missing"]) == text)


def _times_scale(rule: Mapping[str, Any], text: str, scale: int) -> Fraction | None:
    """The checker's value of a feature, as the problem stores it; None where it has none."""
    try:
        value = checker_module().feature_value(rule, {rule["column"]: text})
    except Exception:  # as above
        return None
    return Fraction(value) * scale


def _with_spellings(
    columns: Mapping[str, Mapping[str, Any]], spelled: Mapping[str, Mapping[str, str]]
) -> dict[str, Mapping[str, Any]]:
    """Add spellings to how columns are read; what was kept as a text that is spelled now follows it."""
    by_column = dict(columns)
    for name, more in spelled.items():
        if more:
            how = by_column.get(name, {})
            before = {text: more.get(kept, kept) for text, kept in how.get("spellings", {}).items()}
            by_column[name] = {**how, "spellings": {**before, **more}}
    return by_column
