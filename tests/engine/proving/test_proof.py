"""The frame with a toy engine: whatever happens to its workers, no part is lost and no bound is above the optimum."""

import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from engine.losing import Changing, Losing, Stale, patient
from engine.proving.toy import WORDS, Toy
from supersparse.engine.proving.cluster import Cluster, RemoteParts
from supersparse.engine.proving.open_parts import OpenParts
from supersparse.engine.proving.proof import Left, Proof
from supersparse.errors import WorkerLostWarning

pytestmark = pytest.mark.usefixtures(patient.__name__)
tried = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
losses = st.lists(st.integers(0, 30), min_size=len(WORDS), max_size=len(WORDS))
slack = st.integers(0, 4)


def assert_nothing_lost(proof, toy):
    """Every word that is better than the best known one is in an open part, and the bound is no better than it."""
    with toy.lock:
        better = {w: loss for w, loss in zip(WORDS, toy.losses, strict=True) if loss < toy.best}
        beginnings = {part.beginning for part in proof.open_parts()}
        assert all(any(word[:n] in beginnings for n in range(len(word) + 1)) for word in better)
        bound = proof.bound
        assert min([toy.best] if bound is None else [bound, toy.best]) <= min(toy.losses)


@tried
@given(losses, slack, st.booleans(), st.integers(1, 7))
def test_steps_of_any_length_end_at_the_optimum(losses, slack, keeps, most):
    toy = Toy(losses, slack, keeps=keeps)
    proof = Proof(toy)
    proof.begin()
    while proof.is_open:
        assert_nothing_lost(proof, toy)
        proof.step(most=most)
    assert toy.best == min(losses)
    assert len(toy.seen) == len(set(toy.seen))  # nothing is done twice
    assert proof.work >= len(toy.seen)


@tried
@given(losses, slack, st.booleans(), st.integers(2, 4))
def test_threads_end_at_the_optimum(losses, slack, keeps, threads):
    toy = Toy(losses, slack, keeps=keeps)
    proof = Proof(toy)
    proof.begin()
    proof.step()  # this thread's worker goes on in one of the others
    workers = proof.start(threads)
    while proof.is_open:
        assert_nothing_lost(proof, toy)
        proof.wait(0.001)
    proof.finish(workers)
    assert toy.best == min(losses)
    assert len(toy.seen) == len(set(toy.seen))


@tried
@given(losses, slack, st.booleans(), st.integers(1, 3), st.integers(1, 40))
def test_a_worker_that_fails_puts_its_parts_back_and_its_error_is_raised(losses, slack, keeps, threads, after):
    toy = Toy(losses, slack, keeps=keeps, fails_after=after)
    proof = Proof(toy)
    proof.begin()
    workers = proof.start(threads)
    for worker in workers:
        worker.join()
    if toy.fails_after > 0:  # it was done before
        proof.finish(workers)
        assert toy.best == min(losses)
        return
    with pytest.raises(ZeroDivisionError, match="a worker fails"):
        proof.finish(workers)
    assert_nothing_lost(proof, toy)
    assert not proof.is_open  # there is nobody to close it


@tried
@given(losses, slack, st.booleans(), st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_a_proof_that_is_killed_goes_on_from_what_was_saved(losses, slack, keeps, steps):
    best = 10**6
    parts, bounds = None, []
    for n in [*steps, 10**6]:
        toy = Toy(losses, slack, best, keeps)
        proof = Proof(toy)
        proof.begin(parts)
        while proof.is_open and n:
            proof.step(most=2)
            n -= 1
        # what is written now is all that is left of the process
        parts, best = toy.from_bytes(b"".join(toy.to_bytes([part]) for part in proof.open_parts())), toy.best
        assert_nothing_lost(proof, toy)
        bounds.append(proof.bound if proof.is_open else best)
    assert bounds == sorted(bounds)
    assert best == min(losses)


def forged(result):
    """Answers that no slice can have given."""
    for change in (
        {"parts": b"no parts"},
        {"parts": bytes([1, 7, 0, 0, 0])},
        {"parts": bytes([0, 0, 0, 0, 0])},  # everything, as if nothing had been done
        {"found": (-1,)},
        {"found": None},
        {"question": b"another"},
    ):
        yield result._replace(**change)
    yield None
    yield "done"


@tried
@given(
    losses,
    slack,
    st.booleans(),
    st.sampled_from(["loses some", "lies", "answers what was asked before", "is shut down"]),
    st.sets(st.integers(1, 40), max_size=12),
    st.integers(0, 7),
)
def test_lost_and_lying_workers_change_nothing(losses, slack, keeps, kind, lost, lie):
    toy = Toy(losses, slack, keeps=keeps)
    proof = Proof(toy)
    proof.begin()
    for _ in range(3):  # so that something is at hand, and parts differ from everything
        proof.step(most=1)
    executors = {
        "loses some": lambda: Losing(lost),
        "lies": lambda: Changing(lambda result: [*forged(result)][lie]),
        "answers what was asked before": Stale,
        "is shut down": lambda: Losing(lost, last=5),
    }

    def is_over():
        assert_nothing_lost(proof, toy)
        return not proof.is_open

    with executors[kind]() as executor, warnings.catch_warnings():
        warnings.simplefilter("ignore", WorkerLostWarning)
        Cluster(RemoteParts(proof, toy), executor).run(is_over)
    assert toy.best == min(losses)


def test_an_interrupted_cluster_opens_again_what_was_sent():
    toy = Toy(list(range(len(WORDS), 0, -1)), 3)
    proof = Proof(toy)
    proof.begin()
    asked = []
    with Losing() as executor:
        Cluster(RemoteParts(proof, toy), executor).run(lambda: asked.append(1) or len(asked) > 2)
    assert proof.is_open
    assert_nothing_lost(proof, toy)


def test_open_parts_come_by_bound_then_by_age():
    parts = OpenParts()
    for bound, name in ((5, "a"), (3, "b"), (5, "c"), (3, "d")):
        parts.push(bound, name)
    assert parts.bound == 3
    assert parts.take(3, lambda first, other: other != "c").parts == ["b", "d", "a"]
    assert parts.bound == 3  # of what was taken
    assert list(parts) == ["c", "b", "d", "a"]


def test_what_is_at_hand_stays_taken_and_counts():
    parts = OpenParts()
    parts.push(1, "node")
    taken = parts.take()
    parts.put(taken, [(5, "child")], [(2, "rest")])
    assert (parts.bound, parts.first, parts.takers, len(parts)) == (2, 5, 1, 1)
    parts.put(taken, [(2, "rest")])
    assert (parts.bound, parts.takers, len(parts)) == (2, 0, 2)


def test_parts_are_divided_where_others_have_nothing_to_do():
    class Divided(Toy):
        def pieces(self, part, most):
            return [part] if part.beginning else [self.part((letter,)) for letter in range(3)][:most]

    toy = Divided(list(range(len(WORDS))), 0)
    proof = Proof(toy, threads=3)
    proof.begin()
    taken = proof.take(1)
    proof.put(taken, Left([toy.part(())]))
    assert sorted(part.beginning for part in proof.open_parts()) == [(0,), (1,), (2,)]
