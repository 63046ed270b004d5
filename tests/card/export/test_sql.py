"""SQL agrees with the card: run in SQLite, DuckDB and PostgreSQL, and for the other dialects through sqlglot.

sqlglot parses each dialect by its own grammar and translates it to DuckDB. What a database does in its own
way (SQL Server's collations, JSON of BigQuery) is replaced by a macro that does what its manual says.
"""

import json
import sqlite3
import subprocess
from contextlib import closing, suppress

import pytest

from card.export.people import as_typed, check, drawn, finite
from programs import command, needs, node_environment
from supersparse import ScoringSystem, item
from supersparse.card.export.dialects import DIALECTS
from supersparse.card.export.sql import to_sql
from supersparse.card.risk import LogisticRisk
from supersparse.errors import InvalidOptionError, UnsupportedCardError

TRANSLATED = ["postgres", "tsql", "bigquery", "snowflake"]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def expressions(card, dialect):
    """What `to_sql` gives for a row; a risk that needs a query is left out."""
    found = {gives: to_sql(card, dialect=dialect, gives=gives) for gives in ("total", "class")}
    if card.risk is not None:
        with suppress(UnsupportedCardError):
            found["risk"] = to_sql(card, dialect=dialect, gives="risk")
    return found


def query(card, dialect):
    return to_sql(card, dialect=dialect, gives="all", table="main.people", keep="id")


def check_rows(card, group, run, dialect):
    """Run the expressions and the query; `run` takes a select without its end."""
    found = expressions(card, dialect)
    rows = run("SELECT " + ",\n".join(f"{text} AS {name}" for name, text in found.items()) + "\nFROM people")
    whole = run(query(card, dialect))
    for person, row, (_, total, given_class, *risk) in zip(group, rows, whole, strict=True):
        check(as_typed(card), person, total, given_class, *risk)
        same = dict(zip(found, row, strict=True))
        assert (same["total"], same["class"]) == (total, given_class)
        if "risk" in same:
            assert same["risk"] == risk[0]


def test_sqlite_agrees_with_the_card():
    for card, _, group in drawn():
        with closing(sqlite3.connect(":memory:")) as base:
            base.execute(f"create table people (id, {', '.join(map(quoted, card.columns))})")
            fill(base.executemany, card, group)
            check_rows(card, group, rows_of(base), "sqlite")


def rows_of(base):
    return lambda text: base.execute(f"{text} ORDER BY id").fetchall()


@pytest.fixture(scope="session")
def duckdb():
    return pytest.importorskip("duckdb", reason="duckdb is not installed")


def duckdb_table(duckdb, card, texts, group):
    base = duckdb.connect()
    types = [f"{quoted(c)} {'VARCHAR' if c in texts else 'DOUBLE'}" for c in card.columns]
    base.execute(f"create table people (id integer, {', '.join(types)})")
    fill(base.executemany, card, group)
    return base


def fill(executemany, card, group):
    marks = ", ".join("?" * (1 + len(card.columns)))
    executemany(f"insert into people values ({marks})", [(i, *p.values()) for i, p in enumerate(group)])


def test_duckdb_agrees_with_the_card(duckdb):
    for card, texts, group in drawn():
        base = duckdb_table(duckdb, card, texts, group)
        check_rows(card, group, rows_of(base), "duckdb")


MACROS = """
create macro to_jsonb(x) as
  case when typeof(x) = 'VARCHAR' or isnan(try_cast(x as double)) or isinf(try_cast(x as double))
  then '"' || replace(replace(cast(x as varchar), 'nan', 'NaN'), 'inf', 'Infinity') || '"'
  else cast(x as varchar) end;
create macro to_json_string(x) as to_jsonb(x);
create macro format_t(x) as
  case when typeof(x) = 'VARCHAR' then '"' || x || '"'
  when isnan(try_cast(x as double)) then 'CAST("nan" AS FLOAT64)' else cast(x as varchar) end;
create macro pg_typeof(x) as case when typeof(x) = 'DOUBLE' then 'double precision' else 'text' end;
create macro system_typeof(x) as case when typeof(x) = 'DOUBLE' then 'FLOAT[DOUBLE]' else 'VARCHAR' end;
"""


