"""Exports score a raw table as `supersparse predict` does: they know the codes and spellings of its file."""

import csv
import io
import json
import math
import random
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import polars as pl
import pytest

from card.export.formulas import Workbook
from card.export.pmml_reader import Scorecard
from programs import needs
from supersparse import ScoringSystem, item
from supersparse.card.cases import read_cases
from supersparse.card.file import from_json
from supersparse.card.format import READING as FORM
from supersparse.table.reading import USUALLY_MISSING, ColumnReading, Reading

READING = Reading(
    missing=USUALLY_MISSING | {"?", "-7"},
    columns={
        "age": ColumnReading(missing=("-99",)),
        "visits": ColumnReading(missing=("-99",)),
        "fever": ColumnReading(missing=("9",)),
        "weight": ColumnReading(missing=("999",)),
        "smoker": ColumnReading(missing=("-9",), spellings={"JA": "ja", "Nein": "nein"}),
    },
)
CELLS = {
    "stage": ["II", "IV", "ii", "?", "NA", "-7", ""],
    "age": ["70", "50", "-99", "-7", ""],
    "smoker": ["ja", "JA", "nein", "Nein", "-9", "null"],
    "visits": ["12", "-99", "99", "-7", ""],
    "fever": ["0", "1", "9", ""],
    "weight": ["70.5", "999", "-7", ""],
}
TEXTS = ("stage", "smoker")


def read_from_a_file(system, reading=READING):
    """The same card, as if it had been learned from a file that was read so."""
    content = json.loads(system.to_json())
    content.pop("digest")  # of the content before the change
    return ScoringSystem(from_json(json.dumps(content | {"reading": FORM.write(reading)})))


@pytest.fixture(scope="module")
def system():
    made = ScoringSystem.of(
        [
            item("stage", one_of=["II", "ii"], points=2, missing=0),
            item("stage", is_missing=True, points=30),
            item("age", at_least=60, points=1, missing=100),
            item("smoker", equals="ja", points=7, missing=200),
            item("visits", is_missing=True, points=400),
            item("fever", equals=True, points=11, missing=1000),
            item("weight", points=0.5, missing=2000),
        ],
        above=300,
        domains={"fever": [0, 1]},
    )
    return read_from_a_file(made)


@pytest.fixture(scope="module")
def rows():
    draw = random.Random(3)
    return [{name: draw.choice(cells) for name, cells in CELLS.items()} for _ in range(150)]


def predicted(system, rows, folder):
    """The totals that `supersparse predict` gives for a file with these cells."""
    with (folder / "raw.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(CELLS))
        writer.writeheader()
        writer.writerows(rows)
    return [float(total) for total in system.total(read_cases(folder / "raw.csv", Reading(), system.card).columns)]


@pytest.fixture(scope="module")
def totals(system, rows, tmp_path_factory):
    found = predicted(system, rows, tmp_path_factory.mktemp("raw"))
    assert len(set(found)) > 50
    return found


def typed(rows, texts=TEXTS):
    """The rows with numbers where the card expects some; an empty cell is None."""
    return [
        {name: None if not cell else cell if name in texts else float(cell) for name, cell in row.items()}
        for row in rows
    ]


def test_python_agrees_with_predict(system, rows, totals):
    module: dict = {}
    exec(system.export("python"), module)
    assert [float(module["total"](row)) for row in typed(rows)] == totals
    words = {"age": "?", "weight": "NA", "visits": "-99"}
    same = [{**row, **words} for row in typed(rows)]
    gone = [{**row, **dict.fromkeys(words)} for row in typed(rows)]
    assert list(map(module["total"], same)) == list(map(module["total"], gone))


@needs("node")
def test_javascript_agrees_with_predict(system, rows, totals, tmp_path):
    from card.export.test_javascript import run_node
    from supersparse.card.raw_values import spelled_out

    (found,) = run_node([(spelled_out(system.card), typed(rows))], tmp_path)
    assert [row[2] for row in found] == totals


def test_sqlite_agrees_with_predict(system, rows, totals):
    columns = ", ".join(f'"{name}" collate nocase' for name in CELLS)
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"create table people ({columns})")
        for given in (typed(rows), [{**row, "age": row["age"] or "?"} for row in typed(rows)]):
            base.execute("delete from people")
            base.executemany("insert into people values (?, ?, ?, ?, ?, ?)", [(*p.values(),) for p in given])
            found = base.execute(f"select {system.export('sql', gives='total')} from people order by rowid")
            assert [total for (total,) in found] == totals


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "tsql", "bigquery", "snowflake"])
@pytest.mark.parametrize("kind", ["DOUBLE", "VARCHAR"])
def test_typed_databases_agree_with_predict(system, rows, totals, dialect, kind):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    from card.export.test_sql import MACROS, in_duckdb

    texts = (*TEXTS, "visits") if kind == "VARCHAR" else TEXTS
    with closing(duckdb.connect()) as base:
        base.execute(MACROS)
        types = ", ".join(f'"{name}" {"VARCHAR" if name in texts else "DOUBLE"}' for name in CELLS)
        base.execute(f"create table people (id integer, {types})")
        given = [(i, *row.values()) for i, row in enumerate(typed(rows, texts))]
        base.executemany("insert into people values (?, ?, ?, ?, ?, ?, ?)", given)
        text = f"SELECT {system.export('sql', gives='total', dialect=dialect)} FROM people ORDER BY id"
        found = base.execute(text if dialect == "duckdb" else in_duckdb(text, dialect)).fetchall()
    assert [total for (total,) in found] == totals


