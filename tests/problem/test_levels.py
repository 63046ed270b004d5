"""Levels: which are accepted, what they cost, and how they share a problem with C0."""

from fractions import Fraction

import pytest

from supersparse.errors import InvalidProblemError
from supersparse.problem.objective import evaluate
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet, Points, non_negative
from supersparse.problem.problem import Problem
from supersparse.problem.sets import NOTHING_ALLOWED_BUT_ZERO
from supersparse.problem.variants import next_attainable, previous_attainable

X, Y, NAMES = [[0, 1], [1, 0], [1, 1], [2, 0]], [0, 1, 1, 0], ("age", "bmi")
TWO = [([-1, 1], 0.1), ([-2, 2], 0.25)]


def make(**settings):
    return Problem.of(X, Y, feature_names=NAMES, **settings)


def test_zero_has_a_level_of_its_own_unless_a_level_holds_it():
    assert [str(Levels.of(TWO).penalty(Fraction(v))) for v in (0, 1, -2)] == ["0", "1/10", "1/4"]
    with_zero = Levels.of([([1], 0), ([0, 2], 0.1)])
    assert [str(with_zero.penalty(Fraction(v))) for v in (0, 1, 2)] == ["1/10", "0", "1/10"]
    assert with_zero.values == CoefficientSet.of([0, 1, 2])
    with pytest.raises(InvalidProblemError, match="the value 7 is in no level"):
        with_zero.penalty(Fraction(7))


def test_a_value_of_zero_may_cost_something():
    problem = make(levels=[([1], 0), ([0], 0.25)])
    assert evaluate(problem, Points((0, 1), 5)).objective == Fraction(2, 4) + Fraction(1, 4)
    assert evaluate(problem, Points((0, 0), 5)).objective == Fraction(2, 4) + Fraction(2, 4)


def test_the_set_of_a_feature_is_the_union_of_its_levels():
    problem = make(levels=TWO)
    assert problem.sets == (CoefficientSet.of([-2, -1, 0, 1, 2]),) * 2
    assert make(levels=TWO, bounds=(0, None)).sets[0] == CoefficientSet.of([0, 1, 2])


def test_features_without_levels_keep_c0_and_their_sets():
    problem = make(levels={"age": TWO}, C0=0.3, points=non_negative(4))
    assert problem.levels[1] is None
    assert problem.sets[1] == non_negative(4)
    assert (problem.penalty(0, Fraction(-2)), problem.penalty(1, Fraction(3))) == (Fraction(1, 4), Fraction(3, 10))
    assert make(levels={"age": TWO}).penalty(1, Fraction(3)) == Fraction(1, 100)
    by_name = make(levels={"a*": TWO}, C0={"bmi": 0.5}, points={"bmi": [0, 9]})
    assert by_name.penalty(1, Fraction(9)) == Fraction(1, 2)


def test_the_intercept_of_the_paper_has_the_shared_levels_or_its_own():
    assert make(levels=TWO, intercept="paper").intercept_penalty(Fraction(2)) == Fraction(1, 4)
    own = make(levels={"*": TWO, "(intercept)": [([0, 5], 0), ([7], 1)]}, intercept="paper")
    assert own.intercept.allowed == CoefficientSet.of([0, 5, 7])
    assert evaluate(own, Points((0, 1), 7)).objective == Fraction(1, 2) + 1 + Fraction(1, 10)
    plain = make(levels={"age": TWO, "bmi": TWO}, intercept="paper", C0=0.2)
    assert plain.intercept_penalty(Fraction(3)) == Fraction(1, 5)
    assert make(levels=TWO).intercept_penalty(Fraction(2)) == 0


def test_a_constant_column_is_useless_only_if_zero_costs_least():
    constant = [[0, 5], [1, 5]]
    assert Problem.of(constant, [0, 1], levels=TWO).sets[1] == NOTHING_ALLOWED_BUT_ZERO
    assert Problem.of(constant, [0, 1], levels=[([1], 0), ([0], 0.1)]).sets[1] == CoefficientSet.of([0, 1])


def test_bounds_are_rounded_to_sums_of_the_levels_penalties():
    problem = make(levels=TWO)  # four rows: all values of F are multiples of 1/20
    assert next_attainable(problem, Fraction(1, 100)) == Fraction(1, 20)
    assert previous_attainable(problem, Fraction(1, 10)) == Fraction(1, 20)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"levels": []}, r"levels: \[\] is not a list of levels; give \[\(values, penalty\)"),
        ({"levels": 3}, "levels: 3 is not a list of levels"),
        ({"levels": [[1, 2, 3]]}, r"levels: level 1 is \[1, 2, 3\]; give \[\(values"),
        ({"levels": [([1], -1)]}, "level 1: its penalty is -1, which is negative"),
        ({"levels": [([1], "x")]}, "level 1: its penalty is 'x', which is not a number"),
        ({"levels": [([1], 0.1), ([2, 1], 0.2)]}, "the value 1 is in level 1 and in level 2; keep only one"),
        ({"levels": [([1], 0.2), ([2], 0.1)]}, "penalty 1/10, and the level before it 1/5; penalties must increase"),
        ({"levels": [([1], 0.2), ([2], 0.2)]}, "penalties must increase"),
        ({"levels": [([1], 0)]}, r"the first level has the penalty 0, like the level \{0\} below it; raise"),
        ({"levels": {"agee": TWO}}, "levels: there is no feature 'agee'; did you mean 'age'"),
        ({"levels": {"age": [([], 0.1)]}}, "a coefficient set is empty"),
        ({"levels": TWO, "C0": 0.1}, "C0 is 0.1, but all features have levels; remove C0"),
        ({"levels": {"age": TWO}, "C0": [1, 1]}, "C0 has one entry per feature, but 'age' has levels"),
        ({"levels": {"age": TWO}, "C0": {"age": 1, "bmi": 1}}, "C0 names 'age', which has levels"),
        ({"levels": TWO, "points": 3}, "points and levels cannot be combined; remove points"),
        ({"levels": {"age": TWO}, "points": {"age": 3}}, "points names 'age', which has levels"),
        ({"levels": {"age": TWO}, "points": [[1], [2]]}, "points has one entry per feature, but 'age' has"),
    ],
)
def test_levels_that_cannot_be_are_refused_with_what_to_do(settings, message):
    with pytest.raises(InvalidProblemError, match=message):
        make(**settings)
