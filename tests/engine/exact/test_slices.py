"""Compiled slices: the same optimum and bounds as the tree in plain Python, however short they are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.enumerate import cuts_of
from engine.exact.forms import forms
from engine.exact.hard import medium
from engine.exact.oracle.tree import ReferenceProof
from strategies import cases
from supersparse.engine.exact.cuts import Cuts
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.open_parts import Part, from_bytes, to_bytes
from supersparse.engine.exact.pair_covers import PairCovers
from supersparse.engine.exact.slices import CaseData, Slicer
from supersparse.engine.exact.tree_data import IMPROVING, PIECE
from supersparse.engine.integer_form import integer_form
from supersparse.engine.options import SolveOptions
from supersparse.engine.presolve import MergeRows
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.proving.proof import Budget, Proof
from supersparse.engine.search.incumbent import smallest_coefficients
from supersparse.problem.objective import completed

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def never():
    return False


def proven(problem, kind, work=None, threads=1):
    """Prove a problem without any search; return (F, l1) of the best model, None where there is none.

    For more than one thread, supports that are half searched are divided.
    """
    merged = MergeRows.apply(problem)
    monitor = Monitor(merged, SolveOptions(), lambda points: points)
    monitor.incumbent(completed(merged, smallest_coefficients(merged)))
    form = integer_form(merged)
    cuts = Cuts(form, monitor)
    proof = ReferenceProof(cuts, instances(form)) if kind is None else Proof(kind(cuts, instances(form)), threads)
    proof.begin()
    seen = []
    while proof.is_open:
        seen.append((proof.bound, cuts.tie))
        proof.step(never, work)
    best = monitor.best_evaluation
    for bound, tie in seen:  # while a better model is to come, it is in what is open
        assert tie == cuts.tie or bound <= cuts.tie
    return None if best is None else (best.objective, best.l1)


@settings(max_examples=examples(500))
@given(cases(), st.sampled_from([None, 1, 500, 5000]), st.sampled_from([1, 5]))
def test_the_compiled_tree_and_the_reference_agree(case, work, threads):
    assert proven(case.problem, PairCovers, work, threads) == proven(case.problem, None)


@pytest.mark.long
@settings(max_examples=10_000)
@given(cases(), st.sampled_from([None, 1, 500, 5000]), st.sampled_from([1, 5]))
def test_they_agree_on_ten_thousand_problems(case, work, threads):
    assert proven(case.problem, PairCovers, work, threads) == proven(case.problem, None)


@settings(max_examples=examples(100))
@given(forms(), st.integers(1, 3000), st.sampled_from([1, 5]))
def test_parts_go_through_bytes_and_slices_of_any_length_change_nothing(form, work, threads):
    for instance in instances(form):
        optimum = []
        for is_cut_up in (False, True):
            cuts = cuts_of(form)
            tree = PairCovers(cuts, [instance])
            proof = Proof(tree, threads)
            proof.begin()
            while proof.is_open:
                if not is_cut_up:
                    proof.step(never)
                    continue
                taken = proof.take(3)
                parts = from_bytes(to_bytes(taken.parts), instance.n_features)
                proof.put(taken, tree.worker().work_on(parts, Budget(work, never, threads)))
            optimum.append((cuts.now.tie, cuts.now.l1))
        assert optimum[0] == optimum[1]


@pytest.mark.parametrize("intercept", ["free", (-20, 20)])
def test_the_second_phase_of_a_divided_support_begins_when_the_first_has_ended(intercept):
    form = integer_form(MergeRows.apply(medium(seed=0, intercept=intercept)))
    instance = instances(form)[-1]
    proof = Proof(PairCovers(cuts_of(form), [instance]), 4)
    proof.begin([Part(0, instance.case, (0, 2, 4))])
    phases = []
    while proof.is_open:
        proof.step(never, 1000)
        phases.append(sorted(part.phase for part in proof.open_parts()))
    assert phases[0].count(PIECE) == len(phases[0]) > 1
    assert [IMPROVING] in phases  # nothing but the second phase, which is still to begin
    assert all(IMPROVING not in open_now or open_now == [IMPROVING] for open_now in phases)


def test_slices_end_soon_once_the_proof_is_to_stop():
    form, done = integer_form(MergeRows.apply(medium(seed=0))), []
    (instance,) = instances(form)
    for is_over in (False, True):
        tree = PairCovers(cuts_of(form), [instance])
        proof = Proof(tree, 4)
        proof.begin()
        for _ in range(10):  # slices grow at first
            tree.budget(proof.open_parts(), None, 4)
        if is_over:
            proof.finish([])
        left, work, _ = tree.worker().work_on(proof.open_parts(), Budget(None, never, 4))
        done.append(work)
    assert left
    assert done[1] < done[0] / 2


def test_bytes_that_end_early_are_refused():
    with pytest.raises(ValueError, match="end early"):
        from_bytes(to_bytes([])[:0] + (1).to_bytes(8, "little"), 3)


@pytest.mark.parametrize("intercept", ["free", (-20, 20), "paper"])
def test_what_a_slice_leaves_does_not_change_when_the_next_one_runs(intercept):
    form = integer_form(MergeRows.apply(medium(seed=0, intercept=intercept)))
    instance = instances(form)[-1]
    cuts = cuts_of(form)
    slicer = Slicer(instance.case, CaseData(instance).data(never))
    supports = [(a, b, c) for a in (0, 1) for b in (2, 3) for c in (4, 5)]
    left = [(part, part.boxes.copy()) for support in supports for part in begun(slicer, cuts, instance, support)]
    assert len(left) > 1
    assert all((part.boxes == boxes).all() for part, boxes in left)


def begun(slicer, cuts, instance, support):
    """A support after a few boxes, if it is still open."""
    left, _ = slicer.run([Part(0, instance.case, support)], cuts, 3000, 3000, never)
    return [part for part in left if part.boxes is not None]
