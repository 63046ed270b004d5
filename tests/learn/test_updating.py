"""Updating a card in use: the best card that differs from it in few questions or answers, and its history."""

import itertools
import json
import math

import numpy as np
import pytest

from supersparse import Prepare, RiskScoreClassifier, ScoringSystem, item
from supersparse.card.evidence import facts
from supersparse.errors import InvalidCardError, InvalidDataError, InvalidOptionError, InvalidProblemError
from supersparse.learn.refit import Refit

AGES, SMOKES = ["under 50", "50 to 69", "70 or older"], ["no", "former", "yes"]
IN_USE = ScoringSystem.of(
    [
        item("age", at_least=50, below=70, points=1),
        item("age", at_least=70, points=3),
        item("smoker", equals="former", points=1),
        item("smoker", equals="yes", points=2),
    ],
    threshold=3,
    classes=("no", "yes"),
)


def people(n=240, seed=0, of_sex=1.5):
    random = np.random.default_rng(seed)
    age, smoker = random.integers(30, 90, n), random.choice(SMOKES, n)
    sex = random.choice(["f", "m"], n)
    logit = -2 + 0.03 * (age - 50) + 1.0 * (smoker == "yes") + of_sex * (sex == "m")
    y = np.where(random.random(n) < 1 / (1 + np.exp(-logit)), "yes", "no")
    return {"age": age, "smoker": smoker, "sex": sex}, y


def updated(X, y, in_use=IN_USE, **how):
    settings = {"changes": 1, **{name: how.pop(name) for name in ("changes", "changes_of") if name in how}}
    options = {"teacher": None, "validate": False, "time_limit": None, **how}
    return RiskScoreClassifier(prepare=Prepare(update=in_use, **settings), **options).fit(X, y)


def points_of(model):
    """The points by column and answer, and the column's answers by row."""
    prepare = model.prepare_
    return {one.column: points for one, points in zip(prepare.questions_, model.points_.answers, strict=True)}


def log_loss(columns, y, points):
    """The least mean log loss of a risk of the total, by Newton's method, and the price of the questions."""
    total = sum(np.array(points[name], float)[columns[name]] for name in columns)
    X, p, b = np.column_stack([np.ones(len(y)), total]), None, np.zeros(2)
    for _ in range(100):
        p = 1 / (1 + np.exp(-X @ b))
        b = b - np.linalg.lstsq(X.T @ (X * (p * (1 - p))[:, None]) + 1e-14 * np.eye(2), X.T @ (p - y), rcond=None)[0]
    asked = sum(any(own) for own in points.values())
    return float(np.mean(np.logaddexp(0, np.where(y, -1, 1) * (X @ b)))) + asked * 0.2 / len(y)


@pytest.mark.parametrize(("of", "most"), [("questions", 1), ("answers", 1), ("answers", 2)])
def test_the_update_is_the_best_of_all_cards_so_near(of, most):
    X, y = people(150)
    model = updated(X, y, changes=most, changes_of=of, max_points=3)
    assert model.proven_optimal_
    columns = {
        "age": np.searchsorted([50, 70], X["age"], side="right"),
        "smoker": np.array([{"former": 0, "yes": 1, "no": 2}[value] for value in X["smoker"]]),
        "sex": None,
    }
    sexes = next(one for one in model.prepare_.questions_ if one.column == "sex").rules
    columns["sex"] = np.array([next(k for k, rule in enumerate(sexes) if value in rule.values) for value in X["sex"]])
    old = {"age": (0, 1, 3), "smoker": (1, 2, 0), "sex": (0, 0)}
    shapes = {
        name: [p for p in itertools.product(range(4), repeat=len(own)) if min(p) == 0] for name, own in old.items()
    }
    shapes["age"] = [p for p in shapes["age"] if list(p) in (sorted(p), sorted(p, reverse=True))]
    best = math.inf
    for card in itertools.product(*(shapes[name] for name in old)):
        points = dict(zip(old, card, strict=True))
        changed = [sum(a != b for a, b in zip(points[name], old[name], strict=True)) for name in old]
        if (sum(map(bool, changed)) if of == "questions" else sum(changed)) <= most:
            best = min(best, log_loss(columns, y == "yes", points))
    assert model.objective_ == pytest.approx(best, abs=1e-8)


def test_without_a_change_the_points_stay_and_the_risks_are_new():
    X, y = people()
    model = updated(X, y, changes=0)
    assert points_of(model) == {"age": (0, 1, 3), "smoker": (1, 2, 0), "sex": (0, 0)}
    assert model.proven_optimal_
    assert model.scoring_system_.predict_risk(X).mean() == pytest.approx((y == "yes").mean(), abs=1e-6)
    (update,) = model.scoring_system_.card.provenance.updates
    assert (update.changes, update.gain, update.n_before, update.n_rows) == ((), 0, None, 240)


