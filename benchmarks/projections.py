"""How far off the projected time of a proof is after 1, 3 and 10 seconds: ``python -m benchmarks.projections``.

Generated tables, those of the papers, and cards of questions; one thread. All clocks count CPU seconds, since others
use the machine, and a proof has 30 of them. What is named (``python -m benchmarks.projections levels questions``) is
run again; without names, what is not yet stored. Lines go to ``benchmarks/results/projections.jsonl``, and the
table to docs/projection.md.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from types import SimpleNamespace

import numpy as np

from benchmarks import risk_tables
from benchmarks.data import ROOT, missing, read
from benchmarks.instances import all_instances
from benchmarks.risk_peers import problem_of
from benchmarks.small_tables import SmallTable
from benchmarks.table import grid, into_docs, number
from supersparse import Problem, solve
from supersparse.engine import pipeline
from supersparse.engine.proving import monitor
from supersparse.engine.solution import TraceEvent

RESULTS = ROOT / "benchmarks" / "results" / "projections.jsonl"
PAGE = ROOT / "docs" / "projection.md"
AFTER, LIMIT = (1, 3, 10), 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One search: the seconds that it took, and those projected for all of it after some of them."""

    goal: str
    name: str
    seconds: float
    proven: bool  # within the limit
    projected: tuple[float | None, ...]  # after 1, 3 and 10 seconds; None: cannot be told, or over by then


def _asking(rows: int, columns: int, most: int, share: float) -> Problem:
    """A problem of yes/no questions; so much of a soft label is the label itself, the rest the true risk."""
    random = np.random.default_rng([rows, columns, most])
    hidden = random.normal(size=(rows, 5)) @ random.normal(0, 0.5, (5, columns))
    hidden += random.normal(0, 0.9, (rows, columns))
    z = hidden @ np.where(random.random(columns) < 0.4, random.normal(0, 0.4, columns), 0)
    risk = 1 / (1 + np.exp(np.median(z) - z))
    y = (random.random(rows) < risk).astype(int)
    soft = np.round((share * y + (1 - share) * risk) * 2**20) / 2**20
    X = (hidden > np.median(hidden, axis=0)).astype(int)
    return Problem.of_questions(X, y, max_questions=most, C0=0.05 / rows, soft_labels=soft)


def problems() -> Iterator[tuple[str, str, Callable[[], Problem]]]:
    """List them: the goal, the name, and how each is made."""
    for small in (
        SmallTable("levels", 250, 20, 4), SmallTable("levels", 500, 40, 3), SmallTable("mixed", 155, 20, 4),
        SmallTable("mixed", 300, 40, 3, 10), SmallTable("levels", 150, 20, 4, 10), SmallTable("mixed", 500, 30, 4),
    ):  # fmt: skip
        yield "errors", small.name, lambda small=small: small.settings.problem(small.table())
    for name in ("mammo_paper", "mammo_paperfree", "breastcancer_paper"):
        one = all_instances()[name]
        if missing(one.file) is None:
            yield "errors", name, lambda one=one: one.settings.problem(one.table())
    for kind, rows, columns, most in (
        ("thresholds", 200, 60, 5), ("thresholds", 30_000, 60, 5), ("thresholds", 30_000, 100, 4),
        ("binary", 300, 50, 6), ("binary", 30_000, 60, 5), ("binary", 30_000, 100, 4),
    ):  # fmt: skip
        make = getattr(risk_tables, kind)
        yield (
            "risk",
            f"{kind}_{rows}x{columns}_{most}",
            lambda m=make, r=rows, c=columns, k=most: problem_of(m(r, c, 0), k),
        )
    if missing("spambase.csv") is None:
        for columns, most in ((60, 5), (60, 6)):
            yield (
                "risk",
                f"spambase_cut_{columns}_{most}",
                lambda c=columns, k=most: problem_of(risk_tables.cut(read("spambase.csv"), 3, c), k),
            )
    for rows, columns, most, share in (
        (160, 43, 8, 0.7), (160, 43, 10, 0.6), (160, 43, 10, 0.7), (160, 43, 10, 0.65), (160, 43, 10, 0.75),
        (150, 50, 6, 0.8),
    ):  # fmt: skip
        yield (
            "questions",
            f"questions_{rows}x{columns}_{most}_{share}",
            lambda own=(rows, columns, most, share): _asking(*own),
        )


def run(goal: str, name: str, problem: Problem) -> Proof:
    """Prove one, and note what is projected on the way."""
    seen: dict[int, float | None] = {}

    def note(event: TraceEvent) -> None:
        for after in AFTER:
            if event.seconds >= after and after not in seen:
                seen[after] = None if event.projection is None else event.seconds + event.projection.seconds

    began = time.process_time()
    solution = solve(problem, on_progress=note, cancel=lambda: time.process_time() - began > LIMIT)
    told = tuple(None if seen.get(after) is None else round(seen[after] or 0.0, 2) for after in AFTER)
    return Proof(
        goal=goal, name=name, seconds=round(solution.seconds, 2), proven=solution.proven_optimal, projected=told
    )


def table(proofs: Sequence[Proof]) -> str:
    """Write what is stored as a table, a proof in a row, and what it comes to."""
    rows = []
    for one in proofs:
        told = [number(own) if own is not None else "-" for own in one.projected]
        rows.append([one.name, f"{number(one.seconds)}" if one.proven else f"over {number(one.seconds)}", *told])
    lines = [grid(["problem", "seconds", *(f"projected after {after} s" for after in AFTER)], rows), ""]
    for at, after in enumerate(AFTER):
        lasted = [one for one in proofs if one.seconds > after * 1.1]
        off = sorted(one.projected[at] / one.seconds for one in lasted if one.projected[at] is not None and one.proven)
        said = f"- After {after} s: of {len(lasted)} proofs that took longer, {len(off)} that ended were projected"
        lines.append(
            said
            + (f", at {off[0]:.2f} to {off[-1]:.2f} times what they took (median {median(off):.2f})." if off else ".")
        )
    return "\n".join(lines) + "\n"


def stored() -> list[Proof]:
    """Read what is stored."""
    if not RESULTS.exists():
        return []
    lines = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    return [Proof(**{**line, "projected": tuple(line["projected"])}) for line in lines]


def main(names: Sequence[str]) -> int:
    """Run what is asked for, and write the table."""
    monitor.time = pipeline.time = SimpleNamespace(perf_counter=time.process_time)
    warnings.simplefilter("ignore")
    known = {one.name: one for one in stored()}
    for goal, name, make in problems():
        if name not in known if not names else any(part in name for part in names):
            problem = make()
            solve(problem, node_limit=1)  # kernels are compiled before the clock starts
            known[name] = run(goal, name, problem)
            print(known[name], flush=True)
            every = [known[own] for _, own, _ in problems() if own in known]
            RESULTS.write_text("".join(json.dumps(asdict(one)) + "\n" for one in every), encoding="utf-8")
    into_docs(table(stored()), PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
