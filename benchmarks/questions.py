"""Cards of questions beside the prototype in C++: ``python -m benchmarks.questions [--jobs N] [--folds N]``.

The problems are those of the prototype's ``share.py``: the default card on every fold of every table of the
suite, at most 4,000 rows, points to 10, directions free, C0 = 0.05 / rows, at most 5, 6, 8 and 10 questions;
then one synthetic table of 10^5 rows and 40 columns of its ``scale.py``. Both solve each problem in the same
run with one thread, each in a process of its own; CPU seconds of the search alone are compared, and a search
has 30 of them. Memory is what a search of ours adds to its process.

Teacher, answers and the prototype itself come from ``--prototype`` (shared/prototype/questions, beside the
checkout or in it), tables from ``--suite`` (shared/suite). Problems are kept in ``--problems``, so that a
machine without scikit-learn can solve what another made (``--make`` makes them and solves none). g++ compiles
the prototype, or ``--program`` names it compiled; without both its last stored figures stand in the table.

Each race is written to ``--results`` when it ends, and whoever starts again goes on from there. After
``--seconds`` no further race counts; what was not run is named, and the exit status is 1. A whole
run writes the table in docs/questions-engine.md; ``--report`` only writes it.
"""

import argparse
import json
import math
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.data import ROOT
from benchmarks.processes import ONE_THREAD
from benchmarks.record import Machine
from benchmarks.table import grid, into_docs, number
from benchmarks.usage import peak_megabytes
from supersparse.engine.questions.search import QuestionProblem, search
from supersparse.problem.questions import Question

RESULTS = ROOT / "benchmarks" / "results" / "questions.jsonl"
PAGE = ROOT / "docs" / "questions-engine.md"
COMPILERS = (
    ("g++", "-Ofast", "-march=native", "-std=c++20", "-c", "ent.cpp", "-o", "ent.o"),
    ("g++", "-O3", "-march=native", "-std=c++20", "-o", "card", "card.cpp", "ent.o"),
)
FOLDS, SIZES, LIMIT = 5, (5, 6, 8, 10), 30.0
SCALE = ("scale", 100_000, 40, 6)  # rows, columns, questions
REPEATS, ENOUGH = 3, 0.3  # the least of so many searches counts where one takes less than so many seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """One problem: what each found of the least objective, whether it proved it, and CPU seconds."""

    table: str
    fold: int
    most: int
    rows: int
    questions: int
    objective: float
    bound: float
    proven: bool
    seconds: float
    megabytes: float
    work: int  # rows of columns read: the same on every machine
    prototype_objective: float | None = None
    prototype_proven: bool | None = None
    prototype_seconds: float | None = None

    @property
    def key(self) -> tuple[str, int, int]:
        """Name the problem."""
        return self.table, self.fold, self.most

    def __str__(self) -> str:
        theirs = "-" if self.prototype_seconds is None else f"{self.prototype_seconds:.3f}"
        state = "WRONG" if self.wrong else "proven" if self.proven else "open"
        return (
            f"{self.table:16} fold {self.fold} at most {self.most:2}: {self.seconds:7.3f} s {state}, "
            f"prototype {theirs} s, {self.megabytes:.0f} MB"
        )

    @property
    def wrong(self) -> bool:
        """Whether both proved, and differ by more than their tolerances."""
        return bool(
            self.proven and self.prototype_proven and abs(self.objective - (self.prototype_objective or 0.0)) > 3e-9
        )


def problem_file(folder: Path, name: str, fold: int) -> Path:
    """Return where a problem is kept."""
    return folder / f"{name}_{fold}.npz"


def make_problem(prototype: str, suite: str, name: str, fold: int, kept: str) -> None:
    """Write answers, numbers of answers and labels of a fold, by the prototype's teacher and bands."""
    sys.path.insert(0, prototype)
    if name == SCALE[0]:
        from scale import problem

        answer, counts, label = problem(SCALE[1], SCALE[2])
        label = np.clip(np.round(label * 2**20), 1, 2**20 - 1) / 2**20
    else:
        from bands import bands
        from teacher import fold as rows_of
        from teacher import load, teach

        columns, y = load(f"{suite}/{name}.csv")
        train, _ = rows_of(columns, y, fold)
        blended = 0.15 * y[train] + 0.85 * teach(columns, y, train)[train]
        label = np.clip(np.round(blended * 2**20), 1, 2**20 - 1) / 2**20
        made = bands(columns, train, label).values()
        answer, counts = np.array([own for own, _ in made], np.uint8)[:, train], [n for _, n in made]
    np.savez_compressed(kept, answer=np.ascontiguousarray(answer, np.uint8), counts=counts, label=label)


