"""Pictures of evaluations show the numbers of their tables, whatever the names."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from cards import HOSTILE
from reading_faces import unescaped, unwrapped
from supersparse import ScoringSystem, item
from supersparse.card.evaluate.forecasts import DecisionCurve, Forecasts, NetBenefit, calibration_line
from supersparse.card.evaluate.rates import Rate
from supersparse.errors import InvalidOptionError

pytest.importorskip("matplotlib")

from supersparse.show.document.evaluation_plots import Calibration, RatePairs, draw_calibration, draw_rate_pairs
from supersparse.show.document.plots import plot_evaluation

X = {"x": [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]}
Y = ["no", "no", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes"]
SYSTEM = ScoringSystem.of([item("x", points=1)], above=1, domains={"x": [0, 1, 2, 3]})
TABLE = SYSTEM.risk(X, Y, folds=2)


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def test_the_risk_table_shows_observed_and_calibrated_risks():
    axes = plot_evaluation(TABLE)
    assert [bar.get_height() for bar in axes.patches] == [r.observed.value for r in TABLE.rows]
    assert list(lines(axes)["calibrated (isotonic)"].get_ydata()) == [r.calibrated for r in TABLE.rows]
    assert list(lines(axes)["positive: 2 or more"].get_xdata()) == [1.5, 1.5]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["0\nn=3", "1\nn=2", "2\nn=3", "3\nn=2"]


def test_the_line_of_the_threshold_cuts_the_bar_of_totals_of_both_classes():
    joined = SYSTEM.risk(X, Y, folds=2, bins=2)
    assert [(row.low, row.high) for row in joined.rows] == [(0, 1), (2, 3)]
    moved = replace(joined, cutoff=replace(joined.cutoff, threshold=Fraction(3)))
    (label,) = (name for name in lines(plot_evaluation(moved)) if name.startswith("positive"))
    place = lines(plot_evaluation(moved))[label].get_xdata()[0]
    assert label == "positive: 3 or more"
    assert 0.65 < place < 1.35  # within the second bar: 2 is negative and 3 positive
    outside = replace(joined, cutoff=replace(joined.cutoff, threshold=Fraction(4)))
    assert not any(name.startswith("positive") for name in lines(plot_evaluation(outside)))


@pytest.mark.parametrize("totals", [28, 150])
def test_labels_of_many_totals_do_not_overlap_and_the_legend_covers_nothing(totals):
    table = SYSTEM.risk({"x": [*range(totals), *range(totals)]}, ["no", "yes"] * totals, folds=2)
    axes = plot_evaluation(table)
    axes.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    assert axes.get_xticklabels()[0].get_text() == "0, n=2"
    assert all(one.x1 <= other.x0 for one, other in pairwise(boxes))
    assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1 - 1


def test_the_roc_passes_the_cards_own_threshold():
    found = SYSTEM.evaluate(X, Y)
    drawn = lines(plot_evaluation(found))
    own = drawn["total of 2 or more"]
    points = drawn[f"AUC {found.auc}"]
    curve = list(zip(points.get_xdata(), points.get_ydata(), strict=True))
    assert (curve[0], curve[-1]) == ((0, 0), (1, 1))
    assert any((own.get_xdata()[0], own.get_ydata()[0]) == pytest.approx(point) for point in curve)


def test_the_curves_show_their_tables():
    curve, decisions = TABLE.calibration(), TABLE.forecasts.decision_curve()
    groups = lines(plot_evaluation(curve))["groups of rows, 95 %"]
    assert list(groups.get_ydata()) == [b.observed.value for b in curve.bins]
    assert groups.get_linestyle() == "None"  # not joined
    assert list(lines(plot_evaluation(decisions))["act by risk"].get_ydata()) == [
        p.treat_some for p in decisions.points
    ]


def test_the_legend_names_the_level_of_the_intervals():
    curve = TABLE.forecasts.calibration(2, level=0.5)
    assert "groups of rows, 50 %" in lines(plot_evaluation(curve))


def test_a_decision_curve_that_does_harm_is_drawn_or_said():
    for harm, said in ((0.1, []), (8.0, ["act by risk falls to -8 at 0.9"])):
        points = [NetBenefit(at=0.1, treat_some=0.2, treat_all=0.3)]
        points += [NetBenefit(at=0.9, treat_some=-harm, treat_all=-9.0)]
        axes = plot_evaluation(DecisionCurve(points=tuple(points)))
        assert [text.get_text() for text in axes.texts] == said
        assert (axes.get_ylim()[0] < -harm) == (not said)
        assert axes.get_ylim()[0] < -0.1


def test_the_roc_of_one_class_says_that_there_is_none():
    axes = plot_evaluation(SYSTEM.evaluate(X, ["no"] * 10))
    assert [text.get_text() for text in axes.texts] == ["no ROC curve:\nall rows are of one class"]


def test_axes_are_a_picture_in_a_notebook():
    assert plot_evaluation(TABLE)._repr_png_().startswith(b"\x89PNG")


def test_calibration_shows_groups_the_line_and_all_rows():
    forecasts = Forecasts(
        risks=(0.1, 0.4, 0.8), negatives=(Fraction(18), Fraction(12), Fraction(5)),
        positives=(Fraction(2), Fraction(8), Fraction(15)),
    )  # fmt: skip
    line, curve = calibration_line(forecasts), forecasts.groups()
    axes = plot_evaluation(curve)
    draw_calibration(Calibration(forecasts=forecasts, curve=curve, line=line), axes)
    smooth = lines(axes)["logistic calibration"]
    assert (smooth.get_xdata()[0], smooth.get_xdata()[-1]) == (0.1, 0.8)
    assert list(smooth.get_ydata()) == list(line.observed(smooth.get_xdata()))
    (histogram,) = axes.child_axes
    heights = [bar.get_height() for bar in histogram.patches]
    assert sum(h for h in heights if h > 0) == 25
    assert sum(h for h in heights if h < 0) == -35


def test_pairs_of_rates_are_drawn_once_where_they_agree():
    rates = [Rate(events=Fraction(k), of=Fraction(10), level=0.95) for k in (0, 0, 6)]
    pairs = RatePairs(
        labels=("1 : 4", "1 : 2", "1 : 1"), first=tuple(rates), second=tuple(rates), marked=(False, False, True)
    )
    axes = plot_evaluation(TABLE.calibration())
    axes.clear()
    draw_rate_pairs(pairs, axes)
    assert [text.get_text() for text in axes.texts] == ["1 : 4 to 1 : 2", "1 : 1"]
    marks = axes.collections[-1].get_offsets().tolist()
    assert [tuple(mark) for mark in marks] == [(1.0, 0.0), (1.0, 0.0), (0.4, 0.6)]


def test_rows_of_one_class_are_drawn_too():
    axes = plot_evaluation(SYSTEM.evaluate(X, ["no"] * 10))
    axes.figure.canvas.draw()
    assert [text.get_text() for text in axes.texts] == ["no ROC curve:\nall rows are of one class"]
    found = SYSTEM.risk(X, ["no"] * 10, method=None, bins=2)
    axes = plot_evaluation(found)
    axes.figure.canvas.draw()
    assert [bar.get_height() for bar in axes.patches] == [0.0] * len(found.rows)
    upper = [row.observed.interval[1] for row in found.rows]
    assert any(list(line.get_ydata()) == pytest.approx(upper) for line in axes.lines)


@pytest.mark.parametrize("name", [n for n in HOSTILE if n])
def test_hostile_class_names_are_drawn_as_they_are(name):
    system = ScoringSystem.of([item("x", points=1)], above=1, classes=("other", name))
    axes = plot_evaluation(system.risk(X, [name if y == "yes" else "other" for y in Y]))
    axes.figure.canvas.draw()
    shown = unwrapped(axes.get_ylabel().split("\n")).replace("\u200e", "")
    assert unescaped(shown) == f"risk of {name}"


def test_other_things_are_refused():
    with pytest.raises(InvalidOptionError, match="not 'str'"):
        plot_evaluation("picture")
