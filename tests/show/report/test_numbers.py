"""Every number of the page is the one that evaluation, selection and learning again give."""

from fractions import Fraction
from statistics import mean, stdev

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from show.report.small import NAMES, learned, read_page, table
from supersparse import ScoringSystem, frontier, solve
from supersparse.card.evaluate.thresholds import Confusion
from supersparse.learn.settings.settings import Settings
from supersparse.show.report import Plan, make_report

COLUMNS, Y = table()
SYSTEM = learned(COLUMNS, Y)
PLAN = Plan(repeats=1, folds=3, ratios=2, bootstrap=6, larger=2, time_limit=None)
ROOMS = np.array(["a", "b", "c"], dtype=object)[np.arange(len(Y)) % 3]


@pytest.fixture(scope="module")
def page():
    report = make_report(SYSTEM, {**COLUMNS, "room": ROOMS}, Y, by="room", target="illness", plan=PLAN)
    assert report.missing == ()
    return read_page(report.to_html())


def cells(page, caption):
    """The rows of a table by their first cell, as texts."""
    (rows,) = [rows for found, rows in page.tables.items() if found.startswith(caption)]
    return {row[0]: row[1:] for row in rows[1:]}


def test_the_rates_are_those_of_the_evaluation(page):
    found = SYSTEM.evaluate(COLUMNS, Y)
    measures = cells(page, "Measures")
    c: Confusion = found.confusion
    assert measures["sensitivity"] == [str(c.sensitivity)]
    assert measures["specificity"] == [str(c.specificity)]
    assert measures["positive predictive value"] == [str(c.ppv)]
    assert measures["AUC"] == [str(found.auc)]
    assert measures["error rate"][0].startswith(f"{float(c.predicted_errors / c.n):.3f} ")
    matrix = cells(page, "True and predicted")
    assert matrix["ill"][:2] == [str(c.true_positives), str(c.false_negatives)]
    assert matrix["well"][:2] == [str(c.false_positives), str(c.true_negatives)]


def test_other_thresholds_are_those_of_the_evaluation(page):
    every = SYSTEM.evaluate(COLUMNS, Y).thresholds
    rows = list(cells(page, "Other thresholds").values())
    assert [row[0] for row in rows] == [str(c.sensitivity) for c in every.rows]
    own = [name for name in cells(page, "Other thresholds") if "this card" in name]
    now, row = SYSTEM.card.cutoff.positive, every.current.cutoff.positive
    assert own == [f"{row} (this card)" if now == row else f"{row} (this card, {now})"]


def test_the_risks_are_those_of_the_risk_table(page):
    risks = SYSTEM.risk(COLUMNS, Y)
    shown = list(cells(page, "Risk (ill) by total").values())
    assert [row[:3] for row in shown] == [
        [str(r.observed.of), str(r.observed.events), str(r.observed)] for r in risks.rows
    ]
    assert [row[4] for row in shown] == [f"{r.cross_fitted:.3f}" for r in risks.rows]


def test_calibration_is_that_of_cards_learned_without_the_fold(page):
    brier, benefit = 0.0, {0.1: 0.0, 0.5: 0.0}
    for train, test in folds_drawn():
        card = ScoringSystem.from_solution(refitted(train)).recalibrate(*taken(train), method="logistic")
        found = card.evaluate(*taken(test)).forecasts
        brier += found.brier * len(test) / len(Y)
        for point in found.decision_curve(list(benefit)).points:
            benefit[point.at] += point.treat_some * len(test) / len(Y)
    assert any(f"For cross-validated risks: Brier score {brier:.4f}" in text for text in page.texts)
    shown = cells(page, "Net benefit")
    assert {at: float(shown[f"{at:g}"][0]) for at in benefit} == pytest.approx(benefit, abs=0.00051)
    corrected = cells(page, "Apparent, corrected")
    slope = corrected["calibration slope"][3]
    assert any(f"slope {float(slope):.2f}" in text for text in page.texts)


def test_subgroups_are_those_of_the_evaluation(page):
    groups = SYSTEM.by_subgroup(COLUMNS, Y, ROOMS.tolist())
    shown = cells(page, "By room")
    assert list(shown) == ["a", "b", "c", "all rows"]
    for group in groups.groups:
        c = group.evaluation.confusion
        assert shown[group.label] == [
            str(c.n), str(c.prevalence), shown[group.label][2], str(c.sensitivity), str(c.specificity),
            str(group.evaluation.auc),
        ]  # fmt: skip


def test_the_frontier_is_the_one_of_selection(page):
    made = SYSTEM.card.provenance
    problem = Settings.from_dict(made.settings).problem(np.column_stack(list(COLUMNS.values())), Y, feature_names=NAMES)
    found = frontier(problem, 3)
    (rows,) = [rows for caption, rows in page.tables.items() if caption == "The best card of each size"]
    assert [row[2] for row in rows[1:]] == [str(r.solution.evaluation.training_errors) for r in found.rows]
    assert {row[3] for row in rows[1:]} == {"yes"}


