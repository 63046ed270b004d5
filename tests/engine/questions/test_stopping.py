"""Searches for questions that stop, and go on: limits, Ctrl-C, kill -9, checkpoints damaged and forged."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from base64 import b64decode, b64encode
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from engine.questions.stopped import body_of, hard, larger, stopped, with_digests, with_state
from supersparse import solve
from supersparse.base.errors import InvalidOptionError, SupersparseError
from supersparse.base.stop import Stop
from supersparse.engine.questions.search import SearchOptions, search
from supersparse.engine.questions.solver import _NODE as NODE
from supersparse.problem.objective import evaluate


def test_a_search_that_stops_goes_on_from_its_checkpoint_and_its_bound_only_rises():
    problem = larger()
    options = SearchOptions(search_incumbent=False)
    whole = search(problem, options)
    checkpoint, bound, runs = b"", -1.0, 0
    while True:
        outcome = search(
            problem, replace(options, work_limit=max(whole.work["work"] // 30, 500)), checkpoint=checkpoint
        )
        assert bound - 1e-9 <= outcome.bound <= whole.best.objective + 1e-9
        bound, checkpoint, runs = outcome.bound, outcome.checkpoint, runs + 1
        if outcome.proven:
            break
        assert runs < 60
    assert runs >= 2
    assert outcome.best == whole.best
    assert checkpoint == b""


def test_a_search_stops_when_its_time_is_up_or_a_callback_fails():
    problem = larger(rows=900, count=14)
    stopped = search(problem, SearchOptions(seconds=0.0))
    assert not stopped.proven
    assert stopped.bound <= stopped.best.objective
    seen = []

    def progress(objective, bound, open_parts):
        seen.append((objective, bound, open_parts))
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        search(problem, SearchOptions(search_incumbent=False), progress=progress)
    assert len(seen) == 1
    assert threading.active_count() < 20


def test_a_search_that_stops_among_its_first_cards_looks_for_them_once_more_and_then_no_more():
    problem = larger()
    whole, checkpoint = search(problem), b""
    heard = []
    for _ in range(2):
        stopped = search(problem, SearchOptions(work_limit=1), checkpoint=checkpoint)
        assert stopped.best.objective > whole.best.objective + 1e-3
        checkpoint = stopped.checkpoint
        outcome = search(problem, checkpoint=checkpoint, progress=lambda *state: heard.append(state[0]))
        assert outcome.best == whole.best
        assert outcome.proven
        heard.append(None)
    # the first that is heard of a search comes before it proves anything
    assert heard[0] == pytest.approx(whole.best.objective, abs=1e-12)
    assert heard[heard.index(None) + 1] == pytest.approx(stopped.best.objective, abs=1e-12)


def test_a_stopped_search_goes_on_from_its_checkpoint(tmp_path):
    problem = hard()
    whole = solve(problem)
    file, bound = tmp_path / "search", Fraction(-1)
    for _ in range(100):
        found = solve(problem, checkpoint=file, node_limit=whole.nodes // 2)
        assert bound <= found.lower_bound + Fraction(1, 10**9)
        bound = found.lower_bound
        if found.stop is Stop.OPTIMAL:
            break
        assert found.stop is Stop.NODE_LIMIT
        assert file.exists()
    assert found.points == whole.points
    assert not file.exists()
    solve(problem, checkpoint=file, node_limit=2)
    other = hard(most=3)
    with pytest.raises(InvalidOptionError, match="another problem"):
        solve(other, checkpoint=file)
    file.write_bytes(file.read_bytes().replace(b"search", b"hcraes", 1))
    with pytest.raises(InvalidOptionError, match="damaged"):
        solve(problem, checkpoint=file)


@pytest.mark.parametrize("name", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.long)])
def test_ctrl_c_keeps_the_best_card_the_bound_and_the_checkpoint(name, tmp_path):
    problem, file, told = hard(most=6), tmp_path / "search", []

    def send(event):  # once, when the search has begun
        if not told:
            os.kill(os.getpid(), getattr(signal, name))
        told.append(event)

    found = solve(problem, checkpoint=file, on_progress=send)
    assert found.stop is Stop.INTERRUPTED
    assert 0 < found.lower_bound <= found.objective
    assert found.objective == evaluate(problem, found.points).objective
    further = solve(problem, checkpoint=file, node_limit=2)
    assert found.lower_bound - Fraction(1, 10**9) <= further.lower_bound
    assert further.objective <= found.objective


# Slices of so much work; in the middle of one that follows its first checkpoint the process waits to be killed.
KILLED = """
import sys, threading
from dataclasses import replace
from engine.questions.stopped import hard
from supersparse import solve
from supersparse.engine.questions import solver

search, save, saved = solver.search, solver.checkpoint.Checkpoint.save, []

def in_slices(form, options, *, progress, **rest):
    def hang(*state):
        if saved:
            print("hangs", flush=True)
            threading.Event().wait()
        progress(*state)
    return search(form, replace(options, work_limit=int(sys.argv[1])), progress=hang, **rest)

