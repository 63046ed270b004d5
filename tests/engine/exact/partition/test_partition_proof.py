"""The partition bound beside the tree: its turns, and what happens when it fails."""

from fractions import Fraction

import numpy as np
import pytest

from supersparse.base.stop import Stop
from supersparse.engine.exact.partition import partition
from supersparse.engine.exact.partition.partition import PartitionProof
from supersparse.engine.integer_form import integer_form
from supersparse.engine.solve import solve
from supersparse.problem.problem import Problem


def binary_form(**options):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (30, 4))
    y = (X.sum(axis=1) + rng.integers(0, 2, 30) > 2).astype(int)
    return integer_form(Problem.of(X, y, C0=0.05, max_points=3, **options))


def test_it_waits_for_the_first_proof_and_then_takes_its_share():
    bound = PartitionProof(binary_form())
    assert not bound.is_due(partition._START_AFTER - 1)
    assert bound.is_due(partition._START_AFTER)


def test_it_stays_out_where_a_size_limit_decides():
    assert not PartitionProof(binary_form(max_features=1)).is_due(10**15)


def test_a_step_proves_a_bound_that_the_target_limits():
    target = Fraction(1, 10)
    proven = PartitionProof(binary_form()).step(target, 0, lambda: False)
    assert 0 <= proven <= target


def test_a_failure_in_its_thread_reaches_the_caller(monkeypatch):
    def fail(self, deadline):
        raise RuntimeError("no program could be solved")

    monkeypatch.setattr(partition.PartitionBound, "run", fail)
    with pytest.raises(RuntimeError, match="no program could be solved"):
        PartitionProof(binary_form()).step(Fraction(1, 10), 0, lambda: False)


def test_a_proof_that_it_closes_says_that_ties_were_left_open(monkeypatch):
    def close(self, target, proof_work, should_stop):
        self.work += partition._WORK_PER_STEP
        return target

    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (200, 12))
    y = (X @ rng.integers(-3, 4, 12) + rng.normal(0, 2, 200) > 0).astype(int)
    problem = Problem.of(X, y, C0=0.006, max_points=10)
    monkeypatch.setattr(PartitionProof, "is_due", lambda self, proof_work: True)
    monkeypatch.setattr(PartitionProof, "step", close)
    solution = solve(problem, "exact", node_limit=10**6)
    assert solution.stop is Stop.BOUND
    assert "equally good" in Stop.BOUND.value
    assert solution.proven_optimal
    assert not solution.proven_smallest
