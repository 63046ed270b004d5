"""Cards of questions in the studio: what it asks by default, edits by answer, sizes, and a card that is repaired."""

from fractions import Fraction

import numpy as np
import pytest

from supersparse.base.errors import InvalidOptionError
from supersparse.card import file
from supersparse.card.words import condition
from supersparse.problem.objective import evaluate, violated, with_answers
from supersparse.show.studio.card_files import check, whole_settings
from supersparse.show.studio.card_view import found_of, model_of, points_of
from supersparse.show.studio.choices import changed, first_plan, form, no_choices, read_plan
from supersparse.show.studio.edited_card import edited, kept_card
from supersparse.show.studio.inquiry import asked_of
from supersparse.show.studio.pool import learn_pool
from supersparse.show.studio.profile import profile, try_cuts
from supersparse.show.studio.progress import Talk
from supersparse.show.studio.sizes import learn_sizes

TALK = Talk(1, lambda message: None, lambda: False)
IDS = {"id": "e1", "run": "r1", "table": "t1"}


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    draw = np.random.default_rng(0)
    age, bmi = draw.integers(20, 90, 150), draw.integers(18, 40, 150)
    stage = draw.choice(["I", "II", "III"], 150)
    ill = draw.random(150) < 1 / (1 + np.exp(-((age - 55) / 15 + 1.5 * (stage == "III"))))
    lines = [f"{a},{b},{s},{['well', 'ill'][int(i)]}" for a, b, s, i in zip(age, bmi, stage, ill, strict=True)]
    path = tmp_path_factory.mktemp("patients") / "patients.csv"
    path.write_text("\n".join(["age,bmi,stage,outcome", *lines]) + "\n")
    return path


@pytest.fixture(scope="module")
def given(patients):
    settings = {"goal": "risk", "max_questions": 2, "max_points": 3, "teacher": "none", "solve": {"time_limit": 60}}
    asked = {
        "path": str(patients),
        "choices": changed(no_choices(), {"target": "outcome", "positive": "ill"}),
        "plan": read_plan({"settings": settings, "validate": {"cv": 3, "repeats": 1}}),
        "names": {str(patients): "patients.csv"},
        "steps": [],
        "ids": IDS,
    }
    solution = asked_of(asked).question.solve()
    return {**asked, "model": model_of(solution.problem, solution.points), "found": found_of(solution)}


def names(given):
    """The question beside age that the card asks, and one that it does not ask."""
    asked = [name for name in given["model"]["points"] if name != "age"]
    return asked[0], next(name for name in ("age", "bmi", "stage") if name not in given["model"]["points"])


def after(given, *changes, **more):
    steps = [{"reason": "", "at": None}] * len(changes)
    return edited({**given, **more, "changes": list(changes), "steps": steps}, TALK)


def test_the_studio_asks_for_six_questions_by_default(patients):
    plan = first_plan()
    assert (plan["settings"]["goal"], plan["settings"]["max_questions"]) == ("risk", 6)
    found = check(
        {
            "path": str(patients),
            "choices": changed(no_choices(), {"target": "outcome"}),
            "plan": plan,
            "names": {str(patients): "patients.csv"},
        },
        TALK,
    )
    assert found["features"] == ["age", "bmi", "stage"]
    assert found["texts"] == {"age": "Age", "bmi": "Bmi", "stage": "Stage"}
    assert "max_questions: 6" in found["yaml"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("points", "-5..5"), ("tie_break", "log_loss"), ("slack", 0.1), ("max_features", 3), ("slope", 1), ("C1", 0.1)],
)
def test_what_questions_have_not_is_refused_with_the_way_out(given, name, value):
    plan = read_plan({**given["plan"], "settings": {**given["plan"]["settings"], name: value}})
    with pytest.raises(InvalidOptionError, match=rf"{name} is .*; (use|remove)"):
        check({**given, "plan": plan}, TALK)


def test_the_form_says_what_each_kind_of_card_has():
    described = form()
    assert "max_features" in described["of_features"]
    assert "prepare.intervals" in described["of_features"]
    assert set(described["of_questions"]) == {"max_questions", "min_questions", "change_price"}
    assert "max_points" not in described["of_features"]


def test_a_model_is_kept_with_its_answers(given):
    problem = asked_of(given).question.problem
    points = points_of(problem, given["model"])
    assert points == with_answers(problem, points.answers)
    assert evaluate(problem, points).objective == Fraction(given["found"]["lower_bound"]) or given["found"]["smallest"]


