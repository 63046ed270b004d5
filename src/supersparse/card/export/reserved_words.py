"""Reserved words of SQL: a column that is called by one needs quotes, also where plain names have none.

In PostgreSQL and Snowflake a name in quotes is taken letter by letter, and one without is not, so these have
lists of their own. Elsewhere quotes change nothing, and the words of all databases count.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


POSTGRES = _words("""
    all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate
    collation column concurrently constraint create cross current_catalog current_date current_role
    current_schema current_time current_timestamp current_user default deferrable desc distinct do else
    end except false fetch for foreign freeze from full grant group having ilike in initially inner
    intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not
    notnull null offset on only or order outer overlaps placing primary references returning right select
    session_user similar some symmetric system_user table tablesample then to trailing true union unique
    user using variadic verbose when where window with
""")

SNOWFLAKE = _words("""
    all alter and any as between by case cast check column connect constraint create cross current
    current_date current_time current_timestamp current_user delete distinct drop else exists false
    following for from full grant group having ilike in increment inner insert intersect into is join
    lateral left like localtime localtimestamp minus natural not null of on or order qualify regexp revoke
    right rlike row rows sample select set some start table tablesample then to trigger true try_cast
    union unique update using values when whenever where with
""")

_SQL_SERVER = _words("""
    add all alter and any as asc authorization backup begin between break browse bulk by cascade case
    check checkpoint close clustered coalesce collate column commit compute constraint contains
    containstable continue convert create cross current current_date current_time current_timestamp
    current_user cursor database dbcc deallocate declare default delete deny desc disk distinct
    distributed double drop dump else end errlvl escape except exec execute exists exit external fetch
    file fillfactor for foreign freetext freetexttable from full function goto grant group having holdlock
    identity identity_insert identitycol if in index inner insert intersect into is join key kill left
    like lineno load merge national nocheck nonclustered not null nullif of off offsets on open
    opendatasource openquery openrowset openxml option or order outer over percent pivot plan precision
    primary print proc procedure public raiserror read readtext reconfigure references replication restore
    restrict return revert revoke right rollback rowcount rowguidcol rule save schema securityaudit select
    semantickeyphrasetable semanticsimilaritydetailstable semanticsimilaritytable session_user set setuser
    shutdown some statistics system_user table tablesample textsize then to top tran transaction trigger
    truncate try_convert tsequal union unique unpivot update updatetext use user values varying view
    waitfor when where while with within writetext
""")

_BIGQUERY = _words("""
    all and any array as asc assert_rows_modified at between by case cast collate contains create cross
    cube current default define desc distinct else end enum escape except exclude exists extract false
    fetch following for from full graph_table group grouping groups hash having if ignore in inner
    intersect interval into is join lateral left like limit lookup merge natural new no not null nulls of
    on or order outer over partition preceding proto qualify range recursive respect right rollup rows
    select set some struct tablesample then to treat true unbounded union unnest using when where window
    with within
""")

_SQLITE_AND_DUCKDB = _words("""
    add anti asof autoincrement commit cross current_date delete describe drop escape exists glob index
    insert lambda nothing pivot pivot_longer pivot_wider positional raise semi set show summarize
    transaction unpack unpivot update values
""")

ANY = POSTGRES | SNOWFLAKE | _SQL_SERVER | _BIGQUERY | _SQLITE_AND_DUCKDB