def test_points_without_a_common_divisor_of_one_stay_as_they_are():
    X, y = people()
    twice = ScoringSystem.of([item("age", at_least=50, points=4), item("sex", equals="m", points=2)], threshold=3,
                             classes=("no", "yes"))  # fmt: skip
    assert points_of(updated(X, y, twice, changes=0))["age"] == (0, 4)
    assert points_of(updated(X, y, twice, changes=0, max_points=20))["sex"] in {(2, 0), (0, 2)}


def test_an_answer_that_no_row_gives_keeps_its_points():
    X, y = people()
    X["age"] = np.minimum(X["age"], 69)
    model = updated(X, y, changes=0)
    assert points_of(model)["age"] == (0, 1, 3)
    assert [i.points for i in model.scoring_system_.card.items if i.column == "age"] == [1, 3]


def test_what_a_card_says_of_missing_values_stays():
    X, y = people()
    own = ScoringSystem.of([item("age", at_least=50, points=2, missing=2)], threshold=2, classes=("no", "yes"))
    ages = X["age"].astype(float)
    ages[::10] = np.nan
    model = updated({**X, "age": ages}, y, own, changes=0)
    assert points_of(model)["age"] == (0, 2)
    assert model.scoring_system_.total({"age": [40.0, 60.0, np.nan]}).tolist() == [0, 2, 2]
    with pytest.raises(InvalidDataError, match="age"):
        updated({**X, "age": ages}, y, changes=0)


def test_the_gain_of_a_change_is_what_undoing_it_costs():
    X, y = people()
    model = updated(X, y, changes=2)
    (update,) = model.scoring_system_.card.provenance.updates
    fewer = {k: updated(X, y, changes=k).objective_ for k in (0, 1)}
    assert fewer[0] >= fewer[1] >= model.objective_
    assert update.gain == pytest.approx(fewer[0] - model.objective_, abs=1e-9)
    assert len(update.changes) == 2
    assert min(gain for _, gain in update.changes) >= fewer[1] - model.objective_ - 1e-9
    assert any("sex added: sex = m" in text for text, _ in update.changes)


def test_the_history_grows_and_is_kept_in_the_file(tmp_path):
    X, y = people()
    second = updated(X, y).scoring_system_
    path = tmp_path / "second.json"
    second.save(path)
    X, y = people(seed=1, of_sex=0)
    third = updated(X, y, path).scoring_system_
    third.save(tmp_path / "third.json")
    again = ScoringSystem.load(tmp_path / "third.json")
    assert again == third
    first, last = again.card.provenance.updates
    assert (first,) == second.card.provenance.updates
    assert (last.n_before, last.before) == (240, json.loads(second.to_json())["digest"])
    said = dict(facts(again.card))
    assert "Version 2" in said
    assert "without it the fit is" in said["Version 3"]
    assert said["Version 3"] in " ".join(str(third).split())


def test_folds_update_the_card_as_well():
    X, y = people()
    model = updated(X, y, validate=True, changes=0)
    judged = model.scoring_system_.card.performance[-1]
    assert judged.on == "cross-validation"
    refit = Refit.of(model.scoring_system_.card, X, y, None)
    assert refit.question.prepare.updated is not None
    assert refit(np.arange(120)).card.as_learned.items[0].points == 1


@pytest.mark.parametrize(
    ("how", "error", "match"),
    [
        ({"in_use": {"format": "x"}}, InvalidCardError, "not a scoring system"),
        ({"in_use": "nowhere.json"}, OSError, "nowhere"),
        ({"positive": "no"}, InvalidOptionError, "risk of 'yes', but the positive class here is 'no'"),
        ({"in_use": ScoringSystem.of([item("age", points=1)], threshold=3, classes=("no", "yes"))},
         InvalidDataError, "multiplies its value"),
        ({"in_use": ScoringSystem.of([item("age", at_least=3, points=0.5)], threshold=3, classes=("no", "yes"))},
         InvalidDataError, "has the points 0, 0.5"),
        ({"in_use": ScoringSystem.of([item("ages", at_least=3, points=1)], threshold=3, classes=("no", "yes"))},
         InvalidDataError, "lacks 'ages'"),
        ({"in_use": ScoringSystem.of([item("age", at_least=3, points=1)], threshold=3, classes=("no", "yes"))},
         InvalidDataError, "every row gives the same answer to 'age'"),
        ({"questions": False}, InvalidProblemError, "update is of a card of questions"),
    ],
)  # fmt: skip
def test_what_cannot_be_updated_is_refused(how, error, match):
    with pytest.raises(error, match=match):
        updated(*people(60), **how)


@pytest.mark.parametrize("how", [{"changes": 1}, {"changes_of": "answers"}])
def test_changes_without_a_card_in_use_are_refused(how):
    with pytest.raises(InvalidProblemError, match="changes are of a card in use, and none is named"):
        RiskScoreClassifier(prepare=Prepare(**how), validate=False).fit(*people(60))
