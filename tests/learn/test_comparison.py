"""Cards of questions judged on held-out rows: beside models of all columns, and beside fewer questions."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from supersparse import Prepare, ScoringSystem, Settings
from supersparse.base.errors import InvalidCardError
from supersparse.card.performance import Compared
from supersparse.learn.comparison import ALL_COLUMNS, CARD, TEACHER, Comparison, Measures, at_most, compared
from supersparse.learn.fit import fit
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import Folds, splits_of, usual_repeats
from supersparse.show.document.sizes import sizes_table


def rows_of(n=260, seed=0):
    draw = np.random.default_rng(seed)
    a, b, c = draw.normal(size=(3, n)).round(2)
    y = (draw.random(n) < 1 / (1 + np.exp(-1.5 * a - b))).astype(int)
    a[:30] = np.nan
    return TrainingRows(X={"a": a, "b": b, "c": c}, y=y, sample_weight=None, rate_groups=None)


def recipe_of(**more):
    settings = Settings.of(goal="risk", max_questions=2, positive="1", **more)
    return Recipe(settings=settings, prepare=Prepare(), options={"n_jobs": 1, "time_limit": 6000})


def test_measures_are_those_of_scikit_learn_by_weight():
    draw = np.random.default_rng(1)
    risks, positive, weights = draw.random(50), draw.random(50) < 0.5, draw.integers(0, 4, 50)
    found = Measures.of(risks, positive, weights, 0.4)
    assert found.auc == pytest.approx(roc_auc_score(positive, risks, sample_weight=weights))
    assert found.log_loss == pytest.approx(log_loss(positive, risks, sample_weight=weights))
    assert found.error == pytest.approx(np.average((risks > 0.4) != positive, weights=weights))
    assert Measures.of(risks, np.ones(50, dtype=bool), None, 0.5).auc is None
    assert found.agreement is None


def test_fidelity_is_to_the_risks_of_the_teacher_by_weight():
    risks, taught, weights = np.array([0.2, 0.6, 0.9]), np.array([0.4, 0.3, 0.8]), np.array([1, 1, 2])
    found = Measures.of(risks, np.array([True, False, True]), weights, 0.5, taught=taught)
    mean = (0.4 + 0.3 + 1.6) / 4
    spread = (0.4 - mean) ** 2 + (0.3 - mean) ** 2 + 2 * (0.8 - mean) ** 2
    assert found.teacher_r2 == pytest.approx(1 - (0.04 + 0.09 + 0.02) / spread)
    assert found.agreement == 0.75
    by_hand = [-t * np.log(r) - (1 - t) * np.log(1 - r) for t, r in zip(taught, risks, strict=True)]
    assert found.teacher_log_loss == pytest.approx((by_hand[0] + by_hand[1] + 2 * by_hand[2]) / 4)
    assert Measures.of(risks, np.array([True, False, True]), None, 0.5, taught=np.full(3, 0.5)).teacher_r2 is None


def test_a_card_that_imitates_says_how_near_it_is():
    rows = rows_of()
    taught = 1 / (1 + np.exp(-np.nan_to_num(rows.X["a"]) - rows.X["b"]))
    recipe = recipe_of(blend=1)
    folds = Folds(splits=splits_of(rows.y, 2), n_jobs=1)
    rows = replace(rows, risks=taught)
    card = fit(recipe.question(rows), rows, folds).card
    own = next(one for one in card.performance[-1].compared if one.of == CARD)
    assert 0.5 < own.teacher_r2 < own.agreement < 1
    said = " ".join(str(ScoringSystem(card)).split())
    assert f"Fidelity R² {own.teacher_r2:.2f}, {100 * own.agreement:.1f} % same decisions" in said
    assert "fit to the risks of the teacher" in said
    assert ScoringSystem.from_json(ScoringSystem(card).to_json()).card == card


def test_all_are_learned_from_the_training_rows_and_measured_on_the_others():
    rows = rows_of()
    train, test = (rows.take(part) for part in splits_of(rows.y, 5)[0])
    question = recipe_of().question(train)
    solution = question.solve()
    found = compared(question, solution, train, test, n_jobs=1)
    assert list(found) == [CARD, ALL_COLUMNS, TEACHER, at_most(1), at_most(2)]
    truth = test.y == 1
    assert found[TEACHER].auc == pytest.approx(roc_auc_score(truth, question.teacher.risks(test)))
    assert found[ALL_COLUMNS].log_loss == pytest.approx(log_loss(truth, question.teacher.ridge_risks(test)))
    assert found[CARD].auc == pytest.approx(roc_auc_score(truth, question.scores(solution, test.X)))
    assert found[at_most(1)].proven
    assert found[at_most(2)].proven


def test_a_card_that_asks_all_it_may_is_the_card_of_that_size():
    rows = rows_of()
    train, test = (rows.take(part) for part in splits_of(rows.y, 5)[1])
    question = recipe_of(C0=0).question(train)
    solution = question.solve()
    found = compared(question, solution, train, test, n_jobs=1)
    assert len(solution.points.support) == 2
    assert found[at_most(2)].log_loss == pytest.approx(found[CARD].log_loss, abs=1e-6)


@pytest.mark.parametrize("teacher", ["none", "ridge"])
def test_folds_put_the_comparison_together(teacher):
    rows = rows_of()
    recipe = recipe_of(teacher=teacher)
    question = recipe.question(rows)
    splits = splits_of(rows.y, 3)
    fitted = fit(question, rows, Folds(splits=splits))
    assert fitted.validation.folds == 3
    found = fitted.validation.comparison
    assert (TEACHER in found.names) == (teacher != "none")
    assert ALL_COLUMNS in found.names
    each = [fold[CARD].log_loss for fold in found.by_fold]
    assert found.means(CARD)["log_loss"] == pytest.approx(np.mean(each))
    assert fitted.validation.as_data()["compared"][0]["of"] == CARD
    text = fitted.validation.in_words()
    assert "all columns (ridge)" in text
    assert "at most 1 question " in text
    seen = fitted.card.performance[-1]
    assert seen.on == "cross-validation"
    assert seen.log_loss == pytest.approx(np.mean(each), rel=0.02)  # folds differ by a row


def test_one_division_repeats_another():
    rows = rows_of(150)
    recipe = recipe_of()
    texts = [
        fit(recipe.question(rows), rows, Folds(splits=splits_of(rows.y, 2))).validation.in_words() for _ in range(2)
    ]
    assert texts[0] == texts[1]


def test_what_only_some_folds_measured_is_left_out():
    one = Measures(auc=None, log_loss=0.5, error=0.25, proven=False)
    found = Comparison(by_fold=({CARD: one, TEACHER: one}, {CARD: one}))
    assert found.names == [CARD]
    assert found.means(CARD) == {"auc": None, "log_loss": 0.5, "error": 0.25, "proven": 0}
    assert "proven in 0 % of the folds" in found.in_words()
    assert Comparison(by_fold=()).in_words() == ""


def test_small_tables_are_divided_twice():
    assert [usual_repeats(n, 5, asks_questions=True) for n in (1000, 1001)] == [2, 1]


def test_a_card_keeps_the_comparison_and_every_face_shows_all_columns_beside(tmp_path):
    rows = rows_of(120)
    question = recipe_of(teacher="ridge").question(rows)
    fitted = fit(question, rows, Folds(splits=splits_of(rows.y, 2)))
    kept = fitted.card.performance[-1].compared
    assert [one.of for one in kept] == fitted.validation.comparison.names
    system = ScoringSystem(fitted.card)
    system.save(tmp_path / "card.json")
    loaded = ScoringSystem.load(tmp_path / "card.json")
    assert loaded.card.performance[-1].compared == kept
    beside = f"; all columns {kept[1].auc:.2f}"
    assert all(beside in face for face in (str(loaded), loaded.to_markdown(), loaded.to_html(), loaded.to_latex()))
    table = sizes_table(loaded.card)
    assert [row[0] for row in table.rows] == [*(str(one.questions) for one in kept[3:]), "all columns (ridge)"]
    with pytest.raises(InvalidCardError, match="the auc of 'x' is 2"):
        Compared(of="x", auc=2.0, log_loss=0.1, error=0.1)
