"""The exact checks refuse what is false."""

from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest

from engine.exact.partition.one_hot import few_squares, random_problem
from supersparse.engine.exact.partition.bound import NodeBound
from supersparse.engine.exact.partition.certificate import (
    BalancedSets,
    Certificate,
    Multipliers,
    are_balanced,
    check_certificate,
    find_groups,
    net_points,
)
from supersparse.engine.exact.partition.leaf import InfeasibleSets, is_infeasible, to_integers
from supersparse.engine.exact.partition.symmetry import Context, find_symmetries
from supersparse.engine.integer_form import integer_form
from supersparse.errors import VerificationError
from supersparse.problem.problem import Problem


def xor_points():
    # (0,0) and (1,1) are positive, (0,1) and (1,0) negative: the one balanced set is all of them
    return net_points(integer_form(Problem.of([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, 0, 0], C0=0.1, max_points=3)))


def xor_certificate(points, quad, value, fine=8):
    common = Multipliers(np.array([quad]), np.array([value], np.int64))
    return Certificate(fine=fine, common=common, by_state={})


def xor_quad(points):
    return [*np.flatnonzero(points.sign > 0), *np.flatnonzero(points.sign < 0)]


ALL_IN = ((0,), (0,))


def test_a_balanced_set_proves_one_error():
    points = xor_points()
    groups = find_groups(points)
    weight = int(points.weight[0])
    proven = check_certificate(points, groups, ALL_IN, xor_certificate(points, xor_quad(points), 8 * weight))
    assert proven.bound == 8 * (weight + int(points.feature_penalty.sum()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda q, w: (q, 8 * w + 1), "exceed"),
        (lambda q, w: (q, -1), "negative"),
        (lambda q, w: (q, 2**62), "too large"),
        (lambda q, w: ([q[0], q[0], q[2], q[3]], w), "not balanced"),
        (lambda q, w: ([q[2], q[3], q[0], q[1]], w), "not balanced"),  # classes exchanged
    ],
)
def test_a_false_certificate_is_refused(change, message):
    points = xor_points()
    quad, value = change(xor_quad(points), int(points.weight[0]))
    with pytest.raises(VerificationError, match=message):
        check_certificate(points, find_groups(points), ALL_IN, xor_certificate(points, quad, value))


def test_a_set_of_one_state_is_not_believed_in_another():
    # with the first column out, any positive and negative of equal second value are balanced; not with it in
    points = xor_points()
    groups = find_groups(points)
    positive = np.flatnonzero(points.sign > 0)
    negative = [
        int(np.flatnonzero((points.sign < 0) & (points.level[:, 1] == points.level[p, 1]))[0]) for p in positive
    ]
    pair = Multipliers(np.array([[positive[0]] * 2 + [negative[0]] * 2]), np.array([8 * int(points.weight[0])]))
    allowed = ((0, 1), (0,))
    nothing = Multipliers(np.zeros((0, 4), np.int64), np.zeros(0, np.int64))
    certificate = Certificate(fine=8, common=nothing, by_state={(0, 1): pair})
    assert check_certificate(points, groups, allowed, certificate).in_state[0][1] == 8 * int(
        points.feature_penalty[1] + points.weight[0]
    )
    with pytest.raises(VerificationError, match="not balanced"):
        check_certificate(points, groups, allowed, replace(certificate, by_state={(0, 0): pair}))
    with pytest.raises(VerificationError, match="not balanced"):
        check_certificate(points, groups, allowed, replace(certificate, common=pair, by_state={}))


def test_alternative_states_share_a_capacity_but_groups_do_not():
    points = xor_points()
    groups = find_groups(points)
    allowed = ((1,), (0, 1))
    everything_out = Multipliers(np.array([xor_quad(points)]), np.array([8 * int(points.weight[0])]))
    shared = Certificate(fine=8, common=everything_out, by_state={(1, 1): everything_out})
    with pytest.raises(VerificationError, match="exceed the weight"):
        check_certificate(points, groups, allowed, shared)
    nothing = Multipliers(np.zeros((0, 4), np.int64), np.zeros(0, np.int64))
    alternative = Certificate(fine=8, common=nothing, by_state={(1, 0): everything_out, (1, 1): everything_out})
    assert check_certificate(points, groups, allowed, alternative).bound == 8 * int(points.weight[0])


@pytest.mark.parametrize("seed", range(25))
def test_pricing_finds_the_cheapest_balanced_set_of_each_sum(seed):
    points = net_points(integer_form(random_problem(seed)))
    rng = np.random.default_rng(seed)
    columns = sorted(rng.choice(points.n_features, rng.integers(0, points.n_features + 1), replace=False).tolist())
    price = rng.random(points.n)
    best = {}
    for p in combinations_with_replacement(np.flatnonzero(points.sign > 0), 2):
        for n in combinations_with_replacement(np.flatnonzero(points.sign < 0), 2):
            total = points.level[list(p)][:, columns].sum(axis=0)
            if (total == points.level[list(n)][:, columns].sum(axis=0)).all():
                cost = float(price[sorted({*p, *n})].sum())
                best[total.tobytes()] = min(cost, best.get(total.tobytes(), np.inf))
    sets = BalancedSets(points, columns)
    assert sets.n_sums == len(best)
    quads, least = sets.price(price, np.inf, len(best), np.random.default_rng(0))
    assert are_balanced(points, quads, columns).all()
    found = sorted(float(price[np.unique(q)].sum()) for q in quads)
    np.testing.assert_allclose(found, sorted(best.values()), atol=1e-6)
    assert not best or least == pytest.approx(min(best.values()), abs=1e-6)


