"""Limits on rates with goal risk, against brute force over all cards."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conformance.risk_brute_force import draw_rates, fitted_cards
from counts import examples
from supersparse import solve
from supersparse.errors import InfeasibleError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

deterministic = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)


def check(seed, slope):
    drawn = draw_rates(seed)
    fitted = fitted_cards(drawn, slope_is_free=slope == "free")
    surely = np.zeros(0, bool) if fitted is None else fitted.within_rates(drawn, in_doubt=False)
    maybe = np.zeros(0, bool) if fitted is None else fitted.within_rates(drawn, in_doubt=True)
    try:
        solution = solve(drawn.problem(goal="risk", slope=slope))
    except InfeasibleError:
        assert not surely.any()
        return
    assert solution.proven_optimal
    values = fitted.values
    if surely.any():
        assert float(solution.objective) <= values[surely].min() + 1.1e-9
    assert float(solution.objective) >= values[maybe].min() - 1e-9
    # the card itself obeys, from its risks
    x, y = np.array(drawn.X), np.array(drawn.y)
    s = np.ones(len(y)) if drawn.weights is None else np.array(drawn.weights)
    points = np.array([float(v) for v in solution.points.values])
    odds = np.log(drawn.risk_threshold / (1 - drawn.risk_threshold))
    wrong = (solution.slope * (x @ points) + solution.offset > odds) != (y == 1)
    for kind, bound in drawn.rates:
        of = {"min_sensitivity": y == 1, "min_specificity": y == 0, "max_error": y == y}[kind]
        assert (wrong * s * of).sum() / (s * of).sum() <= (bound if kind == "max_error" else 1 - bound) + 1e-12


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", "free", 1]))
@settings(deterministic, max_examples=examples(120))
def test_limits_on_rates_agree_with_brute_force(seed, slope):
    check(seed, slope)
