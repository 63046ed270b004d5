"""initial, bounds, solver_options and checkpoint of the classifiers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from supersparse import Points, Prepare, Problem, SLIMClassifier, SLIMClassifierCV, rounded
from supersparse.constraints import min_sensitivity, min_specificity
from supersparse.engine.answers import penalty_grid
from supersparse.engine.answers import penalty_grid as kept
from supersparse.errors import InvalidOptionError, InvalidProblemError, UnsupportedProblemError
from supersparse.learn import initial as starts
from supersparse.learn.crossfit import FitsOfFold
from supersparse.problem.objective import evaluate

rng = np.random.default_rng(11)
NAMES = ["age", "bmi", "pulse", "noise"]
X = pd.DataFrame(rng.integers(0, 10, (90, 4)), columns=NAMES)
Y = np.where(3 * X.age - 2 * X.bmi + X.pulse + rng.normal(0, 2, 90) > 8, "yes", "no")
ONE = SLIMClassifier(C0=0.03, max_points=5, time_limit=None, node_limit=300)
CV = SLIMClassifierCV(Cs=[0.03, 0.1], cv=3, max_points=5, time_limit=None, node_limit=300)
PROBLEM = Problem.of(X, Y, C0=0.03, max_points=5)


def first_objective(model):
    return model.trace_.incumbents[0].objective


@pytest.mark.parametrize("fitted", [True, False], ids=["fitted", "not fitted"])
def test_the_search_starts_from_a_logistic_regression(fitted):
    linear = LogisticRegression()
    if fitted:
        linear.fit(X, Y)
    start = evaluate(PROBLEM, rounded(PROBLEM, LogisticRegression().fit(X, Y)))
    model = SLIMClassifier(C0=0.03, max_points=5, initial=linear, time_limit=None, node_limit=0).fit(X, Y)
    assert first_objective(model) == pytest.approx(start.objective, abs=0.03)
    assert model.objective_ <= float(start.objective)


def test_every_kind_of_start_is_taken():
    best = clone(ONE).fit(X, Y)
    linear = LogisticRegression().fit(X, Y)
    for start in (best.points_, best.scoring_system_, linear, linear.coef_, linear.coef_[0].tolist()):
        model = clone(ONE).set_params(initial=start).fit(X, Y)
        assert model.objective_ <= best.objective_
    for exact in (best.points_, best.scoring_system_):
        model = clone(ONE).set_params(initial=exact, node_limit=0).fit(X, Y)
        assert first_objective(model) == best.trace_.incumbents[-1].objective


def test_a_card_learned_from_prepared_columns_is_a_start_too():
    prepared = clone(ONE).set_params(prepare=Prepare(cuts="quantile"), positive="no").fit(X, Y)
    again = clone(prepared).set_params(initial=prepared.scoring_system_, node_limit=0).fit(X, Y)
    assert first_objective(again) == prepared.trace_.incumbents[-1].objective


@pytest.mark.parametrize("model", [ONE, CV], ids=["one", "cv"])
@pytest.mark.parametrize(
    ("initial", "message"),
    [
        (Points((1,), 0), "1 coefficients for 4 features"),
        (Points((9, 0, 0, 0), 0), r"'age' the value 9.*rounded\(problem, \.\.\.\)"),
        ([1, 2], "2 coefficients for 4 features"),
        ("best", "'best' is not a linear model"),
        (DecisionTreeClassifier(), "a DecisionTreeClassifier, which has no coef_"),
    ],
    ids=str,
)
def test_a_start_that_cannot_be_used_is_an_error_before_any_search(model, initial, message, monkeypatch):
    monkeypatch.setattr(FitsOfFold, "learned", lambda *_: pytest.fail("no fold is fitted"))
    with pytest.raises(InvalidOptionError, match=message):
        clone(model).set_params(initial=initial).fit(X, Y)


def test_a_linear_model_is_fitted_to_the_rows_of_each_fit(monkeypatch):
    rows = []
    real = starts._fitted_coefficients

    def spy(model, problem):
        rows.append(problem.rows.n_rows)
        return real(model, problem)

    monkeypatch.setattr(starts, "_fitted_coefficients", spy)
    clone(CV).set_params(initial=LogisticRegression().fit(X, Y)).fit(X, Y)
    assert rows == [60, 60, 60]  # the last fit has the model that was fitted to all rows
    rows.clear()
    model = clone(ONE).set_params(initial=LogisticRegression().fit(X, Y))
    assert cross_val_score(model, X, Y, cv=3).mean() > 0.7
    assert rows == [60, 60, 60]
    rows.clear()
    clone(model).set_params(calibrate="logistic", initial=LogisticRegression()).fit(X, Y)
    assert rows == [90, 72, 72, 72, 72, 72]


def test_parameters_of_the_start_can_be_searched():
    model = clone(ONE).set_params(initial=LogisticRegression())
    grid = GridSearchCV(model, {"initial__C": [0.1, 10]}, cv=2).fit(X, Y)
    assert grid.best_estimator_.initial.C in (0.1, 10)


def test_weights_reach_the_linear_model(monkeypatch):
    seen = []

    class FeatureFacts(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append((y, sample_weight))
            return super().fit(X, y, sample_weight)

    monkeypatch.setattr(starts, "clone", lambda model: model)
    weights = np.arange(90) % 3
    model = clone(ONE).set_params(initial=FeatureFacts(), class_weight={"yes": 2}, positive="yes")
    model.initial = FeatureFacts()
    model.fit(X, Y, sample_weight=weights)
    ((positive, given),) = seen
    kept_rows = weights > 0
    assert positive.tolist() == (Y[kept_rows] == "yes").tolist()
    assert given == pytest.approx(weights[kept_rows] * np.where(positive, 2, 1))
    clone(ONE).set_params(initial=Perceptron()).fit(X, Y)  # others take none, or have a coef_ all the same


def test_a_start_that_breaks_a_constraint_on_a_fold_is_left_out_there():
    asked = [min_sensitivity(0.9), min_specificity(0.7)]
    best = clone(ONE).set_params(constraints=asked, node_limit=None).fit(X, Y)
    assert clone(CV).set_params(constraints=asked, initial=best.points_).fit(X, Y).C0_ in (0.03, 0.1)
    with pytest.raises(InvalidOptionError, match=r"violates constraints: 'sensitivity of at least 0\.9'"):
        clone(ONE).set_params(constraints=asked, initial=Points((0, 0, 0, 1), -9)).fit(X, Y)


@pytest.mark.parametrize("model", [ONE, CV], ids=["one", "cv"])
def test_bounds_hold_by_name_and_by_pattern(model):
    free = clone(model).fit(X, Y)
    assert free.coef_[0, 1] < 0 < free.coef_[0, 0]
    for bounds, allowed in [
        ({"b*": (0, None)}, lambda c: c[1] >= 0),
        ((-1, 2), lambda c: -1 <= min(c) <= max(c) <= 2),
        ([(None, 0), None, None, None], lambda c: c[0] <= 0),
    ]:
        found = clone(model).set_params(bounds=bounds).fit(X, Y)
        assert allowed(found.coef_[0])
    with pytest.raises(InvalidProblemError, match="there is no feature 'bmj'; did you mean 'bmi'"):
        clone(model).set_params(bounds={"bmj": (0, 1)}).fit(X, Y)


def test_bounds_narrow_the_directions_of_prepared_columns():
    up = Prepare(cuts="quantile", direction={"age": "+"})
    model = clone(ONE).set_params(prepare=up, bounds={"age*": (None, 2), "bmi*": (-1, 1)}).fit(X, Y)
    for feature, points in zip(model.prepare_.features_, model.points_.values, strict=True):
        if feature.column == "age":
            assert 0 <= points <= 2
        if feature.column == "bmi":
            assert -1 <= points <= 1


@pytest.mark.long
def test_options_of_the_solver_reach_it():
    model = clone(ONE).set_params(solver="highs", node_limit=None, max_points=2)
    assert model.set_params(solver_options={"presolve": "off"}).fit(X, Y).proven_optimal_
    with pytest.raises(InvalidOptionError, match="'presolv'; did you mean 'presolve'"):
        model.set_params(solver_options={"presolv": "off"}).fit(X, Y)
    with pytest.raises(InvalidOptionError, match="has no option 'speed'"):
        clone(CV).set_params(solver_options={"speed": 1}).fit(X, Y)


@pytest.fixture
def hard():
    """Rows that take more than a little work to prove."""
    table = np.random.default_rng(4).integers(0, 6, (120, 8))
    noise = np.random.default_rng(5).normal(0, 6, 120)
    return table, (table @ [3, -2, 2, 1, -1, 0, 1, 2] + noise > 15).astype(int)


def test_a_fit_goes_on_from_its_checkpoint(hard, tmp_path):
    file = tmp_path / "tree.checkpoint"
    model = SLIMClassifier(C0=0.01, max_points=10, time_limit=None, checkpoint=file)
    first = clone(model).set_params(node_limit=50).fit(*hard)
    assert not first.proven_optimal_
    assert file.exists()
    again = clone(model).set_params(node_limit=50, calibrate="logistic").fit(*hard)
    assert again.lower_bound_ >= first.lower_bound_
    assert again.objective_ <= first.objective_
    with pytest.raises(InvalidOptionError, match="belongs to another problem"):
        clone(model).set_params(max_points=9, node_limit=0).fit(*hard)
    with pytest.raises(UnsupportedProblemError, match="'highs' does not support checkpoints"):
        clone(model).set_params(solver="highs").fit(*hard)


class Killed(BaseException):
    """As if the process had ended."""


def test_a_cross_validation_goes_on_in_its_folder(tmp_path, monkeypatch):
    folder = tmp_path / "folds"
    model = SLIMClassifierCV(Cs=[0.03, 0.05, 0.1], cv=3, max_points=5, time_limit=None)
    expected = clone(model).fit(X, Y)
    real, solved = penalty_grid.solve_in, []

    def dying(*args, **options):
        if len(solved) == 2:
            raise Killed
        solved.append(args)
        return real(*args, **options)

    model.set_params(checkpoint=folder)
    with monkeypatch.context() as patch:
        patch.setattr(penalty_grid, "solve_in", dying)
        with pytest.raises(Killed):
            model.fit(X, Y)
    done = {path.name for path in folder.glob("*.proven")}
    assert done
    calls = []
    real_solve = kept.solve
    monkeypatch.setattr(kept, "solve", lambda *args, **options: calls.append(args) or real_solve(*args, **options))
    found = model.fit(X, Y)
    assert len(calls) < 4  # folds that were done are not solved again
    assert (found.C0_, found.points_, found.proven_optimal_) == (
        expected.C0_,
        expected.points_,
        expected.proven_optimal_,
    )
    assert found.cv_results_["mean_test_score"] == pytest.approx(expected.cv_results_["mean_test_score"])
    calls.clear()
    assert model.fit(X, Y).points_ == expected.points_
    assert calls == []  # all of it is known
    assert {path.suffix for path in folder.iterdir()} == {".proven"}


def test_open_fits_of_a_cross_validation_leave_their_trees(hard, tmp_path):
    model = SLIMClassifierCV(
        Cs=[0.01], cv=2, max_points=10, time_limit=None, node_limit=20, checkpoint=tmp_path / "new"
    )
    first = clone(model).fit(*hard)
    assert {path.suffix for path in (tmp_path / "new").iterdir()} == {".checkpoint"}
    assert clone(model).fit(*hard).lower_bound_ >= first.lower_bound_
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidOptionError, match="is a file; name a new or existing folder"):
        clone(model).set_params(checkpoint=tmp_path / "file").fit(*hard)
    with pytest.raises(InvalidOptionError, match="in a folder that does not exist"):
        clone(model).set_params(checkpoint=tmp_path / "no" / "folder").fit(*hard)


def test_a_damaged_proof_is_refused(tmp_path):
    model = SLIMClassifierCV(Cs=[0.1], cv=2, max_points=2, checkpoint=tmp_path)
    model.fit(X, Y)
    for path in tmp_path.glob("*.proven"):
        path.write_bytes(path.read_bytes().replace(b'"lower_bound": "', b'"lower_bound": "1'))
    with pytest.raises(InvalidOptionError, match="is damaged"):
        clone(model).fit(X, Y)


@pytest.mark.parametrize("calibrate", [None, pytest.param("logistic", marks=pytest.mark.long)])
def test_options_of_solve_go_through_solver_options_and_folds_have_no_priorities(monkeypatch, calibrate):
    pytest.importorskip("pyscipopt", reason="SCIP is not installed")
    from supersparse.engine.mip.scip import ScipSolver

    seen, minimise = [], ScipSolver.minimise

    def look(self, session, model, settings, talk):
        seen.append((len(model.indicators) > 0, bool(model.priorities.any()), dict(settings.own)))
        return minimise(self, session, model, settings, talk)

    monkeypatch.setattr(ScipSolver, "minimise", look)
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (40, 2))
    labels = (rows[:, 0] - rows[:, 1] + rng.normal(0, 1, 40) > 0).astype(int)
    options = {
        "formulation": "indicator",
        "branching_priorities": {"x0": 2, 39: 1},  # no fold has a row 39
        "branching/preferbinary": True,
    }
    model = SLIMClassifier(
        C0=0.05, max_points=2, solver="scip", solver_options=options, calibrate=calibrate, time_limit=None
    ).fit(rows, labels)
    assert model.proven_optimal_
    assert all(logical and own == {"branching/preferbinary": True} for logical, _, own in seen)
    assert seen[0][1]
    if calibrate is not None:
        assert not seen[-1][1]
