"""Our time beside that of the prototype in C++: ``python -m benchmarks.prototype [--only NAME,...]``.

The prototype, ``shared/prototype/slim.cpp`` beside the checkout, is compiled with g++ for this machine;
``--binary`` names a program instead. Both solve the same problems with one thread: instances of the study,
and tables with many small supports. CPU seconds are compared: ours from the problem to the proof of the
least F and l1, the median of three solves, kernels compiled before; the prototype's likewise, without
reading its file. It searches for a first model as long as it is told: it is run with several such times,
and the least total counts.

The prototype knows whole intercepts only: for a free threshold it is given all points doubled where every
column is binary (it has faster ways for these), else all columns, which is the same problem. Its models are
judged by our evaluator, and a disagreement over a proven optimum is an error. Writes the table in
docs/benchmarks.md and ``results/prototype.jsonl``; ``--report`` only writes the table.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.data import ROOT, Table
from benchmarks.instances import Settings, all_instances
from benchmarks.processes import ONE_THREAD
from benchmarks.record import Machine
from benchmarks.small_tables import TABLES
from benchmarks.table import DOCS, grid, into_docs, number
from supersparse import Problem, solve
from supersparse.problem.objective import evaluate, with_best_intercept

SOURCE = ROOT.parent / "shared" / "prototype" / "slim.cpp"
RESULTS = ROOT / "benchmarks" / "results" / "prototype.jsonl"
PART = RESULTS.with_suffix(".jsonl.part")  # what is measured so far
COMPILER = ("g++", "-O3", "-march=native", "-std=c++17")
SEARCHES = (1.0, 0.1, 5.0)  # CPU seconds that the prototype searches for a first model
_REPEATS = 3
_ENOUGH = 20.0  # CPU seconds: no further solve of ours is begun after that much
# Not here: tictactoe_reg, whose partition bound the prototype lacks, and spambase, which neither can do.
_FROM_THE_STUDY = (
    "haberman_reg", "haberman_max5", "breastcancer_reg", "breastcancer_max5", "breastcancer_paper",
    "breastcancer_paperfree", "mammo_reg", "mammo_max5", "mammo_paper", "mammo_paperfree", "tictactoe_max5",
    "adult_reg", "adult_max5",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One problem: where its table comes from, and its settings."""

    name: str
    table: Callable[[], Table]
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a solver says of a problem and the CPU seconds it took; `objective` and `l1` by our evaluator."""

    seconds: float
    proof_seconds: float  # without the search for a first model, where it is known apart
    proven: bool
    objective: float
    errors: int
    size: int
    l1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """Both on one problem."""

    name: str
    limit: float
    ours: Answer
    prototype: Answer

    @property
    def ratio(self) -> float | None:
        """Our seconds over the prototype's, at most so much if it has no proof; None where ours has none."""
        return self.ours.seconds / self.prototype.seconds if self.ours.proven else None

    @property
    def disagreement(self) -> str | None:
        """What cannot both be true, or None."""
        ours, other = self.ours, self.prototype
        if ours.proven and other.proven and (ours.objective, ours.l1) != (other.objective, other.l1):
            return (
                f"F {ours.objective:.6f} and l1 {ours.l1:g}, but {other.objective:.6f} and {other.l1:g} "
                "by the prototype, both proven"
            )
        for proven, found, who in ((ours, other, "the prototype"), (other, ours, "us")):
            if proven.proven and found.objective < proven.objective:
                return f"F {proven.objective:.6f} proven, but {found.objective:.6f} found by {who}"
        return None


def cases() -> dict[str, Case]:
    """All problems by name."""
    listed = all_instances()
    study = [Case(name, listed[name].table, listed[name].settings) for name in _FROM_THE_STUDY]
    small = [Case(small.name, small.table, small.settings) for small in TABLES]
    return {case.name: case for case in (*study, *small)}


