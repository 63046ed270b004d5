"""The file of a table of counts: its first line, and a line for each cell, read with every fault named."""

import codecs
import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted
from supersparse.learn.prepare.questions import Questions

FORMAT = "supersparse-counts"
VERSION = 1
COUNT = "n"
FIRST = f"# {FORMAT} "
_MOST_DIGITS = 12  # of a count: all of them together fit 64 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsFile:
    """The content of such a file: `left_out` and `merged` are upper bounds, and a file may have no digest."""

    questions: Questions
    at_least: int
    left_out: int
    merged: int
    digest: object
    cells: Sequence[tuple[list[int], bool, int]]  # answers, whether the class is the positive one, people


def is_count_table(path: Path) -> bool:
    """Whether a file begins like a table of counts, with or without a byte order mark."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(len(codecs.BOM_UTF8) + len(FIRST))
    return start.removeprefix(codecs.BOM_UTF8).startswith(FIRST.encode())


def read_counts_file(path: Path) -> CountsFile:
    """Read a file; every cell occurs once, with at least as many people as the file says."""
    try:
        return _read(path)
    except (UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> InvalidDataError:
    return InvalidDataError(
        f"{path} cannot be read as a table of counts: {error}", "write it again with `supersparse counts`"
    )


def _read(path: Path) -> CountsFile:
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        try:
            facts = json.loads(first.removeprefix(FIRST)) if first.startswith(FIRST) else None
            if not isinstance(facts, dict) or facts["format"] != FORMAT:
                raise ValueError("its first line is not that of a table of counts")
            if facts["version"] != VERSION:
                raise ValueError(f"it has version {facts['version']!r}, and this release reads {VERSION}")
            facts = {"merged_at_most": 0, **facts}
            at_least = _whole(facts, "at_least", least=1)
            left_out, merged = (_whole(facts, f"{what}_at_most") for what in ("left_out", "merged"))
            questions = Questions.from_data(facts["questions"], f"{path}, line 1,")
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise _unreadable(path, error) from None
        lines = [(k, line) for k, line in enumerate(csv.reader(file), start=2) if line]
    lines = [(k, line) for k, line in lines if not line[0].startswith("# ")]
    if not lines or lines[0][1] != [*questions.names, questions.target, COUNT]:
        raise InvalidDataError(f"{path}: the columns are not those of its questions", "write it again")
    cells = []
    lines_of: dict[tuple[int, ...], int] = {}
    for k, line in lines[1:]:
        answers, positive, n = _cell(path, k, line, questions, at_least)
        other = lines_of.setdefault((*answers, int(positive)), k)
        if other != k:
            raise InvalidDataError(
                f"{path}, line {k}: line {other} counts the same answers and class",
                "write the file again with `supersparse counts`",
            )
        cells.append((answers, positive, n))
    return CountsFile(
        questions=questions,
        at_least=at_least,
        left_out=left_out,
        merged=merged,
        digest=facts.get("digest"),
        cells=cells,
    )


def _whole(facts: Mapping[str, Any], name: str, least: int = 0) -> int:
    number = facts[name]
    if type(number) is not int or not least <= number < 10**_MOST_DIGITS:
        raise ValueError(
            f"its {name} is {str(number)[:40]}, not a whole number of at least {least} with at most "
            f"{_MOST_DIGITS} digits"
        )
    return number


def _cell(
    path: Path, line: int, cells: Sequence[str], questions: Questions, at_least: int
) -> tuple[list[int], bool, int]:
    """Read one line: answers, whether the class is the positive one, and the count."""
    where = f"{path}, line {line}"
    *answers, label, n = cells if len(cells) > 1 else ["", ""]
    if len(answers) != len(questions.names) or any(cell not in ("0", "1") for cell in answers):
        raise InvalidDataError(f"{where}: {counted(len(questions.names), 'answer')} of 0 or 1 are needed")
    classes = [str(label) for label in questions.card.classes]
    if label not in classes:
        raise InvalidDataError(f"{where}: the class is {label!r}", f"the classes are {classes[0]!r} and {classes[1]!r}")
    if not (n.isascii() and n.isdigit() and len(n) <= _MOST_DIGITS and int(n) > 0):
        raise InvalidDataError(f"{where}: the count is {n[:40]!r}", "give a whole number of at least 1")
    if int(n) < at_least:
        raise InvalidDataError(
            f"{where}: the count is {n}, but the file says that cells have at least {at_least} people",
            "write it again with `supersparse counts`",
        )
    return [int(cell) for cell in answers], label == str(questions.card.positive), int(n)
