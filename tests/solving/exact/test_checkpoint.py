"""Checkpoints: a killed process goes on where it was, and bad files are refused."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from solving.exact.hard import medium
from solving.exact.partition.one_hot import few_squares
from supersparse.errors import InvalidOptionError
from supersparse.problem.fingerprint import fingerprint
from supersparse.solving.answering import presolve
from supersparse.solving.exact import engine, proof, second
from supersparse.solving.exact.proof import Proof
from supersparse.solving.exact.second import SecondBound
from supersparse.solving.solve import solve
from supersparse.stop import Stop

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
TESTS = Path(__file__).parents[2]

# The child saves all the time, puts supports down after a few boxes and goes slowly: it is killed midway.
CHILD = """
import sys, time, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from solving.exact.hard import medium
from supersparse.solving.exact import engine, proof
from supersparse.solving.solve import solve

engine._SAVE_EVERY = 0.0
proof._SLICE_WORK = 2000
step = proof.Proof.step

def slow_step(self, cancelled):
    step(self, cancelled)
    time.sleep(0.02)

proof.Proof.step = slow_step
solve(medium(seed=0, intercept="paper"), "exact", checkpoint=sys.argv[2])
"""


def work_done(monkeypatch):
    """Count the slices of the solves that follow."""
    steps, step = [], Proof.step
    monkeypatch.setattr(Proof, "step", lambda self, cancelled: (steps.append(1), step(self, cancelled)))
    return steps


def test_a_killed_process_is_resumed_and_reaches_the_same_optimum(tmp_path, monkeypatch):
    problem, file = medium(seed=0, intercept="paper"), tmp_path / "open tree"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(TESTS), str(file)])
    try:
        while child.poll() is None:  # it ends by itself, however slow the machine is
            if file.exists() and b'"boxes": [' in file.read_bytes():  # a support is half done
                break
            time.sleep(0.01)
        assert child.poll() is None, "the child ended before it could be killed"
    finally:
        child.kill()
        child.wait()
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
        part = solve(problem, "exact", checkpoint=file, node_limit=60, n_jobs=threads)
        bounds.append(part.lower_bound)
        assert part.lower_bound <= best.objective <= part.objective
        if part.stop is Stop.OPTIMAL:
            break
        assert file.exists()
    assert part.stop is Stop.OPTIMAL
    assert (part.objective, part.evaluation.l1) == (best.objective, best.evaluation.l1)
    assert bounds == sorted(bounds)


def test_saving_all_the_time_beside_threads_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "_SAVE_EVERY", 0.0)
    monkeypatch.setattr(proof, "_SLICE_WORK", 20_000)
    problem, file = medium(seed=0), tmp_path / "file"
    best = solve(problem, "exact")
    stopped = solve(problem, "exact", checkpoint=file, n_jobs=2, node_limit=60)
    assert stopped.stop is Stop.NODE_LIMIT
    resumed = solve(problem, "exact", checkpoint=file)
    assert (resumed.objective, resumed.evaluation.l1) == (best.objective, best.evaluation.l1)


def test_the_second_bound_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(second, "_START_AFTER", 0)
    monkeypatch.setattr(second, "_WORK_PER_STEP", 10_000)  # many steps beside few nodes of the tree
    resumed, resume = [], SecondBound.resume
    monkeypatch.setattr(SecondBound, "resume", lambda self, left: (resumed.append(left), resume(self, left)))
    problem, file = few_squares([0, 2, 4, 6], max_points=3), tmp_path / "file"
    best = solve(problem, "exact")
    rounds = []
    while not rounds or (rounds[-1].stop is Stop.NODE_LIMIT and len(rounds) < 200):
        rounds.append(solve(problem, "exact", checkpoint=file, node_limit=20))
        assert rounds[-1].lower_bound <= best.objective
    bounds = [part.lower_bound for part in rounds]
    assert bounds == sorted(bounds)
    assert rounds[-1].proven_optimal
    assert rounds[-1].objective == best.objective
    assert any(node.sets for left in resumed for node in left.nodes)  # in the middle of a node


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The bytes of a real checkpoint of medium()."""
    file = tmp_path_factory.mktemp("saved") / "file"
    solve(medium(), "exact", checkpoint=file, node_limit=20)
    return file.read_bytes()


BAD = {
    "foreign": (lambda good: b"a,b\n1,2\n", "is not a"),
    "empty": (lambda good: b"", "is not a"),
    "binary": (lambda good: bytes(range(256)), "is not a"),
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
