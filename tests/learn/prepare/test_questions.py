"""Questions worth asking: round cuts, answers with enough rows, points that rise or fall."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import Prepare, ScoringSystem, SLIMClassifier
from supersparse.card.rules import InRange
from supersparse.learn.prepare.cuts import ClassCounts, ClassTarget, Enough, optimal_cuts, tree_cuts
from supersparse.learn.prepare.round_numbers import Roundness

METHODS = ["optimal", "tree", "quantile"]


def cuts_of(prepare, column):
    lows = [f.rule.low for f in prepare.features_ if f.column == column and isinstance(f.rule, InRange)]
    return sorted(float(low) for low in lows)


def planted(of_81, n=400, seed=0):
    """Patients whose outcome is decided by a pulse of exactly 81, beside an age that tells a little."""
    random = np.random.default_rng(seed)
    pulse = random.integers(55, 110, n)
    pulse[pulse == 81] = 80
    pulse[random.permutation(n)[:of_81]] = 81
    age = random.integers(20, 90, n)
    y = np.where(pulse == 81, 1, random.random(n) < 0.15 + 0.3 * (age >= 65)).astype(int)
    return {"pulse": pulse, "age": age}, y


@pytest.mark.parametrize("cuts", METHODS)
@pytest.mark.parametrize("of_81", [3, 9, 12, 60])
def test_a_planted_effect_of_exactly_81_is_not_singled_out(of_81, cuts):
    table, y = planted(of_81)
    model = SLIMClassifier(prepare=Prepare(cuts=cuts), C0=0.0025, time_limit=20).fit(table, y)
    scored = model.decision_function({"pulse": np.arange(50, 115), "age": np.full(65, 50)})
    steps = np.diff(scored)
    assert (steps >= 0).all() or (steps <= 0).all()  # 81 never has more points than both its neighbours
    found = cuts_of(model.prepare_, "pulse")
    for low, high in pairwise(found):
        assert ((table["pulse"] >= low) & (table["pulse"] < high)).sum() >= 10


def test_the_planted_effect_is_found_where_it_is_allowed():
    # what the test above would look like without the rules: the trap is a real one
    table, y = planted(60)
    prepare = Prepare(cut_points={"pulse": [81, 82]}, shape={"pulse": "any"})
    model = SLIMClassifier(prepare=prepare, C0=0.0025, time_limit=20).fit(table, y)
    below, at, above = model.decision_function({"pulse": np.array([80, 81, 82]), "age": np.full(3, 50)})
    assert below < at > above
    rising = SLIMClassifier(prepare=prepare.set_params(shape=None), C0=0.0025, time_limit=20).fit(table, y)
    assert rising.scoring_system_.card.provenance.objective > model.scoring_system_.card.provenance.objective


@settings(max_examples=examples(60), deadline=None)
@given(
    values=st.lists(st.integers(0, 60), min_size=20, max_size=300),
    scale=st.sampled_from([1, 0.1, 25]),
    cuts=st.sampled_from(METHODS),
    seed=st.integers(0, 100),
)
def test_before_between_and_after_the_cuts_there_are_enough_rows(values, scale, cuts, seed):
    x = np.array(values) * scale
    y = np.random.default_rng(seed).random(len(x)) < 0.2 + 0.6 * (x > np.median(x))
    y[:2] = False, True
    table = {"x": x, "other": np.arange(len(x)) % 2}  # so that some column is always of use
    found = cuts_of(Prepare(cuts=cuts, rare="auto").fit(table, y), "x")
    least = max(10, 0.02 * len(x)) if len(x) >= 50 else len(x) / 5
    for low, high in pairwise([-np.inf, *found, np.inf]):
        assert ((x >= low) & (x < high)).sum() >= least


@pytest.mark.parametrize("cuts", ["optimal", "tree"])
def test_a_finer_cut_is_offered_only_where_it_tells_enough_more(cuts):
    random = np.random.default_rng(1)
    age = random.integers(18, 96, 1000)
    sharp = (random.random(1000) < np.where(age >= 63, 0.9, 0.1)).astype(int)
    assert 63 in cuts_of(Prepare(cuts=cuts).fit({"age": age}, sharp), "age")
    smooth = (random.random(1000) < 1 / (1 + np.exp(-(age - 63) / 15))).astype(int)
    found = cuts_of(Prepare(cuts=cuts).fit({"age": age}, smooth), "age")
    assert len(found) >= 3
    assert all(cut % 5 == 0 for cut in found)


@pytest.mark.parametrize(
    ("low", "high", "whole", "step"),
    [
        (28, 84, True, "5"),  # years
        (96, 183, True, "10"),  # mmHg
        ("36.2", "39.1", False, "0.25"),  # degrees Celsius
        ("0.6", "2.1", False, "0.1"),  # creatinine
        ("7.22", "7.49", False, "0.025"),  # pH
        (0, 9, True, "1"),  # visits
        (4, 4, True, "1"),
    ],
)
def test_the_step_of_a_column_is_the_one_people_use(low, high, whole, step):
    assert Roundness.of(Fraction(low), Fraction(high), whole=whole).step == Fraction(step)


@given(st.integers(1, 10**6), st.integers(-3, 3))
def test_multiples_of_coarser_steps_are_never_less_round(number, power):
    roundness = Roundness(Fraction(10), whole=False)
    cut = number * Fraction(10) ** power
    assert roundness.steps_off(cut * 10) <= max(roundness.steps_off(cut), 4)
    assert roundness.steps_off(cut) == roundness.steps_off(-cut)


@settings(max_examples=examples(60))
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=8),
    st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.5]), min_size=7, max_size=7),
)
def test_prices_enter_the_choice_of_the_best_cut_exactly(pairs, prices):
    bins = ClassCounts(*np.array(pairs, dtype=float).T)
    price = np.array(prices[: len(pairs) - 1])

    def cost(cut):
        parts = [slice(0, cut + 1), slice(cut + 1, None)]
        entropy = 0.0
        for part in parts:
            counts = np.array([bins.negative[part].sum(), bins.positive[part].sum()])
            entropy -= sum(c * np.log(c / counts.sum()) for c in counts if c)
        return entropy + price[cut]

    offered = optimal_cuts(bins, 1, 0.0, price)
    if offered:
        assert cost(offered[0]) == pytest.approx(min(map(cost, range(len(pairs) - 1))))


def test_a_tree_moves_its_cuts_to_rounder_places():
    bins = ClassCounts(np.array([9.0, 9.0, 8.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 9.0, 9.0]))
    assert tree_cuts(bins, 1, 0.0) == [2]
    assert tree_cuts(bins, 1, 0.0, np.array([20.0, 0.0, 20.0, 20.0])) == [1]
    assert tree_cuts(bins, 1, 0.0, np.array([1.0, 0.0, 1.0, 1.0])) == [2]


def test_categories_and_levels_hold_enough_rows_too():
    y = np.arange(300) % 2
    jobs = ["a"] * 150 + ["b"] * 130 + ["c"] * 11 + ["d"] * 9
    grades = ["low"] * 140 + ["mid"] * 5 + ["high"] * 140 + ["top"] * 15
    y[:100], y[-60:] = 0, 1
    prepare = Prepare(ordered={"grade": ["low", "mid", "high", "top"]}).fit({"job": jobs, "grade": grades}, y)
    names = prepare.get_feature_names_out().tolist()
    assert "job = c" in names
    assert "job = d" not in names
    assert "job: 4 categories; d in fewer than 10 rows: no question of their own" in prepare.notes_
    assert sum(name.startswith("grade") for name in names) == 2  # not both mid and high: 5 rows between
    assert "grade: 4 levels in order; 2 of 3 steps offered, with 10 rows between" in prepare.notes_


def test_tables_of_few_rows_ask_for_a_fifth_and_say_so():
    x, y = np.arange(30) * 2.5, (np.arange(30) >= 17).astype(int)
    prepare = Prepare().fit({"x": x}, y)
    assert prepare.notes_[0] == (
        "only 30 rows: every answer holds at least 6 rows, a fifth of them; from 50 rows on it would be 10"
    )
    assert cuts_of(prepare, "x")
    assert Prepare(rare=0.1).fit({"x": x}, y).notes_[0].startswith("x: cut at")


def test_weights_that_are_no_whole_numbers_count_by_their_share():
    random = np.random.default_rng(0)
    x, weights = random.integers(0, 80, 200), random.random(200) + 0.5
    y = (x + random.normal(0, 20, 200) > 40).astype(int)
    expected = Prepare().fit({"x": x}, y, sample_weight=weights).features_
    assert Prepare().fit({"x": x}, y, sample_weight=weights / 1000).features_ == expected
    assert Enough.of(ClassTarget(np.ones(1000), None), None).weight == 20


def test_points_rise_or_fall_unless_any_shape_is_allowed():
    random = np.random.default_rng(2)
    age = random.integers(20, 90, 500)
    young_or_old = ((age < 40) | (age >= 70)).astype(int)
    y = np.where(random.random(500) < 0.1, 1 - young_or_old, young_or_old)

    def points(**shape):
        prepare = Prepare(**shape)
        model = SLIMClassifier(prepare=prepare, C0=0.005, time_limit=20).fit({"age": age}, y)
        assert model.proven_optimal_
        return model.decision_function({"age": np.arange(20, 90)}), model.scoring_system_.card.provenance

    default, of_default = points()
    assert (np.diff(default) >= 0).all() or (np.diff(default) <= 0).all()
    anything, of_anything = points(shape={"age": "any"})
    assert (np.diff(anything) > 0).any()
    assert (np.diff(anything) < 0).any()
    assert of_anything.objective < of_default.objective
    assert "points monotone in age" in of_default.allowed
    rising, of_rising = points(shape={"age": "rising"})
    assert (np.diff(rising) >= 0).all()
    falling, of_falling = points(direction={"age": "-"})
    assert (np.diff(falling) <= 0).all()
    assert of_default.objective == min(of_rising.objective, of_falling.objective)


def test_intervals_are_any_shape_and_a_shape_excludes_intervals():
    random = np.random.default_rng(0)
    table = {"a": random.integers(0, 100, 200), "b": random.integers(0, 100, 200)}
    y = (table["a"] + table["b"] + random.normal(0, 30, 200) > 100).astype(int)
    prepare = Prepare(intervals=True, shape={"a": "monotone"}).fit(table, y)
    between = {f.column for f in prepare.features_ if isinstance(f.rule, InRange) and f.rule.high is not None}
    assert between == {"b"}
    assert "points of one sign for each of a" in [c.in_words() for c in prepare.constraints_]


def test_a_card_says_of_how_many_candidates_its_questions_were_chosen():
    random = np.random.default_rng(0)
    table = {f"x{j}": random.normal(50, 15, 200).round() for j in range(4)}
    y = (sum(table.values()) + random.normal(0, 20, 200) > 200).astype(int)
    few = SLIMClassifier(prepare=Prepare(candidates=5), C0=0.02).fit(table, y).scoring_system_
    made = few.card.provenance
    assert len(made.features) == 5
    assert made.n_candidates == len(Prepare(candidates=None).fit(table, y).features_) > 5
    said = " ".join(few.to_text().split())
    assert f"of all cards over 5 of {made.n_candidates} candidate features, none" in said
    assert ScoringSystem.from_json(few.to_json()).card == few.card
    every = SLIMClassifier(prepare=Prepare(candidates=None), C0=0.02).fit(table, y).scoring_system_
    assert f"of all cards over {made.n_candidates} features, none" in " ".join(every.to_text().split())


def test_two_cuts_of_a_column_never_ask_about_the_same_few_rows():
    # 148, 150, 151, 152: a cluster of cuts, each of which fits the noise of a few rows
    random = np.random.default_rng(5)
    pressure = np.concatenate([random.normal(150, 1.5, 300).round(), random.integers(90, 200, 100)])
    y = (random.random(400) < 0.3 + 0.4 * (pressure >= 151)).astype(int)
    found = cuts_of(Prepare().fit({"pressure": pressure}, y), "pressure")
    for low, high in combinations(found, 2):
        assert ((pressure >= low) & (pressure < high)).sum() >= 10
