"""Checkpoints: a killed process goes on where it was, and bad files are refused."""

import re
import signal
import subprocess
import sys
from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.exact.hard import medium
from engine.exact.partition.one_hot import few_squares
from solvers import signal_at_first_model
from supersparse.base.stop import Stop
from supersparse.engine.exact.bounds import SHARES
from supersparse.engine.exact.engine import ErrorsRun
from supersparse.engine.exact.open_parts import Part, from_bytes, to_bytes
from supersparse.engine.exact.pair_covers import PairCovers
from supersparse.engine.exact.partition import partition
from supersparse.engine.exact.partition.partition import PartitionProof
from supersparse.engine.presolve import presolve
from supersparse.engine.proving import checkpoint
from supersparse.engine.proving.checkpoint import locked
from supersparse.engine.proving.proof import Proof
from supersparse.engine.solve import solve
from supersparse.errors import InvalidOptionError
from supersparse.problem.fingerprint import fingerprint

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
TESTS = Path(__file__).parents[2]

# The child saves all the time, puts supports down after a few boxes and waits when one is half done: to be killed.
CHILD = """
import sys, threading, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from engine.exact.hard import medium
from supersparse.engine.proving import checkpoint
from supersparse.engine.exact.pair_covers import PairCovers
from supersparse.engine.proving.proof import Proof
from supersparse.engine.solve import solve

checkpoint.SAVE_EVERY = 0.0
PairCovers.slice_work = 2000
step = Proof.step

def watched_step(self, cancelled, most=None):
    if Path(sys.argv[2]).exists() and any(part.boxes is not None for part in self.open_parts()):
        print("half done", flush=True)
        threading.Event().wait()
    step(self, cancelled, most)

Proof.step = watched_step
solve(medium(seed=0, intercept="paper"), "exact", checkpoint=sys.argv[2])
"""


def work_done(monkeypatch):
    """Count the slices of the solves that follow."""
    steps, step = [], Proof.step
    monkeypatch.setattr(Proof, "step", lambda self, *a: (steps.append(1), step(self, *a)))
    return steps


