"""Files as people have them, read as columns, and every fault named where it is."""

import gzip
import inspect
import io
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supersparse
from supersparse.errors import InvalidDataError, InvalidOptionError
from supersparse.table import collecting, csv_file
from supersparse.table.files import read_table
from supersparse.table.reading import Reading
from supersparse.table.table import Kind


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


def lists(table):
    return {name: column.values.tolist() for name, column in table.columns.items()}


def kinds(table):
    return [column.kind for column in table.columns.values()]


AWKWARD = b'\xef\xbb\xbf"age, years",bmi,smoker,ok\r\n"1",,yes,TRUE\r\n\r\n25, 22.5 ,"no, never",false\r\n'


def test_a_path_may_be_text(write):
    assert lists(read_table(str(write("age\n41\n")))) == {"age": [41]}


def test_a_bom_windows_line_ends_quoted_commas_blanks_and_empty_lines(write):
    table = read_table(write(AWKWARD))
    assert table.names == ("age, years", "bmi", "smoker", "ok")
    assert kinds(table) == [Kind.NUMBER, Kind.NUMBER, Kind.TEXT, Kind.TRUTH]
    found = lists(table)
    assert np.isnan(found.pop("bmi")).tolist() == [True, False]
    assert found == {"age, years": [1, 25], "smoker": ["yes", "no, never"], "ok": [True, False]}
    assert table.lines.tolist() == [2, 4]
    assert [column.n_missing for column in table.columns.values()] == [0, 1, 0, 0]


def test_the_same_table_comes_compressed_in_utf_16_and_from_standard_input(write, monkeypatch):
    text = AWKWARD.decode("utf-8-sig")
    expected = read_table(write(AWKWARD)).columns["smoker"].values.tolist()
    for path in (write(gzip.compress(AWKWARD), "data.csv.gz"), write(text.encode("utf-16"), "wide.csv")):
        assert read_table(path).columns["smoker"].values.tolist() == expected
    for content in (AWKWARD, gzip.compress(AWKWARD)):
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
        monkeypatch.setattr("sys.stdin", stdin)
        table = read_table(csv_file.Path("-"))
        assert table.columns["smoker"].values.tolist() == expected
        assert table.name == "standard input"
        assert not stdin.buffer.closed


@pytest.mark.parametrize(
    ("name", "separator", "note"),
    [
        ("data.csv", ",", ()),
        ("data.csv", ";", ("cells are separated by semicolons",)),
        ("data.txt", "|", ("cells are separated by bars",)),
        ("data.tsv", "\t", ("cells are separated by tabs",)),
        ("data.tab.gz", "\t", ("cells are separated by tabs",)),
    ],
)
def test_the_separator_is_seen(write, name, separator, note):
    content = f'a{separator}"x,y;z"\n1{separator}2\n'.encode()
    table = read_table(write(gzip.compress(content) if name.endswith(".gz") else content, name))
    assert lists(table) == {"a": [1], "x,y;z": [2]}
    assert table.notes == note


def test_a_separator_can_be_said_by_name(write):
    assert lists(read_table(write("a b\n1 2\n"), Reading.of(separator="space"))) == {"a": [1], "b": [2]}
    with pytest.raises(InvalidOptionError, match="separator is 'dot'; give one character"):
        Reading.of(separator="dot")
    with pytest.raises(InvalidOptionError, match="both ','"):
        Reading.of(separator=",", decimal=",")
    with pytest.raises(InvalidOptionError, match="unknown encoding 'utf-88'"):
        Reading.of(encoding="utf-88")


def test_decimal_commas_are_seen_and_noted(write):
    path = write("x;y\n1,5;1\n2;0\n")
    for reading in (Reading(), Reading.of(decimal=",")):
        assert lists(read_table(path, reading)) == {"x": [1.5, 2.0], "y": [1, 0]}
    assert "numbers have decimal commas, such as '1,5' in 'x'; use --decimal . if that is wrong" in (
        read_table(path).notes
    )


def test_missing_words_are_missing_and_more_can_be_named(write):
    path = write("n,t\nNA,null\n?,?\n 3 ,?\n4,x\n5,NA\n")
    table = read_table(path, Reading.of(na="?"))
    assert [np.isnan(v) for v in table.columns["n"].values] == [True, True, False, False, False]
    assert table.columns["t"].values.tolist() == [None, None, None, "x", None]
    kept = read_table(path, Reading.of(na="?", default_na=False), expected={"n": Kind.TEXT})
    assert kept.columns["t"].values.tolist() == ["null", None, None, "x", "NA"]


