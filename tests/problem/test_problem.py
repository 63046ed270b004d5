"""Problem.of: settings, and everything that can be wrong with them."""

from fractions import Fraction

import numpy as np
import pytest

from supersparse import constraints
from supersparse.errors import InfeasibleError, InvalidProblemError
from supersparse.problem.points import CoefficientSet, integers, non_negative, non_positive, one_digit
from supersparse.problem.problem import Problem

X = [[0, 1, 5], [1, 0, 5], [1, 1, 5]]
Y = [0, 1, 1]
NAMES = ["age", "age_of_car", "constant"]


def make(**settings):
    return Problem.of(X, Y, feature_names=NAMES, **settings)


def test_the_default_set_has_small_points():
    assert make().sets[0] == integers(10)


@pytest.mark.parametrize(
    ("points", "first", "second"),
    [
        (None, integers(7), integers(7)),
        (3, integers(3), integers(3)),
        (np.int64(3), integers(3), integers(3)),
        ([-1, 0, 0.5], CoefficientSet.of([-1, 0, 0.5]), CoefficientSet.of([-1, 0, 0.5])),
        (np.array([0, 1]), CoefficientSet.of([0, 1]), CoefficientSet.of([0, 1])),
        ({"age": non_negative(5)}, non_negative(5), integers(7)),
        ({"age*": non_positive(5), "age": 2}, integers(2), non_positive(5)),
        ([one_digit(), None, [0, 1]], one_digit(), integers(7)),
    ],
)
def test_sets_are_given_for_all_for_each_or_by_name(points, first, second):
    assert make(points=points, max_points=7).sets[:2] == (first, second)


def test_the_unit_holds_every_allowed_value():
    problem = make(points={"age": [0, 0.5], "age_of_car": [0, Fraction(1, 3)], "*": 1})
    assert problem.unit == 6


def test_bounds_cut_the_sets():
    assert make(bounds=(0, 2), max_points=3).sets[0] == non_negative(2)
    assert make(bounds={"age_*": (None, 0)}, max_points=3).sets[:2] == (integers(3), non_positive(3))
    assert make(bounds=[(0, 1), None, None], max_points=3).sets[:2] == (non_negative(1), integers(3))


def test_constant_columns_may_only_have_the_coefficient_zero():
    problem = make()
    assert problem.sets[2].values == (0,)
    assert problem.ignored == (2,)


def test_without_an_intercept_a_constant_column_does_its_work():
    problem = Problem.of([[0, 5, 0], [1, 5, 0]], [0, 1], intercept="none", max_points=2)
    assert problem.sets[1] == integers(2)
    assert problem.ignored == (2,)


def test_a_constant_column_that_is_required_stays():
    required = make(points={"constant": [1, 2]}, constraints=[constraints.must_use("constant")])
    assert required.forced == (2,)
    assert required.sets[2].values == (1, 2)


def test_zero_points_are_always_allowed_and_only_a_constraint_requires_a_feature():
    problem = make(points={"age": [5, 7], "*": 3}, bounds={"constant": (1, 2)})
    assert problem.sets[0].values == (0, 5, 7)
    assert problem.given_sets[2].values == (0, 1, 2)
    assert problem.forced == ()
    assert make(intercept="paper", points={"(intercept)": [4]}).intercept.allowed.values == (0, 4)


@pytest.mark.parametrize("intercept", ["none", "paper", (0, 0), (-3, 3)])
def test_a_constant_column_stays_where_no_free_threshold_does_its_work(intercept):
    assert make(intercept=intercept).ignored == ()
    assert make(intercept="free").ignored == (2,)


def test_penalties_may_differ_by_feature():
    assert (Fraction(1, 2), Fraction(1, 10), Fraction(1, 10)) == make(C0={"age": 0.5, "*": 0.1}).C0
    assert (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)) == make(C0=np.array([0.1, 0.2, 0.3])).C0
    assert make(C0=np.float32(0.1)).C0[0] == Fraction(1, 10)


def test_the_papers_intercept_is_in_the_set_and_penalised():
    problem = make(intercept="paper", points={"(intercept)": 9, "*": 3}, C0={"(intercept)": 0, "*": 0.2})
    assert problem.intercept.allowed == integers(9)
    assert problem.intercept_C0 == 0
    assert make(intercept="paper", C0=0.3).intercept_C0 == Fraction(3, 10)


