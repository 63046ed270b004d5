"""A report on a card of questions: its numbers, computed again from the rows, and the sizes beside it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from supersparse import Prepare, ScoringSystem, Settings
from supersparse.learn.editing import with_changes
from supersparse.learn.fit import Fitted
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.show.report.data import read_data
from supersparse.show.report.evidence import refit_of
from supersparse.show.report.plan import Absent, Budget, Plan
from supersparse.show.report.proofs import recheck, sizes_around
from supersparse.show.report.report import make_report


def table(n=150):
    draw = np.random.default_rng(1)
    age, stage = draw.integers(20, 90, n), draw.choice(["I", "II", "III"], n)
    height = draw.normal(170, 10, n).round(1)
    height[draw.random(n) < 0.2] = np.nan
    ill = draw.random(n) < 1 / (1 + np.exp(-((age - 55) / 12 + 1.5 * (stage == "III"))))
    return {"age": age, "stage": stage, "height": height}, np.where(ill, "ill", "well")


@pytest.fixture(scope="module")
def fitted():
    columns, y = table()
    rows = TrainingRows(X=columns, y=y, sample_weight=None, rate_groups=None)
    settings = Settings.of(goal="risk", max_questions=2, max_points=4, positive="ill", teacher="ridge")
    question = Recipe(settings=settings, prepare=Prepare()).question(rows)
    solution = question.solve()
    assert solution.proven_optimal
    card = question.card(solution, "outcome", rows)
    return Fitted(question=question, solution=solution, card=card, validation=None), rows


def checked(card, change=lambda columns, y: (columns, y)):
    columns, y = change(*table())
    data = read_data(card, columns, y.tolist())
    refit = refit_of(card, data, Plan.nothing())
    assert not isinstance(refit, Absent), refit
    return recheck(card, refit.question_with_cuts_of(card)), refit


def test_the_numbers_of_a_card_are_computed_again(fitted):
    found, _ = checked(fitted[0].card)
    assert found.confirms(fitted[0].card)
    assert found.obeys is None
    made = fitted[0].card.provenance
    forged = replace(made, objective=made.objective + Fraction(1, 10**6), proven_smallest=False)
    assert not found.confirms(replace(fitted[0].card, provenance=forged))


def test_other_rows_do_not_confirm_it(fitted):
    found, _ = checked(fitted[0].card, lambda columns, y: (columns, np.roll(y, 7)))
    assert isinstance(found, Absent) or not found.confirms(fitted[0].card)


def test_an_edited_card_is_computed_again_with_its_own_cuts(fitted):
    card, rows = fitted
    view = dict(zip(card.solution.problem.rows.names, card.solution.points.answers, strict=True))
    at = card.question.prepare.questions_[0]
    cut = float(at.rules[0].high)
    edits = [
        {"cut": {"question": "age", "from": cut, "to": cut + 0.5}},
        {"points": {"question": "age", "to": [0, *[4] * (len(view["age"]) - 1)]}},
    ]
    edited = with_changes(card, rows, edits)[0].card
    found, _ = checked(edited)
    assert found.has_numbers_of(edited.provenance)


def test_the_sizes_of_a_report_are_those_of_the_frontier(fitted):
    card = fitted[0].card
    _, refit = checked(card)
    plan = Plan(larger=1, time_limit=None)
    found = sizes_around(card, refit.question, plan, Budget(None, {"sizes": 4}).part("sizes"))
    assert found.proven
    losses = [row.solution.objective for row in found.rows]
    assert losses == sorted(losses, reverse=True)
    assert losses[2] <= fitted[0].solution.evaluation.loss


def test_folds_compare_the_card_with_all_columns_and_fewer_questions(fitted):
    columns, y = table()
    plan = replace(Plan.nothing(), folds=2, time_limit=None)
    report = make_report(ScoringSystem(fitted[0].card), columns, y.tolist(), plan=plan)
    (block,) = [b for b in report.section("validation").blocks if "fewer questions" in getattr(b, "caption", "")]
    named = {row[0]: row for row in block.rows}
    assert list(named) == [
        "this card", "all columns (ridge)", "the teacher", "at most 1 question", "at most 2 questions"
    ]  # fmt: skip
    assert named["all columns (ridge)"][1:4] == named["the teacher"][1:4]  # ridge taught the card
    assert named["at most 1 question"][4] == "100 % of the folds"
    assert 0.5 < float(named["this card"][1]) < 1


def test_a_report_confirms_a_card_of_questions(fitted, tmp_path):
    columns, y = table()
    report = make_report(ScoringSystem(fitted[0].card), columns, y.tolist(), plan=replace(Plan.nothing(), larger=1))
    report.save(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Confirmed: recomputed from these rows" in text
    assert "not computed again" not in text