def test_the_card_shows_questions_with_their_answers(given):
    view = after(given)["card"]
    assert [one["question"] for one in view["items"]] == list(given["model"]["points"])
    for one in view["items"]:
        assert [answer["points"] for answer in one["answers"]] == given["model"]["answers"][one["question"]]
    age = next(one for one in view["items"] if one["question"] == "age")
    assert len(age["answers"]) == len(age["cuts"]) + 1
    assert sum(one["rows"] for one in view["observed"]) == 150


def test_prices_of_edits_are_those_of_the_exact_evaluator(given):
    problem = asked_of(given).question.problem
    before = evaluate(problem, points_of(problem, given["model"]))
    old = given["model"]["answers"]["age"]
    new = [old[0], *[max(old)] * (len(old) - 1)] if old[0] == 0 else [max(old), *[0] * (len(old) - 1)]
    for change in (
        {"points": {"question": "age", "to": new}},
        {"drop": "age"},
        {"swap": {"question": "age", "for": names(given)[1]}},
    ):
        found = after(given, change)
        points = points_of(problem, found["model"])
        evaluation = evaluate(problem, points)
        assert found["price"]["cost"] == float(evaluation.objective - before.objective)
        assert found["price"]["broken"] == [c.in_words() for c in violated(problem, points)]
        assert found["price"]["text"].startswith("Log loss ")


def test_a_repaired_card_keeps_what_was_edited(given):
    cuts = next(one for one in after(given)["card"]["items"] if one["question"] == "age")["cuts"]
    change = {"cut": {"question": "age", "from": cuts[0], "to": cuts[0] + 1}}
    points = {"points": {"question": "age", "to": [*[0] * len(cuts), 3]}}
    found = after(given, change, points, {"drop": names(given)[0]}, swaps=True)
    assert found["price"]["new_questions"]
    assert set(found["swaps"]) == {"age"}
    again = {**given, **found["repair"]}
    question = asked_of(again).question
    solution = question.solve()
    at = question.problem.rows.names.index("age")
    assert solution.points.answers[at] == tuple(points["points"]["to"])
    assert not any(solution.points.answers[question.problem.rows.names.index(names(given)[0])])
    assert solution.proven_optimal
    assert float(solution.objective) <= found["price"]["objective"] + 1e-9


def test_what_was_edited_can_be_asked_again_from_the_settings_file(given, tmp_path):
    gone, new = names(given)
    changes = [{"drop": gone}, {"add": {"question": new}}]
    asked = {**given, "changes": changes, "steps": [{"reason": "", "at": None}] * 2}
    assert [dict(edit) for edit in whole_settings(asked).to_dict()["edits"]] == changes
    card = kept_card(asked)[2]
    file.save(card, tmp_path / "card.json")
    assert {item.column for item in file.load(tmp_path / "card.json").items} == {"age", new}


def test_each_size_is_proven_and_judged_on_held_out_rows(given):
    found = learn_sizes({**given, "max_size": 3, "folds": True}, TALK)
    assert [one["size"] for one in found["sizes"]] == [0, 1, 2]
    assert found["proven"]
    losses = [one["numbers"]["log_loss"] for one in found["sizes"]]
    assert losses == sorted(losses, reverse=True)
    assert found["sizes"][1]["cross_validated"]["auc"] > 0.6
    assert found["sizes"][2]["plan"]["settings"]["max_questions"] == 2
    problem = asked_of({**given, "plan": found["sizes"][1]["plan"]}).question.problem
    assert violated(problem, points_of(problem, found["sizes"][1]["model"])) == []


def test_almost_as_good_cards_are_listed(given):
    found = learn_pool({**given, "within": 0.002, "max_models": 50}, TALK)
    assert found["complete"]
    models = [one["model"] for alike in found["models"] for one in alike["versions"]]
    assert given["model"]["answers"] in [one["answers"] for one in models]
    chosen = whole_settings({**given, "model": models[-1], "chosen": True})
    assert chosen.max_questions == len(models[-1]["answers"])


def test_columns_are_shown_with_the_answers_of_the_card(given):
    found = {one["name"]: one for one in profile(given, TALK)["columns"]}
    prepared = asked_of(given).question.prepare
    for question in prepared.questions_:
        assert [one["name"] for one in found[question.column]["questions"]] == list(map(condition, question.rules))
    tried = try_cuts({**given, "column": "age", "cuts": [40.0, 60.0]}, TALK)
    assert [one["text"] for one in tried["questions"]] == ["under 40", "40 to under 60", "60 or older"]
