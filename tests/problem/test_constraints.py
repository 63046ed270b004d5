"""Constraints: what they say, what they become, and what is refused."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from problem.reference import slow_broken, slow_cost, slow_values
from strategies import constrained_problems, constraint_of
from supersparse import constraints as c
from supersparse.errors import InfeasibleError, InvalidDataError, InvalidProblemError
from supersparse.problem.constraints.support import MaxFeatures, MinFeatures
from supersparse.problem.limits import Constraint
from supersparse.problem.objective import evaluate, violated
from supersparse.problem.points import CoefficientSet, Points
from supersparse.problem.problem import Problem

NAMES = ("age", "bmi", "sex")
X = [[40, 20, 0], [50, 31, 1], [60, 25.5, 0], [70, 22, 1]]
Y = [0, 1, 0, 1]
GROUPS = {"site": ["n", "n", "s", "s"]}


def make(*constraints, **settings):
    return Problem.of(
        X, Y, **{"feature_names": NAMES, "max_points": 3, "rate_groups": GROUPS, "constraints": constraints, **settings}
    )


def support(*constraints, **settings):
    return [(limit.weights, limit.at_most) for limit in make(*constraints, **settings).support_limits]


@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
@given(st.data(), constrained_problems())
def test_cost_and_broken_constraints_of_any_model_are_those_of_the_definition(data, case):
    problem = case.problem
    coefficients = [data.draw(st.sampled_from(slow_values(case, j))) for j in range(len(case.X[0]))]
    paper = case.intercept == "paper"
    b = data.draw(st.sampled_from(slow_values(case, len(coefficients))) if paper else st.integers(-3, 3).map(Fraction))
    points = Points(tuple(int(v * 2) for v in coefficients), int(b * 2), 2)
    found = evaluate(problem, points)
    assert (found.objective, found.l1) == slow_cost(case, coefficients, b)
    asked = {constraint_of(a): a for a in case.asked}
    asked |= {MaxFeatures(most=case.max_features or 0): "max_features"}
    asked |= {MinFeatures(least=case.min_features or 0): "min_features"}
    broken = [asked[constraint] for constraint in violated(problem, points)]
    assert broken == list(dict.fromkeys(slow_broken(case, coefficients, b)))


@settings(max_examples=examples(50), suppress_health_check=list(HealthCheck))
@given(constrained_problems())
def test_without_all_constraints_a_problem_is_what_was_given(case):
    problem = case.problem
    free = problem.without(problem.asked)
    assert free.max_features is None
    limits = free.value_limits + free.support_limits + free.sign_limits + free.rate_limits + free.score_limits
    assert free.asked + limits == ()
    assert free.sets == problem.given_sets
    for constraint in problem.asked:
        left = problem.without([constraint])
        assert left.asked == tuple(other for other in problem.asked if other != constraint)


def test_counts_become_sums_over_the_support():
    assert support(c.at_most(1, of=["age", "b*"])) == [((1, 1, 0), 1)]
    assert support(c.at_least(2, of=NAMES)) == [((-1, -1, -1), -2)]
    assert support(c.exactly(1, of=["sex"])) == [((0, 0, 1), 1), ((0, 0, -1), -1)]
    assert support(c.only_if("age", "bmi")) == [((1, -1, 0), 0)]
    assert support(c.only_if(["age", "sex"], "bmi")) == [((1, -1, 0), 0), ((0, -1, 1), 0)]
    assert support(c.thresholds_per_variable(1, {"a": ["age", "sex"], "b": "bm*"})) == [((1, 0, 1), 1), ((0, 1, 0), 1)]
    assert support(c.thresholds_per_variable(1, ["a*", "*"])) == [((1, 0, 0), 1), ((1, 1, 1), 1)]
    assert support(c.budget({"age": 0.1, "s*": 30}, at_most=30.05)) == [((Fraction(1, 10), 0, 30), Fraction(601, 20))]


def test_signs_are_those_of_the_features_of_one_variable():
    problem = make(c.same_sign({"a": ["age", "sex"], "b": "bm*"}))
    assert [limit.together for limit in problem.sign_limits] == [(True, False, True), (False, True, False)]
    assert not violated(problem, Points((1, -1, 2), 0))
    assert violated(problem, Points((1, 1, -2), 0)) == list(problem.asked)
    assert problem.asked[0].in_words() == "points of one sign for each of a, b"


def test_a_list_of_features_is_one_group_of_one_sign():
    problem = make(c.same_sign(["age", "sex"]))
    assert [limit.together for limit in problem.sign_limits] == [(True, False, True)]
    assert violated(problem, Points((1, 0, -1), 0))
    assert not violated(problem, Points((1, -1, 1), 0))
    assert problem.asked[0].in_words() == "points of one sign for age, sex together"
    of_each = make(c.same_sign({"age": "age", "sex": "sex"}))
    assert not violated(of_each, Points((1, 0, -1), 0))


def test_the_smallest_size_counts_the_intercept_only_as_the_paper_does():
    (free,) = make(min_features=2).support_limits
    assert (free.weights, free.at_most, free.intercept_weight) == ((-1, -1, -1), -2, 0)
    (paper,) = make(min_features=2, intercept="paper").support_limits
    assert paper.intercept_weight == -1
    assert not violated(make(min_features=2, intercept="paper"), Points((1, 0, 0), 1))
    assert violated(make(min_features=2), Points((1, 0, 0), 1))


def test_values_asked_for_narrow_the_sets():
    problem = make(c.must_use("age"), c.must_not_use(["b*"]), c.fixed("sex", -2))
    assert problem.sets == (CoefficientSet.of([-3, -2, -1, 1, 2, 3]), CoefficientSet.of([0]), CoefficientSet.of([-2]))
    assert not problem.support_limits


def test_rates_become_integers_without_a_common_divisor():
    (limit,) = make(c.min_sensitivity(0.5)).rate_limits
    assert (limit.weights.tolist(), limit.weights.dtype, limit.at_most) == ([0, 1, 0, 1], np.int64, 1)
    weighted = {"sample_weight": [2, 0.5, 1, 1.5], "class_weight": "balanced"}
    (limit,) = make(c.max_error(0.3), **weighted).rate_limits
    assert (limit.weights.tolist(), limit.at_most) == ([4, 1, 2, 3], 3)
    (limit,) = make(c.max_false_positive_rate(0.4, group=("site", "s")), **weighted).rate_limits
    assert (limit.weights.tolist(), limit.at_most) == ([0, 0, 1, 0], 0)
    assert len(make(c.min_specificity(0.4, group="site")).rate_limits) == 2


def test_a_difference_limits_both_ways_for_each_pair_of_groups():
    one, other = make(c.max_difference("error", group="site", at_most=0.3), sample_weight=[1, 2, 1, 1]).rate_limits
    # shares of 3 and of 2: in sixths 2·(...) - 3·(...) is at most 1.8, rounded down
    assert (one.weights.tolist(), one.at_most) == ([2, 4, -3, -3], 1)
    assert (other.weights.tolist(), other.at_most) == ([-2, -4, 3, 3], 1)
    three = {"group": ["a", "b", "a", "b", "c", "c"]}
    problem = Problem.of(
        [[i] for i in range(6)],
        [0, 0, 1, 1, 0, 1],
        rate_groups=three,
        constraints=c.max_difference("sensitivity", group="group", at_most=0),
    )
    assert len(problem.rate_limits) == 6


def test_weights_that_leave_64_bits_are_pythons_integers():
    long = [1 + 2.0**-52, 0.1234567890123457, 3e10, 7.000000000000001]
    problem = make(c.max_difference("error", group="site", at_most=0.1), sample_weight=long)
    assert {limit.weights.dtype for limit in problem.rate_limits} == {np.dtype(object)}
    assert violated(problem, Points((0, 0, 0), 1)) == list(problem.asked)
    assert not violated(problem, Points((0, 0, 0), 0))  # all rows are wrong: no difference


def test_the_largest_score_takes_declared_or_observed_ranges():
    (limit,) = make(c.max_total_score(20, ranges={"a*": (0, 100)})).score_limits
    assert limit.low == (0, 20, 0)
    assert limit.high == (100, 31, 1)
    assert limit.total([Fraction(0), Fraction(-1), Fraction(2)]) == -20 + 2


def test_a_constant_column_stays_where_a_constraint_may_want_it():
    flat = [[0, 5], [1, 5]]
    for kept in (c.must_use("x1"), c.at_least(1, of="x*"), c.only_if("x0", "x1"), c.max_total_score(1)):
        assert Problem.of(flat, [0, 1], max_points=2, constraints=kept).sets[1] != CoefficientSet.of([0])
    for not_kept in (c.at_most(1, of="x*"), c.min_sensitivity(0.5), c.budget({"x1": 1}, at_most=2)):
        assert Problem.of(flat, [0, 1], max_points=2, constraints=not_kept).ignored == (1,)


def test_groups_are_read_from_frames_series_and_arrays():
    labels = ["n", "n", "s", "s"]
    for groups in ({"group": pd.Series(labels, index=[5, 6, 7, 8])}, pd.DataFrame({"group": labels}), np.array(labels)):
        limits = make(c.max_error(0.5, group=("group", "s")), rate_groups=groups).rate_limits
        assert limits[0].weights.tolist() == [0, 0, 1, 1]
    numbers = make(c.max_error(0.5, group=("g", np.int64(2))), rate_groups={"g": np.array([1, 2, 2, 1])})
    assert numbers.rate_limits[0].weights.tolist() == [0, 1, 1, 0]


def test_a_group_of_weightless_rows_is_no_group():
    three = {"site": ["n", "n", "s", "s", "gone"]}
    problem = Problem.of(
        [*X, [0, 0, 0]], [*Y, 1], sample_weight=[1, 1, 1, 1, 0], rate_groups=three,
        constraints=c.min_sensitivity(1, group="site"),
    )  # fmt: skip
    assert [limit.weights.tolist() for limit in problem.rate_limits] == [[0, 1, 0, 0], [0, 0, 0, 1]]


def test_every_constraint_says_in_words_what_it_asks():
    assert c.fixed("age", 0).in_words() == "age fixed at 0"
    assert str(c.fixed("age", 0.1)) == "age = 0.1"
    assert c.only_if("a", ["b", "c"]).in_words() == "a only if b or c"
    assert c.max_difference("error", group="sex", at_most=Fraction(1, 3)).in_words() == (
        "a difference in error of at most 1/3 between the groups of sex"
    )
    assert [a.in_words() for a in make(max_features=1, min_features=1).asked] == [
        "at most 1 feature",
        "at least 1 feature",
    ]


def test_constraints_are_values():
    assert c.at_most(1, of="a") == c.at_most(1, of=["a"])
    assert isinstance(c.at_most(1, of="a"), Constraint)
    assert len(make(c.must_use("age"), c.must_use("age")).asked) == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: c.at_most(-1, of="a"), "at_most: the number is -1; give a whole number"),
        (lambda: c.at_least(1.5, of="a"), "at_least: the number is 1.5; give a whole number"),
        (lambda: c.exactly(1, of=[]), "exactly: of is empty; name at least one"),
        (lambda: c.at_most(1, of=3), "at_most: of is 3; give a feature name"),
        (lambda: c.at_most(1, of=[3]), "at_most: of: 3 is not a feature name"),
        (lambda: c.must_use({"a": 1}), "must_use is {'a': 1}; give a feature name"),
        (lambda: c.fixed("a", float("nan")), "fixed: the value of a is nan; give a finite"),
        (lambda: c.thresholds_per_variable(1, {}), "names no variable"),
        (lambda: c.thresholds_per_variable(-1, "a"), "the number is -1"),
        (lambda: c.same_sign({}), "same_sign names no variable"),
        (lambda: c.same_sign(3), "same_sign is 3; give a feature name"),
        (lambda: make(c.same_sign("agee")), "same_sign: 'agee': there is no feature 'agee'; did you mean"),
        (lambda: c.budget({}, at_most=1), "budget: the costs are {}; give"),
        (lambda: c.budget({"a": -1}, at_most=1), "budget: the cost of 'a' is -1, which is negative"),
        (lambda: c.budget({"a": 1}, at_most=-1), "budget: at_most is -1, which is negative"),
        (lambda: c.min_sensitivity(90), "the bound on the sensitivity is 90; give a share between 0 and 1"),
        (lambda: c.max_error(-0.1), "the bound on the error is -0.1; give a share"),
        (lambda: c.min_specificity("high"), "the bound on the specificity is 'high', which is not a number"),
        (lambda: c.max_error(0.1, group=("a",)), r"error: group is \('a',\); give a name, or a pair"),
        (lambda: c.max_error(0.1, group=("a", [1])), "error: group is .* give a name"),
        (
            lambda: c.max_difference("sensitivty", group="a", at_most=0.1),
            "there is no rate 'sensitivty'; did you mean 'sensitivity'",
        ),
        (lambda: c.max_difference("error", group=("a", 1), at_most=0.1), "give the name of the groups"),
        (lambda: c.max_difference("error", group="a", at_most=2), "max_difference: at_most is 2; give a share"),
        (lambda: c.max_total_score("x"), "max_total_score: the limit is 'x', which is not a number"),
        (lambda: c.max_total_score(1, ranges=[1]), "ranges is \\[1\\]; give"),
        (lambda: c.max_total_score(1, ranges={"a": 3}), "the range of 'a' is 3; give a pair"),
        (lambda: c.max_total_score(1, ranges={"a": (3, 1)}), "the range of 'a' ends at 1, below its start 3"),
        (lambda: make(c.at_most(1, of="agee")), "'at most 1 of agee': there is no feature 'agee'; did you mean"),
        (lambda: make(c.must_use("agee")), "'agee used': there is no feature 'agee'; did you mean 'age'"),
        (lambda: make(c.only_if("age", "x*")), "only_if: there is no feature 'x\\*'"),
        (lambda: make(c.budget({"agee": 1}, at_most=1)), "budget: there is no feature 'agee'; did you mean"),
        (
            lambda: make(c.max_total_score(1, ranges={"agee": (0, 1)})),
            "max_total_score: ranges: there is no feature 'agee'",
        ),
        (lambda: make(c.max_error(0.1, group="sit")), "there is no grouping 'sit'; did you mean 'site'"),
        (
            lambda: make(c.max_error(0.1, group="a"), rate_groups=None),
            "there is no grouping 'a'; give rate_groups={'a'",
        ),
        (lambda: make(c.max_error(0.1, group=("site", "w"))), "no row has site = 'w'; .* are 'n', 's'"),
        (
            lambda: make(c.min_sensitivity(0.1, group="g"), rate_groups={"g": [1, 2, 1, 2]}),
            "sensitivity: the group g = 1 has no rows of class 1",
        ),
        (
            lambda: make(c.max_difference("error", group="g", at_most=0), rate_groups={"g": [1] * 4}),
            "all rows are in one group; use two or more",
        ),
        (lambda: make("age used"), "constraints contains 'age used'; use the functions"),
        (lambda: make(constraints=3), "constraints is 3; give a list"),
        (lambda: make(min_features=-1), "min_features is -1; give a whole number of at least 0, or None"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_to_do(wrong, message):
    with pytest.raises(InvalidProblemError, match=message):
        wrong()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"g": [1, 2]}, "'g' has 2 labels for 4 rows; give one label per row"),
        ({"g": ["a", None, "b", "b"]}, "'g' has no label for row 1"),
        ({"g": [1.0, 2.0, float("nan"), 1.0]}, "'g' has no label for row 2"),
        ({"g": pd.Series(["a", "b", "a", pd.NA])}, "'g' has no label for row 3"),
        ({"g": "abcd"}, "'abcd' is not a list of labels"),
        ({"g": np.ones((4, 2))}, r"'g' has \[1.0, 1.0\] for row 0"),
        ({1: [1, 2, 1, 2]}, "the key 1 is not a name"),
        (7, "7 is not a list of labels"),
    ],
)
def test_groups_that_cannot_be_read_are_refused(groups, message):
    with pytest.raises(InvalidDataError, match=message):
        make(rate_groups=groups)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ([c.fixed("age", 2), c.must_not_use("a*")], "'age': 'age = 2' and 'a\\* not used' contradict each other"),
        ([c.must_use("age"), c.must_not_use("age")], "'age used' and 'age not used' contradict"),
        ([c.fixed("age", 2), c.fixed("age", 1)], "'age = 2' and 'age = 1' contradict"),
        ([c.fixed("age", 9)], "'age': no value of .* satisfies 'age = 9'; drop the constraint, or allow the value"),
        ([c.must_use("age"), c.budget({"age": 5}, at_most=4)], "features for at most 4 .* and 'age used' together"),
        ([c.only_if("age", "sex"), c.must_use("age"), c.must_not_use("sex")], "'age only if sex' and 'age used'"),
        ([c.at_least(2, of=["age", "bmi"]), c.must_not_use("bmi")], "'at least 2 of age, bmi' and 'bmi not used'"),
        ([c.at_least(3, of=["age", "bmi"])], r"with the points allowed for \['age', 'bmi'\]"),
        ([c.exactly(0, of="age"), c.fixed("age", 1)], "'exactly 0 of age' and 'age = 1' together"),
        ([c.fixed("age", 1), c.max_total_score(60)], "'a total score of at most 60' and 'age = 1' together"),
    ],
)
def test_what_can_be_seen_to_conflict_is_said_at_once(settings, message):
    with pytest.raises(InfeasibleError, match=message):
        make(*settings, points=[0, 1, 2, 3])


def test_opposite_signs_that_are_fixed_conflict_with_one_sign():
    asked = [c.same_sign({"v": ["age", "bmi"]}), c.fixed("age", 2), c.fixed("bmi", -1), c.must_use("sex")]
    with pytest.raises(InfeasibleError, match="one sign for each of v' and 'age = 2' and 'bmi = -1' together"):
        make(*asked)


def test_sizes_conflict_with_each_other_and_with_what_must_be_used():
    with pytest.raises(InfeasibleError, match="'at least 2 features' and 'at most 1 feature' together"):
        make(min_features=2, max_features=1)
    with pytest.raises(InfeasibleError, match="'at most 1 feature' and 'age, bmi used' together"):
        make(c.must_use(["age", "bmi"]), max_features=1)
    assert make(min_features=4, intercept="paper")
    with pytest.raises(InfeasibleError, match="at least 4 features"):
        make(min_features=4)


def test_of_much_that_is_asked_only_what_conflicts_is_named():
    # every feature that must be used counts against the budget; only bmi exceeds it
    asked = [c.must_use("age"), c.must_use("sex"), c.must_use("bmi"), c.budget({"*": 1, "bmi": 5}, at_most=4)]
    for more in ([], [c.min_sensitivity(k / 10) for k in range(6)]):  # few, and many
        with pytest.raises(InfeasibleError) as caught:
            make(*more, *asked, points=[0, 1])
        assert "'bmi used'" in str(caught.value)
        assert "'age used'" not in str(caught.value)
        assert "'sex used'" not in str(caught.value)
