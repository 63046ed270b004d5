"""Sizes and edits of weighted classes are judged by the weighted error, as the search and C0 are."""

from math import isclose
from pathlib import Path

import pytest

from supersparse.learn.progress import Clock
from supersparse.learn.splits import Folds
from supersparse.learn.validation import SizesOfFold, validate
from supersparse.problem.objective import evaluate
from supersparse.show.studio.card_view import measure_of, points_of
from supersparse.show.studio.choices import changed, no_choices, read_plan
from supersparse.show.studio.edited_card import edited
from supersparse.show.studio.inquiry import asked_of
from supersparse.show.studio.progress import Talk
from supersparse.show.studio.sizes import learn_sizes

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

TALK = Talk(1, lambda message: None, lambda: False)
IDS = {"id": "r1", "run": "r1", "table": "t1"}
SOLVE = {"solver": "exhaustive", "time_limit": 60}
STATIC = Path(__file__).parents[3] / "src" / "supersparse" / "show" / "studio" / "static"


@pytest.fixture
def rare(tmp_path):
    """25 of 200 died: of 50 smokers 15, of 150 others 10. A card that asks makes 45 errors instead of 25."""
    rows = ["yes,yes"] * 15 + ["yes,no"] * 35 + ["no,yes"] * 10 + ["no,no"] * 140
    path = tmp_path / "rare.csv"
    path.write_text("\n".join(["smoker,died", *rows]) + "\n")
    return path


def given(path, **settings):
    asked = {"max_points": 1, "C0": 0.01, "max_features": 1, "class_weight": "balanced", "solve": SOLVE, **settings}
    return {
        "path": str(path),
        "choices": changed(no_choices(), {"target": "died", "positive": "yes"}),
        "plan": read_plan({"settings": asked, "validate": {"cv": 5, "repeats": 1}}),
        "ids": IDS,
    }


def test_sizes_of_weighted_classes_are_judged_as_folds_judge_a_card(rare):
    wanted = given(rare)
    found = learn_sizes({**wanted, "max_size": 1, "folds": True}, TALK)
    assert found["measure"] == "weighted_error"
    assert found["chosen"] == 1
    none, one = found["sizes"]
    assert (none["numbers"]["weighted_error"], one["numbers"]["weighted_error"]) == (0.5, 0.3)
    assert (none["numbers"]["errors"], one["numbers"]["errors"]) == (25, 45)
    assert (none["proven"], one["proven"]) == (True, True)
    asked = asked_of(wanted)
    judged = validate(asked.question.recipe, asked.rows, Folds(splits=asked.splits()))
    cost = sum(map(float, judged.chosen.costs)) / judged.folds
    assert isclose(one["cross_validated"]["weighted_error"], cost)
    assert isclose(one["cross_validated"]["error"], judged.chosen.measures()["error"])
    assert one["cross_validated"]["folds"] == 5


def test_the_measure_on_rows_left_out_is_on_the_scale_of_that_on_training_rows(rare):
    # weights of 3 and 1 do not add up to the number of rows, as balanced ones do
    wanted = given(rare, class_weight={"yes": 3, "no": 1})
    none = learn_sizes({**wanted, "max_size": 0, "folds": True}, TALK)["sizes"][0]
    assert none["numbers"]["weighted_error"] == 0.375  # 3 · 25 / 200
    assert isclose(none["cross_validated"]["weighted_error"], 0.375)


RISK = {"goal": "risk", "class_weight": None, "solve": {"time_limit": 60}}


def test_a_card_has_what_was_minimised_on_held_out_rows_under_the_name_that_the_page_reads(rare):
    for settings, name in (({}, "weighted_error"), (RISK, "log_loss")):
        asked = asked_of(given(rare, **settings))
        measures = validate(asked.question.recipe, asked.rows, Folds(splits=asked.splits())).as_data()
        assert measure_of(asked.question.problem) == name
        assert f"cv.{name}" in (STATIC / "card.js").read_text(encoding="utf-8")
        assert measures[name] == measures["tried"][0][name] > 0


def test_the_studio_says_that_there_are_fewer_folds_than_asked(tmp_path):
    for ill, said in ((3, "3 folds instead of 5, because there are only 3 rows of a class"), (1, "too few rows")):
        rows = ["yes,yes"] * ill + ["no,no"] * 40 + ["yes,no"] * 20
        path = tmp_path / f"{ill}.csv"
        path.write_text("\n".join(["smoker,died", *rows]) + "\n")
        assert any(said in note for note in asked_of(given(path)).notes)
    path = tmp_path / "enough.csv"
    path.write_text("\n".join(["smoker,died", *["yes,yes", "no,no"] * 20]) + "\n")
    assert not any("folds" in note for note in asked_of(given(path)).notes)