solver.search = in_slices
solver.checkpoint.Checkpoint.save = lambda *given: (save(*given), saved.append(given))
solve(hard(), checkpoint="search")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_kill_9_in_the_middle_loses_at_most_what_came_after_the_last_checkpoint(tmp_path):
    problem, file, tests = hard(), tmp_path / "search", Path(__file__).parents[2]
    whole = solve(problem)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tests), *sys.path])}
    bounds = [Fraction(0)]
    for _ in range(3):  # each goes on where the one before was killed
        command = [sys.executable, "-c", KILLED, str(whole.nodes * NODE // 6)]
        with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"hangs\n"
            process.kill()
        assert process.returncode == -signal.SIGKILL
        bounds.append(solve(problem, checkpoint=copied(file), node_limit=1).lower_bound)
    assert bounds == sorted(bounds)
    assert bounds[1] < bounds[-1] <= whole.objective
    found = solve(problem, checkpoint=file)
    assert found.proven_optimal
    assert found.points == whole.points
    assert found.nodes < whole.nodes
    assert not file.exists()


def copied(file):
    return shutil.copy(file, file.with_name("copy"))


def test_a_checkpoint_of_another_problem_or_a_damaged_one_is_refused():
    problem, options, checkpoint = stopped()
    with pytest.raises(InvalidOptionError, match="another problem"):
        search(replace(problem, max_questions=3), options, checkpoint=checkpoint)
    for at in range(0, len(checkpoint), 7):
        damaged = bytearray(checkpoint)
        damaged[at] ^= 4
        with pytest.raises(InvalidOptionError, match=r"damaged|not a checkpoint"):
            search(problem, options, checkpoint=bytes(damaged))
    with pytest.raises(InvalidOptionError, match=r"damaged|not a checkpoint"):
        search(problem, options, checkpoint=checkpoint[:-3])


def put(at, value):
    return lambda state: state.__setitem__(at, value)


def state(*numbers):
    return put(slice(0, None), numbers)


# A state is how often first cards may still be searched, the number of parts, and of each: bits of its bound, most,
# decoding, and three lists after their lengths.
NAN = int(np.array([np.nan]).view(np.int64)[0])
FORGERIES = {
    "more attempts than there are": put(0, 3),
    "attempts below none": put(0, -1),
    "attempts beyond 32 bits": put(0, 2**32 + 1),
    "more parts than there are": put(1, 10**12),
    "parts below none": put(1, 0),
    "a bound that is no number": put(2, NAN),
    "more questions than are allowed": put(3, 99),
    "a size below 0": put(3, -1),
    "a size beyond 32 bits": put(3, 2**32 + 1),
    "a list of impossible length": put(5, 10**9),
    "a list of negative length": put(5, -1),
    "a list as long as numbers go": put(5, 2**63 - 1),
    "what goes on after its end": lambda state: state.append(0),
    "what ends too early": lambda state: state.pop(),
    "an empty state": lambda state: state.clear(),
    "a question that there is not": state(0, 1, 0, 2, 0, 1, 99, 1, 0, 0),
    "a question below the first": state(0, 1, 0, 2, 0, 0, 1, -1, 0),
    "a question twice": state(0, 1, 0, 2, 0, 1, 0, 1, 0, 0),
    "points of no question": state(0, 1, 0, 2, 1, 0, 0, 0),
    "points beyond the largest": state(0, 1, 0, 2, 1, 1, 0, 0, 1, 64),
    "points of sets of questions": state(0, 1, 0, 2, 0, 1, 0, 1, 1, 1, 2),
    "more points than answers": state(0, 1, 0, 2, 1, 1, 0, 0, 4, 1, 1, 1, 1),
    "questions out of order": state(0, 1, 0, 2, 1, 2, 1, 0, 0, 0),
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_checkpoint_with_right_digests_is_refused(forgery):
    problem, options, checkpoint = stopped()
    with pytest.raises(InvalidOptionError, match="damaged"):
        search(problem, options, checkpoint=with_state(checkpoint, forgery))


def test_points_of_a_set_that_is_not_allowed_are_refused():
    problem, options, _ = stopped()
    limited = replace(problem, must=frozenset({1}))
    own = search(limited, replace(options, work_limit=2000)).checkpoint
    with pytest.raises(InvalidOptionError, match="does not belong to this problem"):
        search(limited, options, checkpoint=with_state(own, state(0, 1, 0, 2, 1, 1, 0, 0, 0)))


def test_whatever_whole_numbers_stand_in_a_checkpoint_it_is_refused_or_gives_allowed_cards():
    problem, options, checkpoint = stopped()
    rng, refused, body = np.random.default_rng(5), 0, body_of(checkpoint)
    for _ in range(100):
        changed = bytearray(body)
        for _ in range(int(rng.integers(1, 4))):
            at = 4 * int(rng.integers(0, len(body) // 4))
            value = int(rng.choice([0, 1, 2, 3, 7, 63, 64, 2**31 - 1, -1, int(rng.integers(-(2**31), 2**31))]))
            changed[at : at + 4] = np.int32(value).tobytes()
        try:
            outcome = search(
                problem, replace(options, seconds=1.0), checkpoint=with_digests(checkpoint, bytes(changed))
            )
        except SupersparseError:
            refused += 1
            continue
        for card in outcome.cards:
            assert len(card.asked) <= problem.max_questions
            asked = [(problem.questions[j], card.points[j]) for j in card.asked]
            assert all(question.admits(points) for question, points in asked)
    assert refused > 10


def test_a_file_that_no_search_wrote_is_refused_by_name(tmp_path):
    problem, file = hard(), tmp_path / "search"
    solve(problem, checkpoint=file, node_limit=2)
    head, _, body = file.read_bytes().partition(b"\n")
    content = json.loads(body)
    inside = b64decode(content["search"])
    for forged in (
        {"search": 3}, {"search": "?"}, {"search": b64encode(inside[:-1]).decode()}, {},
        {"search": b64encode(with_state(inside, put(5, -1))).decode()},
    ):  # fmt: skip
        body = json.dumps({"problem": content["problem"], **forged}).encode()
        file.write_bytes(head.rpartition(b" ")[0] + b" " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        with pytest.raises(InvalidOptionError, match=r"not written by a search|damaged|not a checkpoint"):
            solve(problem, checkpoint=file, node_limit=2)
