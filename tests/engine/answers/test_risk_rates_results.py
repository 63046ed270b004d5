"""Path, edits and conflicts of risk problems with limits on rates, against brute force over all cards."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from conformance.risk_brute_force import fitted_cards
from engine.answers.test_risk_results import NEGATIVE, SET, drawn
from supersparse import constraints as c
from supersparse import frontier, solve, what_if
from supersparse.engine.answers.penalty_grid import solve_each_penalty
from supersparse.engine.explain import explain_infeasible
from supersparse.errors import InfeasibleError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
SLOPES = ["free", 1]
RATES = {
    "sensitivity": ([("min_sensitivity", 0.9)], 0.17),
    "error": ([("max_error", 0.22)], 0.47),
    "both": ([("min_sensitivity", 0.7), ("max_error", 0.22)], 0.23),
}
each_rate = pytest.mark.parametrize(
    "rates", ["both", *(pytest.param(name, marks=pytest.mark.long) for name in ("sensitivity", "error"))]
)
each_slope = pytest.mark.parametrize("slope", SLOPES)


def limited(rates, **more):
    asked, threshold = RATES[rates]
    return replace(drawn(**more), rates=asked, risk_threshold=threshold)


@cache
def every_card(slope):
    """All cards with their log loss, without any limit."""
    return fitted_cards(drawn(C0=0, max_features=None), slope_is_free=slope == "free")


def least(of, slope):
    """The least objective of the cards that obey; None if there is none."""
    fitted, most = every_card(slope), of.max_features or len(of.sets)
    surely, maybe = (fitted.within_rates(of, in_doubt=doubt) for doubt in (False, True))
    assert (surely == maybe).all(), "a risk is too near to the threshold"
    obeys = [
        all(v in own for v, own in zip(w, of.sets, strict=True)) and np.count_nonzero(w) <= most and of.obeys(w)
        for w in fitted.cards
    ]
    allowed = surely & np.array(obeys)
    values = fitted.values + of.C0[0] * np.count_nonzero(fitted.cards, axis=1)
    return values[allowed].min() if allowed.any() else None


def test_the_limits_matter():
    for rates in RATES:
        for slope in SLOPES:
            assert least(limited(rates), slope) > least(drawn(), slope) + 1e-3


@each_slope
@each_rate
def test_the_path_has_the_best_card_of_every_penalty(rates, slope):
    path = frontier(limited(rates).problem(goal="risk", slope=slope), 3).path()
    inside = [one.low + (Fraction(1, 100) if one.high is None else (one.high - one.low) / 2) for one in path.stretches]
    for C0 in [*inside, Fraction(1, 50)]:
        found, best = path.at(C0), least(limited(rates, C0=float(C0)), slope)
        assert found.proven_optimal
        assert float(found.objective) == pytest.approx(best, abs=3e-9)
        assert float(found.lower_bound) <= best + 1e-12


@each_slope
@each_rate
def test_each_of_several_penalties_has_its_best_card(rates, slope):
    values = [0.002, 0.02, 0.2]
    found = solve_each_penalty(limited(rates).problem(goal="risk", slope=slope), values)
    for C0, solution in zip(values, found, strict=True):
        assert solution.proven_optimal
        assert float(solution.objective) == pytest.approx(least(limited(rates, C0=C0), slope), abs=3e-9)


@each_slope
@each_rate
@pytest.mark.parametrize(
    ("edit", "asked"),
    [
        ({"forbid": "d"}, {"sets": [SET, SET, SET, [0.0]]}),
        ({"force": "d"}, {"asked": [("must_use", "d")]}),
        ({"sign": {"a": "-"}}, {"sets": [NEGATIVE, SET, SET, SET]}),
        ({"max_features": 2}, {"max_features": 2}),
        ({"constraints": [c.at_most(1, of=["a", "b"])]}, {"asked": [("at_most", 1, ["a", "b"])]}),
    ],
    ids=["forbid", "force", "sign", "max_features", "constraint"],
)
def test_the_price_of_an_edit_is_that_of_trying_every_card(rates, slope, edit, asked):
    before = solve(limited(rates).problem(goal="risk", slope=slope))
    best = least(limited(rates, **asked), slope)
    if best is None:
        with pytest.raises(InfeasibleError):
            what_if(before, **edit)
        return
    found = what_if(before, **edit)
    price = best - least(limited(rates), slope)
    assert found.after.proven_optimal
    assert float(found.cost) == pytest.approx(price, abs=3e-9)
    low, high = found.cost_bounds
    assert float(low) - 1e-11 <= price <= float(high) + 1e-11


@each_slope
def test_a_limit_on_rates_as_an_edit_has_the_price_of_trying_every_card(slope):
    before = solve(drawn().problem(goal="risk", slope=slope, risk_threshold=0.47))
    found = what_if(before, constraints=[c.max_error(0.22)])
    price = least(limited("error"), slope) - least(drawn(), slope)
    assert float(found.cost) == pytest.approx(price, abs=3e-9)


@each_slope
def test_a_conflict_with_rates_is_the_smallest_there_is(slope):
    of = replace(drawn(max_features=None), risk_threshold=0.47)
    asked = {
        "error": (c.max_error(0.22), {"rates": [("max_error", 0.22)]}),
        "few": (c.at_most(1, of=["a", "b", "c", "d"]), {"asked": [("at_most", 1, list("abcd"))]}),
        "d": (c.must_use("d"), {"asked": [("must_use", "d")]}),
    }

    def feasible(names):
        parts = [asked[name][1] for name in names]
        one = replace(of, **{k: [x for p in parts for x in p.get(k, [])] for k in ("rates", "asked")})
        return least(one, slope) is not None

    conflicting = [
        {asked[name][0] for name in names}
        for size in range(1, 4)
        for names in combinations(asked, size)
        if not feasible(names) and all(feasible(some) for some in combinations(names, size - 1))
    ]
    assert conflicting  # by brute force
    problem = of.problem(goal="risk", slope=slope, risk_threshold=0.47).asking([one for one, _ in asked.values()])
    found = explain_infeasible(problem)
    assert found.smallest
    assert set(found.constraints) in conflicting
    with pytest.raises(InfeasibleError, match="cannot be satisfied together"):
        solve(problem)
