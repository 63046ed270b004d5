"""The SQL expression, run in SQLite and DuckDB, agrees with the card; what it refuses is NULL."""

import sqlite3
from contextlib import closing

import pytest

from export.people import drawn, label, reference
from supersparse import ScoringSystem, item
from supersparse.errors import InvalidOptionError, UnsupportedCardError
from supersparse.export.sql import to_sql


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def in_sqlite(card, texts, group):
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"create table people (id, {', '.join(map(quoted, card.columns))})")
        return run(base.execute, base.executemany, "sqlite", card, group)


@pytest.fixture(scope="session")
def duckdb():
    return pytest.importorskip("duckdb", reason="duckdb is not installed")


def in_duckdb(duckdb, card, texts, group):
    base = duckdb.connect()
    types = [f"{quoted(c)} {'VARCHAR' if c in texts else 'DOUBLE'}" for c in card.columns]
    base.execute(f"create table people (id integer, {', '.join(types)})")
    return run(base.execute, base.executemany, "duckdb", card, group)


def run(execute, executemany, dialect, card, group):
    marks = ", ".join("?" * (1 + len(card.columns)))
    executemany(f"insert into people values ({marks})", [(i, *p.values()) for i, p in enumerate(group)])
    expressions = ", ".join(to_sql(card, dialect=dialect, gives=g) for g in ("score", "class"))
    return execute(f"select {expressions} from people order by id").fetchall()


def check(card, group, rows):
    for person, (score, given_class) in zip(group, rows, strict=True):
        expected = reference(card, person)
        if expected is None:
            assert (score, given_class) == (None, None), person
        else:
            assert float(score) == pytest.approx(float(expected), rel=1e-12, abs=1e-12), person
            assert float(score) > 0 if expected > 0 else float(score) <= 0
            assert given_class == label(card, expected) or float(given_class) == label(card, expected)


def test_sqlite_agrees_with_the_card():
    for card, texts, group in drawn():
        check(card, group, in_sqlite(card, texts, group))


def test_duckdb_agrees_with_the_card(duckdb):
    for card, texts, group in drawn():
        check(card, group, in_duckdb(duckdb, card, texts, group))


def simple(**options):
    return ScoringSystem.of(
        [item("x", points=3), item("y", at_least=0.1, points=-2), item("z", equals="F", points=1, missing=0)],
        threshold=4,
        **options,
    ).card


def test_text_where_sqlite_should_hold_numbers_is_refused():
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("create table t as select '2' x, 0.1 y, 'F' z")
        assert base.execute(f"select {to_sql(simple())} from t").fetchone() == (None,)


def test_a_column_that_sqlite_lacks_is_an_error_and_not_a_text():
    missing = pytest.raises(sqlite3.OperationalError, match="no such column: z")
    with closing(sqlite3.connect(":memory:")) as base, missing:
        base.execute(f"select {to_sql(simple())} from (select 1 x, 2 y)")


def test_whole_columns_give_a_short_expression():
    card = ScoringSystem.of([item("x", points=3)], threshold=4, domains={"x": [0, 1]}).card
    assert "3 * `x` + -4" in to_sql(card, gives="score", dialect="sqlite")


@pytest.mark.parametrize("kind", ["TINYINT", "INTEGER", "BIGINT", "FLOAT", "DECIMAL(9, 3)"])
def test_duckdb_takes_every_type_of_number(duckdb, kind):
    base = duckdb.connect()
    expression = to_sql(simple(), dialect="duckdb", gives="score", table="t")
    found = base.execute(
        f"select {expression} from (select cast(1 as {kind}) x, cast(0 as {kind}) y, null z) t"
    ).fetchone()
    assert found == (-1,)


def test_booleans_are_numbers(duckdb):
    card = ScoringSystem.of([item("x", points=3), item("y", equals=True, points=1)], threshold=3).card
    for base, dialect in ((duckdb.connect(), "duckdb"), (sqlite3.connect(":memory:"), "sqlite")):
        expression = to_sql(card, dialect=dialect, gives="score")
        with closing(base):
            assert base.execute(f"select {expression} from (select true x, true y)").fetchone() == (1,)


def test_duckdb_does_not_score_numbers_kept_as_text(duckdb):
    expression = to_sql(simple(), dialect="duckdb")
    found = duckdb.connect().execute(f"select {expression} from (select '2' x, 1 y, 'F' z)").fetchone()
    assert found == (None,)


@pytest.mark.parametrize("kind", ["VARCHAR", "DOUBLE"])
def test_a_column_asked_only_whether_it_is_missing_may_hold_anything(duckdb, kind):
    card = ScoringSystem.of([item("x", is_missing=True, points=1)], threshold=0).card
    value = "'nan'" if kind == "VARCHAR" else "'nan'::DOUBLE"
    found = (
        duckdb.connect()
        .execute(f"select {to_sql(card, dialect='duckdb')} from (select {value} x)")
        .fetchone()
    )
    assert found == ("no" if kind == "VARCHAR" else "yes",)


def test_what_sql_cannot_say_is_refused_by_name():
    mixed = ScoringSystem.of([item("grade", one_of=["II", 3], points=1)], threshold=0).card
    with pytest.raises(UnsupportedCardError, match=r"grade.*both text and numbers"):
        to_sql(mixed)
    large = ScoringSystem.of([item("id", equals=2**70, points=1)], threshold=0).card
    with pytest.raises(UnsupportedCardError, match=r"item 'id = 1180591620717411303424'"):
        to_sql(large)
    twice = ScoringSystem.of([item("Age", points=1), item("age", points=1)], threshold=0).card
    with pytest.raises(UnsupportedCardError, match="'Age' and 'age' are the same name"):
        to_sql(twice)
    null = ScoringSystem.of([item("a\x00b", points=1)], threshold=0).card
    with pytest.raises(UnsupportedCardError, match="does not support"):
        to_sql(null)
    with pytest.raises(InvalidOptionError, match="did you mean 'sqlite'"):
        to_sql(simple(), dialect="sqlite3")
    with pytest.raises(InvalidOptionError, match="not a column"):
        to_sql(simple(), decimals={"X": 2})