def test_whole_numbers_decimals_and_what_neither_holds_are_exact(write):
    long = "0.12345678901234567890123"
    found = lists(read_table(write(f"a,b,c,d\n1,0.1,{long},{2**70}\n-2,1e-3,1,2\n")))
    assert found == {"a": [1, -2], "b": [0.1, 1e-3], "c": [Fraction(long), 1], "d": [2**70, 2]}
    table = read_table(write(f"a,b\n{2**60},1\n,2\n"))
    assert lists(table) == {"a": [2**60, None], "b": [1, 2]}


NUMBERS = st.lists(
    st.one_of(
        st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.decimals(-9, 9, places=20), st.none()
    ),
    min_size=1,
).filter(lambda values: set(values) != {None})


@pytest.mark.parametrize("most_different", [2**16, 1])
@given(values=NUMBERS)
def test_numbers_are_read_exactly_coded_or_parsed(tmp_path_factory, most_different, values):
    path = tmp_path_factory.mktemp("numbers") / "data.csv"
    path.write_text("x,other\n" + "".join(f"{'' if v is None else v},\n" for v in values))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collecting, "MOST_DIFFERENT", most_different)
        patch.setattr(collecting, "_FEW", 1)
        patch.setattr(csv_file, "_CHUNK", 3)
        column = read_table(path).columns["x"]
    read = [None if v is None or v != v else Fraction(str(v)) for v in column.values.tolist()]
    assert read == [None if v is None else Fraction(str(v)) for v in values]
    assert column.n_missing == values.count(None)


@pytest.mark.parametrize("most_different", [2**16, 2])
def test_cells_in_the_way_are_counted_and_located_coded_or_parsed(write, monkeypatch, most_different):
    monkeypatch.setattr(collecting, "MOST_DIFFERENT", most_different)
    monkeypatch.setattr(csv_file, "_CHUNK", 4)
    path = write("bmi,x\n21,1\n22,2\n23,3\n24,4\nn/a,5\n25,6\nlow,-\nn/a,8\n")
    with pytest.raises(InvalidDataError) as caught:
        read_table(path, remedy=lambda na, name: f"treat as missing with --na {na}, or --drop {name}")
    assert str(caught.value) == (
        f"{path}: column 'bmi' has 3 non-numeric values: 'n/a' (2), 'low' (1), the first in line 6"
        "; column 'x' has 1 non-numeric value: '-' (1), the first in line 8; "
        "treat as missing with --na n/a,low,-, or --drop bmi"
    )


def test_a_text_column_with_too_many_different_cells_is_given_up_unless_asked_for(write, monkeypatch):
    monkeypatch.setattr(collecting, "MOST_DIFFERENT", 10)
    monkeypatch.setattr(csv_file, "_CHUNK", 7)
    path = write("a,b\n" + "".join(f"t{i},u{i}\n" for i in range(30)))
    table = read_table(path, expected={"b": Kind.TEXT})
    assert kinds(table) == [Kind.TOO_MANY, Kind.TEXT]
    assert table.columns["b"].values.tolist() == [f"u{i}" for i in range(30)]
    assert table.n_rows == 30


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "x", "y"], Kind.TEXT),
        (["", "NA"], Kind.EMPTY),
        (["true", "False", ""], Kind.TRUTH),
        (["2024-01-31", "2023-12-01"], Kind.DATE),
        (["2024-01-31T10:00:00Z", "2023-12-01 1:05"], Kind.DATE),
        (["31/1/24", "01.02.2023"], Kind.DATE),
        (["12:30", "9:05"], Kind.DATE),
        (["2024-01-31", "unknown"], Kind.TEXT),
        (["1e5", "-.5", "+3."], Kind.NUMBER),
    ],
)
def test_the_kind_is_seen_from_the_cells(write, cells, kind):
    path = write("x,y\n" + "".join(f"{cell},0\n" for cell in cells))
    assert read_table(path).columns["x"].kind is kind


def test_an_expected_kind_goes_before_what_cells_look_like(write):
    path = write("a,b\n1,true\n2,false\n")
    table = read_table(path, expected={"a": Kind.TEXT, "b": Kind.NUMBER})
    assert lists(table) == {"a": ["1", "2"], "b": [True, False]}
    with pytest.raises(InvalidDataError, match="column 'a' has 2 non-numeric values"):
        read_table(write("a\nx\ny\n"), expected={"a": Kind.NUMBER})


