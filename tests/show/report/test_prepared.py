"""Cards on raw columns: features are made anew from the rows of each fold and sample."""

import json

import numpy as np
import pytest

from show.report.small import read_page, said
from supersparse import Prepare, ScoringSystem, Settings, SLIMClassifier
from supersparse.learn.editing import cut_of, with_changes
from supersparse.learn.fit import Fitted
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.show.report import Plan, make_report
from supersparse.show.report.data import read_data
from supersparse.show.report.evidence import refit_of


def people(n=90):
    random = np.random.default_rng(3)
    age = random.integers(20, 90, n).astype(float)
    bmi = np.round(random.normal(27, 5, n), 1)
    bmi[random.random(n) < 0.05] = np.nan
    smoker = random.choice(["yes", "no"], n).astype(object)
    ill = 1 * (age > 60) + (smoker == "yes") + random.normal(0, 0.3, n) > 0.6
    return {"age": age, "bmi": bmi, "smoker": smoker}, np.where(ill, "yes", "no")


X, Y = people()


def classifier(**prepare):
    return SLIMClassifier(C0=0.015, max_points=2, max_features=2, prepare=Prepare(candidates=8, max_cuts=3, **prepare))


@pytest.mark.parametrize(
    "prepare",
    [
        {},
        {"direction": {"age": "+"}},
        {"missing": "drop"},
        {"missing": "median", "cut_points": {"age": [45, np.float64(60.5)]}, "per_variable": 1},
    ],
)
def test_the_card_is_confirmed_and_learned_again(prepare):
    system = classifier(**prepare).fit(X, Y).scoring_system_
    system = ScoringSystem.from_json(system.to_json())
    report = make_report(system, X, Y, plan=Plan(repeats=1, folds=2, ratios=0, bootstrap=0, larger=0))
    assert [reason.split(":")[0] for reason in report.missing] == [
        "the frontier of sizes", "trade-offs", "stability",
    ]  # fmt: skip
    assert "Confirmed" in said(report, "proof")
    assert "the cut points were fitted on the same rows" in said(report, "theory")


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
def test_a_refit_is_the_fit_of_a_new_classifier_on_those_rows():
    model = classifier(direction={"age": "+"})
    card = model.fit(X, Y).scoring_system_.card
    refit = refit_of(card, read_data(card, X, Y), Plan(time_limit=None))
    for rows in (np.arange(0, 90, 2), np.random.default_rng(0).integers(0, 90, 90)):
        part = {name: column[rows] for name, column in X.items()}
        expected = model.fit(part, Y[rows]).scoring_system_.card
        found = refit(rows).card
        assert [(i.rule, i.points) for i in found.items] == [(i.rule, i.points) for i in expected.items]
        assert found.threshold == expected.threshold


def test_columns_are_counted_whatever_their_cut_points(without_matplotlib):
    system = classifier().fit(X, Y).scoring_system_
    report = make_report(system, X, Y, plan=Plan(repeats=1, folds=0, bootstrap=3, larger=0))
    page = read_page(report.to_html())
    columns = page.tables["Recurring columns, with any item"]
    own = [row[0] for row in columns[1:] if row[1] == "yes"]
    assert own == list(system.card.columns) != []


def test_other_rows_give_other_features_and_the_report_says_so():
    system = classifier().fit(X, Y).scoring_system_
    others, labels = people(91)
    report = make_report(system, others, labels, plan=Plan(repeats=1, folds=2, ratios=0, bootstrap=0, larger=0))
    assert "the fingerprints differ" in said(report, "data")
    assert "cross-validation" not in " ".join(report.missing)


def test_a_raw_column_that_is_not_there_is_named():
    system = classifier().fit(X, Y).scoring_system_
    unused = next(name for name in X if name not in system.card.columns)
    lacking = {name: column for name, column in X.items() if name != unused}
    report = make_report(system, lacking, Y, plan=Plan(repeats=1, folds=2, ratios=0, bootstrap=0, larger=0))
    assert f"lacks the column '{unused}', from which the card was learned" in said(report, "validation")


@pytest.mark.parametrize(
    "damage", [3, {}, {"columns": ["age"]}, {"columns": ["age"], "texts": [], "rare": {"fraction": "1/0"}}]
)
def test_a_damaged_record_is_no_way_to_learn_again(damage):
    content = json.loads(classifier().fit(X, Y).scoring_system_.to_json())
    content.pop("digest")  # of the content before the change
    content["provenance"]["settings"]["prepare"] = damage
    report = make_report(ScoringSystem.from_json(json.dumps(content)), X, Y, plan=Plan())
    assert "how its features were made is damaged" in said(report, "validation")


def edited(*changes):
    """A card that was learned and then changed; each change is made for the name of its question on age."""
    settings = Settings.from_dict({"C0": 0.015, "max_points": 2, "max_features": 2, "positive": "yes"})
    recipe = Recipe(settings=settings, prepare=Prepare(candidates=8, max_cuts=3), options={})
    rows = TrainingRows(X=X, y=Y, sample_weight=None, rate_groups=None)
    question = recipe.question(rows)
    solution = question.solve()
    card = question.card(solution, rows=rows)
    name = next(i.name for i in card.items if i.column == "age" and cut_of(i.rule) is not None)
    fitted = Fitted(question=question, solution=solution, card=card, validation=None)
    card = with_changes(fitted, rows, [change(name) for change in changes])[0].card
    return ScoringSystem.from_json(ScoringSystem(card).to_json())


def strict(_):
    return {"threshold": 2}


def moved(name):
    return {"cut": {"question": name, "to": 50.5}}


def raised(name):
    return {"points": {"question": name, "to": 50}}


@pytest.mark.parametrize("changes", [(strict,), (moved,)])
def test_a_report_on_an_edited_card_has_no_figures_of_cards_without_the_edits(changes):
    report = make_report(edited(*changes), X, Y, plan=Plan(repeats=1, folds=2, ratios=1, bootstrap=2, larger=1))
    absent = [reason.split(":")[0] for reason in report.missing if "edited by hand" in reason]
    assert absent == ["cross-validation", "trade-offs", "stability"]
    assert "unseen" not in said(report, "summary")
    assert "by hand after learning" in said(report, "making")
    assert "the fingerprints match" in said(report, "data")  # a cut that was moved does not hide that
    assert "Confirmed" in said(report, "proof")
    assert "The card was edited by hand after it was learned" in said(report, "limits")
    assert "No: only performance on these rows" in said(report, "probast")


def test_edits_against_the_settings_are_told_from_a_card_that_was_tampered_with():
    report = make_report(edited(raised), X, Y, plan=Plan.nothing())
    assert "The edits by hand broke what the settings ask for" in said(report, "proof")
    assert "the edits made this card another one" in said(report, "theory")
