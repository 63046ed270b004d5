"""Linear models rounded to the coefficient sets, as a start."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from problem.reference import small_problems
from strategies import constrained_problems
from supersparse import Points, Problem, ScoringSystem, item, rounded, solve
from supersparse import constraints as c
from supersparse.engine.verify import check_points
from supersparse.errors import InfeasibleError, InvalidCardError, InvalidOptionError
from supersparse.problem.objective import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

rng = np.random.default_rng(8)
X = rng.integers(0, 10, (80, 4))
Y = np.where(3 * X[:, 0] - 2 * X[:, 1] + X[:, 2] + rng.normal(0, 2, 80) > 8, "yes", "no")
NAMES = ["age", "bmi", "pulse", "noise"]


def make(**asked):
    return Problem.of(X, Y, **{"feature_names": NAMES, "C0": 0.02, "max_points": 5, **asked})


def test_the_direction_is_found_whatever_the_scale():
    problem = make()
    best = evaluate(problem, rounded(problem, [3, -2, 1, 0]))
    for scale in (1e-9, 0.5, 1e12):
        found = evaluate(problem, rounded(problem, scale * np.array([3.0, -2, 1, 0])))
        assert found.objective == pytest.approx(best.objective, abs=0.03)
    assert best.objective < Fraction(1, 5)
    assert evaluate(problem, rounded(problem, [-3, 2, -1, 0])).objective > best.objective


@settings(max_examples=40)
@given(small_problems(), st.data())
def test_the_result_is_allowed_and_no_worse_than_a_model_without_features(problem, data):
    wanted = st.floats(-50, 50, allow_nan=False)
    n = problem.n_features
    found = rounded(problem, data.draw(st.lists(wanted, min_size=n, max_size=n)))
    check_points(problem, found, "the rounding")
    if not problem.forced:
        assert evaluate(problem, found).objective <= evaluate(problem, rounded(problem, [0] * n)).objective


@settings(max_examples=60)
@given(constrained_problems(), st.data())
def test_constraints_are_obeyed_or_the_failure_is_said(case, data):
    try:
        problem = case.problem
    except InfeasibleError:
        return
    n = problem.n_features
    model = data.draw(st.lists(st.floats(-3, 3), min_size=n, max_size=n))
    try:
        found = rounded(problem, model)
    except InvalidOptionError:
        assert problem.asked  # only what is asked can be in the way
    else:
        check_points(problem, found, "the rounding")


@pytest.mark.parametrize(
    ("asked", "used"),
    [
        ({"max_features": 1}, ["age"]),
        ({"constraints": [c.must_use("noise"), c.must_not_use("age")]}, None),
        ({"constraints": [c.at_most(1, of=["age", "bmi"])]}, None),
        ({"constraints": [c.at_least(1, of=["noise"])], "max_features": 2}, ["age", "noise"]),
        ({"constraints": [c.only_if("age", needs="pulse")]}, None),
        ({"constraints": [c.same_sign({"v": ["age", "bmi", "pulse"]})]}, None),
        ({"constraints": [c.min_sensitivity(0.95)]}, None),
        ({"constraints": [c.max_total_score(9)]}, None),
        ({"bounds": {"age": (None, 0)}}, None),
        ({"intercept": "paper", "max_features": 2}, None),
    ],
    ids=str,
)
def test_what_is_asked_is_obeyed_where_it_can_be(asked, used):
    problem = make(**asked)
    found = rounded(problem, [3, -2, 1, 0.1])
    check_points(problem, found, "the rounding")
    if used is not None:
        assert [NAMES[j] for j in found.support] == used


def test_that_no_rounding_obeys_is_said_with_what_is_asked():
    problem = make(constraints=[c.min_sensitivity(0.95), c.min_specificity(0.95)], max_features=1)
    with pytest.raises(InvalidOptionError, match=r"'sensitivity of at least 0\.95', 'specificity of"):
        rounded(problem, [0, 0, 0, 1])


def test_fitted_models_of_scikit_learn_are_read():
    problem = make()
    model = LogisticRegression().fit(pd.DataFrame(X, columns=NAMES), Y)
    found = rounded(problem, model)
    assert found == rounded(problem, model.coef_) == rounded(problem, model.coef_[0].tolist())
    assert evaluate(problem, found).objective < Fraction(1, 4)
    assert rounded(problem, LogisticRegression().fit(X, Y)) == found  # without names
    turned = LogisticRegression().fit(pd.DataFrame(X, columns=NAMES)[NAMES[::-1]], Y)
    assert rounded(problem, turned) == found  # columns in another order
    assert rounded(problem, LogisticRegression().fit(X, Y).sparsify()) == found
    regression = LinearRegression().fit(X, Y == "yes")
    assert rounded(problem, regression) == rounded(problem, regression.coef_)


def test_the_classes_of_a_model_decide_its_sign():
    model = LogisticRegression().fit(X, Y)
    assert rounded(make(positive="no"), model) == rounded(make(positive="no"), -model.coef_)
    with pytest.raises(InvalidOptionError, match="has the classes '0' and '1', but the problem has 'no' and"):
        rounded(make(), LogisticRegression().fit(X, (Y == "yes").astype(int)))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ([1, 2], "has 2 coefficients for 4 features; give one per feature"),
        (Points((1,), 0), "has 1 coefficients for 4 features"),
        ([[1, 2, 3, 4], [1, 2, 3, 4]], r"coefficients of shape \(2, 4\)"),
        (["a", "b", "c", "d"], "is not a linear model; give a solution, points, a scoring system"),
        (object(), "is not a linear model"),
        ([1, np.nan, 0, 0], "NaN or infinite"),
        (LogisticRegression(), "a LogisticRegression has no coef_; fit it first"),
        (DecisionTreeClassifier().fit(X, Y), "a DecisionTreeClassifier has no coef_"),
        (make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y), "a Pipeline has no coef_"),
        (LogisticRegression().fit(pd.DataFrame(X, columns=[*"abcd"]), Y), "without a column 'age'"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_is_no_linear_model_of_these_features_is_refused(model, message):
    with pytest.raises(InvalidOptionError, match=message):
        rounded(make(), model)


@pytest.mark.parametrize("solver", ["exact", "exhaustive", pytest.param("highs", marks=pytest.mark.long)])
def test_solve_starts_from_a_linear_model(solver):
    problem = make(max_points=2)
    model = LogisticRegression().fit(X, Y)
    start = evaluate(problem, rounded(problem, model))
    seen = []
    found = solve(problem, solver, initial=model, on_progress=seen.append)
    assert seen[0].objective == start.objective
    assert found.objective <= start.objective


def test_solve_starts_from_a_scoring_system_on_the_same_features():
    problem = make()
    best = solve(problem)
    card = ScoringSystem.from_solution(best)
    seen = []
    assert solve(problem, initial=card, on_progress=seen.append).objective == best.objective
    assert seen[0].objective == best.objective
    other = make(positive="no")
    seen.clear()
    solve(other, initial=card, on_progress=seen.append)
    assert seen[0].objective == best.objective  # the classes are turned round, and so are the points
    with pytest.raises(InvalidOptionError, match=r"gave feature 'age' the value .*rounded\(problem"):
        solve(make(points=[-100, 0, 100]), initial=card)
    coarse = make(points=[-100, 0, 100])
    check_points(coarse, rounded(coarse, card), "the rounding")


def test_a_scoring_system_of_other_features_is_no_start():
    card = ScoringSystem.of([item("ages", points=1)], above=3, classes=("no", "yes"))
    with pytest.raises(InvalidCardError, match="item 'ages' is not among the features; did you mean 'age'"):
        solve(make(), initial=card)


def test_arguments_in_the_other_order_are_told():
    problem = Problem.of([[0], [1]], [0, 1])
    with pytest.raises(InvalidOptionError, match=r"is a list, not a Problem; call rounded\(problem, model\)"):
        rounded([1.5], problem)
