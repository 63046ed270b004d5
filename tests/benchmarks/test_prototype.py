"""The race against the prototype: what it is given, how its answer is read, and what the table says."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import prototype, small_tables, table
from benchmarks.data import Table
from benchmarks.instances import Settings
from benchmarks.prototype import Answer, Race

OURS = Answer(seconds=0.5, proof_seconds=0.5, proven=True, objective=0.25, errors=1, size=1, l1=1.0)
OTHER = replace(OURS, seconds=1.0, proof_seconds=0.9)
RACE = Race(name="a table", limit=60.0, ours=OURS, prototype=OTHER)
BINARY = Table(np.array([[0, 1], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]), ("a", "b"))


def test_a_binary_table_keeps_its_columns_and_a_free_threshold_doubles_the_points():
    asked = Settings(C0=0.01, largest=1, max_features=2)
    lines = prototype.instance_file(BINARY, asked).splitlines()
    assert lines == ["3 2 4 1 0.04 2", "3 -2 0 2", "3 -2 0 2", "0 0 0", "0 1 1 1", "1 0 1 0", "1 1 0 1"]


def test_other_columns_are_doubled_and_a_penalised_intercept_needs_nothing():
    levels = replace_columns(BINARY, 3)
    free = prototype.instance_file(levels, Settings(C0=0.01, largest=1)).splitlines()
    assert free[1] == "3 -1 0 1"
    assert free[4] == "0 6 1 1"
    paper = prototype.instance_file(levels, Settings(C0=0.01, largest=1, intercept="paper")).splitlines()
    assert paper[3] == "1 0.04 3 -1 0 1"
    assert paper[4] == "0 3 1 1"


def replace_columns(found, factor):
    return Table(found.X * factor, found.y, found.names)


def test_its_answer_is_judged_by_our_evaluator():
    problem = Settings(C0=0.01, largest=1, max_features=2).problem(BINARY)
    lines = [
        "HEUR obj=0.25 err=1 size=1 l1=2 t_best=0.01 t_end=0.1 iters=3",
        "EXACT PROVEN obj=0.25 lb=0.25 rootlb=0 err=1 time=0.02 nodes=1",
        "SOL b=1 lam= 1:-2",
    ]
    found = prototype.read_answer(lines, problem, 2)
    assert (found.proven, found.errors, found.size, found.l1) == (True, 1, 1, 1.0)
    assert found.seconds == pytest.approx(0.12)
    assert found.objective == pytest.approx(1 / 4 + 0.01)


@pytest.mark.parametrize(
    ("race", "wrong"),
    [
        (RACE, False),
        (replace(RACE, prototype=replace(OTHER, l1=2.0)), True),
        (replace(RACE, prototype=replace(OTHER, objective=0.5)), True),
        (replace(RACE, prototype=replace(OTHER, objective=0.5, proven=False)), False),
        (replace(RACE, prototype=replace(OTHER, objective=0.1, proven=False)), True),
        (replace(RACE, ours=replace(OURS, objective=0.1, proven=False)), True),
    ],
)
def test_what_cannot_both_be_true_is_an_error(race, wrong):
    assert (race.disagreement is not None) is wrong


def test_the_summary_names_what_is_slower():
    slow = replace(RACE, name="slow", ours=replace(OURS, seconds=3.0))
    text = prototype.summary([RACE, slow, replace(RACE, ours=replace(OURS, proven=False))])
    assert "median 1.75, largest 3.00 (slow), 1 of 2 problems at most 1; slower: slow." in text


@pytest.mark.parametrize("small", small_tables.TABLES, ids=lambda small: small.name)
def test_generated_tables_are_as_announced(small):
    found = small.table()
    assert found.X.shape == (small.rows, small.columns)
    assert (150 <= small.rows <= 1000, 20 <= small.columns <= 60, 3 <= small.most <= 4) == (True,) * 3
    assert (found.X == small.table().X).all()
    assert set(np.unique(found.y)) == {0, 1}


def test_the_page_holds_the_table_of_the_stored_run():
    page = table.DOCS.read_text(encoding="utf-8")
    shown = page.partition("<!-- prototype: begin -->")[2].partition("<!-- prototype: end -->")[0]
    if not prototype.RESULTS.exists():
        pytest.skip("no run is stored")
    assert shown.strip() == prototype.markdown(*prototype.load()).strip()