def test_a_killed_process_is_resumed_and_reaches_the_same_optimum(tmp_path, monkeypatch):
    problem, file = medium(seed=0, intercept="paper"), tmp_path / "open tree"
    with subprocess.Popen([sys.executable, "-c", CHILD, str(TESTS), str(file)], stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout.readline() == b"half done\n"
        finally:
            child.kill()
    assert child.returncode == -signal.SIGKILL
    assert file.exists()
    steps = work_done(monkeypatch)
    whole = solve(problem, "exact")
    in_one_go = len(steps)
    resumed = solve(problem, "exact", checkpoint=file)
    assert resumed.stop is Stop.OPTIMAL
    assert resumed.objective == whole.objective == resumed.lower_bound
    assert resumed.evaluation.l1 == whole.evaluation.l1
    assert len(steps) - in_one_go > 0
    assert not file.exists()  # nothing is open any more


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("intercept", ["free", "paper", (-2, 3)])
def test_a_solve_stopped_again_and_again_ends_with_the_optimum(tmp_path, threads, intercept):
    problem, file = medium(seed=1, intercept=intercept), tmp_path / "file"
    best = solve(problem, "exact")
    bounds = []
    for _ in range(200):
        part = solve(problem, "exact", checkpoint=file, node_limit=3, n_jobs=threads)
        bounds.append(part.lower_bound)
        assert part.lower_bound <= best.objective <= part.objective
        if part.stop is Stop.OPTIMAL:
            break
        assert file.exists()
    assert part.stop is Stop.OPTIMAL
    assert (part.objective, part.evaluation.l1) == (best.objective, best.evaluation.l1)
    assert bounds == sorted(bounds)


def test_saving_all_the_time_beside_threads_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SAVE_EVERY", 0.0)
    monkeypatch.setattr(PairCovers, "slice_work", 1_000)
    problem, file = medium(seed=0), tmp_path / "file"
    best = solve(problem, "exact")
    monkeypatch.setattr(ErrorsRun, "alone_before_threads", 0)
    stopped = solve(problem, "exact", checkpoint=file, n_jobs=2, node_limit=3)
    assert stopped.stop is Stop.NODE_LIMIT
    resumed = solve(problem, "exact", checkpoint=file)
    assert (resumed.objective, resumed.evaluation.l1) == (best.objective, best.evaluation.l1)


def test_the_second_bound_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setitem(SHARES, "partition", replace(SHARES["partition"], after=0, part=4))
    monkeypatch.setattr(partition, "_WORK_PER_STEP", 5_000)  # many steps beside few nodes of the tree,
    monkeypatch.setattr(partition, "_ONE_STEP", 1e-4)  # each of one linear program, however fast the machine
    monkeypatch.setattr(PairCovers, "slice_work", 1_000)
    resumed, resume = [], PartitionProof.resume
    monkeypatch.setattr(PartitionProof, "resume", lambda self, left: (resumed.append(left), resume(self, left)))
    for squares in ([0, 2, 4, 6], [0, 1, 4, 8], [1, 3, 4, 5], [2, 4, 6, 8]):
        problem, file = few_squares(squares, max_points=3), tmp_path / f"{squares}"
        best = solve(problem, "exact")
        rounds = []
        while not rounds or (rounds[-1].stop is Stop.NODE_LIMIT and len(rounds) < 200):
            rounds.append(solve(problem, "exact", checkpoint=file, node_limit=1))
            assert rounds[-1].lower_bound <= best.objective
        bounds = [part.lower_bound for part in rounds]
        assert bounds == sorted(bounds)
        assert rounds[-1].proven_optimal
        assert rounds[-1].objective == best.objective
        if any(node["sets"] for left in resumed for node in left["nodes"]):  # in the middle of a node
            return
    raise AssertionError("no run was stopped in the middle of a node")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The bytes of a real checkpoint of medium()."""
    file = tmp_path_factory.mktemp("saved") / "file"
    solve(medium(), "exact", checkpoint=file, node_limit=2)
    return file.read_bytes()


BAD = {
    "foreign": (lambda good: b"a,b\n1,2\n", "is not a"),
    "empty": (lambda good: b"", "is not a"),
    "binary": (lambda good: bytes(range(256)), "is not a"),
    "older form": (
        lambda good: re.sub(rb"errors checkpoint \d+", b"checkpoint 3", good, count=1),
        "is not a 'supersparse errors checkpoint 4' file but a 'supersparse checkpoint 3' one, of another version",
    ),
    "newer format": (lambda good: re.sub(rb"checkpoint \d+", b"checkpoint 999", good, count=1), "is not a"),
    "truncated": (lambda good: good[:-20], "damaged"),
    "head only": (lambda good: good.split(b"\n")[0] + b"\n", "damaged"),
    "one byte changed": (lambda good: good[:-9] + bytes([good[-9] ^ 1]) + good[-8:], "damaged"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_refused_and_left_alone(kind, saved, tmp_path):
    change, words = BAD[kind]
    file = tmp_path / "file"
    file.write_bytes(change(saved))
    with pytest.raises(InvalidOptionError, match=words):
        solve(medium(), "exact", checkpoint=file)
    assert file.read_bytes() == change(saved)


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"C0": 0.02}, {"max_points": 6}, {"max_features": 2}, {"intercept": "none"}, {"C1": 0.001}],
    ids=str,
)
def test_a_file_of_another_problem_is_refused(change, saved, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(saved)
    with pytest.raises(InvalidOptionError, match="another problem"):
        solve(medium(**change), "exact", checkpoint=file)
    assert file.read_bytes() == saved


def test_a_good_file_is_taken_up(saved, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(saved)
    assert solve(medium(), "exact", checkpoint=file).proven_optimal
    assert not file.exists()


def test_the_fingerprint_knows_the_problem_and_nothing_else():
    once, again = (fingerprint(presolve(medium()).problem) for _ in range(2))
    other = fingerprint(presolve(medium(class_weight="balanced")).problem)
    assert once == again != other


def test_a_file_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    with pytest.raises(InvalidOptionError, match="checkpoint"):
        solve(medium(), "exact", checkpoint=tmp_path / "no such folder" / "file")
    with pytest.raises(InvalidOptionError, match="checkpoint"):
        solve(medium(), "exact", checkpoint=tmp_path)


def rewritten(file, change):
    """Change a checkpoint's content and make its checksum right again."""
    import hashlib
    import json

    head, _, body = file.read_bytes().partition(b"\n")
    content = json.loads(body)
    change(content)
    body = json.dumps(content).encode()
    name = head.decode().rpartition(" ")[0]
    file.write_bytes(f"{name} {hashlib.sha256(body).hexdigest()}\n".encode() + body)


@pytest.fixture(scope="module")
def amid_boxes(tmp_path_factory):
    """A problem, and the bytes of a checkpoint of a search for it that was stopped amid its boxes."""
    problem, file = medium(seed=0, intercept="paper"), tmp_path_factory.mktemp("stopped") / "file"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PairCovers, "slice_work", 500)
        solve(problem, "exact", checkpoint=file, node_limit=20)
    return problem, file.read_bytes()


