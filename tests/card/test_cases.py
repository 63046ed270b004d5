"""Rows of a file for a card: labelled ones, with the columns that it was learned from."""

from dataclasses import replace

import pytest

from supersparse import ScoringSystem, item
from supersparse.card.cases import person_of, read_cases, read_labelled
from supersparse.card.rules import Domain
from supersparse.errors import InvalidDataError
from supersparse.table.reading import ColumnReading, Reading

CARD = ScoringSystem.of([item("country", equals="NA", points=1, missing=0)], above=0, classes=("no", "yes")).card


@pytest.fixture
def read(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("country,age,code,w,y\nNA,,1,2,yes\nDE,40,2,1,no\nDE,50,3,1,\n")
    return lambda *others, **how: read_labelled(path, Reading(), CARD, "y", others, **how)


def test_columns_that_may_be_there_are_read_by_their_kind(read):
    cases = read(weights="w", perhaps=("age", "code", "gone"), texts=("code",))
    assert cases.columns["country"].tolist() == ["NA", "DE"]
    assert cases.columns["code"].tolist() == ["1", "2"]
    assert cases.columns["age"].tolist()[1] == 40
    assert "gone" not in cases.columns
    assert (cases.y, cases.weights.tolist()) == (["yes", "no"], [2, 1])


def test_columns_that_must_be_there_are_named(read):
    with pytest.raises(InvalidDataError, match="has no column 'cod'; did you mean 'code'"):
        read("cod")


RANGES = [
    (item("x", at_least=45, points=1), ["<45", "<= 44", ">45", "≥45", ">99"], ["<80", "≤45", ">44", "≥44"]),
    (item("x", below=4, points=1), ["<4", "<3", "≥4", ">4"], ["≤4", "<5", ">3", "≥3"]),
    (item("x", at_least=4, below=6, points=1), ["<4", "≥6"], ["<5", "<7", ">5", ">3"]),
]


@pytest.mark.parametrize(("asked", "decided", "left_open"), RANGES)
def test_a_limit_is_scored_only_if_it_answers_the_card(tmp_path, asked, decided, left_open):
    card = ScoringSystem.of([asked], above=0).card
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["x", *decided, "1"]))
    columns = read_cases(path, Reading(), card).columns
    assert [abs(value) == float("inf") for value in columns["x"]] == [True] * len(decided) + [False]
    for cell in left_open:
        path.write_text(f"x\n1\n{cell}\n")
        with pytest.raises(InvalidDataError, match=r"leaves 'X .*\?' open: .*, the first in line 3; treat as m"):
            read_cases(path, Reading(), card)
        with pytest.raises(InvalidDataError, match=r"which leaves 'X .*' open; enter a number, or leave it"):
            person_of(card, {"x": cell}, Reading())


def test_limits_beyond_what_a_card_was_learned_from_are_as_they_were_then(tmp_path):
    card = ScoringSystem.of(
        [item("x", at_least=3.1, points=1)], above=0, domains={"x": Domain(column="x", low=1, high=3)}
    ).card
    (tmp_path / "rows.csv").write_text("x\n>3\n<1\n2\n")
    assert read_cases(tmp_path / "rows.csv", Reading(), card).columns["x"].tolist()[0] == float("inf")


def test_a_person_whose_number_could_mean_two_is_asked_for_the_decimal_sign():
    card = ScoringSystem.of([item("x", at_least=3, points=1)], above=0).card
    german = replace(card, reading=Reading(settled=True, columns={"x": ColumnReading(decimal=",")}))
    assert person_of(card, {"x": "1.234"}, Reading()) == {"x": 1.234}
    assert person_of(german, {"x": "1,234"}, Reading()) == {"x": 1.234}
    assert person_of(german, {"x": "3.5"}, Reading()) == {"x": 3.5}
    for other, cell in ((card, "1,234"), (german, "1.234")):
        with pytest.raises(InvalidDataError, match=r"which could mean .*; use --decimal"):
            person_of(other, {"x": cell}, Reading())
        assert person_of(other, {"x": cell}, Reading.of(decimal=".")) == {"x": float(cell.replace(",", ""))}
