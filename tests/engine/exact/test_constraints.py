"""Levels and limits in the engine: equal to exhaustive search, and each argument alone by enumeration."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.oracle.tree import obeys, within_limits
from strategies import constrained_problems
from supersparse import Problem, solve
from supersparse import constraints as c
from supersparse.engine.exact.literals import LiteralLimits
from supersparse.engine.integer_form import integer_form
from supersparse.engine.presolve import presolve
from supersparse.errors import InfeasibleError
from supersparse.problem.fingerprint import fingerprint

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def answer(problem, solver, **options):
    try:
        found = solve(problem, solver, **options)
    except InfeasibleError:
        return None
    assert found.proven_optimal
    assert found.proven_smallest
    return found.objective, found.evaluation.l1


def check(case):
    assert answer(case.problem, "exact") == answer(case.problem, "exhaustive")


@settings(max_examples=examples(60), deadline=None)
@given(constrained_problems())
def test_the_engine_gives_the_optimum_of_exhaustive_search(case):
    check(case)


@settings(max_examples=examples(25), deadline=None)
@given(constrained_problems())
def test_two_threads_give_the_same_optimum(case):
    assert answer(case.problem, "exact", n_jobs=2) == answer(case.problem, "exhaustive")


@pytest.mark.long
@settings(max_examples=3000, deadline=None)
@given(constrained_problems())
def test_the_engine_gives_the_optimum_of_exhaustive_search_long(case):
    check(case)


@settings(max_examples=examples(150))
@given(st.data())
def test_literals_are_dropped_only_where_no_obedient_model_has_them(draws):
    n = draws.draw(st.integers(1, 4))
    k = draws.draw(st.integers(1, 3))
    numbers = st.integers(-3, 3)
    weight = np.array(draws.draw(st.lists(numbers, min_size=2 * n * k, max_size=2 * n * k))).reshape(k, 2 * n)
    most = np.array(draws.draw(st.lists(numbers, min_size=k, max_size=k)))
    none = np.zeros((0, 2 * n), np.int64), np.zeros(0, np.int64)
    groups = draws.draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), max_size=2))
    side = np.array([[s * member for member in group for s in (1, -1)] for group in groups], np.int8)
    limits = LiteralLimits(weight, most, *none, side.reshape(-1, 2 * n), is_complete=True)
    allowed = np.array(draws.draw(st.lists(st.booleans(), min_size=2 * n, max_size=2 * n)))
    literals = tuple(draws.draw(st.lists(st.sampled_from(range(n)), unique=True, max_size=n - 1)))
    literals = tuple(2 * f + draws.draw(st.integers(0, 1)) for f in literals)
    for literal in literals:
        allowed[literal - literal % 2 : literal - literal % 2 + 2] = False
    room = draws.draw(st.integers(1, n))
    obedient = set()
    for size in range(1, room + 1):
        for features in combinations(range(n), size):
            for signs in product((0, 1), repeat=size):
                more = tuple(2 * f + s for f, s in zip(features, signs, strict=True))
                if allowed[list(more)].all() and obeys(limits, (*literals, *more)):
                    obedient.update(more)
    kept = within_limits(limits, literals, allowed, room)
    found = set() if kept is None else set(np.flatnonzero(kept).tolist())
    assert obedient <= found
    assert found <= set(np.flatnonzero(allowed).tolist())


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_prices_charge_for_what_exceeds_a_limit_and_never_more(draws):
    X, y = noisy(n=30, p=3, seed=draws.draw(st.integers(0, 50)))
    sex = np.where(np.arange(30) % 3, "f", "m")
    asked = [c.min_sensitivity(0.9), c.max_error(0.2), c.max_difference("error", group="sex", at_most=0.1)]
    problem = Problem.of(X, y, C0=0.01, max_points=2, constraints=asked, rate_groups={"sex": sex})
    form = integer_form(presolve(problem).problem)
    prices = np.array([draws.draw(st.integers(0, 50)) for _ in form.rates.most])
    priced = form.priced(prices.astype(float))
    assert (priced.positive >= 0).all()
    assert (priced.negative >= 0).all()
    vector = np.array([draws.draw(st.sampled_from(v.sample.tolist())) for v in form.values])
    scores = vector @ form.columns + draws.draw(st.integers(-5, 5)) * form.step
    up, down = scores + form.half <= 0, scores >= 0
    counted = form.rates.positive[:, up].sum(axis=1) + form.rates.negative[:, down].sum(axis=1)
    charged = form.positive[up].sum() + form.negative[down].sum() + prices @ (counted - form.rates.most)
    found = priced.positive[up].sum() + priced.negative[down].sum() + priced.shift
    assert found <= charged
    raw = form.rates.true_positive + prices @ form.rates.positive
    also = form.rates.true_negative + prices @ form.rates.negative
    if (raw >= 0).all() and (also >= 0).all():
        assert found == charged


def noisy(n=120, p=6, seed=0):
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (n, p))
    y = (X @ random.integers(-3, 4, p) + random.integers(-2, 3, n) > 0).astype(int)
    y[:6] = 0, 1, 0, 1, 0, 1
    return X, y


def test_a_limit_on_a_rate_is_obeyed_where_it_binds():
    X, y = noisy(seed=1)
    free = solve(Problem.of(X, y, C0=0.01, max_points=3), "exact")
    asked = [c.min_sensitivity(0.95)]
    bound = solve(Problem.of(X, y, C0=0.01, max_points=3, constraints=asked), "exact")
    assert free.evaluation.sensitivity < 0.95 <= bound.evaluation.sensitivity
    assert bound.objective > free.objective
    assert bound.proven_optimal


def test_nothing_obeys_is_proven():
    X, y = noisy()
    X[:60], y[:30], y[30:60] = 1, 0, 1  # thirty rows of each class that no model tells apart
    with pytest.raises(InfeasibleError, match=r"error of at most 0\.1"):
        solve(Problem.of(X, y, max_points=2, constraints=[c.max_error(0.1)]), "exact")


def test_a_checkpoint_of_other_constraints_is_foreign():
    X, y = noisy()
    asked = [
        [], [c.min_sensitivity(0.9)], [c.min_sensitivity(0.8)], [c.at_most(1, of=["x0", "x1"])],
        [c.only_if("x0", "x1")], [c.max_total_score(3)], [c.same_sign(["x*"])], [c.same_sign(["x0", "x1"])],
    ]  # fmt: skip
    names = {fingerprint(Problem.of(X, y, max_points=2, constraints=a)) for a in asked}
    names.add(fingerprint(Problem.of(X, y, levels=[([-1, 1], 0.01), ([-2, 2], 0.02)])))
    assert len(names) == len(asked) + 1
