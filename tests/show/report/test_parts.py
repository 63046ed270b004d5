"""What a report says when a part cannot be had, when rows differ, and when the work is stopped."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest

from show.report.small import learned, said, table
from supersparse import RiskScoreClassifier, ScoringSystem, constraints, item
from supersparse.errors import InvalidDataError, InvalidOptionError
from supersparse.show.document.blocks import TableBlock
from supersparse.show.report import Plan, make_report
from supersparse.show.report import evidence as gathering
from supersparse.show.report.data import read_data
from supersparse.show.report.folds import ItemStability, Stability
from supersparse.show.report.sections.checklists import ITEMS
from supersparse.show.report.sections.resampling import stability

COLUMNS, Y = table()
QUICK = Plan(repeats=1, folds=2, ratios=1, bootstrap=2, larger=1)


@cache
def usual():
    """The card of these rows."""
    return learned(COLUMNS, Y)


def by_hand(**options):
    return ScoringSystem.of(
        [item("age", at_least=2, points=1, **options), item("sex", equals="F", points=1)],
        threshold=2, classes=("well", "ill"), domains={"sex": ["F", "M"]},
    )  # fmt: skip


def test_a_card_written_by_hand_has_a_report_that_says_what_is_missing():
    report = make_report(by_hand(), {"age": [1, 2, 3, 4], "sex": list("FFMF")}, ["well", "ill", "well", "ill"])
    assert len(report.missing) == 6
    assert all("written by hand" in reason for reason in report.missing)
    assert "Nothing was proven" in said(report, "proof")
    assert "unknown whether the card was learned from these 4 rows: the card was written by hand" in said(
        report, "data"
    )


def test_a_card_without_its_settings_says_so():
    system = usual()
    old = ScoringSystem(replace(system.card, provenance=replace(system.card.provenance, settings=None)))
    report = make_report(old, COLUMNS, Y, plan=QUICK)
    assert "does not hold the settings" in said(report, "validation")
    assert "Proven optimal" in said(report, "proof")


def test_nothing_is_learned_when_nothing_is_asked():
    report = make_report(usual(), COLUMNS, Y, plan=Plan.nothing())
    assert [reason.split(":")[0] for reason in report.missing] == [
        "the frontier of sizes", "cross-validation", "trade-offs", "stability",
    ]  # fmt: skip
    assert "Performance on them is optimistic." in said(report, "data")


def test_other_rows_are_told_from_the_training_rows():
    system = usual()
    rest = {name: column[1:] for name, column in COLUMNS.items()}
    report = make_report(system, rest, Y[1:], plan=Plan.nothing())
    assert "not the card's 60 training rows" in said(report, "data")
    assert "neither confirm nor refute" in said(report, "proof")
    assert "refer to the training rows" in said(report, "theory")
    moved = system.drift(rest)
    assert f"The mean total moved by {moved.shift:+.3g} points" in said(report, "data")
    assert all(f"{i.stability:.3f}" in said(report, "data") for i in moved.items)


@pytest.mark.parametrize("rows", [range(59, -1, -1), range(40)])
def test_no_section_calls_rows_new_that_may_be_the_training_rows(rows):
    taken = {name: column[list(rows)] for name, column in COLUMNS.items()}
    report = make_report(usual(), taken, [Y[r] for r in rows], plan=Plan.nothing())
    assert "not known whether they are new to the card" in said(report, "summary")
    assert "it is not known whether they are new to it" in said(report, "limits")
    assert "only if these are different people" in said(report, "data")
    assert ("may be the training rows in another order" in said(report, "data")) == (len(rows) == 60)
    assert "Not known: only performance on these rows is reported" in said(report, "probast")


def test_a_card_that_was_changed_is_found_out():
    system = usual()
    changed = replace(system.card, intercept=system.card.intercept + 1)
    report = make_report(changed, COLUMNS, Y, plan=Plan.nothing())
    assert "NOT CONFIRMED" in said(report, "proof")
    model = system.card.as_learned
    first, *others = model.items
    outside = replace(model, items=(replace(first, points=Fraction(50)), *others))
    report = make_report(outside, COLUMNS, Y, plan=Plan.nothing())
    assert "which is not in" in said(report, "proof")


def test_rows_that_the_card_cannot_score_are_left_out_and_counted():
    columns = {"age": [1, None, 3, 4, 2], "sex": ["F", "F", "M", None, "F"]}
    report = make_report(by_hand(missing=0), columns, ["well", "ill", "well", "ill", "ill"])
    text = said(report, "data")
    assert "Rows without a value of age: 1 of 5 (20.0 %)." in text
    assert "1 row skipped, because the card does not allow missing values in sex." in text
    assert "A missing value of age gives 0" in said(report, "limits")
    with pytest.raises(InvalidDataError, match="none of the 2 rows"):
        make_report(by_hand(), {"age": [None, None], "sex": ["F", "F"]}, ["well", "ill"])


def test_what_a_missing_value_gives_counts_all_items_of_its_column():
    system = ScoringSystem.of(
        [item("temp", at_least=38, points=2, missing=0), item("temp", is_missing=True, points=3)],
        threshold=2,
        classes=("well", "ill"),
    )
    report = make_report(system, {"temp": [37, None, 39]}, ["well", "ill", "ill"])
    assert "A missing value of temp gives 3 points." in said(report, "limits")


def test_quotes_and_backslashes_of_names_are_escaped_once():
    now, end = 'smoker "now"', "end\\"
    system = ScoringSystem.of(
        [item(now, equals="yes", points=1), item(end, at_least=2, points=1), item("a\\b", points=1)],
        above=1,
        classes=("well", "ill"),
    )
    columns = {now: ["yes", "no", "yes"], end: [1, 2, 3], "a\\b": [0, 0, 1]}
    report = make_report(system, columns, ["well", "ill", "ill"])
    shown = "'smoker \"now\"' = yes", r""""end\\" >= 2""", r"a\\b"
    assert [row[0] for row in report.section("data").blocks[2].rows] == list(shown)
    assert 'The card needs a value of \'smoker "now"\', "end\\\\"' in said(report, "limits")


def test_one_further_item_is_told_in_the_singular():
    data = read_data(usual().card, COLUMNS, Y)
    evidence = gathering.gather(
        usual().card, data, by=(), plan=Plan.nothing(), target=None, cv_groups=None, progress=lambda _: None
    )
    seen = tuple((Fraction(points), 1) for points in range(1, 6))
    others = [ItemStability(name=f"x{k}", points=None, returned=1, same_points=0, points_seen=seen) for k in range(11)]
    found = Stability(
        items=tuple(others), columns=(), samples=5, asked=5, proven=5, same_items=0, same_card=0,
        sizes=((1, 5),), optimism=(None,) * 6, failures=(), stopped=False, timed_out=False,
    )  # fmt: skip
    blocks = stability(replace(evidence, stability=found)).blocks
    table = next(block for block in blocks if isinstance(block, TableBlock))
    assert table.notes == ("1 further item recurred less often; not shown.",)
    assert table.rows[0][-1].endswith(", 1 other")


def test_values_outside_what_the_card_knows_are_listed():
    columns = {"age": [1, 2, 3, 4], "sex": ["F", "X", "M", "F"]}
    report = make_report(by_hand(), columns, ["well", "ill", "well", "ill"])
    assert "sex has the value X, unknown to the card, in 1 row." in said(report, "data")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_and_columns_give_the_same_report(frame):
    system = usual()
    framed, plain = (
        make_report(system, data, Y, plan=Plan(repeats=1, folds=2, ratios=0, bootstrap=0, larger=0))
        for data in (frame(COLUMNS), COLUMNS)
    )
    assert [said(framed, s.name) for s in framed.sections] == [said(plain, s.name) for s in plain.sections]


@pytest.mark.parametrize("asked", [{}, {"slope": 1}, {"risk_threshold": 0.3}], ids=str)
def test_a_card_of_risks_is_confirmed(asked):
    model = RiskScoreClassifier(prepare=None, C0=0.01, max_points=3, positive="ill", **asked)
    system = model.fit(pd.DataFrame(COLUMNS), Y).scoring_system_
    report = make_report(ScoringSystem.from_json(system.to_json()), COLUMNS, Y, plan=Plan.nothing())
    assert "Confirmed" in said(report, "proof")
    (claims,) = [block for block in report.section("proof").blocks if isinstance(block, TableBlock)]
    assert [row[3] for row in claims.rows] == ["yes"] * 4 + ["–"] * 2
    assert float(claims.rows[0][1]) == float(claims.rows[0][2])
    worse = replace(system.card.provenance, objective=system.card.provenance.objective + Fraction(1, 10**6))
    changed = ScoringSystem(replace(system.card, provenance=worse))
    assert "NOT CONFIRMED" in said(make_report(changed, COLUMNS, Y, plan=Plan.nothing()), "proof")


def test_weights_are_used_and_said():
    weights = [1, 2] * 30
    system = learned(COLUMNS, Y, sample_weight=weights)
    report = make_report(system, COLUMNS, Y, sample_weight=weights, plan=QUICK)
    assert report.missing == ()
    assert "Confirmed" in said(report, "proof")
    assert "Rows are weighted" in said(report, "limits")
    assert "the sample weights differ" in said(report, "theory")
    unweighted = make_report(system, COLUMNS, Y, plan=Plan.nothing())
    assert "the fingerprints differ" in said(unweighted, "data")


def test_constraints_on_groups_are_asked_again():
    room = np.array(["a", "b"], dtype=object)[np.arange(60) % 2]
    system = learned(COLUMNS, Y, rate_groups={"room": room}, constraints=[constraints.max_error(0.4, group="room")])
    assert make_report(system, {**COLUMNS, "room": room}, Y, plan=QUICK).missing == ()
    report = make_report(system, COLUMNS, Y, plan=QUICK)
    assert "lacks the column 'room', which divides the rows" in said(report, "validation")


def test_a_column_that_could_have_got_points_is_needed_to_learn_again():
    columns = {"age": COLUMNS["age"], "fever": COLUMNS["fever"]}
    report = make_report(usual(), columns, Y, plan=QUICK)
    assert "the table lacks the column 'noise'" in said(report, "frontier")


@pytest.mark.parametrize(
    ("stage", "missing"),
    [
        ("sizes_around", {"the frontier of sizes", "cross-validation", "trade-offs", "stability"}),
        ("cross_validation", {"cross-validation", "trade-offs", "stability"}),
        ("trades", {"trade-offs", "stability"}),
        ("bootstrap", {"stability"}),
    ],
)
def test_ctrl_c_keeps_what_is_there(monkeypatch, without_matplotlib, stage, missing):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(gathering, stage, interrupted)
    report = make_report(usual(), COLUMNS, Y, plan=QUICK)
    stopped = {reason.split(":")[0] for reason in report.missing if "stopped by the user" in reason}
    assert stopped == missing
    assert "</html>" in report.to_html()


def test_ctrl_c_in_the_middle_keeps_the_folds_and_samples_done():
    def after(words):
        def progress(step):
            if step.text == words:
                raise KeyboardInterrupt

        return progress

    system, plan = usual(), Plan(repeats=1, folds=3, ratios=2, bootstrap=3, larger=0)
    report = make_report(system, COLUMNS, Y, plan=plan, progress=after("cross-validation: fold 3 of 3"))
    assert "stopped it after 2 of 3 folds" in said(report, "validation")
    assert "part of cross-validation" in " ".join(report.missing)
    report = make_report(system, COLUMNS, Y, plan=plan, progress=after("trade-off: card 4 of 6"))
    assert "The user stopped it after 2 of 3 ratios" in said(report, "trade-offs")
    report = make_report(system, COLUMNS, Y, plan=plan, progress=after("bootstrap: sample 2 of 3"))
    assert "The user stopped it after 1 of 3 samples" in said(report, "stability")


def test_a_sample_of_one_class_is_a_failure_that_is_said():
    columns, y = {"age": np.arange(8)}, ["well"] * 7 + ["ill"]
    report = make_report(
        learned(columns, y, C0=0.125), columns, y, plan=Plan(repeats=1, folds=2, ratios=0, bootstrap=12, larger=0)
    )
    assert "y has 1 class(es)" in said(report, "stability")
    assert "a class has too few rows" in said(report, "validation")


@pytest.mark.long
def test_the_same_report_is_the_same_file():
    system = usual()
    first, second = (make_report(system, COLUMNS, Y, plan=QUICK) for _ in range(2))
    assert first.to_html() == second.to_html()
    dated = make_report(system, COLUMNS, Y, plan=Plan.nothing(), date="1 May 2031")
    assert dated.subtitle.startswith("1 May 2031. ")


def test_every_tripod_item_has_its_line_and_no_section_names_another():
    report = make_report(usual(), COLUMNS, Y, plan=Plan.nothing())
    assert {t for section in report.sections for t in section.tripod} <= set(ITEMS)
    (_, table) = report.section("tripod").blocks
    assert [row[0] for row in table.rows] == list(ITEMS)
    where = {row[0]: row[3] for row in table.rows}
    assert where["22"] == "The scoring system"
    assert where["18a"] == "\u2013"
    assert {row[0]: row[2] for row in table.rows if row[2] != "D;E"} == {
        **dict.fromkeys(("9a", "12a", "12b", "12c", "15", "22", "27a", "27b"), "D"),
        **dict.fromkeys(("12f", "12g", "20c", "24"), "E"),
    }
    assert all(len(row[4]) > 10 for row in table.rows)


def test_the_checklist_has_27_items():
    assert {number.rstrip("abcdefg") for number in ITEMS} == {str(k) for k in range(1, 28)}
    assert len(ITEMS) == 52


def test_the_probast_appendix_is_prefilled_with_what_is_known():
    report = make_report(usual(), COLUMNS, Y, plan=QUICK)
    (_, development, evaluation) = report.section("probast").blocks
    questions = [[row[0] for row in table.rows if "." in row[0]] for table in (development, evaluation)]
    assert [len(numbers) for numbers in questions] == [16, 18]  # as many as the tool has
    known = {row[0]: row[2] for row in evaluation.rows}
    assert known["4.1"] == "Yes: cross-validation in 2 folds; optimism from 2 bootstrap samples."
    assert known["4.2"].startswith("60 rows, 29 in the smaller class; 3 candidate features, so 9.7 rows")
    assert known["1.1"].startswith("to be answered by the authors")
    bare = make_report(usual(), COLUMNS, Y, plan=Plan.nothing()).section("probast").blocks[2]
    assert {row[0]: row[2] for row in bare.rows}["4.1"].startswith("No: only performance on these rows")


def test_class_weights_are_said_where_classes_were_weighted():
    system = learned(COLUMNS, Y, class_weight={"ill": 3, "well": 1})
    report = make_report(system, COLUMNS, Y, plan=Plan(repeats=1, folds=2, ratios=1, bootstrap=0, larger=0))
    (_, development, evaluation) = report.section("probast").blocks
    assert "weighted 1 (negative) and 3 (positive)" in {r[0]: r[2] for r in development.rows}["4.4"]
    assert {r[0]: r[2] for r in evaluation.rows}["4.4"].startswith("Yes: ")
    assert "3 : 1 (this card) | " in said(report, "trade-offs")


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"folds": 1}, "folds is 1"),
        ({"bootstrap": -1}, "bootstrap is -1"),
        ({"seed": 1.5}, "seed"),
        ({"time_limit": 0}, "time_limit is 0"),
    ],
)
def test_plans_that_cannot_be_are_refused(plan, message):
    with pytest.raises(InvalidOptionError, match=message):
        Plan(**plan)


def test_what_is_no_table_is_refused():
    with pytest.raises(InvalidDataError, match="is not a table"):
        make_report(by_hand(), 3, ["ill"])
    with pytest.raises(InvalidDataError, match="'age' has 2 values for 1 labels"):
        make_report(by_hand(), {"age": [1, 2], "sex": ["F", "M"]}, ["ill"])
    with pytest.raises(InvalidOptionError, match="no section 'nope'"):
        make_report(by_hand(), {"age": [1, 2], "sex": ["F", "M"]}, ["well", "ill"]).section("nope")


@pytest.mark.parametrize(
    ("items", "classes", "columns", "y", "weights"),
    [
        ([item("a", at_least=2, points=1)], ("no", "yes"), {"a": [1, 3]}, ["no", "no"], None),
        ([item("a", at_least=2, points=1)], ("no", "yes"), {"a": [1]}, ["yes"], None),
        ([], ("no", "yes"), {"a": [1, 3]}, ["no", "yes"], None),
        ([item("a", points=1)], ("no", "yes"), {"a": [1, 3, 9]}, ["no", "yes", "no"], [0, 1, 2.5]),
        ([item("a", equals=True, points=1)], (False, True), {"a": np.array([True, False])}, [True, False], None),
        ([item("a", points=1)], (0, 1.5), {"a": [0.5, 2]}, np.array([0, 1.5]), None),
    ],
    ids=["one class", "one row", "no items", "weights", "truth", "numbers"],
)
def test_small_and_odd_tables_have_a_report(without_matplotlib, items, classes, columns, y, weights):
    system = ScoringSystem.of(items, above=1, classes=classes)
    report = make_report(system, columns, y, sample_weight=weights)
    assert "</html>" in report.to_html()
    assert str(system.evaluate(columns, y, sample_weight=weights).auc).replace("-", "") in said(
        report, "performance"
    ).replace("-", "")


@pytest.mark.parametrize("intercept", ["free", (-9, 9)])
def test_a_total_at_the_threshold_is_spoken_of_where_it_counted_as_wrong(intercept, without_matplotlib):
    system = learned(COLUMNS, Y, intercept=intercept)
    report = make_report(system, COLUMNS, Y, plan=Plan(repeats=1, folds=0, ratios=0, bootstrap=0, larger=1))
    words = system.card.cutoff
    assert f"A total of {words.positive}: predict ill." in said(report, "model")
    assert f"A total of {words.negative}: predict well." in said(report, "model")
    tells = {
        "limits": "In training it counted as wrong for both classes",
        "making": "in training, a total equal to the threshold counted as wrong for both classes",
        "proof": "training errors (total = threshold is wrong)",
        "frontier": "Errors count a total equal to the threshold as wrong",
        "performance": "of these, at the threshold",
    }
    for section, sentence in tells.items():
        assert (sentence in said(report, section)) == (intercept != "free"), section