def test_only_the_columns_that_are_wanted_are_read(write):
    table = read_table(write("a,b\n1,x\n2,3\n4,5\n"), wanted="a".__eq__)
    assert list(table.columns) == ["a"]
    assert table.names == ("a", "b")
    with pytest.raises(InvalidDataError, match="has no column 'A' that is needed; did you mean 'a'"):
        table.column("A", "column {name} that is needed")


def test_a_column_without_a_name_gets_one(write):
    table = read_table(write(",a,\n0,1,\n1,2,\n"))
    assert table.names == ("column 1", "a", "column 3")
    assert kinds(table)[2] is Kind.EMPTY
    assert "column 3 has no name" in table.notes[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty; its first line must name the columns"),
        ("a,y\n", "has a header but 0 rows"),
        ("a,a,y\n1,2,0\n", "columns 1 and 2 are both called 'a'"),
        ("a,y\n1,0\n2\n", "line 3: 1 cell.* where the header has 2"),
        ("a,y\n1,0\n2,3,4\n", "line 3: 3 cell.* a comma that is not in quotes"),
        ('name,y\n"two\nlines",1\nb,0\nc\n', "line 5: 1 cell"),
        (b"a,y\n\xff\x00,0\n", "not UTF-8 text .*--encoding cp1252"),
        ('a,y\n"1,0\n', "line .*quote left open"),
        ("hello world\n", "is not a table: it is one line of text, 'hello world'"),
        ("%PDF-1.4\n", "is a PDF document, not a table; save the table as CSV"),
        ("\0" * 300, "is not a table: its first line holds NUL characters"),
        (b"PK\x03\x04rest", "is a workbook or a zip archive"),
        (gzip.compress(b"PAR1rest", mtime=0), "holds a Parquet file; unpack it"),
        (gzip.compress(b"a,y\n" + b"1,0\n" * 9999, mtime=0)[:60], "is damaged"),
        ("a,y\n1,0\nn/a,1\n2,1\n3,1", r"'n/a' \(1\), the first in line 3"),
        ("a,y\n1,0\ninf,0\n1,1\n", r"'inf' \(1\)"),
        ("a,y\n1_000,0\n1,1\n", r"'1_000' \(1\)"),
        ("a,y\n\uff11,0\n1,1\n", "1 non-numeric value"),
        ("a,y\n1e,0\n1,1\n", r"'1e' \(1\)"),
        ("a,y\n1e99999999,0\n1,1\n", r"'1e99999999' \(1\)"),
        ('a,y\n"1,000",0\n1,1\n', "could mean 1000 or 1.000; use --decimal . for 1000, or"),
    ],
)  # fmt: skip
def test_faults_are_named(write, content, message):
    with pytest.raises(InvalidDataError, match=message) as caught:
        read_table(write(content))
    assert "data.csv" in str(caught.value)


def test_a_path_without_a_file_is_named(write, tmp_path):
    write("a\n1\n", "patients.csv")
    with pytest.raises(InvalidDataError, match=r"there is no file '.*patient.csv'; did you mean '.*patients.csv'"):
        read_table(tmp_path / "patient.csv")
    with pytest.raises(InvalidDataError, match="is a folder; name a file in it"):
        read_table(tmp_path)


def test_other_encodings_can_be_said(write):
    path = write("größe,y\n1,ä\n".encode("cp1252"))
    assert lists(read_table(path, Reading.of(encoding="cp1252"))) == {"größe": [1], "y": ["ä"]}
    with pytest.raises(InvalidDataError, match="is not ascii text"):
        read_table(path, Reading.of(encoding="ascii"))


def test_a_misspelt_name_is_told_before_the_faults_of_other_columns(write):
    path = write(b"bmi,outcome\n21.5,0\nn/a,1\n23,1\n24,0\n")
    with pytest.raises(InvalidDataError, match=r"has no column 'outcom'; did you mean 'outcome'"):
        read_table(path, expected={"outcom": Kind.TEXT})


def test_a_header_of_a_million_columns_is_refused_at_once(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{j}" for j in range(200_001)) + "\n" + ",".join(["1"] * 200_001) + "\n")
    with pytest.raises(InvalidDataError, match="200,001 columns, and at most 200,000 can be read"):
        read_table(path)


def test_a_misspelt_keyword_of_read_table_is_refused_and_the_known_ones_are_shown(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a;b\n1;2\n")
    with pytest.raises(TypeError, match="unexpected keyword argument 'seperator'"):
        supersparse.read_table(path, seperator=";")
    assert {"wanted", "expected", "weights"} <= set(inspect.signature(supersparse.read_table).parameters)
