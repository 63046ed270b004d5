"""The SQL dialects: how each one writes names, texts and numbers, and tells what is missing.

A value is missing if it is NULL, NaN or the empty text, or stands for a missing value in the card's own file.
Texts are compared character by character, whatever the database does by default. SQLite has values of any
type in a column; the others have typed columns.
"""

import json
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files

from supersparse.base.errors import UnsupportedCardError
from supersparse.card.export.plan import ExportColumn

# Reserved words: a column that is called by one needs quotes. In PostgreSQL and Snowflake a name in quotes is
# taken letter by letter, and one without is not, so these have lists of their own. Elsewhere quotes change
# nothing, and the words of all databases count: those of SQL Server, BigQuery, SQLite and DuckDB as well.
_LISTS = json.loads(files("supersparse.card.export").joinpath("reserved_words.json").read_text(encoding="utf-8"))
_RESERVED = {database: frozenset(" ".join(lines).split()) for database, lines in _LISTS.items()}
LARGEST = "1.7976931348623157e308"
_NOT_IN_BIGQUERY = re.compile(r"""[!"$()*,./;?@\[\\\]^`{}~\x00-\x1f]""")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Dialect:
    """The parts that all dialects have; each overrides those it writes in another way."""

    name: str
    title: str
    double: str  # the type of floating-point numbers
    marks = ('"', '"')  # around names
    reserved = frozenset().union(*_RESERVED.values())  # the names that need them, in lower case

    def name_of(self, name: str, *, quoted: bool = True) -> str:
        """Return a name in quotes; with quoted=False, only if it is a reserved word or not a plain one."""
        if not quoted and _PLAIN_NAME.fullmatch(name) and name.lower() not in self.reserved:
            return name
        start, end = self.marks
        return start + name.replace(end, end * 2) + end

    def text(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def as_double(self, x: str) -> str:
        return f"CAST({x} AS {self.double})"

    def multiplied(self, x: str) -> str:
        """Return a number that points multiply as a double."""
        return self.as_double(x)

    def rounded(self, x: str) -> str:
        return f"ROUND({x})"

    def among(self, x: str, column: ExportColumn, values: Sequence[str | float], *, none: bool) -> str:
        """Whether a value is one of these, or none of them."""
        listed = [self.text(v) if isinstance(v, str) else number(v) for v in values]
        if not listed:
            return "1 = 1" if none else "1 = 0"
        return self._listed(x, listed, none)

    def missing(self, x: str, column: ExportColumn) -> str:
        """Whether a value is missing: there is none, or what stands for it."""
        return " OR ".join([self.empty(x, column), *self.coded(x, column)])

    def empty(self, x: str, column: ExportColumn) -> str:
        return f"{x} IS NULL OR {x} = ''" if column.is_text else f"{x} IS NULL"

    def coded(self, x: str, column: ExportColumn) -> list[str]:
        """Tests for what stands for a missing value, in texts or in numbers as the column has them."""
        if column.is_text:
            texts = column.missing_texts
            return [self.among(x, column, texts, none=False)] if texts else []
        if column.holds_anything:
            return self.coded_anything(x, column)
        return [self.coded_number(x, column)] if column.missing_numbers else []

    def coded_anything(self, x: str, column: ExportColumn) -> list[str]:
        """The same tests for a value of any type: as text, and as the number that the text holds."""
        text = self.as_text(x)
        return self._any_listed(
            (text, map(self.text, column.missing_texts)), (self.number_in(text), map(number, column.missing_numbers))
        )

    def coded_number(self, x: str, column: ExportColumn) -> str:
        return self.among(x, column, column.missing_numbers, none=False)

    def as_text(self, x: str) -> str:
        return f"CAST({x} AS VARCHAR)"

    def number_in(self, text: str) -> str:
        """Return the number that a text holds, NULL where it holds none."""
        return f"TRY_CAST({text} AS {self.double})"

    def infinite(self, x: str, column: ExportColumn) -> str | None:
        """Whether a number is infinite; None if the database holds no such number."""
        return None

    def wrong_type(self, x: str, column: ExportColumn) -> str | None:
        """Whether a value has a type that the card does not take; None if the database refuses it."""
        return None

    def _any_listed(self, *lists: tuple[str, Iterable[str]]) -> list[str]:
        return [self._listed(x, listed, False) for x, values in lists if (listed := list(values))]

    @staticmethod
    def _listed(x: str, listed: Sequence[str], none: bool) -> str:
        if len(listed) == 1:
            return f"{x} {'<>' if none else '='} {listed[0]}"
        return f"{x} {'NOT IN' if none else 'IN'} ({', '.join(listed)})"


class SQLite(Dialect):
    """Any column may hold values of any type, and a number is stored as it came."""

    name, title, double = "sqlite", "SQLite", "REAL"
    marks = ("`", "`")  # in double quotes, a column that does not exist would be a text

    def among(self, x: str, column: ExportColumn, values: Sequence[str | float], *, none: bool) -> str:
        """A column may be declared to ignore case."""
        return super().among(f"{x} COLLATE BINARY" if column.is_text else x, column, values, none=none)

    def empty(self, x: str, column: ExportColumn) -> str:
        """NaN is stored as NULL; an empty cell of a CSV file may be the empty text, also among numbers."""
        return f"{x} IS NULL OR {x} = ''"

    def coded(self, x: str, column: ExportColumn) -> list[str]:
        """Texts may stand among numbers."""
        if column.is_text:
            return super().coded(x, column)
        listed = [*map(self.text, column.missing_texts), *map(number, column.missing_numbers)]
        return self._any_listed((f"{x} COLLATE BINARY", listed))

    def infinite(self, x: str, column: ExportColumn) -> str | None:
        """SQLite has no function for it."""
        return f"ABS({x}) > {LARGEST}"

    def wrong_type(self, x: str, column: ExportColumn) -> str | None:
        """Numbers kept as text are not numbers."""
        kinds = "'text'" if column.is_text else "'integer', 'real'"
        return f"typeof({x}) NOT IN ({kinds})"


class DuckDB(Dialect):
    """Booleans compare with numbers; texts do, too, which the card does not do."""

    name, title, double = "duckdb", "DuckDB", "DOUBLE"

    def empty(self, x: str, column: ExportColumn) -> str:
        """NaN equals NaN here."""
        if column.is_text:
            return super().empty(x, column)
        if column.holds_anything:
            text = f"CAST({x} AS VARCHAR)"
            is_nan = f"(typeof({x}) IN ('DOUBLE', 'FLOAT') AND {text} = 'nan')"
            return f"{x} IS NULL OR {text} = '' OR {is_nan}"
        return f"{x} IS NULL OR isnan({self.as_double(x)})"

    def multiplied(self, x: str) -> str:
        """Of 32 bits, the double with the same shortest decimal: as the card reads them, 0.1 is 1/10."""
        shortest = self.as_double(f"CAST({x} AS VARCHAR)")
        return f"CASE WHEN typeof({x}) = 'FLOAT' THEN {shortest} ELSE {self.as_double(x)} END"

    def coded_number(self, x: str, column: ExportColumn) -> str:
        """A yes-or-no column may be BOOLEAN, and any number but 0 would be true there."""
        return super().coded_number(self.as_double(x) if column.yes_no else x, column)

    def infinite(self, x: str, column: ExportColumn) -> str | None:
        """Not NaN, which is missing."""
        return f"isinf({self.as_double(x)})"

    def wrong_type(self, x: str, column: ExportColumn) -> str | None:
        """Numbers kept as text are not numbers."""
        return None if column.is_text else f"typeof({x}) = 'VARCHAR'"


class _ComparedAsJson(Dialect):
    """Booleans do not compare with numbers: a yes-or-no column of either type is compared as JSON."""

    json: str  # the function

    def among(self, x: str, column: ExportColumn, values: Sequence[str | float], *, none: bool) -> str:
        """A yes-or-no column may be a boolean or a number."""
        if not column.yes_no:
            return super().among(x, column, values, none=none)
        forms = [form for v in values for form in (("true", "1", "1.0") if v else ("false", "0", "0.0"))]
        return self._listed(f"{self.json}({x})", list(map(self.text, forms)), none)

    def coded_number(self, x: str, column: ExportColumn) -> str:
        """A yes-or-no column may be a boolean."""
        if column.yes_no:
            return self._listed(f"{self.json}({x})", self.numbers_as_json(column), False)
        return super().coded_number(x, column)

    def numbers_as_json(self, column: ExportColumn) -> list[str]:
        """The numbers that stand for a missing value, as JSON writes them."""
        forms = [form for n in column.missing_numbers for form in dict.fromkeys((number(n), repr(n)))]
        return list(map(self.text, forms))

    def infinite(self, x: str, column: ExportColumn) -> str | None:
        """Infinite numbers are strings in JSON."""
        return f"{self.json}({x}) IN ('\"Infinity\"', '\"-Infinity\"')" if column.yes_no else None


class Postgres(_ComparedAsJson):
    name, title, double, json = "postgres", "PostgreSQL", "DOUBLE PRECISION", "to_jsonb"
    reserved = _RESERVED["postgres"]

    def among(self, x: str, column: ExportColumn, values: Sequence[str | float], *, none: bool) -> str:
        """A column of text may be an enumeration or ignore case; as TEXT it does neither."""
        return super().among(f"CAST({x} AS TEXT)" if column.is_text else x, column, values, none=none)

    def empty(self, x: str, column: ExportColumn) -> str:
        """NaN equals NaN here."""
        if column.is_text:
            return f"{x} IS NULL OR CAST({x} AS TEXT) = ''"
        if column.holds_anything:
            text = f"CAST({x} AS TEXT)"
            numbers = f"CAST(pg_typeof({x}) AS TEXT) IN ('double precision', 'real', 'numeric')"
            return f"{x} IS NULL OR {text} = '' OR ({text} = 'NaN' AND {numbers})"
        if column.yes_no:
            return f"{x} IS NULL OR to_jsonb({x}) = '\"NaN\"'"
        return f"{x} IS NULL OR {self.as_double(x)} = 'NaN'"

    def coded_anything(self, x: str, column: ExportColumn) -> list[str]:
        """No function says whether a text is a number; numbers of all types compare as JSON."""
        texts = map(self.text, column.missing_texts)
        return self._any_listed((f"CAST({x} AS TEXT)", texts), (f"to_jsonb({x})", self.numbers_as_json(column)))

    def infinite(self, x: str, column: ExportColumn) -> str | None:
        """Integers do not compare with 'Infinity'."""
        return super().infinite(x, column) or f"{self.as_double(x)} IN ('Infinity', '-Infinity')"


class SQLServer(Dialect):
    """Comparisons ignore case and blanks at the end: texts get a mark at the end and a binary collation."""

    name, title, double = "tsql", "SQL Server", "DOUBLE PRECISION"
    marks = ("[", "]")

    def text(self, text: str) -> str:
        """Return a Unicode literal; a backslash at the end of a line would join it with the next."""
        body = text.replace("'", "''")
        return "N'" + re.sub(r"\\(?=\r?\n)", r"\\' + N'", body) + "'"

    def rounded(self, x: str) -> str:
        """The number of places cannot be left out."""
        return f"ROUND({x}, 0)"

    def among(self, x: str, column: ExportColumn, values: Sequence[str | float], *, none: bool) -> str:
        """With a mark at its end, a text ends in no blank."""
        if not column.is_text:
            return super().among(x, column, values, none=none)
        marked = [f"{v}|" if isinstance(v, str) else v for v in values]
        return super().among(self._marked(x), column, marked, none=none)

    def empty(self, x: str, column: ExportColumn) -> str:
        """There is no NaN."""
        if column.is_text or column.holds_anything:
            return f"{x} IS NULL OR {self._marked(x)} = N'|'"
        return f"{x} IS NULL"

    def coded_anything(self, x: str, column: ExportColumn) -> list[str]:
        """With a mark at its end, a text ends in no blank."""
        return self._any_listed(
            (self._marked(x), (self.text(f"{text}|") for text in column.missing_texts)),
            (self.number_in(f"CONCAT({x}, N'')"), map(number, column.missing_numbers)),
        )

    @staticmethod
    def _marked(x: str) -> str:
        return f"CONCAT({x}, N'|') COLLATE Latin1_General_100_BIN2"


class BigQuery(_ComparedAsJson):
    """Strings have escapes."""

    name, title, double, json = "bigquery", "BigQuery", "FLOAT64", "TO_JSON_STRING"
    marks = ("`", "`")

    def name_of(self, name: str, *, quoted: bool = True) -> str:
        """A column cannot have every name here."""
        if _NOT_IN_BIGQUERY.search(name):
            raise UnsupportedCardError(f"BigQuery has no columns with names like {name!r}", "rename it")
        return super().name_of(name, quoted=quoted)

    def text(self, text: str) -> str:
        """A literal stands on one line."""
        escapes = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"}
        return "'" + "".join(escapes.get(c, c) for c in text) + "'"

    def empty(self, x: str, column: ExportColumn) -> str:
        """NaN does not equal NaN here."""
        if column.is_text:
            return super().empty(x, column)
        if column.holds_anything or column.yes_no:
            # of a text, '%T' would write the quotes as well
            return f"{x} IS NULL OR FORMAT('%T', {x}) IN ('\"\"', 'CAST(\"nan\" AS FLOAT64)')"
        return f"{x} IS NULL OR IS_NAN({self.as_double(x)})"

    def as_text(self, x: str) -> str:
        """STRING is the only type of text."""
        return f"CAST({x} AS STRING)"

    def number_in(self, text: str) -> str:
        """NULL instead of an error is safe here."""
        return f"SAFE_CAST({text} AS FLOAT64)"

    def infinite(self, x: str, column: ExportColumn) -> str | None:
        """Elsewhere there is a function for it."""
        return super().infinite(x, column) or f"IS_INF({self.as_double(x)})"


class Snowflake(Dialect):
    """Strings have escapes."""

    name, title, double = "snowflake", "Snowflake", "DOUBLE"
    reserved = _RESERVED["snowflake"]

    def text(self, text: str) -> str:
        """A backslash begins an escape."""
        return super().text(text.replace("\\", "\\\\"))

    def among(self, x: str, column: ExportColumn, values: Sequence[str | float], *, none: bool) -> str:
        """A yes-or-no column may be BOOLEAN, which becomes NUMBER and not DOUBLE."""
        return super().among(f"CAST({x} AS NUMBER(38, 12))" if column.yes_no else x, column, values, none=none)

    def empty(self, x: str, column: ExportColumn) -> str:
        """NaN equals NaN here."""
        if column.is_text:
            return super().empty(x, column)
        if column.holds_anything or column.yes_no:
            text = f"CAST({x} AS VARCHAR)"
            is_nan = f"({text} = 'NaN' AND SYSTEM$TYPEOF({x}) LIKE 'FLOAT%')"
            return f"{x} IS NULL OR {text} = '' OR {is_nan}"
        return f"{x} IS NULL OR {self.as_double(x)} = CAST('NaN' AS DOUBLE)"

    def infinite(self, x: str, column: ExportColumn) -> str | None:
        """A yes-or-no column that is infinite does not become NUMBER: the database raises."""
        if column.yes_no:
            return None
        return f"{self.as_double(x)} IN (CAST('inf' AS DOUBLE), CAST('-inf' AS DOUBLE))"


DIALECTS = {d.name: d for d in (SQLite(), DuckDB(), Postgres(), SQLServer(), BigQuery(), Snowflake())}


def number(value: float) -> str:
    """Return a number literal; a whole number has no decimal point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))
