"""Faults put in on purpose: full disks, missing folders, bytes that are no text, files of false sizes.

Each case runs in a child with little memory; it must end with an error of ours or of the system, or with the
right answer, and leave old files as they were. As a program it runs all of them and writes down how many:

    python tests/robustness/faults.py --store
"""

import argparse
import contextlib
import gzip
import io
import os
import resource
import signal
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from supersparse import ScoringSystem, Settings, SLIMClassifier, item
from supersparse.errors import SupersparseError

MEMORY = 2**30  # bytes beside what was taken before
SECONDS = 120  # of processor time
OLD = "the old file"


@dataclass(frozen=True)
class Case:
    """A fault, and what is done in spite of it; it raises AssertionError if that goes wrong."""

    kind: str
    name: str
    act: Callable[[], None]


def run_case(case: Case) -> None:
    """Run a case in a folder and a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        inbox, outbox = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(inbox)
            _in_child(case, Path(folder), outbox)
        os.close(outbox)
        with os.fdopen(inbox, "r", errors="replace") as told:
            text = told.read()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 0, f"{case.kind}, {case.name}: the process ended with {code}: {text}"


def _in_child(case: Case, folder: Path, outbox: int) -> None:
    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        os.chdir(folder)
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        warnings.simplefilter("ignore")
        case.act()
        code = 0
    except BaseException as error:
        import traceback

        os.write(outbox, "".join(traceback.format_exception(error))[-4000:].encode("utf-8", "replace"))
    finally:
        os._exit(code)


@contextlib.contextmanager
def refused(*kinds: type[Exception]) -> Iterator[None]:
    """What runs inside must end with an error of ours, or of the system where that is allowed."""
    try:
        yield
    except (SupersparseError, *kinds):
        return
    raise AssertionError("it was accepted")


def command(*arguments: str) -> tuple[int, str]:
    """Run the command; return its exit code and what it said on standard error."""
    from supersparse.show.cli.app import main

    sys.argv = ["supersparse", *arguments]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0
    assert "Traceback" not in told.getvalue(), told.getvalue()
    return code, told.getvalue()


def card() -> ScoringSystem:
    """A small card."""
    return ScoringSystem.of([item("x", points=1), item("y", points=2)], above=1, title="Ill")


def all_cases() -> Iterator[Case]:
    """Every case."""
    yield from _full_disks()
    yield from _folders()
    yield from _texts()
    yield from _sizes()


def _writers() -> dict[str, Callable[[str], object]]:
    def estimator(path: str) -> None:
        from supersparse.card.export.estimator import save_estimator

        save_estimator(SLIMClassifier(max_points=1, solver="exhaustive").fit([[0], [0], [1], [1]], [0, 0, 1, 1]), path)

    def scores(path: str) -> None:
        card().save("given.json")
        Path("given.csv").write_text("x,y\n" + "1,2\n" * 50)
        code, told = command("predict", "given.json", "given.csv", "--out", path)
        if code:
            raise OSError(told)

    found: dict[str, Callable[[str], object]] = {
        f"card.{ending}": lambda path: card().save(path) for ending in ("json", "txt", "md", "html", "tex", "svg")
    }
    found |= {
        f"score.{ending}": lambda path, target=target: card().export(target, path)
        for ending, target in (("py", "python"), ("sql", "sql"), ("js", "javascript"), ("xlsx", "xlsx"))
    }
    found["settings.yaml"] = lambda path: Settings.of(C0=0.0123, max_points=3, max_features=4).save(path)
    found["model.skops"] = estimator
    found["scores.csv"] = scores
    return found


def _full_disks() -> Iterator[Case]:
    def full(name: str, write: Callable[[str], object]) -> Callable[[], None]:
        def act() -> None:
            if name == "scores.csv":
                write("warm.csv")  # its inputs
            Path(name).write_text(OLD)
            before = {path.name for path in Path().iterdir()}
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
            with refused(OSError):
                write(name)
            assert Path(name).read_text() == OLD
            assert {path.name for path in Path().iterdir()} == before

        return act

    for name, write in _writers().items():
        if name == "scores.csv":
            continue
        yield Case("full disk", name, full(name, write))

    def device() -> None:
        card().save("given.json")
        Path("given.csv").write_text("x,y\n1,2\n")
        code, told = command("predict", "given.json", "given.csv", "--out", "/dev/full")
        assert code != 0
        assert "space" in told.lower(), told

    yield Case("full disk", "predict --out /dev/full", device)

    def checkpoint() -> None:
        from supersparse import Problem, solve

        problem = Problem.of([[0, 1], [1, 0], [1, 1], [0, 0]] * 3, [0, 1, 1, 0] * 3, C0=0.01, max_points=2)
        solve(problem)  # compiles what is not compiled yet
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
        assert solve(problem, checkpoint="open.tree", node_limit=0).points is not None

    yield Case("full disk", "a checkpoint: the model is kept", checkpoint)


def _folders() -> Iterator[Case]:
    def missing() -> None:
        with refused(OSError):
            card().save("no/such/folder/card.json")
        Path("rows.csv").write_text("x,y\n1,0\n2,1\n")
        code, told = command("fit", "rows.csv", "--goal", "errors", "--target", "y", "--out", "no/such/card.json")
        assert code == 2
        assert "does not exist" in told

    yield Case("folders", "missing", missing)

    def closed() -> None:  # /proc is closed to root as well
        with refused(OSError):
            card().save("/proc/card.json")

    yield Case("folders", "closed", closed)

    def homeless() -> None:
        import subprocess

        environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME", "TMPDIR")}
        environment |= {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/x", "MPLCONFIGDIR": "/dev/null/y"}
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        code = (
            "from supersparse import ScoringSystem, item; import supersparse.show.cli.app\n"
            "s = ScoringSystem.of([item('x', points=1)], threshold=0); s.save('a.svg'); s.save('a.json')\n"
            "print(ScoringSystem.load('a.json').predict({'x': [1]}))"
        )
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    yield Case("folders", "no home and no cache", homeless)

    def outside() -> None:
        from supersparse.learn.settings.settings import read_settings

        for path in ("../x", "/etc/x", "~/x"):
            with refused():
                read_settings(f"solve:\n  checkpoint: '{path}'\n")

    yield Case("folders", "a settings file that writes elsewhere", outside)

    def title() -> None:
        Path("out").mkdir()
        from supersparse.show.cli.outputs import write_folder

        written = write_folder(ScoringSystem.of([item("../x", points=1)], above=0, title="../../up"), Path("out"))
        assert {path.parent for path in written} == {Path("out")}
        assert [path.name for path in Path().iterdir()] == ["out"]

    yield Case("folders", "names that lead elsewhere", title)


def _texts() -> Iterator[Case]:
    from supersparse.card.file import load
    from supersparse.learn.counts import CountTable
    from supersparse.learn.prepare.questions import Questions
    from supersparse.table.files import read_table

    rows = "größe,y\n1,ja\n2,nein\n"
    for encoding in ("latin-1", "utf-16", "cp1252", "utf-32", "utf-8-sig"):

        def table(encoding: str = encoding) -> None:
            Path("rows.csv").write_bytes(rows.encode(encoding))
            with contextlib.suppress(SupersparseError):
                assert read_table(Path("rows.csv")).n_rows == 2

        yield Case("no UTF-8", f"a table in {encoding}", table)
    readers: dict[str, Callable[[Path], object]] = {
        "card.json": load,
        "settings.yaml": Settings.load,
        "counts.csv": CountTable.load,
        "questions.json": Questions.load,
    }
    for name, read in readers.items():
        for k, data in enumerate((b"\xff\xfe\x00", b"C0: \xe4\n", b"\x80" * 1000, b"\x00" * 1000)):

            def bad(name: str = name, read: Callable[[Path], object] = read, data: bytes = data) -> None:
                Path(name).write_bytes(data)
                with refused():
                    read(Path(name))

            yield Case("no UTF-8", f"{name}, {k}", bad)

    def odd_name() -> None:
        path = os.fsdecode(b"rows-\xff.csv")
        Path(path).write_text("x,y\n1,0\n2,1\n")
        assert read_table(Path(path)).n_rows == 2
        code, told = command("fit", path, "--goal", "errors", "--target", "nothing")
        assert code == 2, told

    yield Case("no UTF-8", "the name of a file", odd_name)


def _sizes() -> Iterator[Case]:
    from supersparse.table.files import read_table

    def wide() -> None:
        n = 10**6
        with Path("wide.csv").open("w") as file:
            file.write(",".join(f"c{j}" for j in range(n)) + "\n" + ",".join(["1"] * n) + "\n")
        with contextlib.suppress(SupersparseError):
            assert len(read_table(Path("wide.csv")).names) == n

    yield Case("sizes", "10^6 columns", wide)

    def bomb() -> None:
        with gzip.open("rows.csv.gz", "wb", compresslevel=1) as file:
            for _ in range(2**11):
                file.write(b"1" * 2**20)  # one line of 2 GB
        with refused():
            read_table(Path("rows.csv.gz"))

    yield Case("sizes", "2 GB in one line of a packed table", bomb)

    def workbook() -> None:
        with (
            zipfile.ZipFile("rows.xlsx", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
            packed.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as file,
        ):
            for _ in range(2**11):
                file.write(b"0" * 2**20)
        with refused():
            read_table(Path("rows.xlsx"))

    yield Case("sizes", "2 GB in a workbook", workbook)

    def parquet() -> None:
        try:
            import pyarrow
            from pyarrow import parquet as files
        except ImportError:
            return
        one = pyarrow.table({f"c{j}": pyarrow.array([7] * 2**20, type=pyarrow.int64()) for j in range(20)})
        with files.ParquetWriter("rows.parquet", one.schema) as writer:
            for _ in range(60):  # 1.25 10^9 values, 10 GB
                writer.write_table(one)
        assert Path("rows.parquet").stat().st_size < 2**24
        with refused():
            read_table(Path("rows.parquet"))

    yield Case("sizes", "10 GB in a small Parquet file", parquet)

    def counts() -> None:
        from supersparse.learn.counts import CountTable

        Path("counts.csv").write_text('# supersparse-counts {"at_least": 10000000000}\n')
        with refused():
            CountTable.load(Path("counts.csv"))

    yield Case("sizes", "counts of 10^10 people", counts)

    def checkpoint() -> None:
        import hashlib

        from supersparse import Problem, solve

        problem = Problem.of([[0, 1], [1, 0], [1, 1], [0, 0]] * 3, [0, 1, 1, 0] * 3, C0=0.01, max_points=2)
        solve(problem, checkpoint="open.tree", node_limit=0)
        head, _, body = Path("open.tree").read_bytes().partition(b"\n")
        for forged in (
            body.replace(b'"tasks": [', b'"tasks": [' + b"[" * 10**5, 1),
            body.replace(b'"coefficients": [', b'"coefficients": [10000000000, ', 1),
            body[:-1] + b', "n": 1e10}',
        ):
            name = head.decode().rpartition(" ")[0]
            Path("open.tree").write_bytes(f"{name} {hashlib.sha256(forged).hexdigest()}\n".encode() + forged)
            with contextlib.suppress(SupersparseError):
                solve(problem, checkpoint="open.tree", node_limit=0)

    yield Case("sizes", "forged checkpoints", checkpoint)


def main() -> None:
    """Run all cases, print their number and store it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", action="store_true", help="write docs/trust/faults.json")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    done: Counter[str] = Counter()
    failed = []
    for case in all_cases():
        try:
            run_case(case)
        except AssertionError as error:
            failed.append(str(error))
            print(error)
        done[case.kind] += 1
    figures = {"faults": done.total(), "not handled": len(failed), "by kind": dict(done)}
    print(figures)
    if given.store and not failed:
        from robustness.trust import record

        print(record("faults", "python tests/robustness/faults.py --store", figures))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