def test_one_hot_groups_are_found_and_have_their_states():
    points = net_points(integer_form(few_squares([0, 4])))
    groups = find_groups(points)
    assert [g.columns for g in groups] == [(0, 1, 2), (3, 4, 5)]
    assert [sorted(s.available) for s in groups[0].states] == [[0, 1, 2], [0], [1], [2], []]
    cost = int(points.feature_penalty[0])
    assert [s.penalty for s in groups[0].states] == [2 * cost, cost, cost, cost, 0]


def test_the_symmetries_of_the_board_are_found_and_map_points_onto_points():
    points = net_points(integer_form(few_squares(range(9))))
    symmetries = find_symmetries(points, find_groups(points))
    assert len(symmetries) == 8
    for s in symmetries:
        moved = np.zeros_like(points.level)
        moved[s.point[:, None], s.column] = points.level
        assert (moved == points.level).all()
        assert (points.sign[s.point] == points.sign).all()
        assert (points.weight[s.point] == points.weight).all()


def test_a_node_bound_with_symmetries_equals_the_one_without():
    points = net_points(integer_form(few_squares([0, 2, 6, 8])))
    groups = find_groups(points)
    symmetries = find_symmetries(points, groups)
    assert len(symmetries) >= 8
    allowed = tuple((0, 1, 2, 3, 4) for _ in groups)
    bounds = []
    for used in (symmetries, symmetries[:1]):
        node = NodeBound(Context(points, groups, used), allowed)
        assert sum(1 for _ in node.prepare()) == 1 + 4 * (1 if len(used) > 1 else 4)
        while not node.finished:
            proven = node.step()
        bounds.append(proven.bound / proven.fine)
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-3)


def test_an_infeasible_set_is_proven_in_integers_and_a_false_one_is_not():
    points = xor_points()
    finder = InfeasibleSets(points, [0, 1])
    q = finder.find(np.ones(points.n), np.ones(points.n, bool))
    assert q is not None
    assert len(q) == 4
    assert is_infeasible(points, [0, 1], q, np.ones(4, np.int64))
    mu = np.ones(4, np.int64)
    mu[0] = 2
    assert not is_infeasible(points, [0, 1], q, mu)  # Σ y μ is not 0
    assert not is_infeasible(points, [0, 1], q[:2], np.ones(2, np.int64))
    assert not is_infeasible(points, [0, 1], q, -np.ones(4, np.int64))
    usable = np.ones(points.n, bool)
    usable[q[0]] = False
    assert finder.find(np.ones(points.n), usable) is None


def test_the_coefficients_reach_counts_in_an_infeasible_set():
    # a positive 1 and a negative 0: with whole intercepts right together iff the coefficient reaches 2
    def points(largest):
        problem = Problem.of([[1], [0]], [1, 0], C0=0.1, max_points=largest, intercept=(-5, 5))
        return net_points(integer_form(problem))

    one = np.ones(2, np.int64)
    assert is_infeasible(points(1), [0], np.arange(2), one)
    assert not is_infeasible(points(2), [0], np.arange(2), one)
    assert is_infeasible(points(2), [], np.arange(2), one)  # the column is not available


def test_the_coefficients_reach_counts_with_a_free_threshold_too():
    # positives (1, 0) and (-1, 4) above a negative (0, 1) need v0 > v1 and 3·v1 > v0: at least 2 and 1
    mu_of = {(1, 0): 3, (-1, 4): 1, (0, 1): 4}

    def is_proven(largest):
        problem = Problem.of(list(mu_of), [1, 1, 0], C0=0.1, max_points=largest)
        points = net_points(integer_form(problem))
        mu = np.array([mu_of[tuple(x)] for x in points.x.tolist()], np.int64)
        return is_infeasible(points, [0, 1], np.arange(3), mu)

    assert is_proven(1)
    assert not is_proven(2)


def test_rounded_multipliers_stay_balanced():
    sign = np.array([1, 1, -1, -1, -1])
    rounded = to_integers(sign, np.array([0.3, 0.2, 1 / 6, 1 / 6, 1 / 6]))
    assert (rounded * sign).sum() == 0
    assert (rounded > 0).all()


def test_where_sums_are_few_pricing_returns_several_sets_of_one_sum():
    # without columns all sums are equal, and yet three positives and three negatives give disjoint sets
    problem = Problem.of(np.eye(6), [1, 1, 1, 0, 0, 0], C0=0.1, max_points=3)
    points = net_points(integer_form(problem))
    sets = BalancedSets(points, [])
    assert sets.n_sums == 1
    quads, _ = sets.price(np.full(6, 0.1), 1.0, 40, np.random.default_rng(0))
    assert are_balanced(points, quads, []).all()
    assert set(np.unique(quads)) == set(range(6))
