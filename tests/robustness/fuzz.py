"""Every reader, fed with mutations of good files: an error of ours or a meaning, and nothing else.

Mutations are read in child processes with little memory and little time. A reader must not raise another
exception, crash, hang, or take more memory than stated below. As a program it makes many mutations, the same
for the same seed, and writes down how many:

    python tests/robustness/fuzz.py --mutations 100000 --store
"""

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from robustness.readers import Reader, all_readers
from supersparse.errors import SupersparseError

MEMORY = 2**30  # bytes that a reader may take beside what was taken before
SECONDS = 20.0  # of processor time that one file may take
BATCH = 500  # files of one child


class TooLong(BaseException):
    """A reader that does not end."""


def fuzz(readers: list[Reader], mutations: int, seed: int = 0, stop_at: float = float("inf")) -> dict[str, object]:
    """Read so many mutations, each reader its share; raise at the first that is not refused properly."""
    total = sum(reader.share for reader in readers)
    read: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    wanted = {reader.name: -(-mutations * reader.share // total) for reader in readers}
    for start in range(0, max(wanted.values()), BATCH):  # in turn, so that all have a part if time is up
        for reader in readers:
            count = min(BATCH, wanted[reader.name] - start)
            if count > 0 and time.time() < stop_at:
                read[reader.name] += count
                refused[reader.name] += _batch(reader, range(start, start + count), seed)
    return {
        "mutations": sum(read.values()),
        "other exceptions, crashes, hangs": 0,
        "refused": sum(refused.values()),
        "by reader": {name: {"mutations": count, "refused": refused[name]} for name, count in read.items()},
        "megabytes allowed": MEMORY // 2**20,
        "processor seconds allowed": SECONDS,
        "seed": seed,
    }


def mutation(reader: Reader, k: int, seed: int) -> bytes:
    """Mutation k of a reader's good file."""
    draw = random.Random(f"{seed} {reader.name} {k}")
    return draw.choice(reader.ways)(reader.good, draw)


def _batch(reader: Reader, which: range, seed: int) -> int:
    """Read some mutations in a child; return how many were refused."""
    inbox, outbox = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(inbox)
        _in_child(reader, which, seed, outbox)
    os.close(outbox)
    with os.fdopen(inbox, "r", errors="replace") as told:
        lines = told.read().splitlines()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 0:
        return int(lines[-1])
    at = next((line for line in reversed(lines) if line.startswith("at ")), "at nothing")
    raise AssertionError(
        f"{reader.name}: mutation {at[3:]} of seed {seed}: the process ended with {code}; "
        + "\n".join(line for line in lines if not line.startswith("at "))
    )


def _in_child(reader: Reader, which: range, seed: int, outbox: int) -> None:
    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
        signal.signal(signal.SIGPROF, _too_long)
        warnings.simplefilter("ignore")
        expected = reader.read(reader.good) if reader.must_equal else None
        refused = 0
        for k in which:
            data = mutation(reader, k, seed)
            os.write(outbox, f"at {k}\n".encode())
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                found = reader.read(data)
                if reader.must_equal and data != reader.good:
                    assert found == expected, f"accepted with another meaning: {data!r:.2000}"
            except (SupersparseError, OSError):
                refused += 1
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
        os.write(outbox, f"{refused}\n".encode())
        code = 0
    except BaseException as error:
        import traceback

        os.write(outbox, "".join(traceback.format_exception(error))[-6000:].encode("utf-8", "replace"))
    finally:
        os._exit(code)


def _too_long(number: int, frame: object) -> None:
    raise TooLong(f"{SECONDS} seconds of processor time")


def main() -> None:
    """Make many mutations, print their number and store it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--only", action="append", help="a reader, such as CSV")
    parser.add_argument("--store", action="store_true", help="write docs/trust/mutations.json")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        readers = list(all_readers(Path(folder)))
        chosen = [r for r in readers if given.only is None or r.name in given.only]
        figures = fuzz(chosen, given.mutations, given.seed, time.time() + given.seconds)
    print(figures)
    if given.store:
        from robustness.trust import record

        limit = "" if given.seconds == float("inf") else f" --seconds {given.seconds:g}"
        command = f"python tests/robustness/fuzz.py --mutations {given.mutations}{limit} --store"
        print(record("mutations", command, figures))


if __name__ == "__main__":
    main()
