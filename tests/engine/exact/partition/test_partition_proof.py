"""The partition bound beside the tree: its turns, and what happens when it fails."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from supersparse.base.stop import Stop
from supersparse.engine.exact.bounds import SHARES
from supersparse.engine.exact.partition import partition
from supersparse.engine.exact.partition.partition import PartitionProof
from supersparse.engine.integer_form import integer_form
from supersparse.engine.proving.bounds import Known, Turns
from supersparse.engine.proving.proof import Budget
from supersparse.engine.solve import solve
from supersparse.problem.problem import Problem


def binary_form(**options):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (30, 4))
    y = (X.sum(axis=1) + rng.integers(0, 2, 30) > 2).astype(int)
    return integer_form(Problem.of(X, y, C0=0.05, max_points=3, **options))


def turns_of(bound):
    return Turns({"partition": replace(SHARES["partition"], make=lambda _: bound)}, None)


def test_it_waits_for_the_first_proof_and_then_takes_its_share():
    bound, after = PartitionProof(binary_form()), SHARES["partition"].after
    turns = turns_of(bound)
    assert not turns.is_due(bound, after - 1)
    assert turns.is_due(bound, after)


def test_it_stays_out_where_a_size_limit_decides():
    bound = PartitionProof(binary_form(max_features=1))
    assert not turns_of(bound).is_due(bound, 10**15)


def test_a_step_proves_a_bound_that_the_target_limits():
    target = Fraction(1, 10)
    bound = PartitionProof(binary_form())
    assert bound.bound == 0
    bound.step(Known(target, Fraction(0)), Budget(None, lambda: False))
    assert 0 <= bound.bound <= target


def test_a_failure_in_its_thread_reaches_the_caller(monkeypatch):
    def fail(self, deadline):
        raise RuntimeError("no program could be solved")

    monkeypatch.setattr(partition.PartitionBound, "run", fail)
    with pytest.raises(RuntimeError, match="no program could be solved"):
        PartitionProof(binary_form()).step(Known(Fraction(1, 10), Fraction(0)), Budget(None, lambda: False))


def test_a_proof_that_it_closes_says_that_ties_were_left_open(monkeypatch):
    def close(self, known, budget):
        monkeypatch.setattr(PartitionProof, "bound", known.objective)
        monkeypatch.setattr(PartitionProof, "work", 1)

    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (200, 12))
    y = (X @ rng.integers(-3, 4, 12) + rng.normal(0, 2, 200) > 0).astype(int)
    problem = Problem.of(X, y, C0=0.006, max_points=10)
    monkeypatch.setitem(SHARES, "partition", replace(SHARES["partition"], after=0, part=4))
    monkeypatch.setattr(PartitionProof, "step", close)
    solution = solve(problem, "exact", node_limit=10**6)
    assert solution.stop is Stop.BOUND
    assert "equally good" in Stop.BOUND.value
    assert solution.proven_optimal
    assert not solution.proven_smallest
