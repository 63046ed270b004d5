"""The page on threads shows what was measured."""

import json

from benchmarks import cluster, threads


def test_the_page_shows_the_stored_times():
    lines = threads.RESULTS.read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines[1:]]
    assert {record["stop"] for record in records} == {"OPTIMAL", "BOUND"}  # the ratio bound leaves ties open
    assert all(record["lower_bound"] == record["objective"] for record in records)
    assert {record["threads"] for record in records} >= set(threads.SHOWN)
    table = threads.table()
    assert table.count("\n") == 2 + len({record["problem"] for record in records})
    assert f"<!-- threads: begin -->\n{table}<!-- threads: end -->" in threads.PAGE.read_text(encoding="utf-8")


def test_the_page_shows_the_stored_simulation():
    table = cluster.RESULTS.read_text(encoding="utf-8")
    assert table.strip().count("\n") >= 5
    shown = f"<!-- simulation: begin -->\n{table}<!-- simulation: end -->"
    assert shown in threads.PAGE.read_text(encoding="utf-8")
