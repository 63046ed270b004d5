"""The loss of one card at slope 1: its bound holds in decimals, however far from 0 its columns lie."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from engine.risk.probes import probe_card_loss, probe_load
from supersparse.engine.risk.instance import new_support, risk_instance
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem


def least_loss(X, y, points):
    """The least mean loss over whole intercepts, with 50 digits."""
    with localcontext() as context:
        context.prec = 50
        totals = [
            sum(Decimal(repr(v)) * p.numerator / p.denominator for v, p in zip(row, points, strict=True))
            for row in X.tolist()
        ]

        def loss(b):
            z = [total + b if label else -(total + b) for total, label in zip(totals, y, strict=True)]
            return sum((1 + (-v).exp()).ln() for v in z) / len(y)

        b = -int(sorted(totals)[len(totals) // 2])
        while loss(b - 1) < loss(b):
            b -= 1
        while loss(b + 1) < loss(b):
            b += 1
        return loss(b)


@pytest.mark.parametrize("points", [range(-3, 4), [Fraction(n, 4) for n in (-6, -3, -1, 0, 1, 2, 6)]])
def test_the_bound_of_a_card_holds_in_decimals_and_is_near_wherever_its_columns_lie(points):
    rng = np.random.default_rng(0)
    X = np.round([7_000_000.3, 52_345_678.7] + 0.1 * rng.integers(0, 40, (14, 2)), 1)
    y = np.tile([0, 1], 7)
    problem = Problem.of(X, y, goal="risk", slope=1, points=CoefficientSet.of(points))
    instance = risk_instance(problem, slope_is_free=False)
    data, support, columns = instance.data, new_support(instance), np.arange(2)
    probe_load(data, support, columns)
    found, off = np.empty(2), []
    for card in product(points, repeat=2):
        index = np.array([list(v).index(p) for v, p in zip(instance.values, card, strict=True)])
        probe_card_loss(data, support, index, np.array([1.0, 0.0, 0.0, 0.0]), found)
        off.append(float(least_loss(X, y, card) - Decimal(found[1])))
    assert min(off) >= 0
    assert max(off) < 4 * data.limits[3] < 1e-12
