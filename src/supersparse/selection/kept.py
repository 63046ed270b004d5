"""A folder of solves: what is proven is kept and what is open goes on, so that many solves survive a kill.

Every problem has files of its own, named by its fingerprint: ``*.checkpoint`` is the open tree of a solve
that was stopped, ``*.proven`` the answer of one that was not. A proven answer is verified when it is read
again: its objective is computed from the rows. Its bound is taken from the file, whose checksum shows
whether it is damaged.
"""

import hashlib
import json
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from supersparse.errors import InvalidOptionError
from supersparse.problem.fingerprint import fingerprint
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.problem import Problem
from supersparse.solution.claim import Claim
from supersparse.solution.solution import Solution
from supersparse.solution.stop import Stop
from supersparse.solution.trace import Trace, TraceEvent
from supersparse.solution.verify import verify
from supersparse.solving.solve import solve

_FORMAT = "supersparse proof 1"


def folder_of(path: object) -> Path:
    """Return the folder that a `checkpoint` names, and make it where it is missing."""
    folder = Path(path)  # type: ignore[arg-type]
    if (folder.exists() and not folder.is_dir()) or not folder.absolute().parent.is_dir():
        what = "is a file" if folder.exists() else "is in a folder that does not exist"
        raise InvalidOptionError(
            f"checkpoint {str(folder)!r} {what}; several solves need a folder, which may be new"
        )
    folder.mkdir(exist_ok=True)
    return folder


def solve_in(folder: Path, problem: Problem, solver: str = "auto", **options: object) -> Solution:
    """Solve as `solve` does, from where an earlier call in this folder left off."""
    known = recalled(folder, problem)
    if known is not None:
        return known
    place = _place(folder, problem, "checkpoint")
    found = solve(problem, solver, **{**options, "checkpoint": place})
    keep(folder, found)
    return found


def keep(folder: Path, solution: Solution) -> None:
    """Write down an answer, if nothing about it is open."""
    if not solution.proven_smallest:
        return
    body = json.dumps(
        {
            "problem": fingerprint(solution.problem),
            "solver": solution.solver,
            "coefficients": solution.points.over(solution.problem.unit).coefficients,
            "lower_bound": str(solution.lower_bound),
            "nodes": solution.nodes,
            "seconds": solution.seconds,
            "seed": solution.seed,
        }
    ).encode()
    path = _place(folder, solution.problem, "proven")
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(f"{_FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body)
    os.replace(beside, path)


def recalled(folder: Path, problem: Problem) -> Solution | None:
    """Return the proven answer to this very problem, None where there is none yet."""
    path = _place(folder, problem, "proven")
    if not path.exists():
        return None
    head, _, body = path.read_bytes().partition(b"\n")
    if head.decode("utf-8", "replace") != f"{_FORMAT} {hashlib.sha256(body).hexdigest()}":
        raise InvalidOptionError(f"{str(path)!r} is damaged, or of another version; delete it to solve again")
    content = json.loads(body)
    points = with_best_intercept(problem, content["coefficients"])
    if content["problem"] != fingerprint(problem) or points is None:
        raise InvalidOptionError(f"{str(path)!r} belongs to another problem; delete it to solve again")
    bound = Fraction(content["lower_bound"])
    event = TraceEvent(
        seconds=content["seconds"],
        nodes=content["nodes"],
        objective=evaluate(problem, points).objective,
        lower_bound=bound,
        points=points,
    )
    claim = Claim(
        points=points,
        objective=bound,  # proven: the model must cost no more than its bound
        lower_bound=bound,
        smallest=True,
        stop=Stop.OPTIMAL,
        nodes=content["nodes"],
        seconds=content["seconds"],
        trace=Trace((event,)),
    )
    return replace(verify(problem, claim, solver=content["solver"]), seed=content["seed"])


def _place(folder: Path, problem: Problem, kind: str) -> Path:
    return folder / f"{fingerprint(problem)[:24]}.{kind}"
