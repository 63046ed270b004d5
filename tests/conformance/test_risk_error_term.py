"""What "proven" says of a log loss, with 50 digits: no card is better by more than 1e-9.

Weights and columns differ by many orders of magnitude, so that sums in floating point round a lot. Slopes and
intercepts come from the brute force in numpy; the loss there is computed in decimals, which is at least that
of the best slope and intercept, and above it by far less than 1e-12.
"""

import random
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conformance.risk_brute_force import DrawnRisk, fitted_cards
from counts import examples
from supersparse import solve
from supersparse.errors import UnsupportedProblemError
from supersparse.problem.log_loss import PROOF_TOLERANCE

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
EVALUATION = Fraction(1, 10**11)  # what the evaluator's own sum may be off, as `proves` allows


def nasty(seed: int) -> DrawnRisk:
    """Few rows whose weights and values differ by up to ten orders of magnitude."""
    r = random.Random(seed)
    n, p = r.randint(6, 16), r.choice([2, 3])
    columns = []
    for _ in range(p):
        scale, shift = 10.0 ** r.randint(-4, 6), r.choice([0.0, 0.0, 1e5, -7e6])
        columns.append([shift + scale * r.choice([0, 1, 2, 3.5]) for _ in range(n)])
    spread = r.choice([0, 3, 6])
    weights = [round(10.0 ** r.uniform(-spread, spread), 6) + 1e-6 for _ in range(n)]
    y = [r.randint(0, 1) for _ in range(n)]
    y[:2] = [0, 1]
    return DrawnRisk(
        X=[list(row) for row in zip(*columns, strict=True)],
        y=y,
        sets=[[-2.0, -1.0, 0.0, 1.0, 2.0]] * p,
        C0=[r.choice([0, 0.001, 0.1])] * p,
        max_features=r.choice([None, 2]),
        weights=weights,
        class_weight=r.choice([(1.0, 1.0), (1.0, 1000.0), (0.001, 1.0)]),
    )


def exact(value):
    return Decimal(repr(value))


class Judge:
    """The objective of a card in decimals, from its definition."""

    def __init__(self, drawn):
        self.drawn = drawn
        weights = list(map(exact, drawn.weights))
        cost = [exact(drawn.class_weight[label]) for label in drawn.y]
        self.weights = [w * c / sum(weights) for w, c in zip(weights, cost, strict=True)]
        self.rows = [list(map(exact, row)) for row in drawn.X]

    def __call__(self, points, slope, offset):
        """Log loss plus penalty at this slope and the log odds of a total of 0."""
        loss = Decimal(0)
        for row, label, weight in zip(self.rows, self.drawn.y, self.weights, strict=True):
            z = slope * sum(w * x for w, x in zip(points, row, strict=True)) + offset
            loss += weight * (1 + (-z if label else z).exp()).ln()
        return loss + sum(exact(c) for c, w in zip(self.drawn.C0, points, strict=True) if w)


def least(drawn, judge, slope):
    """The least objective of all cards, as far as numpy's slopes and intercepts give it."""
    fitted = fitted_cards(drawn, slope_is_free=slope == "free")
    near = sorted(range(len(fitted.cards)), key=fitted.values.__getitem__)[:6]
    found = []
    for k in near:
        points = [exact(w) for w in fitted.cards[k]]
        totals = [sum(w * x for w, x in zip(points, row, strict=True)) for row in judge.rows]
        first, last = totals.index(min(totals)), totals.index(max(totals))
        logits = [Decimal(float(z)) for z in fitted.logits[k]]
        spread = totals[last] - totals[first]
        a = (logits[last] - logits[first]) / spread if spread else Decimal(1)
        a = Decimal(1) if slope == 1 else max(a, Decimal(0))
        b = logits[first] - a * totals[first]
        found.append(judge(points, a, b.to_integral_value() if slope == 1 else b))
    return min(found)


def check(seed, slope):
    drawn = nasty(seed)
    problem = drawn.problem(goal="risk", slope=slope)
    try:
        solution, early = solve(problem), solve(problem, node_limit=1)
    except UnsupportedProblemError as refused:
        assert "digits" in str(refused)  # noqa: PT017
        return
    with localcontext() as context:
        context.prec = 50
        judge = Judge(drawn)
        best = Fraction(least(drawn, judge, slope))
        points = [Decimal(v.numerator) / v.denominator for v in solution.points.values]
        own = Fraction(judge(points, Decimal(solution.slope), Decimal(solution.offset)))
    assert solution.lower_bound <= best
    assert early.lower_bound <= best
    assert abs(own - solution.objective) <= EVALUATION
    if solution.proven_optimal:
        assert solution.objective <= best + PROOF_TOLERANCE + EVALUATION
    else:  # where rounding may be more than the tolerance, nothing is claimed
        assert solution.objective - solution.lower_bound > PROOF_TOLERANCE


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]))
@settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=examples(40),
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
def test_no_card_is_better_than_was_claimed_with_50_digits(seed, slope):
    check(seed, slope)