def instance_file(table: Table, settings: Settings) -> str:
    """Write a problem as the prototype reads it: equal rows merged, and doubled for a free threshold."""
    X, y = np.asarray(table.X, float), np.asarray(table.y)
    rows, columns = X.shape
    C0 = 0.9 / (rows * columns) if settings.C0 is None else settings.C0
    values = list(settings.points or range(-(settings.largest or 0), (settings.largest or 0) + 1))
    distinct, which = np.unique(X, axis=0, return_inverse=True)
    positive = np.bincount(which.ravel(), weights=y == 1, minlength=len(distinct))
    negative = np.bincount(which.ravel(), weights=y != 1, minlength=len(distinct))
    most = columns if settings.max_features is None else settings.max_features
    whole = int(np.equal(X, np.round(X)).all())
    if settings.intercept == "free":
        values = [value * doubled_points(table, settings) for value in values]
        distinct = distinct * (2 // doubled_points(table, settings))
    elif settings.intercept != "paper":
        raise ValueError(f"the prototype has no intercept like {settings.intercept!r}")
    shown = f"{len(values)} {' '.join(map(str, values))}"
    lines = [f"{len(distinct)} {columns} {rows} {whole} {C0 * rows!r} {most}", *[shown] * columns]
    lines.append(f"1 {C0 * rows!r} {shown}" if settings.intercept == "paper" else "0 0 0")
    cells = np.column_stack([distinct, positive, negative])
    lines += [" ".join(f"{value:.12g}" for value in row) for row in cells]
    return "\n".join(lines) + "\n"


def doubled_points(table: Table, settings: Settings) -> int:
    """2 where the prototype is given doubled points, else 1."""
    return 2 if settings.intercept == "free" and np.isin(table.X, (0, 1)).all() else 1


def run_prototype(binary: str, path: Path, problem: Problem, limit: float, unit: int) -> Answer:
    """Run it with each time to search; return the answer of the run that took least in all."""
    best: Answer | None = None
    for search in SEARCHES:
        left = limit if best is None else min(limit, best.seconds - search)
        if left <= 0:
            continue
        command = [binary, str(path), str(search), str(left), "1", "0"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        found = read_answer(said, problem, unit)
        if best is None or (not best.proven, best.seconds) > (not found.proven, found.seconds):
            best = found
    assert best is not None
    return best


def read_answer(lines: list[str], problem: Problem, unit: int) -> Answer:
    """Read the prototype's lines HEUR, EXACT and SOL, and judge its model, whose points are in `unit`."""
    said = {line.split()[0]: line.split()[1:] for line in lines}
    fields = [dict(word.split("=") for word in said[kind] if "=" in word) for kind in ("HEUR", "EXACT")]
    points = [0] * problem.n_features
    for entry in said["SOL"]:
        column, colon, value = entry.partition(":")
        if colon:
            points[int(column)] = round(float(value)) // unit
    proof = float(fields[1]["time"])
    return _answer(problem, points, float(fields[0]["t_end"]) + proof, proof, said["EXACT"][0] == "PROVEN")


def _answer(problem: Problem, points: list[int], seconds: float, proof: float, proven: bool) -> Answer:
    card = with_best_intercept(problem, points)
    assert card is not None
    found = evaluate(problem, card)
    return Answer(
        seconds=seconds,
        proof_seconds=proof,
        proven=proven,
        objective=float(found.objective),
        errors=int(found.training_errors),
        size=found.size,
        l1=float(found.l1),
    )


def run_ours(problem: Problem, limit: float) -> Answer:
    """Solve up to three times, as long as that is short; return the median of CPU seconds."""
    runs: list[float] = []
    while not runs or (len(runs) < _REPEATS and sum(runs) < _ENOUGH):
        began = time.process_time()
        solution = solve(problem, "exact", n_jobs=1, time_limit=limit)
        runs.append(time.process_time() - began)
        if not solution.proven_smallest:
            break
    found = solution.evaluation
    return Answer(
        seconds=median(runs),
        proof_seconds=median(runs),
        proven=solution.proven_smallest,
        objective=float(solution.objective),
        errors=int(found.training_errors),
        size=found.size,
        l1=float(found.l1),
    )


def race(name: str, binary: str, limit: float) -> Race:
    """Run both on one problem, one after the other."""
    warnings.simplefilter("ignore")  # penalties out of the paper's range are meant so
    case = cases()[name]
    table = case.table()
    problem = case.settings.problem(table)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "instance.txt"
        path.write_text(instance_file(table, case.settings), encoding="ascii")
        unit = doubled_points(table, case.settings)
        prototype = run_prototype(binary, path, problem, limit, unit)
    return Race(name=name, limit=limit, ours=run_ours(problem, limit), prototype=prototype)


def markdown(machine: str, races: list[Race]) -> str:
    """Write the table, and what the bar asks of it."""
    rows = [
        [
            r.name,
            _seconds(r.ours),
            _seconds(r.prototype),
            number(r.prototype.proof_seconds),
            "-" if r.ratio is None else ("" if r.prototype.proven else "≤ ") + f"{r.ratio:.2f}",
            f"{r.ours.objective:.6f}",
            str(r.ours.errors),
            str(r.ours.size),
            f"{r.ours.l1:g}",
        ]
        for r in races
    ]
    head = ("problem", "ours, CPU s", "prototype", "its proof alone", "ratio", "F", "errors", "size", "l1")
    return f"{machine}\n\n{grid(head, rows)}\n\n{summary(races)}\n"


def summary(races: list[Race]) -> str:
    """Say the median and the largest ratio, and how many problems take longer than with the prototype."""
    known = [r for r in races if r.ratio is not None]
    if not known:
        return "No problem was proven."
    ratios = [r.ratio for r in known if r.ratio is not None]
    slowest = known[ratios.index(max(ratios))]
    slower = [r.name for r in known if (r.ratio or 0) > 1]
    told = f"; slower: {', '.join(slower)}" if slower else ""
    return (
        f"Ratio of ours to the prototype: median {median(ratios):.2f}, largest {max(ratios):.2f} "
        f"({slowest.name}), {len(ratios) - len(slower)} of {len(ratios)} problems at most 1{told}."
    )


def _seconds(answer: Answer) -> str:
    return number(answer.seconds) if answer.proven else f"> {number(answer.seconds)}"


def compiled(folder: str) -> str:
    """Compile the prototype; end the program where that cannot be done."""
    if not SOURCE.is_file():
        sys.exit(f"{SOURCE.name} is not in shared/prototype beside the checkout; name a program with --binary")
    if shutil.which(COMPILER[0]) is None:
        sys.exit(f"{COMPILER[0]} is not installed; name the compiled prototype with --binary")
    binary = os.path.join(folder, "slim")
    subprocess.run([*COMPILER, str(SOURCE), "-o", binary], check=True)
    return binary


def load() -> tuple[str, list[Race]]:
    """Read the stored run: its machine in words, and the races."""
    first, *lines = RESULTS.read_text(encoding="utf-8").splitlines()
    races = []
    for fields in map(json.loads, lines):
        ours, prototype = Answer(**fields.pop("ours")), Answer(**fields.pop("prototype"))
        races.append(Race(ours=ours, prototype=prototype, **fields))
    return json.loads(first)["machine"], races


def report() -> None:
    """Put the table of the stored run into the documentation."""
    into_docs(markdown(*load()), DOCS, "prototype")


def _wanted(only: str | None) -> list[str]:
    names = []
    for name in cases():
        if only is not None and name not in only.split(","):
            continue
        instance = all_instances().get(name)
        if instance is not None and instance.missing is not None:
            print(f"skipped: {name}: {instance.missing}", flush=True)
        else:
            names.append(name)
    return names


def _store(machine: Machine, races: list[Race], path: Path) -> None:
    words = f"{machine.cpu}, {machine.cores} cores, {machine.system}; Python {machine.python}."
    lines = [{"machine": words}, *map(asdict, races)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _measure(names: list[str], binary: str, limit: float, jobs: int) -> list[Race]:
    os.environ |= ONE_THREAD
    races = []
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(race, name, binary, limit) for name in names]):
            races.append(done.result())
            _store(Machine.here(), races, PART)
            print(markdown("", races[-1:]).splitlines()[4], flush=True)
    return sorted(races, key=lambda r: names.index(r.name))


def main() -> None:
    """Measure what is asked for; exit with 1 where the two disagree."""
    parser = argparse.ArgumentParser(prog="benchmarks.prototype", description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="problems, separated by commas; nothing is stored then")
    parser.add_argument("--jobs", type=int, default=1, help="problems that run side by side")
    parser.add_argument("--binary", help="the compiled prototype")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds for each")
    parser.add_argument("--report", action="store_true", help="write the table of the stored run, only")
    asked = parser.parse_args()
    if asked.report:
        return report()
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.abspath(asked.binary) if asked.binary else compiled(folder)
        races = _measure(_wanted(asked.only), binary, asked.limit, asked.jobs)
    print(summary(races))
    if asked.only is None:
        _store(Machine.here(), races, RESULTS)
        report()
    PART.unlink(missing_ok=True)
    wrong = [f"{r.name}: {r.disagreement}" for r in races if r.disagreement is not None]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
