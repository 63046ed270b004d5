"""Raw tables in the classifiers: prepared within fit, scored by cards over raw columns."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from supersparse import Prepare, SLIMClassifier, SLIMClassifierCV, constraints
from supersparse.card.export.estimator import load_estimator, save_estimator
from supersparse.errors import (
    InvalidDataError,
    InvalidOptionError,
    InvalidProblemError,
    MissingCodesWarning,
    UnreadableColumnsWarning,
)
from supersparse.learn.crossfit import FitsOfFold, Fold
from supersparse.learn.rows import TrainingRows
from supersparse.show.estimators.learning import recipe_of

N = 120
OPTIONS = {"C0": 0.02, "max_points": 3, "time_limit": None, "node_limit": 20_000}


def people():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 90, N),
            "bmi": np.where(rng.random(N) < 0.15, np.nan, rng.normal(27, 4, N).round(1)),
            "sex": rng.choice(["f", "m", None], N),
            "treated": rng.random(N) < 0.4,
        }
    )
    risk = (table.age >= 60) * 2 + (table.sex == "m") + (table.bmi > 28) + rng.normal(0, 0.5, N)
    return table, np.where(risk > 1.5, "ill", "well")


def fitted(prepare="auto", **options):
    table, y = people()
    return SLIMClassifier(prepare=prepare, **{**OPTIONS, **options}).fit(table, y), table, y


def test_a_raw_table_goes_in_and_a_card_over_raw_columns_comes_out():
    model, table, y = fitted()
    card = model.scoring_system_.card
    assert set(card.columns) <= set(table.columns)
    assert any(item.name.startswith("age >= ") for item in card.items)
    assert (model.predict(table) == model.scoring_system_.predict(table)).all()
    assert (model.predict(table) != y).sum() == model.predicted_errors_
    assert model.coef_.shape == (1, len(model.prepare_.features_))
    assert model.feature_names_in_.tolist() == list(table.columns)
    assert model.n_features_in_ == 4


def test_a_model_scores_as_it_was_fitted_and_keeps_nothing_of_an_earlier_fit():
    model, table, y = fitted(tie_break="log_loss", C0=0.2)
    found = model.predict(table)
    assert (model.set_params(prepare=None).predict(table) == found).all()
    numbers = table[["age", "treated"]].astype(float)
    assert not hasattr(model.set_params(tie_break="points").fit(numbers, y), "prepare_")
    assert not hasattr(model, "tie_break_")
    found = model.predict(numbers)
    assert (model.set_params(prepare="auto").predict(numbers) == found).all()


def test_columns_of_neither_numbers_nor_text_are_left_out_with_a_warning():
    table, y = people()
    table["seen"] = pd.date_range("2020-01-01", periods=N)
    table["band"] = pd.cut(table.age, 3)
    with pytest.warns(UnreadableColumnsWarning, match=r"seen \(such as Time.*, band \(such as Inter") as seen:
        model = SLIMClassifier(prepare="auto", **OPTIONS).fit(table, y)
    assert seen[0].filename == __file__
    assert set(model.prepare_.unreadable_) == {"seen", "band"}


def test_a_grid_may_vary_the_parameters_of_the_usual_preparation():
    table, y = people()
    model = SLIMClassifier(prepare="auto", **OPTIONS)
    grid = GridSearchCV(model, {"prepare__max_cuts": [1, 2]}, cv=2).fit(table, y)
    assert grid.best_estimator_.prepare.max_cuts == grid.best_params_["prepare__max_cuts"]
    assert model.prepare == "auto"
    with pytest.raises(InvalidOptionError, match="prepare__max_cuts needs a preparation"):
        model.set_params(prepare=None, prepare__max_cuts=1)


def test_scores_are_those_of_the_prepared_features():
    model, table, _ = fitted()
    expected = model.prepare_.transform(table) @ model.coef_[0] + model.intercept_[0]
    assert (model.decision_function(table) == expected).all()


def test_every_kind_of_table_is_read():
    model, table, y = fitted()
    expected = model.predict(table)
    columns = {name: table[name].to_numpy() for name in table}
    for other in (pl.from_pandas(table), columns):
        assert (clone(model).fit(other, y).predict(other) == expected).all()
    array = table.to_numpy(dtype=object)
    from_array = clone(model).fit(array, y)
    assert (from_array.predict(array) == expected).all()
    assert from_array.scoring_system_.card.columns[0].startswith("x")
    assert (clone(model).fit(array.tolist(), y).predict(array.tolist()) == expected).all()


def test_limits_and_directions_hold():
    prepare = Prepare(per_variable=1, direction={"age": "-"}, intervals=True)
    model, _, _ = fitted(prepare, C0=0.01)
    assert "at most 1 cut point for each of age, bmi" in model.scoring_system_.card.provenance.allowed
    used = [f for f, p in zip(model.prepare_.features_, model.coef_[0], strict=True) if p]
    assert len([f for f in used if f.column == "bmi" and f.name != "bmi missing"]) <= 1
    assert all(p <= 0 for f, p in zip(model.prepare_.features_, model.coef_[0], strict=True) if f.column == "age")


def test_constraints_of_the_user_speak_of_prepared_features():
    model, _, _ = fitted(constraints=constraints.must_not_use("age *"))
    assert "age" not in model.scoring_system_.card.columns


def test_rows_with_gaps_are_dropped_from_learning_and_refused_later():
    model, table, y = fitted(Prepare(missing="drop"))
    complete = table.notna().all(axis=1)
    assert model.prepare_.notes_[0] == f"{N - complete.sum()} of {N} rows dropped for missing values"
    assert model.scoring_system_.card.provenance.n_rows == complete.sum()
    assert (model.predict(table[complete]) != y[complete]).sum() == model.predicted_errors_
    if "bmi" in model.scoring_system_.card.columns:
        with pytest.raises(InvalidDataError, match="'bmi' has"):
            model.predict(table)


def spoilt(table, y, rows):
    """The same table with other values and labels in some rows."""
    rng = np.random.default_rng(9)
    other, labels = table.copy(), y.copy()
    other.loc[rows, "age"] = rng.integers(1000, 2000, len(rows))
    other.loc[rows, "bmi"] = rng.normal(-50, 1, len(rows))
    other.loc[rows, "sex"] = "unheard of"
    labels[rows] = labels[rows][::-1]
    return other, labels


@pytest.mark.parametrize("missing", ["item", "median"])
def test_nothing_of_the_rows_left_out_reaches_the_cut_points(missing):
    table, y = people()
    train, test = next(StratifiedKFold(3).split(table, y))
    fold = Fold(name="fold 1", train=train, test=np.concatenate([test, train]))
    costs = {"ill": 1, "well": 1}

    def learned(X, labels):
        recipe = recipe_of(SLIMClassifier(prepare=Prepare(missing=missing), **OPTIONS))
        rows = TrainingRows(X=X, y=labels, sample_weight=None, rate_groups=None)
        (result,) = FitsOfFold(recipe=recipe, Cs=[0.02], rows=rows, costs=costs).learned(fold, None)
        scores = result.unseen.scores[len(test) :].tolist()
        return scores, result.size, recipe.question(rows.take(train)).prepare.notes_

    assert learned(table, y) == learned(*spoilt(table, y, test))


def test_cross_validation_prepares_in_every_fold():
    table, y = people()
    model = SLIMClassifierCV(Cs=[0.02, 0.1], cv=3, max_points=3, prepare="auto", time_limit=None, node_limit=20_000)
    model.fit(table, y)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    by_hand = cross_val_score(SLIMClassifier(prepare="auto", **{**OPTIONS, "C0": 0.02}), table, y, cv=folds)
    row = model.cv_results_["params"].index({"C0": 0.02})
    assert [model.cv_results_[f"split{k}_test_score"][row] for k in range(3)] == pytest.approx(by_hand)
    assert (model.predict(table) == model.scoring_system_.predict(table)).all()
    mapping = {name: table[name].tolist() for name in table}
    assert clone(model).fit(mapping, y).cv_results_["mean_test_score"] == pytest.approx(
        model.cv_results_["mean_test_score"]
    )


def test_cross_validation_drops_rows_before_it_makes_folds():
    table, y = people()
    model = SLIMClassifierCV(
        Cs=[0.02], cv=3, max_points=2, prepare=Prepare(missing="drop"), time_limit=None, node_limit=5000
    )
    model.fit(table, y, sample_weight=np.ones(N))
    assert model.prepare_.notes_[0].endswith("rows dropped for missing values")


def test_probabilities_come_from_raw_rows_too():
    model, table, _ = fitted(calibrate="logistic")
    assert model.predict_proba(table).shape == (N, 2)


def test_its_parameters_are_reached_through_the_classifier():
    table, y = people()
    search = GridSearchCV(SLIMClassifier(prepare=Prepare(), **OPTIONS), {"prepare__max_cuts": [1, 4]}, cv=2).fit(
        table, y
    )
    assert set(search.best_params_) == {"prepare__max_cuts"}


def test_as_a_step_of_a_pipeline_it_works_without_the_constraints():
    table, y = people()
    pipeline = make_pipeline(Prepare(per_variable=1), SLIMClassifier(**OPTIONS)).fit(table, y)
    assert pipeline.score(table, y) > 0.7
    assert "not to later steps of a pipeline" in pipeline[0].notes_[-1]
    assert "at most 1 threshold" not in pipeline[1].scoring_system_.card.provenance.allowed


@pytest.mark.parametrize("missing", ["item", "median"])
def test_a_fitted_model_survives_its_file(tmp_path, missing):
    pytest.importorskip("skops")
    model, table, _ = fitted(Prepare(missing=missing))
    save_estimator(model, tmp_path / "model.skops")
    again = load_estimator(tmp_path / "model.skops")
    assert again.prepare_.features_ == model.prepare_.features_
    assert (again.predict(table) == model.predict(table)).all()


def test_mistakes_are_named():
    table, y = people()
    with pytest.raises(InvalidProblemError, match="no column 'agee'; did you mean 'age'"):
        SLIMClassifier(prepare=Prepare(cut_points={"agee": [1]})).fit(table, y)
    with pytest.raises(ValueError, match="prepare is 'automatic'; give None"):
        SLIMClassifier(prepare="automatic").fit(table, y)
    with pytest.raises(InvalidDataError, match="X has 120 rows and y has 3 labels"):
        SLIMClassifier(prepare="auto").fit(table, y[:3])
    with pytest.raises(InvalidDataError, match="every row has a missing value"):
        SLIMClassifier(prepare=Prepare(missing="drop")).fit({"a": [1, None], "b": [None, 2]}, [0, 1])
    with pytest.raises(InvalidDataError, match="X is of type list and length 3, in one dimension"):
        SLIMClassifier(prepare="auto").fit([1, 2, 3], [0, 1, 1])
    with pytest.raises(InvalidDataError, match="two columns are named 'a'"):
        SLIMClassifier(prepare="auto").fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), [0, 1])


def test_numbers_that_look_like_codes_are_noted_and_warned_about_once():
    random = np.random.default_rng(0)
    age = random.integers(20, 80, 200).astype(float)
    y = (age > 50).astype(int)
    age[::20] = -99
    frame = {"age": age, "weight": random.integers(50, 90, 200)}
    model = SLIMClassifier(prepare="auto", max_features=1, C0=0.02)
    with pytest.warns(MissingCodesWarning, match=r"age \(-99\); if they are codes, replace them with NaN"):
        model.fit(frame, y)
    assert model.prepare_.codes_ == {"age": [-99]}
    [note] = [note for note in model.prepare_.notes_ if note.startswith("age:")]
    assert note.endswith("-99 stands apart like a code for missing, and counts as a number")
    frame["age"] = np.where(age < 0, np.nan, age)
    with warnings.catch_warnings():
        warnings.simplefilter("error", MissingCodesWarning)
        assert model.fit(frame, y).prepare_.codes_ == {}
