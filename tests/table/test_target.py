"""The target column: two classes, whichever way they are written."""

from fractions import Fraction

import pytest

from supersparse import ScoringSystem, item
from supersparse.card.cases import read_class_column
from supersparse.card.evaluate.rates import read_classes
from supersparse.errors import InvalidDataError
from supersparse.table.files import read_table
from supersparse.table.reading import Reading
from supersparse.table.roles import read_target
from supersparse.table.table import Kind


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
        (["0.0", "1.0"], [0, 1]),
        (["1.0", "0", "1", "0.00"], [1, 0, 1, 0]),
        (["0.50", "1.5", "0.5"], ["0.5", "1.5", "0.5"]),
        (["no", "yes"],) * 2,
    ],
)
def test_whole_numbers_are_integers_equal_ones_the_same_and_others_stay_as_written(table, cells, labels):
    assert read_target(table(*cells), "y", None).labels.tolist() == labels


def test_equal_numbers_are_one_class_with_a_note_unless_they_are_kept_apart(table, tmp_path):
    found = read_target(table("1", "0", "1.0", "2"), "y", "1")
    assert found.labels.tolist() == ["1", "not 1", "1", "not 1"]
    assert found.notes[0] == "'y': '1.0' read as '1', the same number; use --as-written y if that is wrong"
    assert read_target(table("1.0", "0.0"), "y", "1").labels.tolist() == [1, 0]
    apart = read_table(tmp_path / "data.csv", Reading.of(as_written=("y",)), expected={"y": Kind.TEXT})
    assert read_target(apart, "y", None).labels.tolist() == [1, 0]
    table("1", "0", "1.0")
    apart = read_table(tmp_path / "data.csv", Reading.of(as_written=("y",)), expected={"y": Kind.TEXT})
    with pytest.raises(InvalidDataError, match="has 3 different value"):
        read_target(apart, "y", None)


def test_rows_without_a_class_are_left_out_and_said(table):
    found = read_target(table("0", "", "1", "NA"), "y", None)
    assert found.labels.tolist() == [0, 1]
    assert found.rows.tolist() == [True, False, True, False]
    assert found.notes == ("2 rows skipped: the target 'y' is blank, first in line 3",)


def test_one_of_many_values_is_told_from_the_others(table):
    found = read_target(table("a", "b", "c", "a"), "y", "a")
    assert found.labels.tolist() == ["a", "not a", "not a", "a"]
    assert found.notes == ("'a' against all other classes: 'b' (1 row), 'c' (1 row)",)
    card = ScoringSystem.of([item("x", at_least=1, points=1)], above=0, classes=("not a", "a")).card
    assert read_class_column(table("a", "b", ""), "y", card).labels.tolist() == ["a", "not a"]


@pytest.mark.parametrize(
    ("cells", "positive", "message"),
    [
        (["0", "0"], None, r"has 1 different value\(s\): '0' \(2 rows\); a scoring system separates exactly two$"),
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


@pytest.mark.parametrize("classes", [(0, 1), ("0.0", "1.0"), ("0", "1"), (0.0, 1.0)])
def test_equal_numbers_are_the_same_class_of_a_card(table, classes):
    card = ScoringSystem.of([item("x", points=1)], above=Fraction(1, 2), classes=classes).card
    labels = read_class_column(table("1", "0.0", "", "1.00", "0"), "y", card).labels.tolist()
    assert labels == [classes[1], classes[0], classes[1], classes[0]]


@pytest.mark.parametrize("classes", [("False", "True"), ("FALSE", "TRUE"), (False, True)])
def test_true_and_false_are_the_classes_of_a_card_whose_words_they_are(table, classes):
    system = ScoringSystem.of([item("x", points=1)], above=Fraction(1, 2), classes=classes)
    labels = read_class_column(table("true", "FALSE", "False"), "y", system.card).labels.tolist()
    assert labels == [classes[1], classes[0], classes[0]]
    for y in ([True, False, False], [classes[1], classes[0], classes[0]]):
        assert read_classes(system.card, y).tolist() == [True, False, False]
        assert system.evaluate({"x": [1, 0, 1]}, y).cells()["n"] == 3


def test_classes_of_a_card_keep_their_type(table):
    card = ScoringSystem.of([item("x", points=1)], above=Fraction(1, 2), classes=(0, 1)).card
    assert read_class_column(table("1", "0", ""), "y", card).labels.tolist() == [1, 0]
    with pytest.raises(InvalidDataError, match=r"line 3: the target 'y' is '2'; the classes .* '0' and '1'"):
        read_class_column(table("1", "2"), "y", card)