def test_the_claims_are_computed_again_and_compared(page):
    made = SYSTEM.card.provenance
    claims = cells(page, "The card's claims")
    assert claims["objective"] == [str(made.objective), str(made.objective), "yes"]
    assert claims["predicted errors"] == [str(made.predicted_errors)] * 2 + ["yes"]
    assert any(text.startswith("Confirmed: ") for text in page.texts)


def folds_drawn():
    return list(StratifiedKFold(3, shuffle=True, random_state=0).split(np.zeros(len(Y)), np.array(Y) == "ill"))


def taken(rows):
    return {name: column[rows] for name, column in COLUMNS.items()}, np.array(Y)[rows].tolist()


def refitted(rows):
    """The settings of the card on some rows, solved without any part of the report."""
    asked = Settings.from_dict(SYSTEM.card.provenance.settings)
    X = np.column_stack(list(COLUMNS.values()))[rows]
    return solve(asked.problem(X, np.array(Y)[rows], feature_names=NAMES), "exhaustive")


def wrong(solution, rows):
    X = np.column_stack(list(COLUMNS.values()))[rows]
    scores = X @ np.array([int(v) for v in solution.points.values]) + int(solution.points.intercept_value)
    return float(np.mean((scores > 0) != (np.array(Y)[rows] == "ill")))


def test_cross_validation_learns_again_without_each_fold(page):
    errors = [wrong(refitted(train), test) for train, test in folds_drawn()]
    shown = cells(page, "Apparent, corrected")["error rate"]
    assert shown[3] == f"{mean(errors):.3f} \u00b1 {stdev(errors):.3f}"
    apparent = SYSTEM.card.provenance.predicted_errors / SYSTEM.card.provenance.total_weight
    assert shown[0] == f"{float(apparent):.3f}"


def test_stability_counts_what_the_bootstrap_samples_give(page):
    random = np.random.default_rng([0, 1])
    samples = [random.integers(0, len(Y), len(Y)) for _ in range(6)]
    models = [refitted(rows) for rows in samples]
    points = [{NAMES[j]: m.points.values[j] for j in m.points.support} for m in models]
    shown = cells(page, "Recurring items and points")
    learned = {i.name: i.points for i in SYSTEM.card.as_learned.items}
    for name, own in learned.items():
        returned = sum(name in model for model in points)
        same = sum(model.get(name) == own for model in points)
        assert shown[name][0] == str(own)
        assert shown[name][1].startswith(f"{returned} of 6 ")
        assert shown[name][2].startswith(f"{same} of 6 ")
    equal = sum(
        model == learned and m.points.intercept_value == SYSTEM.card.as_learned.intercept
        for model, m in zip(points, models, strict=True)
    )
    assert any(f"and the threshold, in {equal} of 6" in text for text in page.texts)
    everything = np.arange(len(Y))
    optimism = mean(wrong(m, rows) - wrong(m, everything) for m, rows in zip(models, samples, strict=True))
    apparent = float(SYSTEM.card.provenance.predicted_errors / Fraction(len(Y)))
    shown = cells(page, "Apparent, corrected")["error rate"]
    assert shown[1:3] == [f"{optimism:+.3f}", f"{apparent - optimism:.3f}"]


def test_the_baseline_is_the_commoner_class_and_the_prevalence(page):
    share = Y.count("ill") / len(Y)
    shown = {measure: row[4] for measure, row in cells(page, "Apparent, corrected").items()}
    assert shown["error rate"] == f"{min(share, 1 - share):.3f}"
    assert (shown["sensitivity"], shown["specificity"]) == ("0.000", "1.000")
    assert shown["AUC"] == "0.500"
    assert shown["Brier score"] == f"{share * (1 - share):.3f}"


def test_trade_offs_learn_again_with_other_costs_without_each_fold(page):
    X, ill = np.column_stack(list(COLUMNS.values())), np.array(Y) == "ill"
    asked = Settings.from_dict(SYSTEM.card.provenance.settings)
    for words, ratio in (("2 : 1", Fraction(2)), ("1 : 2", Fraction(1, 2))):
        weighted = asked.changed(class_weight={"ill": 2 * ratio / (1 + ratio), "well": 2 / (1 + ratio)})
        positive = np.empty(len(Y), dtype=bool)
        for train, test in folds_drawn():
            problem = weighted.problem(X[train], np.array(Y)[train], feature_names=NAMES)
            points = solve(problem, "exhaustive").points
            scores = X[test] @ np.array([int(v) for v in points.values]) + int(points.intercept_value)
            positive[test] = scores > 0
        shown = cells(page, "Cards learned with other costs")[words]
        assert shown[0].startswith(f"{positive[ill].mean():.3f} ")
        assert shown[1].startswith(f"{(~positive[~ill]).mean():.3f} ")
