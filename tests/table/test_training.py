"""Training data from a file: roles of columns, and what is noted on the way."""

import pytest

from supersparse.errors import InvalidDataError
from supersparse.table.reading import Reading
from supersparse.table.training import Roles, read_training

TABLE = "age,unit,code,w,ill\n30,a,x1,1,no\n40,?,x2,2,yes\n50,b,x3,1,\n60,b,x4,1,yes\n"


@pytest.fixture
def read(tmp_path):
    def read(note=lambda text: None, table=TABLE, **roles):
        path = tmp_path / "rows.csv"
        path.write_text(table)
        return read_training(path, Reading(), Roles(target="ill", **roles), note)

    return read


def test_rows_without_a_class_are_skipped_in_every_column(read):
    table = read(weights="w", rate_groups=["unit"], split_groups="code", drop=["c*"])
    assert list(table.columns) == ["age"]
    assert table.columns["age"].values.tolist() == [30, 40, 60]
    assert table.y.tolist() == ["no", "yes", "yes"]
    assert table.weights.tolist() == [1, 2, 1]
    assert table.rate_groups["unit"].tolist() == ["a", "?", "b"]
    assert table.groups.tolist() == ["x1", "x2", "x4"]


def test_what_is_odd_is_noted_in_its_order(read):
    notes = []
    read(notes.append, drop=["code"])
    assert notes[0] == "1 row skipped: the target 'ill' is blank, first in line 4"
    assert notes[1].startswith("'unit': '?' (1) is read as a category")


def test_a_fault_says_where_the_column_was_named(read):
    with pytest.raises(InvalidDataError, match=r"^settings\.yaml, line 2: .*no column 'sex'"):
        read(rate_groups=["sex"], place=lambda name: "settings.yaml, line 2: ")


def test_text_cannot_be_used_as_it_is(read):
    with pytest.raises(InvalidDataError, match="column 'unit' holds text, so it cannot be used as it is"):
        read(keep=["age", "unit"]).matrix()
    assert read(keep=["age", "w"]).matrix().tolist() == [[30, 1], [40, 2], [60, 1]]


@pytest.mark.parametrize(
    ("table", "weights", "message"),
    [
        (TABLE, "unit", "rows.csv: column 'unit' has 4 non-numeric values: 'b' .*; weights are numbers of"),
        (TABLE.replace("x1,1", "x1,one"), "w", "'one' .1., the first in line 2; weights are numbers of 0 or"),
        (TABLE.replace("x1,1", "x1,"), "w", "the weight column 'w' has 1 missing value"),
        (TABLE, "ill", "^'ill' is the target, so it cannot hold groups or weights"),
    ],
)
def test_weights_that_are_none_are_said_once(read, table, weights, message):
    with pytest.raises(InvalidDataError, match=message) as caught:
        read(table=table, weights=weights)
    assert "did you mean" not in str(caught.value)
    assert "--drop" not in str(caught.value)


def test_a_weight_is_no_code_for_a_missing_value(read):
    rows = "".join(f"{20 + k % 9},{k % 3 + 1 if k % 9 else 99},{k % 2}\n" for k in range(40))
    assert read(table=f"age,w,ill\n{rows}", weights="w").weights.max() == 99


def test_text_with_a_comma_is_said_to_be_missing_in_a_settings_file(read):
    table = "crp,ill\n1,no\n2,yes\n" + '"3,5 mg/l",yes\n'
    with pytest.raises(InvalidDataError, match="treat as missing with na under table in a settings file, as"):
        read(table=table)


VISITS = "patient,age,bmi,ill\n" + "".join(
    f"{'x' if p == 7 else ''}{p},{20 + p},{p % 9},{'yes' if p % 3 else 'no'}\n" for p in range(30) for _ in range(3)
)


@pytest.mark.parametrize(
    "roles", [{"drop": ["patient"]}, {"drop": ["pat*", "bmi"]}, {"keep": ["age"]}, {"keep": ["age", "bmi"]}]
)
def test_an_identifier_that_is_no_feature_still_keeps_its_rows_together(read, roles):
    notes = []  # patient x7 among numbers would be a fault of a feature
    table = read(notes.append, table=VISITS, find_groups=True, **roles)
    assert len(set(table.groups.tolist())) == 30
    assert all(len(set(table.groups[3 * p : 3 * p + 3].tolist())) == 1 for p in range(30))
    assert "patient" not in table.columns
    (note,) = notes
    assert note.startswith("'patient' repeats (30 different in 90 rows), so all rows of one are kept in")
    assert table.reading.found["groups"] == "patient"
    assert not table.reading.columns  # nothing of the identifiers is remembered


@pytest.mark.parametrize("roles", [{}, {"find_groups": True, "split_groups": "bmi"}])
def test_an_identifier_that_is_dropped_groups_nothing_unless_it_is_looked_for(read, roles):
    notes = []
    table = read(notes.append, table=VISITS, drop=["patient"], **roles)
    assert notes == []
    assert table.groups is None or len(set(table.groups.tolist())) == 9