def race(kept: str, name: str, fold: int, most: int, program: str | None) -> Race:
    """Solve a problem with ours and, where it is there, with the prototype."""
    data = np.load(kept)
    answer, counts, label = data["answer"], data["counts"], data["label"]
    price = 0.05 / len(label)
    questions = tuple(Question(int(answers), price=price) for answers in counts)
    problem = QuestionProblem(questions, answer, label, max_questions=most)
    before, seconds = peak_megabytes(), math.inf
    for _ in range(REPEATS):
        begun = time.process_time()
        outcome = search(problem, stop=lambda begun=begun: time.process_time() - begun > LIMIT)
        seconds = min(seconds, time.process_time() - begun)
        if seconds > ENOUGH:
            break
    assert outcome.best is not None
    ours = Race(
        table=name, fold=fold, most=most, rows=len(label), questions=len(counts),
        objective=outcome.best.objective, bound=outcome.bound, proven=outcome.proven and seconds <= LIMIT,
        seconds=seconds, megabytes=peak_megabytes() - before, work=outcome.work["work"],
    )  # fmt: skip
    if program is None:
        return ours
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        np.array(answer.shape[::-1], np.int32).tofile(file)
        np.asarray(counts, np.int32).tofile(file)
        answer.tofile(file)
        label.tofile(file)
        file.flush()
        options = [f"q={most}", "M=10", "mode=2", f"C0={price!r}", f"time={LIMIT:g}"]
        said = [
            json.loads(subprocess.run([program, file.name, *options], capture_output=True, check=True).stdout)
            for _ in range(1 if seconds > ENOUGH else REPEATS)
        ]
    least = min(said, key=lambda each: float(each["time"]))
    return replace(
        ours, prototype_objective=least["UB"], prototype_proven=least["proven"],
        prototype_seconds=max(least["time"], 5e-4),
    )  # fmt: skip


def compiled(prototype: Path, folder: Path) -> str | None:
    """Return the prototype's program, or None without its source or g++."""
    if not (prototype / "card.cpp").exists() or shutil.which("g++") is None:
        return None
    for name in ("card.cpp", "ent.cpp"):
        shutil.copy(prototype / name, folder)
    for command in COMPILERS:
        subprocess.run(command, cwd=folder, check=True)
    return str(folder / "card")


def make_problems(prototype: Path, suite: Path, jobs: int, names: Sequence[tuple[str, int]], folder: Path) -> None:
    """Write the problems that the folder does not hold yet."""
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        tasks = []
        for name, fold in names:
            kept = problem_file(folder, name, fold)
            if not kept.exists():
                tasks.append(pool.submit(make_problem, str(prototype), str(suite), name, fold, str(kept)))
        for task in tasks:
            task.result()


def measure(
    keys: Sequence[tuple[str, int, int]], folder: Path, program: str | None, jobs: int, results: Path, seconds: float
) -> list[Race]:
    """Solve the problems, those with many questions first; write each race as it ends."""
    races = read(results)
    stored = {each.key: each for each in races} | {each.key: each for each in read(RESULTS)}
    raced, ended = {each.key for each in races}, time.monotonic() + seconds
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1)
    waiting: set[Future[Race]] = set()
    for name, fold, most in sorted(keys, key=lambda key: (key[0] != SCALE[0], -key[2], key)):
        if (name, fold, most) not in raced:
            file = str(problem_file(folder, name, fold))
            waiting.add(pool.submit(race, file, name, fold, most, program))
    with results.open("a", encoding="utf-8") as lines:
        while waiting and time.monotonic() < ended:
            done, waiting = wait(waiting, min(ended - time.monotonic(), 1e6), "FIRST_COMPLETED")
            for each in done:
                one = each.result()
                old = stored.get(one.key)
                if program is None and old is not None:
                    one = replace(
                        one, prototype_objective=old.prototype_objective,
                        prototype_proven=old.prototype_proven, prototype_seconds=old.prototype_seconds,
                    )  # fmt: skip
                races.append(one)
                print(json.dumps(asdict(one)), file=lines, flush=True)
                print(one, flush=True)
    for process in multiprocessing.active_children() if waiting else ():
        process.kill()
    pool.shutdown(wait=not waiting, cancel_futures=True)
    return sorted(races, key=lambda each: each.key)


def _share(times: Iterable[tuple[bool | None, float | None]], limit: float) -> str:
    listed = [bool(proven) and seconds is not None and seconds <= limit for proven, seconds in times]
    return f"{100 * sum(listed) / len(listed):.1f}%"


