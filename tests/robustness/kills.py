"""Kill -9 at random moments of everything that writes a file, then do it again: nothing lost, nothing halved.

A process that has loaded everything forks a child for each trial. Half of the children are killed at a random
moment, half just before or after a call that writes, renames or syncs a file. What is left in the folder must
be whole files, the old ones or the new ones; then the same is run to its end and must give what a run gives
that nobody stopped. As a program it makes many trials and writes down how many:

    python tests/robustness/kills.py --trials 1000 --jobs 2 --store
"""

import argparse
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from robustness import tasks
from robustness.whole_files import check_whole

_LONGEST = 300.0  # seconds that a run to its end may take


@dataclass
class Trials:
    """One task: its inputs, a run that nobody stopped, and how long that took."""

    name: str
    act: Callable[[], None]
    meaning: Callable[[Path], object]
    inputs: Path
    reference: Path
    seconds: float
    writes: int

    @classmethod
    def of(cls, task: tasks.Task, folder: Path) -> "Trials":
        """Run a task to its end, which shows what it writes."""
        inputs, reference = folder / f"{task.name} inputs", folder / f"{task.name} reference"
        inputs.mkdir()
        task.prepare(inputs)
        shutil.copytree(inputs, reference)
        began = time.perf_counter()
        counter = reference / ".writes"
        code = _run(task.act, reference, kill_at=None, count_in=counter)
        assert code == 0, f"{task.name} fails by itself: {(reference / '.log').read_text()}"
        seconds = time.perf_counter() - began
        writes = int(counter.read_text())
        counter.unlink()
        return cls(task.name, task.act, task.meaning, inputs, reference, seconds, writes)

    def trial(self, folder: Path, draw: random.Random) -> str:
        """Kill once, look, go on to the end, compare. Return when it was killed."""
        has_old = draw.random() < 0.5
        shutil.copytree(self.reference if has_old else self.inputs, folder)
        if draw.random() < 0.5 and self.writes:
            kind = "at a write"
            code = _run(self.act, folder, kill_at=draw.randrange(2 * self.writes))
        else:
            kind = "at a moment"
            code = _run(self.act, folder, after=draw.uniform(0.0, 1.05 * self.seconds))
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            is_hidden = any(part.startswith(".") for part in name.parts)
            if path.is_file() and not is_hidden and not (self.inputs / name).exists():
                check_whole(path, self.reference / name)
        if code != 0 or not has_old:
            assert _run(self.act, folder) == 0, "it does not go on after the kill"
        found, expected = self.meaning(folder), self.meaning(self.reference)
        assert found == expected, f"{found} after the kill, {expected} without"
        return "after its end" if code == 0 else kind


def _run(
    act: Callable[[], None],
    folder: Path,
    *,
    after: float | None = None,
    kill_at: int | None = None,
    count_in: Path | None = None,
) -> int:
    """Run in a child, killed after some seconds or at a call; return its exit code, -9 if it was killed."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _in_child(act, folder, kill_at, count_in)
    ends = time.monotonic() + (after if after is not None else _LONGEST)
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() >= ends:
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            assert after is not None, "it hangs"
            break
        time.sleep(0.002)
    return os.waitstatus_to_exitcode(status)


def _in_child(act: Callable[[], None], folder: Path, kill_at: int | None, count_in: Path | None) -> None:
    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        log = os.open(folder / ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream, place in ((0, nowhere), (1, nowhere), (2, log)):
            os.dup2(place, stream)
        os.chdir(folder)
        warnings.simplefilter("ignore")
        calls = _watch_writes(kill_at)
        act()
        if count_in is not None:
            count_in.write_text(str(calls[0]))
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        if count_in is not None:
            count_in.write_text(str(calls[0]))
    except BaseException as error:
        import traceback

        traceback.print_exception(error)
    finally:
        sys.stderr.flush()
        os._exit(code)


def _watch_writes(kill_at: int | None) -> list[int]:
    """Count calls that change files; die before (even) or after (odd) one of them."""
    calls = [0]

    def watched(name: str) -> None:
        usual = getattr(os, name)

        def call(*given, **named):
            if kill_at == 2 * calls[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            found = usual(*given, **named)
            if kill_at == 2 * calls[0] + 1:
                os.kill(os.getpid(), signal.SIGKILL)
            calls[0] += 1
            return found

        setattr(os, name, call)

    for name in ("replace", "fsync", "chmod", "rename", "unlink", "fdopen"):
        watched(name)
    return calls


_ready: list[Trials] = []


def run_trials(
    n_trials: int, seed: int = 0, only: list[str] | None = None, stop_at: float = float("inf"), jobs: int = 1
) -> dict[str, object]:
    """Make trials of all tasks in turn; raise at the first that fails. Trial k is the same with any jobs."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        chosen = [task for task in tasks.all_tasks() if only is None or task.name in only]
        tasks.load(folder, everything=only is None)
        _ready[:] = [Trials.of(task, folder) for task in chosen]  # before workers are forked, which see it
        numbers = [range(job, n_trials, jobs) for job in range(jobs)]
        if jobs == 1:
            done = _some_trials(numbers[0], seed, folder / "trial", stop_at)
        else:
            with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as workers:
                parts = [
                    workers.submit(_some_trials, of_job, seed, folder / f"trial {job}", stop_at)
                    for job, of_job in enumerate(numbers)
                ]
                done = [one for part in parts for one in part.result()]
    by_task, by_kind = (Counter(one) for one in zip(*done, strict=True)) if done else (Counter(), Counter())
    return {
        "trials": len(done),
        "lost or half-written": 0,
        "by task": dict(sorted(by_task.items())),
        "killed": dict(sorted(by_kind.items())),
        "seed": seed,
    }


def _some_trials(numbers: Iterable[int], seed: int, room: Path, stop_at: float) -> list[tuple[str, str]]:
    """Make the trials of these numbers in one folder; return the task and the moment of each."""
    done = []
    for k in numbers:
        if time.time() > stop_at:
            break
        of_task = _ready[k % len(_ready)]
        try:
            kind = of_task.trial(room, random.Random(f"{seed} {k}"))
        except Exception as error:
            log = (room / ".log").read_text() if (room / ".log").exists() else ""
            raise AssertionError(f"{of_task.name}, trial {k} of seed {seed}: {error}\n{log}") from error
        done.append((of_task.name, kind))
        shutil.rmtree(room)
    return done


def main() -> None:
    """Make many trials, print their number and store it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--only", action="append")
    parser.add_argument("--store", action="store_true", help="write docs/trust/kills.json")
    parser.add_argument("--jobs", type=int, default=1, help="processes that make trials")
    given = parser.parse_args()
    figures = run_trials(given.trials, given.seed, given.only, time.time() + given.seconds, given.jobs)
    print(figures)
    if given.store:
        from robustness.trust import record

        limit = "" if given.seconds == float("inf") else f" --seconds {given.seconds:g}"
        limit += "" if given.jobs == 1 else f" --jobs {given.jobs}"
        command = f"python tests/robustness/kills.py --trials {given.trials}{limit} --store"
        print(record("kills", command, figures))


if __name__ == "__main__":
    main()
