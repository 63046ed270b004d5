"""The engine of questions and exhaustive search against brute force, over all that can be asked of questions."""

import math

import numpy as np
import pytest

from conformance.questions_brute_force import draw, every_card, obeys_rates
from supersparse import Problem, RiskScoreClassifier, solve
from supersparse.errors import InfeasibleError
from supersparse.problem.objective import violated

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def order(fitted):
    """Of cards that are as good: fewer questions, the smaller largest total, the order of columns, then of points."""
    asked = [j for j, points in enumerate(fitted.card) if any(points)]
    return len(asked), sum(map(max, fitted.card)), asked, [fitted.card[j] for j in asked]


def check(seed):
    drawn = draw(seed)
    cards = every_card(drawn)
    obeying = [(fitted, *obeys_rates(drawn, fitted)) for fitted in cards]
    surely, maybe = [each for each, sure, _ in obeying if sure], [each for each, _, may in obeying if may]
    try:
        problem = drawn.problem()
        found = solve(problem)
    except InfeasibleError:
        assert not surely
        if cards:
            with pytest.raises(InfeasibleError):
                solve(problem, "exhaustive")
        return
    assert found.proven_optimal
    assert violated(problem, found.points) == []
    mine = [fitted for fitted in maybe if fitted.card == found.points.answers]
    assert len(mine) == 1, "a card that is not allowed"
    assert float(found.objective) == pytest.approx(mine[0].objective, abs=2e-9)
    assert float(found.objective) <= min((fitted.objective for fitted in surely), default=math.inf) + 2e-9
    least = min(fitted.objective for fitted in maybe)
    assert float(found.lower_bound) <= least + 1e-12
    if len(surely) == len(maybe):
        near = [fitted for fitted in surely if fitted.objective < least + 1.2e-9]
        if all(fitted.objective < least + 0.8e-9 for fitted in near):
            assert found.points.answers == min(near, key=order).card
    every = solve(problem, "exhaustive")
    assert float(every.objective) == pytest.approx(float(found.objective), abs=2e-9)
    assert found.lower_bound <= every.objective


@pytest.mark.parametrize("seed", range(15))
def test_the_card_of_questions_is_that_of_brute_force(seed):
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 1000, 100))
def test_many_cards_of_questions_are_those_of_brute_force(first):
    for seed in range(first, first + 100):
        check(seed)


@pytest.mark.parametrize("seed", range(3))
def test_net_benefit_of_a_card_of_questions_counts_classes_and_never_soft_labels(seed):
    rng = np.random.default_rng([2, seed])
    X = rng.integers(0, 3, (200, 3))
    y = (rng.random(200) < 1 / (1 + np.exp(1.5 - X[:, 0]))).astype(int)
    soft = 0.1 + 0.8 * rng.random(200)  # which have nothing to do with the classes
    weights = rng.integers(1, 4, 200)
    problem = Problem.of_questions(
        X, y, soft_labels=soft, sample_weight=weights, max_points=3, max_questions=2, C0=0, risk_threshold=0.4
    )
    solution = solve(problem)
    total = sum(np.array(own)[X[:, j]] for j, own in enumerate(solution.points.answers))
    above = 1 / (1 + np.exp(-(solution.slope * total + solution.offset))) > 0.4

    def net_benefit(labels):
        odds = 0.4 / 0.6
        return float((above * weights) @ (labels - odds * (1 - labels)) / weights.sum())

    found, cases = solution.evaluation, float(weights @ y)
    right = found.sensitivity * cases
    wrong = (1 - found.specificity) * (weights.sum() - cases)
    assert (right - 0.4 / 0.6 * wrong) / weights.sum() == pytest.approx(net_benefit(y), abs=1e-12)
    assert abs(net_benefit(y) - net_benefit(soft)) > 0.01
    assert found.training_errors == int(weights @ (above != (y == 1)))


def test_a_card_with_a_teacher_tells_the_net_benefit_of_the_classes():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 4, (300, 3)).astype(float)
    y = rng.random(300) < 1 / (1 + np.exp(2 - X[:, 0] + 0.5 * X[:, 1]))
    model = RiskScoreClassifier(max_questions=2, max_points=3, risk_threshold=0.3).fit(X, y.astype(int))
    system, above = model.scoring_system_, model.predict_proba(X)[:, 1] > 0.3
    right, wrong = int((above & y).sum()), int((above & ~y).sum())
    seen = system.card.performance[0]
    assert (seen.true_positives, seen.false_positives) == (right, wrong)
    (point,) = system.evaluate(X, y.astype(int)).forecasts.decision_curve([0.3]).points
    assert point.treat_some == pytest.approx((right - wrong * 0.3 / 0.7) / 300)
