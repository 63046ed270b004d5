"""Confusion, thresholds, AUC and subgroups against scikit-learn, by hand, and with weights as copies."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from sklearn import metrics

from card.evaluate.rated import SYSTEM, copied, labels, table, weighted_rows
from show.document.test_text import MADE
from supersparse import Problem, ScoringSystem, item, solve
from supersparse.card.rules import Domain
from supersparse.errors import InvalidDataError, InvalidOptionError


@given(weighted_rows(both_classes=True))
def test_counts_rates_and_auc_are_those_of_scikit_learn(rows):
    totals, positive, weights = rows
    found = SYSTEM.evaluate(table(totals), labels(positive), sample_weight=weights)
    predicted = np.array(totals) > 0
    tn, fp, fn, tp = metrics.confusion_matrix(positive, predicted, sample_weight=weights, labels=[False, True]).ravel()
    c = found.confusion
    assert (c.true_negatives, c.false_positives, c.false_negatives, c.true_positives) == (tn, fp, fn, tp)
    accuracy = metrics.accuracy_score(positive, predicted, sample_weight=weights)
    recall = metrics.recall_score(positive, predicted, sample_weight=weights)
    assert c.accuracy.value == pytest.approx(accuracy)
    assert c.sensitivity.value == pytest.approx(recall)
    assert found.auc.value == pytest.approx(metrics.roc_auc_score(positive, totals, sample_weight=weights))
    fpr, tpr, _ = metrics.roc_curve(positive, totals, sample_weight=weights, drop_intermediate=False)
    expected = sorted(set(zip(np.round(fpr, 9), np.round(tpr, 9), strict=True)))
    assert sorted({(round(x, 9), round(y, 9)) for x, y in found.thresholds.roc()}) == expected


@given(weighted_rows())
def test_weight_k_is_k_copies(rows):
    totals, positive, weights = rows
    with_weights = SYSTEM.evaluate(table(totals), labels(positive), sample_weight=weights)
    more_totals, more_positive, _ = copied(*rows)
    with_copies = SYSTEM.evaluate(table(more_totals), labels(more_positive))
    assert with_weights == with_copies
    assert with_weights.thresholds.table() == with_copies.thresholds.table()


@given(weighted_rows())
def test_every_threshold_says_what_the_card_with_that_threshold_does(rows):
    totals, positive, weights = rows
    thresholds = SYSTEM.evaluate(table(totals), labels(positive), sample_weight=weights).thresholds
    for row in thresholds.rows:
        moved = SYSTEM.with_threshold(row.threshold)
        assert moved.evaluate(table(totals), labels(positive), sample_weight=weights).confusion == row
    own = SYSTEM.evaluate(table(totals), labels(positive), sample_weight=weights).confusion
    assert thresholds.current.true_positives == own.true_positives
    assert thresholds.current.false_positives == own.false_positives


def test_both_conventions_of_a_zero_score_by_hand():
    #           right, zero,  zero,  wrong, right
    totals, y = [2, 0, 0, -1, -1], ["yes", "yes", "no", "yes", "no"]
    made = replace(MADE, settings={"intercept": "none"})
    system = replace(SYSTEM, card=replace(SYSTEM.card, provenance=made))
    c = system.evaluate(table(totals), y).confusion
    assert (c.zero_positives, c.zero_negatives) == (1, 1)
    assert c.predicted_errors == 2  # the negative row with a score of 0 is right
    assert c.training_errors == 3
    assert c.in_words("yes").startswith("Predicting yes for a total of more than 0 is wrong for 2 of 5. 2 have")
    assert "2 have a total of exactly 0: `predict` returns not yes" in c.in_words("yes")
    assert "wrong for both classes, as in learning, 3 are wrong" in c.in_words("yes")
    by_hand = SYSTEM.evaluate(table(totals), y).confusion
    assert (by_hand.zero_positives, by_hand.zero_negatives) == (0, 0)
    assert "exactly 0" not in by_hand.in_words("yes")


def test_a_card_of_whole_totals_is_evaluated_in_its_own_words():
    domain = Domain(column="x", low=0, high=3, whole=True)
    system = ScoringSystem.of([item("x", points=1)], above=1.5, domains={"x": domain})
    found = system.evaluate({"x": [0, 1, 2, 3]}, ["no", "yes", "yes", "yes"])
    assert found.in_words().startswith("Predicting yes for a total of 2 or more is wrong for 1 of 4.")
    assert found.thresholds.in_words() == (
        "A total of 1 or more makes the fewest errors, 0 of 4; the card's threshold, 2 or more, makes 1."
    )
    words = [line.strip().split("  ")[0] for line in str(found.thresholds).split("\n")]
    assert words[1:] == ["0 or more", "1 or more", "* 2 or more", "3 or more", "4 or more"]
    # a value outside the domain gives a total between: it does not reach the threshold
    halves = system.evaluate({"x": [0, 1.5, 1.75, 3]}, ["no", "no", "yes", "yes"])
    assert halves.in_words().startswith("Predicting yes for a total of 2 or more is wrong for 1 of 4.")
    assert system.predict({"x": [1.75, 2]}).tolist() == ["no", "yes"]
    moved = system.choose_threshold({"x": [0, 1, 2, 3]}, ["no", "yes", "yes", "yes"], sensitivity=1)
    assert moved.card.source == "threshold moved from 2 or more to 1 or more: sensitivity 1 or more, on 4 rows"
    assert system.with_threshold(1).card.source == "threshold moved from 2 or more to 1 or more"


def test_a_learned_card_is_evaluated_with_the_errors_of_its_provenance():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, size=(40, 3))
    y = np.where(X[:, 0] + rng.integers(0, 2, 40) > 1, "ill", "well")
    system = ScoringSystem.from_solution(solve(Problem.of(X, y, max_points=3, C0=0.05), "exhaustive"))
    c = system.evaluate(X, y).confusion
    assert c.training_errors == system.card.provenance.training_errors
    assert c.predicted_errors == system.card.provenance.predicted_errors


def test_the_four_rates_are_at_hand():
    found = SYSTEM.evaluate(table([2, 1, -1, -1, 1]), labels([True, True, True, False, False]))
    assert (found.sensitivity.events, found.sensitivity.of) == (2, 3)
    assert (found.specificity.events, found.specificity.of) == (1, 2)
    assert (found.ppv.events, found.ppv.of) == (2, 3)
    assert (found.npv.events, found.npv.of) == (1, 2)


@pytest.mark.parametrize("one", [True, False])
def test_rows_of_one_class_have_no_auc_and_no_nan(one):
    found = SYSTEM.evaluate(table([1, -1]), labels([one, one]))
    assert found.auc.value is None
    assert found.thresholds.roc() == []
    rate = found.confusion.specificity if one else found.confusion.sensitivity
    assert rate.value is None
    assert not any(v != v for v in found.cells().values())
    assert "AUC -" in found.in_words()


def test_ks_and_gini():
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(1)
    values, y = rng.integers(-3, 4, 60), rng.random(60) < 0.4
    found = SYSTEM.evaluate(table(values), labels(y))
    assert found.ks == pytest.approx(ks_2samp(values[y], values[~y]).statistic)
    assert found.gini == pytest.approx(2 * found.auc.value - 1)
    assert (found.cells()["ks"], found.cells()["gini"]) == (found.ks, found.gini)
    assert f"Gini {found.gini:.3f}, KS {found.ks:.3f}." in found.in_words()
    one = SYSTEM.evaluate(table([1, -1]), labels([True, True]))
    assert (one.ks, one.gini) == (None, None)


def test_a_single_score_is_a_coin():
    assert SYSTEM.evaluate(table([1, 1]), ["yes", "no"]).auc.value == 0.5


def test_totals_and_weights_are_exact():
    system = ScoringSystem.of([item("x", points=1)], above=0.3)
    found = system.evaluate({"x": [0.1 + 0.2, 0.3, 0.4]}, ["yes", "no", "yes"], sample_weight=[0.1, 0.2, 0.7])
    assert found.confusion.n == 1
    assert found.confusion.true_negatives == Fraction(1, 5)  # and 0.30000000000000004 is more than 0.3
    assert found.confusion.sensitivity.value == 1


def test_labels_of_any_library_are_read():
    for y in (pd.Series(["no", "yes"]), pl.Series(["no", "yes"]), np.array([["no"], ["yes"]]), ("no", "yes")):
        assert SYSTEM.evaluate(table([-1, 1]), y).confusion.accuracy.value == 1
    truth = ScoringSystem.of([item("x", points=1)], above=0, classes=(0, 1))
    assert truth.evaluate(table([-1, 1]), [False, True]).confusion.accuracy.value == 1


@pytest.mark.parametrize(
    ("y", "weights", "message"),
    [
        (["yes"], None, "1 labels for 2 rows"),
        (["yes", "maybe"], None, "'maybe'; the classes of this card are 'no' and 'yes'"),
        (["yes", "no"], [1, -1], "negative"),
        (["yes", "no"], [1], "shape"),
        (["yes", "no"], [1, float("nan")], "finite"),
        (["yes", "no"], [0, 0], "nothing to evaluate"),
        ("yes", None, "one value per row"),
    ],
)
def test_bad_labels_and_weights_are_named(y, weights, message):
    with pytest.raises(InvalidDataError, match=message):
        SYSTEM.evaluate(table([1, 2]), y, sample_weight=weights)


@given(weighted_rows())
def test_a_subgroup_is_evaluated_as_if_it_were_alone(rows):
    totals, positive, weights = rows
    by = ["even" if i % 2 == 0 else "odd" for i in range(len(totals))]
    found = SYSTEM.by_subgroup(table(totals), labels(positive), by, sample_weight=weights)
    assert sum(g.evaluation.confusion.n for g in found.groups) == found.overall.confusion.n
    for g in found.groups:
        own = [i for i, label in enumerate(by) if label == g.label]
        alone = SYSTEM.evaluate(
            table([totals[i] for i in own]), labels([positive[i] for i in own]),
            sample_weight=[weights[i] for i in own],
        )  # fmt: skip
        assert alone == g.evaluation
    assert len(found.to_frame()) == len(found.groups) + 1


def test_subgroups_by_a_column_that_the_card_does_not_use():
    data = pd.DataFrame({"x": [1, -1, 1, -1], "ward": ["B", "A", None, "A"]})
    found = SYSTEM.by_subgroup(data, ["yes", "no", "no", "no"], "ward")
    assert [g.label for g in found.groups] == ["A", "B", None]
    assert [g.evaluation.confusion.predicted_errors for g in found.groups] == [0, 0, 1]
    assert "missing" in str(found)
    assert "ward" in found.in_words()
    with pytest.raises(InvalidDataError, match="did you mean 'ward'"):
        SYSTEM.by_subgroup(data, ["yes", "no", "no", "no"], "Ward")


@pytest.mark.parametrize("name", ["n", "threshold", "auc"])
def test_subgroups_by_a_column_named_like_a_measure_keep_their_labels(name):
    found = SYSTEM.by_subgroup({"x": [1, -1, 1], name: ["u", "v", "v"]}, ["yes", "no", "no"], name)
    assert [row[f"group by {name}"] for row in found.table()] == ["u", "v", "all"]
    assert [row["n"] for row in found.table()] == [1, 2, 3]
    assert list(found.to_frame()[f"group by {name}"]) == ["u", "v", "all"]


def test_a_subgroup_called_all_is_not_all_rows():
    found = SYSTEM.by_subgroup(table([1, -1, 1]), ["yes", "no", "no"], ["all", "all", "some"])
    assert [row["group"] for row in found.table()] == ["all", "some", "all rows"]
    assert "all rows" in str(found)


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["no", "yes", pd.NA], dtype="string"),
        ["no", "yes", pd.NA],
        ["no", "yes", None],
        pa.array(["no", "yes", None]),
    ],
    ids=["series", "list", "None", "pyarrow"],
)
def test_missing_labels_are_named(y):
    with pytest.raises(InvalidDataError, match=r"1 missing label, the first in row 2 .*; drop those rows"):
        SYSTEM.evaluate(table([1, 2, 3]), y)


def test_labels_and_groups_may_be_arrays_of_pyarrow():
    system = ScoringSystem.of([item("x", points=1)], above=0, classes=(False, True))
    found = system.evaluate(table([1, -1, 1]), pa.array([True, False, False]))
    assert found == system.evaluate(table([1, -1, 1]), [True, False, False])
    groups = SYSTEM.by_subgroup(table([1, -1]), pa.array(["yes", "no"]), pa.array([True, None])).groups
    assert [g.label for g in groups] == [True, None]


@pytest.mark.parametrize("costs", [5, "12", (1, 2, 3)])
def test_costs_are_a_pair(costs):
    with pytest.raises(InvalidOptionError, match=r"costs is .*; give the costs of a \(false negative, false"):
        SYSTEM.choose_threshold(table([1, -1]), ["yes", "no"], costs=costs)


def test_too_many_subgroups_are_refused():
    with pytest.raises(InvalidDataError, match="divide numbers into ranges"):
        SYSTEM.by_subgroup(table(range(101)), labels([1] * 101), "x")


@given(weighted_rows(both_classes=True))
@settings(max_examples=50)
def test_the_chosen_threshold_is_the_best_of_all(rows):
    totals, positive, weights = rows
    data = (table(totals), labels(positive))
    every = [SYSTEM.with_threshold(t).evaluate(*data, sample_weight=weights).confusion for t in range(-4, 5)]
    wanted = SYSTEM.choose_threshold(*data, sensitivity=0.7, sample_weight=weights)
    got = wanted.evaluate(*data, sample_weight=weights).confusion
    assert got.sensitivity.value >= 0.7
    assert got.specificity.value == max(c.specificity.value for c in every if c.sensitivity.value >= 0.7)
    wanted = SYSTEM.choose_threshold(*data, specificity=0.7, sample_weight=weights)
    got = wanted.evaluate(*data, sample_weight=weights).confusion
    assert got.sensitivity.value == max(c.sensitivity.value for c in every if c.specificity.value >= 0.7)
    wanted = SYSTEM.choose_threshold(*data, costs=(5, 1), sample_weight=weights)
    got = wanted.evaluate(*data, sample_weight=weights).confusion
    assert 5 * got.false_negatives + got.false_positives == min(
        5 * c.false_negatives + c.false_positives for c in every
    )


def test_a_moved_threshold_drops_the_proof_and_says_where_the_points_come_from():
    X, y = [[0]] * 4 + [[1]] * 4 + [[2]] * 4, list("nnnnnyyyyyyy")
    learned = ScoringSystem.from_solution(solve(Problem.of(X, y, C0=0.1, max_points=2), "exhaustive"))
    table_of = {learned.card.columns[0]: [row[0] for row in X]}
    moved = learned.choose_threshold(table_of, y, specificity=1)
    assert moved.points == learned.points
    assert moved.card.provenance is None
    assert "learned by supersparse" in moved.card.source
    assert "specificity 1 or more, on 12 rows" in moved.card.source
    assert learned.with_threshold(learned.threshold) == learned
    assert ScoringSystem.from_json(moved.to_json()) == moved


@pytest.mark.parametrize("wish", [{}, {"sensitivity": 0.9, "specificity": 0.9}, {"sensitivity": 1.5},
                                  {"costs": (1,)}, {"costs": (-1, 1)}])  # fmt: skip
def test_wishes_that_cannot_be_followed_are_refused(wish):
    with pytest.raises(InvalidOptionError):
        SYSTEM.choose_threshold(table([1, -1]), ["yes", "no"], **wish)


def test_no_threshold_can_be_chosen_for_a_class_without_rows():
    with pytest.raises(InvalidOptionError, match="there are no rows of the positive class"):
        SYSTEM.choose_threshold(table([1, -1]), ["no", "no"], sensitivity=0.9)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2], "sample_weight contains -2, which is negative; give weights of 0 or more"),
        ([1, np.nan], "sample_weight contains NaN or infinite values; give finite weights"),
        ([1, 2, 3], r"sample_weight has shape \(3,\) for 2 rows; give one weight per row"),
        (["a", "b"], "sample_weight contains .*, not numbers; give one number per row"),
    ],
)
def test_weights_are_refused_in_the_words_of_a_fit(weights, message):
    with pytest.raises(InvalidDataError, match=message):
        SYSTEM.evaluate(table([1, -1]), labels([True, False]), sample_weight=weights)
    with pytest.raises(InvalidDataError, match=message):
        Problem.of([[0], [1]], [0, 1], sample_weight=weights)
