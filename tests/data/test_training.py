"""Training data from a file: roles of columns, and what is noted on the way."""

import pytest

from supersparse.data.reading import Reading
from supersparse.data.training import Roles, read_training
from supersparse.errors import InvalidDataError

TABLE = "age,unit,code,w,ill\n30,a,x1,1,no\n40,?,x2,2,yes\n50,b,x3,1,\n60,b,x4,1,yes\n"


@pytest.fixture
def read(tmp_path):
    def read(note=lambda text: None, **roles):
        path = tmp_path / "rows.csv"
        path.write_text(TABLE)
        return read_training(path, Reading(), Roles(target="ill", **roles), note)

    return read


def test_rows_without_a_class_are_skipped_in_every_column(read):
    table = read(weights="w", rate_groups=["unit"], split_groups="code", drop=["c*"])
    assert list(table.columns) == ["age"]
    assert table.columns["age"].values.tolist() == [30, 40, 60]
    assert table.y.tolist() == ["no", "yes", "yes"]
    assert table.weights.tolist() == [1, 2, 1]
    assert table.rate_groups["unit"].tolist() == ["a", "?", "b"]
    assert table.split_by.tolist() == ["x1", "x2", "x4"]


def test_what_is_odd_is_noted_in_its_order(read):
    notes = []
    read(notes.append, drop=["code"])
    assert notes[0] == "1 row skipped: the target 'ill' is blank, first in line 4"
    assert notes[1].startswith("'unit': '?' (1) is read as a category")


def test_a_fault_says_where_the_column_was_named(read):
    with pytest.raises(InvalidDataError, match=r"^wishes\.yaml, line 2: .*no column 'sex'"):
        read(rate_groups=["sex"], place=lambda name: "wishes.yaml, line 2: ")


def test_text_cannot_be_used_as_it_is(read):
    with pytest.raises(InvalidDataError, match="column 'unit' holds text, so it cannot be used as it is"):
        read(keep=["age", "unit"]).matrix()
    assert read(keep=["age", "w"]).matrix().tolist() == [[30, 1], [40, 2], [60, 1]]
