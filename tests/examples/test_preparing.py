"""The examples on preparation, on less data than their pages show."""

import importlib.util
import re
import warnings
from pathlib import Path

from supersparse.errors import PenaltyRangeWarning

ROOT = Path(__file__).parents[2]


def example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_cutting_together_never_costs_more_than_the_best_single_cuts():
    cut_points = example("cut_points")
    name, columns, y = next(table for table in cut_points.tables() if table[0] == "haberman")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenaltyRangeWarning)  # the rows of a fold are fewer
        found = {o.way: o for o in cut_points.compare(name, columns, y, 2, repetitions=1)}
    assert all(outcome.proven for outcome in found.values())
    assert found["together"].training_errors < found["best single cut"].training_errors
    assert found["together"].training_errors < found["median"].training_errors


def test_the_table_of_the_page_shows_what_the_search_guarantees():
    page = (ROOT / "docs" / "prepare.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| (\d) \| ([^|]+) \| (\d+) of \d+( \(not proven\))? \|", page, re.MULTILINE)
    errors = {(data, size, way): int(count) for data, size, way, count, _ in rows}
    pairs = {(data, size) for data, size, _ in errors}
    assert len(pairs) == 8
    for data, size in pairs:
        assert errors[data, size, "together"] <= errors[data, size, "best single cut"]


def test_the_large_table_in_small(capsys):
    example("large_table").main(n_rows=500, node_limit=20)
    said = capsys.readouterr().out
    assert re.search(r"500 rows: \d+ s, \d+ s of one core, \d+\.\d\d GB at most", said)
    assert "Risk score\n----------" in said  # the classes have no names


def test_more_candidates_in_small(capsys):
    example("candidates").main(limits=[6], penalties=[0.05], seconds=20)
    assert re.search(r"^\| 0\.05 \| 6 of \d+ \| \d+ \| \d \| \d+ s \|$", capsys.readouterr().out, re.MULTILINE)
