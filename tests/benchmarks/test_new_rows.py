"""What the comparison on new rows makes of its records, and how FasterRisk's features are made."""

import numpy as np
import pytest

from benchmarks import new_rows
from benchmarks.new_rows import OURS, PAGE, RIDGE, WHOLE, Fold, Measured, Predicted, judged, lines, paired, stored


def record(table, fold, method, auc, **more):
    measures = {"questions": 6, "log_loss": 0.5, "brier": 0.2, "slope": 1.0, "errors": 0.1, "seconds": 1.0, **more}
    return Measured(table=table, fold=fold, method=method, auc=auc, **measures)


def test_differences_are_paired_by_fold_and_averaged_over_tables():
    records = [
        record("a", 0, "card", 0.75), record("a", 0, RIDGE, 0.70), record("a", 1, "card", 0.65),
        record("a", 1, RIDGE, 0.70), record("b", 0, "card", 0.90), record("b", 0, RIDGE, 0.80),
        record("b", 1, "card", 0.10),  # ridge has no such fold
    ]  # fmt: skip
    mean, error = paired(records, "card", "auc")
    assert mean == pytest.approx((0.0 + 0.1) / 2)
    assert error == pytest.approx(np.std([0.0, 0.1], ddof=1) / np.sqrt(2))


def test_the_table_has_a_line_for_each_method_and_the_share_proven():
    default = next(iter(new_rows.OURS))
    records = [
        record("a", 0, default, 0.8, proven=True, search_seconds=0.5), record("a", 0, RIDGE, 0.7),
        record("a", 1, default, 0.8, proven=True, search_seconds=20.0), record("a", 1, RIDGE, 0.7),
    ]  # fmt: skip
    head, _, *rest = lines(records)
    assert [line.split(" | ")[0] for line in rest[:2]] == [f"| {default}", f"| {RIDGE}"]
    assert "+0.1000" in rest[0]
    assert len(rest[0].split(" | ")) == len(head.split(" | "))
    assert "50 % were proven within 1 CPU second of search and 100 % within 30" in rest[-1]


def test_measures_are_those_of_the_risks(tmp_path):
    path = tmp_path / "test.csv"
    path.write_text("x,y\n1,0\n2,0\n3,1\n4,1\n", encoding="utf-8")
    fold = Fold(table="t", number=0, train=path, test=path)
    found = judged(fold, "card", Predicted(risks=np.array([0.1, 0.6, 0.4, 0.9]), questions=1, seconds=0.0))
    assert found.auc == 0.75
    assert found.errors == 0.5
    assert found.brier == pytest.approx((0.01 + 0.36 + 0.36 + 0.01) / 4)
    assert found.log_loss == pytest.approx(-np.mean(np.log([0.9, 0.4, 0.4, 0.9])))


def test_features_of_a_peer_are_cuts_at_the_deciles_frequent_levels_and_gaps():
    numbers = [str(n) for n in range(1, 11)] + [""]
    gap, *cuts = new_rows._rules(numbers)
    assert gap == ""
    assert set(cuts) <= set(range(1, 11))
    assert (new_rows._holds(5.0, ["4", "5", "", "6"]) == [0, 1, 0, 1]).all()
    assert new_rows._rules(["a"] * 50 + ["b"] * 49 + ["c"]) == ["a", "b"]
    assert (new_rows._holds("a", ["a", "b"]) == [1, 0]).all()


def test_the_page_shows_the_stored_records():
    records, page = stored(), PAGE.read_text(encoding="utf-8")
    assert len({(m.table, m.fold, m.method) for m in records}) == len(records) == 95 * len(new_rows.METHODS)
    assert "\n".join(lines(records)) in page
    for peer in WHOLE:  # as the page says
        assert (
            paired(records, next(iter(OURS)), "auc", peer)[0]
            > 0
            > paired(records, next(iter(OURS)), "log_loss", peer)[0]
        )


def test_the_page_tells_of_two_tables():
    default, _, ten = OURS

    def mean(table, method, measure="auc"):
        return np.mean([getattr(m, measure) for m in stored() if (m.table, m.method) == (table, method)])

    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    few, more, ridge = (mean("attrition", method) for method in (default, ten, RIDGE))
    assert f"AUC {few:.3f}, with ten questions {more:.3f}, ridge {ridge:.3f}" in page
    ahead = mean("smoking", RIDGE) - mean("smoking", default)
    worse = mean("smoking", RIDGE, "log_loss") - mean("smoking", default, "log_loss")
    assert f"ridge ranks better by {ahead:.3f}, and its log loss is worse by {worse:.3f}" in page