def in_duckdb(text, dialect):
    """Translate a statement; it must be read to its end by the grammar of its own dialect."""
    sqlglot = pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    from sqlglot import exp

    tree = sqlglot.parse_one(text.replace("SYSTEM$TYPEOF", "SYSTEM_TYPEOF"), read=dialect)

    def replaced(node):
        if isinstance(node, exp.Collate):  # binary in SQL Server, as in DuckDB
            return node.this
        if isinstance(node, exp.Format) or (isinstance(node, exp.Anonymous) and node.name == "FORMAT"):
            return exp.Anonymous(this="format_t", expressions=[node.expressions[-1]])
        return node

    return tree.transform(replaced).sql(dialect="duckdb", unsupported_level=sqlglot.ErrorLevel.RAISE)


@pytest.mark.long
@pytest.mark.parametrize("dialect", TRANSLATED)
def test_other_dialects_agree_with_the_card_when_translated(duckdb, dialect):
    agreed = 0
    for card, texts, drawn_group in drawn()[:20]:  # sqlglot takes its time
        group = without_special_floats(drawn_group) if dialect == "tsql" else drawn_group
        base = duckdb_table(duckdb, card, texts, group)
        base.execute(MACROS)

        def run(text, base=base):
            return base.execute(f"{in_duckdb(text, dialect)} ORDER BY id").fetchall()

        with suppress(UnsupportedCardError):  # names that BigQuery does not take
            check_rows(card, group, run, dialect)
            agreed += 1
    assert agreed > 5


def without_special_floats(group):
    """SQL Server has neither infinite numbers nor NaN."""
    return [{n: None if v != v else v for n, v in person.items()} for person in finite(group)]


# PostgreSQL compiled for node: `make test-programs` installs it.
POSTGRES = """
const { PGlite } = require("@electric-sql/pglite");
(async () => {
  const base = new PGlite();
  const out = [];
  for (const { create, insert, rows, selects } of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
    await base.exec("drop schema if exists main cascade; create schema main; set search_path = main");
    await base.exec(create);
    for (const row of rows) await base.query(insert, row);
    const found = [];
    for (const text of selects) found.push((await base.query(text, [], { rowMode: "array" })).rows);
    out.push(found);
  }
  console.log(JSON.stringify(out));
})();
"""


