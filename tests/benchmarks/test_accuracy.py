"""The page on accuracy shows what is recorded."""

from statistics import mean

import pytest

from benchmarks.accuracy import FOLDS, PAGE, recorded, shown, with_tables


def test_the_page_has_the_tables_of_the_records():
    page = PAGE.read_text(encoding="utf-8")
    assert with_tables(page) == page


def test_every_method_was_measured_on_every_fold():
    found = recorded()
    for table, method in {(m.table, m.method) for m in found}:
        folds = sorted(m.fold for m in found if (m.table, m.method) == (table, method))
        assert folds == list(range(FOLDS)), (table, method)


def test_a_line_has_the_means_over_the_folds():
    found = [m for m in recorded() if m.table == "haberman"]
    line = shown(found, ["default card"], ["haberman"]).splitlines()[-1]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    rows = [m for m in found if m.method == "default card"]
    assert float(cells[3].rstrip(" %")) == pytest.approx(100 * mean(m.error for m in rows), abs=0.051)
    assert float(cells[4]) == pytest.approx(mean(m.auc for m in rows), abs=0.00051)