def table(races: list[Race]) -> str:
    """Write shares by number of questions, ours and the prototype's; the large table."""
    rows = []
    for most in SIZES:
        own = [each for each in races if each.most == most and each.table != SCALE[0]]
        if not own:
            continue
        ours = [(each.proven, each.seconds) for each in own]
        theirs = [(each.prototype_proven, each.prototype_seconds) for each in own]
        ratios = [math.log(each.seconds / each.prototype_seconds) for each in own if each.prototype_seconds]
        rows.append([
            str(most), str(len(own)), _share(ours, 1), _share(ours, LIMIT),
            number(median(s for _, s in ours)),
            _share(theirs, 1), _share(theirs, LIMIT), number(median(s or math.inf for _, s in theirs)),
            number(math.exp(sum(ratios) / len(ratios))) if ratios else "-",
            number(max(each.megabytes for each in own)),
        ])  # fmt: skip
    head = ["at most", "problems", "in 1 s", "in 30 s", "median s", "prototype in 1 s", "in 30 s", "median s"]
    text = grid([*head, "ratio", "MB"], rows)
    for each in races:
        if each.table == SCALE[0]:
            state = "proven" if each.proven else "not proven"
            text += (
                f"\n\n{each.rows:,} rows of {each.questions} questions, at most {each.most} asked: {state} "
                f"in {number(each.seconds)} s (prototype {number(each.prototype_seconds)} s), "
                f"{number(each.megabytes)} MB."
            )
    return text


def read(results: Path) -> list[Race]:
    """Return the stored races."""
    if not results.exists():
        return []
    return [Race(**json.loads(line)) for line in results.read_text(encoding="utf-8").splitlines()[1:]]


def report() -> None:
    """Write the table of the stored run."""
    words = json.loads(RESULTS.read_text(encoding="utf-8").splitlines()[0])["machine"]
    into_docs(f"{words}\n\n{table(read(RESULTS))}\n", PAGE)


def _found(given: str | None, name: str) -> Path:
    places = [Path(given)] if given else [ROOT.parent / "shared" / name, ROOT / "shared" / name]
    for place in places:
        if place.exists():
            return place.resolve()
    sys.exit(f"there is no {' or '.join(map(str, places))}: name the folder")


def main() -> None:
    """Measure; exit with 1 where the two disagree or where time ended."""
    parser = argparse.ArgumentParser(prog="benchmarks.questions", description=__doc__.split("\n")[0])
    parser.add_argument("--suite", help="folder of tables, each with the class in the column y")
    parser.add_argument("--prototype", help="folder of the prototype of questions")
    parser.add_argument("--problems", type=Path, help="folder where problems are kept")
    parser.add_argument("--make", action="store_true", help="make the problems, only")
    parser.add_argument("--program", help="the prototype, compiled")
    parser.add_argument("--jobs", type=int, default=1, help="problems that run side by side")
    parser.add_argument("--seconds", type=float, default=math.inf, help="by the clock")
    parser.add_argument("--folds", type=int, default=FOLDS, help="of each table")
    parser.add_argument("--only", help="tables, separated by commas")
    parser.add_argument("--results", type=Path, help="file of races; by default a new results/questions.jsonl")
    parser.add_argument("--report", action="store_true", help="write the table of the stored run, only")
    asked = parser.parse_args()
    if asked.report:
        return report()
    os.environ |= ONE_THREAD
    only = asked.only.split(",") if asked.only else None
    suite = _found(asked.suite, "suite")
    names = [(path.stem, fold) for path in sorted(suite.glob("*.csv")) for fold in range(asked.folds)]
    names = [each for each in [*names, (SCALE[0], 0)] if only is None or each[0] in only]
    keys = [(name, fold, most) for name, fold in names for most in (SIZES if name != SCALE[0] else SCALE[3:])]
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.problems or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        results = asked.results or Path(temporary) / RESULTS.name
        prototype = _found(asked.prototype, "prototype/questions")
        make_problems(prototype, suite, asked.jobs, names, folder)
        if asked.make:
            return None
        if not results.exists():
            machine = Machine.here()
            words = (
                f"{machine.cpu}, {machine.cores} cores, {machine.system}; Python {machine.python}; "
                f"{asked.jobs} side by side."
            )
            results.write_text(json.dumps({"machine": words}) + "\n", encoding="utf-8")
        program = asked.program or compiled(prototype, Path(temporary))
        races = measure(keys, folder, program, asked.jobs, results, asked.seconds)
        print(table(races))
        left = sorted(set(keys) - {each.key for each in races})
        if left:
            print(f"{len(left)} of {len(keys)} were not run: {left}")
        elif only is None and asked.folds == FOLDS:
            head = results.read_text(encoding="utf-8").splitlines()[0]
            lines = [head, *(json.dumps(asdict(each)) for each in races)]
            RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
            report()
    sys.exit(bool(left) or any(each.wrong for each in races))


if __name__ == "__main__":
    main()
