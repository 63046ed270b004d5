"""Goal errors with a teacher: a row counts by how far its blended label leans; what is said is of the true labels."""

import itertools

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from supersparse import SLIMClassifier, SLIMClassifierCV
from supersparse.base.errors import InvalidDataError, InvalidOptionError
from supersparse.card.evidence import about_labels
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.trade_off import sweep
from supersparse.show.document import ScoringSystem

RISKS = np.tile([0.05, 0.2, 0.4, 0.7, 0.9], 12)


def table(seed=0):
    """Three yes/no columns, labels that follow two of them, and weights."""
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 2, (60, 3))
    y = np.where(X @ [2, 1, 0] + draw.normal(0, 1, 60) > 1.2, "yes", "no")
    return X, y, draw.integers(1, 4, 60)


def brute_force(X, y, weight, risks, blend, costs, C0):
    """The least objective of any card with points from -1 to 1, by the expected cost of each decision."""
    p = (1 - blend) * (y == "yes") + blend * risks
    lean = costs[1] * p - costs[0] * (1 - p)
    total = (weight * np.abs(lean) / np.where(lean > 0, costs[1], costs[0])).sum()
    best = np.inf
    for points in itertools.product((-1, 0, 1), repeat=X.shape[1]):
        scores = X @ points
        for threshold in (*np.unique(scores), scores.max() + 1):
            positive = scores >= threshold
            wrong = (positive & (lean < 0)) | (~positive & (lean > 0))
            best = min(best, (weight * np.abs(lean))[wrong].sum() / total + C0 * np.count_nonzero(points))
    return best


@pytest.mark.parametrize("costs", [(1.0, 1.0), (0.5, 2.0), (0.4, 1.6)])
@pytest.mark.parametrize("blend", [0.3, 0.85, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_card_has_the_least_errors_by_the_blended_labels(seed, blend, costs):
    X, y, weight = table(seed)
    by_class = {"no": costs[0], "yes": costs[1]}
    asked = {"objective": "net_benefit", "risk_threshold": 0.2} if costs[0] == 0.4 else {"class_weight": by_class}
    model = SLIMClassifier(teacher=RISKS, blend=blend, C0=0.03, max_points=1, positive="yes", **asked)
    model.fit(X, y, sample_weight=weight)
    assert model.proven_optimal_
    assert model.objective_ == pytest.approx(brute_force(X, y, weight, RISKS, blend, costs, 0.03), abs=1e-5)


@pytest.mark.parametrize("prepare", [None, "auto"])
def test_every_number_is_of_the_true_labels_and_the_card_says_so(tmp_path, prepare):
    X, y, weight = table()
    X = {f"x{j}": X[:, j] for j in range(3)} if prepare else X
    model = SLIMClassifier(teacher="ridge", C0=0.03, max_points=3, prepare=prepare, validate=True)
    model.fit(X, y, sample_weight=weight)
    predicted = model.predict(X)
    wrong = weight[predicted != y].sum()
    assert model.predicted_errors_ == wrong
    card = model.scoring_system_.card
    seen = card.performance[0]
    assert (seen.false_positives + seen.false_negatives, seen.n) == (wrong, weight.sum())
    assert seen.true_positives == weight[(predicted == "yes") & (y == "yes")].sum()
    assert card.performance[1].n == weight.sum()
    made = card.provenance
    assert (made.total_weight, made.n_rows, made.predicted_errors) == (weight.sum(), 60, wrong)
    assert made.settings["teacher"] == "ridge"
    text = str(model.scoring_system_)
    assert " ".join(text.split()).count(about_labels(card)) == 1
    assert "errors by the blended labels" in " ".join(text.split())
    for face in (model.scoring_system_.to_html(), model.scoring_system_.to_svg(), model.scoring_system_.to_latex()):
        assert "blended with a model" in face
    model.scoring_system_.save(tmp_path / "card.json")
    again = ScoringSystem.load(tmp_path / "card.json")
    assert str(again) == text
    plain = SLIMClassifier(C0=0.03, max_points=3, prepare=prepare).fit(X, y, sample_weight=weight)
    assert "blended" not in str(plain.scoring_system_)


def test_labels_that_a_perfect_teacher_confirms_give_the_usual_card():
    X, y, _ = table()
    taught = SLIMClassifier(teacher=(y == "yes").astype(float), C0=0.03, max_points=3).fit(X, y)
    plain = SLIMClassifier(C0=0.03, max_points=3).fit(X, y)
    assert taught.training_errors_ == plain.training_errors_
    assert taught.objective_ == pytest.approx(plain.objective_, abs=1e-5)


def test_a_classifier_teaches_each_fold_anew():
    X, y, _ = table()
    model = SLIMClassifierCV(Cs=[0.02, 0.1], cv=3, max_points=2, teacher=LogisticRegression(), n_jobs=1).fit(X, y)
    assert model.scoring_system_.card.provenance.settings["teacher"] == "LogisticRegression"
    assert model.n_splits_ == 3


def test_what_cannot_be_counted_is_refused_with_the_remedy():
    X, y, _ = table()
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    with pytest.raises(InvalidDataError, match=r"favour class 'no' in every row.*goal risk"):
        SLIMClassifier(teacher=RISKS / 10, blend=1.0).fit(X, y)
    with pytest.raises(InvalidOptionError, match="remove tie_break"):
        SLIMClassifier(teacher="ridge", tie_break="log_loss").fit(X, y)
    with pytest.raises(InvalidOptionError, match=r"a trade-off counts errors .* remove teacher"):
        sweep(Recipe(settings=Settings.of(teacher="ridge")), rows, None)