def test_a_code_is_not_true_where_duckdb_holds_booleans(system):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    card = read_from_a_file(ScoringSystem.of([item("fever", equals=True, points=1, missing=5)], above=0))
    text = card.export("sql", gives="total", dialect="duckdb")
    with closing(duckdb.connect()) as base:
        found = base.execute(f"select {text} from (values (true), (false), (null)) people(fever)")
        assert found.fetchall() == [(1,), (0,), (5,)]


def test_the_spreadsheet_agrees_with_predict(system, rows, totals):
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    words = [{**row, "age": row["age"] or "?"} for row in typed(rows)]
    book = openpyxl.load_workbook(io.BytesIO(system.export("xlsx", people=words, rows=0)))
    table = Workbook(book)
    assert [table.value("Table", f"G{row}") for row in range(2, len(rows) + 2)] == totals
    shown = [cell.value for (cell,) in book["Card"].iter_rows(max_col=1)]
    assert not any("JA" in text for text in shown if text)


def test_pmml_agrees_with_predict(system, rows, totals):
    scorecard = Scorecard(system.export("pmml"))
    texts = (*TEXTS, "visits")
    assert [scorecard.evaluate(row).total for row in typed(rows, texts)] == totals


@needs("Java")
def test_a_pmml_engine_agrees_with_predict(system, rows, totals):
    engine = pytest.importorskip("pypmml", reason="pypmml is not installed").Model
    model = engine.fromString(system.export("pmml"))
    assert [model.predict(row)["total"] for row in typed(rows, (*TEXTS, "visits"))] == totals


def test_onnx_agrees_with_predict(system, rows, totals):
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = runtime.InferenceSession(system.export("onnx"), providers=["CPUExecutionProvider"])
    given = typed(rows)
    feed = {
        name: np.array([[row[name] or ""] for row in given], dtype=object)
        if name in TEXTS
        else np.array([[math.nan if row[name] is None else row[name]] for row in given])
        for name in CELLS
    }
    assert session.run(["total"], feed)[0].ravel().tolist() == totals


def test_a_word_that_the_card_names_is_a_category():
    named = read_from_a_file(ScoringSystem.of([item("gene", equals="NA", points=2, missing=1)], above=1))
    module: dict = {}
    exec(named.export("python"), module)
    assert [module["total"]({"gene": cell}) for cell in ("NA", "NaN", "", "x")] == [2, 1, 1, 0]


def test_a_column_that_is_read_as_written_has_neither_codes_nor_spellings():
    system = ScoringSystem.of(
        [item("age", below=0, points=2, missing=1), item("smoker", equals="ja", points=4)], above=1
    )
    as_written = Reading(columns=READING.columns, as_written=("age", "smo*"))
    module: dict = {}
    exec(read_from_a_file(system, as_written).export("python"), module)
    assert module["total"]({"age": -99, "smoker": "JA"}) == 2
    assert module["total"]({"age": "NA", "smoker": "ja"}) == 5


@pytest.mark.parametrize("table", [dict, pd.DataFrame, pl.DataFrame])
def test_a_table_in_memory_is_read_as_the_training_rows_were(table):
    made = ScoringSystem.of(
        [item("age", below=0, points=2, missing=1), item("smoker", equals="ja", points=4, missing=0)],
        above=1,
        domains={"age": [50, 60], "smoker": ["ja", "nein"]},
    )
    rows = {"age": [-99, 50, -7, -1], "smoker": ["JA", "ja", "nein", "-9"]}
    people = [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]
    system = read_from_a_file(made)
    assert system.total(table(rows)).tolist() == [5, 4, 1, 2]
    assert [system.total(person) for person in people] == [5, 4, 1, 2]
    assert [system.explain(person).total for person in people] == [5, 4, 1, 2]
    assert [(one.column, one.value) for one in system.outside(table(rows))] == [("age", -1)]
    assert made.total(table(rows)).tolist() == [2, 4, 2, 2]  # by hand: it keeps no codes and no spellings


def test_a_card_made_by_hand_takes_texts_and_numbers_as_they_are():
    system = ScoringSystem.of([item("smoker", equals="ja", points=2, missing=1)], above=1)
    module: dict = {}
    exec(system.export("python"), module)
    assert [module["total"]({"smoker": cell}) for cell in ("ja", "Ja", "NA", "")] == [2, 0, 0, 1]
