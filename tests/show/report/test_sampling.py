"""Folds and bootstrap samples: every row once, classes or groups kept together, the same for a seed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from show.report.small import learned, table, texts_of
from supersparse import ScoringSystem, item
from supersparse.errors import InvalidDataError
from supersparse.show.report import Plan, make_report
from supersparse.show.report.data import bootstrap_samples, read_data, report_folds
from supersparse.show.report.evidence import gather

SYSTEM = ScoringSystem.of([item("a", points=1)], above=0)


def data_of(labels, groups=None):
    columns = {"a": list(range(len(labels))), "who": list(labels if groups is None else groups)}
    y = ["yes" if label else "no" for label in labels]
    return read_data(SYSTEM.card, columns, y, together=None if groups is None else "who")


@settings(max_examples=examples(50))
@given(st.lists(st.booleans(), min_size=2, max_size=40), st.integers(2, 6), st.integers(0, 3))
def test_folds_divide_the_rows_and_each_class_evenly(labels, folds, seed):
    data = data_of(labels)
    if min(labels.count(True), labels.count(False)) < 2:
        with pytest.raises(InvalidDataError):
            report_folds(data, Plan(repeats=1, folds=folds, seed=seed))
        return
    pairs = report_folds(data, Plan(repeats=1, folds=folds, seed=seed))
    assert len(pairs) == min(folds, labels.count(True), labels.count(False))
    assert sorted(np.concatenate([test for _, test in pairs])) == list(range(len(labels)))
    for of_class in (data.positive, ~data.positive):
        sizes = [int(of_class[test].sum()) for _, test in pairs]
        assert max(sizes) - min(sizes) <= 1
    sizes = [len(test) for _, test in pairs]
    assert max(sizes) - min(sizes) <= 1
    assert all(not set(train) & set(test) for train, test in pairs)


@settings(max_examples=examples(50))
@given(st.lists(st.integers(0, 9), min_size=12, max_size=40), st.integers(0, 3))
def test_rows_that_belong_together_stay_in_one_fold_and_one_sample(groups, seed):
    labels = np.arange(len(groups)) % 2 == 0
    data, plan = data_of(labels, groups), Plan(repeats=1, folds=2, bootstrap=3, seed=seed)
    groups = np.array(groups)
    try:
        folds = report_folds(data, plan)
    except InvalidDataError:  # groups that cannot be divided so that both sides have both classes
        folds = []
    for train, test in folds:
        assert len(test) > 0
        assert not set(groups[train]) & set(groups[test])
    for rows in bootstrap_samples(data, plan):
        for group in set(groups[rows].tolist()):
            times = np.bincount(rows, minlength=len(groups))[groups == group]
            assert len(set(times.tolist())) == 1
    again = list(bootstrap_samples(data, plan))
    assert [rows.tolist() for rows in bootstrap_samples(data, plan)] == [rows.tolist() for rows in again]


def test_the_report_says_what_stays_together():
    columns, y = table()
    who = np.arange(len(y)) // 3
    report = make_report(
        learned(columns, y),
        {**columns, "who": who},
        y,
        cv_groups="who",
        plan=Plan(repeats=1, folds=2, ratios=0, bootstrap=2, larger=0),
    )
    (first, *_), (second, *_) = (report.section(name).blocks for name in ("validation", "stability"))
    assert "with all rows of one who in the same fold" in texts_of(first)[0]
    assert "of the same number of groups (all rows of one who)" in texts_of(second)[0]
    with pytest.raises(InvalidDataError, match="no column 'whom'; did you mean 'who'"):
        make_report(learned(columns, y), {**columns, "who": who}, y, cv_groups="whom")
    few = make_report(
        learned(columns, y), {**columns, "who": np.zeros(len(y))}, y, cv_groups="who", plan=Plan(bootstrap=0, larger=0)
    )
    assert any("too few groups, for folds" in reason for reason in few.missing)


def test_few_rows_are_divided_twice_and_each_counts_once():
    columns, y = table()
    card, plan = learned(columns, y).card, Plan(folds=2, ratios=0, bootstrap=0, larger=0)
    asked = {"by": (), "plan": plan, "target": None, "cv_groups": None, "progress": lambda _: None}
    found = gather(card, read_data(card, columns, y), **asked).validation
    assert (found.done, found.repeats, len(found.first)) == (4, 2, 2)
    assert found.forecasts.n == len(y)
    report = make_report(card, columns, y, plan=plan)
    assert "into 2 folds stratified by class, 2 times." in texts_of(report.section("validation").blocks[0])[0]


def test_a_row_that_belongs_nowhere_is_named():
    with pytest.raises(InvalidDataError, match="'who' is missing in row 2"):
        read_data(SYSTEM.card, {"a": [1, 2], "who": ["x", None]}, ["no", "yes"], together="who")
