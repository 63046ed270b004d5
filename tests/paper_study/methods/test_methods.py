"""What holds for every method, and how sizes are counted."""

import importlib.util

import numpy as np
import pytest

from paper_study.tiny import tiny_data
from study.methods.c50 import C50Rules, C50Trees
from study.methods.contract import Linear, Size
from study.methods.fasterrisk import FasterRisk
from study.methods.scikit import Cart, CartOfRpart, KernelMachine, RandomForest
from study.methods.slim import Slim
from study.plan import PAPER_METHODS, full
from study.results.study import METHODS
from study.setting import Setting
from supersparse.problem.objective import evaluate

QUICK = [m for m in full(None).methods if not isinstance(m, RandomForest | FasterRisk | Slim)]
QUICK += [RandomForest(trees=30), Slim({"tiny": 300}, values=(0.01, 0.1))]


def require(method):
    reason = method.why_not()
    if reason is not None:
        pytest.skip(reason)
    return method


@pytest.mark.parametrize("method", QUICK, ids=lambda m: m.name)
def test_every_setting_gives_a_model_that_predicts_and_has_a_size(method):
    method = require(method)
    data = tiny_data()
    settings = method.settings(data)
    models = list(method.fit(data, settings, 0))
    assert {m.setting for m in models} == set(settings)
    assert len(set(settings)) == len(settings)
    assert all(isinstance(v, int | float | str) for s in settings for _, v in s.values)
    for model in models:
        predicted = model.predict(data.X)
        assert predicted.shape == data.y.shape
        assert set(np.unique(predicted)) <= {False, True}
        assert 0 <= model.size.features <= model.size.with_intercept
    best = min(float(np.mean(m.predict(data.X) != data.y)) for m in models)
    assert best < min(data.y.mean(), 1 - data.y.mean())  # better than a constant


@pytest.mark.parametrize("method", QUICK, ids=lambda m: m.name)
def test_a_second_fit_gives_the_same_predictions(method):
    method = require(method)
    data = tiny_data()
    settings = method.settings(data)[:1]
    first, second = (next(iter(method.fit(data, settings, 5))) for _ in range(2))
    assert np.array_equal(first.predict(data.X), second.predict(data.X))


def test_the_plan_has_the_papers_ten_methods_and_more():
    names = [m.name for m in full(None).methods]
    assert set(PAPER_METHODS) < set(names)
    assert sorted(names) == sorted(METHODS)


def test_sizes_with_and_without_the_intercept():
    assert Linear(np.array([1.0, 0.0, -2.0]), 0.5).size == Size(features=2, with_intercept=3)
    assert Linear(np.array([1.0, 0.0, -2.0]), 0.0).size == Size(features=2, with_intercept=2)
    assert Size.of_parts(4) == Size(features=4, with_intercept=4)
    assert Size.of_black_box(9) == Size(features=9, with_intercept=10)


def test_a_tree_has_the_size_of_its_leaves():
    data = tiny_data()
    data.y[:] = data.X[:, 0] > 2
    (model,) = Cart().fit(data, [Setting.of(pruning=0.0)], 0)
    assert model.size == Size.of_parts(2)  # one question separates the classes
    (stump,) = Cart().fit(data, [Setting.of(pruning=1.0)], 0)
    assert stump.size == Size.of_parts(1)


def test_rparts_default_tree_keeps_a_branch_that_saves_more_than_a_hundredth_of_the_errors():
    data = tiny_data(n_rows=1200)
    data.y[:] = data.X[:, 0] > 2
    (separated,) = CartOfRpart().fit(data, [Setting.of(cp=0.01)], 0)
    assert separated.size == Size.of_parts(2)
    assert np.array_equal(separated.predict(data.X), data.y)
    (stump,) = CartOfRpart().fit(data, [Setting.of(cp=1.0)], 0)
    assert stump.size == Size.of_parts(1)
    assert set(stump.predict(data.X)) == {bool(data.y.mean() > 0.5)}


def test_a_tree_pruned_by_errors_is_the_smallest_of_its_cost():
    # errors plus cp times the root's errors for each leaf: no other subtree costs less
    data = tiny_data(n_rows=300)
    costs = {}
    for cp in (0.0, 0.005, 0.01, 0.03, 0.1, 0.4):
        (model,) = CartOfRpart().fit(data, [Setting.of(cp=cp)], 0)
        wrong = int((model.predict(data.X) != data.y).sum())
        costs[cp] = (wrong, model.size.features)
    root = min(data.y.sum(), (~data.y).sum())
    for cp, (wrong, leaves) in costs.items():
        own = wrong + cp * root * leaves
        assert all(own <= other_wrong + cp * root * other + 1e-9 for other_wrong, other in costs.values())
    sizes = [leaves for _, leaves in costs.values()]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 2


def test_c50_trees_count_leaves_and_rules_count_rules():
    data = tiny_data()
    data.y[:] = data.X[:, 0] > 2
    setting = [Setting.of(confidence=0.25)]
    (tree,) = require(C50Trees()).fit(data, setting, 0)
    (rules,) = C50Rules().fit(data, setting, 0)
    assert tree.size == Size.of_parts(2)
    assert rules.size == Size.of_parts(2)


def test_a_forest_reports_the_rows_its_trees_did_not_see():
    data = tiny_data()
    (model,) = RandomForest(trees=50).fit(data, [Setting.of(features_a_split=1, rows_a_leaf=1, trees=50)], 0)
    assert np.mean(model.predict(data.X) != data.y) < np.mean(model.on_training_rows != data.y)
    assert model.size == Size(features=3, with_intercept=4)


def test_a_kernel_machine_scales_with_the_training_rows():
    data = tiny_data()
    setting = [Setting.of(cost=1.0, gamma=0.3)]
    (plain,) = KernelMachine().fit(data, setting, 0)
    X = data.X * np.array([1000, 1, 0.01]) + 5
    scaled = type(data)(name="scaled", X=X, y=data.y, feature_names=data.feature_names)
    (other,) = KernelMachine().fit(scaled, setting, 0)
    assert np.array_equal(plain.predict(data.X), other.predict(X))


def test_slim_is_verified_and_predicts_what_its_points_say():
    data = tiny_data()
    for model in Slim({"tiny": 300}, values=(0.01,)).fit(data, [Setting.of(C0=0.01, work=300)], 0):
        found = evaluate(model.solution.problem, model.solution.points)
        assert int(np.sum(model.predict(data.X) != data.y)) == found.predicted_errors
        assert model.size.features == found.features


def test_c50_without_its_package_is_left_out_and_says_so(monkeypatch):
    monkeypatch.setattr(
        "study.methods.c50.find_spec", lambda name: None if name == "c50py" else importlib.util.find_spec(name)
    )
    assert "pip install c50py" in C50Trees().why_not()


def test_fasterrisk_that_cannot_be_installed_is_left_out_and_says_why(tmp_path):
    place = tmp_path / "a file"
    place.write_text("not a folder")
    assert f"could not be installed in {place / 'environment'}" in FasterRisk(place / "environment").why_not()
    assert "no folder" in FasterRisk(None).why_not()