@pytest.fixture(scope="session")
def postgres():
    def run(jobs):
        done = subprocess.run(
            [command("node"), "-e", POSTGRES],
            input=json.dumps(jobs),
            capture_output=True,
            text=True,
            env=node_environment(),
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@needs("PGlite, which is PostgreSQL for node,")
def test_postgres_agrees_with_the_card(postgres):
    jobs, made = [], []
    for card, texts, group in drawn():
        types = [f"{quoted(c)} {'text' if c in texts else 'double precision'}" for c in card.columns]
        selects = ["SELECT " + ",\n".join(expressions(card, "postgres").values()) + "\nFROM people"]
        rows = [
            [i, *(str(v) if isinstance(v, float) else v for v in person.values())] for i, person in enumerate(group)
        ]
        marks = ", ".join(f"${n}" for n in range(1, len(card.columns) + 2))
        jobs.append(
            {
                "create": f"create table people (id integer, {', '.join(types)})",
                "insert": f"insert into people values ({marks})",
                "rows": rows,
                "selects": [f"{text} ORDER BY id" for text in (*selects, query(card, "postgres"))],
            }
        )
        made.append((card, group))
    for (card, group), found in zip(made, postgres(jobs), strict=True):
        check_rows(card, group, _in_turn(found), "postgres")


def _in_turn(results):
    left = iter(results)
    return lambda text: next(left)


@needs("PGlite, which is PostgreSQL for node,")
def test_postgres_takes_yes_or_no_in_every_type(postgres):
    expression = to_sql(yes_no(), dialect="postgres", gives="total")
    kinds = ["boolean", "integer", "double precision", "numeric(5, 2)"]
    jobs = [
        {
            "create": f'create table people (id integer, "y" {kind})',
            "insert": "insert into people values ($1, $2)",
            "rows": [[0, "0"], [1, "1"], [2, None], *([] if kind == "boolean" else [[3, "2"]])],
            "selects": [f"SELECT {expression} FROM people ORDER BY id"],
        }
        for kind in kinds
    ]
    for kind, (found,) in zip(kinds, postgres(jobs), strict=True):
        assert found == [[0], [3], [None], *([] if kind == "boolean" else [[None]])]


def yes_no():
    return ScoringSystem.of(
        [item("y", equals=True, points=3)], above=2, domains={"y": [False, True]}, outside="refuse"
    ).card


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_text_names_its_dialect_and_stands_on_several_lines(dialect):
    card = simple(title="Some card\n; drop table people")
    for gives in ("class", "total", "all"):
        text = to_sql(card, dialect=dialect, gives=gives, table="people")
        first, second, *rest = text.splitlines()
        assert first.startswith("-- Scoring system: Some card")
        assert f"-- Dialect: {DIALECTS[dialect].title}." in second
        assert len(rest) > 8
        assert "--" not in text.splitlines()[-1]  # whatever follows is not a comment


def test_values_with_more_decimals_than_declared_are_not_rounded():
    card = ScoringSystem.of([item("x", points=1)], above=0).card
    with closing(sqlite3.connect(":memory:")) as base:
        text = to_sql(card, gives="all", table="t")
        base.execute("create table t as select 4e-7 x")
        assert base.execute(text).fetchone() == (4e-7, 4e-7, "yes")


def test_texts_are_escaped_as_each_dialect_does():
    texts = {name: dialect.text("it's a\\\n") for name, dialect in DIALECTS.items()}
    assert texts["sqlite"] == texts["duckdb"] == texts["postgres"] == "'it''s a\\\n'"
    assert texts["tsql"] == "N'it''s a\\' + N'\n'"  # a backslash would swallow the end of the line
    assert texts["bigquery"] == r"'it\'s a\\\n'"
    assert texts["snowflake"] == "'it''s a\\\\\n'"


def test_sql_server_compares_texts_letter_by_letter():
    card = ScoringSystem.of([item("z", equals="F ", points=1)], above=0).card
    assert "CONCAT([z], N'|') COLLATE Latin1_General_100_BIN2 = N'F |'" in to_sql(card, dialect="tsql")


def test_a_sum_beyond_32_bits_is_a_sum_of_64(duckdb):
    card = ScoringSystem.of([item(n, at_least=0, points=2e9) for n in ("x", "y")], above=0).card
    text = to_sql(card, dialect="duckdb", gives="total")
    assert duckdb.connect().execute(f"select {text} from (select 1 x, 1 y)").fetchone() == (4 * 10**9,)


def test_plain_names_need_no_quotes():
    assert " z " in to_sql(simple(), quoted=False)
    card = ScoringSystem.of([item("two words", points=1)], above=0).card
    assert '"two words"' in to_sql(card, dialect="snowflake", quoted=False)


def test_reserved_words_keep_their_quotes(duckdb):
    names = ["order", "Group", "user", "index", "left", "values", "Table", "age"]
    card = ScoringSystem.of([item(name, at_least=1, points=1) for name in names], above=2).card
    marked = ", ".join(f'1 as "{name}"' for name in names)
    for base, dialect in ((duckdb.connect(), "duckdb"), (sqlite3.connect(":memory:"), "sqlite")):
        with closing(base):
            base.execute(f"create table people as select {marked}")
            text = to_sql(card, dialect=dialect, gives="all", table="people", keep="order", quoted=False)
            assert base.execute(text).fetchone() == (1, len(names), "yes")
            assert " source.age " in text


def test_only_reserved_words_are_taken_letter_by_letter_where_quotes_do_that():
    card = ScoringSystem.of([item(n, points=1) for n in ("order", "index", "user")], above=0).card
    text = to_sql(card, dialect="snowflake", quoted=False)  # USER is no reserved word there
    assert [f'"{n}"' in text for n in ("order", "index", "user")] == [True, False, False]
    text = to_sql(card, dialect="postgres", quoted=False)
    assert [f'"{n}"' in text for n in ("order", "index", "user")] == [True, False, True]


def test_a_risk_of_too_many_totals_needs_a_query(duckdb):
    card = ScoringSystem.of([item("x", points=1)], above=0, risk=LogisticRisk(slope=1.0, offset=0.0)).card
    with pytest.raises(UnsupportedCardError, match="gives='all'"):
        to_sql(card, gives="risk", dialect="duckdb")
    base = duckdb.connect()
    base.execute("create table t as select unnest([-10000, 0, 10000]) x")
    found = base.execute(to_sql(card, gives="all", table="t", dialect="duckdb", keep=()))
    assert found.fetchall() == [(-10000, "no", 0.0), (0, "no", 0.5), (10000, "yes", 1.0)]


def simple(**options):
    return ScoringSystem.of(
        [item("x", points=3), item("y", at_least=0.1, points=-2), item("z", equals="F", points=1, missing=0)],
        above=4,
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
    card = ScoringSystem.of([item("x", points=3)], above=4, domains={"x": [0, 1]}).card
    assert "3 * CAST(`x` AS REAL)  --" in to_sql(card, gives="total", dialect="sqlite")


@pytest.mark.parametrize("kind", ["TINYINT", "INTEGER", "BIGINT", "FLOAT", "DECIMAL(9, 3)"])
def test_duckdb_takes_every_type_of_number(duckdb, kind):
    base = duckdb.connect()
    expression = to_sql(simple(), dialect="duckdb", gives="total", table="t")
    found = base.execute(
        f"select {expression} from (select cast(1 as {kind}) x, cast(0 as {kind}) y, null z) t"
    ).fetchone()
    assert found == (3,)


def test_duckdb_reads_numbers_of_32_bits_as_the_card_does(duckdb):
    import numpy as np

    base = duckdb.connect()
    for k in range(1, 60):
        system = ScoringSystem.of([item("x", points=1)], above=k / 100)
        text = system.export("sql", dialect="duckdb")
        found = base.execute(f"select {text} from (select cast({k / 100} as FLOAT) x)").fetchone()
        assert found == (system.predict({"x": np.float32(k / 100)}),) == ("no",)
    whole = ScoringSystem.of([item("x", points=3)], above=4, domains={"x": [0, 1, 0.7]}).card
    text = to_sql(whole, dialect="duckdb", gives="total")
    assert base.execute(f"select {text} from (select cast(0.7 as FLOAT) x)").fetchone() == (2.1,)


def test_booleans_are_numbers(duckdb):
    card = ScoringSystem.of([item("x", points=3), item("y", equals=True, points=1)], above=3).card
    for base, dialect in ((duckdb.connect(), "duckdb"), (sqlite3.connect(":memory:"), "sqlite")):
        expression = to_sql(card, dialect=dialect, gives="total")
        with closing(base):
            assert base.execute(f"select {expression} from (select true x, true y)").fetchone() == (4,)


def test_duckdb_does_not_score_numbers_kept_as_text(duckdb):
    expression = to_sql(simple(), dialect="duckdb")
    found = duckdb.connect().execute(f"select {expression} from (select '2' x, 1 y, 'F' z)").fetchone()
    assert found == (None,)


@pytest.mark.parametrize("kind", ["VARCHAR", "DOUBLE"])
def test_a_column_asked_only_whether_it_is_missing_may_hold_anything(duckdb, kind):
    card = ScoringSystem.of([item("x", is_missing=True, points=1)], above=0).card
    value = "'nan'" if kind == "VARCHAR" else "'nan'::DOUBLE"
    found = duckdb.connect().execute(f"select {to_sql(card, dialect='duckdb')} from (select {value} x)").fetchone()
    assert found == ("no" if kind == "VARCHAR" else "yes",)


def test_what_sql_cannot_say_is_refused_by_name():
    mixed = ScoringSystem.of([item("grade", one_of=["II", 3], points=1)], above=0).card
    with pytest.raises(UnsupportedCardError, match=r"grade.*both text and numbers"):
        to_sql(mixed)
    large = ScoringSystem.of([item("id", equals=2**70, points=1)], above=0).card
    with pytest.raises(UnsupportedCardError, match=r"item 'id = 1180591620717411303424'"):
        to_sql(large)
    twice = ScoringSystem.of([item("Age", points=1), item("age", points=1)], above=0).card
    with pytest.raises(UnsupportedCardError, match="'Age' and 'age' are the same name"):
        to_sql(twice)
    null = ScoringSystem.of([item("a\x00b", points=1)], above=0).card
    with pytest.raises(UnsupportedCardError, match="does not support"):
        to_sql(null)
    with pytest.raises(InvalidOptionError, match="did you mean 'sqlite'"):
        to_sql(simple(), dialect="sqlite3")
    with pytest.raises(InvalidOptionError, match="not a column"):
        to_sql(simple(), decimals={"X": 2})
    with pytest.raises(InvalidOptionError, match="table='people'"):
        to_sql(simple(), gives="all")
    with pytest.raises(UnsupportedCardError, match="called 'Total'"):
        to_sql(simple(), gives="all", table="t", keep="Total")
    with pytest.raises(UnsupportedCardError, match="no risks"):
        to_sql(simple(), gives="risk")
    dotted = ScoringSystem.of([item("a.b", points=1)], above=0).card
    with pytest.raises(UnsupportedCardError, match="BigQuery has no columns"):
        to_sql(dotted, dialect="bigquery")
