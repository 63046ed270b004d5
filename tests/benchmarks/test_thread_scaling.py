"""The page on threads shows what was measured."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_shows_the_stored_times():
    lines = (ROOT / "benchmarks" / "results" / "thread-scaling.jsonl").read_text().splitlines()
    seconds = {}
    for record in map(json.loads, lines[1:]):
        assert record["stop"] == "OPTIMAL"
        seconds.setdefault(record["problem"], {})[record["threads"]] = record["seconds"]
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    for name, by_threads in seconds.items():
        one, four, most = (by_threads[n] for n in (1, 4, 16))
        shown = " | ".join(f"{x:.1f}" for x in (one, four, most, one / four, one / most))
        assert f"| {name} | {shown} |" in page


def test_the_page_shows_the_stored_simulation():
    table = (ROOT / "benchmarks" / "results" / "cluster.md").read_text(encoding="utf-8").strip()
    assert table.count("\n") >= 5
    assert table in (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
