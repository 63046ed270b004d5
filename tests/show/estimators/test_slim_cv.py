"""SLIMClassifierCV: the penalty chosen, the table behind it, and the last fit."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, PredefinedSplit, StratifiedKFold

from supersparse import SLIMClassifier, SLIMClassifierCV, Stop, constraints
from supersparse.engine.answers import penalty_grid
from supersparse.errors import InvalidDataError
from supersparse.learn import choice as choosing
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

rng = np.random.default_rng(4)
X = rng.integers(0, 4, size=(36, 3))
Y = (X[:, 0] + X[:, 1] + rng.normal(0, 1, 36) > 3).astype(int)
SETTINGS = {"max_points": 2, "time_limit": None, "node_limit": 50}
MODEL = SLIMClassifierCV(Cs=[0.02, 0.1, 0.3], cv=3, **SETTINGS)


@cache
def chosen():
    """The model of this file on its rows; for reading only."""
    return clone(MODEL).fit(X, Y)


def test_the_table_is_that_of_a_grid_search():
    model = chosen()
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    grid = GridSearchCV(SLIMClassifier(**SETTINGS), {"C0": [0.02, 0.1, 0.3]}, cv=folds).fit(X, Y)
    for name, values in grid.cv_results_.items():
        if "time" not in name and name != "params":
            # the deviation is that of a sample here, and of a population there
            expected = np.asarray(values) * ((3 / 2) ** 0.5 if name.startswith("std_") else 1)
            assert model.cv_results_[name].tolist() == pytest.approx(expected.tolist()), name
    assert model.cv_results_["params"] == grid.cv_results_["params"]
    assert set(grid.cv_results_) <= set(model.cv_results_)
    assert model.best_score_ == pytest.approx(grid.best_score_)
    assert model.n_splits_ == 3


def test_the_last_fit_is_that_of_the_chosen_penalty_on_all_rows():
    model = chosen()
    alone = SLIMClassifier(C0=model.C0_, **SETTINGS).fit(X, Y)
    assert model.Cs_[model.best_index_] == model.C0_
    assert model.points_ == alone.points_
    fitted = {name for name in vars(alone) if name.endswith("_")}
    assert fitted <= set(vars(model))


@pytest.mark.parametrize(
    ("cv", "groups"), [(3, None), (3, np.arange(36) // 2), (None, None)], ids=["folds", "groups", "by scikit-learn"]
)
def test_rows_of_weight_0_are_in_no_fold(cv, groups):
    model = clone(MODEL).set_params(cv=cv, Cs=[0.1], calibrate="logistic")
    weights = np.repeat([0, 1], 18)
    weighted = clone(model).fit(X, Y, sample_weight=weights, groups=groups)
    alone = clone(model).fit(X[18:], Y[18:], groups=None if groups is None else groups[18:])
    assert weighted.cv_results_["mean_test_score"] == alone.cv_results_["mean_test_score"]
    assert weighted.points_ == alone.points_
    assert weighted.predict_proba(X).tolist() == alone.predict_proba(X).tolist()


def test_sizes_are_told_for_each_fold():
    model = chosen()
    splits = list(StratifiedKFold(3).split(X, Y))
    first = SLIMClassifier(C0=0.1, **SETTINGS).fit(X[splits[0][0]], Y[splits[0][0]])
    assert model.cv_results_["split0_size"][1] == np.count_nonzero(first.coef_)
    assert model.cv_results_["mean_size"][1] == pytest.approx(
        np.mean([model.cv_results_[f"split{k}_size"][1] for k in range(3)])
    )
    assert (model.cv_results_["mean_size"][:-1] >= model.cv_results_["mean_size"][1:]).all()


def test_every_rule_is_reported_whichever_is_used():
    by_rule = chosen().C0_by_rule_
    assert set(by_rule) == {"best", "one_sd", "one_se"}
    for rule, C0 in by_rule.items():
        model = clone(MODEL).set_params(rule=rule).fit(X, Y)
        assert (model.C0_, model.C0_by_rule_) == (C0, by_rule)


def test_six_values_run_from_the_lightest_row_to_the_constant_model():
    model = SLIMClassifierCV(cv=2, **SETTINGS).fit(X, Y)
    assert len(model.Cs_) == 6
    assert model.Cs_[0] == pytest.approx(1 / 36, rel=0.05)  # of two digits
    assert model.Cs_[-1] == pytest.approx(min(Y.mean(), 1 - Y.mean()), rel=0.05)
    ratios = model.Cs_[1:] / model.Cs_[:-1]
    assert ratios == pytest.approx([ratios[0]] * 5, rel=0.1)


@pytest.mark.parametrize("n", [7, 11, 49])
def test_the_ends_of_the_default_values_are_inside_the_useful_range(n):
    problem = Problem.of(np.arange(n).reshape(-1, 1), np.arange(n) % 3 == 0)
    values = choosing.default_values(problem, 6)
    assert Fraction(str(values[0])) >= Fraction(1, n)
    assert Fraction(str(values[-1])) <= Fraction(int(sum(problem.rows.positive)), n)


def test_where_the_range_is_one_value_there_is_one_value():
    # below what the one useful feature saves, so that it can be used
    assert choosing.default_values(Problem.of([[0], [1]], [0, 1]), 6).tolist() == [0.25]
    weightless = Problem.of([[0], [1]], [0, 1], class_weight={0: 0})
    assert choosing.default_values(weightless, 6).tolist() == [0.5]


def test_copies_and_weights_give_the_same_default_values():
    repeated = Problem.of([[0], [0], [1], [1], [2], [2]], [0, 0, 1, 1, 1, 1])
    weighted = Problem.of([[0], [1], [2]], [0, 1, 1], sample_weight=[2, 2, 2])
    assert choosing.default_values(repeated, 4).tolist() == choosing.default_values(weighted, 4).tolist()


def test_values_given_are_tried_in_rising_order_each_once():
    assert clone(MODEL).set_params(Cs=(0.3, 0.1, 0.1)).fit(X, Y).Cs_.tolist() == [0.1, 0.3]


def test_folds_come_from_a_number_a_splitter_or_a_list():
    expected = chosen().cv_results_["mean_test_score"].tolist()
    shuffled = StratifiedKFold(3, shuffle=True, random_state=0)
    for cv in (shuffled, list(shuffled.split(X, Y))):
        found = clone(MODEL).set_params(cv=cv).fit(X, Y).cv_results_["mean_test_score"].tolist()
        assert found == expected
    assert clone(MODEL).set_params(cv=KFold(2)).fit(X, Y).n_splits_ == 2


def test_groups_reach_the_splitter():
    groups = np.arange(36) % 4
    model = clone(MODEL).set_params(cv=GroupKFold(4)).fit(X, Y, groups=groups)
    assert model.n_splits_ == 4


@pytest.mark.parametrize(
    "table",
    [pd.DataFrame(X, columns=list("abc")), pl.DataFrame(X, schema=list("abc")),
     pa.table(dict(zip("abc", X.T, strict=True))), sp.csr_array(X), X.tolist()],
    ids=["pandas", "polars", "pyarrow", "sparse", "lists"],
)  # fmt: skip
def test_every_kind_of_table_is_cut_into_the_same_folds(table):
    expected, model = chosen(), clone(MODEL).fit(table, Y)
    assert model.points_ == expected.points_
    assert model.cv_results_["split1_test_score"].tolist() == expected.cv_results_["split1_test_score"].tolist()


@pytest.mark.long
def test_several_processes_choose_what_one_chooses():
    one, two = chosen(), clone(MODEL).set_params(n_jobs=2).fit(X, Y)
    assert (one.C0_, one.points_.coefficients) == (two.C0_, two.points_.coefficients)
    assert one.cv_results_["mean_test_score"].tolist() == two.cv_results_["mean_test_score"].tolist()


def test_weights_count_in_the_errors_of_the_folds():
    # one fold tests rows 0 and 1: right on the first, wrong on the second
    X, y = np.array([[0], [0], [0], [1], [1]]), np.array([0, 1, 0, 1, 1])
    split = [(np.array([2, 3, 4]), np.array([0, 1]))]
    model = SLIMClassifierCV(Cs=[0.1], cv=split, **SETTINGS)
    assert model.fit(X, y).best_score_ == 0.5
    assert model.fit(X, y, sample_weight=[3, 1, 1, 1, 1]).best_score_ == 0.75
    assert model.set_params(class_weight={1: 4}).fit(X, y).best_score_ == 0.2


def test_weighted_rows_choose_what_repeated_rows_choose():
    weights = np.arange(36) % 3
    fold = np.arange(36) // 12
    model = clone(MODEL).set_params(Cs=4)
    weighted = clone(model).set_params(cv=PredefinedSplit(fold)).fit(X, Y, sample_weight=weights)
    repeated = clone(model).set_params(cv=PredefinedSplit(fold.repeat(weights)))
    repeated.fit(X.repeat(weights, axis=0), Y.repeat(weights))
    assert weighted.Cs_.tolist() == repeated.Cs_.tolist()
    assert weighted.C0_by_rule_ == repeated.C0_by_rule_
    assert weighted.points_ == repeated.points_


def test_a_fold_that_cannot_be_used_is_named():
    only_one_class = [(np.flatnonzero(Y == 1), np.flatnonzero(Y == 0)), (np.arange(18), np.arange(18, 36))]
    with pytest.raises(InvalidDataError, match=r"the training rows of fold 1 of 2: y has 1 class\(es\)"):
        clone(MODEL).set_params(cv=only_one_class).fit(X, Y)
    weights = np.r_[np.zeros(18), np.ones(18)]
    halves = [(np.arange(18, 36), np.arange(18, 36)), (np.arange(36), np.arange(18))]
    with pytest.raises(InvalidDataError, match="the test rows of fold 2 of 2 have no weight"):
        clone(MODEL).set_params(cv=halves).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize(
    "settings",
    [{}, {"constraints": [constraints.must_use("x2")]}, {"levels": {"x0": [([-1, 1], 0.05)]}},
     {"node_limit": 40},
     *(pytest.param(more, marks=pytest.mark.long)
       for more in ({"intercept": "paper"}, {"C1": 0.01}, {"class_weight": "balanced"}, {"max_features": 2},
                    {"gap": 0.1}))],
    ids=str,
)  # fmt: skip
def test_fits_that_share_their_work_are_the_fits_by_themselves(settings, monkeypatch):
    model = SLIMClassifierCV(
        Cs=[0.02, 0.05, 0.1, 0.2, 0.3], cv=2,
        **{"max_points": 2, "time_limit": None, "solver": "exhaustive", **settings},
    )  # fmt: skip
    sharing = clone(model).fit(X[:24], Y[:24])
    monkeypatch.setattr(penalty_grid, "FEWEST_SPARED", 99)
    apart = clone(model).fit(X[:24], Y[:24])
    for name in apart.cv_results_:
        if "time" not in name and name != "params":
            assert sharing.cv_results_[name].tolist() == apart.cv_results_[name].tolist(), name
    assert (sharing.C0_by_rule_, sharing.points_) == (apart.C0_by_rule_, apart.points_)


def test_ctrl_c_in_a_fold_interrupts_the_cross_validation(monkeypatch):
    real = penalty_grid.solve
    solves = []

    def interrupted(*args, **options):
        solves.append(options)
        return replace(real(*args, **options), stop=Stop.INTERRUPTED)

    monkeypatch.setattr(penalty_grid, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clone(MODEL).fit(X, Y)
    assert len(solves) == 1
