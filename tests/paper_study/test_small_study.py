"""`make study-small`, as it is run."""

import pytest

from study.__main__ import main
from study.record_file import read_records
from study.records import Loaded, Record
from study.results.demands import objectives_hold
from study.results.study import Study


@pytest.mark.long
def test_the_small_study_runs_and_writes_its_page(tmp_path):
    records = tmp_path / "small.jsonl"
    assert main(["run", "small", str(records), "--jobs", "2"]) == 0
    assert main(["page", str(records), str(tmp_path / "page")]) == 0
    lines = read_records(records)
    tables = {line.dataset for line in lines if isinstance(line, Loaded)}
    assert {"breast-cancer", "haberman"} <= tables
    assert sum(isinstance(line, Record) for line in lines) > 2000 * len(tables)
    assert objectives_hold(Study(lines)).held
    assert "![Performance over time](over-time.svg)" in (tmp_path / "page" / "results.md").read_text("utf-8")
