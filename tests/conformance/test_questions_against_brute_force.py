"""The engine of questions and exhaustive search against brute force, over all that can be asked of questions."""

import numpy as np
import pytest

from conformance.questions_brute_force import draw, every_card, obeys_rates
from supersparse import solve
from supersparse.errors import InfeasibleError
from supersparse.problem.objective import violated

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
RATES = ("min_sensitivity", "min_specificity", "max_error", "max_false_positive_rate", "max_difference")


def order(fitted):
    """Of cards that are as good: fewer questions, the smaller largest total, the order of columns, then of points."""
    asked = [j for j, points in enumerate(fitted.card) if any(points)]
    return len(asked), sum(map(max, fitted.card)), asked, [fitted.card[j] for j in asked]


def check(seed):
    drawn = draw(seed)
    cards = every_card(drawn)
    has_rates = any(name in RATES for name, _, _ in drawn.asked)
    try:
        problem = drawn.problem()
        found = solve(problem)
    except InfeasibleError:
        assert not cards or has_rates
        if has_rates and cards:
            with pytest.raises(InfeasibleError):
                solve(problem, "exhaustive")
        return
    assert found.proven_optimal
    assert violated(problem, found.points) == []
    mine = [fitted for fitted in cards if fitted.card == found.points.answers]
    assert len(mine) == 1, "a card that is not allowed"
    assert float(found.objective) == pytest.approx(mine[0].objective, abs=2e-9)
    total = sum(np.array(own)[np.array(drawn.X)[:, j]] for j, own in enumerate(found.points.answers))
    assert obeys_rates(drawn, total, found.slope, found.offset, 1e-6)
    if not has_rates:
        least = min(fitted.objective for fitted in cards)
        assert float(found.objective) == pytest.approx(least, abs=2e-9)
        near = [fitted for fitted in cards if fitted.objective < least + 1.2e-9]
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
