"""certify_risk: write the proof that no card of questions has a smaller log loss, for the checker to read.

The file is one JSON object: the claim, then the tree. docs/certificates.md describes it so that other programs
can read it.
"""

import gzip
import json
import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.base.errors import UnsupportedProblemError
from supersparse.engine.certify.checking import checker_module
from supersparse.engine.certify.risk_claim import AnswerRules, claim_of
from supersparse.engine.certify.risk_questions import answers_of, card_of
from supersparse.engine.certify.risk_sets import Sets
from supersparse.engine.certify.risk_tree import RiskTree
from supersparse.engine.certify.statement import TableNames
from supersparse.engine.solution import Solution
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

MOST_BYTES = 50_000_000
_LEVEL = 6


def certify_solution(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write the proof of a solution whose columns hold the numbers of answers."""
    slope, offset = Fraction(str(solution.slope)), Fraction(str(solution.offset))
    certify_risk(solution.problem, solution.points, Path(path), slope=slope, offset=offset)


def certify_risk(
    problem: Problem,
    points: Points,
    path: Path,
    *,
    slope: Fraction,
    offset: Fraction,
    table: TableNames | None = None,
    answers: Sequence[AnswerRules] | None = None,
    blend: float | Fraction = 1,
    check_in: Callable[[], None] = lambda: None,
) -> int:
    """Write the proof of a card with these points, slope and offset (by the learned totals); return its leaves.

    `answers` and `table` tell the checker how to read the table that the problem was made from; `blend` is the
    share of its soft labels that a teacher gave. A VerificationError says if a better card exists.
    """
    claim = claim_of(problem, table or TableNames(), answers, blend)
    unit, checker = Fraction(problem.rows.weight_unit), checker_module()
    cards = checker.Cards(
        claim,
        [checker.Asked(one) for one in claim["questions"]],
        answers_of(problem),
        problem.rows.positive.tolist(),
        [int(weight) * unit for weight in problem.rows.weights.tolist()],
    )
    bound = cards.objective(*card_of(points, slope, offset)) - checker.TOLERANCE
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    leaves = 0
    try:
        with unfinished.open("wb") as raw:
            packed = path.suffix == ".gz"
            file: Any = gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) if packed else raw

            def keep(node: list[Any]) -> None:
                nonlocal leaves
                check_in()
                file.write((",\n" if keep_started else "").encode() + _json(node).encode())
                keep_started.append(True)
                leaves += node[0] in ("l", "t", "c")
                if raw.tell() > MOST_BYTES:
                    raise UnsupportedProblemError(
                        f"the proof would be larger than {MOST_BYTES // 10**6} MB",
                        "ask for fewer questions, or leave the certificate out",
                    )

            keep_started: list[bool] = []
            file.write((_json(claim)[:-1] + ',"tree":[\n').encode())
            sets = Sets(np.array(cards.columns, dtype=np.int64), cards.P, cards.W, cards.D, float(cards.N))
            RiskTree(cards, checker.Refused, bound, sets, keep).write()
            file.write(b"]}\n")
            if packed:
                file.close()
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return leaves


def _json(content: object) -> str:
    return json.dumps(content, separators=(",", ":"))
