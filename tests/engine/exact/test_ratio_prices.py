"""The ratio bound's linear program, which guesses multipliers: beside scipy's on random groups of points."""

import numpy as np
import pytest
from scipy.optimize import linprog

from counts import examples
from supersparse.base.integer_arrays import Ints
from supersparse.engine.core import kernel
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.ratio_data import FINE, MEMBERS, BoxStack, PointPairs, point_pairs, stack_for
from supersparse.engine.integer_form import integer_form
from supersparse.problem.problem import Problem

FEATURES, GROUPS = 5, 60


@kernel
def probe_ratio_prices(
    stack: BoxStack, pairs: PointPairs, undecided: Ints, first: int, kept: int, enough: float
) -> None:
    """Solve with the first groups, let the others join, and go on from there."""


def random_groups(seed):
    """Pairs of points with weights and penalties, and groups of them with factors."""
    rng = np.random.default_rng(seed)
    X = rng.permutation(60).reshape(12, FEATURES)
    y = np.tile([0, 1], 6)
    weights = rng.integers(1, 4, 12)
    (case,) = instances(integer_form(Problem.of(X, y, C0=0.02, max_points=2, sample_weight=weights)))
    pairs = point_pairs(case)
    stack = stack_for(pairs)
    listed, undecided = stack.listed, np.flatnonzero(rng.random(FEATURES) < 0.7)
    n = int(rng.integers(2, GROUPS + 1))
    for s in range(n):
        size = int(rng.integers(2, MEMBERS))
        listed.place[s], listed.size[s] = s, size
        listed.member[s] = -1
        listed.member[s, :size] = rng.permutation(len(pairs.weight))[:size]
        listed.factor[s, : len(undecided)] = rng.integers(-FINE, FINE + 1, len(undecided))
    return pairs, stack, undecided, n, rng


@pytest.mark.parametrize("seed", range(examples(40)))
def test_multipliers_are_near_the_best_and_prices_say_how_near(seed):
    pairs, stack, undecided, n, rng = random_groups(seed)
    listed, points = stack.listed, len(pairs.weight)
    probe_ratio_prices(stack, pairs, undecided, int(rng.integers(1, n + 1)), n, 1e9)
    rows = np.zeros((points + 2 * len(undecided), n))
    for s in range(n):
        rows[listed.member[s, : listed.size[s]], s] = 1
        factor = listed.factor[s, : len(undecided)] / FINE
        rows[points::2, s], rows[points + 1 :: 2, s] = np.maximum(factor, 0), np.maximum(-factor, 0)
    limits = np.concatenate([pairs.weight / FINE, np.repeat(pairs.penalty[undecided], 2)])
    best = -linprog(-np.ones(n), rows, limits).fun
    multipliers = listed.guess[:n].astype(float) / FINE
    # limits are up to a hundredth larger, and steps that gain little are left out
    assert (rows @ multipliers <= 1.01 * limits + 1e-3 * limits.max()).all()
    assert 0.85 * best <= multipliers.sum() <= 1.011 * best
    prices = np.concatenate([listed.demand[:points], listed.rate[:, undecided].T.ravel()]).astype(float)
    assert (prices >= 0).all()
    assert (1 - prices @ rows <= listed.gain[:n] + 1e-3).all()  # prices just below 0 are read as 0
    assert (listed.gain[:n] * stack.prices.worth[:n] <= 0.1 + 1e-3).all()


def test_it_stops_once_the_multipliers_are_enough():
    pairs, stack, undecided, n, _ = random_groups(1)
    probe_ratio_prices(stack, pairs, undecided, n, n, 1e9)
    best = float(stack.listed.guess[:n].sum()) / FINE
    probe_ratio_prices(stack, pairs, undecided, n, n, 0.3 * best)
    assert 0.3 * best < stack.listed.guess[:n].sum() / FINE < best
