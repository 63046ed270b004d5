"""The pool of the log loss against the loss of every card by brute force."""

from math import gcd

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conformance.risk_brute_force import all_cards, draw_risk
from counts import examples
from supersparse import Problem, pool, solve
from supersparse.errors import InfeasibleError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
deterministic = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
UNIT = 2  # the drawn sets have halves
NEAR = 2e-9  # cards this near to the limit may be in or out


def key(card, slope):
    whole = [int(v * UNIT) for v in card]
    shared = gcd(*whole) if slope == "free" else 1
    return tuple(v // max(shared, 1) for v in whole)


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]), within=st.sampled_from([0, 0.02, 0.3]))
@settings(deterministic, max_examples=examples(100))
def test_the_pool_is_that_of_trying_every_card(seed, slope, within):
    drawn = draw_risk(seed)
    tried = all_cards(drawn, slope_is_free=slope == "free")
    if tried is None:
        with pytest.raises(InfeasibleError):
            pool(drawn.problem(goal="risk", slope=slope), within)
        return
    found = pool(drawn.problem(goal="risk", slope=slope), within, max_models=10**6)
    assert found.complete
    best = min(tried.values())
    assert float(found.best) == pytest.approx(best, abs=1.1e-9)
    limit = (1 + within) * best
    inside = {key(w, slope) for w, value in tried.items() if value <= limit - NEAR}
    around = {key(w, slope) for w, value in tried.items() if value <= limit + NEAR * (2 + within)}
    cards = [tuple(float(v) for v in m.points.values) for m in found.models]
    keys = [key(card, slope) for card in cards]
    assert len(set(keys)) == len(keys) == found.count
    assert inside <= set(keys) <= around
    for card, model in zip(cards, found.models, strict=True):
        assert float(model.evaluation.objective) == pytest.approx(tried[card], abs=1e-8)
        assert model.evaluation.objective <= found.limit
    for j, name in enumerate(found.names):
        assert (name in found.always()) == all(card[j] for card in cards)
        assert (name in found.never()) == (not any(card[j] for card in cards))


def made():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (120, 5))
    y = (rng.random(120) < 1 / (1 + np.exp(1.5 - 2 * X[:, 0] - X[:, 1] + X[:, 2]))).astype(int)
    return Problem.of(X, y, goal="risk", max_points=3, C0=0.01)


def test_the_best_card_comes_first_and_points_are_in_lowest_terms():
    problem = made()
    found = pool(problem, 0.05, max_features=3)
    assert found.complete
    assert found.models[0].points == solve(problem.asking(max_features=3)).points
    assert all(gcd(*m.points.coefficients) <= 1 for m in found.models)
    assert [m.evaluation.objective for m in found.models] == sorted(m.evaluation.objective for m in found.models)
    assert str(found).endswith("; complete")
    assert {"log_loss", "slope"} <= set(found.table()[0])
    few = pool(problem, 0.05, max_features=3, max_models=2)
    assert (few.models, few.left_out, few.always()) == (found.models[:2], found.count - 2, found.always())


def test_a_card_that_may_not_be_in_lowest_terms_stays_as_it_is():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (60, 2))
    y = ((X.sum(axis=1) > 1) ^ (rng.random(60) < 0.2)).astype(int)
    problem = Problem.of(X, y, goal="risk", C0=0, points=[-2, 0, 2, 4])
    found = pool(problem, 0.01)
    assert {2, -2, 4} >= {c for m in found.models for c in m.points.coefficients if c}
    assert found.complete


def test_a_limit_gives_a_sample_that_says_so():
    found = pool(made(), 0.3, node_limit=1)
    assert not found.complete
    assert "possibly incomplete" in str(found)