def test_balanced_weights_give_each_class_half_of_the_total():
    problem = make(class_weight="balanced", sample_weight=[2, 1, 1])
    assert problem.class_weights == (1, 1)
    assert make(class_weight="balanced").class_weights == (Fraction(3, 2), Fraction(3, 4))
    assert make(class_weight={1: 0.5}).class_weights == (1, Fraction(1, 2))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C0": -0.1}, "C0 is -0.1, which is negative; give 0 or more"),
        ({"C0": float("nan")}, "C0 is nan; give a finite number"),
        ({"C0": float("inf")}, "C0 is inf; give a finite number"),
        ({"C0": "small"}, "C0 is 'small', which is not a number"),
        ({"C0": [0.1]}, "C0 has 1 entries for 3 features; give one per feature"),
        ({"C0": {"age": -1, "*": 0}}, "C0 of 'age' is -1, which is negative"),
        ({"C0": {"agee": 1, "*": 0}}, "C0: there is no feature 'agee'; did you mean 'age'"),
        ({"C0": {"*": 0.1, "(intercept)": -1}, "intercept": "paper"}, r"C0 of '\(intercept\)' is -1"),
        ({"C0": {"age*": 1, "constant": 1}, "intercept": "paper"}, r"give C0 a key '\(intercept\)'"),
        ({"C0": [1, 1, 1], "intercept": "paper"}, "penalises the intercept too; give C0 as a mapping"),
        ({"C1": -1}, "C1 is -1, which is negative"),
        ({"C1": "small"}, "C1 is 'small'; give 'auto' or a number"),
        ({"C1": float("inf")}, "C1 is inf; give a finite number"),
        ({"points": []}, "a coefficient set is empty; give at least one value"),
        ({"points": {"age": []}}, "a coefficient set is empty"),
        ({"points": {"agee": [0]}}, "points: there is no feature 'agee'; did you mean 'age'"),
        ({"points": [None, None]}, "points has 2 entries for 3 features"),
        ({"points": "integers"}, "a coefficient set is 'integers'; give numbers"),
        ({"max_points": 0}, "max_points is 0; give a whole number of at least 1"),
        ({"max_points": 2.5}, "max_points is 2.5; give a whole number"),
        ({"max_points": True}, "max_points is True; give a whole number"),
        ({"bounds": (2, 1)}, "upper bound 1 is below lower bound 2; swap them"),
        ({"bounds": {"age": (2, 1)}}, "'age': upper bound 1 is below lower bound 2"),
        ({"bounds": {"age": 3}}, r"'age': the bounds are 3; give a pair \(low, high\)"),
        ({"bounds": {"age": (200, 300)}}, "'age': no value of .* is between the bounds 200 and 300; widen"),
        ({"max_features": -1}, "max_features is -1; give a whole number of at least 0"),
        ({"max_features": 1.5}, "max_features is 1.5; give a whole number"),
        ({"intercept": "fee"}, "intercept is 'fee'; use 'free', 'paper', 'none' or a pair"),
        ({"intercept": (3, 1)}, "intercept: upper bound 1 is below lower bound 3; swap them"),
        ({"intercept": (float("nan"), 1)}, "a bound of the intercept is nan; give a finite"),
        ({"intercept": np.array([1, 2])}, "intercept is array"),
        ({"class_weight": "balance"}, "class_weight is 'balance'; use None, 'balanced' or"),
        ({"class_weight": {2: 1}}, "class_weight names the class 2; the classes are 0 and 1"),
        ({"class_weight": {0: -1}}, "the weight of class 0 is -1, which is negative"),
        ({"class_weight": {0: 0, 1: 0}}, "both class weights are 0; give at least one"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_what_to_do(settings, message):
    with pytest.raises(InvalidProblemError, match=message):
        make(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"intercept": (0.2, 0.8)}, r"no multiple of 1/1 is in the intercept's range \(1/5, 4/5\); widen it")],
)
def test_demands_that_contradict_each_other_are_refused_before_solving(settings, message):
    with pytest.raises(InfeasibleError, match=message):
        make(**settings)


def test_a_range_between_integers_is_fine_where_coefficients_have_halves():
    assert make(intercept=(0.2, 0.8), points=[0, 0.5]).unit == 2
