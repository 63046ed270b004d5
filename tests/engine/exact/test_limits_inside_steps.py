"""A limit that is reached inside a step must end the solve, whatever the step had done by then."""

import pytest

from supersparse import Problem, Stop, solve
from supersparse.datasets import load_breast_cancer

PAPER_SET = sorted([0, *(s * v for v in (1, 5, 10, 50, 100, 500) for s in (1, -1))])


@pytest.mark.parametrize("nodes", range(8))
def test_every_small_node_limit_ends_the_solve(nodes):
    data = load_breast_cancer()
    problem = Problem.of(data.X, data.y, C0=0.006, points=PAPER_SET, intercept="paper")
    found = solve(problem, "exact", node_limit=nodes)
    assert found.stop is Stop.NODE_LIMIT
    assert found.lower_bound <= found.objective
