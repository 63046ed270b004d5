"""The target column: two classes, whichever way they are written."""

from fractions import Fraction

import pytest

from supersparse import ScoringSystem, item
from supersparse.card.cases import read_class_column
from supersparse.data.files import read_table
from supersparse.data.roles import read_target
from supersparse.data.table import Kind
from supersparse.errors import InvalidDataError


@pytest.fixture
def table(tmp_path):
    def table(*cells):
        path = tmp_path / "data.csv"
        path.write_text("a,y\n" + "".join(f"1,{cell}\n" for cell in cells))
        return read_table(path, expected={"y": Kind.TEXT})

    return table


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["0", "1"], [0, 1]),
        (["00", "1"], ["00", "1"]),
        (["0.0", "1.0"], ["0.0", "1.0"]),
        (["no", "yes"],) * 2,
    ],
)
def test_integer_labels_are_integers_and_others_stay_as_written(table, cells, labels):
    assert read_target(table(*cells), "y", None).labels.tolist() == labels


def test_rows_without_a_class_are_left_out_and_said(table):
    found = read_target(table("0", "", "1", "NA"), "y", None)
    assert found.labels.tolist() == [0, 1]
    assert found.rows.tolist() == [True, False, True, False]
    assert found.notes == ("2 rows skipped: the target 'y' is blank, first in line 3",)


def test_one_of_many_values_is_told_from_the_others(table):
    found = read_target(table("a", "b", "c", "a"), "y", "a")
    assert found.labels.tolist() == ["a", "not a", "not a", "a"]
    assert found.notes == ("'a' against all other classes: 'b' (1 row), 'c' (1 row)",)
    card = ScoringSystem.of([item("x", at_least=1, points=1)], threshold=0, classes=("not a", "a")).card
    assert read_class_column(table("a", "b", ""), "y", card).labels.tolist() == ["a", "not a"]


@pytest.mark.parametrize(
    ("cells", "positive", "message"),
    [
        (
            ["0", "0"],
            None,
            r"has 1 different value\(s\): '0' \(2 rows\); a scoring system separates exactly two$",
        ),
        (["", ""], None, r"has 0 different value\(s\): none"),
        (["0", "1", "2"], None, r"has 3 different .* use --positive to choose one"),
        (["2", "10"], "3", r"--positive '3' is not a value of the target 'y'; its values are '2' .* '10'"),
    ],
)
def test_anything_else_is_named(table, cells, positive, message):
    with pytest.raises(InvalidDataError, match=message):
        read_target(table(*cells), "y", positive)


def test_a_missing_target_is_named(table):
    with pytest.raises(InvalidDataError, match="no target column 'Y'; did you mean 'y'"):
        read_target(table("0", "1"), "Y", None)


def test_classes_of_a_card_keep_their_type(table):
    card = ScoringSystem.of([item("x", points=1)], threshold=Fraction(1, 2), classes=(0, 1)).card
    assert read_class_column(table("1", "0", ""), "y", card).labels.tolist() == [1, 0]
    with pytest.raises(InvalidDataError, match=r"line 3: the target 'y' is '2'; the classes .* '0' and '1'"):
        read_class_column(table("1", "2"), "y", card)
