"""The teacher: which risks it gives, to whom, and what soft labels come of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from supersparse.base.errors import InvalidDataError, InvalidOptionError
from supersparse.learn import teacher
from supersparse.learn.rows import TrainingRows
from supersparse.learn.teacher import AdditiveTeacher, blended, check_known_teacher, fitted_teacher, read_risks, sampled


def rows_of(n=400, seed=0, **more):
    """A number, a category and a column with gaps; the class depends on the first two."""
    draw = np.random.default_rng(seed)
    age, sex, gaps = draw.normal(50, 10, n), draw.choice(["f", "m"], n), draw.normal(size=n)
    gaps[draw.random(n) < 0.2] = np.nan
    y = (draw.random(n) < 1 / (1 + np.exp(-(age - 50) / 5 - (sex == "m")))).astype(int)
    return TrainingRows(X={"age": age, "sex": sex, "gaps": gaps}, y=y, sample_weight=None, rate_groups=None, **more)


def test_the_usual_teacher_is_the_mean_of_two_models_and_repeats():
    rows = rows_of()
    teacher = fitted_teacher("auto", rows, 1)
    stumps = teacher.stumps.predict_proba(teacher.encoding.matrix(_table(rows)))[:, 1]
    np.testing.assert_allclose(teacher.risks(rows), (teacher.ridge_risks(rows) + stumps) / 2)
    assert (fitted_teacher("auto", rows, 1).risks(rows) == teacher.risks(rows)).all()
    loss = -np.log(np.where(rows.y == 1, teacher.risks(rows), 1 - teacher.risks(rows))).mean()
    assert loss < 0.55


def _table(rows):
    from supersparse.table.sources import read_every_column

    return read_every_column(rows.X)


def test_ridge_alone_has_no_stumps():
    assert fitted_teacher("ridge", rows_of(), 1).stumps is None


def test_new_rows_may_hold_categories_and_gaps_that_training_rows_had_not():
    rows = rows_of()
    teacher = fitted_teacher("auto", rows, 1)
    strange = TrainingRows(
        X={"age": [50.0, None], "sex": ["x", None], "gaps": [None, 1e9]},
        y=np.array([0, 1]),
        sample_weight=None,
        rate_groups=None,
    )
    assert ((teacher.risks(strange) > 0) & (teacher.risks(strange) < 1)).all()


def test_a_name_that_no_teacher_has_is_refused_with_the_names_of_all():
    for columns, nearest in ((["risk"], "ridge"), (["rigel"], "rigel")):
        with pytest.raises(InvalidOptionError, match=rf"\(auto, ridge, none\) and no column.*did you mean '{nearest}'"):
            check_known_teacher("rigeh" if nearest == "ridge" else "rigeel", columns)


def test_a_classifier_that_cannot_read_the_columns_is_named():
    with pytest.raises(InvalidOptionError, match=r"LogisticRegression could not be fitted.*pipeline with an encoder"):
        fitted_teacher(LogisticRegression(), TrainingRows(
            X=pd.DataFrame({"sex": ["f", "m"] * 20}), y=np.arange(40) // 2 % 2, sample_weight=None, rate_groups=None
        ), 1)  # fmt: skip


def test_few_cases_get_ridge_alone_and_fewer_none():
    rows = rows_of(60)
    for cases, found in ((9, AdditiveTeacher), (3, type(None))):
        y = np.zeros(60, dtype=int)
        y[:cases] = 1
        few = TrainingRows(X=rows.X, y=y, sample_weight=None, rate_groups=None)
        teacher = fitted_teacher("auto", few, 1)
        assert type(teacher) is found
        assert teacher is None or (teacher.stumps is None and teacher.ridge.C == 0.01)


def test_whole_weights_count_as_copies_of_rows_for_means_and_spreads():
    rows = rows_of(200)
    weight = np.where(np.arange(200) < 50, 3, 1)
    copies = np.repeat(np.arange(200), weight)
    weighted = TrainingRows(X=rows.X, y=rows.y, sample_weight=weight, rate_groups=None)
    one, other = (fitted_teacher("ridge", r, 1) for r in (weighted, rows.take(copies)))
    for a, b in zip(one.encoding.columns, other.encoding.columns, strict=True):
        assert a.mean == pytest.approx(b.mean)
        assert a.spread == pytest.approx(b.spread)


def test_rows_of_weight_zero_teach_nothing():
    rows = rows_of(300)
    weight = np.ones(300)
    weight[200:] = 0
    some = TrainingRows(X=rows.X, y=rows.y, sample_weight=weight, rate_groups=None)
    alone = fitted_teacher("auto", rows.take(np.arange(200)), 1)
    np.testing.assert_allclose(fitted_teacher("auto", some, 1).risks(rows), alone.risks(rows), atol=1e-6)


@pytest.mark.parametrize("by", ["groups", "times"])
def test_no_fold_inside_the_teacher_breaks_what_the_folds_outside_keep(monkeypatch, by):
    asked = np.random.default_rng(1).permutation(400) // 8
    seen = []
    for name in ("splits_of", "hold_out"):
        real = getattr(teacher, name)

        def spy(*given, real=real, **how):
            found = real(*given, **how)
            seen.extend([found] if isinstance(found, tuple) else found)
            return found

        monkeypatch.setattr(teacher, name, spy)
    assert fitted_teacher("auto", rows_of(400, **{by: asked}), 1).stumps is not None
    assert len(seen) == 6
    for train, test in seen:
        assert not set(asked[train]) & set(asked[test])
        assert by == "groups" or asked[train].max() < asked[test].min()


class Counting(ClassifierMixin, BaseEstimator):
    """A classifier that counts how often it was fitted."""

    fits = 0

    def fit(self, X, y):
        type(self).fits += 1
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile([0.75, 0.25], (len(X["age"]), 1))


def test_a_fitted_classifier_is_asked_and_another_is_fitted_to_a_copy():
    rows = rows_of()
    asked = Counting()
    assert (fitted_teacher(asked, rows, 1).risks(rows) == 0.25).all()
    assert not hasattr(asked, "classes_")
    asked.fit(rows.X, rows.y)
    before = Counting.fits
    assert (fitted_teacher(asked, rows, 0).risks(rows) == 0.75).all()
    assert Counting.fits == before


def test_what_is_no_teacher_is_refused():
    rows = rows_of()
    with pytest.raises(InvalidOptionError, match="did you mean 'ridge'"):
        fitted_teacher("rigde", rows, 1)
    with pytest.raises(InvalidOptionError, match="predicts no risks"):
        fitted_teacher(object(), rows, 1)
    with pytest.raises(InvalidOptionError, match="knows the classes"):
        fitted_teacher(LogisticRegression().fit([[0], [1]], [3, 4]), rows, 1)
    with pytest.raises(InvalidDataError, match="the risk 1"):
        read_risks([0.5, 1.5], 2)
    with pytest.raises(InvalidDataError, match="3 risks for 2 rows"):
        read_risks([0.5, 0.5, 0.5], 2)


def test_rows_keep_the_risks_they_bring():
    rows = rows_of(50, risks=np.linspace(0, 1, 50))
    some = np.array([3, 7])
    assert fitted_teacher("auto", rows, 1).risks(rows.take(some)).tolist() == rows.risks[some].tolist()


def test_blended_labels_are_never_quite_sure():
    found = blended(np.array([0, 1, 1]), 1, np.array([0.0, 1.0, 0.5]), 0.85)
    assert found.tolist() == [2**-20, 1 - 2**-20, 0.575]


def test_a_large_table_is_sampled_by_a_fixed_seed():
    n = 20_001
    rows = TrainingRows(X={"x": np.arange(n)}, y=np.arange(n) % 2, sample_weight=None, rate_groups=None)
    assert len(sampled(rows).y) == 20_000
    assert (sampled(rows).X["x"] == sampled(rows).X["x"]).all()
    assert sampled(rows.take(np.arange(100))).n_columns == 1
