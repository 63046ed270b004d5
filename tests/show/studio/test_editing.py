"""Edits: what the page says of a change is what the exact evaluator says."""

from fractions import Fraction

import pytest

from supersparse.errors import InvalidOptionError
from supersparse.problem.objective import evaluate, violated
from supersparse.show.studio.card_view import points_of
from supersparse.show.studio.choices import changed, no_choices, read_plan
from supersparse.show.studio.edited_card import edited, kept_card
from supersparse.show.studio.inquiry import asked_of
from supersparse.show.studio.progress import Talk
from supersparse.show.studio.texts import as_problem

TALK = Talk(1, lambda message: None, lambda: False)
MODEL = {"points": {"BareNuclei >= 3": "1", "UniformityOfCellSize >= 4": "1"}, "intercept": "-1/2", "slope": None}
IDS = {"id": "e1", "run": "r1", "table": "t1"}


@pytest.fixture
def given(biopsies):
    settings = {"C0": 0.01, "max_features": 3, "constraints": [{"min_sensitivity": 0.9}]}
    return {
        "path": str(biopsies),
        "choices": changed(no_choices(), {"target": "diagnosis"}),
        "plan": read_plan({"settings": settings, "validate": None}),
        "model": MODEL,
        "found": {"lower_bound": "0.05"},
        "steps": [],
        "ids": IDS,
    }


def after(given, *changes):
    steps = [{"reason": f"reason {k}", "at": None} for k in range(len(changes))]
    return edited({**given, "changes": list(changes), "steps": steps}, TALK)


def test_an_untouched_card_costs_nothing(given):
    found = after(given)
    assert found["price"]["cost"] == 0
    assert found["before"]["errors"] == found["card"]["numbers"]["errors"]
    assert found["said"] == []


@pytest.mark.parametrize(
    "change",
    [
        {"points": {"question": "BareNuclei >= 3", "to": 2}},
        {"drop": "BareNuclei >= 3"},
        {"add": {"question": "Mitoses >= 2", "points": 1}},
        {"swap": {"question": "BareNuclei >= 3", "for": "ClumpThickness >= 7"}},
        {"threshold": 2},
    ],
)
def test_numbers_are_those_of_the_exact_evaluator(given, change):
    found = after(given, change)
    problem = asked_of(given).question.problem
    evaluation = evaluate(problem, points_of(problem, found["model"]))
    numbers = found["card"]["numbers"]
    assert numbers["errors"] == evaluation.training_errors
    assert numbers["objective"] == float(evaluation.objective)
    assert numbers["sensitivity"] == float(evaluation.sensitivity)
    before = evaluate(problem, points_of(problem, MODEL))
    assert found["price"]["cost"] == float(evaluation.objective - before.objective)
    assert found["price"]["errors_more"] == float(evaluation.training_errors - before.training_errors)
    broken = [c.in_words() for c in violated(problem, points_of(problem, found["model"]))]
    assert found["price"]["broken"] == broken


def test_the_threshold_is_the_printed_one(given):
    found = after(given, {"threshold": 2})
    assert found["card"]["threshold"] == 2
    assert found["card"]["results"][0][0] == "2 or more"
    assert found["threshold_fixed"]
    assert not after(given, {"threshold": 2}, {"threshold": None})["threshold_fixed"]


def test_a_cut_moves_to_where_the_table_has_no_question(given):
    found = after(given, {"cut": {"question": "BareNuclei >= 3", "to": 3.5}})
    assert "BareNuclei >= 3.5" in found["model"]["points"]
    assert found["price"]["new_questions"]
    same = after(given, {"cut": {"question": "BareNuclei >= 3", "to": 4}})
    assert not same["price"]["new_questions"]  # the table offers that one
    # 3.5 and 4 ask the same of whole numbers
    assert found["card"]["numbers"]["errors"] == same["card"]["numbers"]["errors"]
    assert found["repair"]["choices"]["cut_points"]["BareNuclei"].count(3.5) == 1
    assert {"fixed": "BareNuclei >= 3.5", "value": 1} in found["repair"]["plan"]["settings"]["constraints"]
    assert asked_of({**given, **found["repair"]}).question.problem.n_features > 0


def test_a_card_that_breaks_a_wish_claims_no_proof(given):
    found = after({**given, "found": {"lower_bound": "1/2"}}, {"threshold": 3})
    assert found["price"]["broken"] == ["sensitivity of at least 0.9"]
    assert found["card"]["proof"]["bound"] == 0
    assert not found["card"]["proof"]["proven"]


def test_reasons_are_kept_on_the_card(given, tmp_path):
    from supersparse.card import file

    changes = [{"drop": "BareNuclei >= 3"}, {"points": {"question": "UniformityOfCellSize >= 4", "to": 3}}]
    steps = [{"reason": "costly", "at": "2026-01-01T00:00:00Z"}, {"reason": "", "at": None}]
    card = kept_card({**given, "changes": changes, "steps": steps})[2]
    file.save(card, tmp_path / "card.json")
    edits = file.load(tmp_path / "card.json").provenance.edits
    assert [(one.change, one.reason, one.at) for one in edits] == [
        ("'Bare nuclei 3 or more' dropped", "costly", "2026-01-01T00:00:00Z"),
        ("points of 'Uniformity of cell size 4 or more' from 1 to 3", "", None),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {}, [], {"points": {}}, {"drop": "nothing"}, {"points": {"question": "BareNuclei >= 3", "to": "x"}},
        {"points": {"question": "BareNuclei >= 3", "to": 1.5}}, {"threshold": [1]}, {"magic": 1},
        {"points": {"question": "BareNuclei >= 3", "to": 10**9}}, {"threshold": True},
        {"add": {"question": "BareNuclei >= 3", "points": 1}}, {"swap": {"question": "BareNuclei >= 3"}},
        {"cut": {"question": "BareNuclei >= 3", "to": None}},
    ],
)  # fmt: skip
def test_a_change_that_makes_no_sense_is_refused(given, change):
    with pytest.raises(InvalidOptionError) as refused:
        after(given, change)
    told = as_problem(refused.value)
    assert told.code == "input"
    assert told.remedy


def test_questions_that_could_stand_in_are_ranked(given):
    found = edited({**given, "changes": [], "swaps": True}, TALK)
    problem = asked_of(given).question.problem
    ranked = found["swaps"]["BareNuclei >= 3"]
    assert ranked
    assert not set(ranked) & set(MODEL["points"])
    costs = []
    for other in ranked:
        swapped = after(given, {"swap": {"question": "BareNuclei >= 3", "for": other}})
        costs.append(evaluate(problem, points_of(problem, swapped["model"])).objective)
    assert costs == sorted(costs)
    assert all(isinstance(cost, Fraction) for cost in costs)
