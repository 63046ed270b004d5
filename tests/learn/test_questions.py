"""The way from a table to a card of questions: the problem it asks, and the card of its answer."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

from supersparse import Prepare, Problem, RiskScoreClassifier, ScoringSystem, Settings, solve
from supersparse.base.errors import InvalidOptionError, InvalidProblemError, SeparatedClassesWarning
from supersparse.card.scoring import score_table
from supersparse.constraints import same_sign, thresholds_per_variable
from supersparse.learn.recipe import QUESTION_PRICE, Recipe
from supersparse.learn.refit import Refit
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import divided
from supersparse.problem.near_totals import integer_totals
from supersparse.problem.objective import evaluate, with_answers
from supersparse.problem.rows import LABEL_UNIT
from supersparse.table.sources import as_table


def table(n=300, seed=0):
    """Two numbers, a category and gaps, all of which tell something."""
    draw = np.random.default_rng(seed)
    age, bmi = draw.integers(20, 90, n).astype(float), draw.normal(27, 4, n).round(1)
    stage = draw.choice(["I", "II", "III"], n)
    odds = (age - 55) / 15 + (stage == "III") * 1.5 - np.abs(bmi - 27) / 8
    y = np.where(draw.random(n) < 1 / (1 + np.exp(-odds)), "ill", "well")
    age[draw.random(n) < 0.15] = np.nan
    return {"age": age, "bmi": bmi, "stage": stage, "noise": draw.normal(size=n).round(2)}, y


def asked(n=300, seed=0, prepare=None, teacher=None, **more):
    X, y = table(n, seed)
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    recipe = Recipe(
        settings=Settings.of(goal="risk", questions=True, positive="ill", **more),
        prepare=prepare or Prepare(),
        teacher=teacher,
    )
    return recipe.question(rows), rows


def test_the_problem_has_a_question_a_column_and_blended_labels():
    question, rows = asked()
    problem = question.problem
    assert problem.rows.names == ("age", "bmi", "stage", "noise")
    assert problem.max_features == 6
    assert problem.C0 == (QUESTION_PRICE / 300,) * 4
    assert {q.points for q in problem.questions} == {tuple(range(11))}
    blended = 0.15 * (rows.y == "ill") + 0.85 * question.teacher.risks(rows)
    assert np.abs(problem.rows.soft_labels - blended * LABEL_UNIT).max() <= 0.5
    assert (problem.rows.positive == (rows.y == "ill")).all()


def test_without_a_teacher_labels_stay_and_a_whole_blend_imitates_it():
    assert asked()[0].problem.rows.soft_labels is not None
    plain, _ = asked_with("none")
    assert plain.problem.rows.soft_labels is None
    imitation, rows = asked_with("ridge", blend=1)
    risks = imitation.teacher.risks(rows)
    assert np.abs(imitation.problem.rows.soft_labels - risks * LABEL_UNIT).max() <= 0.5


def asked_with(teacher, **more):
    X, y = table()
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    settings = Settings.of(goal="risk", questions=True, positive="ill", teacher=teacher, **more)
    return Recipe(settings=settings, prepare=Prepare()).question(rows), rows


def risks_of(solution, problem):
    totals = integer_totals(problem, solution.points.coefficients, solution.points.answers)
    return 1 / (1 + np.exp(-(solution.slope * totals + solution.offset)))


@given(st.integers(0, 10**6), st.sampled_from(["item", "median", "mode"]), st.sampled_from(["auto", "none"]))
@settings(max_examples=12, deadline=None)
def test_a_card_gives_every_row_the_risk_of_its_problem(seed, missing, teacher):
    X, y = table(120, seed)
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    recipe = Recipe(
        settings=Settings.of(goal="risk", max_questions=3, positive="ill", teacher=teacher),
        prepare=Prepare(missing=missing),
    )
    question = recipe.question(rows)
    solution = question.solve()
    assert solution.proven_optimal
    card = question.card(solution, "y", rows)
    found = score_table(card, as_table(X))
    risks = card.risk.of(found.floats + float(card.zero_total))
    np.testing.assert_allclose(risks, risks_of(solution, question.problem), rtol=1e-12)
    assert ((found.decisive > 0) == (risks > 0.5)).all()
    loaded = ScoringSystem.from_json(ScoringSystem(card).to_json())
    assert loaded.card == card
    again = score_table(loaded.card, as_table(X)).floats
    assert (again == found.floats).all()


@given(st.integers(0, 10**6))
@settings(max_examples=8, deadline=None)
def test_no_card_of_the_prepared_answers_is_better(seed):
    """Against all cards of one question, evaluated exactly on the blended labels."""
    X, y = table(60, seed)
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    recipe = Recipe(
        settings=Settings.of(goal="risk", max_questions=1, max_points=3, positive="ill"), prepare=Prepare(max_cuts=2)
    )
    problem = recipe.question(rows).problem
    found = solve(problem)
    empty = [(0,) * question.answers for question in problem.questions]
    best = evaluate(problem, with_answers(problem, tuple(empty))).objective
    for j, question in enumerate(problem.questions):
        for points in product(range(4), repeat=question.answers):
            if question.admits(points):
                answers = (*empty[:j], points, *empty[j + 1 :])
                best = min(best, evaluate(problem, with_answers(problem, tuple(answers))).objective)
    assert found.proven_optimal
    assert abs(found.objective - best) <= Fraction(2, 10**9)


def test_the_classifier_learns_it_from_raw_columns():
    X, y = table()
    model = RiskScoreClassifier(max_questions=2, max_points=5).fit(X, y)
    card = model.scoring_system_.card
    assert model.proven_optimal_
    assert len(set(card.columns)) == 2
    assert {item.points for item in card.items} <= set(map(Fraction, range(1, 6)))
    text = str(model.scoring_system_)
    assert (
        "Proven: of all cards that ask at most 2 of the 4 questions tried, with these answers and points"
        in " ".join(text.split())
    )
    assert "(fit to the blended labels, with a small price for each question)." in " ".join(text.split())
    risks = model.predict_proba(X)[:, model.classes_.tolist().index("ill")]
    assert ((model.predict(X) == "ill") == (risks > 0.5)).all()


def test_the_numbers_of_a_card_are_of_the_true_classes():
    X, y = table()
    model = RiskScoreClassifier(max_questions=3, positive="ill").fit(X, y)
    seen = model.scoring_system_.card.performance[0]
    risks = model.predict_proba(X)[:, 0]
    assert seen.log_loss == pytest.approx(-np.log(np.where(y == "ill", risks, 1 - risks)).mean(), abs=1e-9)
    assert seen.false_positives + seen.false_negatives == (model.predict(X) != y).sum()


def test_a_classifier_or_an_array_may_teach():
    X, y = table()
    frame = pd.DataFrame(X)
    dummy = RiskScoreClassifier(questions=True, teacher=DummyClassifier(), blend=1).fit(frame, y)
    assert dummy.scoring_system_.card.items == ()
    given = RiskScoreClassifier(questions=True, teacher=np.where(X["bmi"] > 27, 0.9, 0.1), blend=1).fit(X, y)
    assert given.scoring_system_.card.columns == ("bmi",)
    assert any("were given" in note for note in given.prepare_.notes_)


def test_a_column_may_hold_the_risks_of_the_teacher():
    X, y = table()
    X["other"] = np.where(X["bmi"] > 27, 0.9, 0.1)
    model = RiskScoreClassifier(questions=True, teacher="other", blend=1).fit(X, y)
    assert model.scoring_system_.card.columns == ("bmi",)
    with pytest.raises(Exception, match="did you mean 'other'"):
        RiskScoreClassifier(questions=True, teacher="othr").fit(X, y)


def test_exports_of_a_card_of_questions_give_its_totals():
    X, y = table()
    system = RiskScoreClassifier(max_questions=3).fit(X, y).scoring_system_
    space: dict = {}
    exec(system.export("python"), space)
    rows = zip(*X.values(), strict=True)
    people = [{name: None if v != v else v for name, v in zip(X, row, strict=True)} for row in rows]
    for person in people[:60]:
        assert space["total"](person) == system.explain(person).total
        assert space["risk"](person) == pytest.approx(system.explain(person).risk, abs=1e-12)
    for target in ("sql", "javascript", "pmml"):
        assert len(system.export(target)) > 100


def test_a_settings_file_repeats_the_card():
    X, y = table()
    model = RiskScoreClassifier(max_questions=3, change_price=0.001, teacher="ridge", blend=0.5).fit(X, y)
    made = model.scoring_system_.card.provenance
    again = Settings.from_dict({k: v for k, v in made.settings.items() if k != "prepare"})
    assert (again.max_questions, again.teacher, again.blend) == (3, "ridge", 0.5)
    assert json.loads(json.dumps(made.settings))["questions"] is True
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    problem = Recipe(settings=again, prepare=Prepare()).question(rows).problem
    assert solve(problem).objective == made.objective


def test_shapes_and_what_is_not_known_reach_the_problem():
    question, _ = asked(400, prepare=Prepare(direction={"age": "+"}, shape={"bmi": "any"}))
    shapes = dict(zip(question.problem.rows.names, question.problem.questions, strict=True))
    assert (shapes["age"].shape, shapes["bmi"].shape, shapes["noise"].shape) == ("up", "free", "either")
    for prepared in question.prepare.questions_:
        assert shapes[prepared.column].answers == len(prepared.rules)
        assert shapes[prepared.column].ordered == len(prepared.rules) - prepared.has_not_known


def test_what_does_not_fit_questions_is_refused():
    with pytest.raises(InvalidProblemError, match="use max_questions"):
        asked(max_features=3)
    with pytest.raises(InvalidProblemError, match="remove it"):
        asked(slope=1)
    X, y = table(60)
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    with pytest.raises(InvalidOptionError, match="questions are for goal 'risk'"):
        Settings.of(goal="errors", max_questions=3)
    assert Recipe(settings=Settings.of(max_questions=3), prepare=Prepare()).question(rows).problem.goal == "risk"


def test_cut_points_are_limited_by_max_cuts_and_signs_are_directions():
    with pytest.raises(InvalidProblemError, match=r"at most 1 cut point for age'.*give max_cuts"):
        asked(constraints=[thresholds_per_variable(1, {"age": "age"})])
    question, _ = asked(constraints=[same_sign(["age", "bmi"])], max_questions=3)
    claim = question.card(question.solve()).provenance.allowed
    assert "points of age, bmi rise or fall alike" in claim


def test_three_cases_are_worth_one_question_without_a_teacher():
    X, y = table()
    rare = np.full(300, "well", dtype=object)
    rare[np.flatnonzero(y == "ill")[:3]] = "ill"
    rows = TrainingRows(X=X, y=rare.astype(str), sample_weight=None, rate_groups=None)
    recipe = Recipe(settings=Settings.of(goal="risk", positive="ill"), prepare=Prepare())
    question = recipe.question(rows)
    assert question.teacher is None
    assert question.problem.max_features == 1
    assert "for one question at most" in question.prepare.notes_[0]
    assert recipe.asking(max_questions=4).question(rows).problem.max_features == 4


def test_rows_that_repeat_others_are_in_one_fold():
    X, y = table(60)
    five = {name: np.tile(values, 5) for name, values in X.items()}
    recipe = Recipe(settings=Settings.of(goal="risk"), prepare=Prepare())
    rows = recipe.complete(TrainingRows(X=five, y=np.tile(y, 5), sample_weight=None, rate_groups=None))
    assert any("240 of 300 rows repeat others" in note for note in rows.notes)
    for train, test in divided(rows, 5):
        assert not set(train % 60) & set(test % 60)
    few_answers = {"a": np.arange(300) % 2, "b": np.arange(300) % 3}
    chance = TrainingRows(X=few_answers, y=np.tile(y, 5), sample_weight=None, rate_groups=None)
    assert recipe.complete(chance).groups is None


def test_a_card_on_answers_alone_can_be_drawn():
    problem = Problem.of_questions([[0, 1], [1, 0], [2, 1], [2, 0]] * 5, [0, 0, 1, 1] * 4 + [1, 0, 0, 1], C0=0)
    system = ScoringSystem.from_solution(solve(problem))
    assert "points" in str(system)


def test_a_price_counts_rows_whatever_the_unit_of_their_weights():
    X, y = table()
    prices = []
    for weight in (None, np.full(300, 2), np.full(300, 0.001)):
        rows = TrainingRows(X=X, y=y, sample_weight=weight, rate_groups=None)
        recipe = Recipe(settings=Settings.of(goal="risk", max_questions=2), prepare=Prepare())
        prices.append(recipe.question(rows).problem.C0[0])
    assert prices == [QUESTION_PRICE / 300, QUESTION_PRICE / 600, QUESTION_PRICE / 300]


def test_a_card_can_be_learned_again_from_its_own_settings():
    X, y = table()
    card = RiskScoreClassifier(max_questions=2).fit(X, y).scoring_system_.card
    again = Refit.of(card, {name: np.asarray(values, object) for name, values in X.items()}, y, None)
    found = again(np.arange(300))
    assert found.proven
    assert found.card.items == card.items


def test_the_card_says_where_the_limit_on_effects_binds():
    X, y = np.arange(1.0, 9)[:, None].repeat(4, 0), np.repeat([0, 0, 0, 0, 1, 1, 1, 1], 4)
    with pytest.warns(SeparatedClassesWarning, match="slope is at its limit"):
        model = RiskScoreClassifier(questions=True, C0=0, teacher="none", max_points=2).fit(X, y)
    assert "the slope is at its limit" in " ".join(str(model.scoring_system_).split())


def test_a_table_that_is_large_for_the_time_limit_is_sampled_and_said():
    X = {f"x{k}": np.arange(30_000.0) for k in range(4)}
    rows = TrainingRows(X=X, y=np.arange(30_000) % 3 == 0, sample_weight=None, rate_groups=None)
    asked = Recipe(settings=Settings.of(goal="risk", max_questions=6), prepare=Prepare())
    assert asked.complete(rows) is rows
    short = replace(asked, options={"time_limit": 1.0}).complete(rows)
    again = replace(asked, options={"time_limit": 1.0}).complete(rows)
    assert len(short.y) == 25_000
    assert (short.X["x0"] == again.X["x0"]).all()
    assert short.notes[0].startswith("learned from 25000 of 30000 rows")
    features = replace(asked, settings=Settings.of(goal="risk", questions=False), options={"time_limit": 1.0})
    assert features.complete(rows) is rows
