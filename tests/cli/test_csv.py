"""CSV files as people have them, and every fault named where it is."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.cli.cells import number_columns, number_matrix
from supersparse.cli.csv_table import read_csv
from supersparse.cli.training import read_training
from supersparse.errors import InvalidDataError


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


def training(path, *, target="y", drop=(), positive=None):
    return read_training(path, target=target, drop=drop, positive=positive)


def test_a_bom_windows_line_ends_quotes_and_blank_lines(write):
    data = training(write(b'\xef\xbb\xbf"age, years",y\r\n"1",no\r\n2.5,yes\r\n\r\n'))
    assert data.names == ("age, years",)
    assert data.X.tolist() == [[1.0], [2.5]]
    assert data.y.tolist() == ["no", "yes"]


def test_a_quoted_line_break_keeps_later_line_numbers_right(write):
    with pytest.raises(InvalidDataError, match="line 5: 1 cell"):
        read_csv(write('name,y\n"two\nlines",1\nb,0\nc\n'))


def test_whole_numbers_decimals_and_what_neither_holds_are_exact(write):
    long = "0.12345678901234567890123"
    data = training(write(f"a,b,c,d,y\n1,0.1,{long},{2**70},0\n-2,1e-3,1,2,1\n"))
    assert data.X.dtype == object
    assert data.X[0].tolist() == [1, 0.1, Fraction(long), 2**70]
    assert training(write("a,b,y\n1,2,0\n3,4,1\n")).X.dtype == np.int64
    assert training(write("a,b,y\n1,0.1,0\n3,4,1\n")).X.dtype == np.float64


@given(
    st.lists(
        st.one_of(
            st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.decimals(-9, 9, places=20)
        ),
        min_size=1,
    )
)
def test_numbers_are_read_exactly(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("numbers") / "data.csv"
    path.write_text("x,other\n" + "".join(f"{v},\n" for v in values))
    (column,) = number_columns(read_csv(path), ["x"], "")
    assert [Fraction(str(v)) for v in number_matrix([column])[:, 0].tolist()] == [
        Fraction(str(v)) for v in values
    ]


def test_integer_labels_are_integers_and_others_stay_as_written(write):
    assert training(write("a,y\n1,0\n2,1\n")).y.tolist() == [0, 1]
    assert training(write("a,y\n1,00\n2,1\n")).y.tolist() == ["00", "1"]
    assert training(write("a,y\n1,0.0\n2,1.0\n")).y.tolist() == ["0.0", "1.0"]


def test_the_positive_class_may_be_named(write):
    training(write("a,y\n1,2\n2,10\n"), positive="2")
    with pytest.raises(
        InvalidDataError, match=r"--positive '3' is not a value of the target 'y'; .* '2' and '10'"
    ):
        training(write("a,y\n1,2\n2,10\n"), positive="3")


def test_columns_can_be_left_out(write):
    path = write("id,a,y\nx,1,0\ny,2,1\n")
    assert training(path, drop=["id"]).names == ("a",)
    with pytest.raises(InvalidDataError, match="no column 'idd' to drop; did you mean 'id'"):
        training(path, drop=["idd"])
    with pytest.raises(InvalidDataError, match="no column left"):
        training(path, drop=["id", "a"])
    with pytest.raises(InvalidDataError, match="cannot be dropped"):
        training(path, drop=["y"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty; its first line must name the columns"),
        ("a,y\n", "has a header but 0 rows"),
        ("a,Y\n1,0\n", "no target column 'y'; did you mean 'Y'"),
        ("a,outcome\n1,0\n", "no target column 'y'; known: a, outcome"),
        ("a,a,y\n1,2,0\n", "columns 1 and 2 are both called 'a'"),
        ("a,y\n1,0\n2\n", "line 3: 1 cell.* where the header has 2"),
        ("a,y\n1,0\n2,3,4\n", "line 3: 3 cell.* not in quotes"),
        ("a;y\n1;0\n", "separated by semicolons"),
        ("a\ty\n1\t0\n", "separated by tabs"),
        (b"a,y\n\xff\xfe,0\n", "not UTF-8"),
        ('a,y\n"1,0\n', "line .*quote left open"),
        ("a,y\n1,0\n2,\n", r"target column 'y' has 1 blank cell\(s\), the first in line 3"),
        ("a,y\n1,0\n2,0\n", r"target column 'y' has 1 different value\(s\): '0' \(2 rows\)"),
        ("a,y\n1,0\n2,1\n3,2\n", r"has 3 different value\(s\): .*exactly two"),
        ("a,y\n1,0\n,1\n", r"column 'a' has 1 blank cell\(s\), the first in line 3; .*--drop 'a'"),
        ("a,y\n1,0\nn/a,1\nn/a,1\n?,1", r"3 cell.* not numbers, .*first in line 3: 'n/a' \(2\), '\?' \(1\)"),
        ("a,y\nNaN,0\n1,1\n", r"'NaN' \(1\)"),
        ("a,y\ninf,0\n1,1\n", r"'inf' \(1\)"),
        ("a,y\n1_000,0\n1,1\n", r"'1_000' \(1\)"),
        ("a,y\n\uff11,0\n1,1\n", "not numbers"),
        ("a,y\n1e,0\n1,1\n", r"'1e' \(1\)"),
        ("a,b,y\nx,z,0\n1,1,1\n", r"column 'a'.*\(the same holds for 'b'\)"),
        (",a,y\n0,1,0\n1,1,1\n", "column 1 has no name"),
    ],
)  # fmt: skip
def test_faults_are_named(write, content, message):
    with pytest.raises(InvalidDataError, match=message) as caught:
        training(write(content))
    assert "data.csv" in str(caught.value)


def test_a_hundred_thousand_rows_are_read(write):
    rows = "".join(f"{i},{i / 8},{i % 7},{i % 2}\n" for i in range(100_000))
    data = training(write("a,b,c,y\n" + rows))
    assert data.X.shape == (100_000, 3)
    assert data.X[99_999].tolist() == [99_999, 99_999 / 8, 99_999 % 7]