def test_folds_of_the_studio_follow_time_where_asked(tmp_path):
    days = [7 * k % 60 for k in range(60)]
    path = tmp_path / "days.csv"
    rows = [f"{'yes' if k % 3 else 'no'},{'yes' if k % 2 else 'no'},{day}" for k, day in enumerate(days)]
    path.write_text("\n".join(["smoker,died,day", *rows]) + "\n")
    wanted = given(path)
    wanted["choices"] = changed(wanted["choices"], {"cv_time": "day"})
    asked = asked_of(wanted)
    assert len(asked.splits()) == 5
    for train, test in asked.splits():
        assert max(days[k] for k in train) < min(days[k] for k in test)


def test_sizes_of_equal_weights_are_judged_by_the_error(rare):
    found = learn_sizes({**given(rare, class_weight=None), "max_size": 1, "folds": True}, TALK)
    assert (found["measure"], found["chosen"]) == ("error", 0)
    assert found["sizes"][0]["numbers"]["weighted_error"] is None
    assert "weighted_error" not in found["sizes"][0]["cross_validated"]


def price(path, changes, **settings):
    wanted = given(path, **settings)
    problem = asked_of(wanted).question.problem
    model = {"points": {"smoker = yes": "1"}, "intercept": "-1/2", "slope": None}
    best = evaluate(problem, points_of(problem, model)).objective
    return edited(
        {**wanted, "model": model, "found": {"lower_bound": str(best)}, "steps": [], "changes": changes}, TALK
    )["price"]


def test_the_price_of_an_edit_is_told_in_the_weighted_error(rare):
    found = price(rare, [{"drop": "smoker = yes"}])
    assert found["measure"] == "weighted_error"
    assert found["cost"] > 0
    errors = f"{45 + found['errors_more']:.0f} instead of 45"
    assert found["text"] == (
        "Weighted error higher by 0.2000 than that of the proven best card (0.5000 instead of 0.3000), with "
        f"one question fewer; errors, which were not minimised: {errors}."
    )
    same = price(rare, [])["text"]
    assert same.startswith("The same weighted error as the proven best card (0.3000); errors")


def test_the_price_of_an_edit_is_told_in_errors_where_these_were_minimised(rare):
    found = price(rare, [{"drop": "smoker = yes"}], class_weight=None)
    assert found["measure"] == "error"
    assert found["text"].startswith("20 fewer errors than")


@pytest.mark.long
def test_the_page_is_told_what_the_sizes_are_judged_by(page, rare):
    own = page.post("/api/tables?name=rare.csv", content=rare.read_bytes()).json()["id"]
    page.table(own)
    page.patch(f"/api/tables/{own}", json={"target": "died", "positive": "yes"})
    page.table(own)
    plan = {"settings": {"max_points": 1, "class_weight": "balanced"}, "validate": {"cv": 5, "repeats": 1}}
    asked = {"table": own, "kind": "frontier", "max_size": 1, "plan": plan, "time_limit": 60}
    run = page.ended(page.post("/api/runs", json=asked).json()["id"])
    assert (run["state"], run["error"]) == ("done", None)
    found = page.get(f"/api/runs/{run['id']}/frontier").json()
    assert (found["measure"], found["chosen"]) == ("weighted_error", 1)
    assert [one["weighted_error"] for one in found["sizes"]] == [0.5, 0.3]
    assert all(one["cross_validated"]["weighted_error_sd"] >= 0 for one in found["sizes"])
    card = page.get(f"/api/cards/{found['sizes'][1]['card']}").json()
    assert card["numbers"]["weighted_error"] == 0.3


def test_folds_that_time_left_out_are_said_and_sizes_are_compared_on_the_same_rows(rare, monkeypatch):
    real, folds = SizesOfFold.learned, []

    def slow(task, fold, seconds):
        folds.append(fold)
        found = real(task, fold, seconds)
        if len(folds) < 3:
            return found
        monkeypatch.setattr(Clock, "left", 0.0)
        return {0: found[0]}  # the third fold has no time for more

    monkeypatch.setattr(SizesOfFold, "learned", slow)
    found = learn_sizes({**given(rare), "max_size": 1, "folds": True}, TALK)
    assert "the time limit left time for the first 3 of 5 folds; raise it" in found["notes"]
    assert [one["cross_validated"]["folds"] for one in found["sizes"]] == [3, 2]
    assert found["chosen"] == 1  # on the two folds that both have
