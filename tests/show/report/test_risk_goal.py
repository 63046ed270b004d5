"""What a report says of a card that was learned for its risks, by least log loss."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from show.report.small import said, table, texts_of
from supersparse import Problem, ScoringSystem, frontier, solve
from supersparse.card.evaluate.forecasts import calibration_line
from supersparse.show.document.blocks import TableBlock
from supersparse.show.report import Plan, make_report

COLUMNS, Y = table()


@cache
def problem(**settings):
    asked = {"C0": 0.02, "max_points": 2, "positive": "ill", "goal": "risk", **settings}
    return Problem.of(np.column_stack(list(COLUMNS.values())), Y, feature_names=list(COLUMNS), **asked)


@cache
def learned(**settings):
    return ScoringSystem.from_solution(solve(problem(**settings)), title="illness")


def report_of(system, **plan):
    nothing = {"folds": 0, "ratios": 0, "bootstrap": 0, "larger": 0}
    return make_report(system, COLUMNS, Y, plan=Plan(**nothing | plan))


def test_the_sizes_are_those_of_least_log_loss_and_so_is_what_is_proven(without_matplotlib):
    section = report_of(learned(), larger=1).section("frontier")
    assert section.title == "Size against log loss"
    best = next(block for block in section.blocks if isinstance(block, TableBlock))
    assert best.header == ("points", "max. features", "log loss", "training errors", "proven")
    wanted = frontier(problem(), max_features=len(best.rows) - 1).rows
    losses = [f"{float(row.solution.evaluation.loss):.4f}" for row in wanted]
    assert [row[2] for row in best.rows] == losses
    assert losses == sorted(losses, reverse=True)
    text = " ".join(text for block in section.blocks for text in texts_of(block))
    assert "no card of that size has a lower log loss" in text
    assert "lowest number of errors" not in text
    assert "makes fewer" not in text


@pytest.mark.parametrize(("settings", "at"), [({}, "0.5"), ({"slope": 1, "risk_threshold": 0.2}, "0.2")])
def test_the_threshold_is_that_of_the_risk(settings, at, without_matplotlib):
    text = said(report_of(learned(**settings)), "limits")
    assert f"was set for a risk above {at}" in text
    assert f"ill is predicted at a risk above {at}" in text
    assert "weights" not in text
    assert "may disagree" not in text


def test_risks_that_were_changed_afterwards_may_disagree_with_the_class(without_matplotlib):
    card = learned().card
    raised = replace(card, risk=replace(card.risk, offset=card.risk.offset + 5))
    assert "Risk and class may disagree" in said(report_of(ScoringSystem(raised)), "limits")


@pytest.mark.parametrize(("settings", "tells"), [({"slope": 1}, True), ({}, False)])
def test_a_risk_of_one_half_is_spoken_of_where_it_counted_as_wrong(settings, tells, without_matplotlib):
    report = report_of(learned(**settings), larger=1)
    sentences = {
        "making": "in training, a risk of exactly one half counted as wrong for both classes",
        "proof": "training errors (risk = one half is wrong)",
        "frontier": "Errors count a risk of exactly one half as wrong for both classes.",
    }
    for section, sentence in sentences.items():
        assert (sentence in said(report, section)) is tells, section


def test_the_theory_names_a_remedy_that_goal_risk_accepts(without_matplotlib):
    text = said(report_of(learned()), "theory")
    assert "only goal 'errors' with a range of intercepts has a bound" in text
    assert "set a range such as intercept" not in text


def test_class_weights_are_said_to_distort_the_risks(without_matplotlib):
    report = report_of(learned(class_weight="balanced"), folds=2, ratios=1)
    assert "risks are not those of the rows as they are" in said(report, "limits")
    assert "in the log loss" in said(report, "probast")
    assert "without these weights" not in said(report, "probast")
    assert "other weights of the two classes in the log loss" in said(report, "trade-offs")


def test_the_measures_are_of_the_risks_that_the_card_has(without_matplotlib):
    system = learned(slope=1)
    report = report_of(system, folds=2)
    found = system.evaluate(COLUMNS, Y)
    rows = {row[0]: row for b in report.section("validation").blocks if isinstance(b, TableBlock) for row in b.rows}
    assert rows["Brier score"][1] == f"{found.brier:.3f}"
    assert rows["calibration slope"][1] == f"{calibration_line(found.forecasts).slope:.3f}"