def changed(content, which=lambda part: True, **change):
    """Change those open parts of a checkpoint."""
    parts = [from_bytes(b64decode(text), len(content["coefficients"]))[0] for text in content["parts"]]
    content["parts"] = [
        b64encode(to_bytes([part._replace(**change) if which(part) else part])).decode() for part in parts
    ]


def is_node(part):
    return part.allowed is not None


def with_part(content, **part):
    content["parts"].append(b64encode(to_bytes([Part(bound=0, case=0, **part)])).decode())


def boxes(low, high):
    return np.array([[low, high]], np.int64)


FORGERIES = {
    "a literal beyond the last": lambda c: changed(c, literals=(10**6,)),
    "a negative literal": lambda c: changed(c, literals=(-7,)),
    "a feature twice": lambda c: changed(c, literals=(0, 1)),
    "a literal that is used and allowed": lambda c: changed(c, is_node, literals=(0,), allowed=np.ones(12, bool)),
    "a theta beyond 62 bits": lambda c: changed(c, is_node, theta=2**63 - 1),
    "a box beyond its sets": lambda c: with_part(c, literals=(0,), phase=1, boxes=boxes([0, 0], [10**9, 10**9])),
    "a box of other sides": lambda c: with_part(c, literals=(0,), phase=1, boxes=boxes([0] * 9, [1] * 9)),
    "a phase that is none": lambda c: with_part(c, literals=(0,), phase=99),
    "another case": lambda c: changed(c, case=12),
    "a bound beyond 62 bits": lambda c: changed(c, bound=2**63 - 1),
    "parts that end early": lambda c: c.update(parts=[text[:-8] for text in c["parts"]]),
    "parts that are no text": lambda c: c.update(parts=[3]),
    "coefficients outside their sets": lambda c: c.update(coefficients=[10**9] * len(c["coefficients"])),
    "too few coefficients": lambda c: c.update(coefficients=[0]),
    "a bound that is no number": lambda c: c.update(lower_bound="1/0"),
    "parts that are none": lambda c: c.update(parts=3),
    "a missing part": lambda c: c.pop("bounds"),
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_checkpoint_with_a_right_checksum_is_refused_before_kernels_read_it(forgery, amid_boxes, tmp_path):
    file = tmp_path / "open tree"
    problem, content = amid_boxes
    file.write_bytes(content)
    rewritten(file, forgery)
    with pytest.raises(InvalidOptionError, match="was not written by a search"):
        solve(problem, "exact", checkpoint=file, node_limit=1)


def test_a_checkpoint_that_cannot_be_written_warns_once_and_keeps_the_model(tmp_path, monkeypatch):
    from supersparse.errors import NotSavedWarning

    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "write_file", full)
    monkeypatch.setattr(checkpoint, "SAVE_EVERY", 0.0)
    with pytest.warns(NotSavedWarning, match="No space left") as told:
        solution = solve(medium(seed=0), "exact", checkpoint=tmp_path / "open tree", node_limit=10)
    assert len([w for w in told if w.category is NotSavedWarning]) == 1
    assert solution.stop is Stop.NODE_LIMIT
    assert solution.points.support
    assert list(tmp_path.iterdir()) == []


def test_two_searches_cannot_share_a_checkpoint(tmp_path):
    pytest.importorskip("fcntl")
    file = tmp_path / "open tree"
    with locked(file), pytest.raises(InvalidOptionError, match="in use by another search"):
        solve(medium(seed=0), "exact", checkpoint=file, node_limit=5)
    solve(medium(seed=0), "exact", checkpoint=file, node_limit=5)  # let go of
    assert [path.name for path in tmp_path.iterdir()] == ["open tree"]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_keep_the_model_and_the_checkpoint(name, tmp_path):

    if not hasattr(signal, name):
        pytest.skip(f"no {name} here")
    number, file = getattr(signal, name), tmp_path / "open tree"
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as under nohup")
    solution = solve(medium(seed=0), "exact", checkpoint=file, on_progress=signal_at_first_model(number))
    assert solution.stop is Stop.INTERRUPTED
    assert file.exists()
    assert signal.getsignal(number) is before
