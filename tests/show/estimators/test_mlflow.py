"""Classifiers are saved and loaded by MLflow and skops, with one type to trust, and pickled as plain data."""

import pickle
import sys
import types
import zipfile

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from supersparse import Prepare, RiskScoreClassifier, RiskScoreClassifierCV, SLIMClassifier, SLIMClassifierCV

skops_io = pytest.importorskip("skops.io", reason="skops is not installed")
LIMITS = {"time_limit": 600, "max_points": 3}
pytestmark = pytest.mark.filterwarnings("ignore:.*Any type hint")  # what importing MLflow says


def table():
    random = np.random.default_rng(0)
    age, dose = random.integers(20, 80, 120).astype(float), random.normal(size=120)
    sex = random.choice(["F", "M"], 120)
    ill = age + 10 * (sex == "F") + random.normal(0, 8, 120) > 55
    return {"age": age, "dose": dose, "sex": sex}, np.where(ill, "ill", "well")


RAW, Y = table()
X = np.column_stack([RAW["age"], RAW["dose"]])
CASES = {
    "numbers": (SLIMClassifier(prepare=None, max_features=2, **LIMITS), X),
    "calibrated": (SLIMClassifier(prepare="auto", max_features=2, calibrate="isotonic", **LIMITS), RAW),
    "risk of questions": (RiskScoreClassifier(max_questions=2, **LIMITS), RAW),
    "CV": (SLIMClassifierCV(prepare=None, Cs=[0.1, 0.2], cv=2, max_features=1, **LIMITS), X),
    "risk CV": (RiskScoreClassifierCV(cv=2, max_questions=2, **LIMITS), RAW),
    "in a pipeline": (make_pipeline(StandardScaler(), SLIMClassifier(prepare=None, max_features=1, **LIMITS)), X),
}  # fmt: skip


@pytest.fixture(params=CASES)
def fitted(request):
    model, data = CASES[request.param]
    return model.fit(data, Y), data


def one_type(model):
    ours = model[-1] if hasattr(model, "steps") else model
    return [f"supersparse.{type(ours).__name__}"]


def test_mlflow_saves_and_loads_with_one_trusted_type(fitted, tmp_path):
    mlflow = pytest.importorskip("mlflow.sklearn", reason="mlflow-skinny is not installed")
    model, data = fitted
    mlflow.save_model(model, tmp_path / "model", skops_trusted_types=one_type(model), pip_requirements=["supersparse"])
    assert mlflow.load_model(str(tmp_path / "model")).predict(data).tolist() == model.predict(data).tolist()


def test_skops_and_pickle_bring_a_classifier_back(fitted):
    model, data = fitted
    content = skops_io.dumps(model)
    assert skops_io.get_untrusted_types(data=content) == one_type(model)
    for back in (skops_io.loads(content, trusted=one_type(model)), pickle.loads(pickle.dumps(model))):
        assert back.predict(data).tolist() == model.predict(data).tolist()
        assert str(back) == str(model)
        if not hasattr(model, "steps"):
            assert back.scoring_system_ == model.scoring_system_
            assert vars(back).keys() == vars(model).keys()


def test_a_preparation_in_a_pipeline_comes_back():
    model = make_pipeline(Prepare(), SLIMClassifier(prepare=None, max_features=1, **LIMITS)).fit(RAW, Y)
    content = skops_io.dumps(model)
    trusted = skops_io.get_untrusted_types(data=content)
    assert trusted == ["supersparse.Prepare", "supersparse.SLIMClassifier"]
    assert skops_io.loads(content, trusted=trusted).predict(RAW).tolist() == model.predict(RAW).tolist()


def test_a_state_of_an_earlier_version_is_read():
    model = SLIMClassifier(prepare=None, max_features=1, **LIMITS).fit(X, Y)
    again = SLIMClassifier()
    again.__setstate__(dict(vars(model)))
    assert again.scoring_system_ == model.scoring_system_


def test_a_state_makes_no_class_of_another_package():
    from supersparse.errors import InvalidDataError

    bad = {"supersparse:kind": "dataclass", "class": "os:system", "fields": {}}
    with pytest.raises(InvalidDataError, match="os:system"):
        SLIMClassifier().__setstate__({"C0": bad})


def test_a_forest_can_be_a_teacher():  # it has a length, as columns have
    forest = RandomForestClassifier(5, random_state=0).fit(X, Y)
    model = RiskScoreClassifier(teacher=forest, blend=1, max_questions=1, **LIMITS).fit(X, Y)
    assert model.scoring_system_.card.items


def test_the_exported_module_serves_as_a_model_of_mlflow(tmp_path, monkeypatch):
    pyfunc = pytest.importorskip("mlflow.pyfunc", reason="mlflow-skinny is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    system = RiskScoreClassifier(max_questions=2, **LIMITS).fit(RAW, Y).scoring_system_
    system.export("mlflow", tmp_path / "card.zip")
    zipfile.ZipFile(tmp_path / "card.zip").extractall(tmp_path)
    monkeypatch.setattr(sys, "modules", {k: v for k, v in sys.modules.items() if k != "card_module"})
    frame = pandas.DataFrame(RAW)
    frame.loc[0, "age"] = 850.0  # refused: far from the training rows
    found = pyfunc.load_model(str(tmp_path / "card")).predict(frame)
    assert list(found.columns) == ["total", "class", "risk"]
    assert np.isnan(found["total"][0])
    assert found["class"][1:].tolist() == system.predict(frame[1:]).tolist()
    assert found["risk"][1:].to_numpy(float) == pytest.approx(system.predict_risk(frame[1:]))
    assert isinstance(sys.modules["card_module"], types.ModuleType)
