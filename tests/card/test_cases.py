"""Rows of a file for a card: labelled ones, with the columns that it was learned from."""

import pytest

from supersparse import ScoringSystem, item
from supersparse.card.cases import read_labelled
from supersparse.data.reading import Reading
from supersparse.errors import InvalidDataError

CARD = ScoringSystem.of(
    [item("country", equals="NA", points=1, missing=0)], threshold=0, classes=("no", "yes")
).card


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
