"""The settings of a problem: they make it again, also from a file."""

from dataclasses import fields

from hypothesis import given, settings

from strategies import cases, constrained_problems
from supersparse import Problem, constraints
from supersparse.learn.settings.of_problem import settings_of
from supersparse.learn.settings.settings import read_settings, write_settings

X = [[62, 1], [45, 0], [71, 1], [38, 0]]


def again(problem, case):
    asked = read_settings(write_settings(settings_of(problem), "json"), "json")
    return asked.problem(
        [list(row) for row in case.X],
        list(case.y),
        feature_names=problem.rows.names,
        sample_weight=None if case.sample_weight is None else list(case.sample_weight),
        rate_groups={"g": list(case.groups)} if problem.rows.groupings else None,
    )


def assert_same(problem, other):
    for field in fields(Problem):
        if field.name not in ("rows", "rate_limits"):  # these hold arrays; what is asked tells of the limits
            assert getattr(problem, field.name) == getattr(other, field.name), field.name


@given(cases())
def test_they_make_the_same_problem_from_the_same_rows(case):
    assert_same(again(case.problem, case), case.problem)


@given(constrained_problems())
@settings(max_examples=60)
def test_they_say_levels_and_constraints_too(case):
    assert_same(again(case.problem, case), case.problem)


def test_balanced_weights_are_balanced_anew_on_other_rows():
    asked = settings_of(Problem.of(X, [0, 0, 0, 1], class_weight="balanced"))
    assert asked.class_weight == "balanced"
    assert asked.problem(X, [0, 0, 1, 1]).class_weights == (1, 1)


def test_bounds_on_levels_and_rates_in_groups_are_kept():
    problem = Problem.of(
        X,
        ["n", "n", "y", "y"],
        feature_names=["a*", "ab"],
        levels={"ab": [([-1, 1], 0.01), ([-2, 2], 0.03)]},
        bounds={"ab": (0, None), "a*": (-5, 3)},
        rate_groups={"g": [1, 1, 2, 2]},
        constraints=[constraints.max_error(0.5, group=("g", 2))],
    )
    asked = settings_of(problem, solver="highs", seed=7)
    assert dict(asked.solve) == {"solver": "highs", "random_state": 7}
    made = asked.problem(X, ["n", "n", "y", "y"], feature_names=["a*", "ab"], rate_groups={"g": [1, 1, 2, 2]})
    assert_same(made, problem)


def test_a_name_that_stands_for_the_intercept_as_well_cannot_be_said():
    problem = Problem.of(X, [0, 0, 1, 1], feature_names=["a", "(intercept)"], intercept="paper")
    assert settings_of(problem) is None
    assert settings_of(Problem.of(X, [0, 0, 1, 1], feature_names=["a", "(intercept)"])) is not None
