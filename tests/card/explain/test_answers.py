"""Explanations of cards of questions speak of questions and answers, and empty cards say that they ask none."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from supersparse import RiskScoreClassifier, RiskScoreClassifierCV
from supersparse.errors import SkippedFoldsWarning
from supersparse.learn.comparison import CARD, Measures
from supersparse.show.cli.app import app


@pytest.fixture(scope="module")
def learned():
    draw = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame({"age": draw.integers(20, 90, n).astype(float), "sex": draw.choice(["f", "m"], n)})
    X.loc[draw.random(n) < 0.15, "age"] = np.nan
    logit = np.where(X.age.isna(), 1.5, (X.age.fillna(0) - 55) / 12) + (X.sex == "m")
    y = np.where(draw.random(n) < 1 / (1 + np.exp(-logit)), "ill", "well")
    return RiskScoreClassifier().fit(X, y).scoring_system_, X


def test_each_question_is_a_reason_with_its_answer_and_the_most_points(learned):
    system, X = learned
    lines = {}
    for row in X.to_dict("records"):
        found = system.explain(row)
        assert [reason.column for reason in found.reasons] == list(system.card.columns)
        assert found.total == sum(reason.points for reason in found.reasons)
        assert found.label == system.predict(row)
        for reason in found.reasons:
            assert 0 <= reason.points <= reason.most
            lines.setdefault(reason.column, {})[reason.answer] = reason.points
    shown = " ".join(str(system).split())
    for column, answers in lines.items():
        assert max(answers.values()) == next(r.most for r in found.reasons if r.column == column)
    for answer, points in lines["age"].items():
        assert f"{answer} {points}" in shown  # as on the card
    assert re.fullmatch(r"Age .*: \d+ points? of at most \d+", found.reasons[0]._brief())


def test_the_command_line_explains_by_question(learned, tmp_path):
    system, _ = learned
    system.save(tmp_path / "card.json")
    found = CliRunner().invoke(app, ["explain", str(tmp_path / "card.json"), "age=30", "sex=m"])
    assert found.exit_code == 0, found.output
    reasons = system.explain({"age": 30, "sex": "m"}).reasons
    for reason in reasons:
        assert f"{reason.question} {reason.answer}: {reason.points} point" in found.output
    assert re.search(r"Age: \S.* -> \S.* \(risk \d+ %\)", found.output)
    document = json.loads(
        CliRunner().invoke(app, ["explain", str(tmp_path / "card.json"), "age=30", "sex=m", "--json"]).stdout
    )
    assert [(one["answer"], one["points"], one["at_most"]) for one in document["reasons"]] == [
        (one.answer, one.points, one.most) for one in reasons
    ]


def test_a_card_without_questions_says_so_with_the_risk_in_every_face():
    X, y = pd.DataFrame({"a": [1, 2, 3, 4] * 10}), np.array(["no", "no", "no", "yes"] * 8 + ["no"] * 8)
    system = RiskScoreClassifier(C0=0.45).fit(X, y).scoring_system_
    text = "No question is asked: predict no for everyone. The risk of yes is 20 % for everyone."
    for face in (str(system), system.to_html(), system.to_markdown(), system.calculator(), system.to_latex()):
        assert text in " ".join(face.replace("\\%", "%").split())
    assert "No question is asked" in system.to_svg()
    assert system.explain({"a": 1}).reasons == ()


def test_where_no_fold_compared_sizes_the_largest_card_is_kept_with_a_warning():
    model = RiskScoreClassifierCV()
    of_card = {CARD: Measures(auc=0.7, log_loss=0.5, error=0.2)}
    with pytest.warns(SkippedFoldsWarning, match="may ask 6 questions; raise time_limit"):
        model._choose_size([of_card, of_card], 6)
    assert (model.max_questions_, model.best_score_) == (6, -0.5)
